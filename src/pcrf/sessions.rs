//! The live sessions, those that were live until a moment ago, and which subscriber has which.

use std::collections::VecDeque;
use std::hash::Hash;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ahash::RandomState;
use hashbrown::HashMap;
use smallvec::SmallVec;

use crate::pcrf::session::{Session, Tombstone};

const SHARDS: usize = 64;

/// A Session-Id that several tables share.
pub type Id = Arc<[u8]>;

/// A part of the sessions, behind one lock: who holds it has all sessions of the part for itself.
#[derive(Debug)]
pub struct Shard {
    live: HashMap<Id, Box<Session>, RandomState>,
    over: HashMap<Id, Tombstone, RandomState>,
    /// Tombstones of sessions in the order in which they are forgotten.
    order: VecDeque<(i64, Id)>,
    /// Those of refused CCR-I, in the same order.
    refused: VecDeque<(i64, Id)>,
}

type Owners = HashMap<Vec<u8>, SmallVec<[Id; 1]>, RandomState>;

/// All sessions.
#[derive(Debug)]
pub struct Sessions {
    shards: Vec<Mutex<Shard>>,
    owners: Vec<Mutex<Owners>>,
    hash: RandomState,
    live: AtomicU64,
}

impl Default for Sessions {
    fn default() -> Self {
        let hash = RandomState::new();
        let shard = |_| {
            Mutex::new(Shard {
                live: HashMap::with_hasher(hash.clone()),
                over: HashMap::with_hasher(hash.clone()),
                order: VecDeque::new(),
                refused: VecDeque::new(),
            })
        };
        Self {
            shards: (0..SHARDS).map(shard).collect(),
            owners: (0..SHARDS)
                .map(|_| Mutex::new(HashMap::with_hasher(hash.clone())))
                .collect(),
            live: AtomicU64::new(0),
            hash,
        }
    }
}

/// So many times what is needed is too much room.
const ROOMY: usize = 8;

/// Gives back room, where a table has much more than it needs.
fn fit<K: Eq + Hash, V>(table: &mut HashMap<K, V, RandomState>) {
    let len = table.len();
    if table.capacity() > ROOMY * len.max(ROOMY) {
        table.shrink_to(2 * len);
    }
}

fn lock<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shard {
    /// A live session.
    pub fn get(&mut self, id: &[u8]) -> Option<(&Id, &mut Session)> {
        let (id, session) = self.live.get_key_value_mut(id)?;
        Some((id, session))
    }

    /// One that is over.
    pub fn tombstone(&self, id: &[u8]) -> Option<&Tombstone> {
        self.over.get(id)
    }

    /// Puts a tombstone.
    pub fn bury(&mut self, id: Id, tombstone: Tombstone) {
        self.order.push_back((tombstone.until, id.clone()));
        self.over.insert(id, tombstone);
    }

    /// Puts the tombstone of a refused CCR-I. Where more than `limit` of all are of that kind, the oldest is forgotten and
    /// given.
    pub fn refuse(&mut self, id: Id, tombstone: Tombstone, limit: usize) -> Option<Id> {
        self.refused.push_back((tombstone.until, id.clone()));
        self.over.insert(id, tombstone);
        if self.refused.len() <= limit.div_ceil(SHARDS) {
            return None;
        }
        let (until, oldest) = self.refused.pop_front()?;
        if self.over.get(&oldest).is_none_or(|own| own.until != until) {
            return None;
        }
        self.over.remove(&oldest);
        (!self.live.contains_key(&oldest)).then_some(oldest)
    }

    /// Forgets tombstones whose time is over, and names those that no session followed.
    pub fn forget(&mut self, now: i64, mut forgotten: impl FnMut(&Id)) {
        for queue in [&mut self.order, &mut self.refused] {
            while let Some((_, id)) = queue.pop_front_if(|(until, _)| *until <= now) {
                if self.over.get(&id).is_some_and(|own| own.until <= now) {
                    self.over.remove(&id);
                    if !self.live.contains_key(&id) {
                        forgotten(&id);
                    }
                }
            }
        }
    }
}

impl Sessions {
    fn number(&self, key: &[u8]) -> usize {
        // The tables of a shard use the lower and the upper bits.
        (self.hash.hash_one(key) >> 20) as usize % SHARDS
    }

