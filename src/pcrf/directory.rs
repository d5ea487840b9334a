//! The subscribers, by IMSI and by MSISDN.

use std::sync::{Arc, PoisonError, RwLock};

use ahash::RandomState;
use hashbrown::HashMap;

use crate::pcrf::form::{self, Reader};

const SHARDS: usize = 16;

/// What an identity is: the values of Subscription-Id-Type that name a subscriber here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Identity {
    /// END_USER_E164: a telephone number.
    Msisdn,
    /// END_USER_IMSI.
    Imsi,
}

impl Identity {
    /// By a value of Subscription-Id-Type; others name nobody.
    pub fn of_type(number: u32) -> Option<Self> {
        match number {
            0 => Some(Self::Msisdn),
            1 => Some(Self::Imsi),
            _ => None,
        }
    }
}

/// A subscriber's fields with their values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row(Arc<[u8]>);

impl Row {
    /// A row of these fields.
    pub fn new<'f>(fields: impl IntoIterator<Item = (&'f [u8], &'f [u8])>) -> Self {
        let mut bytes = Vec::new();
        for (name, value) in fields {
            form::bytes(&mut bytes, name);
            form::bytes(&mut bytes, value);
        }
        Self(bytes.into())
    }

    /// A row of the store; `None` = it is none of ours.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(bytes);
        while !reader.is_empty() {
            reader.bytes()?;
            reader.bytes()?;
        }
        Some(Self(bytes.into()))
    }

    /// The row of the store.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// All fields with their values.
    pub fn fields(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        let mut reader = Reader::new(&self.0);
        std::iter::from_fn(move || Some((reader.bytes()?, reader.bytes()?)))
    }

    /// A field by its name, in any case.
    pub fn field(&self, name: &[u8]) -> Option<&[u8]> {
        self.fields()
            .find(|(own, _)| own.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }

    /// What usage is counted under: the IMSI, else the MSISDN.
    pub fn key(&self) -> &[u8] {
        let id = |name| self.field(name).filter(|value| !value.is_empty());
        id(b"imsi").or_else(|| id(b"msisdn")).unwrap_or_default()
    }
}

type Shard = HashMap<(Identity, Vec<u8>), Row, RandomState>;

/// All subscribers.
#[derive(Debug)]
pub struct Directory {
    shards: Vec<RwLock<Shard>>,
    hash: RandomState,
}

impl Default for Directory {
    fn default() -> Self {
        let hash = RandomState::new();
        Self {
            shards: (0..SHARDS)
                .map(|_| RwLock::new(HashMap::with_hasher(hash.clone())))
                .collect(),
            hash,
        }
    }
}

#[derive(PartialEq, Eq, Hash)]
struct Name<'n>(Identity, &'n [u8]);

impl hashbrown::Equivalent<(Identity, Vec<u8>)> for Name<'_> {
    fn equivalent(&self, key: &(Identity, Vec<u8>)) -> bool {
        self.0 == key.0 && self.1 == key.1
    }
}

impl Directory {
    fn shard(&self, id: &[u8]) -> Option<&RwLock<Shard>> {
        self.shards
            .get((self.hash.hash_one(id) >> 16) as usize % SHARDS)
    }

    /// A subscriber by an identity.
    pub fn find(&self, identity: Identity, id: &[u8]) -> Option<Row> {
        let shard = self.shard(id)?;
        let shard = shard.read().unwrap_or_else(PoisonError::into_inner);
        shard.get(&Name(identity, id)).cloned()
    }

    /// A subscriber by the key that usage is counted under.
    pub fn by_key(&self, key: &[u8]) -> Option<Row> {
        self.find(Identity::Imsi, key)
            .or_else(|| self.find(Identity::Msisdn, key))
    }

    /// Puts a subscriber under both identities.
    pub fn put(&self, row: &Row) {
        for (identity, name) in [(Identity::Imsi, "imsi"), (Identity::Msisdn, "msisdn")] {
            let id = row.field(name.as_bytes()).unwrap_or_default();
            if id.is_empty() {
                continue;
            }
            if let Some(shard) = self.shard(id) {
                let mut shard = shard.write().unwrap_or_else(PoisonError::into_inner);
                shard.insert((identity, id.to_vec()), row.clone());
            }
        }
    }

    /// Removes a subscriber; gives its row.
    pub fn remove(&self, key: &[u8]) -> Option<Row> {
        let row = self.by_key(key)?;
        for (identity, name) in [(Identity::Imsi, "imsi"), (Identity::Msisdn, "msisdn")] {
            let id = row.field(name.as_bytes()).unwrap_or_default();
            if let Some(shard) = self.shard(id) {
                let mut shard = shard.write().unwrap_or_else(PoisonError::into_inner);
                // Another subscriber may have taken the identity over.
                if shard.get(&Name(identity, id)) == Some(&row) {
                    shard.remove(&Name(identity, id));
                }
            }
        }
        Some(row)
    }

    /// What usage of all subscribers is counted under, sorted.
    pub fn keys(&self) -> Vec<Vec<u8>> {
        let mut keys = std::collections::BTreeSet::new();
        for shard in &self.shards {
            let shard = shard.read().unwrap_or_else(PoisonError::into_inner);
            keys.extend(shard.values().map(|row| row.key().to_vec()));
        }
        keys.into_iter().collect()
    }

    /// Removes all.
    pub fn clear(&self) {
        for shard in &self.shards {
            shard
                .write()
                .unwrap_or_else(PoisonError::into_inner)
                .clear();
        }
    }

    /// Identities that are known.
    pub fn len(&self) -> usize {
        self.shards
            .iter()
            .map(|shard| shard.read().unwrap_or_else(PoisonError::into_inner).len())
            .sum()
    }

    /// Whether nobody is known.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(imsi: &str, msisdn: &str) -> Row {
        Row::new([
            (&b"imsi"[..], imsi.as_bytes()),
            (b"msisdn", msisdn.as_bytes()),
            (b"plan", b"gold"),
        ])
    }

    #[test]
    fn subscribers_are_found_by_both_identities() {
        let directory = Directory::default();
        directory.put(&row("001010000000001", "4915100000001"));
        directory.put(&row("", "4915100000002"));
        let found = directory.find(Identity::Msisdn, b"4915100000001").unwrap();
        assert_eq!(found.key(), b"001010000000001");
        assert_eq!(found.field(b"PLAN"), Some(&b"gold"[..]));
        assert_eq!(Row::read(found.bytes()), Some(found));
        assert_eq!(
            directory.by_key(b"4915100000002").unwrap().key(),
            b"4915100000002"
        );
        assert!(directory.find(Identity::Imsi, b"4915100000001").is_none());
        assert_eq!(directory.len(), 3);
        assert!(directory.remove(b"001010000000001").is_some());
        assert!(directory.find(Identity::Msisdn, b"4915100000001").is_none());
        assert_eq!(directory.len(), 1);
        assert_eq!(Row::read(b"\x05"), None);
        // A number that went over to another subscriber stays there.
        directory.put(&row("1", "5"));
        directory.put(&row("2", "5"));
        assert_eq!(directory.keys().len(), 3);
        directory.remove(b"1");
        let found = directory.find(Identity::Msisdn, b"5").unwrap();
        assert_eq!(found.key(), b"2");
    }
}
