//! What happened in a simulation, in order.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::base::Text;
use crate::diagnostic::Entry;
use crate::machine::{CallRecord, ChannelEvent, Environment, Location, Note, Observer};

use super::clock::Clock;
use super::record::{Executed, Record};

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

/// What the observers of all channels write, and a watcher has still to see.
#[derive(Default)]
struct Pages {
    /// Whether somebody watches.
    watched: bool,
    /// Whether the report is to hold what happens.
    kept: bool,
    unseen: Vec<Occurrence>,
    record: Record,
}

/// Where observers of all channels write to.
#[derive(Clone, Default)]
pub(super) struct Journal {
    pages: Arc<Mutex<Pages>>,
}

impl Journal {
    pub(super) fn new(watched: bool, kept: bool) -> Self {
        let pages = Pages {
            watched,
            kept,
            ..Pages::default()
        };
        Self {
            pages: Arc::new(Mutex::new(pages)),
        }
    }

    fn pages(&self) -> MutexGuard<'_, Pages> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes out everything that a watcher has not seen yet.
    pub(super) fn unseen(&self) -> Vec<Occurrence> {
        std::mem::take(&mut self.pages().unseen)
    }

    /// Adds finished call records.
    pub(super) fn file(&self, records: Vec<CallRecord>) {
        if !records.is_empty() {
            self.pages().record.calls.extend(records);
        }
    }

    /// Takes out the record.
    pub(super) fn record(&self) -> Record {
        std::mem::take(&mut self.pages().record)
    }
}

/// Writes what one call does.
pub(super) struct Recorder {
    pub(super) journal: Journal,
    pub(super) clock: Arc<Clock>,
    pub(super) order: usize,
    /// Whether somebody looks at channel events.
    pub(super) events: bool,
}

impl Recorder {
    /// Notes down what happens: `keep` for the report, `what` for a watcher.
    fn write(
        &self,
        channel: &Text,
        keep: impl FnOnce(&mut Record, Duration),
        what: impl FnOnce() -> What,
    ) {
        let time = self.clock.now();
        let mut pages = self.journal.pages();
        pages.record.last = time;
        if pages.watched {
            pages.unseen.push(Occurrence {
                time,
                order: self.order,
                channel: channel.clone(),
                what: what(),
            });
        }
        if pages.kept {
            keep(&mut pages.record, time);
        }
    }
}

impl Observer for Recorder {
    fn sees_events(&self) -> bool {
        self.events
    }

    fn event(&mut self, event: ChannelEvent) {
        self.journal.pages().record.events.push(event);
    }

    fn priority(&mut self, channel: &Text, at: &Location, application: &[u8], data: &[u8]) {
        self.journal.pages().record.ran(self.order);
        let executed = Executed {
            context: &at.context,
            exten: &at.exten,
            priority: at.priority,
            application,
            data,
        };
        self.write(
            channel,
            |record, _| record.executed(self.order, &executed),
            || What::Priority {
                at: at.clone(),
                application: Text::from(application),
                data: Text::from(data),
            },
        );
    }

    fn log(&mut self, channel: &Text, entry: Entry) {
        self.write(
            channel,
            |record, time| record.logged(time, self.order, channel, &entry),
            || What::Log(entry.clone()),
        );
    }

    fn verbose(&mut self, channel: &Text, level: u8, text: &[u8]) {
        let what = || What::Verbose(level, Text::from(text));
        self.write(channel, |_, _| {}, what);
    }

    fn note(&mut self, channel: &Text, note: Note) {
        if matches!(note, Note::Limit { .. }) {
            self.journal.pages().record.limited = true;
        }
        self.write(
            channel,
            |record, _| record.noted(channel, &note),
            || What::Note(note.clone()),
        );
    }
}
