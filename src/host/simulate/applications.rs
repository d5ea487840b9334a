//! Applications that need a device, in the simulation: answered from a script, or in a usual way.

use std::time::Duration;

use crate::base::Text;
use crate::machine::{Environment, Event};

use super::leg::{LegId, Waits};
use super::simulation::{Happening, Signal, Simulation};

/// How long those who are connected by a parking lot or an agent talk.
const TALK: Duration = Duration::from_secs(10);
/// How long the caller of a simulated call waits in a queue.
const PATIENCE: Duration = Duration::from_hours(1);
/// Cause of a hang-up of a caller without patience.
const NORMAL: u32 = 16;

impl Simulation<'_> {
    /// Carries out an application or function of which only the host knows what comes of it.
    pub(super) fn application(&mut self, id: LegId, name: &Text, data: &Text) -> Option<Event> {
        if let Some(answer) = self.settings.scenario.take(name, data) {
            if let Some(leg) = self.legs.get_mut(id) {
                for (name, value) in &answer.variables {
                    leg.call.set(name, value);
                }
            }
            if answer.after.is_zero() {
                return Some(answer.event);
            }
            return self.busy(id, name, answer.event, Some(answer.after));
        }
        match name.to_ascii_lowercase().as_slice() {
            b"senddtmf" => self.send(id, data),
            b"device_state" => Some(self.device_state(data)),
            b"pickup" | b"pickupchan" => Some(Event::Failed("no call rings elsewhere".to_owned())),
            b"park" | b"parkandannounce" => {
                let seconds = data.split(|b| *b == b',').nth(1).unwrap_or(&[]);
                let seconds = std::str::from_utf8(seconds)
                    .ok()
                    .and_then(|n| n.parse().ok());
                let time = Duration::from_secs(seconds.unwrap_or(0));
                // No time at all means without limit.
                let time = (!time.is_zero()).then_some(time);
                self.busy(id, name, Event::Timeout, time)
            }
            b"parkedcall" => {
                let Some(parked) = self.named(data) else {
                    return Some(Event::Failed("the parked call is gone".to_owned()));
                };
                self.hold_on(parked, b"Park", Event::Done, TALK);
                self.busy(id, name, Event::Done, Some(TALK))
            }
            b"confkick" => {
                let room = data.split(|b| *b == b',').next().unwrap_or(&[]);
                let facilities = self.engine.shared().facilities();
                let known = facilities.conferences.get(room).is_some();
                drop(facilities);
                if !known {
                    return Some(Event::Failed("there is no such conference".to_owned()));
                }
                for channel in data.split(|b| *b == b',').skip(1) {
                    if let Some(other) = self.named(channel) {
                        let kicked = Event::Value(Text::from("KICKED"));
                        self.hold_on(other, b"ConfBridge", kicked, Duration::ZERO);
                    }
                }
                Some(Event::Done)
            }
            b"agentlogin" if self.engine.shared().facilities().agents.are_known() => {
                self.busy(id, name, Event::Done, None)
            }
            b"agentrequest" if self.engine.shared().facilities().agents.are_known() => {
                self.busy(id, name, Event::Done, Some(TALK))
            }
            _ => Some(Event::Done),
        }
    }

    /// The call is busy with an application until it ends with this event; without a time only something else ends it.
    fn busy(
        &mut self,
        id: LegId,
        name: &Text,
        ends: Event,
        time: Option<Duration>,
    ) -> Option<Event> {
        let waits = Waits::Application {
            name: name.clone(),
            ends,
        };
        self.wait(id, waits, time);
        None
    }

    /// What a call is busy with ends otherwise, after a time.
    fn hold_on(&mut self, id: LegId, application: &[u8], ends: Event, time: Duration) {
        let Some(leg) = self.legs.get_mut(id) else {
            return;
        };
        let Waits::Application { name, ends: end } = &mut leg.waits else {
            return;
        };
        if !name
            .to_ascii_lowercase()
            .starts_with(&application.to_ascii_lowercase())
        {
            return;
        }
        *end = ends;
        leg.token += 1;
        let token = leg.token;
        self.after(time, Happening::Over { leg: id, token });
    }

    /// The caller of a simulated call hangs up where it waits too long in a queue: nothing else would end the call.
    pub(super) fn lose_patience(&mut self, id: LegId) {
        let Some(leg) = self.legs.get(id) else {
            return;
        };
        let since = self
            .engine
            .shared()
            .facilities()
            .queues
            .waiting_since(&leg.call.channel().name);
        let now = self.clock.now();
        if since.is_some_and(|since| now >= since.saturating_add(PATIENCE)) {
            self.soon(Happening::Signal(id, Signal::Hangup(NORMAL)));
        }
    }
}
