//! Where a call spends its time: a clock that another thread turns is looked at before each line.
//!
//! The time since the clock last moved goes to what ran when it moved. A call without a sampler runs code in which
//! there is none of this.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Where a call was.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spot {
    /// The lines whose Gosub has not returned yet, outermost first.
    pub stack: Vec<u32>,
    /// The line, as an index of [`Program::lines`](crate::program::Program::lines).
    pub line: u32,
    /// The function whose value is being read, by its index in
    /// [`Code::functions`](crate::program::template::Code::functions).
    pub function: Option<u32>,
}

/// How often and how long.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spent {
    /// Samples.
    pub samples: u64,
    /// By the clock.
    pub nanoseconds: u64,
}

/// Samples of one call.
#[derive(Debug, Clone)]
pub struct Sampler {
    /// Nanoseconds since some moment; stands still between two samples.
    clock: Arc<AtomicU64>,
    seen: u64,
    here: Option<Spot>,
    spent: BTreeMap<Spot, Spent>,
    counts: BTreeMap<u32, u64>,
}

impl Sampler {
    /// A sampler that looks at a clock.
    pub fn new(clock: Arc<AtomicU64>) -> Self {
        Self {
            clock,
            seen: 0,
            here: None,
            spent: BTreeMap::new(),
            counts: BTreeMap::new(),
        }
    }

    /// What was sampled.
    pub fn spent(&self) -> &BTreeMap<Spot, Spent> {
        &self.spent
    }

    /// How often each line was taken on the way on which nothing is passed over: exact for an observer that sees
    /// priorities, meaningless for any other.
    pub fn counts(&self) -> &BTreeMap<u32, u64> {
        &self.counts
    }

    /// A line begins, of the same subroutine as the one before.
    #[inline]
    pub(super) fn at(&mut self, line: u32) {
        self.look();
        if let Some(here) = &mut self.here {
            here.line = line;
        }
    }

    /// A line begins, with so many Gosubs open.
    pub(super) fn arrive(&mut self, line: u32, depth: usize) {
        self.look();
        match &mut self.here {
            Some(here) => {
                while here.stack.len() < depth {
                    here.stack.push(here.line);
                }
                here.stack.truncate(depth);
                here.line = line;
                here.function = None;
            }
            None => {
                self.here = Some(Spot {
                    stack: Vec::new(),
                    line,
                    function: None,
                });
            }
        }
    }

    /// A line begins that is run with all that can be seen of it.
    pub(super) fn count(&mut self, line: u32) {
        *self.counts.entry(line).or_default() += 1;
    }

    /// The value of a function is read from here on; `None` = it is known.
    pub(super) fn function(&mut self, function: Option<u32>) {
        self.look();
        if let Some(here) = &mut self.here {
            here.function = function;
        }
    }

    #[inline]
    fn look(&mut self) {
        let now = self.clock.load(Ordering::Relaxed);
        if now != self.seen {
            self.sample(now);
        }
    }

    #[cold]
    fn sample(&mut self, now: u64) {
        // The first look only says when the call began.
        if let Some(here) = &self.here {
            let passed = now.saturating_sub(self.seen);
            let spent = self.spent.entry(here.clone()).or_default();
            spent.samples += 1;
            spent.nanoseconds += passed;
        }
        self.seen = now;
    }
}

/// What the loop over lines tells of its way.
pub(super) trait Probe {
    /// A line begins.
    fn at(&mut self, line: u32);
}

/// Nobody asks: no code at all.
pub(super) struct Unseen;

impl Probe for Unseen {
    #[inline]
    fn at(&mut self, _: u32) {}
}

impl Probe for &mut Sampler {
    #[inline]
    fn at(&mut self, line: u32) {
        Sampler::at(self, line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_goes_to_what_ran_when_the_clock_moved() {
        let clock = Arc::new(AtomicU64::new(100));
        let mut sampler = Sampler::new(clock.clone());
        sampler.arrive(1, 0);
        sampler.at(2);
        clock.store(150, Ordering::Relaxed);
        sampler.arrive(7, 1);
        sampler.function(Some(3));
        clock.store(160, Ordering::Relaxed);
        sampler.function(None);
        clock.store(180, Ordering::Relaxed);
        sampler.arrive(4, 0);
        let spent: Vec<_> = sampler
            .spent()
            .iter()
            .map(|(spot, spent)| {
                (
                    spot.stack.clone(),
                    spot.line,
                    spot.function,
                    spent.nanoseconds,
                )
            })
            .collect();
        assert_eq!(
            spent,
            [
                (vec![], 2, None, 50),
                (vec![2], 7, None, 20),
                (vec![2], 7, Some(3), 10),
            ]
        );
    }
}
