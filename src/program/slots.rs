//! Variable names that occur in a dialplan, as slot numbers.

use crate::base::Text;
use crate::base::symbol::{StableMap, stable_map};

/// Index of a variable in the slots of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Slot(pub u32);

/// Names and numbers of the slots of a dialplan.
#[derive(Debug, Clone)]
pub struct Slots {
    names: Vec<Text>,
    numbers: StableMap<Text, Slot>,
}

/// Members of `HASH()` are kept apart from the slots: their order of creation can be seen (HASHKEYS).
pub const HASH_PREFIX: &[u8] = b"~HASH~";

impl Default for Slots {
    fn default() -> Self {
        Self {
            names: Vec::new(),
            numbers: stable_map(),
        }
    }
}

impl Slots {
    /// The slot of a name, new if need be; `None` for members of `HASH()`.
    pub fn add(&mut self, name: &[u8]) -> Option<Slot> {
        if let Some(&slot) = self.numbers.get(name) {
            return Some(slot);
        }
        if name.starts_with(HASH_PREFIX) || name.is_empty() {
            return None;
        }
        let slot = Slot(self.names.len() as u32);
        let text = Text::from(name);
        self.names.push(text.clone());
        self.numbers.insert(text, slot);
        Some(slot)
    }

    /// The slot of a name.
    #[inline]
    pub fn get(&self, name: &[u8]) -> Option<Slot> {
        self.numbers.get(name).copied()
    }

    /// The name of a slot.
    pub fn name(&self, slot: Slot) -> &Text {
        self.names.get(slot.0 as usize).unwrap_or(&Text::EMPTY)
    }

    /// How many slots there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }
}
