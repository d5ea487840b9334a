//! Signal, `WaitForSignal`: channels that wait for each other.

use std::time::Duration;

use super::playback::missing_argument;
use crate::base::duration::{leading_number, seconds};
use crate::base::{Text, arguments};
use crate::library::{Application, Example, Support};
use crate::machine::{Cx, Effect, Event, Flow};

/// Wake the channels that wait for a signal.
pub static SIGNAL: Application = Application::new(
    "Signal",
    "Wake the channels that wait for a signal.",
    "name[,payload]",
    "Wakes every channel that waits for a signal of this name, and hands it a text. SIGNALSTATUS is SUCCESS, or FAILURE \
     when nobody waited.",
    run_signal,
)
.examples(&[Example {
    title: "Nobody waits",
    dialplan: "Signal(doorbell)",
    evaluate: "${SIGNALSTATUS}",
    expect: "FAILURE",
}]);

/// Wait for a signal.
pub static WAIT_FOR_SIGNAL: Application = Application::new(
    "WaitForSignal",
    "Wait for a signal of another channel.",
    "name[,timeout]",
    "Waits for a signal of this name, at most for some seconds. WAITFORSIGNALSTATUS is SIGNALED, TIMEOUT or HANGUP, \
     WAITFORSIGNALPAYLOAD the text that came with the signal.",
    run_wait,
)
.support(Support::Simulated);

/// Time between two looks.
const INTERVAL: Duration = Duration::from_millis(50);

fn run_signal(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    let mut fields = arguments::standard(data, 2).into_iter();
    let name = fields.next().unwrap_or_default();
    if name.is_empty() {
        return missing_argument(cx, "Signal needs a name");
    }
    let payload = fields.next().unwrap_or_default();
    let woken = cx.shared().signal(&name, &payload);
    let status: &[u8] = if woken > 0 { b"SUCCESS" } else { b"FAILURE" };
    cx.set(b"SIGNALSTATUS", status);
    Flow::Next
}

fn run_wait(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    let mut fields = arguments::standard(data, 2).into_iter();
    let name = fields.next().unwrap_or_default();
    if name.is_empty() {
        return missing_argument(cx, "WaitForSignal needs a name");
    }
    let deadline = fields
        .next()
        .and_then(|text| leading_number(&text).and_then(|(number, _)| seconds(number)))
        .filter(|time| !time.is_zero())
        .map(|time| cx.now().saturating_add(time));
    cx.shared().await_signal(&cx.channel().name, &name);
    look(cx, deadline)
}

fn look(cx: &mut Cx<'_>, deadline: Option<Duration>) -> Flow {
    if let Some(payload) = cx.shared().signalled(&cx.channel().name) {
        cx.set(b"WAITFORSIGNALPAYLOAD", &payload);
        return ended(cx, b"SIGNALED");
    }
    let left = deadline.map(|at| at.saturating_sub(cx.now()));
    if left.is_some_and(|left| left.is_zero()) {
        return ended(cx, b"TIMEOUT");
    }
    let time = left.map_or(INTERVAL, |left| left.min(INTERVAL));
    Flow::wait_then(Effect::Sleep(time), move |cx, event| {
        if let Event::Hangup(_) = event {
            ended(cx, b"HANGUP");
            return Flow::Leave;
        }
        look(cx, deadline)
    })
}

fn ended(cx: &mut Cx<'_>, status: &[u8]) -> Flow {
    let name = Text::from(cx.channel().name.as_bytes());
    cx.shared().forget_signal(&name);
    cx.set(b"WAITFORSIGNALSTATUS", status);
    Flow::Next
}
