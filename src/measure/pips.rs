//! Priorities per second: calls run for real to their end, by a host that answers every effect at once.

use std::sync::Barrier;
use std::thread;
use std::time::Instant;

use crate::base::Text;
use crate::host::Engine;
use crate::machine::{Call, Dialed, Effect, Event, Observer};

/// One measured run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// Executed dialplan lines, of all calls together.
    pub priorities: u64,
    /// Wall-clock time.
    pub seconds: f64,
}

impl Sample {
    /// Priorities per second.
    pub fn pips(&self) -> f64 {
        if self.seconds > 0.0 {
            self.priorities as f64 / self.seconds
        } else {
            0.0
        }
    }
}

/// What runs at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Load {
    /// Calls, spread over the threads and interleaved on each.
    pub calls: usize,
    /// Threads.
    pub threads: usize,
    /// Whether every text goes through the textual evaluator, without compiled code.
    pub textual: bool,
}

impl Load {
    /// One call on one thread.
    pub const ONE: Load = Load {
        calls: 1,
        threads: 1,
        textual: false,
    };

    /// One call on one thread through the textual evaluator.
    pub const TEXTUAL: Load = Load {
        textual: true,
        ..Load::ONE
    };
}

/// Where the calls begin.
#[derive(Debug, Clone)]
pub struct Place<'a> {
    /// Context.
    pub context: &'a str,
    /// Extension.
    pub exten: &'a str,
}

/// Runs the load to the end of its last call. The first call has the observer, if there is one.
pub fn run(
    engine: &Engine,
    place: &Place<'_>,
    load: Load,
    observer: Option<Box<dyn Observer>>,
) -> Sample {
    let call = || {
        let call = engine.call(place.context, place.exten, "1");
        if load.textual { call.textual() } else { call }
    };
    let threads = load.threads.clamp(1, load.calls.max(1));
    let share = |thread: usize| load.calls / threads + usize::from(thread < load.calls % threads);
    if threads == 1 {
        let first = (share(0) > 0).then(call).map(|call| match observer {
            Some(observer) => call.with_observer(observer),
            None => call,
        });
        let mut calls = Vec::with_capacity(share(0));
        calls.extend(first);
        calls.extend((1..share(0)).map(|_| call()));
        let begin = Instant::now();
        let priorities = drive(calls);
        return Sample {
            priorities,
            seconds: begin.elapsed().as_secs_f64(),
        };
    }
    // Calls are made before the clock starts, on the threads that run them.
    let ready = Barrier::new(threads + 1);
    thread::scope(|scope| {
        let running: Vec<_> = (0..threads)
            .map(|thread| {
                let (ready, share, call) = (&ready, share(thread), &call);
                scope.spawn(move || {
                    let calls = (0..share).map(|_| call()).collect();
                    ready.wait();
                    drive(calls)
                })
            })
            .collect();
        ready.wait();
        let begin = Instant::now();
        let priorities = running
            .into_iter()
            .map(|thread| thread.join().unwrap_or(0))
            .sum();
        Sample {
            priorities,
            seconds: begin.elapsed().as_secs_f64(),
        }
    })
}

/// Steps the calls in turn, each until it yields, to the end of the last one; the sum of their priorities.
fn drive(mut calls: Vec<Call>) -> u64 {
    let mut priorities = 0;
    // A call stays where it is in memory; those that ended are passed over.
    let mut running: Vec<u32> = (0..calls.len() as u32).collect();
    let mut begun = false;
    while !running.is_empty() {
        running.retain(|&n| {
            let Some(call) = calls.get_mut(n as usize) else {
                return false;
            };
            let mut event = if begun { Event::Resume } else { Event::Start };
            loop {
                match call.step(event) {
                    Effect::End(outcome) => {
                        priorities += outcome.priorities;
                        return false;
                    }
                    Effect::Yield => return true,
                    effect => event = answer(&effect),
                }
            }
        });
        begun = true;
    }
    priorities
}

