//! Answer.

use std::time::Duration;

use crate::base::arguments;
use crate::base::duration::leading_number;
use crate::library::{Application, Support};
use crate::machine::{ChannelState, Cx, Effect, Event, Flow};

/// Answer the channel.
pub static ANSWER: Application = Application::new(
    "Answer",
    "Answer a channel if ringing.",
    "[delay[,i]]",
    "Answers the call if it is not up, then waits `delay` milliseconds. A call that is up goes on at once.",
    run,
)
.support(Support::Simulated);

fn run(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    if cx.channel().state == ChannelState::Up {
        return Flow::Next;
    }
    let fields = arguments::standard(data, 2);
    let delay = fields
        .first()
        .and_then(|text| leading_number(text))
        .map_or(0, |(n, _)| if n > 0.0 { n as u64 } else { 0 });
    answered(cx, move |_| {
        if delay == 0 {
            return Flow::Next;
        }
        Flow::wait(Effect::Sleep(Duration::from_millis(delay)))
    })
}

/// Answers the channel if it is not up, then goes on; leaves the dialplan if it is hung up.
pub(super) fn answered(
    cx: &mut Cx<'_>,
    then: impl FnOnce(&mut Cx<'_>) -> Flow + Send + 'static,
) -> Flow {
    if cx.channel().state == ChannelState::Up {
        return then(cx);
    }
    Flow::wait_then(Effect::Answer, move |cx, event| match event {
        Event::Hangup(_) | Event::Failed(_) => Flow::Leave,
        _ => {
            cx.answer_channel();
            then(cx)
        }
    })
}
