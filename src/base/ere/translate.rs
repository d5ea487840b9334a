//! From POSIX syntax to the syntax of the regex crates.

use std::fmt::Write;

use crate::base::ere::{EreError, bracket};

/// Deepest nesting of groups: the matchers' parsers recurse.
const DEEPEST: usize = 60;
/// glibc's `RE_DUP_MAX`.
const MOST_REPETITIONS: u32 = 0x7fff;

/// A translated pattern.
pub(super) struct Translation {
    /// In the syntax of the regex crates.
    pub(super) text: String,
    /// How many groups there are.
    pub(super) groups: u32,
    /// Whether it refers back to a group.
    pub(super) back_references: bool,
}

struct Open {
    number: u32,
    start: usize,
}

/// What a repetition would apply to.
enum Last {
    /// Nothing: a repetition is an error.
    Nothing,
    /// What the output holds from here.
    Atom(usize),
    /// The same, already with one of `*`, `+`, `?`.
    Repeated(usize, char),
}

/// Translates a pattern; refuses what glibc refuses.
pub(super) fn translate(pattern: &[u8]) -> Result<Translation, EreError> {
    let mut out = String::with_capacity(pattern.len() * 2 + 8);
    let mut open: Vec<Open> = Vec::new();
    let mut groups = 0;
    let mut complete = [false; 10];
    let mut back_references = false;
    let mut last = Last::Nothing;
    let mut rest = pattern;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b'(' => {
                if open.len() >= DEEPEST {
                    return Err(EreError::Memory);
                }
                groups += 1;
                open.push(Open {
                    number: groups,
                    start: out.len(),
                });
                out.push('(');
                last = Last::Nothing;
            }
            b')' if !open.is_empty() => {
                if let Some(group) = open.pop() {
                    out.push(')');
                    if let Some(done) = complete.get_mut(group.number as usize) {
                        *done = true;
                    }
                    last = Last::Atom(group.start);
                }
            }
            b'|' => {
                out.push('|');
                last = Last::Nothing;
            }
            b'*' | b'+' | b'?' => {
                last = match last {
                    Last::Nothing => return Err(EreError::Repetition),
                    Last::Atom(start) => {
                        out.push(char::from(byte));
                        Last::Repeated(start, char::from(byte))
                    }
                    // Two in a row would mean something else in the other syntax.
                    Last::Repeated(start, before) => {
                        let both = if before == char::from(byte) {
                            before
                        } else {
                            '*'
                        };
                        out.pop();
                        out.push(both);
                        Last::Repeated(start, both)
                    }
                };
            }
            b'{' => {
                let start = match last {
                    Last::Nothing => return Err(EreError::Repetition),
                    Last::Atom(start) => start,
                    Last::Repeated(start, _) => {
                        wrap(&mut out, start);
                        start
                    }
                };
                rest = interval(rest, &mut out)?;
                wrap(&mut out, start);
                last = Last::Atom(start);
            }
            b'^' | b'$' => {
                out.push_str(if byte == b'^' { r"\A" } else { r"\z" });
                last = Last::Nothing;
            }
            b'.' => {
                last = Last::Atom(out.len());
                out.push_str("(?s:.)");
            }
            b'[' => {
                last = Last::Atom(out.len());
                rest = bracket::translate(rest, &mut out)?;
            }
            b'\\' => {
                let Some((&escaped, after)) = rest.split_first() else {
                    return Err(EreError::TrailingBackslash);
                };
                let start = out.len();
                last = Last::Atom(start);
                match escaped {
                    b'w' => out.push_str(bracket::WORD),
                    b'W' => out.push_str(bracket::NOT_WORD),
                    b's' => out.push_str(bracket::BLANK),
                    b'S' => out.push_str(bracket::NOT_BLANK),
                    b'b' | b'B' | b'<' | b'>' | b'`' | b'\'' => {
                        out.push_str(match escaped {
                            b'b' => r"\b",
                            b'B' => r"\B",
                            b'<' => r"\b{start}",
                            b'>' => r"\b{end}",
                            b'`' => r"\A",
                            _ => r"\z",
                        });
                        last = Last::Nothing;
                    }
                    b'1'..=b'9' => {
                        let number = usize::from(escaped - b'0');
                        if complete.get(number) != Some(&true) {
                            return Err(EreError::BackReference);
                        }
                        back_references = true;
                        // Writing into a String cannot fail.
                        let _ = write!(out, r"(?:\{number})");
                    }
                    _ => {
                        rest = literal(rest, &mut out);
                        continue;
                    }
                }
                rest = after;
            }
            _ => {
                last = Last::Atom(out.len());
                let at = pattern.len() - rest.len() - 1;
                rest = literal(pattern.get(at..).unwrap_or(&[]), &mut out);
            }
        }
    }
    if !open.is_empty() {
        return Err(EreError::Parenthesis);
    }
    Ok(Translation {
        text: out,
        groups,
        back_references,
    })
}

