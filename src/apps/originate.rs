//! Originate.

use std::time::Duration;

use super::dial::{technology_resource, unknown_letters};
use crate::base::Text;
use crate::base::arguments::{option_location, options, standard};
use crate::base::scan::long;
use crate::diagnostic::{Level, code};
use crate::library::{Application, Named};
use crate::machine::{Cx, Effect, Event, Flow, Originate, OriginateThen};

/// Start a new call.
pub static ORIGINATE: Application = Application::new(
    "Originate",
    "Start a new call.",
    "technology/resource,type,arg1[,arg2[,arg3[,timeout[,options]]]]",
    "Calls a channel; when it answers it runs an application (type app: name, data) or the dialplan (type exten: context, \
     extension, priority). Waits for the answer, except with option a. Options b and B run a Gosub on the new and on the \
     calling channel before, c and n give the new channel the number and the name of its caller (without argument those of \
     the calling channel), v sets variables on it (`v(a=1^b=2)`). ORIGINATE_STATUS is SUCCESS, FAILED, BUSY, CONGESTION, \
     HANGUP, RINGING or UNKNOWN. Arguments that cannot be read end the call.",
    run,
)
.names(names);

/// The application that the new call runs.
fn names(data: &[u8]) -> Vec<Named> {
    match standard(data, 7).as_slice() {
        [_, kind, name, rest @ ..] if kind.eq_ignore_ascii_case(b"app") => {
            vec![Named::Application {
                name: name.clone(),
                data: rest.first().cloned().unwrap_or_default(),
            }]
        }
        _ => Vec::new(),
    }
}

/// How long an answer may take without a time in the arguments.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Every option letter that Originate knows.
const LETTERS: &[u8] = b"abBcCnv";

fn run(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    let arguments = standard(data, 7);
    if arguments.len() < 3 {
        return failed(cx);
    }
    let argument = |i: usize| arguments.get(i).map_or(&[][..], Vec::as_slice);
    let timeout = timeout(cx, argument(5));
    let options = options(argument(6));
    if let Some(letter) = options.not_closed {
        cx.log_at(&code::OPTION_NOT_CLOSED, Level::Error, || {
            format!("no `)` after option `{}`", char::from(letter))
        });
        return failed(cx);
    }
    unknown_letters(cx, "Originate", &options, LETTERS);
    let Some((technology, resource)) = technology_resource(argument(0)) else {
        let target = Text::from(argument(0));
        cx.log_at(&code::DIAL_ARGUMENT_INVALID, Level::Error, || {
            format!("`{target}` is not `technology/resource`")
        });
        return failed(cx);
    };
    let Some(then) = then(cx, argument) else {
        return failed(cx);
    };
    let before = options
        .argument(b'B')
        .filter(|place| !place.is_empty())
        .map(option_location);
    let variables = options.argument(b'v').map_or_else(Vec::new, variables);
    let originate = Box::new(Originate {
        technology,
        resource,
        then,
        timeout,
        options: options
            .letters
            .into_iter()
            .map(|(letter, argument)| (letter, argument.map(Text::from)))
            .collect(),
        variables,
    });
    match before {
        None => start(originate),
        Some(target) => Flow::Subroutine {
            target,
            then: Box::new(move |_, _| start(originate)),
        },
    }
}

fn start(originate: Box<Originate>) -> Flow {
    Flow::wait_then(Effect::Originate(originate), |cx, event| {
        let status = match event {
            Event::Originated(status) => status,
            Event::Hangup(_) => return Flow::Leave,
            _ => Text::from("FAILED"),
        };
        cx.set(b"ORIGINATE_STATUS", &status);
        Flow::Next
    })
}

/// Arguments that cannot be read end the call.
fn failed(cx: &mut Cx<'_>) -> Flow {
    cx.set(b"ORIGINATE_STATUS", b"FAILED");
    Flow::Leave
}

/// What the new call does; `None` where it cannot be read, which is said.
fn then<'a>(cx: &mut Cx<'_>, argument: impl Fn(usize) -> &'a [u8]) -> Option<OriginateThen> {
    let kind = argument(1);
    if kind.eq_ignore_ascii_case(b"app") {
        return Some(OriginateThen::Application {
            name: Text::from(argument(2)),
            data: Text::from(argument(3)),
        });
    }
    if !kind.eq_ignore_ascii_case(b"exten") {
        cx.log_at(&code::BAD_ARGUMENT, Level::Error, || {
            format!("`{}` is neither app nor exten", bstr::BStr::new(kind))
        });
        return None;
    }
    let or = |i: usize, usual: &'static [u8]| {
        Some(argument(i))
            .filter(|text| !text.is_empty())
            .unwrap_or(usual)
    };
    let (context, exten, priority) = (argument(2), or(3, b"s"), or(4, b"1"));
    let place = [context, exten, priority].join(&b',');
    if cx.parse_target(&place).is_err() {
        cx.log_at(&code::BAD_ARGUMENT, Level::Error, || {
            format!(
                "`{}` is neither the number of a priority nor a label of {}@{}",
                bstr::BStr::new(priority),
                bstr::BStr::new(exten),
                bstr::BStr::new(context),
            )
        });
        return None;
    }
    Some(OriginateThen::Extension {
        context: Text::from(context),
        exten: Text::from(exten),
        priority: Text::from(priority),
    })
}

/// Seconds; what does not begin with a number counts as none.
fn timeout(cx: &mut Cx<'_>, text: &[u8]) -> Duration {
    if text.is_empty() {
        return TIMEOUT;
    }
    match long(text).and_then(|(seconds, _)| u64::try_from(seconds).ok()) {
        Some(0) => TIMEOUT,
        Some(seconds) => Duration::from_secs(seconds),
        None => {
            cx.log_at(&code::DIAL_TIMEOUT_INVALID, Level::Notice, || {
                format!(
                    "`{}` is no time to wait for an answer: it is {} s",
                    bstr::BStr::new(text),
                    TIMEOUT.as_secs()
                )
            });
            TIMEOUT
        }
    }
}

/// `a=1^b=2` of option v; what has no `=` sets nothing.
fn variables(text: &[u8]) -> Vec<(Text, Text)> {
    text.split(|b| *b == b'^')
        .filter_map(|setting| {
            let at = setting.iter().position(|b| *b == b'=')?;
            let (name, value) = (setting.get(..at)?, setting.get(at + 1..)?);
            Some((Text::from(name.trim_ascii()), Text::from(value)))
        })
        .collect()
}
