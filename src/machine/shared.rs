//! State that the calls of one engine share: globals, the `DB()` store, groups, locks, what a host offers.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use crate::base::symbol::{StableMap, stable_map};
use crate::base::{Text, Value};
use crate::machine::Image;
use crate::machine::facilities::Facilities;
use crate::machine::groups::Groups;
use crate::store::{Memory, Store};

/// Shared state. Every method locks for the shortest time and never waits for a call.
#[derive(Debug)]
pub struct Shared {
    globals: RwLock<StableMap<Text, Value>>,
    store: Arc<Mutex<Box<dyn Store>>>,
    groups: Mutex<Groups>,
    facilities: Arc<Mutex<Facilities>>,
    waiting: Mutex<Vec<Waiting>>,
    locks: Mutex<Vec<ChannelLock>>,
    generation: AtomicU64,
    image: RwLock<Option<Arc<Image>>>,
}

/// A channel that waits for a signal, and the text that came with it.
#[derive(Debug)]
struct Waiting {
    channel: Text,
    signal: Text,
    payload: Option<Text>,
}

/// What a channel has of a lock of `LOCK()`; it stays, with 0, when the lock is given back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelLock {
    /// Name of the channel.
    pub channel: Text,
    /// Name of the lock.
    pub name: Text,
    /// How often the channel took it and did not give it back.
    pub times: u32,
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
            facilities: Arc::default(),
            waiting: Mutex::new(Vec::new()),
            locks: Mutex::new(Vec::new()),
            generation: AtomicU64::new(0),
            image: RwLock::new(None),
        }
    }

    /// The same store and facilities with a copy of the globals: what a load works on, so that the globals of a refused
    /// file never reach running calls.
    #[must_use]
    pub fn staged(&self) -> Self {
        Self {
            store: self.store.clone(),
            facilities: self.facilities.clone(),
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

    /// Whether a dialplan newer than this generation was published.
    pub(crate) fn is_newer(&self, generation: u64) -> bool {
        self.generation.load(Ordering::Acquire) > generation
    }

    /// The published dialplan, if it is newer than this generation.
    pub(crate) fn newer(&self, generation: u64) -> Option<Arc<Image>> {
        if !self.is_newer(generation) {
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

    /// Queues, conferences, mailboxes and what else a host offers. Hold it shortly: calls read it.
    pub fn facilities(&self) -> MutexGuard<'_, Facilities> {
        whole(self.facilities.lock())
    }

    /// A channel waits for a signal from now on, instead of another one.
    pub fn await_signal(&self, channel: &[u8], signal: &[u8]) {
        let mut waiting = whole(self.waiting.lock());
        waiting.retain(|w| w.channel.as_bytes() != channel);
        waiting.push(Waiting {
            channel: Text::from(channel),
            signal: Text::from(signal),
            payload: None,
        });
    }

    /// Hands a text to every channel that waits for this signal; says how many there are.
    pub fn signal(&self, signal: &[u8], payload: &[u8]) -> usize {
        let mut woken = 0;
        for waiting in whole(self.waiting.lock()).iter_mut() {
            if waiting.signal.as_bytes() == signal && waiting.payload.is_none() {
                waiting.payload = Some(Text::from(payload));
                woken += 1;
            }
        }
        woken
    }

    /// The text of the signal that a channel waits for, once it came.
    pub fn signalled(&self, channel: &[u8]) -> Option<Text> {
        whole(self.waiting.lock())
            .iter()
            .find(|w| w.channel.as_bytes() == channel)
            .and_then(|w| w.payload.clone())
    }

    /// A channel waits for no signal any more.
    pub fn forget_signal(&self, channel: &[u8]) {
        whole(self.waiting.lock()).retain(|w| w.channel.as_bytes() != channel);
    }

    /// Takes a lock for a channel, once more if it has it already; says whether it got it.
    pub fn take_lock(&self, name: &[u8], channel: &Text) -> bool {
        let mut locks = whole(self.locks.lock());
        let free = !locks.iter().any(|l| {
            l.name.as_bytes() == name && l.times > 0 && l.channel.as_bytes() != channel.as_bytes()
        });
        let own = locks
            .iter_mut()
            .find(|l| l.name.as_bytes() == name && l.channel.as_bytes() == channel.as_bytes());
        match own {
            Some(own) => own.times = own.times.saturating_add(u32::from(free)),
            None => locks.push(ChannelLock {
                channel: channel.clone(),
                name: Text::from(name),
                times: u32::from(free),
            }),
        }
        free
    }

    /// Gives a lock back; says whether the channel had it. `None` = the channel never asked for any lock.
    pub fn give_lock(&self, name: &[u8], channel: &[u8]) -> Option<bool> {
        let mut locks = whole(self.locks.lock());
        let mut own = locks
            .iter_mut()
            .filter(|l| l.channel.as_bytes() == channel)
            .peekable();
        own.peek()?;
        let held = own.find(|l| l.name.as_bytes() == name && l.times > 0);
        Some(held.map(|l| l.times -= 1).is_some())
    }

    /// A channel is gone: it leaves its groups, gives its locks back, and waits for nothing.
    pub fn forget_channel(&self, name: &[u8]) {
        self.groups().forget(name);
        self.facilities().forget_channel(name);
        self.forget_signal(name);
        let mut locks = whole(self.locks.lock());
        if !locks.is_empty() {
            locks.retain(|l| l.channel.as_bytes() != name);
        }
    }
}
