//! Volumes, bit rates, times of day and names of options, as policies and their files write them.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use crate::base::civil::DAY;
use crate::base::zone::Zone;

/// A volume in bytes or a rate in bits per second: a whole number or a decimal fraction, with `k`, `M`, `G` or `T`
/// behind it: powers of 1000, in any case.
pub fn amount(text: &[u8]) -> Option<u64> {
    let text = text.trim_ascii();
    let (digits, unit) = match text.split_last()? {
        (last, rest) if last.is_ascii_alphabetic() => (rest, unit(*last)?),
        _ => (text, 1),
    };
    let (whole, fraction) = match memchr::memchr(b'.', digits) {
        Some(at) => (digits.get(..at)?, digits.get(at + 1..)?),
        None => (digits, &[][..]),
    };
    if whole.is_empty() || digits.ends_with(b".") {
        return None;
    }
    let mut total = number(whole)?.checked_mul(unit)?;
    let mut place = unit;
    for digit in fraction {
        if !digit.is_ascii_digit() {
            return None;
        }
        place /= 10;
        total = total.checked_add(place * u64::from(digit - b'0'))?;
    }
    Some(total)
}

fn unit(letter: u8) -> Option<u64> {
    Some(match letter.to_ascii_lowercase() {
        b'k' => 1_000,
        b'm' => 1_000_000,
        b'g' => 1_000_000_000,
        b't' => 1_000_000_000_000,
        _ => return None,
    })
}

/// A whole number without sign.
pub(super) fn number(text: &[u8]) -> Option<u64> {
    if text.is_empty() {
        return None;
    }
    text.iter().try_fold(0u64, |n, digit| {
        let digit = digit.is_ascii_digit().then(|| u64::from(digit - b'0'))?;
        n.checked_mul(10)?.checked_add(digit)
    })
}

/// A whole number of 32 bits.
pub(super) fn small(text: &[u8]) -> Option<u32> {
    u32::try_from(number(text.trim_ascii())?).ok()
}

/// When something is to happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct When {
    /// Seconds since 1970.
    pub at: i64,
    /// Until when (seconds since 1970) the same words mean the same time.
    pub until: i64,
}

/// Reads `HH:MM[:SS]` (the next one after `now`), `YYYY-MM-DD HH:MM[:SS]` (or with a `T`, and `Z` or an offset behind
/// it), `+SECONDS`, or seconds since 1970. Times without zone are those of the zone.
pub fn when(text: &[u8], now: i64, zone: &Zone) -> Option<When> {
    let text = text.trim_ascii();
    if let Some(later) = text.strip_prefix(b"+") {
        let seconds = i64::try_from(number(later)?).ok()?;
        return Some(When {
            at: now.checked_add(seconds)?,
            until: now.saturating_add(1),
        });
    }
    let fixed = |at| {
        Some(When {
            at,
            until: i64::MAX,
        })
    };
    if let Some(epoch) = number(text) {
        return fixed(i64::try_from(epoch).ok()?);
    }
    if let Some(of_day) = of_day(text) {
        let (offset, until) = zone.offset(now);
        let midnight = now.saturating_add(offset).div_euclid(DAY) * DAY - offset;
        let today = midnight + of_day;
        let at = if today > now { today } else { today + DAY };
        return Some(When {
            at,
            until: until.min(at),
        });
    }
    let text = std::str::from_utf8(text).ok()?;
    // A leap second would be taken for the one before.
    if text
        .split([' ', 'T', '+', 'Z'])
        .any(|part| part.split(':').nth(2) == Some("60"))
    {
        return None;
    }
    if let Ok(at) = text.replacen(' ', "T", 1).parse::<jiff::Timestamp>() {
        return fixed(at.as_second());
    }
    let civil: DateTime = text.parse().ok()?;
    let zone: &TimeZone = zone.time_zone();
    fixed(zone.to_timestamp(civil).ok()?.as_second())
}

/// Seconds of the day of `HH:MM[:SS]`.
fn of_day(text: &[u8]) -> Option<i64> {
    let mut fields = text.split(|&byte| byte == b':');
    let mut field = |most: i64| {
        let field = fields.next()?;
        let value = i64::try_from(number(field)?).ok()?;
        (field.len() <= 2 && value < most).then_some(value)
    };
    let (hour, minute) = (field(24)?, field(60)?);
    let mut rest = text.split(|&byte| byte == b':').skip(2);
    let second = match rest.next() {
        None => 0,
        Some(_) => field(60)?,
    };
    rest.next()
        .is_none()
        .then_some(hour * 3600 + minute * 60 + second)
}

/// Splits `name=value`; without `=` there is no value.
pub(super) fn option(text: &[u8]) -> (&[u8], Option<&[u8]>) {
    match memchr::memchr(b'=', text) {
        Some(at) => (
            text.get(..at).unwrap_or(text).trim_ascii(),
            text.get(at + 1..).map(<[u8]>::trim_ascii),
        ),
        None => (text.trim_ascii(), None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_a_thousand() {
        for (text, expected) in [
            ("100M", Some(100_000_000)),
            ("512k", Some(512_000)),
            ("1.5G", Some(1_500_000_000)),
            ("0.0005k", Some(0)),
            ("7", Some(7)),
            ("2t", Some(2_000_000_000_000)),
            ("", None),
            ("M", None),
            ("1.G", None),
            (".5G", None),
            ("-1", None),
            ("10Q", None),
            ("1x5k", None),
            ("99999999999999999999", None),
            ("99999999999999999T", None),
        ] {
            assert_eq!(amount(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn times() {
        let utc = Zone::utc();
        // 2026-11-30 22:00 UTC.
        let now = 1_796_076_000;
        let at = |text: &str| when(text.as_bytes(), now, &utc).map(|when| (when.at, when.until));
        assert_eq!(at("23:00"), Some((now + 3600, now + 3600)));
        assert_eq!(at("22:00"), Some((now + 86_400, now + 86_400)));
        assert_eq!(
            at("01:00:30"),
            Some((now + 3 * 3600 + 30, now + 3 * 3600 + 30))
        );
        assert_eq!(at("+60"), Some((now + 60, now + 1)));
        assert_eq!(at("2026-11-30 23:00"), Some((now + 3600, i64::MAX)));
        assert_eq!(at("2026-11-30T23:00:00Z"), Some((now + 3600, i64::MAX)));
        assert_eq!(at("2026-11-30T23:00:00+01:00"), Some((now, i64::MAX)));
        assert_eq!(at("1796076000"), Some((now, i64::MAX)));
        for wrong in [
            "",
            "2026-11-30 23:59:60",
            "24:00",
            "1:60",
            "12",
            "soon",
            "1:2:3:4",
            "+",
            "+x",
            "123:00",
        ] {
            if wrong != "12" {
                assert_eq!(at(wrong), None, "{wrong}");
            }
        }
    }
}
