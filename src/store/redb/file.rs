//! The file: one table of paths and values, and what can be wrong with it.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use ::redb::{
    CommitError, Database, DatabaseError, ReadOnlyTable, ReadableDatabase as _, StorageError,
    TableDefinition, TableError, TableHandle as _, TransactionError, WriteTransaction,
};

use crate::base::Text;
use crate::store::overlay::Batch;
use crate::store::{Fault, FaultKind};

const TABLE: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("database");
/// Bytes of the file that are kept in memory at most.
const CACHE: usize = 32 << 20;

/// Paths and values as of one commit; `None` = nothing was ever committed.
pub(super) type Snapshot = Option<ReadOnlyTable<&'static [u8], &'static [u8]>>;

thread_local! {
    /// Whether the database library works on this thread.
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Whether a panic on this thread becomes a [`Fault`], so that a panic hook has nothing to say.
pub fn catches_panics() -> bool {
    GUARDED.try_with(Cell::get).unwrap_or(false)
}

/// Lets the database library work on a file that may be damaged: a panic in there is a fault here.
pub(crate) fn guarded<T>(work: impl FnOnce() -> Result<T, Fault>) -> Result<T, Fault> {
    let outer = GUARDED.try_with(|guarded| guarded.replace(true));
    let result = catch_unwind(AssertUnwindSafe(work));
    let _ = GUARDED.try_with(|guarded| guarded.set(outer.unwrap_or(false)));
    result.unwrap_or_else(|_| Err(damaged("it holds what cannot be")))
}

/// Opens a file; a missing one is made if so wished.
pub(crate) fn open(path: &Path, create: bool) -> Result<Database, Fault> {
    let missing = !path.exists();
    let database = guarded(|| {
        let mut builder = Database::builder();
        builder.set_cache_size(CACHE);
        let opened = if create {
            builder.create(path)
        } else {
            builder.open(path)
        };
        opened.map_err(|error| opening(&error))
    })?;
    if missing {
        // The name of a new file must reach the disk, too. Not every system lets a folder be written so.
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        if let Ok(folder) = std::fs::File::open(folder.unwrap_or(Path::new("."))) {
            let _ = folder.sync_all();
        }
    }
    Ok(database)
}

/// Closes the file, which may be damaged.
pub(super) fn close(database: Option<Database>, snapshot: Option<Arc<Snapshot>>) {
    // What is not written by now is lost either way, and was told of.
    let _ = guarded(|| {
        drop(snapshot);
        drop(database);
        Ok(())
    });
}

/// Whether the database holds our table, or nothing at all.
pub(super) fn is_ours(database: &Database) -> Result<(), Fault> {
    guarded(|| {
        let transaction = database.begin_read().map_err(|error| beginning(&error))?;
        let tables: Vec<String> = transaction
            .list_tables()
            .map_err(|error| storage(&error))?
            .map(|table| table.name().to_owned())
            .collect();
        if tables.is_empty() || tables.iter().any(|name| name == TABLE.name()) {
            return Ok(());
        }
        Err(Fault::new(
            FaultKind::NotAStore,
            "the file belongs to another program",
        ))
    })
}

/// What is on disk now.
pub(super) fn snapshot(database: &Database) -> Result<Snapshot, Fault> {
    guarded(|| {
        let transaction = database.begin_read().map_err(|error| beginning(&error))?;
        match transaction.open_table(TABLE) {
            Ok(table) => Ok(Some(table)),
            Err(TableError::TableDoesNotExist(_)) => Ok(None),
            Err(error) => Err(table_fault(&error)),
        }
    })
}

/// The value of a path.
pub(super) fn get(snapshot: &Snapshot, path: &[u8]) -> Result<Option<Text>, Fault> {
    let Some(table) = snapshot else {
        return Ok(None);
    };
    guarded(|| {
        let found = table.get(path).map_err(|error| storage(&error))?;
        Ok(found.map(|value| Text::from(value.value())))
    })
}

/// Adds all paths that begin with a prefix.
pub(super) fn scan(snapshot: &Snapshot, prefix: &[u8], into: &mut Batch) -> Result<(), Fault> {
    let Some(table) = snapshot else {
        return Ok(());
    };
    guarded(|| {
        for entry in table.range(prefix..).map_err(|error| storage(&error))? {
            let (path, value) = entry.map_err(|error| storage(&error))?;
            if !path.value().starts_with(prefix) {
                break;
            }
            into.insert(path.value().to_vec(), Some(Text::from(value.value())));
        }
        Ok(())
    })
}

/// Begins to write.
pub(super) fn begin(database: &Database) -> Result<WriteTransaction, Fault> {
    guarded(|| database.begin_write().map_err(|error| beginning(&error)))
}

/// Writes a batch and waits until it is on disk. Says whether anything changed: if nothing did, nothing is written.
pub(super) fn commit(transaction: WriteTransaction, batch: &Batch) -> Result<bool, Fault> {
    guarded(|| {
        let mut changed = false;
        {
            let mut table = transaction
                .open_table(TABLE)
                .map_err(|error| table_fault(&error))?;
            for (path, value) in batch {
                let path = path.as_slice();
                changed |= match value {
                    Some(value) => {
                        let before = table
                            .insert(path, value.as_bytes())
                            .map_err(|error| storage(&error))?;
                        before.is_none_or(|before| before.value() != value.as_bytes())
                    }
                    None => table
                        .remove(path)
                        .map_err(|error| storage(&error))?
                        .is_some(),
                };
            }
        }
        if changed {
            transaction.commit().map_err(|error| match error {
                CommitError::Storage(error) => storage(&error),
                other => failed(&other.to_string()),
            })?;
        } else {
            transaction.abort().map_err(|error| storage(&error))?;
        }
        Ok(changed)
    })
}

fn damaged(what: &str) -> Fault {
    let message = format!(
        "the file is damaged ({what}): put an earlier copy in its place, or move it away to begin with an empty store"
    );
    Fault::new(FaultKind::Damaged, message)
}

pub(crate) fn failed(message: &str) -> Fault {
    Fault::new(FaultKind::Failed, message)
}

fn opening(error: &DatabaseError) -> Fault {
    let (kind, message) = match error {
        DatabaseError::DatabaseAlreadyOpen | DatabaseError::LockProtocolMismatch => (
            FaultKind::InUse,
            "the file is in use by another process".to_owned(),
        ),
        DatabaseError::UpgradeRequired(_) => (
            FaultKind::NotAStore,
            "the file has an older format".to_owned(),
        ),
        DatabaseError::RepairAborted => return damaged("it cannot be repaired"),
        DatabaseError::Storage(StorageError::Io(error)) => match error.kind() {
            std::io::ErrorKind::InvalidData => (
                FaultKind::NotAStore,
                "the file is no store of DB()".to_owned(),
            ),
            std::io::ErrorKind::UnexpectedEof => return damaged("it is cut off"),
            _ => (FaultKind::Unreadable, error.to_string()),
        },
        DatabaseError::Storage(error) => return storage(error),
        other => (FaultKind::Unreadable, other.to_string()),
    };
    Fault::new(kind, message)
}

pub(crate) fn storage(error: &StorageError) -> Fault {
    match error {
        StorageError::Corrupted(what) => damaged(what),
        StorageError::Io(error) => failed(&error.to_string()),
        other => failed(&other.to_string()),
    }
}

pub(crate) fn beginning(error: &TransactionError) -> Fault {
    match error {
        TransactionError::Storage(error) => storage(error),
        other => failed(&other.to_string()),
    }
}

pub(crate) fn table_fault(error: &TableError) -> Fault {
    match error {
        TableError::Storage(error) => storage(error),
        other => Fault::new(FaultKind::NotAStore, other.to_string()),
    }
}
