//! What a batch does inside its transaction.

use std::collections::{BTreeSet, HashMap};

use ahash::RandomState;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Error, Row, Statement};

use super::folded::{Folded, Rows, Sessions, Usage};
use super::link::{Link, Statements};
use super::sql;
use crate::pcrf::store::Upsert;

/// Why a transaction cannot be committed.
pub(super) enum Stop {
    /// Somebody else was there at the same time: the same once more.
    Again,
    /// The database cannot, or is gone.
    Failed(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        let crossed = [
            SqlState::UNIQUE_VIOLATION,
            SqlState::T_R_SERIALIZATION_FAILURE,
            SqlState::T_R_DEADLOCK_DETECTED,
        ];
        match error.code() {
            Some(code) if crossed.contains(code) => Self::Again,
            _ => Self::Failed(error),
        }
    }
}

/// Which transaction.
pub(super) struct Transaction<'a> {
    pub(super) folded: &'a Folded<'a>,
    pub(super) writer: i64,
    pub(super) number: i64,
    pub(super) how: Upsert,
    /// It was tried before, and somebody else was there.
    pub(super) again: bool,
    /// Its commit need not wait for the disk.
    pub(super) lazy: bool,
}

type Versions = HashMap<Vec<u8>, u64, RandomState>;

type Given<'a> = &'a [&'a (dyn ToSql + Sync)];

/// A statement, if it has anything to do.
async fn query(
    client: &Client,
    statement: &Statement,
    given: Given<'_>,
    wanted: bool,
) -> Result<Vec<Row>, Error> {
    if wanted {
        client.query(statement, given).await
    } else {
        Ok(Vec::new())
    }
}

async fn execute(
    client: &Client,
    statement: &Statement,
    given: Given<'_>,
    wanted: bool,
) -> Result<u64, Error> {
    if wanted {
        client.execute(statement, given).await
    } else {
        Ok(0)
    }
}

fn versions(rows: &[Row], into: &mut Versions) {
    for row in rows {
        let version: i64 = row.get(1);
        into.insert(row.get(0), u64::try_from(version).unwrap_or(0));
    }
}

impl Transaction<'_> {
    /// Everything but the commit; gives how many sessions had another version than expected. The first statements of
    /// all parts leave together: what comes back first is the fault of the first that failed.
    pub(super) async fn run(&self, link: &Link) -> Result<u64, Stop> {
        let client = &link.client;
        let begin = if self.lazy {
            "BEGIN; SET LOCAL synchronous_commit TO off"
        } else {
            "BEGIN"
        };
        let (began, marked, rows, sessions, usage) = tokio::join!(
            biased;
            client.batch_execute(begin),
            self.mark(link),
            self.rows(link),
            self.sessions(link),
            self.usage(link),
        );
        began?;
        marked?;
        rows?;
        let conflicts = sessions?;
        usage?;
        Ok(conflicts)
    }

    async fn mark(&self, link: &Link) -> Result<(), Error> {
        let wanted = !self.folded.is_repeatable;
        let mark = &link.statements.mark;
        execute(&link.client, mark, &[&self.writer, &self.number], wanted).await?;
        Ok(())
    }

    async fn rows(&self, link: &Link) -> Result<(), Error> {
        let (client, statements) = (&link.client, &link.statements);
        let put = &self.folded.put_rows;
        let Rows { tables, keys, .. } = &self.folded.drop_rows;
        let written: Given<'_> = &[&put.tables, &put.keys, &put.values];
        let gone: Given<'_> = &[tables, keys];
        let (put, dropped) = tokio::join!(
            biased;
            execute(client, &statements.rows_put, written, !put.keys.is_empty()),
            execute(client, &statements.rows_drop, gone, !keys.is_empty()),
        );
        put?;
        dropped?;
        Ok(())
    }

    async fn update_sessions(&self, link: &Link, sessions: &Sessions<'_>) -> Result<u64, Error> {
        let Sessions {
            ids,
            expected,
            writes,
            blobs,
        } = sessions;
        let update = &link.statements.sessions_update;
        let given: Given<'_> = &[ids, expected, writes, blobs];
        execute(&link.client, update, given, !ids.is_empty()).await
    }

    async fn sessions(&self, link: &Link) -> Result<u64, Stop> {
        let (client, statements) = (&link.client, &link.statements);
        let removed = self.folded.removed();
        let mut known = Versions::default();
        let drop: Given<'_> = &[&removed];
        let drop = query(client, &statements.sessions_drop, drop, !removed.is_empty());
        let (present, new) = self.folded.written(None);
        if self.how == Upsert::Native {
            let all = present.and(new);
            let given: Given<'_> = &[&all.ids, &all.writes, &all.blobs];
            let native = &statements.sessions_native;
            let (dropped, written) = tokio::join!(
                biased;
                drop,
                query(client, native, given, !all.ids.is_empty()),
            );
            let writes: HashMap<_, _, RandomState> =
                all.ids.iter().copied().zip(all.writes.iter()).collect();
            for row in written? {
                let (id, version): (&[u8], i64) = (row.get(0), row.get(1));
                let before = version - writes.get(id).copied().unwrap_or(&0);
                known.insert(id.to_vec(), u64::try_from(before).unwrap_or(0));
            }
            return Ok(self.conflicts(&dropped?, known));
        }
        if self.how == Upsert::Optimistic && !self.again {
            let given: Given<'_> = &[&new.ids, &new.writes, &new.blobs];
            let insert = &statements.sessions_insert;
            let (dropped, updated, inserted) = tokio::join!(
                biased;
                drop,
                self.update_sessions(link, &present),
                execute(client, insert, given, !new.ids.is_empty()),
            );
            let dropped = dropped?;
            if updated? != present.ids.len() as u64 {
                return Err(Stop::Again);
            }
            inserted?;
            return Ok(self.conflicts(&dropped, known));
        }
        let all = present.and(new);
        let given: Given<'_> = &[&all.ids];
        let (found, dropped) = tokio::join!(
            biased;
            query(client, &statements.versions, given, !all.ids.is_empty()),
            drop,
        );
        for id in &all.ids {
            known.insert(id.to_vec(), 0);
        }
        versions(&found?, &mut known);
        let dropped = dropped?;
        if let (Upsert::Locking, Some((merge, _))) = (self.how, &statements.merge) {
            let given: Given<'_> = &[&all.ids, &all.writes, &all.blobs];
            execute(client, merge, given, !all.ids.is_empty()).await?;
        } else {
            let before = |id: &[u8]| known.get(id).copied().unwrap_or(0);
            let (present, new) = self.folded.written(Some(&before));
            if self.update_sessions(link, &present).await? != present.ids.len() as u64 {
                return Err(Stop::Again);
            }
            let given: Given<'_> = &[&new.ids, &new.writes, &new.blobs];
            let insert = &statements.sessions_insert;
            execute(client, insert, given, !new.ids.is_empty()).await?;
        }
        Ok(self.conflicts(&dropped, known))
    }

    /// Conflicts, given what was removed and the versions of what was written.
    fn conflicts(&self, dropped: &[Row], mut known: Versions) -> u64 {
        for id in self.folded.removed() {
            known.insert(id.to_vec(), 0);
        }
        versions(dropped, &mut known);
        self.folded.conflicts(&|id| known.get(id).copied())
    }

    async fn usage(&self, link: &Link) -> Result<(), Stop> {
        if self.how == Upsert::Locking && !self.folded.usage.is_empty() {
            link.client.batch_execute(sql::USAGE_ALONE).await?;
        }
        for usage in &self.folded.usage {
            match (self.how, &link.statements.merge) {
                (Upsert::Optimistic, _) => add(&link.client, &link.statements, usage).await?,
                (Upsert::Locking, Some((_, merge))) => {
                    link.client.execute(merge, &given(usage)).await?;
                }
                (Upsert::Locking, None) | (Upsert::Native, _) => {
                    let native = if usage.are_rows {
                        &link.statements.usage_native
                    } else {
                        &link.statements.usage_native_any
                    };
                    link.client.execute(native, &given(usage)).await?;
                }
            }
        }
        Ok(())
    }
}

fn given<'a>(usage: &'a Usage<'_>) -> [&'a (dyn ToSql + Sync); 5] {
    let Usage {
        owners,
        keys,
        periods,
        used,
        credit,
        ..
    } = usage;
    [owners, keys, periods, used, credit]
}

/// Adds to the counters that are there, then makes the others.
async fn add(client: &Client, statements: &Statements, usage: &Usage<'_>) -> Result<(), Error> {
    let places: Given<'_> = &[&usage.owners, &usage.keys, &usage.periods];
    let all = given(usage);
    let (locked, updated) = tokio::join!(
        biased;
        client.execute(&statements.usage_lock, places),
        client.query(&statements.usage_update, &all),
    );
    locked?;
    let updated = updated?;
    if updated.len() == usage.owners.len() {
        return Ok(());
    }
    let there = updated.iter();
    let there: BTreeSet<(&[u8], &[u8], i64)> = there
        .map(|row| (row.get(0), row.get(1), row.get(2)))
        .collect();
    let new = usage.without(&there);
    client
        .execute(&statements.usage_insert, &given(&new))
        .await?;
    Ok(())
}
