//! `BackGround`, `WaitExten`.

use super::answer::answered;
use super::playback::{all_there, missing_argument, sounds};
use crate::base::arguments::{self, Options, options};
use crate::base::{Text, duration};
use crate::diagnostic::code;
use crate::library::{Application, Support};
use crate::machine::{ChannelState, Cx, Effect, Event, Flow, Location, Note, Play};

/// Play files while waiting for digits.
pub static BACKGROUND: Application = Application::new(
    "BackGround",
    "Play an audio file while waiting for digits of an extension to go to.",
    "file[&file2[&...]][,options[,language[,context]]]",
    "Plays files; a digit stops them and is the first one of a new extension. Options: `s` skips on a call that is not \
     up, `n` does not answer, `m` only digits that are an extension stop it, `p` digits do nothing. BACKGROUNDSTATUS \
     is SUCCESS or FAILED; a missing file does not end the call.",
    run,
)
.support(Support::Simulated);

/// Wait for an extension to be dialled.
pub static WAIT_EXTEN: Application = Application::new(
    "WaitExten",
    "Waits for an extension to be entered.",
    "[time][,options]",
    "Waits for the first digit of an extension; without a time for TIMEOUT(response). When none comes: the next \
     priority, if there is one, else `t`, else `e`, else the call ends.",
    run_wait,
)
.support(Support::Simulated);

/// Every key of a telephone.
pub(super) const ALL_DIGITS: &str = "0123456789*#ABCD";

fn run(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    if data.is_empty() {
        return missing_argument(cx, "BackGround needs a file");
    }
    let mut fields = arguments::standard(data, 4).into_iter();
    let files = fields.next().unwrap_or_default();
    let letters = background_options(&fields.next().unwrap_or_default());
    let _language = fields.next();
    let context = fields
        .next()
        .filter(|text| !text.is_empty())
        .map_or_else(|| cx.location().context.clone(), Text::from);
    if cx.channel().state != ChannelState::Up {
        if letters.has(b's') {
            cx.set(b"BACKGROUNDSTATUS", b"SUCCESS");
            return Flow::Next;
        }
        if !letters.has(b'n') {
            return answered(cx, move |cx| play(cx, &files, &letters, context));
        }
    }
    play(cx, &files, &letters, context)
}

/// The options, of which two have long names.
fn background_options(text: &[u8]) -> Options {
    if text.eq_ignore_ascii_case(b"skip") {
        return options(b"s");
    }
    if text.eq_ignore_ascii_case(b"noanswer") {
        return options(b"n");
    }
    options(text)
}

fn play(cx: &mut Cx<'_>, files: &[u8], letters: &Options, context: Text) -> Flow {
    let stop_on = if letters.has(b'p') {
        Text::EMPTY
    } else if letters.has(b'm') {
        ALL_DIGITS
            .bytes()
            .filter(|&digit| cx.exists(&context, &[digit], 1))
            .collect::<Vec<_>>()
            .into()
    } else {
        Text::from(ALL_DIGITS)
    };
    let play = Play {
        what: sounds(files),
        stop_on,
        ..Play::default()
    };
    Flow::wait_then(Effect::Play(play), move |cx, event| {
        if let Event::Hangup(_) = event {
            cx.set(b"BACKGROUNDSTATUS", b"FAILED");
            return Flow::Leave;
        }
        let fine = all_there(cx, &event);
        cx.set(
            b"BACKGROUNDSTATUS",
            if fine { b"SUCCESS" } else { b"FAILED" },
        );
        match event {
            Event::Played {
                digit: Some(digit), ..
            }
            | Event::Digit(digit) => dialled(cx, digit, context),
            _ => Flow::Next,
        }
    })
}

/// A digit that is a whole extension and no beginning of another goes there at once.
fn dialled(cx: &mut Cx<'_>, digit: u8, context: Text) -> Flow {
    let exten = [digit];
    if cx.exists(&context, &exten, 1) && !cx.match_more(&context, &exten) {
        return Flow::Jump(Location {
            context,
            exten: Text::from(&exten[..]),
            priority: 1,
        });
    }
    cx.collect_in(context);
    Flow::Digit(digit)
}

fn run_wait(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    let fields = arguments::standard(data, 2);
    let time = fields
        .first()
        .and_then(|text| duration::parse(text))
        .filter(|time| !time.is_zero())
        .unwrap_or(cx.channel().timeouts.response);
    let effect = Effect::Collect {
        timeout: Some(time),
    };
    Flow::wait_then(effect, |cx, event| match event {
        Event::Digit(digit) => Flow::Digit(digit),
        Event::Hangup(_) => Flow::Leave,
        _ => nothing_dialled(cx),
    })
}

fn nothing_dialled(cx: &mut Cx<'_>) -> Flow {
    let at = cx.location().clone();
    if cx.exists(&at.context, &at.exten, at.priority + 1) {
        cx.note(Note::Timeout);
        return Flow::Next;
    }
    let special = |exten: &str| Location {
        exten: Text::from(exten),
        priority: 1,
        ..at.clone()
    };
    if cx.exists(&at.context, b"t", 1) {
        cx.note(Note::Timeout);
        return Flow::Jump(special("t"));
    }
    if cx.exists(&at.context, b"e", 1) {
        cx.raise("RESPONSETIMEOUT");
        return Flow::Jump(special("e"));
    }
    cx.log(&code::TIMEOUT_NO_HANDLER, || {
        format!("no digit came, and there is no `t` in {}", at.context)
    });
    Flow::Leave
}
