//! What happened in a simulation, in order.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::base::Text;
use crate::diagnostic::Entry;
use crate::machine::{Environment, Location, Note, Observer};

use super::clock::Clock;

/// One thing that happened on a channel.
#[derive(Debug, Clone)]
pub struct Occurrence {
    /// When, since the epoch, in the time of the simulation.
    pub time: Duration,
    /// Number of the channel, in order of creation.
    pub order: usize,
    /// Name of the channel.
    pub channel: Text,
    /// What.
    pub what: What,
}

/// What happened.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum What {
    /// A priority ran.
    Priority {
        /// Where.
        at: Location,
        /// The application, in its registered spelling.
        application: Text,
        /// Its data after substitution.
        data: Text,
    },
    /// A log entry.
    Log(Entry),
    /// A verbose message with its level.
    Verbose(u8, Text),
    /// A note.
    Note(Note),
}

/// Where observers of all channels write to.
#[derive(Clone, Default)]
pub(super) struct Journal {
    entries: Arc<Mutex<Vec<Occurrence>>>,
}

impl Journal {
    pub(super) fn push(&self, occurrence: Occurrence) {
        self.entries
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(occurrence);
    }

    /// Takes out everything written so far.
    pub(super) fn drain(&self) -> Vec<Occurrence> {
        std::mem::take(&mut *self.entries.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Writes what one call does.
pub(super) struct Recorder {
    pub(super) journal: Journal,
    pub(super) clock: Arc<Clock>,
    pub(super) order: usize,
}

impl Recorder {
    fn push(&self, channel: &Text, what: What) {
        self.journal.push(Occurrence {
            time: self.clock.now(),
            order: self.order,
            channel: channel.clone(),
            what,
        });
    }
}

impl Observer for Recorder {
    fn priority(&mut self, channel: &Text, at: &Location, application: &[u8], data: &[u8]) {
        self.push(
            channel,
            What::Priority {
                at: at.clone(),
                application: Text::from(application),
                data: Text::from(data),
            },
        );
    }

    fn log(&mut self, channel: &Text, entry: Entry) {
        self.push(channel, What::Log(entry));
    }

    fn verbose(&mut self, channel: &Text, level: u8, text: &[u8]) {
        self.push(channel, What::Verbose(level, Text::from(text)));
    }

    fn note(&mut self, channel: &Text, note: Note) {
        self.push(channel, What::Note(note));
    }
}
