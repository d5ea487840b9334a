//! State that the calls of one engine share: globals, the `DB()` store, groups, locks, what a host offers.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockWriteGuard};

use crate::base::symbol::{StableMap, stable_map};
use crate::base::{Text, Value};
use crate::machine::Image;
use crate::machine::facilities::Facilities;
use crate::machine::groups::Groups;
use crate::store::{Memory, Store};

/// Shared state. Every method locks for the shortest time and never waits for a call.
#[derive(Debug)]
pub struct Shared {
    seen: Seen,
    globals: RwLock<StableMap<Text, Value>>,
    /// `None` = the host keeps it, and answers [`Effect::Store`](crate::machine::Effect::Store).
    store: Option<Arc<dyn Store>>,
    groups: Mutex<Groups>,
    facilities: Arc<Mutex<Facilities>>,
    waiting: Mutex<Vec<Waiting>>,
    locks: Mutex<Vec<ChannelLock>>,
    image: RwLock<Option<Arc<Image>>>,
    /// Call records begun so far.
    records: AtomicU64,
    /// Living channels by linked id, where channel events are made.
    linked: Mutex<StableMap<Text, u32>>,
}

/// What every call looks at again and again, and what changes seldom. It shares no cache line with what changes
/// often: threads would wait for each other although neither changes what the other reads.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Seen {
    /// The newest dialplan.
    generation: AtomicU64,
    /// Counts the changes of globals.
    version: AtomicU64,
    /// Whether any channel was ever in a group, waited for a signal, took a lock, or anybody looked at a facility.
    entangled: AtomicBool,
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
        Self::with_store(Some(Arc::new(Memory::new())))
    }
}

/// A panic elsewhere while a lock was held leaves data that is still whole: each change is one operation.
fn whole<T>(lock: Result<T, PoisonError<T>>) -> T {
    lock.unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    /// Shared state over a store for `DB()`; without one the host keeps it.
    pub fn with_store(store: Option<Arc<dyn Store>>) -> Self {
        Self {
            seen: Seen::default(),
            globals: RwLock::new(stable_map()),
            store,
            groups: Mutex::new(Groups::default()),
            facilities: Arc::default(),
            waiting: Mutex::new(Vec::new()),
            locks: Mutex::new(Vec::new()),
            image: RwLock::new(None),
            records: AtomicU64::new(0),
            linked: Mutex::new(stable_map()),
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

    /// The number of a new call record.
    pub(crate) fn next_record(&self) -> u64 {
        self.records.fetch_add(1, Ordering::Relaxed)
    }

    /// A channel with this linked id begins.
    pub(crate) fn link(&self, linkedid: &Text) {
        *whole(self.linked.lock())
            .entry(linkedid.clone())
            .or_insert(0) += 1;
    }

    /// A channel with this linked id is gone; says whether it was the last one.
    pub(crate) fn unlink(&self, linkedid: &Text) -> bool {
        let mut linked = whole(self.linked.lock());
        match linked.get_mut(linkedid) {
            Some(left) if *left > 1 => {
                *left -= 1;
                false
            }
            Some(_) => {
                linked.remove(linkedid);
                true
            }
            None => false,
        }
    }

    /// Offers a newer dialplan to running calls: each takes it at its next lookup.
    pub fn publish(&self, image: Arc<Image>) {
        let generation = image.generation;
        *whole(self.image.write()) = Some(image);
        self.seen.generation.store(generation, Ordering::Release);
    }

    /// Whether a dialplan newer than this generation was published.
    pub(crate) fn is_newer(&self, generation: u64) -> bool {
        self.seen.generation.load(Ordering::Acquire) > generation
    }

    /// The published dialplan, if it is newer than this generation.
    pub(crate) fn newer(&self, generation: u64) -> Option<Arc<Image>> {
        if !self.is_newer(generation) {
            return None;
        }
        whole(self.image.read()).clone()
    }

    /// Counts the changes of globals.
    #[inline]
    pub(crate) fn globals_version(&self) -> u64 {
        self.seen.version.load(Ordering::Acquire)
    }

    /// The globals to change them.
    fn change(&self) -> RwLockWriteGuard<'_, StableMap<Text, Value>> {
        let globals = whole(self.globals.write());
        // Whoever sees the new number waits for the lock, and then for the change.
        self.seen.version.fetch_add(1, Ordering::Release);
        globals
    }

    /// A global variable.
    pub fn global(&self, name: &[u8]) -> Option<Value> {
        whole(self.globals.read()).get(name).cloned()
    }

    /// Sets a global variable.
    pub fn set_global(&self, name: &[u8], value: Value) {
        let mut globals = self.change();
        if let Some(old) = globals.get_mut(name) {
            *old = value;
        } else {
            globals.insert(Text::from(name), value);
        }
    }

    /// Removes a global variable; says whether it was there.
    pub fn remove_global(&self, name: &[u8]) -> bool {
        self.change().remove(name).is_some()
    }

    /// Removes all globals.
    pub fn clear_globals(&self) {
        self.change().clear();
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

    /// The store of `DB()`; `None` = the host keeps it.
    pub fn store(&self) -> Option<&dyn Store> {
        self.store.as_deref()
    }

    /// The groups of all channels.
    pub fn groups(&self) -> MutexGuard<'_, Groups> {
        self.entangle();
        whole(self.groups.lock())
    }

    /// Queues, conferences, mailboxes and what else a host offers. Hold it shortly: calls read it.
    pub fn facilities(&self) -> MutexGuard<'_, Facilities> {
        self.entangle();
        whole(self.facilities.lock())
    }

    /// Bytes that a channel holds in groups, roughly.
    pub(crate) fn memory_of(&self, channel: &[u8]) -> usize {
        if self.is_entangled() {
            self.groups().memory(channel)
        } else {
            0
        }
    }

    /// Notes that channels may be in groups or queues, wait for signals, or have locks.
    fn entangle(&self) {
        // Written once only: whoever reads it then has it for himself.
        if !self.is_entangled() {
            self.seen.entangled.store(true, Ordering::Release);
        }
    }

    fn is_entangled(&self) -> bool {
        self.seen.entangled.load(Ordering::Acquire)
    }

    /// A channel waits for a signal from now on, instead of another one.
    pub fn await_signal(&self, channel: &[u8], signal: &[u8]) {
        self.entangle();
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
        self.entangle();
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
        if !self.is_entangled() {
            return;
        }
        self.groups().forget(name);
        self.facilities().forget_channel(name);
        self.forget_signal(name);
        let mut locks = whole(self.locks.lock());
        if !locks.is_empty() {
            locks.retain(|l| l.channel.as_bytes() != name);
        }
    }
}
