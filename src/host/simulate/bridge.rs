//! Dial from the answer on: what happens before caller and callee are connected, and how the talk ends.

use std::time::Duration;

use crate::base::Text;
use crate::host::dial::{ANSWERED_ELSEWHERE, NORMAL_CLEARING, Tally, Terms, Verdict};
use crate::machine::{
    AfterDial, ChannelState, Dial, Dialed, DialedLeg, EndReason, Environment, Event, Location,
    Outcome, Sound, Start,
};

use super::leg::{LegId, Task, Waits};
use super::simulation::{DIGIT, Happening, Signal, Simulation};

/// From one digit of option D to the next.
const DIGIT_STEP: Duration = Duration::from_millis(350);

/// What a `w` among the digits of option D waits.
const DIGIT_WAIT: Duration = Duration::from_millis(500);

/// How far a Dial has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// The destinations are called.
    Calling,
    /// The callee hears an announcement.
    Announcing,
    /// The callee runs the subroutine of option U.
    Checking,
    /// Digits are sent.
    Sending,
    /// Caller and callee talk.
    Talking,
}

/// A dialled channel.
#[derive(Debug)]
pub(super) struct Out {
    pub(super) leg: LegId,
    pub(super) alive: bool,
    /// Whether it was called at all.
    pub(super) called: bool,
    /// What it was to the Dial, once that is over for it.
    pub(super) over: Option<DialedLeg>,
}

impl Out {
    pub(super) fn new(leg: LegId) -> Self {
        Self {
            leg,
            alive: true,
            called: false,
            over: None,
        }
    }
}

/// A Dial in progress, kept at the calling channel.
#[derive(Debug)]
pub(super) struct Dialling {
    pub(super) dial: Dial,
    pub(super) terms: Terms,
    pub(super) started: Duration,
    pub(super) out: Vec<Out>,
    pub(super) tally: Tally,
    /// Whether any destination could be called.
    pub(super) called: bool,
    pub(super) ringing: Option<Duration>,
    pub(super) progress: Option<Duration>,
    pub(super) stage: Stage,
    /// When it was answered, and by whom.
    pub(super) answered: Option<(Duration, LegId)>,
    pub(super) peer: Option<LegId>,
    /// The bridge where the two talk, as channel events name it.
    pub(super) bridge: Option<String>,
    /// Variables that the caller gets.
    set: Vec<(Text, Text)>,
}

impl Dialling {
    pub(super) fn new(dial: Dial, terms: Terms, started: Duration) -> Self {
        Self {
            dial,
            terms,
            started,
            out: Vec::new(),
            tally: Tally::default(),
            called: false,
            ringing: None,
            progress: None,
            stage: Stage::Calling,
            answered: None,
            peer: None,
            bridge: None,
            set: Vec::new(),
        }
    }

    /// Channels that are still in the race.
    pub(super) fn alive(&self) -> impl Iterator<Item = LegId> {
        self.out.iter().filter(|o| o.alive).map(|o| o.leg)
    }
}

/// Why a talk is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Over {
    /// The callee hung up, with this cause.
    Callee(u32),
    /// The caller hung up.
    Caller,
    /// The time allowed is over, or somebody pressed the key that hangs up.
    Ended,
}

