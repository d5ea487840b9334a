//! Recordings of a channel.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::base::Text;
use crate::base::rare::Absent;

/// A recording of both sides that runs in the background.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Monitor {
    /// Its id, for `StopMixMonitor` and `MIXMONITOR()`.
    pub id: Text,
    /// Its file.
    pub file: Text,
}

/// Names with numbers that recordings got: the next number of each pattern.
#[derive(Debug, Clone, Default)]
pub struct Numbered {
    next: BTreeMap<Text, u32>,
}

/// Patterns whose numbers are remembered.
const MOST_PATTERNS: usize = 10_000;

impl Numbered {
    /// The name for a pattern: each `%d` is the number, from 0, that no recording of this pattern got before. A name
    /// without `%d` stays as it is.
    pub fn name(&mut self, pattern: &[u8]) -> Text {
        if bstr::ByteSlice::find(pattern, "%d").is_none() {
            return Text::from(pattern);
        }
        if self.next.len() >= MOST_PATTERNS && !self.next.contains_key(pattern) {
            self.next.pop_first();
        }
        let next = self.next.entry(Text::from(pattern)).or_insert(0);
        let number = next.to_string();
        *next = next.saturating_add(1);
        Text::from(bstr::ByteSlice::replace(pattern, "%d", number))
    }
}

/// What a channel recorded and records.
#[derive(Debug, Clone, Default)]
pub struct Recordings {
    /// How long the last finished recording of `Record` is.
    pub last: Option<Duration>,
    /// Recordings that run, oldest first.
    pub running: Vec<Monitor>,
}

impl Absent for Recordings {
    /// Nothing was recorded.
    const ABSENT: &'static Self = &Recordings {
        last: None,
        running: Vec::new(),
    };
}

impl Recordings {
    /// A recording that runs, by id.
    pub fn monitor(&self, id: &[u8]) -> Option<&Monitor> {
        self.running.iter().find(|m| m.id.as_bytes() == id)
    }

    /// Ends the recording of this id, all of them where it is empty; says whether there was one.
    pub fn stop(&mut self, id: &[u8]) -> bool {
        let before = self.running.len();
        self.running
            .retain(|m| !id.is_empty() && m.id.as_bytes() != id);
        self.running.len() < before
    }

    /// Bytes that it takes, roughly: for the memory limit.
    pub fn memory(&self) -> usize {
        let of = |monitor: &Monitor| monitor.id.len() + monitor.file.len() + 64;
        self.running.iter().map(of).sum()
    }
}
