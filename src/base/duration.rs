//! Lengths of time as applications read them (`Wait`, `WaitDigit`, `WaitExten`).

use std::time::Duration;

use crate::base::scan::decimal;

/// Longest time that is told apart from for ever: 100 years.
const LONGEST: f64 = 100.0 * 365.0 * 86_400.0;

/// A number of seconds at the beginning of a text, as C's `strtod` finds it, and what follows;
/// `None` where there is no number.
pub fn leading_number(text: &[u8]) -> Option<(f64, &[u8])> {
    let text = text.trim_ascii_start();
    let (negative, digits) = match text.split_first() {
        Some((b'-', digits)) => (true, digits),
        Some((b'+', digits)) => (false, digits),
        _ => (false, text),
    };
    let (number, rest) = decimal(digits)?;
    Some((if negative { -number } else { number }, rest))
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
