//! Where the time of requests goes, as long as somebody wants to know: operations on the store, and stages of the engine.
//!
//! The only clock below the server is read here, and only while it is switched on; nothing depends on what it says.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What time is taken of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Work {
    /// A session is read.
    SessionGet,
    /// A session is written.
    SessionPut,
    /// Usage is added.
    UsageAdd,
    /// Usage is read.
    UsageGet,
    /// A subscriber is read.
    SubscriberGet,
    /// A peer is read.
    PeerGet,
    /// Monitoring keys are read.
    MonitoringGet,
    /// A transaction of one step of a request is committed: the naive way.
    Commit,
    /// The changes of many requests are committed, on a thread of its own.
    GroupCommit,
    /// A message is taken apart.
    Decode,
    /// Used octets are added up.
    Accounting,
    /// Inputs are compared with those of the last decision.
    Memo,
    /// The dialplan runs.
    Dialplan,
    /// What is wanted is compared with what is installed.
    Difference,
    /// The answer is written.
    Encode,
    /// Lines of the log are written.
    Log,
}

const ALL: [(Work, &str); 16] = [
    (Work::SessionGet, "session.get"),
    (Work::SessionPut, "session.put"),
    (Work::UsageAdd, "usage.add"),
    (Work::UsageGet, "usage.get"),
    (Work::SubscriberGet, "subscriber.get"),
    (Work::PeerGet, "peer.get"),
    (Work::MonitoringGet, "monitoring.get"),
    (Work::Commit, "commit"),
    (Work::GroupCommit, "commit.group"),
    (Work::Decode, "decode"),
    (Work::Accounting, "accounting"),
    (Work::Memo, "memo"),
    (Work::Dialplan, "dialplan"),
    (Work::Difference, "difference"),
    (Work::Encode, "encode"),
    (Work::Log, "log"),
];

#[derive(Debug, Default)]
struct Row {
    calls: AtomicU64,
    fetch: AtomicU64,
    execute: AtomicU64,
}

/// The table.
#[derive(Debug)]
pub struct Perf {
    on: AtomicBool,
    /// Since when it counts, and until when it did, where it is switched off.
    since: Mutex<(Instant, Option<Instant>)>,
    rows: [Row; ALL.len()],
    /// Runs of the dialplan that a memo made needless.
    hits: AtomicU64,
}

/// What memos cost, and what they save.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Balance {
    /// Memos that were compared with the inputs.
    pub checks: u64,
    /// Those that held, so that the dialplan did not run.
    pub hits: u64,
    /// Microseconds that all comparisons took.
    pub cost_us: f64,
    /// Microseconds that the runs would have taken that did not happen: as long each as the mean of those that did.
    pub saved_us: f64,
}

/// One line of the table.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Line {
    /// Operation or stage.
    pub name: &'static str,
    /// Calls since it was switched on or reset.
    pub calls: u64,
    /// Calls per second.
    pub per_second: f64,
    /// Microseconds per call until the store answered.
    pub execute_us: f64,
    /// Microseconds per call to take over what it answered.
    pub fetch_us: f64,
    /// Both, per call.
    pub total_us: f64,
    /// Part of the time of all lines, in percent.
    pub share: f64,
}

/// A running measurement; nothing while the table is switched off.
#[derive(Debug)]
pub struct Watch<'a>(Option<(&'a Perf, Instant)>);

impl Default for Perf {
    fn default() -> Self {
        Self {
            on: AtomicBool::new(false),
            since: Mutex::new((Instant::now(), None)),
            rows: std::array::from_fn(|_| Row::default()),
            hits: AtomicU64::new(0),
        }
    }
}

impl Perf {
    /// Whether it is switched on.
    pub fn is_on(&self) -> bool {
        self.on.load(Ordering::Relaxed)
    }

    /// Switches it on, from zero, or off.
    pub fn switch(&self, on: bool) {
        if on && !self.is_on() {
            self.reset();
        } else if !on && self.is_on() {
            let mut since = self.since.lock().unwrap_or_else(PoisonError::into_inner);
            since.1 = Some(Instant::now());
        }
        self.on.store(on, Ordering::Relaxed);
        if on {
            let mut since = self.since.lock().unwrap_or_else(PoisonError::into_inner);
            since.1 = None;
        }
    }

    /// Begins from zero.
    pub fn reset(&self) {
        for row in &self.rows {
            row.calls.store(0, Ordering::Relaxed);
            row.fetch.store(0, Ordering::Relaxed);
            row.execute.store(0, Ordering::Relaxed);
        }
        self.hits.store(0, Ordering::Relaxed);
        let now = Instant::now();
        let end = (!self.is_on()).then_some(now);
        *self.since.lock().unwrap_or_else(PoisonError::into_inner) = (now, end);
    }

