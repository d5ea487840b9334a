//! Caller ids as texts: `"Name" <number>`, and the names of presentations.

use crate::base::scan::{strip, strip_end, strip_start};

/// Splits `"Name" <number>`, `Name <number>`, a number alone, or a name alone, as Asterisk reads them.
/// The parts that are absent are empty.
pub fn split(text: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let text = unquoted(text);
    let open = text.iter().rposition(|b| *b == b'<');
    let bracketed = open.and_then(|open| {
        let inside = text.get(open + 1..)?;
        let close = inside.iter().rposition(|b| *b == b'>')?;
        Some((text.get(..open)?, inside.get(..close)?))
    });
    if let Some((name, number)) = bracketed {
        let name = quoted_part(name).unwrap_or_else(|| strip(name));
        return (name.to_vec(), bare_number(number));
    }
    let number = bare_number(text);
    let is_number = !number.is_empty()
        && number
            .iter()
            .all(|b| b.is_ascii_digit() || b"*#+".contains(b));
    if is_number {
        (Vec::new(), number)
    } else {
        (quoted_part(text).unwrap_or(text).to_vec(), Vec::new())
    }
}

fn unquoted(text: &[u8]) -> &[u8] {
    let text = strip_end(strip_start(text));
    match text {
        [b'"', inside @ .., b'"'] => inside,
        _ => text,
    }
}

/// Between the first two quotes.
fn quoted_part(text: &[u8]) -> Option<&[u8]> {
    let open = text.iter().position(|b| *b == b'"')?;
    let inside = text.get(open + 1..)?;
    let close = inside.iter().position(|b| *b == b'"')?;
    inside.get(..close)
}

/// A number without blanks, parentheses, dashes outside of brackets, and dots except at its end.
fn bare_number(text: &[u8]) -> Vec<u8> {
    let mut number = Vec::with_capacity(text.len());
    let mut brackets = 0i32;
    for (i, &b) in text.iter().enumerate() {
        match b {
            b'[' => brackets += 1,
            b']' => brackets -= 1,
            b'-' if brackets == 0 => continue,
            b'.' if i + 1 < text.len() => continue,
            b' ' | b'(' | b')' => continue,
            _ => {}
        }
        number.push(b);
    }
    number
}

/// Names of presentations, in the form that CALLERID(pres) reads and writes.
pub const PRESENTATIONS: [&str; 9] = [
    "allowed_not_screened",
    "allowed_passed_screen",
    "allowed_failed_screen",
    "allowed",
    "prohib_not_screened",
    "prohib_passed_screen",
    "prohib_failed_screen",
    "prohib",
    "unavailable",
];

/// The presentation of this name or number (as Q.931 codes it).
pub fn presentation(text: &[u8]) -> Option<&'static str> {
    const NUMBERS: [u8; 9] = [0, 1, 2, 3, 0x20, 0x21, 0x22, 0x23, 0x43];
    let text = strip(text);
    let by_name = PRESENTATIONS
        .iter()
        .find(|name| name.as_bytes().eq_ignore_ascii_case(text));
    by_name
        .or_else(|| {
            let number: u8 = std::str::from_utf8(text).ok()?.parse().ok()?;
            let at = NUMBERS.iter().position(|n| *n == number)?;
            PRESENTATIONS.get(at)
        })
        .copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts() {
        for (text, name, number) in [
            ("\"Bob\" <123>", "Bob", "123"),
            ("Bob < 12-3 > x", "Bob", "123"),
            ("123", "", "123"),
            ("\"Bob, Jr\" <+1 (555) 1>", "Bob, Jr", "+15551"),
            ("Bob 123", "Bob 123", ""),
            ("", "", ""),
        ] {
            let expected = (name.as_bytes().to_vec(), number.as_bytes().to_vec());
            assert_eq!(split(text.as_bytes()), expected, "{text}");
        }
        assert_eq!(presentation(b"67"), Some("unavailable"));
    }
}
