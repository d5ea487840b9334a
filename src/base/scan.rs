//! Numbers as C's `scanf` reads them from the front of a text, and C's conversions of doubles.

/// Leading blanks as C's `isspace` has them.
pub fn skip_blanks(text: &[u8]) -> &[u8] {
    let end = text
        .iter()
        .position(|b| !matches!(b, b' ' | b'\t'..=b'\r'))
        .unwrap_or(text.len());
    text.get(end..).unwrap_or(&[])
}

/// `%d`: blanks, sign, digits, and what follows. Numbers beyond the range of a long are clamped, then
/// taken as a 32-bit int, as glibc does.
pub fn int(text: &[u8]) -> Option<(i32, &[u8])> {
    let (number, rest) = long(text)?;
    Some((number as i32, rest))
}

/// `%ld`: like [`int`], clamped to the range of a long.
pub fn long(text: &[u8]) -> Option<(i64, &[u8])> {
    let rest = skip_blanks(text);
    let (negative, rest) = match rest.split_first() {
        Some((b'-', rest)) => (true, rest),
        Some((b'+', rest)) => (false, rest),
        _ => (false, rest),
    };
    let end = rest
        .iter()
        .position(|b| !b.is_ascii_digit())
        .unwrap_or(rest.len());
    let (digits, rest) = rest.split_at_checked(end)?;
    if digits.is_empty() {
        return None;
    }
    let number = digits.iter().fold(0i128, |n, b| {
        n.saturating_mul(10).saturating_add(i128::from(b - b'0'))
    });
    let number = if negative { -number } else { number };
    let clamped = number.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64;
    Some((clamped, rest))
}

/// `atoi`: 0 where there is no number.
pub fn atoi(text: &[u8]) -> i32 {
    int(text).map_or(0, |(n, _)| n)
}

/// `%lf`: decimal, hexadecimal, `inf`, `nan`, and what follows.
pub fn double(text: &[u8]) -> Option<(f64, &[u8])> {
    let rest = skip_blanks(text);
    let (negative, rest) = match rest.split_first() {
        Some((b'-', rest)) => (true, rest),
        Some((b'+', rest)) => (false, rest),
        _ => (false, rest),
    };
    let (number, rest) = unsigned_double(rest)?;
    Some((if negative { -number } else { number }, rest))
}

fn unsigned_double(text: &[u8]) -> Option<(f64, &[u8])> {
    let word = |name: &[u8]| {
        text.split_at_checked(name.len())
            .filter(|(head, _)| head.eq_ignore_ascii_case(name))
            .map(|(_, rest)| rest)
    };
    if let Some(rest) = word(b"infinity").or_else(|| word(b"inf")) {
        return Some((f64::INFINITY, rest));
    }
    if let Some(rest) = word(b"nan") {
        return Some((f64::NAN, rest));
    }
    if let Some(rest) = word(b"0x")
        && let Some(found) = hexadecimal(rest)
    {
        return Some(found);
    }
    decimal(text)
}