    /// Begins to measure: one relaxed load while it is switched off.
    #[inline]
    pub fn watch(&self) -> Watch<'_> {
        if self.is_on() {
            Watch(Some((self, Instant::now())))
        } else {
            Watch(None)
        }
    }

    /// Adds what was measured elsewhere.
    pub fn add(&self, work: Work, execute: Duration) {
        if self.is_on() {
            self.count(work, 1, execute, Duration::ZERO);
        }
    }

    fn count(&self, work: Work, calls: u64, execute: Duration, fetch: Duration) {
        if let Some(row) = self.rows.get(work as usize) {
            row.calls.fetch_add(calls, Ordering::Relaxed);
            let nanos = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
            row.execute.fetch_add(nanos(execute), Ordering::Relaxed);
            if !fetch.is_zero() {
                row.fetch.fetch_add(nanos(fetch), Ordering::Relaxed);
            }
        }
    }

    /// What memos cost and save; `None` where none was compared, or the dialplan never ran.
    pub fn balance(&self) -> Option<Balance> {
        let of = |work: Work| {
            let row = self.rows.get(work as usize)?;
            let calls = row.calls.load(Ordering::Relaxed);
            let took = row.execute.load(Ordering::Relaxed) as f64 / 1000.0;
            (calls > 0).then_some((calls, took))
        };
        let (checks, cost_us) = of(Work::Memo)?;
        let (runs, took) = of(Work::Dialplan)?;
        let hits = self.hits.load(Ordering::Relaxed);
        Some(Balance {
            checks,
            hits,
            cost_us,
            saved_us: took / runs as f64 * hits as f64,
        })
    }

    /// The lines that took most time, `limit` at most.
    pub fn top(&self, limit: usize) -> Vec<Line> {
        let (since, until) = *self.since.lock().unwrap_or_else(PoisonError::into_inner);
        let until = until.unwrap_or_else(Instant::now);
        let seconds = until.duration_since(since).as_secs_f64().max(1e-9);
        let read = |value: &AtomicU64| value.load(Ordering::Relaxed) as f64 / 1000.0;
        let all: f64 = self
            .rows
            .iter()
            .map(|row| read(&row.execute) + read(&row.fetch))
            .sum();
        let mut lines: Vec<Line> = ALL
            .iter()
            .zip(&self.rows)
            .filter_map(|((_, name), row)| {
                let calls = row.calls.load(Ordering::Relaxed);
                if calls == 0 {
                    return None;
                }
                let (execute, fetch) = (read(&row.execute), read(&row.fetch));
                let each = calls as f64;
                Some(Line {
                    name,
                    calls,
                    per_second: each / seconds,
                    execute_us: execute / each,
                    fetch_us: fetch / each,
                    total_us: (execute + fetch) / each,
                    share: 100.0 * (execute + fetch) / all.max(1e-9),
                })
            })
            .collect();
        lines.sort_by(|a, b| b.share.total_cmp(&a.share));
        lines.truncate(limit);
        lines
    }
}

impl Watch<'_> {
    /// Ends the measurement of a stage, or of an operation that answered nothing; the next one begins here.
    #[inline]
    pub fn lap(&mut self, work: Work) {
        if let Some((perf, began)) = &mut self.0 {
            let now = Instant::now();
            perf.count(work, 1, now - *began, Duration::ZERO);
            *began = now;
        }
    }

    /// Adds the time to take over what the operation that ended last answered; the next one begins here.
    #[inline]
    pub fn fetch(&mut self, work: Work) {
        if let Some((perf, began)) = &mut self.0 {
            let now = Instant::now();
            perf.count(work, 0, Duration::ZERO, now - *began);
            *began = now;
        }
    }

    /// Counts a memo that held.
    #[inline]
    pub fn hit(&mut self) {
        if let Some((perf, _)) = &self.0 {
            perf.hits.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Begins anew, without counting what passed.
    #[inline]
    pub fn skip(&mut self) {
        if let Some((_, began)) = &mut self.0 {
            *began = Instant::now();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_counts_only_while_it_is_on() {
        let perf = Perf::default();
        perf.watch().lap(Work::Decode);
        assert!(perf.top(15).is_empty());
        perf.switch(true);
        let mut watch = perf.watch();
        watch.lap(Work::SessionGet);
        watch.fetch(Work::SessionGet);
        watch.lap(Work::Decode);
        let lines = perf.top(15);
        assert_eq!(lines.len(), 2);
        assert!((lines.iter().map(|line| line.share).sum::<f64>() - 100.0).abs() < 0.1);
        assert_eq!(perf.top(1).len(), 1);
        assert_eq!(perf.balance(), None);
        for work in [Work::Memo, Work::Memo, Work::Dialplan] {
            watch.lap(work);
        }
        watch.hit();
        let balance = perf.balance().unwrap();
        assert_eq!((balance.checks, balance.hits), (2, 1));
        assert!(balance.cost_us > 0.0 && balance.saved_us > 0.0);
        perf.switch(false);
        perf.watch().lap(Work::Decode);
        assert_eq!(perf.top(15).iter().map(|line| line.calls).sum::<u64>(), 5);
        // Rates are those of the time it was on.
        let rate = perf.top(1)[0].per_second;
        std::thread::sleep(Duration::from_millis(5));
        assert!((perf.top(1)[0].per_second - rate).abs() < 1e-9);
    }
}
