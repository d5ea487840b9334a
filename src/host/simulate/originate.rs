//! Calls that begin from nowhere.

use std::time::Duration;

use crate::base::Text;
use crate::base::arguments::option_location;
use crate::host::dial::{CONGESTION, NORMAL_CLEARING, USER_BUSY};
use crate::machine::{Event, Indication, Location, MadeBy, Originate, OriginateThen, Start};

use super::dialling::local_place;
use super::leg::{LegId, Owner, Task, Waits};
use super::simulation::{Happening, Signal, Simulation};

/// An Originate whose channel did not answer yet, kept at that channel.
#[derive(Debug)]
pub(super) struct Originating {
    /// Whether its maker waits for the outcome.
    waited: bool,
    then: OriginateThen,
    timeout: Duration,
    ringing: bool,
}

impl Simulation<'_> {
    pub(super) fn start_originate(&mut self, id: LegId, originate: Originate) {
        let (here, own) = match self.legs.get(id) {
            Some(leg) => (
                leg.call.location().clone(),
                leg.call.channel().caller.clone(),
            ),
            None => return,
        };
        self.wait(id, Waits::Outcome, None);
        let option = |letter: u8| {
            let found = originate.options.iter().rev().find(|(l, _)| *l == letter);
            found.map(|(_, argument)| argument.clone().unwrap_or_default())
        };
        let party = |letter: u8, own: Option<Text>| {
            option(letter).and_then(|text| Some(text).filter(|text| !text.is_empty()).or(own))
        };
        let (number, name) = (party(b'c', own.number), party(b'n', own.name));
        let before = option(b'b').filter(|place| !place.is_empty());
        let waited = option(b'a').is_none();
        let destination = (originate.technology, originate.resource);
        // A Local channel is where it leads to.
        let local = destination.0.eq_ignore_ascii_case(b"Local");
        let exten = local.then(|| local_place(&destination.1).0);
        let at = Location {
            exten: exten.map_or_else(|| Text::from("s"), Text::from),
            priority: 1,
            ..here
        };
        let made = self.request(
            id,
            &destination,
            MadeBy::Originate,
            at,
            &originate.variables,
        );
        let Some((leg, made)) = made
            .ok()
            .and_then(|leg| Some((leg, self.legs.get_mut(leg)?)))
        else {
            self.originated(id, "FAILED");
            return;
        };
        made.owner = Some(Owner::Originate(id));
        made.originating = Some(Box::new(Originating {
            waited,
            then: originate.then,
            timeout: originate.timeout,
            ringing: false,
        }));
        if number.is_some() || name.is_some() {
            // To the dialplan that it runs the new channel is the caller; who is called sees the same party.
            let channel = made.call.channel_mut();
            channel.connected.number.clone_from(&number);
            channel.connected.name.clone_from(&name);
            channel.caller.number = number;
            channel.caller.name = name;
        }
        if let Some(place) = before {
            made.task = Task::BeforeCall;
            let target = Text::from(option_location(&place));
            made.call.restart(Start::Subroutine(target));
            self.resume(leg, Event::Start);
        } else {
            self.call_originated(id, leg);
        }
        if !waited {
            self.originated(id, "SUCCESS");
        }
    }

    /// Calls the channel of an Originate.
    pub(super) fn call_originated(&mut self, maker: LegId, leg: LegId) {
        let Some(made) = self.legs.get(leg) else {
            return;
        };
        let Some(originating) = &made.originating else {
            return;
        };
        let (time, token) = (originating.timeout, made.token);
        self.after(time, Happening::DialTime { leg, token });
        if !self.place_call(maker, leg) {
            self.originate_over(maker, leg, 0, "FAILED");
        }
    }

    /// The outcome reaches the channel that waits for it.
    fn originated(&mut self, id: LegId, status: &'static str) {
        self.resume(id, Event::Originated(Text::from(status)));
    }

    fn forget_originated(&mut self, leg: LegId) -> Option<Box<Originating>> {
        self.legs.get_mut(leg)?.originating.take()
    }

    /// The channel of an Originate is given up.
    fn originate_over(&mut self, maker: LegId, leg: LegId, cause: u32, status: &'static str) {
        let Some(originating) = self.forget_originated(leg) else {
            return;
        };
        self.release(leg, cause);
        if originating.waited {
            self.originated(maker, status);
        }
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
                let made = self.legs.get_mut(leg);
                if let Some(originating) = made.and_then(|made| made.originating.as_mut()) {
                    originating.ringing |= indication == Indication::Ringing;
                }
                return;
            }
            Signal::Hangup(_) => "HANGUP",
        };
        self.originate_over(maker, leg, 0, status);
    }

    fn originated_answers(&mut self, maker: LegId, leg: LegId) {
        let Some(originating) = self.forget_originated(leg) else {
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
        if originating.waited {
            self.originated(maker, "SUCCESS");
        }
        self.resume(leg, Event::Start);
    }

    /// The time for an answer is over.
    pub(super) fn originate_time(&mut self, leg: LegId) {
        let Some(made) = self.legs.get(leg) else {
            return;
        };
        let (Some(Owner::Originate(maker)), Some(originating)) = (made.owner, &made.originating)
        else {
            return;
        };
        let status = if originating.ringing {
            "RINGING"
        } else {
            "UNKNOWN"
        };
        self.originate_over(maker, leg, NORMAL_CLEARING, status);
    }
}
