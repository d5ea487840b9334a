//! What a measured call prints by Verbose, kept until the clock has stopped.

use std::sync::{Arc, Mutex, PoisonError};

use crate::base::Text;
use crate::diagnostic::Entry;
use crate::machine::{Location, Note, Observer};

use super::super::ui;

/// How much is kept: a loop may print without end.
const MOST_LINES: usize = 200;

/// Keeps verbose messages; leaves the fast path to the call.
#[derive(Debug, Default, Clone)]
pub(super) struct Console(Arc<Mutex<Vec<String>>>);

impl Console {
    fn keep(&self, line: String) {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() < MOST_LINES {
            lines.push(line);
        }
    }

    /// Prints what was kept.
    pub(super) fn show(&self) {
        for line in &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            ui::message(line);
        }
    }
}

impl Observer for Console {
    fn sees_priorities(&self) -> bool {
        false
    }
    fn priority(&mut self, _: &Text, _: &Location, _: &[u8], _: &[u8]) {}
    fn log(&mut self, channel: &Text, entry: Entry) {
        self.keep(format!(
            "{}[{channel}]: {}",
            entry.level.name().to_uppercase(),
            entry.message
        ));
    }
    fn verbose(&mut self, _: &Text, _: u8, text: &[u8]) {
        self.keep(String::from_utf8_lossy(text).into_owned());
    }
    fn note(&mut self, _: &Text, _: Note) {}
}
