//! Whether the times of an include can be read. What is wrong is skipped; the include stays.

use bstr::ByteSlice;

use super::build::Loading;
use super::fault::{Log, quoted};
use crate::base::Place;
use crate::diagnostic::code;

const DAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const MONTHS: [&str; 12] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];

/// Checks `times,weekdays,days,months[,zone]`.
pub(super) fn check(loading: &mut Loading<'_>, times: &[u8], place: Place) {
    let mut fields = times.split(|b| matches!(b, b',' | b'|'));
    let mut next = || fields.next().unwrap_or_default();
    elements(loading, next(), place, "time", is_time_range);
    elements(loading, next(), place, "weekday", |e| {
        is_range(e, |end| is_name(end, &DAYS))
    });
    elements(loading, next(), place, "day of the month", |e| {
        is_range(e, |end| is_number(end, 1, 31))
    });
    elements(loading, next(), place, "month", |e| {
        is_range(e, |end| is_name(end, &MONTHS))
    });
}

fn elements(
    loading: &mut Loading<'_>,
    field: &[u8],
    place: Place,
    what: &str,
    fits: impl Fn(&[u8]) -> bool,
) {
    if field.is_empty() || field == b"*" {
        return;
    }
    for element in field.split_str(b"&") {
        if element != b"*" && !fits(element) {
            loading.warning(
                &code::BAD_TIMESPEC,
                place,
                Log::Bare,
                format!(
                    "the {what} {} is not understood and is skipped",
                    quoted(element)
                ),
                "as in `09:00-17:00,mon-fri,1-24,jan&mar`",
            );
        }
    }
}

fn is_range(element: &[u8], fits: impl Fn(&[u8]) -> bool) -> bool {
    match element.split_once_str(b"-") {
        Some((from, to)) => fits(from) && fits(to),
        None => fits(element),
    }
}

fn is_name(text: &[u8], names: &[&str]) -> bool {
    names
        .iter()
        .any(|name| text.eq_ignore_ascii_case(name.as_bytes()))
}

fn is_number(text: &[u8], from: u32, to: u32) -> bool {
    text.to_str()
        .ok()
        .and_then(|text| text.trim().parse::<u32>().ok())
        .is_some_and(|number| (from..=to).contains(&number))
}

fn is_time_range(element: &[u8]) -> bool {
    is_range(element, |end| {
        end.split_once_str(b":")
            .is_some_and(|(hours, minutes)| is_number(hours, 0, 24) && is_number(minutes, 0, 59))
    })
}
