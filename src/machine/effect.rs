//! What a call asks of its host, and what the host answers. A call never blocks: whatever waits
//! or is visible outside comes out of [`Call::step`](super::Call::step) as an [`Effect`], and goes
//! on with the next [`Event`].
//!
//! With the feature `serde` both have a stable form, which records, traces and remote hosts share: a text is
//! a string, or `{"hex": "…"}` where it is not UTF-8.

use std::time::Duration;

use crate::base::Text;
use crate::machine::{NameRecord, Outcome, OutsideRequest, RealtimeRow};
use crate::store::{StoreAnswer, StoreRequest};

/// The request of a call to a host that knows when other calls act. Its data is the time until which it waits, in
/// nanoseconds since the epoch; without a limit it is empty. `Resume`: something may have changed; `Timeout`: the time
/// is over. After any other answer the call looks from time to time.
pub(crate) const WATCH: &[u8] = b"Watch";

/// What a call wants from its host.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Effect {
    /// Answer the channel; the event is `Done`, or `Hangup`.
    Answer,
    /// Show a state of the call to the other side: ringing, progress, busy, congestion.
    Indicate(Indication),
    /// Wait; digits that arrive meanwhile are dropped by the host. `Done` when the time is over.
    Sleep(Duration),
    /// Play files one after the other. `Played` at the end or at a digit in `stop_on`.
    Play(Play),
    /// Wait for one digit. `Digit`, or `Timeout` when none came; `None` waits for ever.
    Collect {
        /// How long.
        timeout: Option<Duration>,
    },
    /// Record to a file. `Recorded`.
    Record(Record),
    /// Call somebody and connect the answering side. `Dialed`.
    Dial(Box<Dial>),
    /// Start a new call. `Originated`.
    Originate(Box<Originate>),
    /// Something about another channel, by name. `Value` with the answer, or `Failed`.
    Channel {
        /// Name of the channel.
        name: Text,
        /// What about it.
        request: ChannelRequest,
    },
    /// An event for management clients: name and headers. `Done`.
    UserEvent {
        /// Name of the event.
        name: Text,
        /// `key: value` pairs, as written.
        headers: Vec<Text>,
    },
    /// Something of the machine that the host runs on or of what it can reach: files, commands, networks, tables.
    /// Each request says which event answers it; `Failed` with the reason where it cannot be carried out.
    /// What the engine does not allow is never asked.
    Outside(OutsideRequest),
    /// Something of the store that the host keeps, or, with an embedded store, only
    /// [`Flush`](StoreRequest::Flush). `Store` with the answer, or `Failed` with the reason;
    /// [`store::answer`](crate::store::answer) answers from any store.
    Store(StoreRequest),
    /// An application or function of the embedding service, or one that needs a device.
    /// Any event; `Done` goes on, `Value` gives text, `Failed` fails, `Hangup` ends the call.
    Custom {
        /// Name of the application or function.
        name: Text,
        /// Its data.
        data: Text,
    },
    /// The fuel of this step is spent; step again with `Resume`.
    Yield,
    /// The call is over; stepping again gives the same answer.
    End(Box<Outcome>),
}

/// A state shown to the other side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Indication {
    /// The called party is being alerted.
    Ringing,
    /// Early media.
    Progress,
    /// The call is being routed.
    Proceeding,
    /// Busy tone.
    Busy,
    /// Congestion tone.
    Congestion,
    /// Hold.
    Hold,
    /// End of a hold.
    Unhold,
}

/// Files to play.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Play {
    /// What is played: files, or text that the host says.
    pub what: Vec<Sound>,
    /// Digits that stop it.
    pub stop_on: Text,
    /// How far into the whole of it playing begins. At or past its end nothing is heard, and it has ended.
    #[cfg_attr(feature = "serde", serde(default))]
    pub from: Duration,
}

/// One thing to play.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Sound {
    /// A sound file by name, without format.
    File(Text),
    /// Say a text: the kind is the application's name (`SayNumber`, `SayDigits` …).
    Say {
        /// How to say it.
        kind: Text,
        /// What to say.
        text: Text,
    },
}

/// A recording.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Record {
    /// File name with format.
    pub file: Text,
    /// Stop after this much silence.
    pub silence: Option<Duration>,
    /// Stop after this time.
    pub max: Option<Duration>,
    /// Option letters.
    pub options: Text,
}

/// A Dial: the host creates the legs, waits, connects, and reports.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Dial {
    /// Destinations: technology and resource.
    pub targets: Vec<(Text, Text)>,
    /// Answer timeout; `None` = for ever.
    pub timeout: Option<Duration>,
    /// Options: letter and argument, in the order written.
    pub options: Vec<(u8, Option<Text>)>,
    /// Variables that the new channels inherit: name (with `__` when it is inherited further) and value.
    pub inherit: Vec<(Text, Text)>,
    /// Caller number and name that the new channels show.
    pub caller: (Option<Text>, Option<Text>),
}

impl Dial {
    /// The argument of an option; `None` when the option is absent.
    pub fn option(&self, letter: u8) -> Option<&[u8]> {
        self.options
            .iter()
            .rev()
            .find(|(l, _)| *l == letter)
            .map(|(_, argument)| argument.as_ref().map_or(&[][..], |t| t.as_bytes()))
    }
}

