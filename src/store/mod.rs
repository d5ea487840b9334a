//! The key-value store behind `DB()`: the trait, a store in memory, one in a file, and what calls ask of a store.

mod memory;
#[cfg(feature = "store-redb")]
mod overlay;
#[cfg(feature = "store-redb")]
pub mod redb;
mod request;

use std::fmt;

use crate::base::Text;

pub use memory::Memory;
#[cfg(feature = "store-redb")]
pub use redb::Redb;
pub use request::{StoreAnswer, StoreRequest, answer};

/// Families of keys with values. Keys are `family/key`, and a key may hold further slashes.
///
/// All calls of an engine share one store, from any thread: every method is one step that others see done or not
/// begun, and what was written is read at once. Only [`flush`](Store::flush) waits for a disk.
pub trait Store: Send + Sync + fmt::Debug {
    /// The value of a key.
    fn get(&self, family: &[u8], key: &[u8]) -> Option<Text>;
    /// Writes a value.
    fn put(&self, family: &[u8], key: &[u8], value: &[u8]);
    /// Removes a key; gives the value that it had.
    fn remove(&self, family: &[u8], key: &[u8]) -> Option<Text>;
    /// Removes a family, or what lies below `family/keytree`; says how many keys.
    fn remove_tree(&self, family: &[u8], keytree: &[u8]) -> u64;
    /// All `family/key` paths with their values, in byte order, that begin with `prefix`.
    fn scan(&self, prefix: &[u8]) -> Vec<(Text, Text)>;

    /// How far the changes are kept. A store without a disk has nothing to report.
    fn progress(&self) -> Progress {
        Progress::default()
    }

    /// Begins to write to disk what is not there yet, without waiting for it.
    fn hurry(&self) {}

    /// Waits until every change made before is on disk. Blocks: for hosts, never inside a step of a call.
    fn flush(&self) -> Result<Kept, Fault> {
        Ok(Kept::Memory)
    }

    /// A fault that nobody was told of yet; each is given once.
    fn take_fault(&self) -> Option<Fault> {
        None
    }
}

/// Where changes are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Kept {
    /// In memory only: they are gone with the process.
    Memory,
    /// On disk, up to this change.
    Disk(u64),
}

/// How far the changes of a store are kept, and what it cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    /// Number of the last change; changes are counted from 1 since the store was opened.
    pub changed: u64,
    /// All changes up to this number are on disk; `None` = this store has no disk.
    pub durable: Option<u64>,
    /// Commits made, each one write to disk.
    pub commits: u64,
    /// Commits and reads that failed.
    pub failures: u64,
}

impl Progress {
    /// Whether nothing has to be waited for: all is on disk, or nothing will ever be.
    pub fn is_settled(&self) -> bool {
        self.durable.is_none_or(|durable| durable >= self.changed)
    }
}

/// What kind of fault a store has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultKind {
    /// The file cannot be opened: it is missing, a folder, or not permitted.
    Unreadable,
    /// Another process has the file open.
    InUse,
    /// The file is something else.
    NotAStore,
    /// The file is a store, but damaged.
    Damaged,
    /// Reading or writing failed while the store was open.
    Failed,
}

/// What is wrong with a store.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Fault {
    /// Its kind.
    pub kind: FaultKind,
    /// What happened.
    pub message: String,
}

impl Fault {
    /// A fault.
    pub fn new(kind: FaultKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
        }
    }
}

/// The path of a key.
fn path(family: &[u8], key: &[u8]) -> Vec<u8> {
    let mut path = Vec::with_capacity(family.len() + key.len() + 1);
    path.extend_from_slice(family);
    path.push(b'/');
    path.extend_from_slice(key);
    path
}

/// What `remove_tree` removes: a path, and all that begin with another.
fn tree(family: &[u8], keytree: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let root = if keytree.is_empty() {
        family.to_vec()
    } else {
        path(family, keytree)
    };
    let below = path(&root, b"");
    (root, below)
}
