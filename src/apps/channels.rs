//! `SoftHangup`, `ChannelRedirect`, Transfer, Echo: what concerns channels and needs a host.

use super::playback::missing_argument;
use crate::base::Text;
use crate::base::arguments;
use crate::diagnostic::code;
use crate::library::{Application, Support};
use crate::machine::{ChannelRequest, Cx, Effect, Event, Flow};

/// Hang up another channel.
pub static SOFT_HANGUP: Application = Application::new(
    "SoftHangup",
    "Hangs up the requested channel.",
    "technology/resource[,options]",
    "Hangs up a channel by name; with the option `a` all channels of that device.",
    run_hangup,
)
.support(Support::Simulated);

/// Send another channel to a place.
pub static CHANNEL_REDIRECT: Application = Application::new(
    "ChannelRedirect",
    "Redirects given channel to a dialplan target.",
    "channel,[[context,]extension,]priority",
    "Sends a channel to a place in the dialplan. CHANNELREDIRECT_STATUS is SUCCESS or NOCHANNEL.",
    run_redirect,
)
.support(Support::Simulated);

/// Transfer the caller.
pub static TRANSFER: Application = Application::new(
    "Transfer",
    "Transfer caller to remote extension.",
    "[technology/]destination",
    "Asks the caller's side to call somebody else. TRANSFERSTATUS is SUCCESS, FAILURE or UNSUPPORTED: \
     FAILURE where the technology is not that of the caller's channel; the channels of the simulation do not support it.",
    run_transfer,
)
.support(Support::Simulated);

/// Give back what is heard.
pub static ECHO: Application = Application::new(
    "Echo",
    "Echo media back to the caller.",
    "",
    "Gives audio back until `#` is pressed or the caller hangs up.",
    |_, _| echo(),
)
.support(Support::Simulated);

fn run_hangup(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    let mut fields = arguments::standard(data, 2).into_iter();
    let name = fields.next().unwrap_or_default();
    if name.is_empty() {
        cx.log(&code::ARGUMENT_MISSING, || {
            "SoftHangup needs a channel".to_owned()
        });
        return Flow::Next;
    }
    let all = fields.next().is_some_and(|letters| letters.contains(&b'a'));
    let own = &cx.channel().name;
    let device = own.iter().rposition(|&b| b == b'-').filter(|_| all);
    let own = own.get(..device.unwrap_or(own.len())).unwrap_or(own);
    if own.eq_ignore_ascii_case(&name) {
        cx.hang_up(None);
        if !all {
            return Flow::Next;
        }
    }
    let effect = Effect::Channel {
        name: Text::from(name),
        request: ChannelRequest::Hangup { all },
    };
    Flow::wait_then(effect, |_, _| Flow::Next)
}

fn run_redirect(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    let fields = arguments::standard(data, 2);
    let (Some(name), Some(place)) = (fields.first(), fields.get(1)) else {
        return missing_argument(cx, "ChannelRedirect needs a channel and a place");
    };
    if name.is_empty() || place.is_empty() {
        return missing_argument(cx, "ChannelRedirect needs a channel and a place");
    }
    let effect = Effect::Channel {
        name: Text::from(name.as_slice()),
        request: ChannelRequest::Redirect(Text::from(place.as_slice())),
    };
    Flow::wait_then(effect, |cx, event| {
        let found = !matches!(event, Event::Failed(_) | Event::Hangup(_));
        cx.set(
            b"CHANNELREDIRECT_STATUS",
            if found { b"SUCCESS" } else { b"NOCHANNEL" },
        );
        Flow::Next
    })
}

fn run_transfer(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    if data.is_empty() {
        cx.log(&code::ARGUMENT_MISSING, || {
            "Transfer needs a destination".to_owned()
        });
        cx.set(b"TRANSFERSTATUS", b"FAILURE");
        cx.set(b"TRANSFERSTATUSPROTOCOL", b"0");
        return Flow::Next;
    }
    let technology = data.iter().position(|b| *b == b'/').and_then(|n| data.get(..n));
    let own = cx.channel().name.get(..technology.map_or(0, <[u8]>::len));
    if !technology.unwrap_or_default().eq_ignore_ascii_case(own.unwrap_or_default()) {
        // Somebody else's telephone cannot be told.
        cx.set(b"TRANSFERSTATUS", b"FAILURE");
        return Flow::Next;
    }
    cx.set(b"TRANSFERSTATUS", b"UNSUPPORTED");
    cx.set(b"TRANSFERSTATUSPROTOCOL", b"0");
    Flow::Next
}

/// Waits for `#`, or a hangup, which leaves.
pub(super) fn echo() -> Flow {
    Flow::wait_then(Effect::Collect { timeout: None }, |_, event| match event {
        Event::Digit(b'#') => Flow::Next,
        Event::Digit(_) => echo(),
        _ => Flow::Leave,
    })
}
