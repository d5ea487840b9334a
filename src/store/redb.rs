//! A store in one file, by the crate `redb`.
//!
//! A change is seen by every reader at once, and is written by a thread of the store in batches: a commit waits for the
//! disk (a few milliseconds), a change must not. What this promises:
//!
//! * A change is on disk when [`Progress::durable`] has reached its number, or when [`Store::flush`] came back. Then it
//!   outlives the process and the machine, however they end.
//! * A commit begins when a batch holds [`Batching::changes`] changes or is [`Batching::age`] old, or somebody asks.
//!   Whatever is younger than that is lost with the process.
//! * A batch is on disk as a whole or not at all, and batches in their order: what is found after a crash is what the
//!   store held at one moment. A value is never half a value.
//! * A store that is dropped writes what it has first.
//! * When a commit fails, its changes stay in memory, are read from there, and are tried again every second;
//!   [`Store::take_fault`] and [`Progress::failures`] tell.

pub(crate) mod file;

use std::fmt;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use ::redb::Database;

use crate::base::Text;
use crate::store::overlay::{Batch, Overlay};
use crate::store::{Fault, FaultKind, Kept, Progress, Store, path, tree};
use file::Snapshot;

pub use file::catches_panics;

/// How long to wait after a commit that failed.
const RETRY: Duration = Duration::from_secs(1);

/// When changes are written to disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Batching {
    /// A commit begins when so many changes wait.
    pub changes: usize,
    /// A commit begins when the oldest change waits for so long.
    pub age: Duration,
    /// Bytes of changes that may wait. Whoever writes beyond them waits for the disk, and is refused while it fails.
    pub bytes: usize,
}

impl Default for Batching {
    fn default() -> Self {
        Self {
            changes: 1000,
            age: Duration::from_millis(100),
            bytes: 64 << 20,
        }
    }
}

/// A store in a file.
pub struct Redb {
    inner: Arc<Inner>,
    writer: Option<JoinHandle<()>>,
}

/// Paths with values, and what went wrong meanwhile.
type Merged = (Vec<(Vec<u8>, Text)>, Option<Fault>);
type Opener = dyn Fn() -> Result<Database, Fault> + Send + Sync;

struct Inner {
    batching: Batching,
    open: Box<Opener>,
    state: Mutex<State>,
    /// There may be something to write.
    wake: Condvar,
    /// A commit ended.
    done: Condvar,
    /// Whether a fault waits for somebody to be told.
    faulty: AtomicBool,
}

struct State {
    /// `None` after a failure that could not be mended yet.
    database: Option<Database>,
    /// What is on disk, for readers; opened anew after each commit.
    snapshot: Option<Arc<Snapshot>>,
    overlay: Overlay,
    /// When the oldest change of the open batch was made.
    since: Option<Instant>,
    changed: u64,
    durable: u64,
    commits: u64,
    failures: u64,
    /// Commits that failed, and the last reason.
    failed: u64,
    reason: Option<Fault>,
    /// Not before this moment, after a commit that failed.
    retry: Option<Instant>,
    /// Somebody waits for a commit.
    hurried: bool,
    closing: bool,
    /// Nobody writes any more.
    over: bool,
    /// A fault that nobody was told of.
    fault: Option<Fault>,
    /// Whether the present trouble was told already.
    told: bool,
}

impl fmt::Debug for Redb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redb")
            .field("progress", &self.progress())
            .finish_non_exhaustive()
    }
}

impl Redb {
    /// Opens a file, or makes it.
    pub fn create(path: impl Into<PathBuf>) -> Result<Self, Fault> {
        let path = path.into();
        Self::with(Batching::default(), move || file::open(&path, true))
    }

    /// Opens a file that exists.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Fault> {
        let path = path.as_ref().to_owned();
        Self::with(Batching::default(), move || file::open(&path, false))
    }

    /// Opens a file, or makes it, with another rhythm of commits.
    pub fn batching(path: impl Into<PathBuf>, batching: Batching) -> Result<Self, Fault> {
        let path = path.into();
        Self::with(batching, move || file::open(&path, true))
    }

    fn with(
        batching: Batching,
        open: impl Fn() -> Result<Database, Fault> + Send + Sync + 'static,
    ) -> Result<Self, Fault> {
        let database = open()?;
        if let Err(fault) = file::is_ours(&database) {
            file::close(Some(database), None);
            return Err(fault);
        }
        let inner = Arc::new(Inner {
            batching,
            open: Box::new(open),
            state: Mutex::new(State {
                database: Some(database),
                snapshot: None,
                overlay: Overlay::default(),
                since: None,
                changed: 0,
                durable: 0,
                commits: 0,
                failures: 0,
                failed: 0,
                reason: None,
                retry: None,
                hurried: false,
                closing: false,
                over: false,
                fault: None,
                told: false,
            }),
            wake: Condvar::new(),
            done: Condvar::new(),
            faulty: AtomicBool::new(false),
        });
        let own = inner.clone();
        let writer = std::thread::Builder::new()
            .name("store".to_owned())
            .spawn(move || {
                // Whoever waits must learn of it when nobody writes any more.
                let ended = std::panic::catch_unwind(AssertUnwindSafe(|| own.write()));
                let mut state = own.lock();
                state.over = true;
                if ended.is_err() {
                    state.reason = Some(Fault::new(FaultKind::Failed, "the writing thread died"));
                }
                drop(state);
                own.done.notify_all();
            })
            .map_err(|error| Fault::new(FaultKind::Failed, error.to_string()))?;
        Ok(Self {
            inner,
            writer: Some(writer),
        })
    }
}

