//! Globals as one call knows them: read once, and again only when some global has changed.

use crate::base::{Text, Value};
use crate::machine::Shared;
use crate::program::slots::Slot;

/// How many are kept; a plan that reads more of them starts over.
const MOST: usize = 16;

/// The globals that a call has read since the last change of any global.
#[derive(Debug, Default)]
pub(crate) struct Globals {
    version: u64,
    known: Vec<(Slot, Option<Value>)>,
}

impl Globals {
    /// The global of a slot's name.
    #[inline]
    pub(crate) fn get(&mut self, shared: &Shared, slot: Slot, name: &Text) -> Option<&Value> {
        // Read before the value: a change in between makes it look older than it is, never newer.
        let version = shared.globals_version();
        if version != self.version {
            self.forget();
            self.version = version;
        }
        let at = self.known.iter().position(|(known, _)| *known == slot);
        let at = at.unwrap_or_else(|| self.learn(shared, slot, name));
        self.known.get(at)?.1.as_ref()
    }

    fn learn(&mut self, shared: &Shared, slot: Slot, name: &Text) -> usize {
        if self.known.len() >= MOST {
            self.forget();
        }
        self.known.push((slot, shared.global(name)));
        self.known.len() - 1
    }

    /// Slots have other numbers in another dialplan.
    pub(crate) fn forget(&mut self) {
        self.known.clear();
    }
}
