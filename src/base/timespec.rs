//! Time specifications of includes, `GotoIfTime`, `ExecIfTime` and `IFTIME`:
//! `times,weekdays,days,months[,zone]`, separated by `,` or `|` (observed with Asterisk master 2026-08).

use jiff::civil::DateTime;
use smallvec::SmallVec;

use crate::base::Text;
use crate::base::civil::{DAY, date};
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

/// Minutes of a day.
const MINUTES: u16 = 24 * 60;
/// How many days ahead a change is looked for.
const AHEAD: i64 = 8;

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

    /// The first second after `epoch` from which the answer may be another one. It is never later than the change;
    /// it is earlier where that is more than a week ahead, or where clocks are set before it.
    pub fn next_change(&self, epoch: i64, local: Option<&Zone>) -> i64 {
        let always = self.minutes.is_none()
            && (self.weekdays, self.days, self.months) == (u8::MAX, u32::MAX, u16::MAX);
        if always || !self.given {
            return i64::MAX;
        }
        let process;
        let zone = if let Some(zone) = self.zone.as_ref().or(local) {
            zone
        } else {
            process = Zone::local();
            &process
        };
        let (offset, until) = zone.offset(epoch);
        let here = epoch.saturating_add(offset);
        let (today, minute) = (here.div_euclid(DAY), here.rem_euclid(DAY) / 60);
        let holds = self.holds_on(today) && self.holds_at(minute as u16);
        let back = |day: i64, minute: u16| {
            let there = day.saturating_mul(DAY) + i64::from(minute) * 60;
            there.saturating_sub(offset).min(until)
        };
        for day in today..today.saturating_add(AHEAD) {
            let earliest = if day == today { minute as u16 + 1 } else { 0 };
            if !self.holds_on(day) {
                if holds {
                    return back(day, earliest);
                }
                continue;
            }
            let edges = self.minutes.iter().flatten();
            let edges = edges.flat_map(|&(from, to)| [from, to + 1]);
            let change = std::iter::once(earliest)
                .chain(edges)
                .filter(|&edge| edge >= earliest && edge < MINUTES && self.holds_at(edge) != holds)
                .min();
            if let Some(change) = change {
                return back(day, change);
            }
        }
        back(today.saturating_add(AHEAD), 0)
    }

    /// Whether a day since 1970 is one of the months, days and weekdays.
    fn holds_on(&self, day: i64) -> bool {
        let (_, month, of_month) = date(day);
        let bit = |mask: u32, n: i64| mask >> (n & 31) & 1 == 1;
        bit(u32::from(self.months), month - 1)
            && bit(self.days, of_month - 1)
            && bit(u32::from(self.weekdays), (day + 4).rem_euclid(7))
    }

    /// Whether a minute of the day is one of the times.
    fn holds_at(&self, minute: u16) -> bool {
        let Some(spans) = &self.minutes else {
            return true;
        };
        let mut spans = spans.iter();
        spans.any(|&(from, to)| from <= minute && minute <= to)
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
            && self.holds_at(minute)
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
    fn changes_are_found_minute_by_minute() {
        let berlin = Zone::named(b"Europe/Berlin");
        // 2026-03-28 and 2026-10-24 are days before clocks are set.
        for begin in [WED_NOON, 1_774_656_000, 1_792_800_000] {
            for zone in [&Zone::utc(), &berlin] {
                for spec in [
                    "01:00-05:59",
                    "18:00-22:59,mon-fri,*,*",
                    "22:00-3:00,sat,*,*",
                    "*,*,28-31,*",
                    "12:00&12:02,*,*,*",
                    "*,*,*,apr",
                    "2:10-2:20",
                    "0:00-23:59,sun",
                ] {
                    let spec = Timespec::parse(spec.as_bytes(), &mut |_| {});
                    for start in (0..2 * 1440).step_by(37) {
                        let now = begin + start * 60 + 17;
                        let change = spec.next_change(now, Some(zone));
                        assert!(change > now);
                        let holds = spec.matches_in(now, Some(zone));
                        let mut at = now;
                        while at < change && at < now + 3 * 86_400 {
                            assert_eq!(spec.matches_in(at, Some(zone)), holds);
                            at += if change - at > 120 { 60 } else { 1 };
                        }
                    }
                }
            }
        }
        let night = Timespec::parse(b"01:00-05:59", &mut |_| {});
        assert_eq!(
            night.next_change(WED_NOON, Some(&Zone::utc())),
            WED_NOON + 13 * 3600
        );
        assert_eq!(
            night.next_change(WED_NOON + 14 * 3600, Some(&Zone::utc())),
            WED_NOON + 18 * 3600
        );
        let any = Timespec::parse(b"*,*,*,*", &mut |_| {});
        assert_eq!(any.next_change(0, None), i64::MAX);
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
