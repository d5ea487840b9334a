//! Time specifications of includes, `GotoIfTime`, `ExecIfTime` and `IFTIME`:
//! `times,weekdays,days,months[,zone]`, separated by `,` or `|` (observed with Asterisk master 2026-08).

use jiff::civil::DateTime;
use smallvec::SmallVec;

use crate::base::Text;
use crate::base::zone::Zone;

/// A compiled time specification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timespec {
    /// Minutes of the day, both ends included, never wrapping; `None` = any.
    minutes: Option<Spans>,
    /// Bit 0 is Sunday.
    weekdays: u8,
    /// Bit 0 is the 1st.
    days: u32,
    /// Bit 0 is January.
    months: u16,
    /// `None` = the zone of whoever asks.
    zone: Option<Zone>,
    /// Whether there was any text: an empty specification never holds.
    given: bool,
}

/// Most specifications have one span of the day, or one past midnight, which is two.
type Spans = SmallVec<[(u16, u16); 2]>;

/// An element that was skipped because it is not understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadElement {
    /// The field it stands in.
    pub field: Field,
    /// The element as written.
    pub text: Text,
}

/// A field of a time specification.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Field {
    /// `HH:MM-HH:MM`.
    Times,
    /// `sun` … `sat` or 1 … 7.
    Weekdays,
    /// 1 … 31.
    Days,
    /// `jan` … `dec` or 1 … 12.
    Months,
}

const WEEKDAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const MONTHS: [&str; 12] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];

impl Timespec {
    /// Compiles a specification. `log` is told of every element that is skipped; a field that has only such
    /// elements never holds. A missing, empty or `*` field holds always; an empty text never.
    pub fn parse(text: &[u8], log: &mut dyn FnMut(BadElement)) -> Self {
        let mut fields = text.split(|&b| matches!(b, b',' | b'|'));
        let count = fields.clone().count();
        let zone = (count == 5)
            .then(|| fields.clone().next_back())
            .flatten()
            .filter(|name| !name.is_empty())
            .map(Zone::named);
        let mut field = || fields.next().unwrap_or(b"*");
        Self {
            minutes: minutes(field(), log),
            weekdays: cyclic(field(), 7, &WEEKDAYS, Field::Weekdays, log) as u8,
            days: cyclic(field(), 31, &[], Field::Days, log),
            months: cyclic(field(), 12, &MONTHS, Field::Months, log) as u16,
            zone,
            given: !text.is_empty(),
        }
    }

    /// Whether the specification holds at an epoch time (seconds), in its own or else the process's zone.
    pub fn matches(&self, epoch: i64) -> bool {
        self.matches_in(epoch, None)
    }

    /// Whether it holds, with the zone to use if it names none (`None` = the process's).
    pub fn matches_in(&self, epoch: i64, local: Option<&Zone>) -> bool {
        self.given
            && match self.zone.as_ref().or(local) {
                Some(zone) => self.holds(zone.civil(epoch)),
                None => self.holds(Zone::local().civil(epoch)),
            }
    }

    fn holds(&self, at: DateTime) -> bool {
        let bit = |mask: u32, n: i8| mask >> (n & 31) & 1 == 1;
        let minute = at.hour() as u16 * 60 + at.minute() as u16;
        bit(u32::from(self.months), at.month() - 1)
            && bit(self.days, at.day() - 1)
            && bit(
                u32::from(self.weekdays),
                at.weekday().to_sunday_zero_offset(),
            )
            && self.minutes.as_ref().is_none_or(|spans| {
                spans
                    .iter()
                    .any(|&(from, to)| from <= minute && minute <= to)
            })
    }
}

fn is_any(text: &[u8]) -> bool {
    matches!(text, b"" | b"*")
}

fn minutes(text: &[u8], log: &mut dyn FnMut(BadElement)) -> Option<Spans> {
    if is_any(text) {
        return None;
    }
    let mut spans = Spans::new();
    for element in text.split(|&b| b == b'&') {
        let (from, to) = match element.iter().position(|&b| b == b'-') {
            None => (clock(element), clock(element)),
            Some(dash) => {
                let (from, to) = element.split_at_checked(dash).unwrap_or((element, b""));
                let digit = to.iter().position(u8::is_ascii_digit).unwrap_or(to.len());
                (clock(from), clock(to.get(digit..).unwrap_or(b"")))
            }
        };
        match (from, to) {
            (Some(from), Some(to)) if from <= to => spans.push((from, to)),
            (Some(from), Some(to)) => spans.extend([(from, 24 * 60 - 1), (0, to)]),
            _ => log(BadElement {
                field: Field::Times,
                text: element.into(),
            }),
        }
    }
    Some(spans)
}

