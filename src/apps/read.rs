//! Read, `ReadExten`.

use std::time::Duration;

use super::answer::answered;
use super::background::ALL_DIGITS;
use super::playback::{all_there, sounds};
use crate::base::Text;
use crate::base::arguments::{self, Options, options};
use crate::base::duration::{leading_number, seconds};
use crate::diagnostic::code;
use crate::library::{Application, Support};
use crate::machine::{ChannelState, Cx, Effect, Event, Flow, Play};

/// Read digits.
pub static READ: Application = Application::new(
    "Read",
    "Read a variable.",
    "variable[,file[&file2[&...]][,maxdigits[,options[,attempts[,timeout]]]]]",
    "Reads digits into a variable until `#`, the most digits, or the time is over. Options: `s` skips on a call that \
     is not up, `n` does not answer, `t(keys)` other terminators. READSTATUS is OK, ERROR, HANGUP, INTERRUPTED, \
     SKIPPED or TIMEOUT; the call goes on in any case.",
    run,
)
.support(Support::Simulated);

/// Read an extension.
pub static READ_EXTEN: Application = Application::new(
    "ReadExten",
    "Read an extension into a variable.",
    "variable[,file[,context[,options[,timeout]]]]",
    "Reads digits until they are an extension of a context. The variable is the extension, `i` if there is none \
     (INVALID_EXTEN has the digits), or `t` when no digit came. READEXTENSTATUS is OK, TIMEOUT, INVALID, SKIP, ERROR \
     or HANGUP. Options: `s` skips on a call that is not up, `n` does not answer.",
    run_exten,
)
.support(Support::Simulated);

struct Reading {
    variable: Vec<u8>,
    files: Vec<u8>,
    most: usize,
    terminators: Vec<u8>,
    attempts: u32,
    timeout: Option<Duration>,
}

fn field(fields: &[Vec<u8>], n: usize) -> &[u8] {
    fields.get(n).map_or(&[], Vec::as_slice)
}

fn count(text: &[u8]) -> u32 {
    leading_number(text).map_or(0, |(n, _)| n.max(0.0) as u32)
}

fn time(text: &[u8]) -> Option<Duration> {
    leading_number(text)
        .and_then(|(n, _)| seconds(n))
        .filter(|time| !time.is_zero())
}

fn run(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    let fields = arguments::standard(data, 6);
    let variable = field(&fields, 0);
    if variable.is_empty() {
        cx.log(&code::ARGUMENT_MISSING, || {
            "Read needs a variable".to_owned()
        });
        return status(cx, b"ERROR");
    }
    let letters = options(field(&fields, 3));
    let most = match count(field(&fields, 2)) {
        n @ 1..=255 => n as usize,
        _ => 255,
    };
    let reading = Reading {
        variable: variable.to_vec(),
        files: field(&fields, 1).to_vec(),
        most,
        terminators: terminators(&letters),
        attempts: count(field(&fields, 4)).max(1),
        timeout: time(field(&fields, 5)),
    };
    if cx.channel().state != ChannelState::Up {
        if letters.has(b's') {
            cx.set(&reading.variable, b"");
            return status(cx, b"SKIPPED");
        }
        if !letters.has(b'n') {
            return answered(cx, move |cx| prompt(cx, reading));
        }
    }
    prompt(cx, reading)
}

fn terminators(letters: &Options) -> Vec<u8> {
    match letters.argument(b't') {
        Some(keys) => keys.to_vec(),
        None if letters.has(b't') => Vec::new(),
        None => b"#".to_vec(),
    }
}

fn status(cx: &mut Cx<'_>, status: &[u8]) -> Flow {
    cx.set(b"READSTATUS", status);
    Flow::Next
}

/// Plays what is to be heard, then reads.
fn prompt(cx: &mut Cx<'_>, reading: Reading) -> Flow {
    let what = sounds(&reading.files);
    if what.is_empty() {
        return digits(cx, reading, Vec::new());
    }
    let last = what.last().cloned();
    let play = Play {
        what,
        stop_on: Text::from(ALL_DIGITS),
        ..Play::default()
    };
    Flow::wait_then(Effect::Play(play), move |cx, event| {
        let fine = all_there(cx, &event);
        match event {
            Event::Hangup(_) => hung_up(cx, &reading, &[]),
            Event::Played {
                digit: Some(digit), ..
            }
            | Event::Digit(digit) => digit_came(cx, reading, Vec::new(), digit),
            // Without its last file there is nothing to wait for.
            Event::Played { ref missing, .. }
                if !fine
                    && matches!(&last, Some(crate::machine::Sound::File(name)) if missing.contains(name)) =>
            {
                cx.set(&reading.variable, b"");
                status(cx, b"ERROR")
            }
            _ => digits(cx, reading, Vec::new()),
        }
    })
}

fn digits(cx: &mut Cx<'_>, reading: Reading, so_far: Vec<u8>) -> Flow {
    let timeouts = &cx.channel().timeouts;
    let usual = if so_far.is_empty() {
        timeouts.response
    } else {
        timeouts.digit
    };
    let timeout = Some(reading.timeout.unwrap_or(usual));
    Flow::wait_then(
        Effect::Collect { timeout },
        move |cx, event| match event {
            Event::Digit(digit) => digit_came(cx, reading, so_far, digit),
            Event::Hangup(_) => hung_up(cx, &reading, &so_far),
            _ => over(cx, reading, &so_far, b"TIMEOUT"),
        },
    )
}

