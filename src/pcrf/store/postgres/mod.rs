//! A store in a PostgreSQL database, by the crate `tokio-postgres`.
//!
//! All is in the schema `strowger_pcrf`. A batch is one transaction of a few statements over columns, whose first ones
//! leave together. Nothing of a runtime is needed where a store is used: the connection lives on a thread of its own.
//!
//! A connection may be lost while a commit is on its way. The transaction carries a number then: on the next
//! connection that number says whether it was committed, so that a batch that is repeated is never counted twice.

mod folded;
mod link;
mod sql;
mod writing;

use std::fmt;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::TryStreamExt as _;
use tokio_postgres::config::SslMode;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Config, Error, Row, Statement};

use self::folded::Folded;
use self::link::{ANSWERING, Link, Statements, fault, silent, wait};
use self::writing::{Stop, Transaction};
use super::{Batch, Counter, Durability, Fault, FaultKind, Kept, Store, Table, Upsert};

/// How often a transaction is tried in which somebody else was at the same records.
const ATTEMPTS: usize = 8;
/// Batches with an unknown end that are remembered; the writing thread has one at a time.
const UNKNOWN: usize = 8;

/// Sessions in a database.
pub struct Postgres {
    config: Config,
    strict: bool,
    upsert: AtomicU8,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    link: Option<Link>,
    writer: i64,
    /// The number of the last transaction.
    number: i64,
    unknown: Vec<Unknown>,
}

/// A batch whose commit was not answered.
struct Unknown {
    number: i64,
    batch: Batch,
    conflicts: u64,
    /// Whether it turned out to be committed.
    committed: bool,
}

impl fmt::Debug for Postgres {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Postgres")
    }
}

/// Reads where the database is: `postgres://…`, or `host=… dbname=…` with or without `postgres:` before it.
fn config(address: &str) -> Result<Config, Fault> {
    let wrong = |message: String| Fault::new(FaultKind::Unreadable, message);
    let address = address.trim();
    let is_url = address.starts_with("postgres://") || address.starts_with("postgresql://");
    let rest = if is_url {
        address
    } else {
        let rest = address.strip_prefix("postgresql:");
        rest.or_else(|| address.strip_prefix("postgres:"))
            .unwrap_or(address)
            .trim()
    };
    let encrypted = || {
        wrong(
            "PostgreSQL: connections are not encrypted, so sslmode can only be `disable` or \
             `prefer`; reach the database over the loopback or a network of its own"
                .to_owned(),
        )
    };
    if rest.contains("sslmode=verify") {
        return Err(encrypted());
    }
    let mut config: Config = rest.parse().map_err(|error: Error| {
        let what = fault(FaultKind::Unreadable, &error).message;
        wrong(format!("{what}, in the address of the database"))
    })?;
    match config.get_ssl_mode() {
        SslMode::Disable | SslMode::Prefer => config.ssl_mode(SslMode::Disable),
        _ => return Err(encrypted()),
    };
    if config.get_password().is_none()
        && let Some(password) = std::env::var_os("PGPASSWORD")
    {
        use std::os::unix::ffi::OsStrExt as _;
        config.password(password.as_bytes());
    }
    if config.get_application_name().is_none() {
        config.application_name("strowger pcrf");
    }
    if config.get_hosts().is_empty() {
        config.host("127.0.0.1");
    }
    config
        .keepalives_idle(Duration::from_secs(30))
        .tcp_user_timeout(ANSWERING);
    Ok(config)
}

fn failed(error: &Error) -> Fault {
    fault(FaultKind::Failed, error)
}

fn kept(version: i64, blob: Vec<u8>) -> Kept {
    Kept {
        version: u64::try_from(version).unwrap_or(0),
        blob,
    }
}

fn counter(used: &str, credit: i64) -> Result<Counter, Fault> {
    let damaged = |_| Fault::new(FaultKind::Damaged, "a record of usage is damaged");
    Ok(Counter {
        used: used.parse().map_err(damaged)?,
        credit,
    })
}

impl State {
    /// The connection; where there is none, a new one, on which the ends of transactions are known.
    fn connected(&mut self, config: &Config, strict: bool) -> Result<&Link, Fault> {
        let alive = self.link.take().filter(|link| !link.client.is_closed());
        let link = match alive {
            Some(link) => link,
            None => Link::open(config, strict)?,
        };
        if self.unknown.iter().any(|unknown| !unknown.committed) {
            let writer: &[&(dyn ToSql + Sync)] = &[&self.writer];
            let marked = link.client.query_opt(&link.statements.marked, writer);
            let marked = wait(marked, Some(ANSWERING)).ok_or_else(silent)?;
            let marked = marked.map_err(|error| failed(&error))?;
            let last: i64 = marked.map_or(0, |row| row.get(0));
            // Numbers grow, so of those that were not answered only the last can be the one that is marked; one before
            // it was looked at when that one was lost.
            for unknown in &mut self.unknown {
                unknown.committed |= unknown.number == last;
            }
            self.unknown.retain(|unknown| unknown.committed);
        }
        Ok(self.link.insert(link))
    }
}