/// A decimal number without a sign, perhaps with a fraction and an exponent, and what follows.
pub fn decimal(text: &[u8]) -> Option<(f64, &[u8])> {
    let digits = |from: usize| {
        text.iter()
            .skip(from)
            .take_while(|b| b.is_ascii_digit())
            .count()
    };
    let whole = digits(0);
    let mut end = whole;
    let mut fraction = 0;
    if text.get(end) == Some(&b'.') {
        fraction = digits(end + 1);
        end += 1 + fraction;
    }
    if whole + fraction == 0 {
        return None;
    }
    if matches!(text.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(text.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits(end + 1 + sign);
        if exponent > 0 {
            end += 1 + sign + exponent;
        }
    }
    let (number, rest) = text.split_at_checked(end)?;
    let number = std::str::from_utf8(number).ok()?.parse().ok()?;
    Some((number, rest))
}

fn hexadecimal(text: &[u8]) -> Option<(f64, &[u8])> {
    let mut number = 0.0f64;
    let mut exponent = 0i32;
    let (mut any, mut point) = (false, false);
    let mut end = 0;
    for &b in text {
        match char::from(b).to_digit(16) {
            Some(digit) => {
                any = true;
                number = number * 16.0 + f64::from(digit);
                exponent -= if point { 4 } else { 0 };
            }
            None if b == b'.' && !point => point = true,
            None => break,
        }
        end += 1;
    }
    if !any {
        return None;
    }
    let mut rest = text.get(end..)?;
    if let Some((b'p' | b'P', tail)) = rest.split_first().map(|(b, t)| (*b, t))
        && tail
            .first()
            .is_some_and(|b| b.is_ascii_digit() || matches!(b, b'+' | b'-'))
        && let Some((more, tail)) = int(tail)
    {
        exponent = exponent.saturating_add(more);
        rest = tail;
    }
    Some((number * f64::from(exponent).exp2(), rest))
}

/// A double as a C int: what does not fit is the smallest int, as x86 converts it.
pub fn to_int(number: f64) -> i32 {
    if number > -2_147_483_649.0 && number < 2_147_483_648.0 {
        number as i32
    } else {
        i32::MIN
    }
}

/// `%.*f` of C.
pub fn fixed(number: f64, digits: usize) -> String {
    if number.is_nan() {
        let sign = if number.is_sign_negative() { "-" } else { "" };
        return format!("{sign}nan");
    }
    format!("{number:.digits$}")
}

/// One character with its escapes (`\n`, `\x41`, `\054`, …), and what follows. Functions take delimiters and
/// sets of characters in this form. `None` at the end, or for `\x` without a digit.
pub fn encoded(text: &[u8]) -> Option<(u8, &[u8])> {
    let (&first, rest) = text.split_first()?;
    if first != b'\\' {
        return Some((first, rest));
    }
    let Some((&letter, rest)) = rest.split_first() else {
        return Some((0, &[]));
    };
    let simple = match letter {
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'a' => 7,
        b'b' => 8,
        b'f' => 12,
        b'v' => 11,
        b'x' => return escaped_digits(rest, 16, 2).filter(|(_, tail)| tail.len() < rest.len()),
        b'0' => return escaped_digits(rest, 8, usize::MAX),
        other => other,
    };
    Some((simple, rest))
}

fn escaped_digits(text: &[u8], radix: u32, most: usize) -> Option<(u8, &[u8])> {
    let mut value = 0u8;
    let mut end = 0;
    for &b in text.iter().take(most) {
        let Some(digit) = char::from(b).to_digit(radix) else {
            break;
        };
        value = value.wrapping_mul(radix as u8).wrapping_add(digit as u8);
        end += 1;
    }
    Some((value, text.get(end..)?))
}

/// A whole text of encoded characters; it ends at a character that is not valid, or at a zero byte.
pub fn decoded(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((byte, tail)) = encoded(rest) {
        if byte == 0 {
            break;
        }
        out.push(byte);
        rest = tail;
    }
    out
}

/// Blanks and control characters off both ends, as Asterisk strips texts.
pub fn strip(text: &[u8]) -> &[u8] {
    strip_end(strip_start(text))
}

/// Blanks and control characters off the start.
pub fn strip_start(text: &[u8]) -> &[u8] {
    let start = text.iter().position(|b| *b > b' ').unwrap_or(text.len());
    text.get(start..).unwrap_or(&[])
}

/// Blanks and control characters off the end.
pub fn strip_end(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|b| *b > b' ').map_or(0, |i| i + 1);
    text.get(..end).unwrap_or(&[])
}

/// Values are C strings in Asterisk: they end at a zero byte.
pub fn before_zero(text: &[u8]) -> &[u8] {
    let end = text.iter().position(|b| *b == 0).unwrap_or(text.len());
    text.get(..end).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_wrap_like_glibc() {
        assert_eq!(int(b" -12x"), Some((-12, &b"x"[..])));
        assert_eq!(int(b"99999999999").map(|n| n.0), Some(1_215_752_191));
        assert_eq!(int(b"99999999999999999999").map(|n| n.0), Some(-1));
        assert_eq!(int(b"+"), None);
    }

    #[test]
    fn doubles() {
        for (text, number, rest) in [
            ("1e3x", 1000.0, "x"),
            (".5", 0.5, ""),
            ("5.", 5.0, ""),
            ("0x10", 16.0, ""),
            ("0x1.8p1", 3.0, ""),
            ("0xg", 0.0, "xg"),
            ("-inf", f64::NEG_INFINITY, ""),
            ("1e", 1.0, "e"),
        ] {
            assert_eq!(
                double(text.as_bytes()),
                Some((number, rest.as_bytes())),
                "{text}"
            );
        }
        assert_eq!(double(b"."), None);
        assert_eq!(to_int(3e9), i32::MIN);
        assert_eq!(fixed(2.5, 0), "2");
    }

    #[test]
    fn escapes() {
        assert_eq!(decoded(b"\\x41\\054\\n\\q"), b"A,\nq");
        assert_eq!(encoded(b"\\xg"), None);
        assert_eq!(encoded(b"\\"), Some((0, &b""[..])));
    }
}
