//! Where sessions, usage and subscribers outlive the process: the trait, its back ends, and the group commit.
//!
//! The engine answers from tables in memory; the store is the log of truth, read whole at the start. Changes reach it
//! as a [`Batch`], which a back end takes as a whole or not at all.

mod batch;
mod committer;
mod mem;
#[cfg(feature = "store-postgres")]
mod postgres;
#[cfg(feature = "store-redb")]
mod redb;

use std::fmt;

pub use crate::store::{Fault, FaultKind};
pub use batch::{Batch, Change, Changes};
pub use committer::{Committed, Committer, Rhythm};
pub use mem::Mem;
#[cfg(feature = "store-postgres")]
pub use postgres::Postgres;
#[cfg(feature = "store-redb")]
pub use redb::Redb;

/// What an answer promises.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Durability {
    /// What an answer says is on disk before the answer leaves.
    #[default]
    Strict,
    /// Answers leave at once; a crash loses what the last interval changed.
    Relaxed,
    /// Nothing is written: all is gone with the process.
    Mem,
}

impl Durability {
    /// By its name in a configuration.
    pub fn by_name(name: &[u8]) -> Option<Self> {
        match name {
            b"strict" => Some(Self::Strict),
            b"relaxed" => Some(Self::Relaxed),
            b"mem" => Some(Self::Mem),
            _ => None,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::Relaxed => "relaxed",
            Self::Mem => "mem",
        }
    }
}

/// A session as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// Counts the writes of this session.
    pub version: u64,
    /// Its blob.
    pub blob: Vec<u8>,
}

/// What was used of a key in a period.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counter {
    /// Octets used.
    pub used: u64,
    /// Octets that were added to the limit.
    pub credit: i64,
}

impl Counter {
    /// With more used and more credit.
    #[must_use]
    pub fn plus(self, used: i64, credit: i64) -> Self {
        Self {
            used: self.used.saturating_add_signed(used),
            credit: self.credit.saturating_add(credit),
        }
    }
}

/// Small tables that are rows under keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Table {
    /// Subscribers by their identity.
    Subscriber,
    /// Peers and what is configured for them, by Origin-Host.
    Peer,
    /// Monitoring keys.
    MonitoringKey,
    /// Accumulators of usage.
    Accumulator,
    /// Which key has which accumulators.
    KeyAccumulator,
    /// Numbers of this store, such as how often a server started with it.
    Own,
}

impl Table {
    /// All tables.
    pub const ALL: [Self; 6] = [
        Self::Subscriber,
        Self::Peer,
        Self::MonitoringKey,
        Self::Accumulator,
        Self::KeyAccumulator,
        Self::Own,
    ];

    /// Its number in records.
    pub fn number(self) -> u8 {
        match self {
            Self::Subscriber => 0,
            Self::Peer => 1,
            Self::MonitoringKey => 2,
            Self::Accumulator => 3,
            Self::KeyAccumulator => 4,
            Self::Own => 5,
        }
    }

    /// The table of a number.
    pub fn by_number(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }
}

/// How expected versions and additive counters are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Upsert {
    /// Get, update where nobody else did, else insert; repeated on conflict.
    #[default]
    Optimistic,
    /// A table lock and a MERGE, as the in-memory database of the article did it.
    Locking,
    /// What the database offers itself: ON CONFLICT.
    Native,
}

/// Sessions, counters and rows.
pub trait Store: Send + Sync + fmt::Debug {
    /// Its name, for what is printed at the start.
    fn name(&self) -> &'static str;
    /// A session.
    fn get_session(&self, id: &[u8]) -> Result<Option<Kept>, Fault>;
    /// The counter of a subscriber's key in a period.
    fn usage(&self, subscriber: &[u8], key: &[u8], period: i64) -> Result<Counter, Fault>;
    /// A row.
    fn row(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, Fault>;
    /// All rows of a table whose key begins with a prefix, in the order of keys.
    fn rows(
        &self,
        table: Table,
        prefix: &[u8],
        visit: &mut dyn FnMut(&[u8], &[u8]),
    ) -> Result<(), Fault>;
    /// All sessions.
    fn sessions(&self, visit: &mut dyn FnMut(&[u8], Kept)) -> Result<(), Fault>;
    /// All counters.
    fn usages(&self, visit: &mut dyn FnMut(&[u8], &[u8], i64, Counter)) -> Result<(), Fault>;
    /// Applies a batch as a whole; `durable`: and waits until it outlives the machine.
    ///
    /// Gives how many of its sessions had another version than expected; they are written nevertheless.
    fn commit(&self, batch: &Batch, durable: bool) -> Result<u64, Fault>;

    /// A subscriber's row.
    fn get_subscriber(&self, id: &[u8]) -> Result<Option<Vec<u8>>, Fault> {
        self.row(Table::Subscriber, id)
    }

    /// Writes a session at once, whatever version it has; says whether that was the expected one (0: it is new).
    fn put_session(&self, id: &[u8], blob: &[u8], expected: u64) -> Result<bool, Fault> {
        let mut batch = Batch::default();
        batch.push(&Change::PutSession { id, expected, blob });
        Ok(self.commit(&batch, false)? == 0)
    }

    /// Removes a session at once.
    fn delete_session(&self, id: &[u8]) -> Result<(), Fault> {
        let mut batch = Batch::default();
        batch.push(&Change::DropSession { id });
        self.commit(&batch, false).map(|_| ())
    }

    /// Adds to a counter at once.
    fn add_usage(
        &self,
        subscriber: &[u8],
        key: &[u8],
        period: i64,
        delta: i64,
    ) -> Result<(), Fault> {
        let mut batch = Batch::default();
        batch.push(&Change::AddUsage {
            subscriber,
            key,
            period,
            used: delta,
            credit: 0,
        });
        self.commit(&batch, false).map(|_| ())
    }

    /// How usage is written from now on; back ends without choices ignore it.
    fn upsert(&self, _how: Upsert) {}

    /// Counts one more start and gives the count, durably.
    fn next_start(&self) -> Result<u32, Fault> {
        const STARTS: &[u8] = b"starts";
        let before = self.row(Table::Own, STARTS)?;
        let before = before
            .and_then(|row| <[u8; 4]>::try_from(row.as_slice()).ok())
            .map_or(0, u32::from_be_bytes);
        let next = before.wrapping_add(1).max(1);
        let mut batch = Batch::default();
        batch.push(&Change::PutRow {
            table: Table::Own,
            key: STARTS,
            value: &next.to_be_bytes(),
        });
        self.commit(&batch, true)?;
        Ok(next)
    }
}
