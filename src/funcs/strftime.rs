//! STRFTIME and STRPTIME.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::AmbiguousOffset;

use crate::base::arguments::{Few, standard};
use crate::base::civil::{Civil, days, strftime};
use crate::base::scan::{double, strip};
use crate::base::value::append_int;
use crate::base::zone::Zone;
use crate::diagnostic::{Level, code};
use crate::funcs::strptime::read;
use crate::library::{Example, Function};
use crate::machine::{Answer, Cx};

/// A time as text.
pub static STRFTIME: Function = Function::read(
    "STRFTIME",
    "A time as text.",
    "[epoch[,zone[,format]]]",
    "Without an epoch it is now, without a zone the local one, without a format `%c`. The format is that of C, with \
     `%q` for milliseconds and `%6q` for six digits of the second's fraction.",
    |cx: &mut Cx<'_>, arguments, out| {
        let arguments = Few::<3>::standard(arguments);
        let (seconds, micros) = arguments
            .get(0)
            .and_then(epoch)
            .unwrap_or_else(|| (cx.now().as_secs() as i64, cx.now().subsec_micros()));
        let zone = Zone::named(arguments.get(1).unwrap_or(&[]));
        let format = arguments.get(2).unwrap_or(b"%c");
        let before = out.len();
        strftime(format, &Civil::new(seconds, &zone), micros, out);
        if out.len() == before {
            cx.log(&code::STRFTIME_EMPTY, || {
                "the format of STRFTIME prints nothing".to_owned()
            });
        }
        Answer::Done
    },
)
.pure()
.examples(&[Example {
    title: "In another zone",
    dialplan: "",
    evaluate: "${STRFTIME(1709201700,Asia/Tokyo,%Y-%m-%d %H:%M)}",
    expect: "2024-02-29 19:15",
}]);

/// A text as time.
pub static STRPTIME: Function = Function::read(
    "STRPTIME",
    "Seconds since 1970 of a time in a text.",
    "text,zone,format",
    "The format is that of C. What the text does not say is 0; days that do not exist carry over; a time that was \
     skipped when clocks were set forward gives 0.",
    |cx: &mut Cx<'_>, arguments, out| {
        let arguments = standard(arguments, 3);
        let [text, zone, format] = arguments.as_slice() else {
            return misused(cx);
        };
        if format.is_empty() {
            return misused(cx);
        }
        let Some(at) = read(text, format) else {
            cx.log(&code::STRPTIME_NO_MATCH, || {
                "STRPTIME cannot read the time".to_owned()
            });
            return Answer::Failed;
        };
        let wall = days(at.year, at.month, at.day) * 86_400
            + at.hour * 3600
            + at.minute * 60
            + at.second;
        // Asterisk prints the result as an int.
        let epoch = in_zone(wall, &Zone::named(strip(zone))).unwrap_or(0);
        append_int(i64::from(epoch as i32), out);
        Answer::Done
    },
)
.examples(&[Example {
    title: "A date",
    dialplan: "",
    evaluate: "${STRPTIME(2024-02-29 10:15,UTC,%Y-%m-%d %H:%M)}",
    expect: "1709201700",
}]);

fn misused(cx: &mut Cx<'_>) -> Answer {
    cx.log_at(&code::BAD_ARGUMENT, Level::Error, || {
        "STRPTIME needs text, zone and format".to_owned()
    });
    Answer::Failed
}

/// Seconds since 1970 of a wall clock, given as if in UTC; the earlier one where it was shown twice.
fn in_zone(wall: i64, zone: &Zone) -> Option<i64> {
    let utc = Civil::new(wall, &Zone::utc());
    let small = |n: i64| i8::try_from(n).ok();
    let at = DateTime::new(
        i16::try_from(utc.year).ok()?,
        small(utc.month)?,
        small(utc.day)?,
        small(utc.hour)?,
        small(utc.minute)?,
        small(utc.second)?,
        0,
    )
    .ok()?;
    let ambiguous = zone.time_zone().to_ambiguous_timestamp(at);
    if matches!(ambiguous.offset(), AmbiguousOffset::Gap { .. }) {
        return None;
    }
    ambiguous.earlier().ok().map(Timestamp::as_second)
}

/// Seconds and microseconds. Asterisk reads a long double, whose 64 bits the fraction shares with the seconds.
fn epoch(text: &[u8]) -> Option<(i64, u32)> {
    let (number, _) = double(text)?;
    let seconds = number.trunc() as i64;
    let point = text.iter().position(|b| !b.is_ascii_digit() && *b != b' ');
    let Some([b'.', decimals @ ..]) = point.and_then(|at| text.get(at..)) else {
        return Some((seconds, 0));
    };
    let (mut numerator, mut scale) = (0u128, 1u128);
    for digit in decimals.iter().take_while(|b| b.is_ascii_digit()).take(18) {
        numerator = numerator * 10 + u128::from(digit - b'0');
        scale *= 10;
    }
    let bits = 64 - seconds.unsigned_abs().leading_zeros();
    let shift = (64 - bits).min(62);
    let fraction = ((numerator << shift) + scale / 2) / scale;
    let micros = (fraction * 1_000_000) >> shift;
    Some((seconds, u32::try_from(micros).unwrap_or(0).min(999_999)))
}
