//! DISA.

use std::time::Duration;

use super::answer::answered;
use super::gather::{Question, ask};
use super::playback::missing_argument;
use crate::base::arguments::{self, options};
use crate::base::scan::int;
use crate::base::{Text, callerid};
use crate::diagnostic::code;
use crate::library::Application;
use crate::machine::{
    ChannelState, Cx, Effect, Event, Flow, Indication, Location, OutsideRequest,
};

/// Let a caller from outside dial as one from inside.
pub static DISA: Application = Application::new(
    "DISA",
    "Let a caller from outside dial as one from inside.",
    "password|file[,context[,callerid[,mailbox[@context][,options]]]]",
    "Answers, asks for a password (not for `no-password`) ended by `#`, then gives a dial tone and takes the digits of an \
     extension of a context, `disa` without one. What is no number names a file, whose lines have the form of these \
     arguments; the line of the password that was entered counts. The call goes there, with another caller id if one is given. Options: \
     `n` does not answer, `p` keeps a `#` as a digit of the extension.",
    run_disa,
);

/// What DISA was told.
struct Disa {
    context: Text,
    caller: Vec<u8>,
    keeps_hash: bool,
    answers: bool,
}

/// The password, and the rest of the arguments.
fn parsed(data: &[u8]) -> (Vec<u8>, Disa) {
    let mut fields = arguments::standard(data, 5).into_iter();
    let mut field = || fields.next().unwrap_or_default();
    let (password, context, caller, _mailbox) = (field(), field(), field(), field());
    let letters = options(&field());
    let disa = Disa {
        context: if context.is_empty() {
            Text::from("disa")
        } else {
            Text::from(context)
        },
        caller,
        keeps_hash: letters.has(b'p'),
        answers: !letters.has(b'n'),
    };
    (password, disa)
}

/// Whether a password is one, and not the name of a file.
fn is_number(text: &[u8]) -> bool {
    int(text).is_some()
}

/// The line of a file with this password.
fn line_of(content: &[u8], entered: &[u8]) -> Option<Disa> {
    content
        .split(|b| *b == b'\n')
        .filter(|line| !matches!(line.first(), None | Some(b'#' | b';')))
        .map(parsed)
        .find(|(password, _)| is_number(password) && password == entered)
        .map(|(_, disa)| disa)
}

fn run_disa(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    let (password, disa) = parsed(data);
    if password.is_empty() {
        return missing_argument(cx, "DISA needs a password, or `no-password`");
    }
    let answers = disa.answers;
    let begin = move |cx: &mut Cx<'_>| {
        if password.eq_ignore_ascii_case(b"no-password") {
            return dial(cx, disa, Vec::new());
        }
        let question = Question {
            prompt: Vec::new(),
            most: LONGEST,
            first: None,
            between: None,
        };
        ask(cx, question, move |cx, entered| {
            if entered == password {
                return dial(cx, disa, Vec::new());
            }
            if is_number(&password) {
                return refused();
            }
            let request = Effect::Outside(OutsideRequest::ReadFile(Text::from(password)));
            Flow::wait_then(request, move |cx, event| {
                let Event::Value(content) = event else {
                    cx.log(&code::NOT_FOUND, || {
                        "the file of passwords cannot be read".to_owned()
                    });
                    return Flow::Leave;
                };
                match line_of(&content, &entered) {
                    Some(disa) => dial(cx, disa, Vec::new()),
                    None => refused(),
                }
            })
        })
    };
    if cx.channel().state != ChannelState::Up && answers {
        return answered(cx, begin);
    }
    begin(cx)
}

/// Most digits of an extension or password.
const LONGEST: usize = 79;

/// Congestion for a while; then the call ends.
fn refused() -> Flow {
    Flow::wait_then(Effect::Indicate(Indication::Congestion), |_, event| {
        match event {
            Event::Hangup(_) => Flow::Leave,
            _ => Flow::wait_then(Effect::Sleep(Duration::from_secs(10)), |_, _| Flow::Leave),
        }
    })
}

/// Takes digits as long as a longer extension could match.
fn dial(cx: &mut Cx<'_>, disa: Disa, so_far: Vec<u8>) -> Flow {
    let timeouts = &cx.channel().timeouts;
    let timeout = Some(if so_far.is_empty() {
        timeouts.response
    } else {
        timeouts.digit
    });
    Flow::wait_then(Effect::Collect { timeout }, move |cx, event| match event {
        Event::Hangup(_) => Flow::Leave,
        Event::Digit(b'#') if !disa.keeps_hash && !so_far.is_empty() => {
            connect(cx, &disa, so_far)
        }
        Event::Digit(digit) => {
            let mut so_far = so_far;
            so_far.push(digit);
            if so_far.len() < LONGEST && cx.match_more(&disa.context, &so_far) {
                return dial(cx, disa, so_far);
            }
            connect(cx, &disa, so_far)
        }
        _ => connect(cx, &disa, so_far),
    })
}

fn connect(cx: &mut Cx<'_>, disa: &Disa, exten: Vec<u8>) -> Flow {
    let go = |exten: &[u8]| Location {
        context: disa.context.clone(),
        exten: Text::from(exten),
        priority: 1,
    };
    if !exten.is_empty() && cx.exists(&disa.context, &exten, 1) {
        if !disa.caller.is_empty() {
            let (name, number) = callerid::split(&disa.caller);
            let caller = &mut cx.channel_mut().caller;
            if !name.is_empty() {
                caller.name = Some(Text::from(name));
            }
            if !number.is_empty() {
                caller.number = Some(Text::from(number));
            }
        }
        return Flow::Jump(go(&exten));
    }
    if cx.exists(&disa.context, b"i", 1) {
        cx.set(b"INVALID_EXTEN", &exten);
        return Flow::Jump(go(b"i"));
    }
    refused()
}