/// How a Dial ended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Dialed {
    /// ANSWER, BUSY, NOANSWER, CONGESTION, CHANUNAVAIL, CANCEL, INVALIDARGS, …
    pub status: Text,
    /// Hangup cause for the calling channel; `None` leaves it.
    pub cause: Option<u32>,
    /// Name of the channel that answered.
    pub peer: Option<Text>,
    /// Resource that was dialled on it.
    pub number: Option<Text>,
    /// From start to end of the Dial.
    pub dialed: Option<Duration>,
    /// From answer to end.
    pub answered: Option<Duration>,
    /// From start to the first ringing.
    pub ringing: Option<Duration>,
    /// From start to the first progress.
    pub progress: Option<Duration>,
    /// What the calling channel does next.
    pub next: AfterDial,
    /// Variables to set on the calling channel, in order.
    pub set: Vec<(Text, Text)>,
    /// The channels that were called, in the order of the destinations, for the caller's records and
    /// `HANGUPCAUSE()`. A host that leaves it empty gives one record, with `peer`.
    #[cfg_attr(feature = "serde", serde(default))]
    pub legs: Vec<DialedLeg>,
}

/// A channel that a Dial called, as its part in the Dial ended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
pub struct DialedLeg {
    /// Its name.
    pub channel: Text,
    /// ANSWER, BUSY, NOANSWER, CONGESTION, CHANUNAVAIL or CANCEL.
    pub status: Text,
    /// Hangup cause with which it ended; 0 = none.
    pub cause: u32,
    /// The cause in the terms of its protocol, such as `SIP 486 Busy Here`. Empty where the protocol tells none:
    /// then `HANGUPCAUSE()` does not know the channel.
    pub protocol: Text,
    /// From the start of the Dial to its end; `None` = it ended with the Dial.
    pub ended: Option<Duration>,
    /// Its account.
    pub accountcode: Text,
    /// Its `CDR(userfield)`.
    pub userfield: Text,
    /// Other fields that were written to its record.
    pub variables: Vec<(Text, Text)>,
}

/// What the calling channel does after a Dial.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum AfterDial {
    /// The next priority.
    #[default]
    Continue,
    /// The call ends and `h` runs.
    Hangup,
    /// Go to a place, in the form of Goto's data.
    Goto(Text),
    /// A digit of the caller leaves Dial: first digit of a new extension.
    Digit(u8),
}

/// A new call from nowhere.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Originate {
    /// Technology.
    pub technology: Text,
    /// Resource.
    pub resource: Text,
    /// What the answered channel does.
    pub then: OriginateThen,
    /// How long to wait for the answer.
    pub timeout: Duration,
    /// Options: letter and argument.
    pub options: Vec<(u8, Option<Text>)>,
    /// Variables of the new channel.
    pub variables: Vec<(Text, Text)>,
}

/// What an originated channel does when it answers.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum OriginateThen {
    /// Runs one application.
    Application {
        /// Its name.
        name: Text,
        /// Its data.
        data: Text,
    },
    /// Enters the dialplan.
    Extension {
        /// Context.
        context: Text,
        /// Extension.
        exten: Text,
        /// Priority or label.
        priority: Text,
    },
}

/// Requests about another channel.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum ChannelRequest {
    /// Evaluate `${text}` there.
    Evaluate(Text),
    /// Set a variable or write a function there.
    Set {
        /// Name, perhaps a function call.
        name: Text,
        /// Value.
        value: Text,
    },
    /// Read its `SHARED()` store.
    Shared(Text),
    /// Write its `SHARED()` store.
    SetShared {
        /// Name.
        name: Text,
        /// Value.
        value: Text,
    },
    /// Hang it up; `all` = every channel of that device.
    Hangup {
        /// Whether the name is a device with perhaps several channels.
        all: bool,
    },
    /// Send it to another place in the dialplan.
    Redirect(Text),
    /// Whether it exists.
    Exists,
    /// Names of all channels that match the pattern in place of the name, blank-separated.
    List,
}

/// What happened, as the host tells it.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Event {
    /// First step of a call.
    Start,
    /// Go on after `Yield`.
    Resume,
    /// The effect is carried out.
    Done,
    /// A digit: `0`–`9`, `*`, `#`, `A`–`D`.
    Digit(u8),
    /// No digit came in time.
    Timeout,
    /// The files were played; which digit stopped it, and which files do not exist.
    Played {
        /// Digit that stopped it.
        digit: Option<u8>,
        /// Files that do not exist.
        missing: Vec<Text>,
    },
    /// A recording ended, with the text of `RECORD_STATUS`.
    Recorded(Text),
    /// A Dial ended.
    Dialed(Box<Dialed>),
    /// An Originate ended with this `ORIGINATE_STATUS`.
    Originated(Text),
    /// A text answer.
    Value(Text),
    /// What the store answers.
    Store(StoreAnswer),
    /// Texts, in order.
    Values(Vec<Text>),
    /// Records of the domain name system, in the order of the answer.
    Records(Vec<NameRecord>),
    /// Rows of a realtime family, in the order of the table.
    Rows(Vec<RealtimeRow>),
    /// The effect could not be carried out.
    Failed(String),
    /// The other side hung up, with this cause.
    Hangup(u32),
}