fn digit_came(cx: &mut Cx<'_>, reading: Reading, mut so_far: Vec<u8>, digit: u8) -> Flow {
    if reading.terminators.contains(&digit) {
        return over(cx, reading, &so_far, b"OK");
    }
    so_far.push(digit);
    if so_far.len() >= reading.most {
        return over(cx, reading, &so_far, b"OK");
    }
    digits(cx, reading, so_far)
}

/// One attempt is over; an empty one is repeated as long as attempts are left.
fn over(cx: &mut Cx<'_>, mut reading: Reading, got: &[u8], outcome: &[u8]) -> Flow {
    cx.set(&reading.variable, got);
    reading.attempts -= 1;
    if got.is_empty() && reading.attempts > 0 {
        return prompt(cx, reading);
    }
    status(cx, outcome)
}

fn hung_up(cx: &mut Cx<'_>, reading: &Reading, got: &[u8]) -> Flow {
    cx.set(&reading.variable, got);
    status(cx, b"HANGUP")
}

struct ReadingExten {
    variable: Vec<u8>,
    context: Text,
    timeout: Option<Duration>,
}

/// Most digits of an extension.
const LONGEST: usize = 79;

fn run_exten(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    let fields = arguments::standard(data, 5);
    let variable = field(&fields, 0);
    if variable.is_empty() {
        cx.log(&code::ARGUMENT_MISSING, || {
            "ReadExten needs a variable".to_owned()
        });
        return exten_status(cx, b"ERROR");
    }
    let context = match field(&fields, 2) {
        [] => cx.location().context.clone(),
        name => Text::from(name),
    };
    let reading = ReadingExten {
        variable: variable.to_vec(),
        context,
        timeout: time(field(&fields, 4)),
    };
    let letters = options(field(&fields, 3));
    let what = sounds(field(&fields, 1));
    let begin = move |cx: &mut Cx<'_>| {
        if what.is_empty() {
            return exten_digits(cx, reading, Vec::new());
        }
        let play = Play {
            what,
            stop_on: Text::from(ALL_DIGITS),
            ..Play::default()
        };
        Flow::wait_then(Effect::Play(play), move |cx, event| {
            all_there(cx, &event);
            match event {
                Event::Hangup(_) => exten_hung_up(cx),
                Event::Played {
                    digit: Some(digit), ..
                }
                | Event::Digit(digit) => exten_digit(cx, reading, Vec::new(), digit),
                _ => exten_digits(cx, reading, Vec::new()),
            }
        })
    };
    if cx.channel().state != ChannelState::Up {
        if letters.has(b's') {
            cx.set(variable, b"");
            return exten_status(cx, b"SKIP");
        }
        if !letters.has(b'n') {
            return answered(cx, begin);
        }
    }
    begin(cx)
}

fn exten_status(cx: &mut Cx<'_>, status: &[u8]) -> Flow {
    cx.set(b"READEXTENSTATUS", status);
    Flow::Next
}

fn exten_hung_up(cx: &mut Cx<'_>) -> Flow {
    exten_status(cx, b"HANGUP");
    Flow::Leave
}

fn exten_digits(cx: &mut Cx<'_>, reading: ReadingExten, so_far: Vec<u8>) -> Flow {
    let timeouts = &cx.channel().timeouts;
    let timeout = if so_far.is_empty() {
        reading.timeout.unwrap_or(timeouts.response)
    } else {
        timeouts.digit
    };
    let effect = Effect::Collect {
        timeout: Some(timeout),
    };
    Flow::wait_then(effect, move |cx, event| match event {
        Event::Digit(digit) => exten_digit(cx, reading, so_far, digit),
        Event::Hangup(_) => exten_hung_up(cx),
        _ if so_far.is_empty() => {
            cx.set(&reading.variable, b"t");
            exten_status(cx, b"TIMEOUT")
        }
        _ => exten_over(cx, &reading, &so_far),
    })
}

fn exten_digit(cx: &mut Cx<'_>, reading: ReadingExten, mut so_far: Vec<u8>, digit: u8) -> Flow {
    so_far.push(digit);
    if so_far.len() < LONGEST && cx.match_more(&reading.context, &so_far) {
        return exten_digits(cx, reading, so_far);
    }
    if digit == b'#' && !cx.exists(&reading.context, &so_far, 1) {
        so_far.pop();
    }
    exten_over(cx, &reading, &so_far)
}

fn exten_over(cx: &mut Cx<'_>, reading: &ReadingExten, exten: &[u8]) -> Flow {
    if cx.exists(&reading.context, exten, 1) {
        cx.set(&reading.variable, exten);
        return exten_status(cx, b"OK");
    }
    cx.set(b"INVALID_EXTEN", exten);
    cx.set(&reading.variable, b"i");
    exten_status(cx, b"INVALID")
}
