//! The hosts that sessions come from: numbers instead of names, and what is known of each.

use std::sync::Arc;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use ahash::AHashMap;
use arc_swap::ArcSwap;

use crate::pcrf::form::{self, Reader};

/// Hosts that are remembered at most; sessions of others are refused.
const LIMIT: usize = 65_536;

/// An Origin-Host.
#[derive(Debug)]
pub struct Host {
    /// Its number.
    pub number: u32,
    /// Its name, as it wrote it.
    pub name: Vec<u8>,
    /// Its realm.
    pub realm: Vec<u8>,
    /// The Origin-State-Id that it said last, 0 for none.
    state: AtomicU32,
    /// The connection that it was heard on last, 0 for none.
    connection: AtomicU64,
}

impl Host {
    /// The connection that it was heard on last, 0 for none.
    pub fn connection(&self) -> u64 {
        self.connection.load(Ordering::Relaxed)
    }

    /// It was heard on this connection.
    pub fn heard_on(&self, connection: u64) {
        if self.connection.load(Ordering::Relaxed) != connection {
            self.connection.store(connection, Ordering::Relaxed);
        }
    }

    /// The Origin-State-Id that it said last, 0 for none.
    pub fn state(&self) -> u32 {
        self.state.load(Ordering::Relaxed)
    }

    /// Notes an Origin-State-Id; gives the one before where it grew, which says that the host lost its sessions.
    pub fn note_state(&self, state: u32) -> Option<u32> {
        let before = self.state.load(Ordering::Relaxed);
        if state <= before {
            return None;
        }
        let before = self.state.fetch_max(state, Ordering::Relaxed);
        (before != 0 && before < state).then_some(before)
    }

    /// The row of the store.
    pub fn row(&self) -> Vec<u8> {
        let mut row = Vec::new();
        form::bytes(&mut row, &self.realm);
        form::number(&mut row, u64::from(self.state()));
        row
    }
}

/// Realm and Origin-State-Id of a row of the store.
pub fn read_row(row: &[u8]) -> Option<(Vec<u8>, u32)> {
    let mut reader = Reader::new(row);
    let realm = reader.bytes()?.to_vec();
    Some((realm, u32::try_from(reader.number()?).ok()?))
}

#[derive(Debug, Default, Clone)]
struct Table {
    by_name: AHashMap<Vec<u8>, Arc<Host>>,
    by_number: Vec<Arc<Host>>,
}

/// All of them: a snapshot that requests read without a lock.
#[derive(Debug, Default)]
pub struct Hosts {
    table: ArcSwap<Table>,
    writing: Mutex<()>,
}

impl Hosts {
    /// A host by its name.
    pub fn find(&self, name: &[u8]) -> Option<Arc<Host>> {
        self.table.load().by_name.get(name).cloned()
    }

    /// A host by its number.
    pub fn get(&self, number: u32) -> Option<Arc<Host>> {
        self.table.load().by_number.get(number as usize).cloned()
    }

    /// A host by its name, which is new perhaps: then the second is true. `None` = there is no room for it.
    pub fn take(&self, name: &[u8], realm: &[u8]) -> Option<(Arc<Host>, bool)> {
        if let Some(host) = self.find(name) {
            return Some((host, false));
        }
        let guard = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut table = Table::clone(&self.table.load());
        if let Some(host) = table.by_name.get(name) {
            return Some((host.clone(), false));
        }
        if table.by_number.len() >= LIMIT {
            return None;
        }
        let host = Arc::new(Host {
            number: table.by_number.len() as u32,
            name: name.to_vec(),
            realm: realm.to_vec(),
            state: AtomicU32::new(0),
            connection: AtomicU64::new(0),
        });
        table.by_number.push(host.clone());
        table.by_name.insert(name.to_vec(), host.clone());
        self.table.store(Arc::new(table));
        drop(guard);
        Some((host, true))
    }

    /// All hosts, in the order in which they were heard of.
    pub fn all(&self) -> Vec<Arc<Host>> {
        self.table.load().by_number.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_have_numbers_and_states() {
        let hosts = Hosts::default();
        let (host, new) = hosts.take(b"pgw.example", b"example").unwrap();
        assert!(new && host.number == 0);
        assert!(!hosts.take(b"pgw.example", b"example").unwrap().1);
        assert_eq!(host.note_state(5), None);
        assert_eq!(host.note_state(5), None);
        assert_eq!(host.note_state(4), None);
        assert_eq!(host.note_state(6), Some(5));
        assert_eq!(read_row(&host.row()), Some((b"example".to_vec(), 6)));
        assert_eq!(hosts.get(0).unwrap().name, b"pgw.example");
        assert!(hosts.get(1).is_none());
    }
}
