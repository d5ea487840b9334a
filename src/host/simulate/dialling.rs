//! Dial up to the answer: channels are made and called, and what they report is counted.

use std::time::Duration;

use crate::base::Text;
use crate::base::callerid::presentation;
use crate::diagnostic::code;
use crate::host::dial::{
    ANSWERED_ELSEWHERE, CONGESTION, NO_SUCH_TECHNOLOGY, NORMAL_CLEARING, Tally, Terms, USER_BUSY,
};
use crate::machine::{
    AfterDial, Channel, ChannelState, Dial, Dialed, Environment, Event, Indication, Location,
    MadeBy, Party, Start,
};

use super::Fate;
use super::accounting::{SUBSCRIBER_ABSENT, status_of};
use super::bridge::{Dialling, Out, Stage};
use super::leg::{Far, LegId, Owner, Task, Waits};
use super::simulation::{DIGIT, Happening, Signal, Simulation};

/// Technologies that exist without being a pair inside the simulation.
pub(super) const TECHNOLOGIES: &[&str] = &["PJSIP", "SIP", "IAX2", "DAHDI", "Zap"];
/// How long a scripted destination talks after its answer.
const TALK: Duration = Duration::from_secs(10);
/// Cause of a channel that cannot be made.
const UNAVAILABLE: u32 = 44;

