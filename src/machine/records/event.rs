//! Channel events (CEL).

use std::time::Duration;

use crate::base::Text;

/// Kind of a channel event. Names as in Asterisk's `cel.conf`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "SCREAMING_SNAKE_CASE"))]
#[non_exhaustive]
pub enum EventKind {
    /// A channel was made.
    ChanStart,
    /// A channel is gone.
    ChanEnd,
    /// A channel was answered.
    Answer,
    /// A channel was hung up.
    Hangup,
    /// An application begins.
    AppStart,
    /// An application is over.
    AppEnd,
    /// A channel enters a bridge.
    BridgeEnter,
    /// A channel leaves a bridge.
    BridgeExit,
    /// The call was forwarded.
    Forward,
    /// A transfer without consultation.
    Blindtransfer,
    /// A transfer after consultation.
    Attendedtransfer,
    /// A ringing call was taken by another channel.
    Pickup,
    /// The call was parked.
    ParkStart,
    /// The call is no longer parked.
    ParkEnd,
    /// The dialplan made it.
    UserDefined,
    /// The last channel of a linked id is gone.
    LinkedidEnd,
}

impl EventKind {
    /// The name in the log.
    pub fn name(self) -> &'static str {
        match self {
            EventKind::ChanStart => "CHAN_START",
            EventKind::ChanEnd => "CHAN_END",
            EventKind::Answer => "ANSWER",
            EventKind::Hangup => "HANGUP",
            EventKind::AppStart => "APP_START",
            EventKind::AppEnd => "APP_END",
            EventKind::BridgeEnter => "BRIDGE_ENTER",
            EventKind::BridgeExit => "BRIDGE_EXIT",
            EventKind::Forward => "FORWARD",
            EventKind::Blindtransfer => "BLINDTRANSFER",
            EventKind::Attendedtransfer => "ATTENDEDTRANSFER",
            EventKind::Pickup => "PICKUP",
            EventKind::ParkStart => "PARK_START",
            EventKind::ParkEnd => "PARK_END",
            EventKind::UserDefined => "USER_DEFINED",
            EventKind::LinkedidEnd => "LINKEDID_END",
        }
    }
}

/// Something that happened to a channel, with what was known of it then.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ChannelEvent {
    /// What.
    pub kind: EventKind,
    /// Name of an event of the dialplan.
    pub name: Text,
    /// When, since the epoch.
    pub time: Duration,
    /// Name of the caller.
    pub caller_name: Text,
    /// Number of the caller.
    pub caller_number: Text,
    /// Context where the channel was.
    pub context: Text,
    /// Extension where the channel was.
    pub exten: Text,
    /// The channel.
    pub channel: Text,
    /// The application that it ran; `AppDial` or `AppDial2` for one that was called and runs none.
    pub application: Text,
    /// Its data.
    pub data: Text,
    /// Flags of automatic message accounting.
    pub amaflags: u32,
    /// Account of the channel.
    pub accountcode: Text,
    /// Account of the channel that it talks with.
    pub peeraccount: Text,
    /// Unique id.
    pub uniqueid: Text,
    /// Id of the first channel of the whole call.
    pub linkedid: Text,
    /// The channel's user field.
    pub userfield: Text,
    /// The other channel that takes part; empty = none.
    pub peer: Text,
    /// More about it, as a JSON object; empty = nothing.
    pub extra: String,
}
