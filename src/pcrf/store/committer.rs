//! Group commit: changes of many requests reach the store in one transaction.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::{Batch, Durability, Fault, FaultKind, Store};

/// When a batch closes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rhythm {
    /// What answers promise.
    pub durability: Durability,
    /// In `strict`: it closes when nothing came for so long,
    pub idle: Duration,
    /// or when it is so old,
    pub age: Duration,
    /// or when it holds so many changes. While the store writes, the next batch grows beyond that.
    pub changes: usize,
    /// In `relaxed`: it closes when it is so old. That is what a crash loses.
    pub interval: Duration,
    /// Bytes of changes that may wait before requests are refused.
    pub bytes: usize,
    /// After a commit that failed, the next attempt.
    pub retry: Duration,
    /// In `strict`: when commits fail for so long, requests are refused.
    pub patience: Duration,
}

impl Default for Rhythm {
    fn default() -> Self {
        Self {
            durability: Durability::Strict,
            idle: Duration::from_millis(1),
            age: Duration::from_millis(4),
            changes: 256,
            interval: Duration::from_millis(100),
            bytes: 64 << 20,
            retry: Duration::from_millis(250),
            patience: Duration::from_secs(2),
        }
    }
}

/// What a commit did.
#[derive(Debug, Clone)]
pub struct Committed {
    /// All changes up to this number are in the store.
    pub upto: u64,
    /// Changes of this batch.
    pub changes: usize,
    /// How long the store took.
    pub took: Duration,
    /// Whoever had the changes committed them, and waited: it knows how long that took.
    pub alone: bool,
    /// The reason, if it failed; it is tried again.
    pub fault: Option<Fault>,
}

type Listener = dyn Fn(&Committed) + Send + Sync;

/// A thread that writes batches to a store.
pub struct Committer {
    inner: Arc<Inner>,
    thread: Option<JoinHandle<()>>,
}

struct Inner {
    rhythm: Rhythm,
    store: Arc<dyn Store>,
    listener: Box<Listener>,
    state: Mutex<State>,
    /// Whoever takes changes out of the state holds this until they are in the store, so that they stay in order.
    writing: Mutex<()>,
    wake: Condvar,
    done: Condvar,
    durable: AtomicU64,
    commits: AtomicU64,
    conflicts: AtomicU64,
}

#[derive(Default)]
struct State {
    open: Batch,
    appended: u64,
    since: Option<Instant>,
    last: Option<Instant>,
    hurried: bool,
    closing: bool,
    over: bool,
    fault: Option<Fault>,
    /// Since when commits fail.
    failing: Option<Instant>,
    /// The committer waits for work, so whoever appends the first change wakes it.
    asleep: bool,
}

impl fmt::Debug for Committer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Committer")
            .field("rhythm", &self.inner.rhythm)
            .finish_non_exhaustive()
    }
}

impl Committer {
    /// Starts the thread; `listener` hears of every commit, on that thread.
    pub fn start(
        store: Arc<dyn Store>,
        rhythm: Rhythm,
        listener: impl Fn(&Committed) + Send + Sync + 'static,
    ) -> Result<Self, Fault> {
        let inner = Arc::new(Inner {
            rhythm,
            store,
            listener: Box::new(listener),
            state: Mutex::default(),
            writing: Mutex::default(),
            wake: Condvar::new(),
            done: Condvar::new(),
            durable: AtomicU64::new(0),
            commits: AtomicU64::new(0),
            conflicts: AtomicU64::new(0),
        });
        let own = inner.clone();
        let thread = std::thread::Builder::new()
            .name("commit".to_owned())
            .spawn(move || {
                own.write();
                own.lock().over = true;
                own.done.notify_all();
            })
            .map_err(|error| Fault::new(FaultKind::Failed, error.to_string()))?;
        Ok(Self {
            inner,
            thread: Some(thread),
        })
    }

