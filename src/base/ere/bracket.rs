//! Bracket expressions.

use std::fmt::Write;

use crate::base::ere::EreError;
use crate::base::ere::translate::first_character;

/// `\w`
pub(super) const WORD: &str = r"[\p{Alphabetic}\p{Nd}_]";
/// `\W`
pub(super) const NOT_WORD: &str = r"[^\p{Alphabetic}\p{Nd}_]";
/// `\s`
pub(super) const BLANK: &str = concat!(
    "[",
    r"\t-\r\x{20}\x{1680}\x{2000}-\x{2006}\x{2008}-\x{200a}\x{2028}\x{2029}\x{205f}\x{3000}",
    "]"
);
/// `\S`
pub(super) const NOT_BLANK: &str = concat!(
    "[^",
    r"\t-\r\x{20}\x{1680}\x{2000}-\x{2006}\x{2008}-\x{200a}\x{2028}\x{2029}\x{205f}\x{3000}",
    "]"
);

/// Members of a named class in `C.UTF-8`: what `isw...` of glibc answers, by Unicode properties.
fn class(name: &[u8]) -> Option<&'static str> {
    Some(match name {
        b"alpha" => r"\p{Alphabetic}[\p{Nd}--0-9]",
        b"digit" => "0-9",
        b"alnum" => r"\p{Alphabetic}\p{Nd}",
        b"upper" => r"\p{Uppercase}",
        b"lower" => r"\p{Lowercase}",
        b"space" => {
            r"\t-\r\x{20}\x{1680}\x{2000}-\x{2006}\x{2008}-\x{200a}\x{2028}\x{2029}\x{205f}\x{3000}"
        }
        b"blank" => r"\t\x{20}\x{1680}\x{2000}-\x{2006}\x{2008}-\x{200a}\x{205f}\x{3000}",
        b"punct" => {
            r"\x{21}-\x{2f}\x{3a}-\x{40}\x{5b}-\x{60}\x{7b}-\x{7e}[[\p{P}\p{S}\p{M}\p{Nl}\p{No}\p{Cf}\p{Co}]--\p{Alphabetic}]"
        }
        b"print" => r"[^\p{Cc}\p{Cn}\p{Cs}\x{2028}\x{2029}]",
        b"graph" => {
            r"[^\p{Cc}\p{Cn}\p{Cs}\x{20}\x{1680}\x{2000}-\x{2006}\x{2008}-\x{200a}\x{2028}\x{2029}\x{205f}\x{3000}]"
        }
        b"cntrl" => r"\p{Cc}\x{2028}\x{2029}",
        b"xdigit" => "0-9A-Fa-f",
        _ => return None,
    })
}

/// An element of the list.
enum Element {
    Character(char),
    /// A byte that is no character.
    Byte(u8),
    Class(&'static str),
}

/// Translates what follows `[`; gives what follows the closing `]`.
pub(super) fn translate<'p>(text: &'p [u8], out: &mut String) -> Result<&'p [u8], EreError> {
    let (negated, mut rest) = match text {
        [b'^', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    let mut set = String::new();
    let mut bytes = String::new();
    let mut first = true;
    loop {
        match rest {
            [] => return Err(EreError::Bracket),
            [b']', after @ ..] if !first => {
                rest = after;
                break;
            }
            // A dash that is neither first nor last nor the end of a range.
            [b'-', next, ..] if !first && *next != b']' => return Err(EreError::Range),
            _ => {}
        }
        let (element, after) = element(rest)?;
        first = false;
        rest = after;
        match rest {
            [b'-', b']', ..] | [] => {}
            [b'-', after @ ..] => {
                let (last, after) = self::element(after)?;
                let (Element::Character(from), Element::Character(to)) = (&element, &last) else {
                    return Err(EreError::Range);
                };
                if from > to {
                    return Err(EreError::Range);
                }
                rest = after;
                // Writing into a String cannot fail.
                let _ = write!(
                    set,
                    "\\x{{{:x}}}-\\x{{{:x}}}",
                    u32::from(*from),
                    u32::from(*to)
                );
                continue;
            }
            _ => {}
        }
        let _ = match element {
            Element::Character(c) => write!(set, "\\x{{{:x}}}", u32::from(c)),
            Element::Byte(byte) => write!(bytes, "|\\x{byte:02x}"),
            Element::Class(members) => write!(set, "{members}"),
        };
    }
    let _ = match (negated, bytes.is_empty(), set.is_empty()) {
        (true, _, true) => write!(out, "(?s:.)"),
        (true, _, false) => write!(out, "[^{set}]"),
        (false, true, _) => write!(out, "[{set}]"),
        (false, false, true) => {
            write!(out, "(?-u:{})", bytes.trim_start_matches('|'))
        }
        (false, false, false) => write!(out, "(?:[{set}]|(?-u:{}))", bytes.trim_start_matches('|')),
    };
    Ok(rest)
}

fn element(text: &[u8]) -> Result<(Element, &[u8]), EreError> {
    match text {
        [] => Err(EreError::Bracket),
        [b'[', kind @ (b':' | b'.' | b'='), rest @ ..] => {
            let end = rest
                .windows(2)
                .position(|pair| pair == [*kind, b']'])
                .ok_or(EreError::Bracket)?;
            let name = rest.get(..end).unwrap_or(&[]);
            let after = rest.get(end + 2..).unwrap_or(&[]);
            let element = if *kind == b':' {
                Element::Class(class(name).ok_or(EreError::Class)?)
            } else {
                match first_character(name) {
                    (Some(c), size) if size == name.len() && !name.is_empty() => {
                        Element::Character(c)
                    }
                    _ => return Err(EreError::Collation),
                }
            };
            Ok((element, after))
        }
        _ => {
            let (character, size) = first_character(text);
            let element = match character {
                Some(c) => Element::Character(c),
                None => Element::Byte(text.first().copied().unwrap_or_default()),
            };
            Ok((element, text.get(size..).unwrap_or(&[])))
        }
    }
}
