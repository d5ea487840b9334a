//! Reading a time by a format, as `strptime` of glibc does in the C locale.

use crate::base::civil::{Civil, MONTHS, WEEKDAYS};
use crate::base::scan::{long, skip_blanks};
use crate::base::zone::Zone;

/// What was read; fields that the text does not say are 0, and the year 1900.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Read {
    pub(super) year: i64,
    /// From 1.
    pub(super) month: i64,
    /// 0 unless said.
    pub(super) day: i64,
    pub(super) hour: i64,
    pub(super) minute: i64,
    pub(super) second: i64,
}

/// Reads a time; `None` where the text does not fit. What follows the time does not matter.
pub(super) fn read(text: &[u8], format: &[u8]) -> Option<Read> {
    let mut state = State::default();
    state.run(text, format, 0)?;
    if state.twelve && state.afternoon {
        state.hour += 12;
    }
    if let Some(century) = state.century {
        let year = if state.short_year {
            state.year.rem_euclid(100)
        } else {
            0
        };
        state.year = century * 100 + year;
    }
    let (mut month, mut day) = (state.month.unwrap_or(1), state.day.unwrap_or(0));
    if let (None, None, Some(yearday)) = (state.month, state.day, state.yearday) {
        (month, day) = (1, yearday);
    }
    Some(Read {
        year: state.year,
        month,
        day,
        hour: state.hour,
        minute: state.minute,
        second: state.second,
    })
}

struct State {
    year: i64,
    century: Option<i64>,
    short_year: bool,
    month: Option<i64>,
    day: Option<i64>,
    yearday: Option<i64>,
    hour: i64,
    minute: i64,
    second: i64,
    twelve: bool,
    afternoon: bool,
}

impl Default for State {
    fn default() -> Self {
        Self {
            year: 1900,
            century: None,
            short_year: false,
            month: None,
            day: None,
            yearday: None,
            hour: 0,
            minute: 0,
            second: 0,
            twelve: false,
            afternoon: false,
        }
    }
}

impl State {
    /// Gives what is left of the text.
    fn run<'a>(&mut self, text: &'a [u8], format: &[u8], depth: usize) -> Option<&'a [u8]> {
        let mut text = text;
        let mut rest = format;
        while let Some((&b, tail)) = rest.split_first() {
            rest = tail;
            if b.is_ascii_whitespace() {
                text = skip_blanks(text);
            } else if b != b'%' {
                text = text.strip_prefix(&[b])?;
            } else {
                let mut conversion;
                (conversion, rest) = rest.split_first()?;
                while matches!(conversion, b'-' | b'_' | b'0' | b'^' | b'#' | b'E' | b'O') {
                    (conversion, rest) = rest.split_first()?;
                }
                text = self.convert(text, *conversion, depth)?;
            }
        }
        Some(text)
    }

    fn convert<'a>(&mut self, text: &'a [u8], conversion: u8, depth: usize) -> Option<&'a [u8]> {
        let composite: &[u8] = match conversion {
            b'c' => b"%a %b %e %H:%M:%S %Y",
            b'D' | b'x' => b"%m/%d/%y",
            b'F' => b"%Y-%m-%d",
            b'R' => b"%H:%M",
            b'r' => b"%I:%M:%S %p",
            b'T' | b'X' => b"%H:%M:%S",
            _ => b"",
        };
        if !composite.is_empty() {
            return if depth > 0 {
                None
            } else {
                self.run(text, composite, depth + 1)
            };
        }
        let rest;
        match conversion {
            b'%' => rest = text.strip_prefix(b"%")?,
            b'n' | b't' => rest = skip_blanks(text),
            b'a' | b'A' => (_, rest) = name(text, &WEEKDAYS)?,
            b'b' | b'B' | b'h' => {
                let month;
                (month, rest) = name(text, &MONTHS)?;
                self.month = Some(month + 1);
            }
            b'p' => {
                let half = text.get(..2)?.to_ascii_uppercase();
                self.afternoon = match half.as_slice() {
                    b"AM" => false,
                    b"PM" => true,
                    _ => return None,
                };
                rest = text.get(2..)?;
            }
            b's' => {
                let seconds;
                (seconds, rest) = long(text)?;
                let at = Civil::new(seconds, &Zone::local());
                self.year = at.year;
                self.month = Some(at.month);
                self.day = Some(at.day);
                (self.hour, self.minute, self.second) = (at.hour, at.minute, at.second);
            }
            b'Z' => {
                let text = skip_blanks(text);
                let end = text.iter().position(u8::is_ascii_whitespace);
                rest = text.get(end.unwrap_or(text.len())..)?;
            }
            b'z' => rest = offset(text)?,
            _ => {
                let (low, high, digits) = match conversion {
                    b'C' | b'g' | b'y' => (0, 99, 2),
                    b'd' | b'e' => (1, 31, 2),
                    b'G' | b'Y' => (0, 9999, 4),
                    b'H' | b'k' => (0, 23, 2),
                    b'I' | b'l' | b'm' => (1, 12, 2),
                    b'j' => (1, 366, 3),
                    b'M' => (0, 59, 2),
                    b'S' => (0, 61, 2),
                    b'u' => (1, 7, 1),
                    b'w' => (0, 6, 1),
                    b'U' | b'V' | b'W' => (0, 53, 2),
                    _ => return None,
                };
                let number;
                (number, rest) = bounded(text, low, high, digits)?;
                self.set(conversion, number);
            }
        }
        Some(rest)
    }

    fn set(&mut self, conversion: u8, number: i64) {
        match conversion {
            b'C' => self.century = Some(number),
            b'y' => {
                self.year = if number >= 69 { 1900 } else { 2000 } + number;
                self.short_year = true;
            }
            b'Y' => {
                self.year = number;
                self.century = None;
            }
            b'd' | b'e' => self.day = Some(number),
            b'j' => self.yearday = Some(number),
            b'm' => self.month = Some(number),
            b'H' | b'k' => {
                self.hour = number;
                self.twelve = false;
            }
            b'I' | b'l' => {
                self.hour = number % 12;
                self.twelve = true;
            }
            b'M' => self.minute = number,
            b'S' => self.second = number,
            _ => {}
        }
    }
}

