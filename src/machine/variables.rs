//! Channel variables: slots for the names of the dialplan, a map for all others.
//!
//! Asterisk keeps a list with the newest entry first; a Set replaces the newest entry of that name,
//! Gosub pushes further entries of the same name, and removing one makes the older one reappear.
//! So each name is a stack: the top in its slot (or the map), what is below in `Shadows`.

use crate::base::symbol::StableMap;
use crate::base::{Rare, Text, Value};
use crate::program::slots::{Slot, Slots};

/// How new channels inherit a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Inherit {
    /// Not at all.
    #[default]
    No,
    /// As a plain variable (`_name`).
    Once,
    /// As an inherited one again (`__name`).
    Always,
}

impl Inherit {
    /// The name with the underscores that make it inherited like this.
    pub fn written(self, name: &Text) -> Text {
        let underscores: &[u8] = match self {
            Inherit::No => return name.clone(),
            Inherit::Once => b"_",
            Inherit::Always => b"__",
        };
        Text::from([underscores, name.as_bytes()].concat())
    }
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Entry {
    pub(crate) value: Option<Value>,
    pub(crate) inherit: Inherit,
}

#[derive(Debug, Clone)]
struct Spilled {
    entry: Entry,
    age: u64,
}

/// Entries below the newest of their name, which come last here.
#[derive(Debug, Clone, Default)]
struct Shadows {
    slots: Rare<Vec<Vec<Entry>>>,
    spilled: Rare<StableMap<Text, Vec<Entry>>>,
}

impl Shadows {
    fn of(&self, slots: &Slots, name: &[u8]) -> &[Entry] {
        let found = match slots.get(name) {
            Some(slot) => self.slots.get(slot.0 as usize),
            None => self.spilled.get(name),
        };
        found.map_or(&[], Vec::as_slice)
    }

    fn push(&mut self, slots: &Slots, name: &[u8], entry: Entry) {
        match slots.get(name) {
            Some(slot) => {
                let at = slot.0 as usize;
                if at >= self.slots.len() {
                    self.slots.resize(at + 1, Vec::new());
                }
                if let Some(entries) = self.slots.get_mut(at) {
                    entries.push(entry);
                }
            }
            None => match self.spilled.get_mut(name) {
                Some(entries) => entries.push(entry),
                None => {
                    self.spilled.insert(Text::from(name), vec![entry]);
                }
            },
        }
    }

    fn pop(&mut self, slots: &Slots, name: &[u8]) -> Option<Entry> {
        if self.of(slots, name).is_empty() {
            return None;
        }
        if let Some(slot) = slots.get(name) {
            return self.slots.get_mut(slot.0 as usize)?.pop();
        }
        let entries = self.spilled.get_mut(name)?;
        let entry = entries.pop();
        if entries.is_empty() {
            self.spilled.remove(name);
        }
        entry
    }

    fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.slots.iter().chain(self.spilled.values()).flatten()
    }
}

/// The variables of a channel.
#[derive(Debug, Clone, Default)]
pub struct Variables {
    pub(crate) slots: Vec<Entry>,
    spilled: Rare<StableMap<Text, Spilled>>,
    shadows: Shadows,
    clock: u64,
}

/// Up to so many slots a call has room for no more than it uses, two at a time.
const CLOSE: usize = 64;

impl Variables {
    /// The value in a slot.
    #[inline]
    pub fn slot(&self, slot: Slot) -> Option<&Value> {
        self.slots.get(slot.0 as usize)?.value.as_ref()
    }

    /// Puts a value into a slot; the variable is no longer inherited.
    #[inline]
    pub fn set_slot(&mut self, slot: Slot, value: Value) {
        let entry = self.slot_entry(slot);
        entry.value = Some(value);
        entry.inherit = Inherit::No;
    }

    /// The value in a slot, to be set; the variable is no longer inherited.
    #[inline]
    pub(crate) fn slot_value(&mut self, slot: Slot) -> &mut Value {
        let entry = self.slot_entry(slot);
        entry.inherit = Inherit::No;
        entry.value.get_or_insert(Value::EMPTY)
    }

    #[inline]
    pub(crate) fn slot_entry(&mut self, slot: Slot) -> &mut Entry {
        let at = slot.0 as usize;
        if at >= self.slots.len() {
            if at < CLOSE {
                let room = (at + 1).next_multiple_of(2);
                self.slots.reserve_exact(room - self.slots.len());
            }
            self.slots.resize(at + 1, Entry::default());
        }
        // INVARIANT: resized just above, so the last element exists even if `at` did not.
        #[expect(clippy::indexing_slicing, reason = "resized above")]
        &mut self.slots[at]
    }

    /// Forgets all variables, keeps the room.
    pub(crate) fn clear(&mut self) {
        self.slots.fill_with(Entry::default);
        self.spilled = Rare::absent();
        self.shadows = Shadows::default();
        self.clock = 0;
    }

    /// The value of a name.
    pub fn get(&self, slots: &Slots, name: &[u8]) -> Option<&Value> {
        if let Some(slot) = slots.get(name)
            && let Some(value) = self.slot(slot)
        {
            return Some(value);
        }
        self.spilled.get(name)?.entry.value.as_ref()
    }

