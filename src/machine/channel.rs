//! What a call knows of its channel.

use std::time::Duration;

use crate::base::rare::Absent;
use crate::base::symbol::StableMap;
use crate::base::{Rare, Text};
use crate::machine::facilities::{Message, Recordings};

/// Bytes that an entry takes beside its texts.
const ENTRY: usize = 64;

/// State of a channel, as CHANNEL(state) prints it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ChannelState {
    /// Nothing happened yet.
    Down,
    /// The caller hears ringing, the call is not answered.
    #[default]
    Ring,
    /// It rings here.
    Ringing,
    /// Answered.
    Up,
}

impl ChannelState {
    /// The name that CHANNEL(state) gives.
    pub fn name(self) -> &'static str {
        match self {
            ChannelState::Down => "Down",
            ChannelState::Ring => "Ring",
            ChannelState::Ringing => "Ringing",
            ChannelState::Up => "Up",
        }
    }
}

/// A party: number and name, each perhaps absent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Party {
    /// Number; `None` = the party has no number.
    pub number: Option<Text>,
    /// Name; `None` = the party has no name.
    pub name: Option<Text>,
    /// Further items of `CALLERID()`, `CONNECTEDLINE()`, `REDIRECTING()` by their name.
    pub items: Rare<Vec<(Text, Text)>>,
}

impl Absent for Party {
    const ABSENT: &'static Self = &Party {
        number: None,
        name: None,
        items: Rare::absent(),
    };
}

/// Time-outs of a channel, as `TIMEOUT()` sets them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// Between two digits.
    pub digit: Duration,
    /// For the first digit.
    pub response: Duration,
    /// When the call ends, since the epoch.
    pub absolute: Option<Duration>,
}

impl Default for Timeouts {
    fn default() -> Self {
        *Self::ABSENT
    }
}

impl Absent for Timeouts {
    /// 5 s between digits, 10 s for the first digit, no absolute time-out.
    const ABSENT: &'static Self = &Timeouts {
        digit: Duration::from_secs(5),
        response: Duration::from_secs(10),
        absolute: None,
    };
}

/// How a channel came to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MadeBy {
    /// It called in, or is the far half of a pair.
    #[default]
    Itself,
    /// A Dial called it: it is the called side of the caller's record and has no record of its own.
    Dial,
    /// An Originate called it.
    Originate,
}

impl MadeBy {
    /// The application that stands for a channel which runs none, and its data.
    pub fn application(self) -> (&'static str, &'static str) {
        match self {
            MadeBy::Itself => ("", ""),
            MadeBy::Dial => ("AppDial", "(Outgoing Line)"),
            MadeBy::Originate => ("AppDial2", "(Outgoing Line)"),
        }
    }
}

/// Why a called channel ended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LegCause {
    /// Its name.
    pub channel: Text,
    /// The cause in words, such as `Normal Clearing`.
    pub words: Text,
    /// The cause in the terms of its protocol, such as `SIP 486 Busy Here`.
    pub protocol: Text,
}

/// A channel.
#[derive(Debug, Clone)]
pub struct Channel {
    /// Its name, such as `PJSIP/alice-00000001`.
    pub name: Text,
    /// Unique id.
    pub uniqueid: Text,
    /// Id of the first channel of this call.
    pub linkedid: Text,
    /// State.
    pub state: ChannelState,
    /// Language.
    pub language: Text,
    /// Caller.
    pub caller: Party,
    /// Connected party.
    pub connected: Rare<Party>,
    /// Redirecting party.
    pub redirecting: Rare<Party>,
    /// Time-outs.
    pub timeouts: Rare<Timeouts>,
    /// Hangup cause; 0 = none set.
    pub cause: u32,
    /// Items of `CHANNEL()` that were set, by name.
    pub items: Rare<StableMap<Text, Text>>,
    /// The `SHARED()` store.
    pub shared: Rare<StableMap<Text, Text>>,
    /// Why channels that this one called ended, for `HANGUPCAUSE()`: those legs of its Dials whose
    /// [`DialedLeg`](super::DialedLeg) says so, and what the host adds.
    pub leg_causes: Rare<Vec<LegCause>>,
    /// Settings of functions other than `CHANNEL()`, by function and item: `FEATURE pickupexten`.
    pub settings: Rare<Vec<(Text, Text)>>,
    /// The text message that it carries, for `MESSAGE()`.
    pub message: Option<Box<Message>>,
    /// What it recorded and records.
    pub recordings: Rare<Recordings>,
    /// How it came to be.
    pub made_by: MadeBy,
    /// Whether its own dialplan hung it up last, which `CHANNEL(hangupsource)` tells.
    left: bool,
    /// When it was made, since the epoch, where the host says it.
    pub created: Option<Duration>,
    /// When it was answered, since the epoch.
    pub answered: Option<Duration>,
    /// Hangup handlers, last pushed last: Gosub targets.
    pub hangup_handlers: Rare<Vec<Text>>,
}

