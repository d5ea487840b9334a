//! The course of a simulation: channels, and a queue of what is going to happen to them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::base::Text;
use crate::diagnostic::code;
use crate::host::Engine;
use crate::machine::facilities::DeviceState;
use crate::machine::{
    Call, CallSetup, Channel, ChannelState, Environment, Event, Indication, Location, MadeBy, Start,
};

use super::bridge::Stage;
use super::clock::Clock;
use super::journal::{Journal, Recorder};
use super::leg::{Far, Leg, LegId, Owner, Waits};
use super::report::{ChannelReport, RunReport};
use super::watch::{Asked, Looks};
use super::{Mode, Peer, SimChannel};

/// How long the caller of a ringing call waits for an answer.
const PATIENCE: Duration = Duration::from_secs(20);
/// When a far side with digits begins to press them.
const FIRST_DIGIT: Duration = Duration::from_millis(700);
/// How long a digit lasts.
pub(super) const DIGIT: Duration = Duration::from_millis(100);
/// Pause between two digits of the far side.
const DIGIT_PAUSE: Duration = Duration::from_millis(200);
/// Channels of one simulation: a dialplan that dials itself must come to an end.
const MOST_CHANNELS: usize = 4096;
/// What may happen in one simulation: a dialplan that waits for ever must come to an end.
const MOST_HAPPENINGS: u64 = 10_000_000;
/// Cause of a hang-up when nothing is left that could happen.
const GIVEN_UP: u32 = 16;

/// What one side of a pair lets the other know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Signal {
    Answered,
    Indication(Indication),
    Hangup(u32),
}

/// Something that is going to happen.
#[derive(Debug)]
pub(super) enum Happening {
    /// A call goes on, unless something else happened to it meanwhile.
    Step {
        leg: LegId,
        token: u64,
        event: Event,
    },
    /// The time of a wait is over.
    Over { leg: LegId, token: u64 },
    /// A digit arrives from the far side.
    Digit(LegId, u8),
    /// The caller presses the next digit of those that it was told to press, if its Dial still listens.
    Press { leg: LegId, token: u64 },
    /// A signal arrives from the far side.
    Signal(LegId, Signal),
    /// Another channel hangs this one up, or sends it elsewhere; its far side is still there.
    HangUp(LegId),
    /// A time limit of a Dial or Originate of this channel is reached.
    DialTime { leg: LegId, token: u64 },
    /// The absolute time-out of a channel that dials.
    Absolute(LegId),
    /// The caller of a ringing call loses patience.
    Impatient,
}

pub(super) struct Simulation<'a> {
    pub(super) engine: &'a Engine,
    pub(super) settings: &'a mut SimChannel,
    pub(super) clock: Arc<Clock>,
    /// The clock as calls have it.
    pub(super) asked: Arc<Asked>,
    pub(super) looks: Looks,
    /// Priorities that a channel had executed when it was asked for a digit, and when that was first.
    pub(super) questions: BTreeMap<LegId, (u64, Duration)>,
    pub(super) legs: Vec<Leg>,
    journal: Journal,
    queue: BTreeMap<(Duration, u64), Happening>,
    sequence: u64,
    /// Priorities executed so far by all calls.
    pub(super) spent: u64,
    /// How much happened so far.
    happened: u64,
    /// Local pairs made so far.
    pub(super) pairs: u32,
    /// What the engine was told of devices.
    pub(super) devices: BTreeMap<Text, DeviceState>,
    /// Whether channels came, went, or were answered since.
    pub(super) devices_changed: bool,
    /// Bridges made so far.
    pub(super) bridges: u32,
}

impl<'a> Simulation<'a> {
    pub(super) fn new(engine: &'a Engine, settings: &'a mut SimChannel) -> Self {
        let outer = engine.environment().clone();
        let start = settings.at.unwrap_or_else(|| outer.now());
        let clock = Arc::new(Clock::new(start, settings.seed, outer));
        let journal = Journal::new(settings.watch.is_some(), !settings.traceless);
        Self {
            engine,
            settings,
            asked: Arc::new(Asked::new(clock.clone())),
            looks: Looks::default(),
            questions: BTreeMap::new(),
            clock,
            legs: Vec::new(),
            journal,
            queue: BTreeMap::new(),
            sequence: 0,
            spent: 0,
            happened: 0,
            pairs: 0,
            devices: BTreeMap::new(),
            devices_changed: false,
            bridges: 0,
        }
    }

