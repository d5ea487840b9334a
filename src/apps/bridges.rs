//! `BlindTransfer`, `AttendedTransfer`, Bridge, `BridgeAdd`, `BridgeWait`: calls that are connected or handed on.

use super::hosted::{After, Hosted, Status, hosted};
use super::playback::missing_argument;
use crate::base::{Text, arguments};
use crate::library::{Application, Example, Support};
use crate::machine::{ChannelRequest, Cx, Effect, Event, Flow};

hosted! {
    BLIND_TRANSFER "BlindTransfer" "Send the connected party elsewhere." "extension[,context]"
        "Sends whoever is connected with this channel to an extension. BLINDTRANSFERSTATUS is SUCCESS, FAILURE, INVALID \
         or NOTPERMITTED."
        Hosted::new()
            .needs(1, After::Next)
            .sets(&[Status::new("BLINDTRANSFERSTATUS", "SUCCESS", "FAILURE")]);
    ATTENDED_TRANSFER "AttendedTransfer" "Call somebody to hand the connected party over." "extension"
        "Begins an attended transfer to an extension of the transfer context. ATTENDEDTRANSFERSTATUS is SUCCESS, FAILURE \
         or NOTPERMITTED."
        Hosted::new()
            .needs(1, After::Next)
            .sets(&[Status::new("ATTENDEDTRANSFERSTATUS", "SUCCESS", "FAILURE")]);
    BRIDGE_WAIT "BridgeWait" "Wait in a holding bridge." "[name[,role[,options]]]"
        "Puts the call into a holding bridge as participant or announcer, answered unless the option `n` is given, until \
         the host takes it out or the time of the option `S` is over."
        Hosted::new().answers_unless(2, b'n').or_leaves();
}

/// Connect with another channel.
pub static BRIDGE: Application = Application::new(
    "Bridge",
    "Connect with another channel.",
    "channel[,options]",
    "Connects this channel with one that exists already. BRIDGERESULT is SUCCESS, FAILURE, LOOP (it is this channel) or \
     NONEXISTENT; the call goes on when the connection is over.",
    |cx, data| bridge(cx, "Bridge", data),
)
.support(Support::Simulated)
.examples(&[Example { title: "A channel that is gone", dialplan: "Bridge(PJSIP/desk-00000001)", evaluate: "${BRIDGERESULT}", expect: "NONEXISTENT" }]);

/// Join the bridge of another channel.
pub static BRIDGE_ADD: Application = Application::new(
    "BridgeAdd",
    "Join the bridge of another channel.",
    "channel",
    "Puts the call into the bridge that another channel is in. BRIDGERESULT is SUCCESS, FAILURE, LOOP or NONEXISTENT.",
    |cx, data| bridge(cx, "BridgeAdd", data),
)
.support(Support::Simulated);

fn bridge(cx: &mut Cx<'_>, name: &'static str, data: &[u8]) -> Flow {
    let other = arguments::standard(data, 2).into_iter().next();
    let Some(other) = other.filter(|other| !other.is_empty()) else {
        return missing_argument(cx, "a bridge needs a channel");
    };
    if other.eq_ignore_ascii_case(&cx.channel().name) {
        return result(cx, b"LOOP");
    }
    let exists = Effect::Channel {
        name: Text::from(other),
        request: ChannelRequest::Exists,
    };
    let effect = Effect::Custom {
        name: Text::from(name),
        data: Text::from(data),
    };
    Flow::wait_then(exists, |cx, event| match event {
        Event::Hangup(_) => Flow::Leave,
        Event::Value(found) if found.as_bytes() != b"0" => {
            Flow::wait_then(effect, |cx, event| match event {
                Event::Hangup(_) => Flow::Leave,
                Event::Failed(_) | Event::Timeout => result(cx, b"FAILURE"),
                Event::Value(word) => result(cx, &word),
                _ => result(cx, b"SUCCESS"),
            })
        }
        _ => result(cx, b"NONEXISTENT"),
    })
}

fn result(cx: &mut Cx<'_>, word: &[u8]) -> Flow {
    cx.set(b"BRIDGERESULT", word);
    Flow::Next
}