impl Simulation<'_> {
    /// A dialled channel answered.
    pub(super) fn answered(&mut self, caller: LegId, id: LegId) {
        let now = self.clock.now();
        let Some(dialling) = self.dialling(caller) else {
            return;
        };
        dialling.stage = Stage::Announcing;
        dialling.answered = Some((now, id));
        dialling.peer = Some(id);
        let losers = dialling.terms.losers_cause;
        let announcement = dialling.terms.announcement.clone();
        let first = dialling.terms.answer_caller_first;
        if let Some(leg) = self.legs.get_mut(caller) {
            leg.token += 1;
        }
        self.drop_others(caller, Some(id), "CANCEL", losers);
        self.devices_changed = true;
        let mut language = Text::EMPTY;
        if let Some(leg) = self.legs.get_mut(id) {
            leg.call.cx().answer_channel();
            language = leg.call.channel().language.clone();
        }
        if first {
            self.answer_caller(caller);
        }
        let time = announcement.map_or(Duration::ZERO, |file| {
            self.settings.sounds.play(&[Sound::File(file)], &language).0
        });
        if time.is_zero() {
            self.announced(caller, id);
        } else {
            self.dial_timer(caller, time);
        }
    }

    fn dial_timer(&mut self, caller: LegId, time: Duration) {
        if let Some(leg) = self.legs.get_mut(caller) {
            leg.token += 1;
            let token = leg.token;
            self.after(time, Happening::DialTime { leg: caller, token });
        }
    }

    /// The caller's channel counts as answered, which its far side learns.
    fn answer_caller(&mut self, caller: LegId) {
        let Some(leg) = self.legs.get_mut(caller) else {
            return;
        };
        if leg.call.channel().state != ChannelState::Up {
            leg.call.cx().answer_channel();
            self.devices_changed = true;
            self.tell_far(caller, Signal::Answered);
        }
    }

    /// Option G, then option U.
    fn announced(&mut self, caller: LegId, id: LegId) {
        let Some(dialling) = self.dialling(caller) else {
            return;
        };
        let (split, check) = (
            dialling.terms.split.clone(),
            dialling.terms.after_answer.clone(),
        );
        if let Some(place) = split {
            self.split(caller, id, &place);
            return;
        }
        let Some(target) = check else {
            self.send_digits(caller, id);
            return;
        };
        if let Some(dialling) = self.dialling(caller) {
            dialling.stage = Stage::Checking;
        }
        if let Some(leg) = self.legs.get_mut(id) {
            leg.task = Task::AfterAnswer;
            leg.call.restart(Start::Subroutine(target));
            self.resume(id, Event::Start);
        }
    }

    /// Option G: both go their own way.
    fn split(&mut self, caller: LegId, id: LegId, place: &Text) {
        let Some(leg) = self.legs.get_mut(caller) else {
            return;
        };
        let here = leg.call.location().clone();
        let to = leg.call.cx().parse_target(place).unwrap_or(here);
        if let Some(peer) = self.legs.get_mut(id) {
            peer.owner = None;
            peer.call.restart(Start::Extension(Location {
                priority: to.priority.saturating_add(1),
                ..to
            }));
            self.resume(id, Event::Start);
        }
        self.answer_caller(caller);
        self.finish(caller, "ANSWER", AfterDial::Goto(place.clone()));
    }

    /// A subroutine of option b or U came to its end.
    pub(super) fn subroutine_over(&mut self, id: LegId, outcome: &Outcome) {
        let Some(leg) = self.legs.get_mut(id) else {
            return;
        };
        let task = std::mem::replace(&mut leg.task, Task::Own);
        let caller = match leg.owner {
            Some(super::leg::Owner::Dial(caller)) => caller,
            Some(super::leg::Owner::Originate(maker)) => {
                self.call_originated(maker, id);
                return;
            }
            None => return,
        };
        if task == Task::BeforeCall {
            self.call_destination(caller, id);
            self.all_gone(caller);
            return;
        }
        let gone = outcome.reason != EndReason::Returned && leg.call.cx().is_hungup();
        let value = |leg: &mut super::leg::Leg, name: &[u8]| {
            leg.call
                .cx()
                .channel_variable(name)
                .map_or(Text::EMPTY, crate::base::Value::to_text)
        };
        let result = value(leg, b"GOSUB_RESULT");
        let returned = value(leg, b"GOSUB_RETVAL");
        if !returned.is_empty()
            && let Some(dialling) = self.dialling(caller)
        {
            dialling.set.push((Text::from("GOSUB_RETVAL"), returned));
        }
        if gone {
            self.talk_over(caller, id, Over::Callee(0));
            return;
        }
        match Verdict::of(&result) {
            Verdict::Connect => self.send_digits(caller, id),
            Verdict::Refuse(mut dialed) => {
                if dialed.next == AfterDial::Hangup {
                    dialed.cause = Some(NORMAL_CLEARING);
                    // The caller goes on with g, as after each call that was answered.
                    if self.dialling(caller).is_some_and(|d| d.terms.go_on) {
                        dialed.next = AfterDial::Continue;
                    }
                }
                let status = dialed.status.lossy().into_owned();
                self.drop_leg(caller, id, &status, NORMAL_CLEARING);
                self.finish_talk(caller, *dialed);
            }
        }
    }

    /// Option D.
    fn send_digits(&mut self, caller: LegId, id: LegId) {
        let Some(dialling) = self.dialling(caller) else {
            return;
        };
        dialling.stage = Stage::Sending;
        let (called, calling) = dialling.terms.digits.clone();
        let mut time = Duration::ZERO;
        for (side, digits) in [(id, called), (caller, calling)] {
            for digit in digits {
                if digit == b'w' {
                    time = time.saturating_add(DIGIT_WAIT);
                    continue;
                }
                if let Some(super::leg::Far::Leg(far)) = self.legs.get(side).map(|leg| leg.far) {
                    self.after(time + DIGIT, Happening::Digit(far, digit));
                }
                time = time.saturating_add(DIGIT_STEP);
            }
        }
        if time.is_zero() {
            self.connect(caller);
        } else {
            self.dial_timer(caller, time);
        }
    }

    fn connect(&mut self, caller: LegId) {
        self.answer_caller(caller);
        let Some(dialling) = self.dialling(caller) else {
            return;
        };
        dialling.stage = Stage::Talking;
        let (peer, longest) = (dialling.peer, dialling.terms.longest);
        if let Some(peer) = peer {
            self.enter_bridge(caller, peer);
        }
        if let Some(time) = longest {
            self.dial_timer(caller, time);
        }
    }

    /// A time limit of a Dial or Originate is reached.
    pub(super) fn dial_time(&mut self, id: LegId, token: u64) {
        let Some(leg) = self.legs.get(id) else { return };
        if leg.token != token {
            return;
        }
        if leg.originating.is_some() {
            self.originate_time(id);
            return;
        }
        let Some(dialling) = self.dialling(id) else {
            return;
        };
        let peer = dialling.peer;
        match (dialling.stage, peer) {
            (Stage::Calling, _) => {
                self.drop_others(id, None, "NOANSWER", 0);
                self.finish(id, "NOANSWER", AfterDial::Continue);
            }
            (Stage::Announcing, Some(peer)) => self.announced(id, peer),
            (Stage::Sending, Some(_)) => self.connect(id),
            (Stage::Talking, Some(peer)) => self.talk_over(id, peer, Over::Ended),
            _ => {}
        }
    }

    /// The caller of a Dial is gone, or (its absolute time-out) counts as gone.
    pub(super) fn caller_left(&mut self, id: LegId) {
        let Some(dialling) = self.dialling(id) else {
            return;
        };
        match (dialling.stage, dialling.peer) {
            (Stage::Calling, _) | (_, None) => {
                let cause = if dialling.terms.answered_elsewhere {
                    ANSWERED_ELSEWHERE
                } else {
                    NORMAL_CLEARING
                };
                self.drop_others(id, None, "CANCEL", cause);
                self.finish(id, "CANCEL", AfterDial::Hangup);
            }
            (_, Some(peer)) => self.talk_over(id, peer, Over::Caller),
        }
    }

    /// The channel that answered was hung up by its far side.
    pub(super) fn peer_left(&mut self, caller: LegId, id: LegId, cause: u32) {
        let checking = self
            .dialling(caller)
            .is_some_and(|d| d.stage == Stage::Checking);
        let waits = self
            .legs
            .get(id)
            .is_some_and(|leg| leg.waits != Waits::Nothing);
        if checking {
            // The subroutine notices it, and its end ends the Dial.
            if waits {
                self.interrupt(id, cause);
            } else if let Some(leg) = self.legs.get_mut(id) {
                leg.call.hang_up(cause);
            }
            return;
        }
        self.talk_over(caller, id, Over::Callee(cause));
    }

    fn talk_over(&mut self, caller: LegId, id: LegId, over: Over) {
        let Some(dialling) = self.dialling(caller) else {
            return;
        };
        let terms = dialling.terms.clone();
        let here = self.legs.get(caller).map(|leg| leg.call.location().clone());
        self.leave_bridge(caller, id, Some(caller));
        self.callee_goes(caller, id, over, &terms, here);
        self.talk_ends(caller, &terms, over);
    }

    /// Another channel sent the callee elsewhere: for the caller, it hung up.
    pub(super) fn callee_taken(&mut self, caller: LegId) {
        if let Some(dialling) = self.dialling(caller) {
            let (terms, peer) = (dialling.terms.clone(), dialling.peer);
            if let Some(peer) = peer {
                self.leave_bridge(caller, peer, Some(caller));
            }
            self.talk_ends(caller, &terms, Over::Callee(0));
        }
    }

    /// What the end of a talk means for the caller.
    fn talk_ends(&mut self, caller: LegId, terms: &Terms, over: Over) {
        let peer = self.dialling(caller).and_then(|dialling| dialling.peer);
        self.leave_bridge(caller, caller, peer);
        let cause = match over {
            Over::Callee(cause) if cause != 0 && cause != ANSWERED_ELSEWHERE => Some(cause),
            Over::Callee(_) | Over::Ended => Some(NORMAL_CLEARING),
            Over::Caller => None,
        };
        let next = if terms.go_on && over != Over::Caller {
            AfterDial::Continue
        } else {
            AfterDial::Hangup
        };
        self.finish_talk(
            caller,
            Dialed {
                status: Text::from("ANSWER"),
                cause,
                next,
                ..Dialed::default()
            },
        );
    }

    /// What becomes of the callee's channel after the talk.
    fn callee_goes(
        &mut self,
        caller: LegId,
        id: LegId,
        over: Over,
        terms: &Terms,
        here: Option<Location>,
    ) {
        let (Some(here), Some(peer)) = (here, self.legs.get_mut(id)) else {
            return;
        };
        if peer.call.channel().cause == 0 {
            peer.call.channel_mut().cause = NORMAL_CLEARING;
        }
        let goes_on = terms
            .callee_goes_on
            .as_ref()
            .filter(|_| over == Over::Caller);
        if let Some(place) = goes_on {
            peer.call.place(here.clone());
            let to = if place.is_empty() {
                Some(Location {
                    priority: here.priority.saturating_add(1),
                    ..here.clone()
                })
            } else {
                peer.call.cx().parse_target(place).ok()
            };
            if let Some(to) = to {
                peer.owner = None;
                peer.task = Task::Own;
                peer.token += 1;
                peer.call.channel_mut().cause = 0;
                peer.call.restart(Start::Extension(to));
                self.resume(id, Event::Start);
                return;
            }
        }
        if terms.callee_h {
            peer.owner = None;
            peer.task = Task::Own;
            peer.token += 1;
            peer.call.place(here);
            peer.call.restart(Start::End { h: true });
            self.resume(id, Event::Start);
            return;
        }
        self.drop_leg(caller, id, "ANSWER", NORMAL_CLEARING);
    }

    fn finish_talk(&mut self, caller: LegId, mut dialed: Dialed) {
        if let Some(dialling) = self.dialling(caller) {
            dialed.set = std::mem::take(&mut dialling.set);
        }
        self.finish_with(caller, dialed);
    }

    /// A digit of the far side of a calling channel.
    pub(super) fn caller_digit(&mut self, id: LegId, digit: u8) {
        let Some(dialling) = self.dialling(id) else {
            return;
        };
        let (stage, peer) = (dialling.stage, dialling.peer);
        let leaves = dialling.terms.digit_leaves;
        let hangs_up = dialling.terms.caller_hangs_up && digit == b'*';
        match (stage, peer) {
            (Stage::Calling, _) if hangs_up => {
                self.drop_others(id, None, "CANCEL", NORMAL_CLEARING);
                self.finish(id, "CANCEL", AfterDial::Continue);
            }
            (Stage::Calling, _) if leaves => {
                let Some(leg) = self.legs.get_mut(id) else {
                    return;
                };
                let cx = leg.call.cx();
                let mut context = cx.text_of(b"EXITCONTEXT");
                if context.is_empty() {
                    context = cx.location().context.to_vec();
                }
                if cx.exists(&context, &[digit], 1) {
                    let to = [context.as_slice(), b",", &[digit], b",1"].concat();
                    self.drop_others(id, None, "CANCEL", NORMAL_CLEARING);
                    self.finish(id, "CANCEL", AfterDial::Goto(Text::from(to)));
                }
            }
            (Stage::Talking, Some(peer)) if hangs_up => self.talk_over(id, peer, Over::Ended),
            (Stage::Talking, Some(peer)) => self.pass_digit(peer, digit),
            _ => {}
        }
    }

    /// A digit of the far side of a dialled channel.
    pub(super) fn callee_digit(&mut self, id: LegId, digit: u8) {
        let owner = self.legs.get(id).and_then(|leg| leg.owner);
        let Some(super::leg::Owner::Dial(caller)) = owner else {
            return;
        };
        let Some(dialling) = self.dialling(caller) else {
            return;
        };
        if dialling.stage != Stage::Talking {
            return;
        }
        if dialling.terms.callee_hangs_up && digit == b'*' {
            self.talk_over(caller, id, Over::Ended);
        } else {
            self.pass_digit(caller, digit);
        }
    }

    /// A digit goes out of a channel to its far side.
    pub(super) fn pass_digit(&mut self, id: LegId, digit: u8) {
        if let Some(super::leg::Far::Leg(far)) = self.legs.get(id).map(|leg| leg.far) {
            self.soon(Happening::Digit(far, digit));
        }
    }
}
