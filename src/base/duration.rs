//! Lengths of time as applications read them (`Wait`, `WaitDigit`, `WaitExten`).

use std::time::Duration;

/// Longest time that is told apart from for ever: 100 years.
const LONGEST: f64 = 100.0 * 365.0 * 86_400.0;

/// A number of seconds at the beginning of a text, as C's `strtod` finds it, and what follows;
/// `None` where there is no number.
pub fn leading_number(text: &[u8]) -> Option<(f64, &[u8])> {
    let text = text.trim_ascii_start();
    let digits = |from: usize| {
        text.get(from..).map_or(0, |rest| {
            rest.iter().take_while(|b| b.is_ascii_digit()).count()
        })
    };
    let sign = usize::from(matches!(text.first(), Some(b'+' | b'-')));
    let whole = digits(sign);
    let mut end = sign + whole;
    let mut fraction = 0;
    if text.get(end) == Some(&b'.') {
        fraction = digits(end + 1);
        end += 1 + fraction;
    }
    if whole + fraction == 0 {
        return None;
    }
    if matches!(text.get(end), Some(b'e' | b'E')) {
        let signed = usize::from(matches!(text.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits(end + 1 + signed);
        if exponent > 0 {
            end += 1 + signed + exponent;
        }
    }
    let (number, rest) = text.split_at_checked(end)?;
    let number = std::str::from_utf8(number).ok()?;
    let number = number.strip_prefix('+').unwrap_or(number).parse().ok()?;
    Some((number, rest))
}

/// A duration of that many seconds; `None` if negative.
pub fn seconds(number: f64) -> Option<Duration> {
    (number >= 0.0).then(|| Duration::from_secs_f64(number.min(LONGEST)))
}

/// A length of time: a number with the unit `h`, `m`, `s` or `ms` (seconds without one), blanks between them
/// allowed. `None` where it is not understood or negative (observed with Asterisk master 2026-08).
pub fn parse(text: &[u8]) -> Option<Duration> {
    let (number, unit) = leading_number(text)?;
    let factor = match unit.trim_ascii().to_ascii_lowercase().as_slice() {
        b"" | b"s" => 1.0,
        b"h" => 3600.0,
        b"m" => 60.0,
        b"ms" => 0.001,
        _ => return None,
    };
    seconds(number * factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths() {
        let ms = |text: &str| parse(text.as_bytes()).map(|d| d.as_millis());
        assert_eq!(ms("0.2"), Some(200));
        assert_eq!(ms(".1"), Some(100));
        assert_eq!(ms("1e1"), Some(10_000));
        assert_eq!(ms("2 m"), Some(120_000));
        assert_eq!(ms("250ms"), Some(250));
        assert_eq!(ms("1h"), Some(3_600_000));
        for text in ["", "abc", "-1", "3 days", "."] {
            assert_eq!(ms(text), None, "{text}");
        }
        assert!(parse(b"1e300").is_some());
    }
}
