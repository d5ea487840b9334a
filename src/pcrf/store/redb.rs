//! A store in one file, by the crate `redb`.

use std::fmt;
use std::path::Path;

use ::redb::{
    CommitError, Database, Durability as Sync, ReadableDatabase as _, ReadableTable,
    TableDefinition, TableError, WriteTransaction,
};

use super::{Batch, Change, Counter, Fault, FaultKind, Kept, Store, Table};
use crate::pcrf::form::{self, Reader};
use crate::store::redb::file::{beginning, failed, guarded, open, storage, table_fault};

type Bytes = TableDefinition<'static, &'static [u8], &'static [u8]>;

/// Session-Id → version (8 bytes), blob.
const SESSIONS: Bytes = TableDefinition::new("sessions");
/// Subscriber, key, period → used (8 bytes), credit (8 bytes).
const USAGE: Bytes = TableDefinition::new("usage");
/// Number of the table (1 byte), key → row.
const ROWS: Bytes = TableDefinition::new("rows");
/// What the file is, so that no other program's file is written to.
const FORM: TableDefinition<'static, &str, u32> = TableDefinition::new("strowger-pcrf");
/// The form that this version writes.
const VERSION: u32 = 1;

/// Sessions in a file.
pub struct Redb {
    database: Database,
}

impl fmt::Debug for Redb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Redb")
    }
}

fn committing(error: CommitError) -> Fault {
    match error {
        CommitError::Storage(error) => storage(&error),
        other => failed(&other.to_string()),
    }
}

fn usage_key(subscriber: &[u8], key: &[u8], period: i64) -> Vec<u8> {
    let mut place = Vec::with_capacity(subscriber.len() + key.len() + 12);
    form::bytes(&mut place, subscriber);
    form::bytes(&mut place, key);
    form::signed(&mut place, period);
    place
}

fn row_key(table: Table, key: &[u8]) -> Vec<u8> {
    let mut place = Vec::with_capacity(key.len() + 1);
    place.push(table.number());
    place.extend_from_slice(key);
    place
}

fn counter(value: &[u8]) -> Option<Counter> {
    let (used, rest) = value.split_first_chunk::<8>()?;
    let credit = rest.first_chunk::<8>()?;
    Some(Counter {
        used: u64::from_be_bytes(*used),
        credit: i64::from_be_bytes(*credit),
    })
}

fn kept(value: &[u8]) -> Option<Kept> {
    let (version, blob) = value.split_first_chunk::<8>()?;
    Some(Kept {
        version: u64::from_be_bytes(*version),
        blob: blob.to_vec(),
    })
}

fn damaged(what: &str) -> Fault {
    Fault::new(FaultKind::Damaged, format!("a record of {what} is damaged"))
}

impl Redb {
    /// Opens a file, or makes it.
    pub fn create(path: impl AsRef<Path>) -> Result<Self, Fault> {
        let database = open(path.as_ref(), true)?;
        guarded(|| {
            let found = {
                let reading = database.begin_read().map_err(|error| beginning(&error))?;
                let tables = reading.list_tables().map_err(|error| storage(&error))?;
                let other = tables.count() > 0;
                match reading.open_table(FORM) {
                    Ok(table) => table
                        .get("form")
                        .map_err(|error| storage(&error))?
                        .map(|form| form.value()),
                    Err(TableError::TableDoesNotExist(_)) if !other => None,
                    Err(TableError::TableDoesNotExist(_)) => {
                        return Err(Fault::new(
                            FaultKind::NotAStore,
                            "the file belongs to another program",
                        ));
                    }
                    Err(error) => return Err(table_fault(&error)),
                }
            };
            match found {
                Some(VERSION) => return Ok(()),
                Some(_) => {
                    return Err(Fault::new(
                        FaultKind::NotAStore,
                        "the file was written by another version",
                    ));
                }
                None => {}
            }
            let writing = database.begin_write().map_err(|error| beginning(&error))?;
            {
                let mut form = writing.open_table(FORM).map_err(|e| table_fault(&e))?;
                form.insert("form", VERSION).map_err(|e| storage(&e))?;
                for table in [SESSIONS, USAGE, ROWS] {
                    writing.open_table(table).map_err(|e| table_fault(&e))?;
                }
            }
            writing.commit().map_err(committing)
        })?;
        Ok(Self { database })
    }

