//! What all requests share: sessions, usage, subscribers, hosts, the store, switches and counts.

use std::sync::{Arc, Mutex};

use crate::base::Text;
use crate::base::zone::Zone;
use crate::pcrf::counters::Counters;
use crate::pcrf::directory::{Directory, Row};
use crate::pcrf::form::{self, Reader};
use crate::pcrf::hosts::Hosts;
use crate::pcrf::interned::Interner;
use crate::pcrf::optimise::{Switch, Switches};
use crate::pcrf::perf::{Perf, Work};
use crate::pcrf::policy::{Accumulate, MonitoringKey, Period, Policy, Quota};
use crate::pcrf::sessions::Sessions;
use crate::pcrf::store::{Batch, Change, Fault, Store, Table};
use crate::pcrf::usage::Usage;

/// The tables.
#[derive(Debug)]
pub struct Tables {
    /// Live sessions.
    pub sessions: Sessions,
    /// Counters of the present periods.
    pub usage: Usage,
    /// Subscribers.
    pub directory: Directory,
    /// Hosts that sessions come from.
    pub hosts: Hosts,
    /// The log of truth.
    pub store: Arc<dyn Store>,
    /// Which optimisations are on.
    pub switches: Switches,
    /// What many sessions have alike.
    pub interner: Interner,
    /// What happened.
    pub counters: Counters,
    /// Where the time goes.
    pub perf: Perf,
    /// Midnight of usage periods.
    pub(crate) zone: Zone,
    /// Held over each change of usage and sessions in the naive way.
    pub(crate) naive: Mutex<()>,
}

/// A monitoring key, from the policy or from the store.
pub(crate) enum Key<'p> {
    Known(&'p MonitoringKey),
    Read(Box<MonitoringKey>),
}

impl std::ops::Deref for Key<'_> {
    type Target = MonitoringKey;

    fn deref(&self) -> &MonitoringKey {
        match self {
            Self::Known(key) => key,
            Self::Read(key) => key,
        }
    }
}

impl Tables {
    /// Empty tables over a store.
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self {
            sessions: Sessions::default(),
            usage: Usage::default(),
            directory: Directory::default(),
            hosts: Hosts::default(),
            store,
            switches: Switches::default(),
            interner: Interner::default(),
            counters: Counters::default(),
            perf: Perf::default(),
            zone: Zone::local(),
            naive: Mutex::new(()),
        }
    }

    /// A monitoring key; the naive way joins three tables of the store.
    pub(crate) fn key<'p>(&self, policy: &'p Policy, name: &[u8]) -> Option<Key<'p>> {
        if !self.switches.is_on(Switch::Umcache) {
            let mut watch = self.perf.watch();
            let read = self.read_key(name);
            watch.lap(Work::MonitoringGet);
            match read {
                Ok(Some(key)) => return Some(Key::Read(Box::new(key))),
                Ok(None) => {}
                Err(_) => self.counters.store_faults.up(),
            }
        }
        policy.monitoring().key(name).map(Key::Known)
    }

    fn read_key(&self, name: &[u8]) -> Result<Option<MonitoringKey>, Fault> {
        self.counters.store_reads.up();
        let Some(row) = self.store.row(Table::MonitoringKey, name)? else {
            return Ok(None);
        };
        let mut prefix = Vec::new();
        form::bytes(&mut prefix, name);
        let mut links = Vec::new();
        self.counters.store_reads.up();
        self.store
            .rows(Table::KeyAccumulator, &prefix, &mut |key, factor| {
                let accumulator = key.get(prefix.len()..).unwrap_or_default();
                links.push((accumulator.to_vec(), factor.to_vec()));
            })?;
        let mut accumulators = Vec::new();
        for (accumulator, factor) in links {
            self.counters.store_reads.up();
            if let Some(kind) = self.store.row(Table::Accumulator, &accumulator)? {
                accumulators.push((accumulator, kind, factor));
            }
        }
        Ok(key_of(&row, &accumulators))
    }

    /// Writes the monitoring keys of a policy to the three tables.
    pub(crate) fn keys_to_store(&self, policy: &Policy) -> Result<(), Fault> {
        let mut batch = Batch::default();
        for table in [
            Table::MonitoringKey,
            Table::Accumulator,
            Table::KeyAccumulator,
        ] {
            self.store.rows(table, b"", &mut |key, _| {
                batch.push(&Change::DropRow { table, key });
            })?;
        }
        for name in policy.monitoring().names() {
            let Some(key) = policy.monitoring().key(name) else {
                continue;
            };
            batch.push(&Change::PutRow {
                table: Table::MonitoringKey,
                key: name,
                value: &row_of(key),
            });
            let mut link = |accumulator: &[u8], kind: &[u8], factor: u32| {
                batch.push(&Change::PutRow {
                    table: Table::Accumulator,
                    key: accumulator,
                    value: kind,
                });
                let mut place = Vec::new();
                form::bytes(&mut place, name);
                place.extend_from_slice(accumulator);
                batch.push(&Change::PutRow {
                    table: Table::KeyAccumulator,
                    key: &place,
                    value: &factor.to_be_bytes(),
                });
            };
            let Accumulate {
                total,
                input,
                output,
            } = key.accumulate;
            for (wanted, accumulator) in [(total, "total"), (input, "input"), (output, "output")] {
                if wanted {
                    link(accumulator.as_bytes(), b"octets", 1000);
                }
            }
            for (source, factor) in &key.sources {
                let mut accumulator = b"source:".to_vec();
                accumulator.extend_from_slice(source);
                link(&accumulator, b"source", *factor);
            }
        }
        if batch.is_empty() {
            return Ok(());
        }
        self.store.commit(&batch, false).map(|_| ())
    }

    /// Whose counter usage of a key is added to: the subscriber's, or that of its pool.
    pub(crate) fn owner<'o>(
        key: Option<&MonitoringKey>,
        subscriber: &'o [u8],
        row: Option<&'o Row>,
    ) -> &'o [u8] {
        key.and_then(|key| key.pool.as_ref())
            .and_then(|field| row?.field(field))
            .filter(|pool| !pool.is_empty())
            .unwrap_or(subscriber)
    }

    /// Number of the present period of a key.
    pub(crate) fn period(&self, key: Option<&MonitoringKey>, now: i64) -> i64 {
        match key {
            Some(key) if key.period != Period::None => {
                i64::from(key.period.number(now, &self.zone))
            }
            _ => 0,
        }
    }

    /// What was used of a key, and its limit.
    pub(crate) fn quota(
        &self,
        policy: &Policy,
        name: &[u8],
        subscriber: &[u8],
        row: Option<&Row>,
        now: i64,
    ) -> Quota {
        let key = self.key(policy, name);
        let key = key.as_deref();
        let owner = Self::owner(key, subscriber, row);
        let counter = self.usage.get(owner, name, self.period(key, now));
        let limit = key.and_then(|key| key.limit);
        Quota {
            used: counter.used,
            limit: limit.map(|limit| limit.saturating_add_signed(counter.credit)),
            warn: key.map_or(80, |key| key.warn),
        }
    }
}