impl Simulation<'_> {
    pub(super) fn start_dial(&mut self, id: LegId, dial: Dial) {
        self.wait(id, Waits::Outcome, None);
        let now = self.clock.now();
        let terms = Terms::of(&dial);
        let Some(leg) = self.legs.get_mut(id) else {
            return;
        };
        let (token, forwards) = (leg.token, leg.forwards);
        let here = leg.call.location().clone();
        let absolute = leg.call.channel().timeouts.absolute;
        let timeout = dial.timeout;
        let targets = dial.targets.clone();
        let before_call = terms.before_call.clone();
        leg.dialling = Some(Box::new(Dialling::new(dial, terms, now)));
        if forwards == 0 {
            self.finish(id, "BUSY", AfterDial::Continue);
            return;
        }
        for destination in &targets {
            self.add_destination(id, destination, &here);
        }
        let out: Vec<LegId> = self
            .dialling(id)
            .map_or(Vec::new(), |d| d.alive().collect());
        if let Some(timeout) = timeout {
            self.after(timeout, Happening::DialTime { leg: id, token });
        }
        if let Some(deadline) = absolute {
            let left = deadline.saturating_sub(now);
            self.after(left, Happening::Absolute(id));
        }
        for leg in out {
            match (&before_call, self.legs.get_mut(leg)) {
                (Some(target), Some(callee)) => {
                    callee.task = Task::BeforeCall;
                    callee.call.restart(Start::Subroutine(target.clone()));
                    self.resume(leg, Event::Start);
                }
                _ => self.call_destination(id, leg),
            }
        }
        self.listen_while_calling(id);
        self.all_gone(id);
    }

    /// A Dial with option `d` listens to the caller until somebody answers.
    pub(super) fn listen_while_calling(&mut self, id: LegId) {
        let Some(leg) = self.legs.get(id) else { return };
        let listens = leg.dialling.as_ref().is_some_and(|dialling| {
            dialling.stage == Stage::Calling && dialling.terms.digit_leaves
        });
        if listens && id == 0 && !self.settings.press.is_empty() {
            let token = leg.token;
            self.after(DIGIT, Happening::Press { leg: id, token });
        }
    }

    /// The caller presses its next digit, if its Dial still listens.
    pub(super) fn press_while_calling(&mut self, id: LegId, token: u64) {
        let same = self.legs.get(id).is_some_and(|leg| leg.token == token);
        let calling = self
            .dialling(id)
            .is_some_and(|dialling| dialling.stage == Stage::Calling);
        if same
            && calling
            && let Some(digit) = self.settings.press.pop_front()
        {
            self.caller_digit(id, digit);
            self.listen_while_calling(id);
        }
    }

    pub(super) fn dialling(&mut self, id: LegId) -> Option<&mut Dialling> {
        self.legs.get_mut(id)?.dialling.as_deref_mut()
    }

    /// Makes the channel of a destination.
    fn add_destination(&mut self, id: LegId, destination: &(Text, Text), here: &Location) {
        let Some(leg) = self.legs.get(id) else { return };
        let caller = &leg.call.channel().caller;
        let Some(dialling) = &leg.dialling else {
            return;
        };
        let inherit = dialling.dial.inherit.clone();
        let elsewhere = dialling.terms.answered_elsewhere;
        let connected = connected(&dialling.dial, caller);
        match self.request(id, destination, MadeBy::Dial, here.clone(), &inherit) {
            Err(cause) => {
                if let Some(leg) = self.legs.get_mut(id) {
                    leg.call.channel_mut().cause = cause;
                }
                if let Some(dialling) = self.dialling(id) {
                    dialling.tally.count(cause);
                }
            }
            Ok(leg) => {
                if let Some(made) = self.legs.get_mut(leg) {
                    made.owner = Some(Owner::Dial(id));
                    made.call.set(b"DIALEDPEERNUMBER", &destination.1);
                    let channel = made.call.channel_mut();
                    if elsewhere {
                        channel.cause = ANSWERED_ELSEWHERE;
                    }
                    channel.caller.number = Some(here.exten.clone());
                    *channel.connected = connected;
                }
                if let Some(dialling) = self.dialling(id) {
                    dialling.out.push(Out::new(leg));
                }
            }
        }
    }

    /// Asks for a channel to a destination; the error is the cause why there is none.
    pub(super) fn request(
        &mut self,
        maker: LegId,
        destination: &(Text, Text),
        made_by: MadeBy,
        at: Location,
        variables: &[(Text, Text)],
    ) -> Result<LegId, u32> {
        let (technology, resource) = destination;
        let (name, at) = if technology.eq_ignore_ascii_case(b"Local") {
            self.pairs += 1;
            let (exten, context) = local_place(resource);
            let name = Text::from(
                [
                    b"Local/".as_slice(),
                    &exten,
                    b"@",
                    &context,
                    format!("-#{};1", self.pairs).as_bytes(),
                ]
                .concat(),
            );
            let context = Text::from(context);
            (name, Location { context, ..at })
        } else if let Some(known) = TECHNOLOGIES
            .iter()
            .find(|t| technology.eq_ignore_ascii_case(t.as_bytes()))
        {
            let device = resource.split(|&b| b == b'/').next().unwrap_or(&[]);
            let number = format!("-{:08x}", self.legs.len());
            let name = [known.as_bytes(), b"/", device, number.as_bytes()].concat();
            (Text::from(name), at)
        } else {
            let technology = technology.clone();
            if let Some(leg) = self.legs.get_mut(maker) {
                leg.call.cx().log(&code::DIAL_TECHNOLOGY_UNKNOWN, || {
                    format!("no channel technology `{technology}`")
                });
            }
            return Err(NO_SUCH_TECHNOLOGY);
        };
        let id = self
            .create(maker, &name, made_by, at, variables)
            .ok_or(UNAVAILABLE)?;
        if let Some(leg) = self.legs.get_mut(id) {
            leg.destination = destination.clone();
        }
        Ok(id)
    }

    /// The channel of a destination is called, or dropped where that fails.
    pub(super) fn call_destination(&mut self, id: LegId, leg: LegId) {
        if self.place_call(id, leg) {
            if let Some(dialling) = self.dialling(id) {
                dialling.called = true;
                for out in &mut dialling.out {
                    out.called |= out.leg == leg;
                }
            }
        } else {
            self.drop_leg(id, leg, "CHANUNAVAIL", 0);
        }
    }

    /// Calls a channel that was made. False where the extension of a Local channel does not exist.
    pub(super) fn place_call(&mut self, maker: LegId, id: LegId) -> bool {
        let Some(leg) = self.legs.get_mut(id) else {
            return false;
        };
        if !leg.destination.0.eq_ignore_ascii_case(b"Local") {
            self.play_script(id);
            return true;
        }
        let (exten, context) = local_place(&leg.destination.1);
        let exists = leg.call.cx().exists(&context, &exten, 1);
        if !exists && let Some(maker) = self.legs.get_mut(maker) {
            maker.call.cx().log(&code::LOCAL_EXTENSION_MISSING, || {
                format!(
                    "no extension {}@{} for a Local channel",
                    bstr::BStr::new(&exten),
                    bstr::BStr::new(&context)
                )
            });
        }
        let Some(leg) = self.legs.get_mut(id) else {
            return false;
        };
        let channel: Channel = leg.call.channel().clone();
        let variables: Vec<(Text, Text)> = leg
            .call
            .cx()
            .variables()
            .into_iter()
            .rev()
            .map(|(name, value, inherit)| (inherit.written(&name), value))
            .collect();
        // What the calling half shows as its far side is the caller of the half that runs the dialplan.
        leg.call.place(Location {
            exten: Text::EMPTY,
            ..leg.call.location().clone()
        });
        let forwards = leg.forwards;
        let name = channel.name.as_bytes();
        let other = [
            name.get(..name.len().saturating_sub(1)).unwrap_or(name),
            b"2",
        ]
        .concat();
        let at = Location {
            context: Text::from(context),
            exten: Text::from(exten),
            priority: 1,
        };
        let Some(far) = self.create(id, &Text::from(other), MadeBy::Itself, at, &variables) else {
            return false;
        };
        if let Some(leg) = self.legs.get_mut(far) {
            leg.far = Far::Leg(id);
            leg.forwards = forwards;
            let made = leg.call.channel_mut();
            made.state = ChannelState::Ring;
            made.cause = channel.cause;
            made.caller = (*channel.connected).clone();
            made.connected = channel.caller.into();
            if let Some(account) = channel.items.get(b"accountcode".as_slice()) {
                made.set_item(b"accountcode", account);
            }
        }
        if !exists {
            // The pair was made already; nobody runs on its far half.
            if let Some(leg) = self.legs.get_mut(far) {
                leg.far = Far::Nobody;
            }
            self.destroy(far, 0);
            return false;
        }
        if let Some(leg) = self.legs.get_mut(id) {
            leg.far = Far::Leg(far);
        }
        self.resume(far, Event::Start);
        true
    }

    /// What a destination outside does.
    fn play_script(&mut self, id: LegId) {
        let Some(leg) = self.legs.get(id) else { return };
        let target = leg.target();
        let script = self.settings.scripts.iter().find(|s| s.is_for(&target));
        let Some(script) = script.cloned() else {
            self.soon(Happening::Signal(
                id,
                Signal::Indication(Indication::Ringing),
            ));
            return;
        };
        let signal = match script.fate {
            Fate::Answer => Some(Signal::Answered),
            Fate::Busy => Some(Signal::Hangup(USER_BUSY)),
            Fate::Congestion => Some(Signal::Hangup(CONGESTION)),
            Fate::Unavailable => Some(Signal::Hangup(SUBSCRIBER_ABSENT)),
            Fate::NoAnswer => None,
        };
        if !script.after.is_zero() || signal.is_none() {
            self.soon(Happening::Signal(
                id,
                Signal::Indication(Indication::Ringing),
            ));
        }
        if let Some(signal) = signal {
            self.after(script.after, Happening::Signal(id, signal));
        }
        if script.fate == Fate::Answer {
            self.after(
                script.after.saturating_add(TALK),
                Happening::Signal(id, Signal::Hangup(NORMAL_CLEARING)),
            );
        }
    }

    /// A signal of a channel that was dialled.
    pub(super) fn callee_signal(&mut self, caller: LegId, id: LegId, signal: Signal) {
        let Some(dialling) = self.dialling(caller) else {
            return;
        };
        if dialling.stage != Stage::Calling {
            if let Signal::Hangup(cause) = signal
                && dialling.peer == Some(id)
            {
                self.peer_left(caller, id, cause);
            }
            return;
        }
        match signal {
            Signal::Answered => self.answered(caller, id),
            Signal::Indication(indication) => self.callee_indication(caller, id, indication),
            Signal::Hangup(cause) => {
                dialling.tally.count(cause);
                if let Some(leg) = self.legs.get_mut(caller) {
                    leg.call.channel_mut().cause = cause;
                }
                self.drop_leg(caller, id, status_of(cause), cause);
                self.all_gone(caller);
            }
        }
    }

    fn callee_indication(&mut self, caller: LegId, id: LegId, indication: Indication) {
        let since = self.clock.now();
        let Some(dialling) = self.dialling(caller) else {
            return;
        };
        let passed = since.saturating_sub(dialling.started);
        match indication {
            Indication::Busy | Indication::Congestion => {
                let count = match indication {
                    Indication::Busy => &mut dialling.tally.busy,
                    _ => &mut dialling.tally.congestion,
                };
                *count += 1;
                // Its channel was not hung up, so it has a cause only where the Dial gave it one.
                let cause = self.legs.get(id).map_or(0, |leg| leg.call.channel().cause);
                if let Some(leg) = self.legs.get_mut(caller) {
                    leg.call.channel_mut().cause = cause;
                }
                let status = match indication {
                    Indication::Busy => "BUSY",
                    _ => "CONGESTION",
                };
                self.drop_leg(caller, id, status, 0);
                self.all_gone(caller);
                return;
            }
            Indication::Ringing => {
                dialling.ringing.get_or_insert(passed);
            }
            Indication::Progress => {
                dialling.progress.get_or_insert(passed);
            }
            _ => {}
        }
        if self
            .legs
            .get(caller)
            .is_some_and(|leg| leg.call.channel().state != ChannelState::Up)
        {
            self.tell_far(caller, Signal::Indication(indication));
        }
    }

    /// A dialled channel is out of the race.
    pub(super) fn drop_leg(&mut self, caller: LegId, id: LegId, status: &str, cause: u32) {
        let leg = self.leg_of_dial(caller, id, status, cause);
        if let Some(dialling) = self.dialling(caller)
            && let Some(out) = dialling.out.iter_mut().find(|out| out.leg == id)
        {
            out.alive = false;
            out.over.get_or_insert(leg);
        }
        self.release(id, cause);
    }

    /// Ends the Dial when no dialled channel is left.
    pub(super) fn all_gone(&mut self, caller: LegId) {
        let Some(dialling) = self.dialling(caller) else {
            return;
        };
        if dialling.stage != Stage::Calling || dialling.alive().next().is_some() {
            return;
        }
        let status = if dialling.called || dialling.tally != Tally::default() {
            dialling.tally.status()
        } else {
            "CHANUNAVAIL"
        };
        self.finish(caller, status, AfterDial::Continue);
    }

    /// Ends the Dial with this status.
    pub(super) fn finish(&mut self, caller: LegId, status: &str, next: AfterDial) {
        self.finish_with(
            caller,
            Dialed {
                status: Text::from(status),
                next,
                ..Dialed::default()
            },
        );
    }

    /// Ends the Dial; the times are added.
    pub(super) fn finish_with(&mut self, caller: LegId, mut dialed: Dialed) {
        let now = self.clock.now();
        let Some(leg) = self.legs.get_mut(caller) else {
            return;
        };
        let Some(mut dialling) = leg.dialling.take() else {
            return;
        };
        dialed.legs = self.legs_of_dial(&mut dialling, &dialed.status);
        let Some(leg) = self.legs.get_mut(caller) else {
            return;
        };
        leg.token += 1;
        dialed.dialed = Some(now.saturating_sub(dialling.started));
        dialed.ringing = dialling.ringing;
        dialed.progress = dialling.progress;
        if let Some((at, _)) = dialling.answered {
            dialed.answered = Some(now.saturating_sub(at));
        }
        if let Some((_, peer)) = dialling.answered
            && let Some(peer) = self.legs.get(peer)
        {
            dialed.peer = Some(peer.call.channel().name.clone());
            dialed.number = Some(peer.destination.1.clone());
        }
        self.resume(caller, Event::Dialed(Box::new(dialed)));
    }

    /// Hangs up the dialled channels that are left, except one.
    pub(super) fn drop_others(
        &mut self,
        caller: LegId,
        except: Option<LegId>,
        status: &str,
        cause: u32,
    ) {
        let Some(dialling) = self.dialling(caller) else {
            return;
        };
        let others: Vec<LegId> = dialling
            .alive()
            .filter(|leg| Some(*leg) != except)
            .collect();
        for leg in others {
            self.drop_leg(caller, leg, status, cause);
        }
    }
}