impl Postgres {
    /// Connects to a database, given as an address or as `host=… dbname=…`, and makes the schema where there is none.
    /// With `strict` durability commits wait for the disk; else the database may lose what it committed within the last
    /// moments before it crashes itself.
    pub fn open(address: &str, durability: Durability) -> Result<Self, Fault> {
        let store = Self {
            config: config(address)?,
            strict: durability == Durability::Strict,
            upsert: AtomicU8::new(0),
            state: Mutex::default(),
        };
        {
            let mut state = store.lock();
            let link = state.connected(&store.config, store.strict)?;
            let enter = async {
                let client = &link.client;
                client.batch_execute(sql::ALONE).await?;
                client.execute(sql::OLD_WRITERS, &[]).await?;
                let writer = client.query_one(sql::WRITER, &[]).await?;
                client.batch_execute("COMMIT").await?;
                Ok(writer)
            };
            let writer = wait(enter, Some(ANSWERING)).ok_or_else(silent)?;
            state.writer = writer.map_err(|error: Error| failed(&error))?.get(0);
        }
        Ok(store)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn how(&self) -> Upsert {
        match self.upsert.load(Ordering::Relaxed) {
            0 => Upsert::Optimistic,
            1 => Upsert::Locking,
            _ => Upsert::Native,
        }
    }

    /// Rows of a statement that has few; a connection that turns out to be lost is replaced once.
    fn query(
        &self,
        statement: impl Fn(&Statements) -> &Statement,
        given: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, Fault> {
        let mut state = self.lock();
        let mut fresh = state.link.is_none();
        loop {
            let link = state.connected(&self.config, self.strict)?;
            let query = link.client.query(statement(&link.statements), given);
            match wait(query, Some(ANSWERING)) {
                Some(Ok(rows)) => return Ok(rows),
                Some(Err(error)) if error.as_db_error().is_none() || link.client.is_closed() => {
                    state.link = None;
                    if fresh {
                        return Err(failed(&error));
                    }
                    fresh = true;
                }
                Some(Err(error)) => return Err(failed(&error)),
                None => {
                    state.link = None;
                    return Err(silent());
                }
            }
        }
    }

    /// All rows of a statement, as they come.
    fn walk(
        &self,
        statement: impl Fn(&Statements) -> &Statement,
        given: &[&(dyn ToSql + Sync)],
        visit: &mut dyn FnMut(&Row) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let mut state = self.lock();
        let link = state.connected(&self.config, self.strict)?;
        let walk = async {
            let given = given.iter().copied();
            let rows = link.client.query_raw(statement(&link.statements), given);
            let mut rows = std::pin::pin!(rows.await.map_err(|error| failed(&error))?);
            while let Some(row) = rows.try_next().await.map_err(|error| failed(&error))? {
                visit(&row)?;
            }
            Ok(())
        };
        wait(walk, None).unwrap_or_else(|| Err(silent()))
    }
}

impl State {
    /// Writes a batch in one transaction; gives the conflicts.
    fn write(&mut self, store: &Postgres, whole: &Batch, durable: bool) -> Result<u64, Fault> {
        self.connected(&store.config, store.strict)?;
        // What of it is committed already: the longest of those that it begins with.
        let done = self
            .unknown
            .iter()
            .filter(|unknown| unknown.committed)
            .filter_map(|unknown| Some((whole.after(&unknown.batch)?, unknown.conflicts)))
            .min_by_key(|(rest, _)| rest.len());
        let (batch, before) = match &done {
            Some((rest, conflicts)) => (rest, *conflicts),
            None => (whole, 0),
        };
        if done.is_some() && batch.is_empty() {
            return Ok(before);
        }
        let folded = Folded::of(batch);
        for attempt in 0..ATTEMPTS {
            let link = self
                .link
                .as_ref()
                .ok_or_else(|| Fault::new(FaultKind::Failed, "PostgreSQL: no connection"))?;
            self.number += 1;
            let transaction = Transaction {
                folded: &folded,
                writer: self.writer,
                number: self.number,
                how: store.how(),
                again: attempt > 0,
                lazy: !durable,
            };
            let client = &link.client;
            match wait(transaction.run(link), Some(ANSWERING)) {
                Some(Ok(conflicts)) => {
                    let ended = wait(client.batch_execute("COMMIT"), Some(ANSWERING));
                    let Some(Ok(())) = ended else {
                        self.link = None;
                        if !folded.is_repeatable {
                            if self.unknown.len() >= UNKNOWN {
                                self.unknown.remove(0);
                            }
                            self.unknown.push(Unknown {
                                number: self.number,
                                batch: whole.clone(),
                                conflicts: before + conflicts,
                                committed: false,
                            });
                        }
                        return Err(match ended {
                            Some(Err(error)) => failed(&error),
                            _ => silent(),
                        });
                    };
                    return Ok(before + conflicts);
                }
                Some(Err(stop)) => {
                    // Nothing of it is there, and the next attempt begins anew; a connection on which that fails is
                    // of no use any more.
                    let ended = wait(client.batch_execute("ROLLBACK"), Some(ANSWERING));
                    if !matches!(ended, Some(Ok(()))) {
                        self.link = None;
                    }
                    match stop {
                        Stop::Failed(error) => return Err(failed(&error)),
                        Stop::Again if self.link.is_none() => return Err(silent()),
                        Stop::Again => {}
                    }
                }
                None => {
                    self.link = None;
                    return Err(silent());
                }
            }
        }
        Err(Fault::new(
            FaultKind::Failed,
            format!("PostgreSQL: others changed the same records in {ATTEMPTS} attempts"),
        ))
    }
}

/// The end of the keys that begin with a prefix, if there is one.
fn beyond(prefix: &[u8]) -> Option<Vec<u8>> {
    let last = prefix.iter().rposition(|byte| *byte != u8::MAX)?;
    let mut end = prefix.get(..=last)?.to_vec();
    *end.last_mut()? += 1;
    Some(end)
}

impl Store for Postgres {
    fn name(&self) -> &'static str {
        "postgres"
    }

    fn get_session(&self, id: &[u8]) -> Result<Option<Kept>, Fault> {
        let rows = self.query(|own| &own.session_get, &[&id])?;
        Ok(rows.first().map(|row| kept(row.get(0), row.get(1))))
    }

    fn usage(&self, subscriber: &[u8], key: &[u8], period: i64) -> Result<Counter, Fault> {
        let rows = self.query(|own| &own.usage_get, &[&subscriber, &key, &period])?;
        rows.first().map_or(Ok(Counter::default()), |row| {
            counter(row.get(0), row.get(1))
        })
    }

    fn row(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, Fault> {
        let rows = self.query(|own| &own.row_get, &[&i16::from(table.number()), &key])?;
        Ok(rows.first().map(|row| row.get(0)))
    }

    fn rows(
        &self,
        table: Table,
        prefix: &[u8],
        visit: &mut dyn FnMut(&[u8], &[u8]),
    ) -> Result<(), Fault> {
        let kind = i16::from(table.number());
        self.walk(
            |own| &own.rows,
            &[&kind, &prefix, &beyond(prefix)],
            &mut |row| {
                visit(row.get(0), row.get(1));
                Ok(())
            },
        )
    }

    fn sessions(&self, visit: &mut dyn FnMut(&[u8], Kept)) -> Result<(), Fault> {
        self.walk(|own| &own.sessions, &[], &mut |row| {
            visit(row.get(0), kept(row.get(1), row.get(2)));
            Ok(())
        })
    }

    fn usages(&self, visit: &mut dyn FnMut(&[u8], &[u8], i64, Counter)) -> Result<(), Fault> {
        self.walk(|own| &own.usages, &[], &mut |row| {
            let counter = counter(row.get(3), row.get(4))?;
            visit(row.get(0), row.get(1), row.get(2), counter);
            Ok(())
        })
    }

    fn commit(&self, batch: &Batch, durable: bool) -> Result<u64, Fault> {
        let mut state = self.lock();
        let written = state.write(self, batch, durable);
        if written.is_ok() {
            state
                .unknown
                .retain(|unknown| batch.after(&unknown.batch).is_none());
        }
        written
    }

    fn upsert(&self, how: Upsert) {
        let number = match how {
            Upsert::Optimistic => 0,
            Upsert::Locking => 1,
            Upsert::Native => 2,
        };
        self.upsert.store(number, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read() {
        for address in [
            "postgres://pcrf:secret@10.0.0.1:5433/db?sslmode=disable",
            "postgresql://pcrf:secret@10.0.0.1:5433/db",
            "postgres:host=10.0.0.1 port=5433 user=pcrf dbname=db password=secret",
            "host=10.0.0.1 port=5433 user=pcrf dbname=db password=secret",
        ] {
            let config = config(address).unwrap();
            assert_eq!(config.get_ports(), [5433], "{address}");
            assert_eq!(config.get_dbname(), Some("db"));
            assert_eq!(config.get_user(), Some("pcrf"));
            assert_eq!(config.get_ssl_mode(), SslMode::Disable);
        }
        for wrong in ["require", "verify-full", "verify-ca"] {
            let fault = config(&format!("postgres://a:secret@h/db?sslmode={wrong}")).unwrap_err();
            assert!(fault.message.contains("not encrypted"), "{fault}");
        }
        let fault = config("postgres://a:secret@h:99999999/db").unwrap_err();
        assert!(!fault.message.contains("secret"), "{fault}");
        let fault = config("host=h password=secret color=red").unwrap_err();
        assert!(!fault.message.contains("secret"), "{fault}");
    }

    #[test]
    fn prefixes_have_an_end() {
        assert_eq!(beyond(b"ab"), Some(b"ac".to_vec()));
        assert_eq!(beyond(b"a\xff\xff"), Some(b"b".to_vec()));
        assert_eq!(beyond(b"\xff"), None);
        assert_eq!(beyond(b""), None);
    }
}
