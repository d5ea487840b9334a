//! A store in memory.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{Batch, Change, Counter, Fault, Kept, Store, Table};

/// Tables in memory behind one lock: for tests, and for servers that keep nothing.
#[derive(Debug, Default)]
pub struct Mem {
    tables: Mutex<Tables>,
}

#[derive(Debug, Default)]
struct Tables {
    sessions: BTreeMap<Vec<u8>, Kept>,
    usage: BTreeMap<(Vec<u8>, Vec<u8>, i64), Counter>,
    rows: BTreeMap<(Table, Vec<u8>), Vec<u8>>,
}

impl Mem {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    fn lock(&self) -> MutexGuard<'_, Tables> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for Mem {
    fn name(&self) -> &'static str {
        "mem"
    }

    fn get_session(&self, id: &[u8]) -> Result<Option<Kept>, Fault> {
        Ok(self.lock().sessions.get(id).cloned())
    }

    fn usage(&self, subscriber: &[u8], key: &[u8], period: i64) -> Result<Counter, Fault> {
        let place = (subscriber.to_vec(), key.to_vec(), period);
        Ok(self.lock().usage.get(&place).copied().unwrap_or_default())
    }

    fn row(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, Fault> {
        Ok(self.lock().rows.get(&(table, key.to_vec())).cloned())
    }

    fn rows(
        &self,
        table: Table,
        prefix: &[u8],
        visit: &mut dyn FnMut(&[u8], &[u8]),
    ) -> Result<(), Fault> {
        let tables = self.lock();
        let from = (table, prefix.to_vec());
        for ((own, key), value) in tables.rows.range(from..) {
            if *own != table || !key.starts_with(prefix) {
                break;
            }
            visit(key, value);
        }
        Ok(())
    }

    fn sessions(&self, visit: &mut dyn FnMut(&[u8], Kept)) -> Result<(), Fault> {
        for (id, kept) in &self.lock().sessions {
            visit(id, kept.clone());
        }
        Ok(())
    }

    fn usages(&self, visit: &mut dyn FnMut(&[u8], &[u8], i64, Counter)) -> Result<(), Fault> {
        for ((subscriber, key, period), counter) in &self.lock().usage {
            visit(subscriber, key, *period, *counter);
        }
        Ok(())
    }

    fn commit(&self, batch: &Batch, _durable: bool) -> Result<u64, Fault> {
        let mut tables = self.lock();
        let mut conflicts = 0;
        for change in batch.changes() {
            match change {
                Change::PutSession { id, expected, blob } => {
                    if let Some(kept) = tables.sessions.get_mut(id) {
                        conflicts += u64::from(kept.version != expected);
                        kept.version += 1;
                        kept.blob.clear();
                        kept.blob.extend_from_slice(blob);
                    } else {
                        conflicts += u64::from(expected != 0);
                        let kept = Kept {
                            version: 1,
                            blob: blob.to_vec(),
                        };
                        tables.sessions.insert(id.to_vec(), kept);
                    }
                }
                Change::DropSession { id } => {
                    tables.sessions.remove(id);
                }
                Change::AddUsage {
                    subscriber,
                    key,
                    period,
                    used,
                    credit,
                } => {
                    let place = (subscriber.to_vec(), key.to_vec(), period);
                    let counter = tables.usage.entry(place).or_default();
                    *counter = counter.plus(used, credit);
                }
                Change::PutRow { table, key, value } => {
                    tables.rows.insert((table, key.to_vec()), value.to_vec());
                }
                Change::DropRow { table, key } => {
                    tables.rows.remove(&(table, key.to_vec()));
                }
            }
        }
        Ok(conflicts)
    }
}