fn wrap(out: &mut String, start: usize) {
    out.insert_str(start, "(?:");
    out.push(')');
}

/// Translates one character; gives what follows it.
fn literal<'p>(text: &'p [u8], out: &mut String) -> &'p [u8] {
    let (character, size) = first_character(text);
    match character {
        Some(c) if c.is_ascii_alphanumeric() => out.push(c),
        Some(c) => {
            let _ = write!(out, "\\x{{{:x}}}", u32::from(c));
        }
        None => {
            let byte = text.first().copied().unwrap_or_default();
            let _ = write!(out, "(?-u:\\x{byte:02x})");
        }
    }
    text.get(size..).unwrap_or(&[])
}

/// The first character and its size; `None` where the bytes are not valid UTF-8.
pub(super) fn first_character(text: &[u8]) -> (Option<char>, usize) {
    match bstr::decode_utf8(text) {
        (Some(c), size) => (Some(c), size),
        (None, _) => (None, 1),
    }
}

/// Translates what follows `{`; gives what follows `}`.
fn interval<'p>(text: &'p [u8], out: &mut String) -> Result<&'p [u8], EreError> {
    let fail = |rest: &[u8]| {
        // glibc tells the two apart by where it stands: at the end or not.
        if rest.contains(&b'}') {
            EreError::BraceContent
        } else {
            EreError::Brace
        }
    };
    let (least, rest) = number(text);
    let (least, most, rest) = match rest.split_first() {
        Some((b'}', rest)) => {
            let least = least.ok_or(EreError::BraceContent)?;
            (least, Some(least), rest)
        }
        Some((b',', rest)) => {
            let (most, rest) = number(rest);
            match rest.split_first() {
                Some((b'}', rest)) => (least.unwrap_or(0), most, rest),
                _ => return Err(fail(rest)),
            }
        }
        _ => return Err(fail(rest)),
    };
    if most.is_some_and(|most| most < least) {
        return Err(EreError::BraceContent);
    }
    if most.unwrap_or(least) > MOST_REPETITIONS {
        return Err(EreError::Memory);
    }
    let _ = match most {
        Some(most) if most == least => write!(out, "{{{least}}}"),
        Some(most) => write!(out, "{{{least},{most}}}"),
        None => write!(out, "{{{least},}}"),
    };
    Ok(rest)
}

fn number(text: &[u8]) -> (Option<u32>, &[u8]) {
    let digits = text.iter().take_while(|b| b.is_ascii_digit()).count();
    let (digits, rest) = text.split_at_checked(digits).unwrap_or((text, &[]));
    let value = digits.iter().fold(0u32, |n, &b| {
        n.saturating_mul(10)
            .saturating_add(u32::from(b - b'0'))
            .min(MOST_REPETITIONS + 1)
    });
    ((!digits.is_empty()).then_some(value), rest)
}
