//! Civil time beyond the range of calendars, and C's `strftime`.

use jiff::Timestamp;

use crate::base::zone::Zone;

/// A civil time with what `strftime` prints of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Civil {
    /// Year; 0 is 1 BC.
    pub year: i64,
    /// From 1.
    pub month: i64,
    /// From 1.
    pub day: i64,
    /// Hour.
    pub hour: i64,
    /// Minute.
    pub minute: i64,
    /// Second.
    pub second: i64,
    /// From 0 = Sunday.
    pub weekday: i64,
    /// From 0.
    pub yearday: i64,
    /// Seconds east of UTC.
    pub offset: i64,
}

/// Seconds of a day.
pub(crate) const DAY: i64 = 86_400;

/// Days since 1970 of a civil date; months and days outside of their range carry over.
pub fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = year + (month - 1).div_euclid(12);
    let month = (month - 1).rem_euclid(12) + 1;
    // Years begin in March, so that the leap day is the last one.
    let shifted = year - i64::from(month <= 2);
    let era = shifted.div_euclid(400);
    let of_era = shifted.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5;
    let day_of_era = of_era * 365 + of_era / 4 - of_era / 100 + of_year;
    era * 146_097 + day_of_era - 719_468 + day - 1
}

/// Year, month and day of days since 1970.
pub(crate) fn date(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

impl Civil {
    /// Civil time of seconds since 1970 in a zone.
    pub fn new(epoch: i64, zone: &Zone) -> Self {
        let at = Timestamp::from_second(epoch).unwrap_or(if epoch < 0 {
            Timestamp::MIN
        } else {
            Timestamp::MAX
        });
        let offset = i64::from(zone.time_zone().to_offset(at).seconds());
        let local = epoch.saturating_add(offset);
        let (day_number, of_day) = (local.div_euclid(DAY), local.rem_euclid(DAY));
        let (year, month, day) = date(day_number);
        Self {
            year,
            month,
            day,
            hour: of_day / 3600,
            minute: of_day / 60 % 60,
            second: of_day % 60,
            weekday: (day_number + 4).rem_euclid(7),
            yearday: day_number - days(year, 1, 1),
            offset,
        }
    }

    /// ISO 8601 year and week.
    fn iso_week(&self) -> (i64, i64) {
        let monday_based = (self.weekday + 6) % 7;
        // The Thursday of a week decides to which year it belongs.
        let thursday = self.yearday - monday_based + 3;
        let length = |year: i64| days(year + 1, 1, 1) - days(year, 1, 1);
        if thursday < 0 {
            let thursday = thursday + length(self.year - 1);
            (self.year - 1, thursday / 7 + 1)
        } else if thursday >= length(self.year) {
            (self.year + 1, 1)
        } else {
            (self.year, thursday / 7 + 1)
        }
    }
}

/// Names of weekdays from Sunday.
pub const WEEKDAYS: [&str; 7] = [
    "Sunday",
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
];
/// Names of months.
pub const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Flags and width of a conversion.
#[derive(Debug, Clone, Copy, Default)]
struct How {
    pad: Option<u8>,
    upper: bool,
    swap: bool,
    width: Option<usize>,
}

/// `strftime` of glibc in the C locale, with Asterisk's `%q`: as many digits of the second's fraction as its width
/// says, 3 by default. What is not known is copied.
pub fn strftime(format: &[u8], at: &Civil, micros: u32, out: &mut Vec<u8>) {
    let mut rest = format;
    while let Some((&b, tail)) = rest.split_first() {
        if b != b'%' {
            out.push(b);
            rest = tail;
            continue;
        }
        let (how, after) = flags(tail);
        let modified = match after.split_first() {
            Some((b'E' | b'O', after)) => after,
            _ => after,
        };
        let Some((&conversion, next)) = modified.split_first() else {
            out.extend_from_slice(rest);
            return;
        };
        if !convert(conversion, how, at, micros, out) {
            let length = rest.len() - next.len();
            out.extend_from_slice(rest.get(..length).unwrap_or(rest));
        }
        rest = next;
    }
}

fn flags(text: &[u8]) -> (How, &[u8]) {
    let mut how = How::default();
    let mut rest = text;
    while let Some((&flag, tail)) = rest.split_first() {
        match flag {
            b'_' | b'-' | b'0' => how.pad = Some(flag),
            b'^' => how.upper = true,
            b'#' => how.swap = true,
            _ => break,
        }
        rest = tail;
    }
    let end = rest.iter().take_while(|b| b.is_ascii_digit()).count();
    if let Some((digits, tail)) = rest.split_at_checked(end)
        && !digits.is_empty()
    {
        let width = digits.iter().fold(0usize, |n, b| {
            n.saturating_mul(10).saturating_add(usize::from(b - b'0'))
        });
        how.width = Some(width.min(8192));
        rest = tail;
    }
    (how, rest)
}

fn convert(conversion: u8, how: How, at: &Civil, micros: u32, out: &mut Vec<u8>) -> bool {
    let mut number = |value: i64, width: usize, pad: u8| {
        let pad = how.pad.unwrap_or(pad);
        let width = how.width.unwrap_or(if pad == b'-' { 0 } else { width });
        let digits = value.unsigned_abs().to_string();
        let sign = if value < 0 { "-" } else { "" };
        let fill = width.saturating_sub(digits.len() + sign.len());
        let text = if pad == b'_' {
            format!("{}{sign}{digits}", " ".repeat(fill))
        } else {
            format!("{sign}{}{digits}", "0".repeat(fill))
        };
        out.extend_from_slice(text.as_bytes());
        true
    };
    let twelve = (at.hour + 11) % 12 + 1;
    let (iso_year, iso_week) = at.iso_week();
    match conversion {
        b'Y' => return number(at.year, 1, b'0'),
        b'C' => return number(at.year.div_euclid(100), 2, b'0'),
        b'y' => return number(at.year.rem_euclid(100), 2, b'0'),
        b'm' => return number(at.month, 2, b'0'),
        b'd' => return number(at.day, 2, b'0'),
        b'e' => return number(at.day, 2, b'_'),
        b'H' => return number(at.hour, 2, b'0'),
        b'I' => return number(twelve, 2, b'0'),
        b'k' => return number(at.hour, 2, b'_'),
        b'l' => return number(twelve, 2, b'_'),
        b'M' => return number(at.minute, 2, b'0'),
        b'S' => return number(at.second, 2, b'0'),
        b'j' => return number(at.yearday + 1, 3, b'0'),
        b'U' => return number((at.yearday + 7 - at.weekday) / 7, 2, b'0'),
        b'W' => return number((at.yearday + 7 - (at.weekday + 6) % 7) / 7, 2, b'0'),
        b'V' => return number(iso_week, 2, b'0'),
        b'G' => return number(iso_year, 1, b'0'),
        b'g' => return number(iso_year.rem_euclid(100), 2, b'0'),
        b'u' => return number((at.weekday + 6) % 7 + 1, 1, b'0'),
        b'w' => return number(at.weekday, 1, b'0'),
        // C reads the fields back as a local time of the process.
        b's' => return number(local_epoch(at), 1, b'0'),
        _ => {}
    }
    let name = |names: &[&str], i: i64, short: bool| {
        let name = usize::try_from(i).ok().and_then(|i| names.get(i));
        let name = name.copied().unwrap_or("?");
        name.get(..if short { 3 } else { name.len() })
            .unwrap_or(name)
            .to_owned()
    };
    let half = if at.hour < 12 { "AM" } else { "PM" };
    let expand = |format: &[u8]| {
        let mut text = Vec::new();
        strftime(format, at, micros, &mut text);
        String::from_utf8_lossy(&text).into_owned()
    };
    let mut swap_to_lower = false;
    let text = match conversion {
        b'a' => name(&WEEKDAYS, at.weekday, true),
        b'A' => name(&WEEKDAYS, at.weekday, false),
        b'b' | b'h' => name(&MONTHS, at.month - 1, true),
        b'B' => name(&MONTHS, at.month - 1, false),
        b'p' => {
            swap_to_lower = true;
            half.to_owned()
        }
        b'P' => half.to_lowercase(),
        b'c' => expand(b"%a %b %e %H:%M:%S %Y"),
        b'x' | b'D' => expand(b"%m/%d/%y"),
        b'X' | b'T' => expand(b"%H:%M:%S"),
        b'F' => expand(b"%Y-%m-%d"),
        b'R' => expand(b"%H:%M"),
        b'r' => expand(b"%I:%M:%S %p"),
        b'n' => "\n".to_owned(),
        b't' => "\t".to_owned(),
        b'%' => "%".to_owned(),
        b'z' => {
            let minutes = at.offset.abs() / 60;
            let sign = if at.offset < 0 { '-' } else { '+' };
            format!("{sign}{:02}{:02}", minutes / 60, minutes % 60)
        }
        // Asterisk's broken-down time names no zone, so C prints that of the process (observed: UTC).
        b'Z' => {
            swap_to_lower = true;
            "UTC".to_owned()
        }
        b'q' => {
            let digits = format!("{micros:06}");
            let width = how.width.unwrap_or(3);
            digits.get(..width).unwrap_or(&digits).to_owned()
        }
        _ => return false,
    };
    let text = match (how.upper, how.swap) {
        (true, _) => text.to_uppercase(),
        (_, true) if swap_to_lower => text.to_lowercase(),
        (_, true) => text.to_uppercase(),
        _ => text,
    };
    let width = if conversion == b'q' { None } else { how.width };
    let fill = width.unwrap_or(0).saturating_sub(text.len());
    let pad = if how.pad == Some(b'0') { "0" } else { " " };
    out.extend_from_slice(pad.repeat(fill).as_bytes());
    out.extend_from_slice(text.as_bytes());
    true
}

fn local_epoch(at: &Civil) -> i64 {
    let wall = days(at.year, at.month, at.day) * DAY + at.hour * 3600 + at.minute * 60 + at.second;
    let local = Zone::local();
    // Exact away from changes of the offset.
    wall - Civil::new(wall - at.offset, &local).offset
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn far_years_and_weeks() {
        let utc = Zone::utc();
        let year = |epoch| Civil::new(epoch, &utc).year;
        assert_eq!(year(999_999_999_999_999), 31_690_708);
        assert_eq!(year(-99_999_999_999), -1199);
        for (y, m, d) in [(1970, 1, 1), (2000, 2, 29), (1900, 3, 1), (-4, 12, 31)] {
            assert_eq!(date(days(y, m, d)), (y, m, d));
        }
        assert_eq!(days(2023, 2, 29), days(2023, 3, 1));
        assert_eq!(days(2024, 13, 1), days(2025, 1, 1));
        let mut out = Vec::new();
        strftime(b"%G-%V %-d|%5Y|%^a%", &Civil::new(0, &utc), 0, &mut out);
        assert_eq!(out, b"1970-01 1|01970|THU%");
    }
}