    /// Adds changes; gives the number that [`durable`](Self::durable) reaches when they are in the store.
    pub fn append(&self, changes: &Batch) -> u64 {
        let inner = &*self.inner;
        let mut state = inner.lock();
        if changes.is_empty() {
            return state.appended;
        }
        state.open.append(changes);
        state.appended += changes.len() as u64;
        let number = state.appended;
        let now = Instant::now();
        state.last = Some(now);
        let first = state.since.is_none();
        if first {
            state.since = Some(now);
        }
        let full = state.open.len() >= inner.rhythm.changes
            && inner.rhythm.durability == Durability::Strict;
        let wake = state.asleep && (first || full);
        if wake {
            state.asleep = false;
        }
        drop(state);
        if wake {
            inner.wake.notify_one();
        }
        number
    }

    /// Writes changes, and all that were added before, in a transaction of their own; `durable`: and waits for the disk.
    pub fn commit_now(&self, changes: &Batch, durable: bool) -> Result<u64, Fault> {
        let inner = &*self.inner;
        let writing = inner.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut batch = Batch::default();
        let mut state = inner.lock();
        std::mem::swap(&mut state.open, &mut batch);
        batch.append(changes);
        state.appended += changes.len() as u64;
        state.since = None;
        let upto = state.appended;
        drop(state);
        let began = Instant::now();
        match inner.store.commit(&batch, durable) {
            Ok(conflicts) => {
                inner.committed(upto, conflicts);
                // Answers wait for the listener's word, whoever commits.
                (inner.listener)(&Committed {
                    upto,
                    changes: batch.len(),
                    took: began.elapsed(),
                    alone: true,
                    fault: None,
                });
                drop(writing);
                Ok(upto)
            }
            Err(fault) => {
                // They are tried again by the thread.
                let mut state = inner.lock();
                state.failing.get_or_insert_with(Instant::now);
                batch.append(&state.open);
                state.open = batch;
                state.since = Some(Instant::now());
                drop(state);
                inner.wake.notify_one();
                Err(fault)
            }
        }
    }

    /// The number of the last change that was added.
    pub fn appended(&self) -> u64 {
        self.inner.lock().appended
    }

    /// All changes up to this number are in the store.
    pub fn durable(&self) -> u64 {
        self.inner.durable.load(Ordering::Acquire)
    }

    /// Whether answers wait for the disk.
    pub fn is_strict(&self) -> bool {
        self.inner.rhythm.durability == Durability::Strict
    }

    /// Commits made.
    pub fn commits(&self) -> u64 {
        self.inner.commits.load(Ordering::Relaxed)
    }

    /// Sessions that had another version in the store than here.
    pub fn conflicts(&self) -> u64 {
        self.inner.conflicts.load(Ordering::Relaxed)
    }

    /// Whether so much waits, or in `strict` for so long, that requests should be refused.
    pub fn is_crowded(&self) -> bool {
        let rhythm = &self.inner.rhythm;
        let state = self.inner.lock();
        let late = || {
            let failing = state.failing.map(|since| since.elapsed());
            self.is_strict() && failing.is_some_and(|failing| failing >= rhythm.patience)
        };
        state.open.size() > rhythm.bytes || late()
    }

    /// Waits until all is in the store that was added before, or a commit failed.
    pub fn flush(&self) -> Result<(), Fault> {
        let inner = &*self.inner;
        let mut state = inner.lock();
        let wanted = state.appended;
        state.fault = None;
        while inner.durable.load(Ordering::Acquire) < wanted {
            if let Some(fault) = &state.fault {
                return Err(fault.clone());
            }
            if state.over {
                return Err(Fault::new(FaultKind::Failed, "the writing thread ended"));
            }
            state.hurried = true;
            inner.wake.notify_one();
            state = inner
                .done
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        Ok(())
    }
}

impl Drop for Committer {
    fn drop(&mut self) {
        self.inner.lock().closing = true;
        self.inner.wake.notify_one();
        if let Some(thread) = self.thread.take() {
            // A panic in there was printed; what it left unwritten is lost.
            let _ = thread.join();
        }
    }
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// When the open batch closes.
    fn due(&self, state: &State, now: Instant) -> Option<Instant> {
        let since = state.since?;
        if state.hurried || state.closing {
            return Some(now);
        }
        let rhythm = &self.rhythm;
        Some(match rhythm.durability {
            Durability::Strict if state.open.len() >= rhythm.changes => now,
            Durability::Strict => {
                let idle = state.last.unwrap_or(since) + rhythm.idle;
                idle.min(since + rhythm.age)
            }
            _ => since + rhythm.interval,
        })
    }

