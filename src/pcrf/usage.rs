//! What subscribers and pools used of their monitoring keys.

use std::sync::{Mutex, MutexGuard, PoisonError};

use ahash::RandomState;
use hashbrown::HashMap;
use smallvec::SmallVec;

use crate::pcrf::form::{self, Reader};
use crate::pcrf::store::Counter;

const SHARDS: usize = 64;

/// A counter and the period that it counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Period {
    /// Number of the period.
    pub number: i64,
    /// What was used in it.
    pub counter: Counter,
}

type Shard = HashMap<Vec<u8>, Period, RandomState>;

/// The counters of the present periods, behind 64 locks.
#[derive(Debug)]
pub struct Usage {
    shards: Vec<Mutex<Shard>>,
    hash: RandomState,
}

impl Default for Usage {
    fn default() -> Self {
        let hash = RandomState::new();
        Self {
            shards: (0..SHARDS)
                .map(|_| Mutex::new(HashMap::with_hasher(hash.clone())))
                .collect(),
            hash,
        }
    }
}

/// Owner and key as one.
fn place(owner: &[u8], key: &[u8]) -> SmallVec<[u8; 64]> {
    let mut place = SmallVec::new();
    place.extend_from_slice(&(owner.len() as u32).to_be_bytes());
    place.extend_from_slice(owner);
    place.extend_from_slice(key);
    place
}

impl Usage {
    fn shard(&self, place: &[u8]) -> Option<MutexGuard<'_, Shard>> {
        let number = self.hash.hash_one(place) as usize % SHARDS;
        let shard = self.shards.get(number)?;
        Some(shard.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The counter in a period; one that ended counts no more.
    pub fn get(&self, owner: &[u8], key: &[u8], period: i64) -> Counter {
        let place = place(owner, key);
        let found = self
            .shard(&place)
            .and_then(|shard| shard.get(place.as_slice()).copied());
        match found {
            Some(found) if found.number >= period => found.counter,
            _ => Counter::default(),
        }
    }

    /// Adds to a counter; gives it as it was and as it is. What belongs to a period that ended is added to the present.
    pub fn add(
        &self,
        owner: &[u8],
        key: &[u8],
        period: i64,
        used: i64,
        credit: i64,
    ) -> (Period, Period) {
        let place = place(owner, key);
        let Some(mut shard) = self.shard(&place) else {
            return Default::default();
        };
        let fresh = Period {
            number: period,
            counter: Counter::default(),
        };
        let entry = shard.entry_ref(place.as_slice()).or_insert(fresh);
        if entry.number < period {
            *entry = fresh;
        }
        let before = *entry;
        entry.counter = entry.counter.plus(used, credit);
        (before, *entry)
    }

    /// Puts a counter as the store has it; a later period wins.
    pub fn restore(&self, owner: &[u8], key: &[u8], period: i64, counter: Counter) {
        let place = place(owner, key);
        if let Some(mut shard) = self.shard(&place) {
            let read = Period {
                number: period,
                counter,
            };
            let entry = shard.entry_ref(place.as_slice()).or_insert(read);
            if entry.number <= period {
                *entry = read;
            }
        }
    }

    /// All counters of an owner, by key.
    pub fn of(&self, owner: &[u8]) -> Vec<(Vec<u8>, Period)> {
        let prefix = place(owner, b"");
        let mut found = Vec::new();
        for shard in &self.shards {
            let shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
            for (place, period) in shard.iter() {
                if let Some(key) = place.strip_prefix(prefix.as_slice()) {
                    found.push((key.to_vec(), *period));
                }
            }
        }
        found.sort_by(|a, b| a.0.cmp(&b.0));
        found
    }
}

/// Octets as changes of a counter: one of them is at most `i64::MAX`.
pub(crate) fn parts(octets: u64) -> impl Iterator<Item = i64> {
    let mut rest = Some(octets);
    std::iter::from_fn(move || {
        let octets = rest?;
        let part = i64::try_from(octets).unwrap_or(i64::MAX);
        rest = Some(octets - part.unsigned_abs()).filter(|rest| *rest > 0);
        Some(part)
    })
}

/// Used-Service-Units of one request, by key: bytes that need no allocation of their own.
#[derive(Debug, Clone, Default)]
pub struct Reports(Vec<u8>);

impl Reports {
    /// Forgets all.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Adds one.
    pub fn push(&mut self, key: &[u8], octets: u64) {
        form::bytes(&mut self.0, key);
        form::number(&mut self.0, octets);
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Those that were reported.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], u64)> {
        let mut reader = Reader::new(&self.0);
        std::iter::from_fn(move || Some((reader.bytes()?, reader.number()?)))
    }

    /// Whether a key was reported.
    pub fn has(&self, key: &[u8]) -> bool {
        self.iter().any(|(own, _)| own == key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn octets_of_any_number_are_added_and_taken_away() {
        for octets in [0, 1, i64::MAX as u64, 1 << 63, u64::MAX] {
            let usage = Usage::default();
            for part in parts(octets) {
                usage.add(b"001", b"mk", 0, part, 0);
            }
            assert_eq!(usage.get(b"001", b"mk", 0).used, octets);
            for part in parts(octets) {
                usage.add(b"001", b"mk", 0, -part, 0);
            }
            assert_eq!(usage.get(b"001", b"mk", 0).used, 0);
        }
    }

    #[test]
    fn counters_are_additive_and_end_with_their_period() {
        let usage = Usage::default();
        usage.add(b"001", b"mk", 1, 100, 0);
        let (before, after) = usage.add(b"001", b"mk", 1, 50, 10);
        assert_eq!(before.counter.used, 100);
        assert_eq!((after.counter.used, after.counter.credit), (150, 10));
        assert_eq!(usage.get(b"001", b"mk", 1).used, 150);
        assert_eq!(usage.get(b"001", b"mk", 2).used, 0);
        usage.add(b"001", b"mk", 2, 5, 0);
        assert_eq!(usage.get(b"001", b"mk", 2).used, 5);
        // A late report of the period before is not lost.
        usage.add(b"001", b"mk", 1, 1, 0);
        assert_eq!(usage.get(b"001", b"mk", 2).used, 6);
        assert_eq!(usage.of(b"001").len(), 1);
        assert!(usage.of(b"00").is_empty());
    }
}
