//! Calls that begin from nowhere.

use crate::base::Text;
use crate::host::dial::{CONGESTION, NORMAL_CLEARING, USER_BUSY};
use crate::machine::{Event, Indication, Location, MadeBy, Originate, OriginateThen, Start};

use super::dialling::local_place;
use super::leg::{LegId, Owner, Waits};
use super::simulation::{Happening, Signal, Simulation};

/// An Originate that waits for its channel to answer.
#[derive(Debug)]
pub(super) struct Originating {
    leg: LegId,
    then: OriginateThen,
    ringing: bool,
}

impl Simulation<'_> {
    pub(super) fn start_originate(&mut self, id: LegId, originate: Originate) {
        let here = match self.legs.get(id) {
            Some(leg) => leg.call.location().clone(),
            None => return,
        };
        self.wait(id, Waits::Outcome, None);
        let destination = (originate.technology, originate.resource);
        // A Local channel is where it leads to.
        let local = destination.0.eq_ignore_ascii_case(b"Local");
        let exten = local.then(|| local_place(&destination.1).0);
        let at = Location {
            exten: exten.map_or_else(|| Text::from("s"), Text::from),
            priority: 1,
            ..here
        };
        let Ok(leg) = self.request(
            id,
            &destination,
            MadeBy::Originate,
            at,
            &originate.variables,
        ) else {
            self.originated(id, "FAILED");
            return;
        };
        let token = match self.legs.get_mut(id) {
            Some(maker) => {
                maker.originating = Some(Box::new(Originating {
                    leg,
                    then: originate.then,
                    ringing: false,
                }));
                maker.token
            }
            None => return,
        };
        if let Some(made) = self.legs.get_mut(leg) {
            made.owner = Some(Owner::Originate(id));
        }
        self.after(originate.timeout, Happening::DialTime { leg: id, token });
        if !self.place_call(id, leg) {
            self.forget_originated(id);
            self.release(leg, 0);
            self.originated(id, "FAILED");
        }
    }

    /// The outcome reaches the channel that waits for it.
    fn originated(&mut self, id: LegId, status: &'static str) {
        self.resume(id, Event::Originated(Text::from(status)));
    }

    fn forget_originated(&mut self, id: LegId) -> Option<Box<Originating>> {
        self.legs.get_mut(id)?.originating.take()
    }

    /// A signal of a channel that was originated.
    pub(super) fn originated_signal(&mut self, maker: LegId, leg: LegId, signal: Signal) {
        let status = match signal {
            Signal::Answered => {
                self.originated_answers(maker, leg);
                return;
            }
            Signal::Indication(Indication::Busy) | Signal::Hangup(USER_BUSY) => "BUSY",
            Signal::Indication(Indication::Congestion) | Signal::Hangup(CONGESTION) => "CONGESTION",
            Signal::Indication(indication) => {
                if indication == Indication::Ringing
                    && let Some(originating) = self
                        .legs
                        .get_mut(maker)
                        .and_then(|leg| leg.originating.as_mut())
                {
                    originating.ringing = true;
                }
                return;
            }
            Signal::Hangup(_) => "HANGUP",
        };
        self.forget_originated(maker);
        self.release(leg, 0);
        self.originated(maker, status);
    }

    fn originated_answers(&mut self, maker: LegId, leg: LegId) {
        let Some(originating) = self.forget_originated(maker) else {
            return;
        };
        let Some(answered) = self.legs.get_mut(leg) else {
            return;
        };
        answered.owner = None;
        answered.call.cx().answer_channel();
        self.devices_changed = true;
        let start = match originating.then {
            OriginateThen::Application { name, data } => Start::Application { name, data },
            OriginateThen::Extension {
                context,
                exten,
                priority,
            } => {
                let place = [context.as_bytes(), exten.as_bytes(), priority.as_bytes()].join(&b',');
                let at = answered.call.cx().parse_target(&place);
                Start::Extension(at.unwrap_or(Location {
                    context,
                    exten,
                    priority: 1,
                }))
            }
        };
        answered.call.restart(start);
        self.originated(maker, "SUCCESS");
        self.resume(leg, Event::Start);
    }

    /// The time for an answer is over.
    pub(super) fn originate_time(&mut self, id: LegId) {
        let Some(originating) = self.forget_originated(id) else {
            return;
        };
        self.release(originating.leg, NORMAL_CLEARING);
        let status = if originating.ringing {
            "RINGING"
        } else {
            "UNKNOWN"
        };
        self.originated(id, status);
    }
}