/// Whom a called channel sees: the caller with all that is known of it, or the party of option `f` alone; with the tag
/// of option `s` and the presentation of option `u`.
fn connected(dial: &Dial, caller: &Party) -> Party {
    let (number, name) = dial.caller.clone();
    let mut party = Party {
        number,
        name,
        ..Party::default()
    };
    if dial.option(b'f').is_none_or(<[u8]>::is_empty) {
        // What the caller dialled is nothing of the party.
        for (item, value) in caller.items.iter() {
            if !item.starts_with(b"dnid-") {
                party.items.push((item.clone(), value.clone()));
            }
        }
    }
    let mut force = |item: &str, value: &[u8]| {
        party
            .items
            .retain(|(known, _)| known.as_bytes() != item.as_bytes());
        party.items.push((Text::from(item), Text::from(value)));
    };
    if let Some(tag) = dial.option(b's').filter(|tag| !tag.is_empty()) {
        force("tag", tag);
    }
    if let Some(name) = dial.option(b'u').and_then(presentation) {
        force("num-pres", name.as_bytes());
        force("name-pres", name.as_bytes());
    }
    party
}

/// Extension and context of a Local resource: `exten@context`, options after `/` dropped.
pub(super) fn local_place(resource: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let place = resource.split(|&b| b == b'/').next().unwrap_or(&[]);
    match place.iter().position(|&b| b == b'@') {
        Some(at) => (
            place.get(..at).unwrap_or(&[]).to_vec(),
            place.get(at + 1..).unwrap_or(&[]).to_vec(),
        ),
        None => (place.to_vec(), b"default".to_vec()),
    }
}
