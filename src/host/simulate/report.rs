//! What came of a simulated call.

use crate::base::Text;
use crate::diagnostic::Entry;
use crate::machine::{Call, Location, Note, Outcome};

use super::journal::{Occurrence, What};

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
    /// What happened, in the order in which it was computed.
    pub occurrences: Vec<Occurrence>,
}

/// An executed priority.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Executed<'a> {
    /// Where.
    pub at: &'a Location,
    /// The application.
    pub application: &'a Text,
    /// Its data after substitution.
    pub data: &'a Text,
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
        self.occurrences
            .iter()
            .filter(move |o| o.order == channel)
            .filter_map(|o| match &o.what {
                What::Priority {
                    at,
                    application,
                    data,
                } => Some(Executed {
                    at,
                    application,
                    data,
                }),
                _ => None,
            })
    }

    /// Log entries in order of time, then of the creation of channels.
    pub fn log(&self) -> Vec<(&Text, &Entry)> {
        let mut entries: Vec<_> = self
            .occurrences
            .iter()
            .filter_map(|o| match &o.what {
                What::Log(entry) => Some((o.time, o.order, &o.channel, entry)),
                _ => None,
            })
            .collect();
        entries.sort_by_key(|(time, order, ..)| (*time, *order));
        entries.into_iter().map(|(_, _, c, e)| (c, e)).collect()
    }

    /// Notes in the order in which they were made.
    pub fn notes(&self) -> impl Iterator<Item = (&Text, &Note)> {
        self.occurrences.iter().filter_map(|o| match &o.what {
            What::Note(note) => Some((&o.channel, note)),
            _ => None,
        })
    }

    /// Whether a limit ended any of the calls.
    pub fn limited(&self) -> bool {
        self.notes()
            .any(|(_, note)| matches!(note, Note::Limit { .. }))
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
