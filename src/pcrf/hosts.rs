//! The hosts that sessions come from: numbers instead of names, and what is known of each.

use std::sync::Arc;
use std::sync::Mutex;
use std::sync::MutexGuard;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use ahash::AHashMap;
use arc_swap::ArcSwap;
use smallvec::SmallVec;

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
    /// The connection that messages to it take, 0 for none.
    connection: AtomicU64,
    /// All connections that it was heard on, the one to take last.
    connections: Mutex<SmallVec<[Way; 2]>>,
    /// Whether sessions of it may be owed something.
    owes: AtomicBool,
}

/// A connection that leads to a host. The best one is the greatest: its own before that of an agent, then the newest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Way {
    /// Whether the host is at the other end, and no agent.
    own: bool,
    connection: u64,
}

impl Host {
    /// The connection that messages to it take, 0 for none: the newest of its own, else the newest of an agent.
    pub fn connection(&self) -> u64 {
        self.connection.load(Ordering::Relaxed)
    }

    /// It was heard on this connection, perhaps through an agent; says whether messages to it take another one now.
    pub fn heard_on(&self, connection: u64) -> bool {
        if self.connection() == connection {
            return false;
        }
        let ways = self.ways();
        let known = ways.iter().any(|way| way.connection == connection);
        !known
            && self.add(
                ways,
                Way {
                    own: false,
                    connection,
                },
            )
    }

    /// It opened this connection; says whether messages to it take another one now.
    pub fn opened(&self, connection: u64) -> bool {
        let mut ways = self.ways();
        ways.retain(|way| way.connection != connection);
        self.add(
            ways,
            Way {
                own: true,
                connection,
            },
        )
    }

    /// A connection is over.
    pub fn closed(&self, connection: u64) {
        let mut ways = self.ways();
        ways.retain(|way| way.connection != connection);
        self.choose(&ways);
    }

    /// Whether it is at the other end of a connection.
    pub fn is_at(&self, connection: u64) -> bool {
        self.ways().contains(&Way {
            own: true,
            connection,
        })
    }

    fn ways(&self) -> MutexGuard<'_, SmallVec<[Way; 2]>> {
        self.connections
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, mut ways: MutexGuard<'_, SmallVec<[Way; 2]>>, way: Way) -> bool {
        ways.push(way);
        ways.sort_unstable();
        self.choose(&ways)
    }

    fn choose(&self, ways: &[Way]) -> bool {
        let best = ways.last().map_or(0, |way| way.connection);
        self.connection.swap(best, Ordering::Relaxed) != best
    }

    /// A session of it is to be told something when it is there again.
    pub fn owe(&self) {
        self.owes.store(true, Ordering::Relaxed);
    }

    /// Whether sessions of it may be owed something; asking takes it as settled.
    pub fn settle(&self) -> bool {
        self.owes.swap(false, Ordering::Relaxed)
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
            connections: Mutex::default(),
            owes: AtomicBool::new(false),
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

    #[test]
    fn messages_take_the_newest_connection_of_the_host_itself() {
        let hosts = Hosts::default();
        let (host, _) = hosts.take(b"pgw.example", b"example").unwrap();
        assert!(host.heard_on(3) && !host.heard_on(3));
        assert!(host.opened(1));
        assert_eq!(host.connection(), 1);
        assert!(!host.heard_on(4));
        assert!(host.opened(5) && host.is_at(5) && !host.is_at(4));
        host.closed(5);
        assert_eq!(host.connection(), 1);
        host.closed(1);
        assert_eq!(host.connection(), 4);
        host.closed(4);
        host.closed(3);
        assert_eq!(host.connection(), 0);
    }
}
