//! When a worker pauses before it waits for more, so that some requests come together.
//!
//! A request that comes alone costs a wait, a read and a write: three system calls, which cost more than its answer.
//! Where many come, a short pause lets them share these. The thread sleeps: as long as it waited for its sockets, each
//! request would wake it all the same. A peer that waits for each answer gains nothing by it: where a pause brings one
//! request only, there are no more of them for a while.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use crate::pcrf::engine::lock;

/// How often requests are counted, and for how long a pause that brought nothing stays the last one.
const SPAN: Duration = Duration::from_millis(100);
/// Requests of a span from which on pauses may pay.
const MANY: u32 = 100;
/// Requests that come together without a pause.
const TOGETHER: u32 = 16;

/// The pauses of one worker.
#[derive(Debug)]
pub(super) struct Pauses {
    /// Requests since the last wait.
    requests: AtomicU32,
    /// How long a pause is.
    pause: Duration,
    gather: Mutex<Gather>,
}

impl Pauses {
    pub(super) fn new(pause: Duration) -> Self {
        Self {
            requests: AtomicU32::new(0),
            pause,
            gather: Mutex::new(Gather::new(Instant::now())),
        }
    }

    /// So many requests were read.
    pub(super) fn add(&self, requests: u32) {
        self.requests.fetch_add(requests, Ordering::Relaxed);
    }

    /// The worker has answered everything and is about to wait.
    pub(super) fn pause(&self) {
        let requests = self.requests.swap(0, Ordering::Relaxed);
        if lock(&self.gather).pauses(requests, Instant::now()) {
            std::thread::sleep(self.pause);
        }
    }
}

/// What a worker has seen lately.
#[derive(Debug)]
struct Gather {
    began: Instant,
    requests: u32,
    many: bool,
    paused: bool,
    not_before: Instant,
}

impl Gather {
    fn new(now: Instant) -> Self {
        Self {
            began: now,
            requests: 0,
            many: false,
            paused: false,
            not_before: now,
        }
    }

    /// So many requests were read since the last wait: whether to pause before the next one.
    fn pauses(&mut self, requests: u32, now: Instant) -> bool {
        if requests == 0 {
            // Something else woke the worker, which says nothing of pauses.
            self.paused = false;
            return false;
        }
        self.requests = self.requests.saturating_add(requests);
        let span = now.saturating_duration_since(self.began);
        if span >= SPAN {
            self.many = self.requests >= MANY && span < SPAN * 2;
            self.requests = 0;
            self.began = now;
        }
        if self.paused && requests < 2 {
            self.not_before = now + SPAN;
        }
        self.paused = self.many && requests < TOGETHER && now >= self.not_before;
        self.paused
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lets reads of so many requests come at intervals, and counts the pauses.
    fn pauses(gather: &mut Gather, from: Instant, reads: u32, every: Duration, each: u32) -> usize {
        (0..reads)
            .filter(|n| gather.pauses(each, from + every * *n))
            .count()
    }

    #[test]
    fn pauses_are_made_where_they_bring_requests_together() {
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        let ms = Duration::from_millis;
        // Few requests are answered at once.
        assert_eq!(pauses(&mut Gather::new(start), start, 50, ms(10), 1), 0);
        // Three a millisecond: nearly every read is a gathered one.
        let mut gather = Gather::new(start);
        assert!(pauses(&mut gather, start, 300, ms(1), 3) > 190);
        // Where very many come together they need no pause.
        assert_eq!(pauses(&mut gather, at(300), 100, ms(1), 64), 0);
        // A peer that waits for each answer is made to wait once in a span.
        let mut gather = Gather::new(start);
        let alone = pauses(&mut gather, start, 1000, Duration::from_micros(500), 1);
        assert!((2..=5).contains(&alone), "{alone}");
        // After silence the first request is answered at once.
        assert!(!gather.pauses(1, at(5_000)));
    }
}