    /// Sets a name (without underscores): replaces the newest entry.
    pub fn set(&mut self, slots: &Slots, name: &[u8], value: Value, inherit: Inherit) {
        self.clock += 1;
        if let Some(slot) = slots.get(name) {
            let entry = self.slot_entry(slot);
            entry.value = Some(value);
            entry.inherit = inherit;
        } else {
            let age = self.clock;
            let spilled = Spilled {
                entry: Entry {
                    value: Some(value),
                    inherit,
                },
                age,
            };
            if let Some(old) = self.spilled.get_mut(name) {
                *old = spilled;
            } else {
                self.spilled.insert(Text::from(name), spilled);
            }
        }
    }

    /// Puts a further entry of a name on top of the present one.
    pub fn push(&mut self, slots: &Slots, name: &[u8], value: Value) {
        let old = self.take(slots, name);
        if old.value.is_some() {
            self.shadows.push(slots, name, old);
        }
        self.set(slots, name, value, Inherit::No);
    }

    /// Removes the newest entry of a name; an older one reappears. Says whether there was one.
    pub fn remove(&mut self, slots: &Slots, name: &[u8]) -> bool {
        let there = self.take(slots, name).value.is_some();
        if there
            && let Some(entry) = self.shadows.pop(slots, name)
            && let Some(value) = entry.value
        {
            self.set(slots, name, value, entry.inherit);
        }
        there
    }

    /// The `n`th entry of a name, the newest first.
    pub fn nth(&self, slots: &Slots, name: &[u8], n: usize) -> Option<&Value> {
        let Some(below) = n.checked_sub(1) else {
            return self.get(slots, name);
        };
        let entry = self.shadows.of(slots, name).iter().nth_back(below)?;
        entry.value.as_ref()
    }

    fn take(&mut self, slots: &Slots, name: &[u8]) -> Entry {
        match slots.get(name) {
            Some(slot) => std::mem::take(self.slot_entry(slot)),
            None if self.spilled.is_absent() => Entry::default(),
            None => self
                .spilled
                .remove(name)
                .map(|s| s.entry)
                .unwrap_or_default(),
        }
    }

    /// All variables with a value: slots in slot order, then the others, newest first.
    pub fn list(&self, slots: &Slots) -> Vec<(Text, &Value, Inherit)> {
        let mut all: Vec<_> = self
            .slots
            .iter()
            .enumerate()
            .filter_map(|(i, e)| {
                let value = e.value.as_ref()?;
                Some((slots.name(Slot(i as u32)).clone(), value, e.inherit))
            })
            .collect();
        let mut rest: Vec<_> = self.spilled.iter().collect();
        rest.sort_by_key(|(_, s)| std::cmp::Reverse(s.age));
        all.extend(
            rest.into_iter()
                .filter_map(|(n, s)| Some((n.clone(), s.entry.value.as_ref()?, s.entry.inherit))),
        );
        all
    }

    /// Names outside the slots that begin with `prefix`, newest first, with their values.
    pub fn with_prefix(&self, prefix: &[u8]) -> Vec<(&Text, &Value)> {
        let mut found: Vec<_> = self
            .spilled
            .iter()
            .filter(|(name, s)| name.starts_with(prefix) && s.entry.value.is_some())
            .collect();
        found.sort_by_key(|(_, s)| std::cmp::Reverse(s.age));
        found
            .into_iter()
            .filter_map(|(n, s)| Some((n, s.entry.value.as_ref()?)))
            .collect()
    }

    /// What a channel created by this one inherits: the name as it is to be set there, and the value.
    pub fn inherited(&self, slots: &Slots) -> Vec<(Text, Text)> {
        self.list(slots)
            .into_iter()
            .filter_map(|(name, value, inherit)| match inherit {
                Inherit::No => None,
                Inherit::Once => Some((name, value.to_text())),
                Inherit::Always => {
                    let mut key = b"__".to_vec();
                    key.extend_from_slice(&name);
                    Some((Text::from(key), value.to_text()))
                }
            })
            .collect()
    }

    /// Carries the variables over to the slots of another dialplan, by name.
    pub fn rebind(&mut self, old: &Slots, new: &Slots) {
        let before = std::mem::take(self);
        self.clock = before.clock;
        let in_slots = (before.shadows.slots.iter().enumerate())
            .map(|(at, entries)| (old.name(Slot(at as u32)), entries));
        for (name, entries) in in_slots.chain(before.shadows.spilled.iter()) {
            for entry in entries {
                self.shadows.push(new, name, entry.clone());
            }
        }
        let mut all: Vec<_> = before.list(old);
        all.reverse();
        for (name, value, inherit) in all {
            self.set(new, &name, value.clone(), inherit);
        }
    }

    /// Bytes held, roughly: for the memory limit.
    pub fn memory(&self) -> usize {
        let long = |e: &Entry| match &e.value {
            Some(Value::Text(t)) => t.len(),
            _ => 8,
        };
        self.slots.iter().map(long).sum::<usize>()
            + self
                .spilled
                .values()
                .map(|s| long(&s.entry) + 64)
                .sum::<usize>()
            + self.shadows.entries().map(long).sum::<usize>()
    }
}

/// Splits the inheritance underscores off a name.
pub fn inheritance(name: &[u8]) -> (Inherit, &[u8]) {
    match name {
        [b'_', b'_', rest @ ..] => (Inherit::Always, rest),
        [b'_', rest @ ..] => (Inherit::Once, rest),
        _ => (Inherit::No, name),
    }
}