    /// Runs the call and everything it starts.
    pub(super) fn run(mut self, mut call: Call) -> RunReport {
        call.set_environment(self.asked.clone());
        call.channel_mut().state = match self.settings.mode {
            Mode::Up => ChannelState::Up,
            Mode::Ring => ChannelState::Ring,
        };
        let seconds = self.clock.now().as_secs();
        let created = self.clock.now();
        let channel = call.channel_mut();
        channel.created = Some(created);
        if channel.uniqueid.is_empty() {
            channel.uniqueid = Text::from(format!("{seconds}.0").as_str());
            channel.linkedid = channel.uniqueid.clone();
        }
        let main = self.add(call);
        if self.settings.mode == Mode::Ring {
            if let Some(leg) = self.legs.get_mut(main) {
                leg.far = Far::Caller;
            }
            self.after(PATIENCE, Happening::Impatient);
        }
        self.resume(main, Event::Start);
        match self.settings.peer.clone() {
            Peer::Idle => {}
            Peer::Bye(time) => {
                self.after(time, Happening::Signal(main, Signal::Hangup(GIVEN_UP)));
            }
            Peer::Digits(digits) => {
                let mut time = FIRST_DIGIT;
                for digit in digits {
                    time += DIGIT;
                    self.after(time, Happening::Digit(main, digit));
                    time += DIGIT_PAUSE;
                }
            }
        }
        self.play_out();
        while self.give_up() {
            self.play_out();
        }
        self.report()
    }

    fn play_out(&mut self) {
        while let Some(((time, _), happening)) = self.queue.pop_first() {
            let now = self.clock.now();
            if time > now {
                if let Some(pace) = &mut self.settings.pace {
                    pace(time.saturating_sub(now));
                }
                self.clock.advance_to(time);
            }
            self.happen(happening);
            self.wake();
            self.note_down();
            self.happened += 1;
            if self.happened == MOST_HAPPENINGS {
                self.stop();
            }
        }
    }

    /// Too much happened: every call ends.
    fn stop(&mut self) {
        for leg in self.legs.iter_mut().filter(|leg| !leg.gone) {
            leg.call
                .cx()
                .state
                .limit(&code::LIMIT_EVENTS, "more happened than allowed");
        }
        for id in 0..self.legs.len() {
            self.soon(Happening::Signal(id, Signal::Hangup(GIVEN_UP)));
        }
    }

    /// Nothing can happen any more, but somebody still waits: the first of them is hung up.
    fn give_up(&mut self) -> bool {
        let waiting = self
            .legs
            .iter_mut()
            .enumerate()
            .find(|(_, leg)| !leg.gone && leg.owner.is_none() && leg.waits != Waits::Nothing);
        let Some((id, _)) = waiting else {
            return false;
        };
        self.after(
            Duration::ZERO,
            Happening::Signal(id, Signal::Hangup(GIVEN_UP)),
        );
        true
    }

    fn happen(&mut self, happening: Happening) {
        match happening {
            Happening::Step { leg, token, event } => {
                if self.legs.get(leg).is_some_and(|l| l.token == token) {
                    self.step(leg, event);
                }
            }
            Happening::Over { leg, token } => self.over(leg, token),
            Happening::Digit(leg, digit) => self.digit(leg, digit),
            Happening::Press { leg, token } => self.press_while_calling(leg, token),
            Happening::Signal(leg, signal) => self.signal(leg, signal),
            Happening::HangUp(leg) => self.arrives(leg, Signal::Hangup(0)),
            Happening::DialTime { leg, token } => self.dial_time(leg, token),
            Happening::Absolute(leg) => self.absolute(leg),
            Happening::Impatient => {
                if self
                    .legs
                    .first()
                    .is_some_and(|leg| leg.call.channel().state != ChannelState::Up)
                {
                    self.signal(0, Signal::Hangup(0));
                }
            }
        }
    }

