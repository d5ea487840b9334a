//! Signal, `WaitForSignal`: channels that wait for each other.

use std::time::Duration;

use super::playback::missing_argument;
use super::wait::{Watch, Woken};
use crate::base::duration::{leading_number, seconds};
use crate::base::{Text, arguments};
use crate::library::{Application, Example, Support};
use crate::machine::{Cx, Flow};

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

/// Time between two looks, where the host does not tell when to look.
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
    let until = fields
        .next()
        .and_then(|text| leading_number(&text).and_then(|(number, _)| seconds(number)))
        .filter(|time| !time.is_zero())
        .map(|time| cx.now().saturating_add(time));
    cx.shared().await_signal(&cx.channel().name, &name);
    look(cx, Watch::new(until, INTERVAL), Woken::Look)
}

fn look(cx: &mut Cx<'_>, watch: Watch, woken: Woken) -> Flow {
    if let Some(payload) = cx.shared().signalled(&cx.channel().name) {
        cx.set(b"WAITFORSIGNALPAYLOAD", &payload);
        return ended(cx, b"SIGNALED");
    }
    match woken {
        Woken::Hangup => {
            ended(cx, b"HANGUP");
            Flow::Leave
        }
        Woken::Over => ended(cx, b"TIMEOUT"),
        Woken::Look => watch.pause(cx, look),
    }
}

fn ended(cx: &mut Cx<'_>, status: &[u8]) -> Flow {
    let name = Text::from(cx.channel().name.as_bytes());
    cx.shared().forget_signal(&name);
    cx.set(b"WAITFORSIGNALSTATUS", status);
    Flow::Next
}