    /// The part that has a session or would have it.
    pub fn shard(&self, id: &[u8]) -> Option<MutexGuard<'_, Shard>> {
        self.shards.get(self.number(id)).map(lock)
    }

    /// Puts a session into its part, which the caller holds, and into the index of its owners.
    pub fn insert(&self, shard: &mut Shard, id: &Id, session: Box<Session>, owners: &[&[u8]]) {
        shard.over.remove(id);
        if shard.live.insert(id.clone(), session).is_none() {
            self.live.fetch_add(1, Ordering::Relaxed);
        }
        for owner in owners {
            self.join(owner, id);
        }
    }

    /// Puts a session into the index of an owner.
    pub fn join(&self, owner: &[u8], id: &Id) {
        let Some(table) = self.owners.get(self.number(owner)) else {
            return;
        };
        let mut table = lock(table);
        let ids = table.entry_ref(owner).or_default();
        if !ids.contains(id) {
            ids.push(id.clone());
        }
    }

    /// Sessions of a host that are owed something, or are to end, in byte order: they are not owed it any more.
    pub fn take_owed(&self, peer: u32) -> Vec<Id> {
        let mut ids = Vec::new();
        for shard in &self.shards {
            for (id, session) in &mut lock(shard).live {
                let ends = session.release.is_some() && session.release_due > 0;
                if session.peer == peer && (session.owed || ends) {
                    session.owed = false;
                    session.release_due = 0;
                    ids.push(id.clone());
                }
            }
        }
        ids.sort();
        ids
    }

    /// Takes a session out of its part, which the caller holds, and out of the index of its owners.
    pub fn remove(
        &self,
        shard: &mut Shard,
        id: &[u8],
        owners: impl FnOnce(&Session, &mut dyn FnMut(&[u8])),
    ) -> Option<(Id, Box<Session>)> {
        let (id, session) = shard.live.remove_entry(id)?;
        self.live.fetch_sub(1, Ordering::Relaxed);
        owners(&session, &mut |owner| self.leave(owner, &id));
        Some((id, session))
    }

    /// Takes a session out of the index of an owner.
    pub fn leave(&self, owner: &[u8], id: &Id) {
        let Some(table) = self.owners.get(self.number(owner)) else {
            return;
        };
        let mut table = lock(table);
        if let Some(ids) = table.get_mut(owner) {
            ids.retain(|own| own != id);
            if ids.is_empty() {
                table.remove(owner);
            }
        }
    }

    /// The sessions of a subscriber or a pool.
    pub fn of(&self, owner: &[u8]) -> SmallVec<[Id; 1]> {
        self.owners
            .get(self.number(owner))
            .and_then(|table| lock(table).get(owner).cloned())
            .unwrap_or_default()
    }

    /// Live sessions.
    pub fn len(&self) -> u64 {
        self.live.load(Ordering::Relaxed)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Visits all live sessions, part by part, in no order.
    pub fn each(&self, mut visit: impl FnMut(&Id, &Session)) {
        for shard in &self.shards {
            for (id, session) in &lock(shard).live {
                visit(id, session);
            }
        }
    }

    /// The Session-Ids that are chosen, in byte order.
    pub fn ids(&self, mut choose: impl FnMut(&Session) -> bool) -> Vec<Id> {
        let mut ids = Vec::new();
        self.each(|id, session| {
            if choose(session) {
                ids.push(id.clone());
            }
        });
        ids.sort();
        ids
    }

    /// Forgets old tombstones of all parts, and gives back the room of what is gone.
    pub fn forget(&self, now: i64, mut forgotten: impl FnMut(&Id)) {
        for shard in &self.shards {
            let shard = &mut *lock(shard);
            shard.forget(now, &mut forgotten);
            fit(&mut shard.live);
            fit(&mut shard.over);
            for queue in [&mut shard.order, &mut shard.refused] {
                if queue.capacity() > ROOMY * queue.len().max(ROOMY) {
                    queue.shrink_to(2 * queue.len());
                }
            }
        }
        for table in &self.owners {
            fit(&mut lock(table));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_are_found_by_id_and_by_owner() {
        let sessions = Sessions::default();
        let id: Id = Arc::from(&b"pcef;1;1"[..]);
        {
            let mut shard = sessions.shard(&id).unwrap();
            sessions.insert(&mut shard, &id, Box::default(), &[b"001", b"family"]);
            sessions.insert(&mut shard, &id, Box::default(), &[b"001"]);
        }
        assert_eq!(sessions.len(), 1);
        assert_eq!(sessions.of(b"001").len(), 1);
        assert_eq!(sessions.of(b"family").len(), 1);
        let mut shard = sessions.shard(&id).unwrap();
        assert!(shard.get(&id).is_some());
        sessions.remove(&mut shard, &id, |_, leave| {
            leave(b"001");
            leave(b"family");
        });
        shard.bury(
            id.clone(),
            Tombstone {
                until: 10,
                ..Tombstone::default()
            },
        );
        drop(shard);
        assert!(sessions.is_empty() && sessions.of(b"001").is_empty());
        let mut forgotten = 0;
        sessions.forget(9, |_| forgotten += 1);
        assert_eq!(forgotten, 0);
        sessions.forget(10, |_| forgotten += 1);
        assert_eq!(forgotten, 1);
        assert!(sessions.shard(&id).unwrap().tombstone(&id).is_none());
    }
}
