//! What a Dial leaves for call records, channel events and causes: how each leg ended, who was in a bridge.

use crate::base::Text;
use crate::host::dial::{CONGESTION, NORMAL_CLEARING, USER_BUSY};
use crate::machine::{DialedLeg, Environment, EventKind};

use super::bridge::Dialling;
use super::leg::LegId;
use super::simulation::Simulation;

/// Cause of a destination that nothing leads to.
const NO_ROUTE: u32 = 3;
/// Cause of a subscriber who cannot be reached.
pub(super) const SUBSCRIBER_ABSENT: u32 = 20;

impl Simulation<'_> {
    /// The two enter a bridge: the called one first.
    pub(super) fn enter_bridge(&mut self, caller: LegId, peer: LegId) {
        self.bridges += 1;
        let number = self.bridges;
        let extra = serde_json::json!({
            "bridge_id": format!("00000000-0000-4000-8000-{number:012x}"),
            "bridge_technology": "simple_bridge",
        })
        .to_string();
        for (id, other) in [(peer, caller), (caller, peer)] {
            self.bridge_event(EventKind::BridgeEnter, id, other, &extra);
        }
        if let Some(dialling) = self.dialling(caller) {
            dialling.bridge = Some(extra);
        }
    }

    /// A channel leaves the bridge of a Dial, if there is one.
    pub(super) fn leave_bridge(&mut self, caller: LegId, id: LegId, other: Option<LegId>) {
        let extra = self
            .dialling(caller)
            .and_then(|dialling| dialling.bridge.clone());
        if let (Some(extra), Some(other)) = (extra, other) {
            self.bridge_event(EventKind::BridgeExit, id, other, &extra);
        }
    }

    fn bridge_event(&mut self, kind: EventKind, id: LegId, other: LegId, extra: &str) {
        let name = self
            .legs
            .get(other)
            .map(|leg| leg.call.channel().name.clone());
        if let (Some(name), Some(leg)) = (name, self.legs.get_mut(id)) {
            leg.call.cx().event(kind, &name, || extra.to_owned());
        }
    }

    /// The legs of a Dial that is over, those that it did not hang up as they are now.
    pub(super) fn legs_of_dial(
        &mut self,
        dialling: &mut Dialling,
        status: &Text,
    ) -> Vec<DialedLeg> {
        let answerer = dialling.answered.map(|(_, leg)| leg);
        let mut legs = Vec::new();
        for out in dialling.out.iter_mut().filter(|out| out.called) {
            let over = out.over.take().unwrap_or_else(|| {
                let status = if answerer == Some(out.leg) {
                    status.lossy().into_owned()
                } else {
                    "CANCEL".to_owned()
                };
                self.leg_as_it_is(out.leg, &status, NORMAL_CLEARING)
            });
            legs.push(over);
        }
        legs
    }

    /// What a dialled channel was to its Dial, which is over for it.
    pub(super) fn leg_of_dial(
        &mut self,
        caller: LegId,
        id: LegId,
        status: &str,
        cause: u32,
    ) -> DialedLeg {
        let now = self.clock.now();
        let started = self.dialling(caller).map(|dialling| dialling.started);
        let mut leg = self.leg_as_it_is(id, status, cause);
        leg.ended = started.map(|started| now.saturating_sub(started));
        leg
    }

    fn leg_as_it_is(&mut self, id: LegId, status: &str, cause: u32) -> DialedLeg {
        let Some(leg) = self.legs.get_mut(id) else {
            return DialedLeg::default();
        };
        let (userfield, variables) = leg.call.cx().own_fields();
        let channel = leg.call.channel();
        let account = channel.items.get(b"accountcode".as_slice());
        DialedLeg {
            channel: channel.name.clone(),
            status: Text::from(status),
            cause,
            protocol: Text::from(protocol_words(&leg.destination.0, status, cause)),
            ended: None,
            accountcode: account.cloned().unwrap_or_default(),
            userfield,
            variables,
        }
    }
}

/// What the hangup cause of a ringing channel is as a DIALSTATUS.
pub(super) fn status_of(cause: u32) -> &'static str {
    match cause {
        USER_BUSY => "BUSY",
        CONGESTION => "CONGESTION",
        NO_ROUTE | SUBSCRIBER_ABSENT => "CHANUNAVAIL",
        _ => "NOANSWER",
    }
}

/// What a called telephone said, in the terms of its protocol. Only SIP is known; a channel that was given up
/// said nothing.
fn protocol_words(technology: &[u8], status: &str, cause: u32) -> &'static str {
    if !technology.to_ascii_uppercase().ends_with(b"SIP") {
        return "";
    }
    match (status, cause) {
        ("ANSWER", _) => "SIP 200 OK",
        ("BUSY", _) => "SIP 486 Busy Here",
        ("CONGESTION", _) => "SIP 503 Service Unavailable",
        ("CHANUNAVAIL", NO_ROUTE) => "SIP 404 Not Found",
        ("CHANUNAVAIL", _) => "SIP 480 Temporarily Unavailable",
        _ => "",
    }
}
