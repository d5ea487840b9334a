//! Originate.

use std::time::Duration;

use crate::base::Text;
use crate::base::arguments::{options, standard};
use crate::diagnostic::code;
use crate::library::{Application, Named, Support};
use crate::machine::{Cx, Effect, Event, Flow, Originate, OriginateThen};

/// Start a new call.
pub static ORIGINATE: Application = Application::new(
    "Originate",
    "Start a new call.",
    "technology/resource,type,arg1[,arg2[,arg3[,timeout[,options]]]]",
    "Calls a channel; when it answers it runs an application (type app: name, data) or the dialplan (type exten: context, extension, priority). Waits for the answer, except with option a. ORIGINATE_STATUS is SUCCESS, FAILED, BUSY, CONGESTION, HANGUP, RINGING or UNKNOWN.",
    run,
)
.support(Support::Partial(
    "options b, B, c, n and v are passed over; a priority or options that cannot be read do not end the call",
))
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

fn run(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    let arguments = standard(data, 7);
    let text = |i: usize| Text::from(arguments.get(i).map_or(&[][..], Vec::as_slice));
    if arguments.len() < 3 {
        return Flow::Leave;
    }
    let target = text(0);
    let (Some(slash), kind) = (target.iter().position(|&b| b == b'/'), text(1)) else {
        cx.set(b"ORIGINATE_STATUS", b"FAILED");
        return Flow::Next;
    };
    let then = if kind.eq_ignore_ascii_case(b"exten") {
        let (exten, priority) = (text(3), text(4));
        OriginateThen::Extension {
            context: text(2),
            exten: if exten.is_empty() {
                Text::from("s")
            } else {
                exten
            },
            priority: if priority.is_empty() {
                Text::from("1")
            } else {
                priority
            },
        }
    } else if kind.eq_ignore_ascii_case(b"app") {
        OriginateThen::Application {
            name: text(2),
            data: text(3),
        }
    } else {
        cx.log(&code::BAD_ARGUMENT, || {
            format!("`{kind}` is neither app nor exten")
        });
        cx.set(b"ORIGINATE_STATUS", b"FAILED");
        return Flow::Next;
    };
    let seconds = std::str::from_utf8(&text(5))
        .ok()
        .and_then(|t| t.trim().parse::<u64>().ok());
    let options = options(&text(6));
    let originate = Originate {
        technology: Text::from(target.get(..slash).unwrap_or(&[])),
        resource: Text::from(target.get(slash + 1..).unwrap_or(&[])),
        then,
        timeout: seconds
            .filter(|s| *s > 0)
            .map_or(TIMEOUT, Duration::from_secs),
        options: options
            .letters
            .into_iter()
            .map(|(letter, argument)| (letter, argument.map(Text::from)))
            .collect(),
        variables: Vec::new(),
    };
    Flow::wait_then(Effect::Originate(Box::new(originate)), |cx, event| {
        let status = match event {
            Event::Originated(status) => status,
            Event::Hangup(_) => return Flow::Leave,
            _ => Text::from("FAILED"),
        };
        cx.set(b"ORIGINATE_STATUS", &status);
        Flow::Next
    })
}
