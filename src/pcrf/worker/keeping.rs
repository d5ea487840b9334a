//! What a request leaves behind: the decision in its session, changes in the journal.

use crate::pcrf::directory::Row;
use crate::pcrf::engine::Pcrf;
use crate::pcrf::optimise::Switch;
use crate::pcrf::perf::{Watch, Work};
use crate::pcrf::policy::{Grant, Input, Policy, Wanted};
use crate::pcrf::session::{NEVER, Session};
use crate::pcrf::sessions::Id;
use crate::pcrf::store::{Batch, Change};
use crate::pcrf::tables::Tables;
use crate::pcrf::worker::Worker;

impl Worker {
    /// Keeps a new decision in its session, and tells the operator what it wants told.
    pub(crate) fn keep(&mut self, session: &mut Session, before: &Wanted, id: &[u8], now: i64) {
        let decision = self.runner.decision();
        self.blob.clear();
        decision.wanted.encode(&mut self.blob);
        session.wanted = self.pcrf.tables.interner.intern(&self.blob);
        session.memo.clear();
        if decision.memo.is_useful() {
            decision.memo.encode(&mut session.memo);
        }
        session.memo.shrink_to_fit();
        let reads_clock = decision
            .memo
            .reads()
            .any(|input| matches!(input, Input::Clock));
        session.boundary = match decision.memo.until() {
            // The PCEF asks by itself; this is for those that do not.
            Some(until) if decision.wanted.revalidate.is_some() => until.saturating_add(10),
            Some(until) if !reads_clock => until,
            _ => NEVER,
        };
        for name in &decision.wanted.notify {
            if !before.notify.contains(name) {
                self.pcrf.tables.counters.events.up();
                let mut line = b"{\"event\":".to_vec();
                let field = |name: &[u8], value: &[u8], line: &mut Vec<u8>| {
                    line.extend_from_slice(name);
                    crate::pcrf::log::json(value, line);
                };
                crate::pcrf::log::json(name, &mut line);
                let mut stamp = String::new();
                crate::pcrf::log::stamp(now, &mut stamp);
                field(b",\"at\":", stamp.as_bytes(), &mut line);
                field(b",\"session\":", id, &mut line);
                field(b",\"subscriber\":", &session.subscriber, &mut line);
                line.extend_from_slice(b"}\n");
                self.pcrf.sink.event(&line);
            }
        }
    }

    /// Adds a session to the changes, if something changed that holds for it.
    pub(crate) fn put(&mut self, id: &Id, session: &mut Session, always: bool) {
        self.pcrf
            .put(&mut self.batch, &mut self.blob, id, session, always);
    }

    /// Hands the changes to the journal.
    pub(crate) fn write(&mut self, tables: &Tables, watch: &mut Watch<'_>) -> u64 {
        let naive = !tables.switches.is_on(Switch::Commit);
        let number = if naive {
            watch.skip();
            tables.counters.commits.up();
            self.pcrf
                .journal
                .commit_now(&self.batch)
                .unwrap_or_else(|_| {
                    tables.counters.store_faults.up();
                    self.pcrf.journal.appended()
                })
        } else if self.batch.is_empty() {
            // What an answer without changes says may rest on changes that are not written yet.
            return self.pcrf.journal.appended();
        } else {
            self.pcrf.journal.append(&self.batch)
        };
        watch.lap(if naive {
            Work::Commit
        } else {
            Work::SessionPut
        });
        number
    }
}

impl Pcrf {
    /// Adds a session to changes, if something changed that holds for it. The blob is a buffer.
    pub(crate) fn put(
        &self,
        batch: &mut Batch,
        blob: &mut Vec<u8>,
        id: &Id,
        session: &mut Session,
        always: bool,
    ) {
        let naive = !self.tables.switches.is_on(Switch::Commit);
        if !self.journal.keeps() && !naive {
            return;
        }
        let host = self.tables.hosts.get(session.peer);
        let host = host.as_ref().map_or(&[][..], |host| &host.name);
        blob.clear();
        let digest = session.write_digested(host, blob);
        if !always && !naive && digest == session.digest {
            return;
        }
        session.digest = digest;
        batch.push(&Change::PutSession {
            id,
            expected: session.version,
            blob,
        });
        session.version += 1;
    }
}

/// How much of a key is granted.
pub(crate) struct Grants<'g> {
    pub(crate) tables: &'g Tables,
    pub(crate) policy: &'g Policy,
    pub(crate) subscriber: &'g [u8],
    pub(crate) row: Option<&'g Row>,
    pub(crate) now: i64,
}

impl Grants<'_> {
    /// What the decision grants, else what the key grants, but not beyond the next limit: a report is due there. Says
    /// also whether the key counts for rules.
    pub(crate) fn of(&self, monitor: &Grant) -> (Option<u64>, bool) {
        let key = self.tables.key(self.policy, &monitor.key);
        let key = key.as_deref();
        let granted = monitor.grant.or_else(|| key.and_then(|key| key.grant));
        let quota = self.tables.quota(
            self.policy,
            &monitor.key,
            self.subscriber,
            self.row,
            self.now,
        );
        let next = quota.limit.and_then(|limit| {
            let warn = u128::from(limit) * u128::from(quota.warn);
            let warn = u64::try_from(warn.div_ceil(100)).unwrap_or(u64::MAX);
            [warn, limit]
                .into_iter()
                .filter_map(|step| step.checked_sub(quota.used).filter(|left| *left > 0))
                .min()
        });
        let octets = match (granted, next) {
            (Some(granted), Some(next)) => Some(granted.min(next)),
            (granted, next) => granted.or(next),
        };
        (octets, key.is_some_and(|key| key.of_rules))
    }
}
