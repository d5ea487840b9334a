//! Many calls at once: what one holds while it waits, and what a round of step, effect and event costs.

use std::time::Instant;

use crate::host::Engine;
use crate::machine::{Call, Effect, Event, Party};
use crate::measure::memory::grown;
use crate::measure::pips::{Load, Place, Sample, answer, run};

/// A dialplan whose calls wait for ever, a second at a time, with a few variables.
pub const WAITING: &str = "\
[waiting]
exten => s,1,Set(caller=${CALLERID(num)})
 same => n,Set(account=4711)
 same => n,Set(queue=support)
 same => n,Set(greeting=custom/welcome)
 same => n,Set(tries=0)
 same => n(again),Set(tries=$[${tries}+1])
 same => n,Wait(1)
 same => n,Goto(again)
";

/// Where the calls of [`WAITING`] begin.
pub const WAITING_AT: Place<'static> = Place {
    context: "waiting",
    exten: "s",
};

/// Calls that wait, each for an event.
#[derive(Debug)]
pub struct Waiting {
    calls: Vec<Call>,
    /// Resident bytes of all of them, where the system says it: of the calls themselves, their channels, variables
    /// and what they wait with.
    pub bytes: Option<usize>,
    /// How long it took to make them and to run them up to where they wait.
    pub seconds: f64,
}

impl Waiting {
    /// Makes calls and runs each up to its first effect. Calls that end before that wait for nothing.
    pub fn new(engine: &Engine, place: &Place<'_>, calls: usize) -> Self {
        let begin = Instant::now();
        let (calls, bytes) = grown(|| {
            let mut all = Vec::with_capacity(calls);
            for n in 0..calls {
                let mut call = engine.call(place.context, place.exten, "1");
                call.channel_mut().caller = Party {
                    number: Some(format!("1212{:07}", n % 10_000_000).as_str().into()),
                    ..Party::default()
                };
                let mut effect = call.step(Event::Start);
                while matches!(effect, Effect::Yield) {
                    effect = call.step(Event::Resume);
                }
                all.push(call);
            }
            all
        });
        Self {
            calls,
            bytes,
            seconds: begin.elapsed().as_secs_f64(),
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.calls.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// Resident bytes of one call.
    pub fn bytes_each(&self) -> Option<f64> {
        (!self.calls.is_empty()).then_some(self.bytes? as f64 / self.calls.len() as f64)
    }

    /// Gives every call in turn the event that it waits for, so many times; each goes on to its next effect.
    /// Seconds for one step.
    pub fn round_trip(&mut self, rounds: usize) -> f64 {
        let begin = Instant::now();
        let mut steps = 0_u64;
        for _ in 0..rounds {
            for call in &mut self.calls {
                let mut event = Event::Done;
                loop {
                    steps += 1;
                    match call.step(event) {
                        Effect::Sleep(_) | Effect::End(_) => break,
                        effect => event = answer(&effect),
                    }
                }
            }
        }
        begin.elapsed().as_secs_f64() / steps.max(1) as f64
    }
}

/// The same work for each thread, on one thread and then on so many.
pub fn scaling(engine: &Engine, place: &Place<'_>, threads: usize) -> (Sample, Sample) {
    let load = |threads| Load {
        calls: threads,
        threads,
        textual: false,
    };
    let one = run(engine, place, load(1), None);
    (one, run(engine, place, load(threads), None))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::load::MemoryReader;

    #[test]
    fn calls_wait_for_ever() {
        let engine = Engine::builder().build();
        let mut reader = MemoryReader::new().with("e.conf", WAITING);
        engine.load_from("e.conf", &mut reader).unwrap();
        let mut waiting = Waiting::new(&engine, &WAITING_AT, 3);
        waiting.round_trip(5);
        assert_eq!(waiting.len(), 3);
        for call in &mut waiting.calls {
            assert_eq!(call.variable(b"tries").unwrap().as_bytes(), b"6");
        }
    }
}