/// Minute of the day of `H:M`; one or two digits each, what follows is ignored.
fn clock(text: &[u8]) -> Option<u16> {
    let (hour, rest) = two_digits(text)?;
    let (minute, _) = two_digits(rest.strip_prefix(b":")?)?;
    (hour < 24 && minute < 60).then_some(hour * 60 + minute)
}

/// A number of one or two digits after blanks, and the text after it.
fn two_digits(text: &[u8]) -> Option<(u16, &[u8])> {
    let text = text.trim_ascii_start();
    let count = text
        .iter()
        .take(2)
        .take_while(|b| b.is_ascii_digit())
        .count();
    let (digits, rest) = text.split_at_checked(count)?;
    let number = digits
        .iter()
        .fold(0, |n, &digit| n * 10 + u16::from(digit - b'0'));
    (count > 0).then_some((number, rest))
}

/// The mask of a list of names or numbers from 1, with cyclic ranges.
fn cyclic(
    text: &[u8],
    size: u32,
    names: &[&str],
    field: Field,
    log: &mut dyn FnMut(BadElement),
) -> u32 {
    if is_any(text) {
        return u32::MAX;
    }
    let mut mask = 0;
    for element in text.split(|&b| b == b'&') {
        let mut ends = element.splitn(2, |&b| b == b'-');
        let from = ends.next().and_then(|end| ordinal(end, size, names));
        let to = match ends.next() {
            None => from,
            Some(end) => ordinal(end, size, names),
        };
        let (Some(from), Some(to)) = (from, to) else {
            log(BadElement {
                field,
                text: element.into(),
            });
            continue;
        };
        let mut at = from;
        mask |= 1 << to;
        while at != to {
            mask |= 1 << at;
            at = (at + 1) % size;
        }
    }
    mask
}

fn ordinal(text: &[u8], size: u32, names: &[&str]) -> Option<u32> {
    if text.first().is_some_and(|&b| b > b'9')
        && let Some(at) = names
            .iter()
            .position(|name| text.eq_ignore_ascii_case(name.as_bytes()))
    {
        return Some(at as u32);
    }
    let (number, _) = two_digits(text)?;
    let number = u32::from(number);
    (1..=size).contains(&number).then(|| number - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-03-04 is a Wednesday.
    fn at(spec: &str, epoch: i64) -> bool {
        Timespec::parse(spec.as_bytes(), &mut |_| {}).matches_in(epoch, Some(&Zone::utc()))
    }

    const WED_NOON: i64 = 1_772_625_600;

    #[test]
    fn fields_and_wraps() {
        for (spec, holds) in [
            ("", false),
            ("*", true),
            (",,,", true),
            ("12:00", true),
            ("12:01-11:59", false),
            ("12:00-11:59", true),
            ("17:00-9:00", false),
            ("11:00-12:00&20:00-21:00|wed", true),
            ("*,tue-thu", true),
            ("*,sat-mon", false),
            ("*,fri-WED,4,3", true),
            ("*,4", true),
            ("*,*,28-4", true),
            ("*,*,*,nov-mar", true),
            ("*,*,*,apr-feb", false),
            ("*,monday", false),
            ("*,monday&wed", true),
            ("25:00", false),
            ("12:00,*,*,*,UTC", true),
            ("7:00,*,*,*,EST5", true),
            ("12:00,*,*,*,EST5", false),
            ("12:00,*,*,*,EST5,", true),
        ] {
            assert_eq!(at(spec, WED_NOON), holds, "{spec}");
        }
    }

    #[test]
    fn every_bad_element_is_told() {
        let mut bad = Vec::new();
        Timespec::parse(b"9&10:00-x,mon&funday,0&32,jan-foo", &mut |b| {
            bad.push((b.field, b.text.lossy().into_owned()));
        });
        assert_eq!(
            bad,
            [
                (Field::Times, "9".into()),
                (Field::Times, "10:00-x".into()),
                (Field::Weekdays, "funday".into()),
                (Field::Days, "0".into()),
                (Field::Days, "32".into()),
                (Field::Months, "jan-foo".into()),
            ]
        );
    }
}