/// The item of `CHANNEL()` that tells who hung up.
const HANGUP_SOURCE: &[u8] = b"hangupsource";

impl Channel {
    /// A channel of this name in state Ring.
    pub fn new(name: impl Into<Text>) -> Self {
        Self {
            name: name.into(),
            uniqueid: Text::EMPTY,
            linkedid: Text::EMPTY,
            state: ChannelState::default(),
            language: Text::from("en"),
            caller: Party::default(),
            connected: Rare::absent(),
            redirecting: Rare::absent(),
            timeouts: Rare::absent(),
            cause: 0,
            items: Rare::absent(),
            shared: Rare::absent(),
            leg_causes: Rare::absent(),
            settings: Rare::absent(),
            message: None,
            recordings: Rare::absent(),
            made_by: MadeBy::default(),
            left: false,
            created: None,
            answered: None,
            hangup_handlers: Rare::absent(),
        }
    }

    /// An item of `CHANNEL()` that was set, by the dialplan or by what happened.
    pub fn item(&self, name: &[u8]) -> Option<&[u8]> {
        let set = self.items.get(name).map(Text::as_bytes);
        set.or((self.left && name == HANGUP_SOURCE).then_some(b"dialplan/builtin"))
    }

    /// Its dialplan hangs it up: with this cause, else the one that is set, else 16.
    pub(super) fn leave(&mut self, cause: Option<u32>) {
        self.left = true;
        if self.items.get(HANGUP_SOURCE).is_some() {
            self.items.remove(HANGUP_SOURCE);
        }
        match cause {
            Some(cause) => self.cause = cause,
            None if self.cause == 0 => self.cause = 16,
            None => {}
        }
    }

    /// Has not come to an end, like this one.
    pub(super) fn renew(&mut self, like: &Channel) {
        (self.cause, self.state, self.left) = (like.cause, like.state, like.left);
    }

    /// Sets an item of `CHANNEL()`.
    pub fn set_item(&mut self, name: &[u8], value: &[u8]) {
        self.items.insert(Text::from(name), Text::from(value));
    }

    /// Bytes that grow with what a dialplan stores in the channel, roughly: for the memory limit.
    pub fn memory(&self) -> usize {
        let pairs = |map: &StableMap<Text, Text>| -> usize {
            map.iter().map(|(n, v)| n.len() + v.len() + ENTRY).sum()
        };
        let handlers = self.hangup_handlers.iter().map(|h| h.len() + ENTRY);
        let settings = self.settings.iter().map(|(n, v)| n.len() + v.len() + ENTRY);
        pairs(&self.items)
            + pairs(&self.shared)
            + handlers.sum::<usize>()
            + settings.sum::<usize>()
            + self.message.as_ref().map_or(0, |message| message.memory())
            + self.recordings.memory()
    }

    /// A setting of a function.
    pub fn setting(&self, key: &[u8]) -> Option<&Text> {
        let found = self.settings.iter().find(|(k, _)| k.as_bytes() == key);
        found.map(|(_, value)| value)
    }

    /// Removes a setting of a function.
    pub fn remove_setting(&mut self, key: &[u8]) {
        self.settings.retain(|(k, _)| k.as_bytes() != key);
    }

    /// Sets a setting of a function.
    pub fn set_setting(&mut self, key: &[u8], value: &[u8]) {
        let settings = &mut *self.settings;
        match settings.iter_mut().find(|(k, _)| k.as_bytes() == key) {
            Some((_, old)) => *old = Text::from(value),
            None => settings.push((Text::from(key), Text::from(value))),
        }
    }
}
