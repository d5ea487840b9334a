//! The times of an include: what cannot be read is skipped, and the include stays.

use super::build::Loading;
use super::fault::{Log, quoted};
use crate::base::Place;
use crate::base::timespec::{Field, Timespec};
use crate::diagnostic::code;

/// Names the elements of `times,weekdays,days,months[,zone]` that are not understood.
pub(super) fn check(loading: &mut Loading<'_>, times: &[u8], place: Place) {
    Timespec::parse(times, &mut |bad| {
        let what = match bad.field {
            Field::Times => "time",
            Field::Weekdays => "weekday",
            Field::Days => "day of the month",
            Field::Months => "month",
        };
        loading.warning(
            &code::BAD_TIMESPEC,
            place,
            Log::Bare,
            format!(
                "the {what} {} is not understood and is skipped",
                quoted(&bad.text)
            ),
            "as in `09:00-17:00,mon-fri,1-24,jan&mar`",
        );
    });
}
