//! What was wrong with a decision, for the log.

use std::fmt::Write as _;

use crate::diagnostic::Level;
use crate::pcrf::worker::Worker;
use crate::pcrf::worker::deciding::Question;

impl Worker {
    /// Tells the warnings of the last decision, each with its line, and where a dialplan ended that could not decide.
    pub(super) fn warn(&self, question: &Question<'_, '_, '_, '_>) {
        let decision = self.runner.decision();
        let counters = &self.pcrf.tables.counters;
        let places = decision
            .places
            .iter()
            .map(Some)
            .chain(std::iter::repeat(None));
        for (entry, at) in decision.log.iter().zip(places) {
            if entry.level < Level::Warning {
                continue;
            }
            counters.warnings.up();
            self.pcrf.told.line(question.now, &*self.pcrf.sink, || {
                let mut line = String::new();
                let at = decision
                    .at
                    .as_ref()
                    .filter(|_| decision.fault == Some(entry.code))
                    .or(at);
                if let Some(at) = at {
                    if let Some(place) = question.loaded.policy.line_of(at) {
                        let _ = write!(line, "{place}: ");
                    }
                    let _ = write!(line, "[{}@{}:{}] ", at.exten, at.context, at.priority);
                }
                let _ = writeln!(
                    line,
                    "{}: {} ({} of {})",
                    entry.code.id,
                    entry.message,
                    question.kind.name(),
                    String::from_utf8_lossy(question.id)
                );
                line
            });
        }
    }
}