    // The queue.

    /// Lets something happen after a time.
    pub(super) fn after(&mut self, time: Duration, happening: Happening) {
        self.sequence += 1;
        let at = self.clock.now().saturating_add(time);
        self.queue.insert((at, self.sequence), happening);
    }

    /// Lets something happen now, after what happens already.
    pub(super) fn soon(&mut self, happening: Happening) {
        self.after(Duration::ZERO, happening);
    }

    /// Lets a call go on with an event, soon.
    pub(super) fn resume(&mut self, leg: LegId, event: Event) {
        if let Some(token) = self.legs.get(leg).map(|leg| leg.token) {
            self.soon(Happening::Step { leg, token, event });
        }
    }

    /// Tells whoever is at the far end of a channel.
    pub(super) fn tell_far(&mut self, id: LegId, signal: Signal) {
        let Some(leg) = self.legs.get(id) else { return };
        match leg.far {
            Far::Leg(far) => self.soon(Happening::Signal(far, signal)),
            // A caller who hears a busy or congestion tone hangs up.
            Far::Caller => {
                if let Signal::Indication(Indication::Busy | Indication::Congestion) = signal {
                    self.soon(Happening::Signal(id, Signal::Hangup(0)));
                }
            }
            Far::Nobody => {}
        }
    }

    // Channels.

    pub(super) fn add(&mut self, call: Call) -> LegId {
        self.devices_changed = true;
        let order = self.legs.len();
        let recorder = Recorder {
            journal: self.journal.clone(),
            clock: self.clock.clone(),
            order,
            events: self.settings.events,
        };
        let mut call = call.with_observer(Box::new(recorder));
        call.keep_records();
        self.legs.push(Leg::new(call));
        order
    }

    /// A new channel that does nothing yet, with the variables given. `None` when there are too many.
    pub(super) fn create(
        &mut self,
        maker: LegId,
        name: &Text,
        made_by: MadeBy,
        at: Location,
        variables: &[(Text, Text)],
    ) -> Option<LegId> {
        let order = self.legs.len();
        if order >= MOST_CHANNELS {
            if let Some(leg) = self.legs.get_mut(maker) {
                leg.call
                    .cx()
                    .state
                    .limit(&code::LIMIT_CHANNELS, "more channels than allowed");
            }
            return None;
        }
        let mut channel = Channel::new(name.clone());
        channel.state = ChannelState::Down;
        channel.made_by = made_by;
        channel.created = Some(self.clock.now());
        channel.uniqueid = Text::from(format!("{}.{order}", self.clock.now().as_secs()).as_str());
        let maker_leg = self.legs.get(maker);
        // An originated channel is the first of a call of its own.
        let first = made_by == MadeBy::Originate;
        channel.linkedid = maker_leg.filter(|_| !first).map_or_else(
            || channel.uniqueid.clone(),
            |leg| leg.call.channel().linkedid.clone(),
        );
        let forwards = maker_leg.map_or(0, |leg| leg.forwards.saturating_sub(1));
        if let Some(leg) = maker_leg {
            channel.language = leg.call.channel().language.clone();
        }
        let mut setup = CallSetup {
            environment: self.asked.clone(),
            ..self.engine.setup(channel)
        };
        // All calls of a simulation share one limit.
        let most = &mut Arc::make_mut(&mut setup.settings).limits.max_priorities;
        *most = most.saturating_sub(self.spent).max(1);
        let mut call = Call::new(setup, Start::Extension(at.clone()));
        call.place(at);
        for (name, value) in variables {
            call.set(name, value);
        }
        let id = self.add(call);
        if let Some(leg) = self.legs.get_mut(id) {
            leg.forwards = forwards;
        }
        Some(id)
    }

