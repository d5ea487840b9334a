//! Calls that wait for what another call does. Where nothing else can change what they look at, they look again when
//! another call did something, not from time to time: virtual time then passes in one step.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::base::Text;
use crate::machine::{Effect, Environment, Event, WATCH};

use super::clock::Clock;
use super::leg::{LegId, Waits};
use super::simulation::Simulation;

/// The clock as calls have it: counts how often they ask for time and chance.
pub(super) struct Asked {
    clock: Arc<Clock>,
    times: AtomicU64,
}

impl Asked {
    pub(super) fn new(clock: Arc<Clock>) -> Self {
        Self {
            clock,
            times: AtomicU64::new(0),
        }
    }

    pub(super) fn times(&self) -> u64 {
        self.times.load(Ordering::Relaxed)
    }

    fn count(&self) {
        self.times.fetch_add(1, Ordering::Relaxed);
    }
}

impl Environment for Asked {
    fn now(&self) -> Duration {
        self.count();
        self.clock.now()
    }

    fn random(&self) -> u64 {
        self.count();
        self.clock.random()
    }

    fn variable(&self, name: &[u8]) -> Option<Vec<u8>> {
        self.clock.variable(name)
    }

    fn set_variable(&self, name: &[u8], value: &[u8]) -> bool {
        self.clock.set_variable(name, value)
    }
}

/// A call that looks, or waits for its next look.
struct Look {
    /// Priorities that it had executed: it is over when there are more.
    priorities: u64,
    /// How often the look asked for time or chance.
    asked: u64,
    /// The variables of the channel before it.
    variables: Vec<(Text, Text)>,
}

/// All calls that look.
#[derive(Default)]
pub(super) struct Looks {
    looks: BTreeMap<LegId, Look>,
    /// Whether any call did something else than look.
    stirred: bool,
}

impl Looks {
    /// Something happened that those who wait may see.
    pub(super) fn stir(&mut self) {
        self.stirred = true;
    }

    /// A call was stepped to this effect.
    pub(super) fn stepped(&mut self, id: LegId, priorities: u64, asked: u64, effect: &Effect) {
        let looks = matches!(
            effect,
            Effect::Custom { .. } | Effect::Channel { .. } | Effect::Yield
        );
        match self.looks.get_mut(&id) {
            Some(look) if looks && look.priorities == priorities => look.asked += asked,
            Some(_) => {
                self.looks.remove(&id);
                self.stirred = true;
            }
            None => self.stirred = true,
        }
    }
}

impl Simulation<'_> {
    /// A call wants to look again when something changed, until a time in nanoseconds since the epoch.
    pub(super) fn watch(&mut self, id: LegId, until: &[u8]) -> Option<Event> {
        let leg = self.legs.get(id)?;
        if self.settings.pace.is_some() {
            // Others act in real time, too.
            return Some(Event::Done);
        }
        let look = Look {
            priorities: leg.call.priorities(),
            asked: 0,
            variables: leg.call.variables(),
        };
        let absolute = leg.call.channel().timeouts.absolute;
        let Some(before) = self.looks.looks.remove(&id) else {
            // One look more shows whether time, chance, or the look itself changes what it sees.
            self.looks.looks.insert(id, look);
            return Some(Event::Resume);
        };
        if before.asked > 0 || before.variables != look.variables {
            return Some(Event::Done);
        }
        self.looks.looks.insert(id, look);
        let until = std::str::from_utf8(until)
            .ok()
            .and_then(|text| text.parse().ok())
            .map(Duration::from_nanos);
        let (ends, at) = match (until, absolute) {
            (Some(until), Some(absolute)) if absolute < until => (Event::Done, Some(absolute)),
            (None, Some(absolute)) => (Event::Done, Some(absolute)),
            (until, _) => (Event::Timeout, until),
        };
        let waits = Waits::Application {
            name: Text::from(WATCH),
            ends,
        };
        let now = self.clock.now();
        self.wait(id, waits, at.map(|at| at.saturating_sub(now)));
        None
    }

    /// Lets those who wait look, if anything happened.
    pub(super) fn wake(&mut self) {
        let stirred = std::mem::take(&mut self.looks.stirred) || self.devices_changed;
        if !stirred || self.looks.looks.is_empty() {
            return;
        }
        let waiting: Vec<LegId> = self
            .looks
            .looks
            .keys()
            .copied()
            .filter(|id| {
                self.legs.get(*id).is_some_and(
                    |leg| matches!(&leg.waits, Waits::Application { name, .. } if *name == *WATCH),
                )
            })
            .collect();
        for id in waiting {
            self.resume(id, Event::Resume);
        }
    }
}
