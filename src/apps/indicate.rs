//! Ringing, Progress, Proceeding, Busy, Congestion.

use crate::base::duration::{leading_number, seconds};
use crate::library::{Application, Support};
use crate::machine::{ChannelState, Cx, Effect, Event, Flow, Indication};

/// Say that the called party is being alerted.
pub static RINGING: Application = Application::new(
    "Ringing",
    "Indicate ringing tone.",
    "",
    "Lets the caller hear ringing; the next priority follows at once.",
    |_, _| tell(Indication::Ringing),
)
.support(Support::Simulated);

/// Say that early media follows.
pub static PROGRESS: Application = Application::new(
    "Progress",
    "Indicate progress.",
    "",
    "Tells the caller that audio before the answer follows.",
    |_, _| tell(Indication::Progress),
)
.support(Support::Simulated);

/// Say that the call is on its way.
pub static PROCEEDING: Application = Application::new(
    "Proceeding",
    "Indicate proceeding.",
    "",
    "Tells the caller that the call is on its way.",
    |_, _| tell(Indication::Proceeding),
)
.support(Support::Simulated);

/// End the call as busy.
pub static BUSY: Application = Application::new(
    "Busy",
    "Indicate the Busy condition.",
    "[seconds]",
    "Gives a busy tone for some seconds, or until the caller hangs up; then the call ends. Cause 17 if it was not \
     answered.",
    |cx, data| refuse(cx, Indication::Busy, 17, data),
)
.support(Support::Simulated);

/// End the call for want of resources.
pub static CONGESTION: Application = Application::new(
    "Congestion",
    "Indicate the Congestion condition.",
    "[seconds]",
    "Gives a congestion tone for some seconds, or until the caller hangs up; then the call ends. Cause 34 if it was \
     not answered.",
    |cx, data| refuse(cx, Indication::Congestion, 34, data),
)
.support(Support::Simulated);

fn tell(indication: Indication) -> Flow {
    Flow::wait_then(Effect::Indicate(indication), |_, _| Flow::Next)
}

fn refuse(cx: &mut Cx<'_>, indication: Indication, cause: u32, data: &[u8]) -> Flow {
    if cx.channel().state != ChannelState::Up {
        cx.channel_mut().cause = cause;
    }
    let time = leading_number(data).and_then(|(number, _)| seconds(number));
    Flow::wait_then(Effect::Indicate(indication), move |_, event| {
        match (time, event) {
            (_, Event::Hangup(_)) => Flow::Leave,
            (Some(time), _) => Flow::wait_then(Effect::Sleep(time), |_, _| Flow::Leave),
            (None, _) => until_hangup(),
        }
    })
}

/// Waits until the other side hangs up.
pub(super) fn until_hangup() -> Flow {
    Flow::wait_then(Effect::Collect { timeout: None }, |_, event| match event {
        Event::Digit(_) => until_hangup(),
        _ => Flow::Leave,
    })
}