    /// The value of a key.
    fn find<T>(
        &self,
        table: Bytes,
        key: &[u8],
        read: impl FnOnce(&[u8]) -> T,
    ) -> Result<Option<T>, Fault> {
        guarded(|| {
            let reading = self.database.begin_read().map_err(|e| beginning(&e))?;
            let table = reading.open_table(table).map_err(|e| table_fault(&e))?;
            let found = table.get(key).map_err(|e| storage(&e))?;
            Ok(found.map(|value| read(value.value())))
        })
    }

    /// All keys that begin with a prefix.
    fn walk(
        &self,
        table: Bytes,
        prefix: &[u8],
        visit: &mut dyn FnMut(&[u8], &[u8]) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        guarded(|| {
            let reading = self.database.begin_read().map_err(|e| beginning(&e))?;
            let table = reading.open_table(table).map_err(|e| table_fault(&e))?;
            for entry in table.range(prefix..).map_err(|e| storage(&e))? {
                let (key, value) = entry.map_err(|e| storage(&e))?;
                if !key.value().starts_with(prefix) {
                    break;
                }
                visit(key.value(), value.value())?;
            }
            Ok(())
        })
    }
}

fn apply(writing: &WriteTransaction, batch: &Batch) -> Result<u64, Fault> {
    let mut sessions = writing.open_table(SESSIONS).map_err(|e| table_fault(&e))?;
    let mut usage = writing.open_table(USAGE).map_err(|e| table_fault(&e))?;
    let mut rows = writing.open_table(ROWS).map_err(|e| table_fault(&e))?;
    let mut conflicts = 0;
    let mut value = Vec::new();
    for change in batch.changes() {
        match change {
            Change::PutSession { id, expected, blob } => {
                let before = sessions
                    .get(id)
                    .map_err(|e| storage(&e))?
                    .and_then(|kept| Some(u64::from_be_bytes(*kept.value().first_chunk::<8>()?)))
                    .unwrap_or(0);
                conflicts += u64::from(before != expected);
                value.clear();
                value.extend_from_slice(&(before + 1).to_be_bytes());
                value.extend_from_slice(blob);
                sessions
                    .insert(id, value.as_slice())
                    .map_err(|e| storage(&e))?;
            }
            Change::DropSession { id } => {
                sessions.remove(id).map_err(|e| storage(&e))?;
            }
            Change::AddUsage {
                subscriber,
                key,
                period,
                used,
                credit,
            } => {
                let place = usage_key(subscriber, key, period);
                let before = usage
                    .get(place.as_slice())
                    .map_err(|e| storage(&e))?
                    .and_then(|value| counter(value.value()))
                    .unwrap_or_default();
                let after = before.plus(used, credit);
                value.clear();
                value.extend_from_slice(&after.used.to_be_bytes());
                value.extend_from_slice(&after.credit.to_be_bytes());
                usage
                    .insert(place.as_slice(), value.as_slice())
                    .map_err(|e| storage(&e))?;
            }
            Change::PutRow {
                table,
                key,
                value: row,
            } => {
                rows.insert(row_key(table, key).as_slice(), row)
                    .map_err(|e| storage(&e))?;
            }
            Change::DropRow { table, key } => {
                rows.remove(row_key(table, key).as_slice())
                    .map_err(|e| storage(&e))?;
            }
        }
    }
    Ok(conflicts)
}

