//! `SayUnixTime`, `DateTime`, `SayCountedNoun`, `SayCountedAdj`: what is said of times and counts.

use super::playback::missing_argument;
use super::say::{Interrupt, say};
use crate::base::{Text, arguments};
use crate::diagnostic::code;
use crate::library::{Application, Support};
use crate::machine::{Cx, Flow};

/// Say a time.
pub static SAY_UNIX_TIME: Application = Application::new(
    "SayUnixTime",
    "Say a time.",
    "[unixtime[,timezone[,format[,options]]]]",
    "Says a time in seconds since 1970, the present one without a number, in a time zone and a format of its own. With \
     the option `j`, or SAY_DTMF_INTERRUPT, a digit begins a new extension. The host gets `seconds,zone,format`.",
    |cx, data| time(cx, "SayUnixTime", data),
)
.support(Support::Simulated);

/// Say a time.
pub static DATE_TIME: Application = Application::new(
    "DateTime",
    "Say a time.",
    "[unixtime[,timezone[,format]]]",
    "Says a time as SayUnixTime does.",
    |cx, data| time(cx, "DateTime", data),
)
.support(Support::Simulated);

/// Say a number of things.
pub static SAY_COUNTED_NOUN: Application = Application::new(
    "SayCountedNoun",
    "Say a noun as its number needs it.",
    "number,file",
    "Says the form of a noun that the language needs after a number; file names get an ending by number. The number \
     itself is not said.",
    |cx, data| counted(cx, "SayCountedNoun", data),
)
.support(Support::Simulated);

/// Say an adjective before things.
pub static SAY_COUNTED_ADJ: Application = Application::new(
    "SayCountedAdj",
    "Say an adjective as its number needs it.",
    "number,file[,gender]",
    "Says the form of an adjective that the language needs after a number and for a gender (m, f or n).",
    |cx, data| counted(cx, "SayCountedAdj", data),
)
.support(Support::Simulated);

fn time(cx: &mut Cx<'_>, kind: &'static str, data: &[u8]) -> Flow {
    let fields = arguments::standard(data, 4);
    let field = |n: usize| fields.get(n).map_or(&[][..], Vec::as_slice);
    let interrupt = if field(3).contains(&b'j') {
        Interrupt::Always
    } else {
        Interrupt::AsSet
    };
    let seconds = match whole(field(0)) {
        Some(seconds) => seconds,
        None => i64::try_from(cx.now().as_secs()).unwrap_or(i64::MAX),
    };
    let text = [seconds.to_string().as_bytes(), field(1), field(2)].join(&b',');
    say(cx, kind, text, interrupt)
}

/// A whole number at the beginning of a text.
fn whole(text: &[u8]) -> Option<i64> {
    let text = text.trim_ascii_start();
    let end = text
        .iter()
        .enumerate()
        .position(|(i, b)| !(b.is_ascii_digit() || (i == 0 && matches!(b, b'-' | b'+'))))
        .unwrap_or(text.len());
    let number = text.get(..end).unwrap_or(text);
    std::str::from_utf8(number).ok()?.parse().ok()
}

fn counted(cx: &mut Cx<'_>, kind: &'static str, data: &[u8]) -> Flow {
    let fields = arguments::standard(data, 3);
    let (Some(number), Some(file)) = (fields.first(), fields.get(1)) else {
        return missing_argument(cx, "a number and a file are needed to say what is counted");
    };
    if whole(number).is_none() {
        let number = Text::from(number.as_slice());
        cx.log(&code::NOT_A_NUMBER, || {
            format!("{kind}: `{number}` is no number")
        });
        return Flow::Leave;
    }
    let gender = fields.get(2).map_or(&[][..], Vec::as_slice);
    let text = if gender.is_empty() {
        [number, file.as_slice()].join(&b',')
    } else {
        [number, file.as_slice(), gender].join(&b',')
    };
    say(cx, kind, text, Interrupt::AsSet)
}