/// A number within bounds, of at most so many digits.
fn bounded(text: &[u8], low: i64, high: i64, digits: usize) -> Option<(i64, &[u8])> {
    let start = text.iter().position(|b| *b != b' ')?;
    let text = text.get(start..)?;
    let mut number = 0i64;
    let mut end = 0;
    for b in text.iter().take(digits).take_while(|b| b.is_ascii_digit()) {
        if end > 0 && number * 10 > high {
            break;
        }
        number = number * 10 + i64::from(b - b'0');
        end += 1;
    }
    if end == 0 || !(low..=high).contains(&number) {
        return None;
    }
    Some((number, text.get(end..)?))
}

/// A name, whole or its first three letters.
fn name<'a>(text: &'a [u8], names: &[&str]) -> Option<(i64, &'a [u8])> {
    let starts = |name: &str| {
        text.split_at_checked(name.len())
            .filter(|(head, _)| head.eq_ignore_ascii_case(name.as_bytes()))
            .map(|(_, rest)| rest)
    };
    for (i, name) in names.iter().enumerate() {
        let found = starts(name).or_else(|| starts(name.get(..3)?));
        if let Some(rest) = found {
            return Some((i as i64, rest));
        }
    }
    None
}

/// `Z`, or a sign with two or four digits: read, and not used.
fn offset(text: &[u8]) -> Option<&[u8]> {
    let text = skip_blanks(text);
    match text.split_first()? {
        (b'Z', rest) => Some(rest),
        (b'+' | b'-', rest) => {
            let digits = rest
                .iter()
                .take(4)
                .take_while(|b| b.is_ascii_digit())
                .count();
            let with_colon = digits == 2 && rest.get(2) == Some(&b':');
            let end = if with_colon { 5 } else { digits };
            if digits == 2 || digits == 4 {
                rest.get(end..)
            } else {
                None
            }
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats() {
        let at = read(b"29 february 24 11:05 pm", b"%d %b %y %I:%M %p");
        let at = at.unwrap();
        assert_eq!(
            (at.year, at.month, at.day, at.hour, at.minute),
            (2024, 2, 29, 23, 5)
        );
        let at = read(b"060 2024", b"%j %Y").unwrap();
        assert_eq!((at.month, at.day), (1, 60));
        assert_eq!(read(b"x", b"%Y"), None);
        assert_eq!(read(b"2024", b"%Y%"), None);
    }
}
