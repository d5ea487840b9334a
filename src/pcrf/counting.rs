//! Limits and usage that change beside requests: top-ups, other sources of usage.

use crate::pcrf::directory::{Identity, Row};
use crate::pcrf::engine::Pcrf;
use crate::pcrf::policy::Quota;
use crate::pcrf::sessions::Id;
use crate::pcrf::store::{Batch, Change};
use crate::pcrf::tables::Tables;
use crate::pcrf::usage::parts;

impl Pcrf {
    /// Adds to the limit of a subscriber's key for the present period; its sessions are told what changes. `None` = the
    /// subscriber is not known.
    pub fn top_up(&self, subscriber: &[u8], key: &[u8], octets: i64, now: i64) -> Option<()> {
        self.add(subscriber, key, |_| vec![(0, octets)], now)
    }

    /// Sets what was used of a subscriber's key in the present period back to nothing.
    pub fn reset(&self, subscriber: &[u8], key: &[u8], now: i64) -> Option<()> {
        let used = |used| parts(used).map(|part| (-part, 0)).collect();
        self.add(subscriber, key, used, now)
    }

    /// Another source says what was used of a subscriber's key; the key says how much of it counts. `None` = the
    /// subscriber is not known, or the key has no such source.
    pub fn report(
        &self,
        subscriber: &[u8],
        key: &[u8],
        source: &[u8],
        octets: u64,
        now: i64,
    ) -> Option<()> {
        let policy = self.policy();
        let sources = &policy.monitoring().key(key)?.sources;
        let (_, factor) = sources.iter().find(|(name, _)| name.as_bytes() == source)?;
        let counted = u128::from(octets) * u128::from(*factor) / 1000;
        let counted = u64::try_from(counted).unwrap_or(u64::MAX);
        let used = |_| parts(counted).map(|part| (part, 0)).collect();
        self.add(subscriber, key, used, now)
    }

    /// The subscriber whose key or MSISDN this is.
    fn row(&self, subscriber: &[u8]) -> Option<Row> {
        let directory = &self.tables.directory;
        let row = directory.by_key(subscriber);
        row.or_else(|| directory.find(Identity::Msisdn, subscriber))
    }

    /// Sessions of a pool, or of a subscriber by key or MSISDN.
    pub fn sessions_of(&self, owner: &[u8]) -> Vec<Id> {
        let row = self.row(owner);
        let key = row.as_ref().map_or(owner, Row::key);
        self.tables.sessions.of(key).to_vec()
    }

    /// What a subscriber, by key or MSISDN, used of a key in the present period, and how much there is.
    pub fn quota_of(&self, subscriber: &[u8], key: &[u8], now: i64) -> Quota {
        let row = self.row(subscriber);
        let known = row.as_ref().map_or(subscriber, Row::key);
        let seconds = now.div_euclid(1000);
        let policy = self.policy();
        self.tables
            .quota(&policy, key, known, row.as_ref(), seconds)
    }

    /// Applies changes of used octets and credit, which may depend on what was used.
    fn add(
        &self,
        subscriber: &[u8],
        key: &[u8],
        changes: impl FnOnce(u64) -> Vec<(i64, i64)>,
        now: i64,
    ) -> Option<()> {
        let row = self.row(subscriber);
        let known = row.as_ref().map_or(subscriber, |row| row.key());
        if row.is_none() && self.tables.sessions.of(subscriber).is_empty() {
            return None;
        }
        let policy = self.policy();
        let known_key = policy.monitoring().key(key);
        let owner = Tables::owner(known_key, known, row.as_ref());
        let period = self.tables.period(known_key, now.div_euclid(1000));
        let before = self.tables.usage.get(owner, key, period);
        let mut batch = Batch::default();
        for (used, credit) in changes(before.used) {
            let (_, after) = self.tables.usage.add(owner, key, period, used, credit);
            batch.push(&Change::AddUsage {
                subscriber: owner,
                key,
                period: after.number,
                used,
                credit,
            });
        }
        self.journal.append(&batch);
        self.look_at(owner);
        Some(())
    }
}