impl Store for Redb {
    fn name(&self) -> &'static str {
        "redb"
    }

    fn get_session(&self, id: &[u8]) -> Result<Option<Kept>, Fault> {
        match self.find(SESSIONS, id, kept)? {
            Some(None) => Err(damaged("a session")),
            Some(found) => Ok(found),
            None => Ok(None),
        }
    }

    fn usage(&self, subscriber: &[u8], key: &[u8], period: i64) -> Result<Counter, Fault> {
        match self.find(USAGE, &usage_key(subscriber, key, period), counter)? {
            Some(None) => Err(damaged("usage")),
            Some(Some(found)) => Ok(found),
            None => Ok(Counter::default()),
        }
    }

    fn row(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, Fault> {
        self.find(ROWS, &row_key(table, key), <[u8]>::to_vec)
    }

    fn rows(
        &self,
        table: Table,
        prefix: &[u8],
        visit: &mut dyn FnMut(&[u8], &[u8]),
    ) -> Result<(), Fault> {
        self.walk(ROWS, &row_key(table, prefix), &mut |key, value| {
            visit(key.get(1..).unwrap_or_default(), value);
            Ok(())
        })
    }

    fn sessions(&self, visit: &mut dyn FnMut(&[u8], Kept)) -> Result<(), Fault> {
        self.walk(SESSIONS, b"", &mut |id, value| {
            visit(id, kept(value).ok_or_else(|| damaged("a session"))?);
            Ok(())
        })
    }

    fn usages(&self, visit: &mut dyn FnMut(&[u8], &[u8], i64, Counter)) -> Result<(), Fault> {
        self.walk(USAGE, b"", &mut |place, value| {
            let mut reader = Reader::new(place);
            let read = (|| {
                Some((
                    reader.bytes()?,
                    reader.bytes()?,
                    reader.signed()?,
                    counter(value)?,
                ))
            })();
            let (subscriber, key, period, counter) = read.ok_or_else(|| damaged("usage"))?;
            visit(subscriber, key, period, counter);
            Ok(())
        })
    }

    fn commit(&self, batch: &Batch, durable: bool) -> Result<u64, Fault> {
        guarded(|| {
            let mut writing = self.database.begin_write().map_err(|e| beginning(&e))?;
            let how = if durable { Sync::Immediate } else { Sync::None };
            writing
                .set_durability(how)
                .map_err(|error| failed(&error.to_string()))?;
            let conflicts = apply(&writing, batch)?;
            writing.commit().map_err(committing)?;
            Ok(conflicts)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_committed_is_there_again() {
        let folder = std::env::temp_dir().join(format!("strowger-pcrf-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("sessions.redb");
        let mut batch = Batch::default();
        batch.push(&Change::PutSession {
            id: b"a;1",
            expected: 0,
            blob: b"blob",
        });
        for _ in 0..3 {
            batch.push(&Change::AddUsage {
                subscriber: b"001010000000001",
                key: b"mk-gold",
                period: -7,
                used: 4_000_000,
                credit: -5,
            });
        }
        batch.push(&Change::PutRow {
            table: Table::Peer,
            key: b"pcef",
            value: b"row",
        });
        {
            let store = Redb::create(&path).unwrap();
            assert_eq!(store.commit(&batch, true).unwrap(), 0);
            assert_eq!(store.next_start().unwrap(), 1);
        }
        let store = Redb::create(&path).unwrap();
        assert_eq!(store.next_start().unwrap(), 2);
        let session = store.get_session(b"a;1").unwrap().unwrap();
        assert_eq!(
            (session.version, session.blob.as_slice()),
            (1, &b"blob"[..])
        );
        assert!(!store.put_session(b"a;1", b"other", 0).unwrap());
        assert!(store.put_session(b"a;1", b"other", 2).unwrap());
        let counter = store.usage(b"001010000000001", b"mk-gold", -7).unwrap();
        assert_eq!(
            counter,
            Counter {
                used: 12_000_000,
                credit: -15
            }
        );
        let mut seen = Vec::new();
        store
            .usages(&mut |subscriber, key, period, _| {
                seen.push((subscriber.to_vec(), key.to_vec(), period));
            })
            .unwrap();
        assert_eq!(seen.len(), 1);
        let mut rows = 0;
        store
            .rows(Table::Peer, b"pc", &mut |_, _| rows += 1)
            .unwrap();
        assert_eq!(rows, 1);
        store.delete_session(b"a;1").unwrap();
        assert!(store.get_session(b"a;1").unwrap().is_none());
        std::fs::remove_dir_all(folder).unwrap();
    }
}