    fn write(&self) {
        let mut batch = Batch::default();
        loop {
            let mut state = self.lock();
            let upto = loop {
                let now = Instant::now();
                match self.due(&state, now) {
                    None if state.closing => return,
                    None => {
                        state.hurried = false;
                        state.asleep = true;
                        state = self
                            .wake
                            .wait(state)
                            .unwrap_or_else(PoisonError::into_inner);
                    }
                    Some(due) if due > now => {
                        state.asleep = true;
                        let waited = self.wake.wait_timeout(state, due - now);
                        state = waited.unwrap_or_else(PoisonError::into_inner).0;
                    }
                    Some(_) => break state.appended,
                }
                state.asleep = false;
            };
            state.hurried = false;
            drop(state);
            let writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
            let mut state = self.lock();
            let upto = upto.max(state.appended);
            state.since = None;
            batch.clear();
            std::mem::swap(&mut state.open, &mut batch);
            drop(state);
            let fine = batch.is_empty() || self.commit(&batch, upto);
            drop(writing);
            if !fine {
                return;
            }
        }
    }

    /// Tells that changes are in the store.
    fn committed(&self, upto: u64, conflicts: u64) {
        self.commits.fetch_add(1, Ordering::Relaxed);
        self.conflicts.fetch_add(conflicts, Ordering::Relaxed);
        self.durable.fetch_max(upto, Ordering::Release);
        // Whoever looked at the number before and waits now must not miss this.
        self.lock().failing = None;
        self.done.notify_all();
    }

    /// Writes a batch, as often as it takes; `false` = the store fails and the server ends.
    fn commit(&self, batch: &Batch, upto: u64) -> bool {
        loop {
            let began = Instant::now();
            let result = self.store.commit(batch, true);
            let mut report = Committed {
                upto,
                changes: batch.len(),
                took: began.elapsed(),
                alone: false,
                fault: None,
            };
            match result {
                Ok(conflicts) => {
                    self.committed(upto, conflicts);
                    (self.listener)(&report);
                    return true;
                }
                Err(fault) => {
                    report.fault = Some(fault.clone());
                    report.upto = self.durable.load(Ordering::Acquire);
                    let mut state = self.lock();
                    state.fault = Some(fault);
                    state.failing.get_or_insert(began);
                    let closing = state.closing;
                    drop(state);
                    self.done.notify_all();
                    (self.listener)(&report);
                    if closing {
                        return false;
                    }
                    std::thread::sleep(self.rhythm.retry);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Change, Mem};
    use super::*;

    fn one(id: &[u8]) -> Batch {
        let mut batch = Batch::default();
        batch.push(&Change::PutSession {
            id,
            expected: 0,
            blob: b"x",
        });
        batch
    }

    #[test]
    fn flushed_changes_are_in_the_store() {
        let store = Arc::new(Mem::new());
        let committer = Committer::start(store.clone(), Rhythm::default(), |_| {}).unwrap();
        for number in 0..100u32 {
            committer.append(&one(&number.to_be_bytes()));
        }
        committer.flush().unwrap();
        assert_eq!(committer.durable(), 100);
        assert!(committer.commits() < 100);
        let mut count = 0;
        store.sessions(&mut |_, _| count += 1).unwrap();
        assert_eq!(count, 100);
    }

    #[test]
    fn a_dropped_committer_writes_what_it_has() {
        let store = Arc::new(Mem::new());
        let rhythm = Rhythm {
            durability: Durability::Relaxed,
            interval: Duration::from_mins(1),
            ..Rhythm::default()
        };
        let committer = Committer::start(store.clone(), rhythm, |_| {}).unwrap();
        committer.append(&one(b"a"));
        drop(committer);
        assert!(store.get_session(b"a").unwrap().is_some());
    }
}
