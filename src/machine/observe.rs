//! Who watches a call. Free when nobody does: with an observer that looks at priorities the unfused code runs.

use crate::base::Text;
use crate::diagnostic::Entry;
use crate::machine::sampler::Sampler;
use crate::machine::{ChannelEvent, Location};

/// Something that Asterisk writes to its verbose log besides the executed priorities.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// The extension ended without a further priority.
    AutoFallthrough {
        /// DIALSTATUS or UNKNOWN.
        status: Text,
    },
    /// A jump to an extension that does not exist, handled by `i` or `e`.
    InvalidExtension {
        /// The place that does not exist.
        at: Location,
    },
    /// A digit or response time-out.
    Timeout,
    /// An application ended the channel at this place.
    SpawnExit {
        /// Where.
        at: Location,
    },
    /// A limit ended the call.
    Limit {
        /// Which.
        text: String,
    },
}

/// Sees what a call does.
pub trait Observer: Send {
    /// Whether it looks at every priority. One that does not leaves the fast path to the call.
    fn sees_priorities(&self) -> bool {
        true
    }
    /// Whether it reads log entries and verbose messages: they are made for nobody otherwise.
    fn hears(&self) -> bool {
        true
    }
    /// What samples the call's time, if that is why it watches.
    fn sampler(&mut self) -> Option<&mut Sampler> {
        None
    }
    /// Whether it looks at channel events: they are made for nobody otherwise. Asked once, when it begins to watch.
    fn sees_events(&self) -> bool {
        false
    }
    /// A channel event.
    fn event(&mut self, event: ChannelEvent) {
        drop(event);
    }
    /// A priority is about to run, its data substituted.
    fn priority(&mut self, channel: &Text, at: &Location, application: &[u8], data: &[u8]);
    /// A log entry.
    fn log(&mut self, channel: &Text, entry: Entry);
    /// A verbose message: `Verbose()`, `Goto (…)` and the like, with its level.
    fn verbose(&mut self, channel: &Text, level: u8, text: &[u8]);
    /// A note.
    fn note(&mut self, channel: &Text, note: Note);
}
