//! TESTTIME.

use jiff::civil::DateTime;

use crate::base::scan::{int, strip};
use crate::base::zone::Zone;
use crate::library::{Example, Function};
use crate::machine::{Cx, Flow};

/// Another time for GotoIfTime.
pub static TESTTIME: Function = Function::write_only(
    "TESTTIME",
    "Makes GotoIfTime take another time for the present one.",
    "",
    "Write `year/month/day hour:minute:second` and perhaps a time zone. Sets the variable TESTTIME, which is \
     inherited; anything that is no such time empties it.",
    |cx: &mut Cx<'_>, _, value| {
        let epoch = read(value).map(|n| n.to_string()).unwrap_or_default();
        cx.set(b"__TESTTIME", epoch.as_bytes());
        Flow::Next
    },
)
.examples(&[Example {
    title: "A leap day",
    dialplan: "Set(TESTTIME()=2024/02/29 12:30:00 UTC)",
    evaluate: "${TESTTIME}",
    expect: "1709209800",
}]);

/// `2024/02/29 12:30:00[ zone]` as seconds since 1970.
fn read(text: &[u8]) -> Option<i64> {
    let mut parts = text.splitn(3, |b| *b == b' ');
    let date = numbers(parts.next()?, b'/')?;
    let time = numbers(parts.next()?, b':')?;
    let zone = Zone::named(strip(parts.next().unwrap_or(&[])));
    let [year, month, day] = date;
    let [hour, minute, second] = time;
    let small = |n: i32| i8::try_from(n).ok();
    let at = DateTime::new(
        i16::try_from(year).ok()?,
        small(month)?,
        small(day)?,
        small(hour)?,
        small(minute)?,
        small(second)?,
        0,
    )
    .ok()?;
    let zoned = zone.time_zone().to_zoned_datetime(at).ok()?;
    Some(zoned.timestamp().as_second())
}

fn numbers(text: &[u8], delimiter: u8) -> Option<[i32; 3]> {
    let mut parts = text.splitn(3, |b| *b == delimiter);
    let mut next = || Some(int(parts.next()?)?.0);
    Some([next()?, next()?, next()?])
}