/// The row of a monitoring key, without its accumulators.
fn row_of(key: &MonitoringKey) -> Vec<u8> {
    let mut row = Vec::new();
    let option = |value: Option<u64>, row: &mut Vec<u8>| {
        row.push(u8::from(value.is_some()));
        form::number(row, value.unwrap_or(0));
    };
    option(key.limit, &mut row);
    option(key.grant, &mut row);
    row.push(match key.period {
        Period::None => 0,
        Period::Day => 1,
        Period::Week => 2,
        Period::Month => 3,
    });
    form::number(&mut row, u64::from(key.warn));
    row.push(u8::from(key.pool.is_some()));
    form::bytes(&mut row, key.pool.as_deref().unwrap_or_default());
    row.push(u8::from(key.of_rules));
    row
}

/// A monitoring key of its row and the rows of its accumulators: name, kind, factor.
fn key_of(row: &[u8], accumulators: &[(Vec<u8>, Vec<u8>, Vec<u8>)]) -> Option<MonitoringKey> {
    let mut reader = Reader::new(row);
    let option = |reader: &mut Reader<'_>| {
        let there = reader.byte()? != 0;
        let value = reader.number()?;
        Some(there.then_some(value))
    };
    let mut key = MonitoringKey {
        limit: option(&mut reader)?,
        grant: option(&mut reader)?,
        period: match reader.byte()? {
            1 => Period::Day,
            2 => Period::Week,
            3 => Period::Month,
            _ => Period::None,
        },
        warn: u32::try_from(reader.number()?).ok()?,
        ..MonitoringKey::default()
    };
    let pooled = reader.byte()? != 0;
    let pool = reader.bytes()?;
    key.pool = pooled.then(|| Text::from(pool));
    key.of_rules = reader.byte()? != 0;
    let octets = |name: &[u8]| {
        accumulators
            .iter()
            .any(|(own, kind, _)| own == name && kind == b"octets")
    };
    key.accumulate = Accumulate {
        total: octets(b"total"),
        input: octets(b"input"),
        output: octets(b"output"),
    };
    for (accumulator, kind, factor) in accumulators {
        let name = accumulator.strip_prefix(b"source:");
        let factor = <[u8; 4]>::try_from(factor.as_slice()).ok();
        if let (b"source", Some(name), Some(factor)) = (kind.as_slice(), name, factor) {
            key.sources
                .push((Text::from(name), u32::from_be_bytes(factor)));
        }
    }
    Some(key)
}
