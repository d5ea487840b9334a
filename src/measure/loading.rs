//! How long a dialplan takes to load, and what it holds in memory then.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

use crate::host::{Engine, EngineError};
use crate::measure::memory::grown;

/// One load, from the call of [`Engine::load`] to its return: the files are read, parsed, compiled, linked and in
/// force then. They are in the cache of the system if they were read before.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Loaded {
    /// Contexts.
    pub contexts: usize,
    /// Extensions.
    pub extensions: usize,
    /// Priorities, without hints.
    pub priorities: usize,
    /// Wall-clock time.
    pub seconds: f64,
    /// Resident bytes that the load left behind, where the system says it. Only the first load of a process tells
    /// something: later ones get memory that earlier ones gave back.
    pub bytes: Option<usize>,
}

impl Loaded {
    /// Resident bytes for each priority.
    pub fn bytes_per_priority(&self) -> Option<f64> {
        (self.priorities > 0).then_some(self.bytes? as f64 / self.priorities as f64)
    }
}

/// Loads a file into an engine: a new one, or one whose dialplan it replaces.
pub fn load(engine: &Engine, path: &Path) -> Result<Loaded, EngineError> {
    let begin = Instant::now();
    let (seconds, bytes) = grown(|| {
        let report = engine.load(path)?;
        let seconds = begin.elapsed().as_secs_f64();
        drop(report);
        Ok(seconds)
    });
    let image = engine.image();
    let table = &image.program.table;
    Ok(Loaded {
        contexts: table.contexts.len(),
        extensions: table.extensions.len(),
        priorities: table.priorities.len(),
        seconds: seconds?,
        bytes,
    })
}

/// So many extensions of five lines, ten to a context.
pub fn many_contexts(extensions: u32) -> String {
    let mut text = String::from("[general]\n[globals]\nTRUNK=PJSIP/trunk\n");
    for n in 0..extensions {
        let (context, own) = (n / 10 + 1, n % 10);
        if own == 0 {
            let _ = writeln!(text, "[ctx-{context}]");
        }
        let _ = write!(
            text,
            "exten => {:03}{own:02},1,NoOp(call to ${{EXTEN}})\n same => n,Set(num=${{EXTEN:1}})\n \
             same => n,GotoIf($[\"${{num}}\" = \"{own}\"]?end)\n same => n,Dial(${{TRUNK}}/${{num}},30)\n \
             same => n(end),Hangup()\n",
            context % 1000
        );
    }
    text
}

/// So many numbers of 11 digits in one context, in no order, each with one line.
pub fn one_context(numbers: u32) -> String {
    let mut text = String::from("[big]\n");
    for n in 0..u64::from(numbers) {
        // Odd, so that all are different; the multiplication spreads them.
        let number = 10_000_000_000 + (n * 6_700_417_321) % 10_000_000_000;
        let _ = writeln!(text, "exten => {number},1,NoOp(${{EXTEN}})");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::load::MemoryReader;

    #[test]
    fn the_texts_hold_what_they_say() {
        for (text, contexts, extensions, priorities) in [
            (many_contexts(50), 5, 50, 250),
            (one_context(1_000), 1, 1_000, 1_000),
        ] {
            let engine = Engine::builder().build();
            let mut reader = MemoryReader::new().with("e.conf", text.as_str());
            let report = engine.load_from("e.conf", &mut reader).unwrap();
            assert!(report.diagnostics().is_empty(), "{report}");
            let image = engine.image();
            let table = &image.program.table;
            assert_eq!(table.contexts.len(), contexts);
            assert_eq!(table.extensions.len(), extensions);
            assert_eq!(table.priorities.len(), priorities);
        }
    }
}
