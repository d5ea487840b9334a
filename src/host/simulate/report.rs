//! What came of a simulated call.

use std::time::Duration;

use crate::base::Text;
use crate::diagnostic::Entry;
use crate::machine::{Call, CallRecord, ChannelEvent, Note, Outcome};

use super::record::{Executed, Record};

/// One channel at its end.
#[derive(Debug)]
pub struct ChannelReport {
    /// Its name.
    pub name: Text,
    /// Whether it executed any priority.
    pub ran: bool,
    /// Its call, ended: variables, cause, place.
    pub call: Call,
}

/// Everything that happened in a simulated call. The first channel is the call itself.
#[derive(Debug)]
pub struct RunReport {
    /// Channels in order of creation.
    pub channels: Vec<ChannelReport>,
    pub(super) record: Record,
}

impl RunReport {
    /// How the call ended.
    pub fn outcome(&self) -> Option<Outcome> {
        self.channels.first().map(|channel| channel.call.outcome())
    }

    /// The value of a variable of the call at its end; globals count where the channel has none.
    pub fn variable(&mut self, name: &str) -> Option<Text> {
        self.channels
            .first_mut()
            .and_then(|channel| channel.variable(name.as_bytes()))
    }

    /// The priorities that a channel executed, by its number in order of creation.
    pub fn trace(&self, channel: usize) -> impl Iterator<Item = Executed<'_>> {
        self.record.lines(channel)
    }

    /// Log entries in order of time, then of the creation of channels, each with its channel's name and how
    /// many times it came in a row.
    pub fn log(&self) -> impl Iterator<Item = (&Text, &Entry, u32)> {
        self.record.log()
    }

    /// Notes in the order in which they were made, each with its channel's name and how many times it came in
    /// a row.
    pub fn notes(&self) -> impl Iterator<Item = (&Text, &Note, u32)> {
        self.record.notes()
    }

    /// Call records of all channels, in the order in which the channels ended.
    pub fn records(&self) -> &[CallRecord] {
        &self.record.calls
    }

    /// Channel events in the order in which they happened; none unless [`SimChannel::events`](super::SimChannel::events)
    /// asks for them.
    pub fn events(&self) -> &[ChannelEvent] {
        &self.record.events
    }

    /// Whether a limit ended any of the calls.
    pub fn limited(&self) -> bool {
        self.record.limited
    }

    /// When the last thing happened, since the epoch, in the time of the simulation.
    pub fn last(&self) -> Duration {
        self.record.last
    }
}

impl ChannelReport {
    /// The value of a variable at the end; globals count where the channel has none.
    pub fn variable(&mut self, name: &[u8]) -> Option<Text> {
        self.call.cx().stored_variable(name).map(|v| v.to_text())
    }

    /// The hangup cause; 0 = none was set.
    pub fn cause(&self) -> u32 {
        self.call.channel().cause
    }
}
