//! When a connection pauses before it reads again, so that some requests come together.
//!
//! A request that comes alone costs a wait, a read and a write: three system calls, which cost more than its answer.
//! Where many come, a short pause lets them share these (3,000 a second, each at its time: 19 % of a core instead of
//! 30 % without). A peer that waits for each answer gains nothing by it: where a pause brings one request only, there
//! are no more of them for a while.

use std::time::{Duration, Instant};

/// How long a pause is: a step of the runtime's clock.
pub(super) const PAUSE: Duration = Duration::from_millis(1);
/// How often requests are counted, and for how long a pause that brought nothing stays the last one.
const SPAN: Duration = Duration::from_millis(100);
/// Requests of a span from which on pauses may pay.
const MANY: u32 = 100;
/// Requests that come together without a pause.
const TOGETHER: u32 = 16;

/// What one connection has seen lately.
#[derive(Debug)]
pub(super) struct Gather {
    began: Instant,
    requests: u32,
    many: bool,
    paused: bool,
    not_before: Instant,
}

impl Gather {
    pub(super) fn new(now: Instant) -> Self {
        Self {
            began: now,
            requests: 0,
            many: false,
            paused: false,
            not_before: now,
        }
    }

    /// So many requests were read at once: whether to pause before the next read.
    pub(super) fn pauses(&mut self, requests: u32, now: Instant) -> bool {
        self.requests += requests;
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
