//! A PCRF without its network: tables, policy, journal, and what workers share.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ahash::AHashMap;
use arc_swap::ArcSwap;

use crate::base::Text;
use crate::pcrf::diameter::check::Grammar;
use crate::pcrf::directory::Row;
use crate::pcrf::hosts::{Host, read_row};
use crate::pcrf::log::{Bounded, Silent, Sink};
use crate::pcrf::policy::{Policy, Subscribers};
use crate::pcrf::push::{Pending, Purpose};
use crate::pcrf::request;
use crate::pcrf::session::{Blob, NEVER};
use crate::pcrf::sessions::Id;
use crate::pcrf::settings::Settings;
use crate::pcrf::store::{Batch, Change, Committer, Fault, FaultKind, Store, Table};
use crate::pcrf::tables::Tables;

/// Where changes go.
pub trait Journal: Send + Sync + fmt::Debug {
    /// Adds changes; gives the number under which they are confirmed.
    fn append(&self, batch: &Batch) -> u64;
    /// Writes changes in a transaction of their own, after all that were added before.
    fn commit_now(&self, batch: &Batch) -> Result<u64, Fault>;
    /// The number of the last change that was added.
    fn appended(&self) -> u64;
    /// Whether changes outlive the process, so that they must be written at all.
    fn keeps(&self) -> bool;
    /// Whether so much waits that requests should be refused.
    fn is_crowded(&self) -> bool {
        false
    }
}

/// Nothing outlives the process. Only the naive way still writes to the store.
#[derive(Debug)]
pub struct Nothing(pub Arc<dyn Store>);

impl Journal for Nothing {
    fn append(&self, _batch: &Batch) -> u64 {
        0
    }

    fn commit_now(&self, batch: &Batch) -> Result<u64, Fault> {
        self.0.commit(batch, false).map(|_| 0)
    }

    fn appended(&self) -> u64 {
        0
    }

    fn keeps(&self) -> bool {
        false
    }
}

impl Journal for Committer {
    fn append(&self, batch: &Batch) -> u64 {
        Committer::append(self, batch)
    }

    fn commit_now(&self, batch: &Batch) -> Result<u64, Fault> {
        Committer::commit_now(self, batch, self.is_strict())
    }

    fn appended(&self) -> u64 {
        Committer::appended(self)
    }

    fn keeps(&self) -> bool {
        true
    }

    fn is_crowded(&self) -> bool {
        Committer::is_crowded(self)
    }
}

/// A policy and what is derived from it.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) policy: Arc<Policy>,
    /// What requests owe, and what of them is read.
    pub(crate) grammar: Grammar,
    /// Fields of subscribers that name pools.
    pools: Vec<Text>,
}

impl Loaded {
    /// Whose sessions change when usage of a subscriber does: its own, and those of its pools.
    fn owners(&self, subscriber: &[u8], row: Option<&Row>) -> Vec<Vec<u8>> {
        let mut owners = vec![subscriber.to_vec()];
        for field in &self.pools {
            let pool = row.and_then(|row| row.field(field)).unwrap_or_default();
            if !pool.is_empty() && !owners.iter().any(|own| own == pool) {
                owners.push(pool.to_vec());
            }
        }
        owners
    }

    fn new(policy: Policy) -> Self {
        let monitoring = policy.monitoring();
        let names = monitoring.names().into_iter();
        let mut pools: Vec<Text> = names
            .filter_map(|name| monitoring.key(name)?.pool.clone())
            .collect();
        pools.sort();
        pools.dedup();
        Self {
            grammar: request::grammar(&policy),
            pools,
            policy: Arc::new(policy),
        }
    }
}