/// What a world says in which everything is done at once and nobody presses a digit or answers.
pub fn answer(effect: &Effect) -> Event {
    match effect {
        Effect::Play(_) => Event::Played {
            digit: None,
            missing: Vec::new(),
        },
        Effect::Collect { timeout: Some(_) } => Event::Timeout,
        // Nobody will ever press a digit: the caller gives up.
        Effect::Collect { timeout: None } => Event::Hangup(16),
        Effect::Record(_) => Event::Recorded(Text::from("TIMEOUT")),
        Effect::Dial(_) => Event::Dialed(Box::new(Dialed {
            status: Text::from("NOANSWER"),
            ..Dialed::default()
        })),
        Effect::Originate(_) => Event::Originated(Text::from("NOANSWER")),
        Effect::Channel { .. } => Event::Failed("there is no other channel".into()),
        Effect::Yield => Event::Resume,
        _ => Event::Done,
    }
}

/// The runs of one measurement.
#[derive(Debug, Clone, Default)]
pub struct Series {
    /// In the order in which they ran.
    pub runs: Vec<Sample>,
}

impl Series {
    /// Median of the runs' priorities per second.
    pub fn pips(&self) -> f64 {
        median(self.runs.iter().map(Sample::pips))
    }

    /// Median of the runs' times.
    pub fn seconds(&self) -> f64 {
        median(self.runs.iter().map(|run| run.seconds))
    }

    /// Priorities of a run: each does the same work.
    pub fn priorities(&self) -> u64 {
        self.runs.first().map_or(0, |run| run.priorities)
    }

    /// Distance of the fastest run to the slowest, as a part of the median.
    pub fn spread(&self) -> f64 {
        spread(self.runs.iter().map(Sample::pips))
    }
}

/// Distance of the least to the most, as a part of the median.
pub(super) fn spread(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let least = values.clone().fold(f64::INFINITY, f64::min);
    let most = values.clone().fold(0.0, f64::max);
    let median = median(values);
    if median > 0.0 {
        (most - least) / median
    } else {
        0.0
    }
}

/// The middle one, or the mean of the two in the middle.
pub fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    let at = |n: usize| values.get(n).copied().unwrap_or(0.0);
    if values.len() % 2 == 1 {
        at(middle)
    } else {
        f64::midpoint(at(middle.saturating_sub(1)), at(middle))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::load::MemoryReader;

    fn engine() -> Engine {
        let engine = Engine::builder().build();
        let text = "[a]\nexten => 1,1,Set(i=0)\n same => n(top),Set(i=$[${i}+1])\n\
                    same => n,GotoIf($[${i}<100]?top)\n";
        engine
            .load_from("e.conf", &mut MemoryReader::new().with("e.conf", text))
            .unwrap();
        engine
    }

    #[test]
    fn every_load_executes_the_same_lines() {
        let engine = engine();
        let place = Place {
            context: "a",
            exten: "1",
        };
        let one = run(&engine, &place, Load::ONE, None).priorities;
        assert!(one > 100, "{one}");
        for (calls, threads, textual) in [(1, 1, true), (3, 1, false), (5, 2, false), (1, 4, false)]
        {
            let load = Load {
                calls,
                threads,
                textual,
            };
            assert_eq!(
                run(&engine, &place, load, None).priorities,
                one * calls as u64
            );
        }
    }

    #[test]
    fn statistics() {
        let series = Series {
            runs: [1.0, 4.0, 2.0]
                .map(|seconds| Sample {
                    priorities: 8,
                    seconds,
                })
                .to_vec(),
        };
        assert_eq!(series.pips().to_bits(), 4.0_f64.to_bits());
        assert_eq!(series.seconds().to_bits(), 2.0_f64.to_bits());
        assert_eq!(series.spread().to_bits(), 1.5_f64.to_bits());
        assert_eq!(median([1.0, 3.0].into_iter()).to_bits(), 2.0_f64.to_bits());
        assert_eq!(median(std::iter::empty()).to_bits(), 0.0_f64.to_bits());
    }
}
