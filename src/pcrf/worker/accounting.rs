//! What a request says was used.

use crate::pcrf::directory::Row;
use crate::pcrf::optimise::Switch;
use crate::pcrf::perf::{Watch, Work};
use crate::pcrf::session::Session;
use crate::pcrf::store::Change;
use crate::pcrf::tables::Tables;
use crate::pcrf::worker::{Call, Worker};

impl Worker {
    /// The naive way reads the subscriber from the store, too.
    pub(super) fn subscriber_step(&mut self, tables: &Tables, key: &[u8], watch: &mut Watch<'_>) {
        watch.lap(Work::SubscriberGet);
        if tables.switches.is_on(Switch::Commit) {
            return;
        }
        tables.counters.store_reads.up();
        match tables.store.get_subscriber(key) {
            Ok(row) => {
                watch.lap(Work::SubscriberGet);
                let _ = row.as_deref().and_then(Row::read);
                watch.fetch(Work::SubscriberGet);
            }
            Err(_) => tables.counters.store_faults.up(),
        }
        self.step(tables, watch);
    }

    /// Adds what was used; says whether anything was reported.
    pub(super) fn account(
        &mut self,
        call: &Call<'_, '_, '_>,
        session: &Session,
        row: Option<&Row>,
        watch: &mut Watch<'_>,
    ) -> bool {
        let tables = call.tables;
        self.reports.clear();
        tables
            .counters
            .rule_failures
            .add(u64::from(call.request.failures));
        for (name, octets) in &call.request.usage {
            let key = tables.key(&call.loaded.policy, name);
            let key = key.as_deref();
            let how = key.map_or(
                crate::pcrf::policy::MonitoringKey::default().accumulate,
                |key| key.accumulate,
            );
            let counted = octets.counted(how);
            self.reports.push(name, counted);
            let owner = Tables::owner(key, &session.subscriber, row);
            let used = i64::try_from(counted).unwrap_or(i64::MAX);
            let period = tables.period(key, call.now);
            if !tables.switches.is_on(Switch::Commit) {
                watch.skip();
                tables.counters.store_reads.up();
                if tables.store.usage(owner, name, period).is_err() {
                    tables.counters.store_faults.up();
                }
                watch.lap(Work::UsageGet);
            }
            let (before, after) = tables.usage.add(owner, name, period, used, 0);
            self.batch.push(&Change::AddUsage {
                subscriber: owner,
                key: name,
                period: after.number,
                used,
                credit: 0,
            });
            // Others who share the counter learn of a limit that was crossed.
            if let Some(key) = key
                && key.pool.is_some()
                && let Some(limit) = key.limit
            {
                let state = |used| {
                    let quota = crate::pcrf::policy::Quota {
                        used,
                        limit: Some(limit.saturating_add_signed(after.counter.credit)),
                        warn: key.warn,
                    };
                    quota.state()
                };
                if state(before.counter.used) != state(after.counter.used) {
                    for other in tables.sessions.of(owner) {
                        if *other != *call.request.session {
                            self.pcrf.enqueue(other, crate::pcrf::push::Purpose::Decide);
                        }
                    }
                }
            }
            watch.lap(Work::UsageAdd);
        }
        if !self.reports.is_empty() {
            watch.lap(Work::Accounting);
        }
        self.step(tables, watch);
        !self.reports.is_empty()
    }
}