/// A PCRF. Requests are answered by a [`Worker`](super::Worker) for each thread.
pub struct Pcrf {
    settings: Settings,
    pub(crate) tables: Arc<Tables>,
    pub(crate) loaded: ArcSwap<Loaded>,
    pub(crate) journal: Arc<dyn Journal>,
    pub(crate) sink: Arc<dyn Sink>,
    /// Warnings of decisions.
    pub(crate) told: Bounded,
    /// Origin-State-Id: grows with each start.
    pub(crate) start: u32,
    next: AtomicU32,
    timers: Mutex<BinaryHeap<Reverse<(i64, Id)>>>,
    queue: Mutex<VecDeque<(Id, Purpose)>>,
    /// Sessions that are looked at when nothing else waits: after a reload, or when their host is there again.
    later: Mutex<VecDeque<Id>>,
    /// Hosts that messages can be sent to again, or on another connection.
    returned: Mutex<Vec<Arc<Host>>>,
    pub(crate) pending: Mutex<AHashMap<u32, Pending>>,
}

impl fmt::Debug for Pcrf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pcrf")
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

pub(crate) fn lock<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Pcrf {
    /// Opens a store and makes a PCRF of what it holds.
    pub fn open(
        settings: Settings,
        policy: Policy,
        store: Arc<dyn Store>,
        journal: Arc<dyn Journal>,
    ) -> Result<Self, Fault> {
        let start = store.next_start()?;
        let tables = Tables::new(store);
        for setting in &settings.optimise {
            tables
                .switches
                .apply(setting)
                .map_err(|message| Fault::new(FaultKind::Failed, message))?;
        }
        tables.store.upsert(tables.switches.upsert());
        tables.keys_to_store(&policy)?;
        let pcrf = Self {
            loaded: ArcSwap::from_pointee(Loaded::new(policy)),
            tables: Arc::new(tables),
            journal,
            sink: Arc::new(Silent),
            told: Bounded::default(),
            start,
            // What was sent before a restart must not be taken for ours: RFC 6733 §3 proposes the time in the upper bits.
            next: AtomicU32::new(start.wrapping_shl(20)),
            timers: Mutex::default(),
            queue: Mutex::default(),
            later: Mutex::default(),
            returned: Mutex::default(),
            pending: Mutex::default(),
            settings,
        };
        pcrf.restore()?;
        Ok(pcrf)
    }

    /// With another Origin-State-Id: where the store does not outlive the process, the time of the start grows as well.
    #[must_use]
    pub fn with_origin_state(mut self, state: u32) -> Self {
        self.start = state;
        self.next = AtomicU32::new(state.wrapping_shl(20));
        self
    }

    /// With somebody who takes lines of the log and events.
    #[must_use]
    pub fn with_sink(mut self, sink: Arc<dyn Sink>) -> Self {
        self.sink = sink;
        self
    }

    /// Takes over what the store has.
    fn restore(&self) -> Result<(), Fault> {
        let tables = &*self.tables;
        let store = tables.store.clone();
        let mut damaged = 0u64;
        let mut buffer = Vec::new();
        store.rows(Table::Peer, b"", &mut |name, row| {
            if let Some((realm, state)) = read_row(row)
                && let Some((host, _)) = tables.hosts.take(name, &realm)
            {
                host.note_state(state);
            }
        })?;
        store.rows(Table::Subscriber, b"", &mut |_, row| match Row::read(row) {
            Some(row) => tables.directory.put(&row),
            None => damaged += 1,
        })?;
        store.usages(&mut |owner, key, period, counter| {
            tables.usage.restore(owner, key, period, counter);
        })?;
        store.sessions(&mut |id, kept| {
            let id: Id = Arc::from(id);
            let Some(mut shard) = tables.sessions.shard(&id) else {
                return;
            };
            match Blob::read(kept.version, &kept.blob) {
                Some(Blob::Live(mut session, host)) => {
                    let Some((host, _)) = tables.hosts.take(&host, b"") else {
                        return;
                    };
                    session.peer = host.number;
                    session.shrink();
                    session.share(&tables.interner);
                    buffer.clear();
                    session.digest = session.write_digested(&host.name, &mut buffer);
                    // Policy, subscribers and time went on: all are looked at when their host is there.
                    session.owed = true;
                    host.owe();
                    if session.boundary != NEVER {
                        self.schedule(session.boundary, &id);
                    }
                    let row = tables.directory.by_key(&session.subscriber);
                    let subscriber = session.subscriber.clone();
                    let owners = self.owners(&subscriber, row.as_ref());
                    let owners: Vec<&[u8]> = owners.iter().map(Vec::as_slice).collect();
                    tables.sessions.insert(&mut shard, &id, session, &owners);
                }
                Some(Blob::Over(mut tombstone)) => {
                    tombstone.answer = tables.interner.intern(&tombstone.answer);
                    shard.bury(id.clone(), tombstone);
                }
                None => damaged += 1,
            }
        })?;
        if damaged > 0 {
            return Err(Fault::new(
                FaultKind::Damaged,
                format!("{damaged} records of the store are damaged"),
            ));
        }
        Ok(())
    }

    /// What is configured.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Sessions, usage, subscribers, switches and counts.
    pub fn tables(&self) -> &Tables {
        &self.tables
    }

    /// Origin-State-Id of this start.
    pub fn origin_state(&self) -> u32 {
        self.start
    }

    /// The present policy.
    pub fn policy(&self) -> Arc<Policy> {
        self.loaded.load().policy.clone()
    }

    /// Whose sessions change when usage of a subscriber does: its own, and those of its pools.
    pub(crate) fn owners(&self, subscriber: &[u8], row: Option<&Row>) -> Vec<Vec<u8>> {
        self.loaded.load().owners(subscriber, row)
    }

    /// Sessions get other owners, as another policy or another row names other pools.
    fn move_owners(
        &self,
        ids: &[Id],
        before: impl Fn(&[u8]) -> Vec<Vec<u8>>,
        after: impl Fn(&[u8]) -> Vec<Vec<u8>>,
    ) {
        let sessions = &self.tables.sessions;
        for id in ids {
            let Some(mut shard) = sessions.shard(id) else {
                continue;
            };
            let Some((id, session)) = shard.get(id) else {
                continue;
            };
            let (before, after) = (before(&session.subscriber), after(&session.subscriber));
            for owner in before.iter().filter(|own| !after.contains(own)) {
                sessions.leave(owner, id);
            }
            for owner in after.iter().filter(|own| !before.contains(own)) {
                sessions.join(owner, id);
            }
        }
    }

    /// Another policy; sessions go on, and are told of what changes for them.
    pub fn reload(&self, policy: Policy) -> Result<(), Fault> {
        self.tables.keys_to_store(&policy)?;
        let after = Arc::new(Loaded::new(policy));
        let before = self.loaded.swap(after.clone());
        let ids = self.tables.sessions.ids(|_| true);
        if before.pools != after.pools {
            let row = |subscriber: &[u8]| self.tables.directory.by_key(subscriber);
            self.move_owners(
                &ids,
                |subscriber| before.owners(subscriber, row(subscriber).as_ref()),
                |subscriber| after.owners(subscriber, row(subscriber).as_ref()),
            );
        }
        self.enqueue_later(ids);
        Ok(())
    }

    /// Puts subscribers into the directory and the store; those of the same identity are replaced, others stay.
    pub fn import(&self, subscribers: &Subscribers) -> Result<usize, Fault> {
        self.import_changed(subscribers).map(|(count, _)| count)
    }

    /// The same; gives how many there are, and how many of them are not as they were.
    pub(crate) fn import_changed(
        &self,
        subscribers: &Subscribers,
    ) -> Result<(usize, usize), Fault> {
        let rows = subscribers.iter().map(|subscriber| {
            Row::new(
                subscriber
                    .fields()
                    .map(|(name, value)| (name.as_bytes(), value.as_bytes())),
            )
        });
        self.import_rows(rows)
    }

    fn import_rows(&self, rows: impl Iterator<Item = Row>) -> Result<(usize, usize), Fault> {
        let mut batch = Batch::default();
        let (mut count, mut changed) = (0, 0);
        for row in rows {
            count += 1;
            let before = self.tables.directory.by_key(row.key());
            if before.as_ref() == Some(&row) {
                continue;
            }
            changed += 1;
            batch.push(&Change::PutRow {
                table: Table::Subscriber,
                key: row.key(),
                value: row.bytes(),
            });
            if before.is_some() {
                self.tables.directory.remove(row.key());
            }
            self.tables.directory.put(&row);
            if before.is_some() {
                self.row_changed(row.key(), before.as_ref(), Some(&row));
            }
            if batch.len() >= 10_000 {
                self.tables.store.commit(&batch, false)?;
                batch.clear();
            }
        }
        if !batch.is_empty() {
            self.tables.store.commit(&batch, true)?;
        }
        Ok((count, changed))
    }

    /// Takes a subscriber out of the directory and the store; its sessions go on, and their next decision knows nothing
    /// of it. Says whether it was known.
    pub fn forget_subscriber(&self, key: &[u8]) -> bool {
        let Some(row) = self.tables.directory.remove(key) else {
            return false;
        };
        let mut batch = Batch::default();
        batch.push(&Change::DropRow {
            table: Table::Subscriber,
            key: row.key(),
        });
        self.journal.append(&batch);
        self.index_anew(row.key(), Some(&row), None);
        true
    }

    fn row_changed(&self, key: &[u8], before: Option<&Row>, after: Option<&Row>) {
        self.index_anew(key, before, after);
        self.look_at(key);
    }

    /// Sessions of a subscriber are found under the pool that its row names.
    fn index_anew(&self, key: &[u8], before: Option<&Row>, after: Option<&Row>) {
        let ids = self.tables.sessions.of(key);
        self.move_owners(
            &ids,
            |subscriber| self.owners(subscriber, before),
            |subscriber| self.owners(subscriber, after),
        );
    }

    /// Sessions of a subscriber or a pool are decided about anew, soon.
    pub(crate) fn look_at(&self, owner: &[u8]) {
        let ids = self.tables.sessions.of(owner);
        if !ids.is_empty() {
            lock(&self.queue).extend(ids.into_iter().map(|id| (id, Purpose::Decide)));
        }
    }

    /// Something is to be pushed to a session, soon.
    pub(crate) fn enqueue(&self, id: Id, purpose: Purpose) {
        lock(&self.queue).push_back((id, purpose));
    }

    /// Many sessions are looked at, behind what concerns few.
    pub(crate) fn enqueue_later(&self, ids: Vec<Id>) {
        lock(&self.later).extend(ids);
    }

    /// What is to be pushed next.
    pub(crate) fn dequeue(&self) -> Option<(Id, Purpose)> {
        if let Some(next) = lock(&self.queue).pop_front() {
            return Some(next);
        }
        let id = lock(&self.later).pop_front()?;
        Some((id, Purpose::Decide))
    }

    /// Sessions that wait for a decision of our own.
    pub fn queued(&self) -> usize {
        let soon = lock(&self.queue).len();
        soon + lock(&self.later).len()
    }

    /// A session is decided about anew at that second.
    pub(crate) fn schedule(&self, at: i64, id: &Id) {
        lock(&self.timers).push(Reverse((at, id.clone())));
    }

    /// The next session whose time has come.
    pub(crate) fn due(&self, now: i64) -> Option<(i64, Id)> {
        let mut timers = lock(&self.timers);
        if timers.peek().is_none_or(|Reverse((at, _))| *at > now) {
            return None;
        }
        timers.pop().map(|Reverse(due)| due)
    }

    /// Lets go of the times of sessions that ended or are to be looked at at another time, once they are most of all.
    pub(crate) fn forget_times(&self) {
        let live = usize::try_from(self.tables.sessions.len()).unwrap_or(usize::MAX);
        let mut times = {
            let mut timers = lock(&self.timers);
            if timers.len() <= live.saturating_mul(2).saturating_add(1024) {
                return;
            }
            std::mem::take(&mut *timers).into_vec()
        };
        times.retain(|Reverse((at, id))| {
            let shard = self.tables.sessions.shard(id);
            shard.is_some_and(|mut shard| shard.get(id).is_some_and(|(_, own)| own.is_due(*at)))
        });
        times.shrink_to_fit();
        lock(&self.timers).append(&mut times.into());
    }

    /// A number that no message of ours had before.
    pub(crate) fn number(&self) -> u32 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    /// A host by its name, remembered and in the store from now on.
    pub(crate) fn host(&self, name: &[u8], realm: &[u8]) -> Option<Arc<Host>> {
        let (host, new) = self.tables.hosts.take(name, realm)?;
        if new {
            self.keep_host(&host);
        }
        Some(host)
    }

    /// A host opened a connection and says its Origin-State-Id. Gives how many sessions it lost, if that grew.
    pub fn host_connected(
        &self,
        name: &[u8],
        realm: &[u8],
        state: Option<u32>,
        connection: u64,
    ) -> u64 {
        let Some(host) = self.host(name, realm) else {
            return 0;
        };
        if host.opened(connection) {
            self.returned(host.clone());
        }
        state.map_or(0, |state| self.host_state(&host, state))
    }

    /// Messages to a host take another connection from now on.
    pub(crate) fn returned(&self, host: Arc<Host>) {
        lock(&self.returned).push(host);
    }

    /// Hosts that were not looked at since messages to them take another connection.
    pub(crate) fn take_returned(&self) -> Vec<Arc<Host>> {
        std::mem::take(&mut *lock(&self.returned))
    }

    /// A connection is over.
    pub fn disconnected(&self, connection: u64) {
        for host in self.tables.hosts.all() {
            host.closed(connection);
        }
    }

    /// Notes an Origin-State-Id; where it grew, the host lost its sessions, and those are dropped.
    pub(crate) fn host_state(&self, host: &Host, state: u32) -> u64 {
        if state == host.state() {
            return 0;
        }
        let grew = host.note_state(state).is_some();
        self.keep_host(host);
        if !grew {
            return 0;
        }
        let ids = self
            .tables
            .sessions
            .ids(|session| session.peer == host.number);
        let mut count = 0;
        for id in &ids {
            count += u64::from(self.drop_session(id));
        }
        self.tables.counters.restarted.add(count);
        count
    }

    fn keep_host(&self, host: &Host) {
        let mut batch = Batch::default();
        batch.push(&Change::PutRow {
            table: Table::Peer,
            key: &host.name,
            value: &host.row(),
        });
        if self.journal.keeps() {
            self.journal.append(&batch);
        } else if self.journal.commit_now(&batch).is_err() {
            self.tables.counters.store_faults.up();
        }
    }

    /// Drops a session without telling its host.
    pub(crate) fn drop_session(&self, id: &[u8]) -> bool {
        let Some(mut shard) = self.tables.sessions.shard(id) else {
            return false;
        };
        let removed = self.remove(&mut shard, id).is_some();
        if removed {
            let mut batch = Batch::default();
            batch.push(&Change::DropSession { id });
            self.journal.append(&batch);
        }
        removed
    }

    /// Takes a session out of the tables.
    pub(crate) fn remove(
        &self,
        shard: &mut crate::pcrf::sessions::Shard,
        id: &[u8],
    ) -> Option<(Id, Box<crate::pcrf::session::Session>)> {
        self.tables.sessions.remove(shard, id, |session, leave| {
            let row = self.tables.directory.by_key(&session.subscriber);
            for owner in self.owners(&session.subscriber, row.as_ref()) {
                leave(&owner);
            }
        })
    }
}