    /// A signal arrives from the far side of a channel.
    fn signal(&mut self, id: LegId, signal: Signal) {
        let Some(leg) = self.legs.get_mut(id) else {
            return;
        };
        if matches!(signal, Signal::Hangup(_)) && !leg.gone {
            leg.far = Far::Nobody;
        }
        self.arrives(id, signal);
    }

    /// A signal reaches what a channel does.
    fn arrives(&mut self, id: LegId, signal: Signal) {
        let Some(leg) = self.legs.get(id).filter(|leg| !leg.gone) else {
            return;
        };
        match (leg.owner, signal) {
            (Some(Owner::Dial(caller)), signal) => self.callee_signal(caller, id, signal),
            (Some(Owner::Originate(maker)), signal) => self.originated_signal(maker, id, signal),
            (None, Signal::Hangup(cause)) => self.hung_up(id, cause),
            (None, _) => {}
        }
    }

    /// The far side of a channel hung up.
    pub(super) fn hung_up(&mut self, id: LegId, cause: u32) {
        let Some(leg) = self.legs.get_mut(id) else {
            return;
        };
        if let Some(dialling) = &leg.dialling {
            // A caller who gives up while it rings brings no cause.
            let calling = dialling.stage == Stage::Calling;
            leg.call.hang_up(if calling { 0 } else { cause });
            self.caller_left(id);
        } else if leg.originating.is_some() {
            // Originate does not look at its own channel while it waits.
            leg.call.hang_up(cause);
        } else {
            self.interrupt(id, cause);
        }
    }

    /// Ends what the call of a channel waits for, with a hang-up.
    pub(super) fn interrupt(&mut self, id: LegId, cause: u32) {
        let Some(leg) = self.legs.get_mut(id) else {
            return;
        };
        if matches!(leg.waits, Waits::Nothing | Waits::Outcome) {
            leg.call.hang_up(cause);
        } else {
            leg.token += 1;
            self.step(id, Event::Hangup(cause));
        }
    }

    /// The channel is no longer needed by who made it: its hangup handlers run, then it is gone.
    pub(super) fn release(&mut self, id: LegId, cause: u32) {
        let Some(leg) = self.legs.get_mut(id) else {
            return;
        };
        if leg.gone {
            return;
        }
        leg.owner = None;
        leg.token += 1;
        leg.waits = Waits::Nothing;
        let channel = leg.call.channel_mut();
        if channel.cause == 0 {
            channel.cause = cause;
        }
        if channel.hangup_handlers.is_empty() {
            self.destroy(id, cause);
        } else {
            leg.task = super::leg::Task::Own;
            leg.call.restart(Start::End { h: false });
            self.resume(id, Event::Start);
        }
    }

    /// The channel is gone; the other half of its pair learns it.
    pub(super) fn destroy(&mut self, id: LegId, cause: u32) {
        let Some(leg) = self.legs.get_mut(id) else {
            return;
        };
        if leg.gone {
            return;
        }
        leg.gone = true;
        self.devices_changed = true;
        self.looks.stir();
        leg.waits = Waits::Nothing;
        leg.token += 1;
        let name = &leg.call.channel().name;
        self.engine.shared().forget_channel(name);
        let records = leg.call.close();
        self.journal.file(records);
        self.tell_far(id, Signal::Hangup(cause));
    }

    // What happened.

    /// Shows a watcher what the calls did.
    pub(super) fn note_down(&mut self) {
        if let Some(watch) = &mut self.settings.watch {
            for occurrence in self.journal.unseen() {
                watch(&occurrence);
            }
        }
    }

    fn report(mut self) -> RunReport {
        self.tell_devices();
        for leg in self.legs.iter_mut().filter(|leg| !leg.gone) {
            self.journal.file(leg.call.close());
        }
        self.note_down();
        let mut record = self.journal.record();
        record.sort_log();
        let channels = self
            .legs
            .into_iter()
            .enumerate()
            .map(|(order, leg)| ChannelReport {
                name: leg.call.channel().name.clone(),
                ran: record.has_run(order),
                call: leg.call,
            })
            .collect();
        RunReport { channels, record }
    }
}
