//! State that the calls of one engine share: globals, the `DB()` store, groups, locks, device states.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use crate::base::symbol::{StableMap, stable_map};
use crate::base::{Text, Value};
use crate::machine::Image;
use crate::machine::groups::Groups;
use crate::store::{Memory, Store};

/// Shared state. Every method locks for the shortest time and never waits for a call.
#[derive(Debug)]
pub struct Shared {
    globals: RwLock<StableMap<Text, Value>>,
    store: Arc<Mutex<Box<dyn Store>>>,
    groups: Mutex<Groups>,
    generation: AtomicU64,
    image: RwLock<Option<Arc<Image>>>,
}

impl Default for Shared {
    fn default() -> Self {
        Self::with_store(Box::new(Memory::new()))
    }
}

/// A panic elsewhere while a lock was held leaves data that is still whole: each change is one operation.
fn whole<T>(lock: Result<T, PoisonError<T>>) -> T {
    lock.unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    /// Shared state over a store for `DB()`.
    pub fn with_store(store: Box<dyn Store>) -> Self {
        Self {
            globals: RwLock::new(stable_map()),
            store: Arc::new(Mutex::new(store)),
            groups: Mutex::new(Groups::default()),
            generation: AtomicU64::new(0),
            image: RwLock::new(None),
        }
    }

    /// The same store with a copy of the globals: what a load works on, so that the globals of a refused
    /// file never reach running calls.
    #[must_use]
    pub fn staged(&self) -> Self {
        Self {
            store: self.store.clone(),
            globals: RwLock::new(whole(self.globals.read()).clone()),
            ..Self::default()
        }
    }

    /// Offers a newer dialplan to running calls: each takes it at its next lookup.
    pub fn publish(&self, image: Arc<Image>) {
        let generation = image.generation;
        *whole(self.image.write()) = Some(image);
        self.generation.store(generation, Ordering::Release);
    }

    /// The published dialplan, if it is newer than this generation.
    pub(crate) fn newer(&self, generation: u64) -> Option<Arc<Image>> {
        if self.generation.load(Ordering::Acquire) <= generation {
            return None;
        }
        whole(self.image.read()).clone()
    }

    /// A global variable.
    pub fn global(&self, name: &[u8]) -> Option<Value> {
        whole(self.globals.read()).get(name).cloned()
    }

    /// Sets a global variable.
    pub fn set_global(&self, name: &[u8], value: Value) {
        let mut globals = whole(self.globals.write());
        if let Some(old) = globals.get_mut(name) {
            *old = value;
        } else {
            globals.insert(Text::from(name), value);
        }
    }

    /// Removes a global variable; says whether it was there.
    pub fn remove_global(&self, name: &[u8]) -> bool {
        whole(self.globals.write()).remove(name).is_some()
    }

    /// Removes all globals.
    pub fn clear_globals(&self) {
        whole(self.globals.write()).clear();
    }

    /// All globals, sorted by name.
    pub fn globals(&self) -> Vec<(Text, Text)> {
        let mut all: Vec<_> = whole(self.globals.read())
            .iter()
            .map(|(n, v)| (n.clone(), v.to_text()))
            .collect();
        all.sort();
        all
    }

    /// The store of `DB()`.
    pub fn store(&self) -> MutexGuard<'_, Box<dyn Store>> {
        whole(self.store.lock())
    }

    /// The groups of all channels.
    pub fn groups(&self) -> MutexGuard<'_, Groups> {
        whole(self.groups.lock())
    }

    /// A channel is gone: it leaves its groups.
    pub fn forget_channel(&self, name: &[u8]) {
        self.groups().forget(name);
    }
}