impl Drop for Redb {
    fn drop(&mut self) {
        self.inner.lock().closing = true;
        self.inner.wake.notify_all();
        if let Some(writer) = self.writer.take() {
            // It catches what the database library panics of, so there is nothing to hear.
            let _ = writer.join();
        }
        let mut state = self.inner.lock();
        file::close(state.database.take(), state.snapshot.take());
    }
}

impl Inner {
    /// A panic elsewhere leaves the state whole: it changes in single steps.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a fault for whoever asks next; the same trouble is told once.
    fn complain(&self, state: &mut State, fault: Fault) {
        state.failures += 1;
        if !state.told {
            state.told = true;
            state.fault = Some(fault);
            self.faulty.store(true, Ordering::Release);
        }
    }

    /// What is on disk.
    fn snapshot(&self, state: &mut State) -> Option<Arc<Snapshot>> {
        if let Some(snapshot) = &state.snapshot {
            return Some(snapshot.clone());
        }
        let opened = match &state.database {
            Some(database) => file::snapshot(database),
            None => Err(Fault::new(FaultKind::Failed, "the file is not open")),
        };
        match opened {
            Ok(snapshot) => {
                let snapshot = Arc::new(snapshot);
                state.snapshot = Some(snapshot.clone());
                Some(snapshot)
            }
            Err(fault) => {
                self.complain(state, fault);
                None
            }
        }
    }

    /// The value on disk.
    fn read(&self, state: &mut State, path: &[u8]) -> Option<Text> {
        let snapshot = self.snapshot(state)?;
        match file::get(&snapshot, path) {
            Ok(value) => value,
            Err(fault) => {
                self.complain(state, fault);
                None
            }
        }
    }

    /// The present value.
    fn value(&self, state: &mut State, path: &[u8]) -> Option<Text> {
        match state.overlay.get(path) {
            Some(known) => known.clone(),
            None => self.read(state, path),
        }
    }

    /// The present paths and values below a prefix: what is on disk, with newer changes over it.
    fn below(snapshot: Option<&Snapshot>, newer: Batch, prefix: &[u8]) -> Merged {
        let mut all = Batch::new();
        let fault = snapshot.and_then(|snapshot| file::scan(snapshot, prefix, &mut all).err());
        all.extend(newer);
        let paths = all
            .into_iter()
            .filter_map(|(path, value)| Some((path, value?)))
            .collect();
        (paths, fault)
    }

    /// Waits until there is room for a change; `None` = there is none while the disk fails.
    fn room(&self) -> Option<MutexGuard<'_, State>> {
        let mut state = self.lock();
        while state.overlay.bytes() > self.batching.bytes {
            if state.retry.is_some() || state.over {
                let fault = Fault::new(
                    FaultKind::Failed,
                    "too much waits for a disk that fails: changes are lost",
                );
                state.told = state.told && state.fault.is_some();
                self.complain(&mut state, fault);
                return None;
            }
            state.hurried = true;
            self.wake.notify_all();
            state = self
                .done
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        Some(state)
    }

    /// Notes a change for the next commit.
    fn change(&self, state: &mut State, path: Vec<u8>, value: Option<Text>) {
        state.overlay.change(path, value);
        state.changed += 1;
        if state.since.is_none() {
            state.since = Some(Instant::now());
            self.wake.notify_all();
        } else if state.overlay.len() == self.batching.changes {
            self.wake.notify_all();
        }
    }

    /// The thread that writes.
    fn write(&self) {
        while let Some((batch, upto)) = self.next_batch() {
            let result = {
                let transaction = match &self.lock().database {
                    Some(database) => file::begin(database),
                    None => Err(Fault::new(FaultKind::Failed, "the file is not open")),
                };
                transaction.and_then(|transaction| file::commit(transaction, &batch))
            };
            let mut state = self.lock();
            match result {
                Ok(written) => {
                    state.overlay.committed();
                    state.snapshot = None;
                    state.durable = upto;
                    state.commits += u64::from(written);
                    state.retry = None;
                    state.told = false;
                }
                Err(fault) => {
                    state.overlay.failed();
                    state.since.get_or_insert_with(Instant::now);
                    state.failed += 1;
                    state.reason = Some(fault.clone());
                    state.retry = Some(Instant::now() + RETRY);
                    self.complain(&mut state, fault);
                    self.reopen(&mut state);
                }
            }
            let over = state.closing && state.retry.is_some();
            drop(state);
            self.done.notify_all();
            if over {
                return;
            }
        }
    }

