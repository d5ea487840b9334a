//! What the effects of a call do in the simulation.

use std::time::Duration;

use crate::base::Text;
use crate::diagnostic::code;
use crate::machine::{
    ChannelState, Effect, EndReason, Environment, Event, Indication, Outcome, Play, Record, Start,
    WATCH,
};

use crate::host::dial::{CONGESTION, NORMAL_CLEARING, USER_BUSY};

use super::leg::{Far, LegId, Task, Waits};
use super::simulation::{DIGIT, Happening, Signal, Simulation};

/// After an answer, Asterisk waits so long for media of a pair that nobody speaks on.
const MEDIA: Duration = Duration::from_millis(500);
/// Pause between two digits that are sent.
const PAUSE: Duration = Duration::from_millis(250);
/// How long a nominal recording without limits takes.
const RECORDING: Duration = Duration::from_secs(2);
/// How long a caller listens to the questions of one priority.
const INTEREST: Duration = Duration::from_hours(24);

impl Simulation<'_> {
    /// Runs a call until it waits.
    pub(super) fn step(&mut self, id: LegId, event: Event) {
        let mut event = event;
        loop {
            let Some(leg) = self.legs.get_mut(id) else {
                return;
            };
            if leg.gone {
                return;
            }
            leg.waits = Waits::Nothing;
            leg.token += 1;
            self.tell_devices();
            let Some(leg) = self.legs.get_mut(id) else {
                return;
            };
            let before = leg.call.priorities();
            let asked =
                self.asked.times() + u64::from(leg.call.channel().timeouts.absolute.is_some());
            let effect = leg.call.step(event);
            // The absolute time-out asks once a step.
            let asked = self.asked.times().saturating_sub(asked);
            self.looks
                .stepped(id, leg.call.priorities(), asked, &effect);
            self.spent += leg.call.priorities().saturating_sub(before);
            if effect == Effect::Yield
                && self.spent >= leg.call.cx().state.settings.limits.max_priorities
            {
                leg.call.cx().state.limit(
                    &code::LIMIT_PRIORITIES,
                    "more priorities executed than allowed",
                );
            }
            self.note_down();
            match self.carry_out(id, effect) {
                Some(next) => event = next,
                None => return,
            }
        }
    }

    /// Carries an effect out; `None` = the call waits, or is over.
    fn carry_out(&mut self, id: LegId, effect: Effect) -> Option<Event> {
        match effect {
            Effect::Answer => self.answer(id),
            Effect::Indicate(indication) => {
                self.indicate(id, indication);
                Some(Event::Done)
            }
            Effect::Sleep(time) => {
                if let Some(leg) = self.legs.get_mut(id) {
                    leg.typed.clear();
                }
                self.wait(id, Waits::Sleep, Some(time));
                None
            }
            Effect::Play(play) => self.play(id, play),
            Effect::Collect { timeout } => self.collect(id, timeout),
            Effect::Record(record) => self.record(id, &record),
            Effect::Dial(dial) => {
                self.start_dial(id, *dial);
                None
            }
            Effect::Originate(originate) => {
                self.start_originate(id, *originate);
                None
            }
            Effect::Channel { name, request } => Some(self.other_channel(id, &name, request)),
            Effect::UserEvent { .. } => Some(Event::Done),
            Effect::Yield => Some(Event::Resume),
            Effect::End(outcome) => {
                self.ended(id, &outcome);
                None
            }
            Effect::Outside(request) => Some(self.engine.outside().answer(&request)),
            Effect::Store(request) => Some(self.engine.answer_store(&request)),
            Effect::Custom { name, data } if name == *WATCH => self.watch(id, &data),
            Effect::Custom { name, data } => self.application(id, &name, &data),
        }
    }

    /// The call waits, at most for this time.
    pub(super) fn wait(&mut self, id: LegId, waits: Waits, time: Option<Duration>) {
        let Some(leg) = self.legs.get_mut(id) else {
            return;
        };
        leg.waits = waits;
        let token = leg.token;
        if let Some(time) = time {
            self.after(time, Happening::Over { leg: id, token });
        }
    }

    /// Sends digits to the far side: `digits[,pause in ms[,length in ms]]`.
    pub(super) fn send(&mut self, id: LegId, data: &Text) -> Option<Event> {
        let mut arguments = data.split(|&b| b == b',');
        let digits = arguments.next().unwrap_or(&[]).to_vec();
        let mut milliseconds = |usual: Duration| {
            let text = std::str::from_utf8(arguments.next()?).ok()?;
            text.trim()
                .parse()
                .ok()
                .map(Duration::from_millis)
                .or(Some(usual))
        };
        let pause = milliseconds(PAUSE).unwrap_or(PAUSE);
        let length = milliseconds(DIGIT).unwrap_or(DIGIT);
        let other = arguments.next().unwrap_or(&[]).trim_ascii();
        let from = if other.is_empty() {
            id
        } else {
            let Some(from) = self.named(other) else {
                return Some(Event::Failed("no such channel".to_owned()));
            };
            from
        };
        let mut time = Duration::ZERO;
        for digit in digits {
            time = time.saturating_add(length);
            if let Some(Far::Leg(far)) = self.legs.get(from).map(|leg| leg.far) {
                self.after(time, Happening::Digit(far, digit));
            }
            time = time.saturating_add(pause);
        }
        self.wait(id, Waits::Sleep, Some(time));
        None
    }

    fn answer(&mut self, id: LegId) -> Option<Event> {
        let leg = self.legs.get_mut(id)?;
        if leg.call.channel().state == ChannelState::Up {
            return Some(Event::Done);
        }
        leg.call.cx().answer_channel();
        let pair = leg.far != Far::Nobody;
        self.devices_changed = true;
        self.tell_far(id, Signal::Answered);
        if !pair {
            return Some(Event::Done);
        }
        self.wait(id, Waits::Answer, Some(MEDIA));
        None
    }

    fn indicate(&mut self, id: LegId, indication: Indication) {
        let Some(leg) = self.legs.get_mut(id) else {
            return;
        };
        let channel = leg.call.channel_mut();
        if channel.state != ChannelState::Up {
            match indication {
                Indication::Busy => channel.cause = USER_BUSY,
                Indication::Congestion => channel.cause = CONGESTION,
                _ => {}
            }
        }
        self.tell_far(id, Signal::Indication(indication));
    }

    fn play(&mut self, id: LegId, play: Play) -> Option<Event> {
        let leg = self.legs.get_mut(id)?;
        let language = leg.call.channel().language.clone();
        let stop_on = play.stop_on;
        while let Some(digit) = leg.typed.pop_front() {
            if stop_on.contains(&digit) {
                return Some(Event::Played {
                    digit: Some(digit),
                    missing: Vec::new(),
                });
            }
        }
        let (time, missing) = self.settings.sounds.play(&play.what, &language);
        let time = time.saturating_sub(play.from);
        if time.is_zero() {
            return Some(Event::Played {
                digit: None,
                missing,
            });
        }
        if !stop_on.is_empty() {
            self.press(id, Some(time), Some(&stop_on));
        }
        self.wait(id, Waits::Play { stop_on, missing }, Some(time));
        None
    }

    fn collect(&mut self, id: LegId, timeout: Option<Duration>) -> Option<Event> {
        let leg = self.legs.get_mut(id)?;
        if let Some(digit) = leg.typed.pop_front() {
            return Some(Event::Digit(digit));
        }
        self.press(id, timeout, None);
        self.wait(id, Waits::Collect, timeout);
        self.lose_patience(id);
        self.lose_interest(id);
        None
    }

    /// A caller who is asked by the same priority again and again hangs up at last.
    fn lose_interest(&mut self, id: LegId) {
        let Some(leg) = self.legs.get(id) else {
            return;
        };
        let (at, now) = (leg.call.priorities(), self.clock.now());
        let (asked_at, since) = self.questions.entry(id).or_insert((at, now));
        if *asked_at != at {
            (*asked_at, *since) = (at, now);
        } else if now.saturating_sub(*since) > INTEREST {
            self.soon(Happening::Signal(id, Signal::Hangup(NORMAL_CLEARING)));
        }
    }

    /// The caller presses the next digit that it was told to press, while the dialplan listens.
    fn press(&mut self, id: LegId, within: Option<Duration>, wanted: Option<&Text>) {
        let Some(&digit) = self.settings.press.front() else {
            return;
        };
        if id != 0 || wanted.is_some_and(|wanted| !wanted.contains(&digit)) {
            return;
        }
        self.settings.press.pop_front();
        let time = within.map_or(DIGIT, |t| (t / 2).min(DIGIT));
        self.after(time, Happening::Digit(id, digit));
    }

    fn record(&mut self, id: LegId, record: &Record) -> Option<Event> {
        // Nobody speaks: a limit on silence ends the recording first.
        let (time, ends) = match (record.silence, record.max) {
            (Some(silence), Some(max)) if silence >= max => (max, "TIMEOUT"),
            (Some(silence), _) => (silence, "SILENCE"),
            (None, Some(max)) => (max, "TIMEOUT"),
            (None, None) => (RECORDING, "DTMF"),
        };
        self.wait(id, Waits::Record { ends }, Some(time));
        None
    }

    /// The time of a wait is over.
    pub(super) fn over(&mut self, id: LegId, token: u64) {
        let Some(leg) = self.legs.get_mut(id) else {
            return;
        };
        if leg.gone || leg.token != token {
            return;
        }
        let event = match std::mem::replace(&mut leg.waits, Waits::Nothing) {
            Waits::Nothing | Waits::Outcome => return,
            Waits::Answer | Waits::Sleep => Event::Done,
            Waits::Play { missing, .. } => Event::Played {
                digit: None,
                missing,
            },
            Waits::Collect => Event::Timeout,
            Waits::Application { ends, .. } => ends,
            Waits::Record { ends } => Event::Recorded(Text::from(ends)),
        };
        self.step(id, event);
    }

    /// A digit arrives from the far side.
    pub(super) fn digit(&mut self, id: LegId, digit: u8) {
        let Some(leg) = self.legs.get_mut(id) else {
            return;
        };
        if leg.gone {
            return;
        }
        if leg.dialling.is_some() {
            self.caller_digit(id, digit);
            return;
        }
        if leg.owner.is_some() && leg.task == Task::Own {
            self.callee_digit(id, digit);
            return;
        }
        let event = match &leg.waits {
            Waits::Collect => Event::Digit(digit),
            Waits::Play { stop_on, missing } if stop_on.contains(&digit) => Event::Played {
                digit: Some(digit),
                missing: missing.clone(),
            },
            Waits::Record { .. } if digit == b'#' => Event::Recorded(Text::from("DTMF")),
            Waits::Play { .. }
            | Waits::Sleep
            | Waits::Record { .. }
            | Waits::Application { .. } => return,
            Waits::Nothing | Waits::Answer | Waits::Outcome => {
                leg.typed.push_back(digit);
                return;
            }
        };
        self.step(id, event);
    }

    /// The absolute time-out of a channel that dials: for its Dial, the caller is gone.
    pub(super) fn absolute(&mut self, id: LegId) {
        let now = self.clock.now();
        let Some(leg) = self.legs.get_mut(id) else {
            return;
        };
        let due = leg
            .call
            .channel()
            .timeouts
            .absolute
            .is_some_and(|deadline| now >= deadline);
        if due && leg.dialling.is_some() {
            self.caller_left(id);
        }
    }

    /// What a channel ran came to its end.
    fn ended(&mut self, id: LegId, outcome: &Outcome) {
        let Some(leg) = self.legs.get_mut(id) else {
            return;
        };
        match leg.task {
            Task::BeforeCall | Task::AfterAnswer => self.subroutine_over(id, outcome),
            Task::Own if matches!(outcome.reason, EndReason::Returned | EndReason::Left) => {
                // An application came back or left: the channel ends, with its handlers.
                leg.call.restart(Start::End { h: false });
                self.resume(id, Event::Start);
            }
            Task::Own => {
                let cause = leg.call.channel().cause;
                self.destroy(id, cause);
            }
        }
    }
}