    /// After a failure the database library answers nothing more: the file is opened anew.
    fn reopen(&self, state: &mut State) {
        file::close(state.database.take(), state.snapshot.take());
        match (self.open)() {
            Ok(database) => state.database = Some(database),
            Err(fault) => state.reason = Some(fault),
        }
    }

    /// Waits until there is something to write; `None` when the store is closed and nothing is left.
    fn next_batch(&self) -> Option<(Arc<Batch>, u64)> {
        let mut state = self.lock();
        loop {
            let Some(since) = state.since else {
                if state.closing {
                    return None;
                }
                state.hurried = false;
                state = self
                    .wake
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let now = Instant::now();
            let due = match state.retry {
                Some(retry) => retry,
                None if state.overlay.len() >= self.batching.changes => now,
                None => since + self.batching.age,
            };
            if state.hurried || state.closing || due <= now {
                break;
            }
            state = self
                .wake
                .wait_timeout(state, due.saturating_duration_since(now))
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
        state.hurried = false;
        state.since = None;
        if state.database.is_none() {
            self.reopen(&mut state);
        }
        let upto = state.changed;
        Some((state.overlay.start(), upto))
    }
}

impl Store for Redb {
    fn get(&self, family: &[u8], key: &[u8]) -> Option<Text> {
        let path = path(family, key);
        let mut state = self.inner.lock();
        if let Some(known) = state.overlay.get(&path) {
            return known.clone();
        }
        let snapshot = self.inner.snapshot(&mut state)?;
        // The rest happens to a moment that does not change any more.
        drop(state);
        match file::get(&snapshot, &path) {
            Ok(value) => value,
            Err(fault) => {
                self.inner.complain(&mut self.inner.lock(), fault);
                None
            }
        }
    }

    fn put(&self, family: &[u8], key: &[u8], value: &[u8]) {
        let path = path(family, key);
        let Some(mut state) = self.inner.room() else {
            return;
        };
        let before = self.inner.value(&mut state, &path);
        if before.is_none_or(|before| before.as_bytes() != value) {
            self.inner.change(&mut state, path, Some(Text::from(value)));
        }
    }

    fn remove(&self, family: &[u8], key: &[u8]) -> Option<Text> {
        let path = path(family, key);
        let mut state = self.inner.room()?;
        let before = self.inner.value(&mut state, &path)?;
        self.inner.change(&mut state, path, None);
        Some(before)
    }

    fn remove_tree(&self, family: &[u8], keytree: &[u8]) -> u64 {
        let (root, below) = tree(family, keytree);
        let Some(mut state) = self.inner.room() else {
            return 0;
        };
        let own = self.inner.value(&mut state, &root).map(|_| root);
        let snapshot = self.inner.snapshot(&mut state);
        let newer = state.overlay.below(&below);
        let (paths, fault) = Inner::below(snapshot.as_deref(), newer, &below);
        if let Some(fault) = fault {
            self.inner.complain(&mut state, fault);
        }
        let paths: Vec<Vec<u8>> = paths.into_iter().map(|(path, _)| path).chain(own).collect();
        let count = paths.len() as u64;
        for path in paths {
            self.inner.change(&mut state, path, None);
        }
        count
    }

    fn scan(&self, prefix: &[u8]) -> Vec<(Text, Text)> {
        let mut state = self.inner.lock();
        let snapshot = self.inner.snapshot(&mut state);
        let newer = state.overlay.below(prefix);
        drop(state);
        let (all, fault) = Inner::below(snapshot.as_deref(), newer, prefix);
        if let Some(fault) = fault {
            self.inner.complain(&mut self.inner.lock(), fault);
        }
        all.into_iter()
            .map(|(path, value)| (Text::from(path), value))
            .collect()
    }

    fn progress(&self) -> Progress {
        let state = self.inner.lock();
        Progress {
            changed: state.changed,
            durable: Some(state.durable),
            commits: state.commits,
            failures: state.failures,
        }
    }

    fn hurry(&self) {
        let mut state = self.inner.lock();
        if state.since.is_some() {
            state.hurried = true;
            self.inner.wake.notify_all();
        }
    }

    fn flush(&self) -> Result<Kept, Fault> {
        let mut state = self.inner.lock();
        let (wanted, failed) = (state.changed, state.failed);
        while state.durable < wanted {
            if state.failed != failed || state.over {
                // Now it is told.
                state.fault = None;
                return Err(state
                    .reason
                    .clone()
                    .unwrap_or_else(|| Fault::new(FaultKind::Failed, "nothing could be written")));
            }
            if state.since.is_some() {
                state.hurried = true;
                self.inner.wake.notify_all();
            }
            state = self
                .inner
                .done
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        Ok(Kept::Disk(state.durable))
    }

    fn take_fault(&self) -> Option<Fault> {
        if !self.inner.faulty.load(Ordering::Acquire) {
            return None;
        }
        self.inner.faulty.store(false, Ordering::Release);
        self.inner.lock().fault.take()
    }
}
