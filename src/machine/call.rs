//! `Call`: one call as a value. `step` runs it until something must be done outside.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use crate::base::{Rare, Text};
use crate::diagnostic::Code;
use crate::machine::environment::{Allow, Environment, Limits};
use crate::machine::evaluate::Evaluator;
use crate::machine::globals::Globals;
use crate::machine::image::Image;
use crate::machine::pbx::Phase;
use crate::machine::records::{CallRecord, EventKind, RecordOptions};
use crate::machine::shared::Shared;
use crate::machine::state::State;
use crate::machine::variables::Variables;
use crate::machine::{
    Attached, Channel, Cx, Effect, Event, Flow, Location, Observer, Then, ThenFlow, ThenText,
};
use crate::program::line::Step;
use crate::program::slots::Slot;

/// What a new call is made of.
pub struct CallSetup {
    /// The dialplan.
    pub image: Arc<Image>,
    /// The engine's shared state.
    pub shared: Arc<Shared>,
    /// Time and chance.
    pub environment: Arc<dyn Environment>,
    /// What holds for all calls of an engine.
    pub settings: Arc<Settings>,
    /// The channel.
    pub channel: Channel,
}

/// What holds for all calls of an engine.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Limits of each call.
    pub limits: Limits,
    /// What is allowed outside of the engine.
    pub allow: Allow,
    /// How records are made.
    pub records: RecordOptions,
}

impl fmt::Debug for CallSetup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallSetup")
            .field("channel", &self.channel)
            .finish_non_exhaustive()
    }
}

/// How a call begins, or goes on after it ended (a leg of a Dial runs several things in turn).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Start {
    /// Run the dialplan from a place to the end of the call, with `h` and the hangup handlers.
    Extension(Location),
    /// Run a subroutine (a Gosub target with arguments) until it returns.
    Subroutine(Text),
    /// Run one application.
    Application {
        /// Its name.
        name: Text,
        /// Its data.
        data: Text,
    },
    /// Substitute a text; the result is [`Call::text`].
    Text {
        /// The text.
        text: Text,
        /// Where EXTEN, CONTEXT and PRIORITY are; `None` = there is no channel at all, as while a dialplan is loaded.
        at: Option<Location>,
    },
    /// Run `h` of a context and the hangup handlers: the channel is gone.
    End {
        /// Whether `h` is looked for, or only the handlers run.
        h: bool,
    },
}

/// How a call ended.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Outcome {
    /// Why.
    pub reason: EndReason,
    /// Hangup cause of the channel; 0 = none set.
    pub cause: u32,
    /// Priorities executed so far.
    pub priorities: u64,
    /// Where the dialplan ended.
    pub at: Location,
}

/// Why a call, subroutine or application ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum EndReason {
    /// The channel is hung up: an application said so, the other side, or the end of the dialplan.
    Hangup,
    /// A subroutine returned, or an application came back and the channel goes on.
    Returned,
    /// A subroutine or application ended the channel.
    Left,
    /// A limit of the engine.
    Limit(&'static Code),
}

/// What waits for the outcome of something.
pub(super) enum Pending {
    /// An application waits for the host.
    Event(Then),
    /// An application waits for a text.
    Text(ThenText),
    /// An application waits for another.
    Flow(ThenFlow),
}

/// What the evaluation in progress is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// The data of the present line.
    Data,
    /// A value for a slot.
    Value(Slot),
    /// A branch.
    Branch { yes: u32, no: u32 },
    /// A text that an application asked for.
    Application,
    /// A text that the host asked for.
    Text,
}

/// What the call does at present.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Doing {
    /// Looks up the next line at `state.at`.
    Lookup,
    /// Runs the line at `line`.
    Line,
    /// An evaluation waits for the host.
    Evaluation,
    /// An application waits for the host.
    Application,
    /// The PBX loop itself waits for the host.
    Loop,
    /// Is to substitute a text.
    Text,
    /// Over.
    Ended,
}

/// Work that waits for a subroutine which the machine itself started.
pub(super) struct Outer {
    pub(super) evaluator: Evaluator,
    pub(super) purpose: Purpose,
    pub(super) pending: Vec<Pending>,
    pub(super) at: Location,
    pub(super) line: u32,
    pub(super) steady: bool,
    /// Whether an evaluation (and not an application) waits.
    pub(super) evaluating: bool,
    /// The application that waits, and its data, where records are kept.
    pub(super) application: Option<(Text, Text)>,
}

/// One call: a value, never a thread.
pub struct Call {
    pub(super) state: State,
    pub(super) evaluator: Evaluator,
    pub(super) purpose: Purpose,
    pub(super) pending: Vec<Pending>,
    pub(super) outer: Vec<Outer>,
    pub(super) doing: Doing,
    pub(super) phase: Phase,
    /// Index of the present line.
    pub(super) line: u32,
    /// Whether the present line is the first candidate of its lookup, whatever the time and the caller:
    /// then direct links lead where a lookup would.
    pub(super) steady: bool,
    /// Priorities left in this step.
    pub(super) fuel: u32,
    pub(super) executed: u64,
    /// Whether the effect in progress was shortened to the absolute time-out.
    pub(super) shortened: bool,
    pub(super) reason: EndReason,
    /// The image that the lines in progress belong to, between steps: passed on without counting references,
    /// which the calls of other threads count too.
    stepping: Option<Arc<Image>>,
}

impl fmt::Debug for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call")
            .field("channel", &self.state.channel.name)
            .field("at", &self.state.at)
            .field("doing", &self.doing)
            .finish_non_exhaustive()
    }
}

impl Call {
    /// A call that has not begun.
    pub fn new(setup: CallSetup, start: Start) -> Self {
        let state = State {
            image: setup.image,
            shared: setup.shared,
            environment: setup.environment,
            settings: setup.settings,
            has_channel: true,
            textual: false,
            channel: setup.channel,
            variables: Variables::default(),
            globals: Globals::default(),
            at: Location {
                context: Text::from("default"),
                exten: Text::from("s"),
                priority: 1,
            },
            stack: Vec::new(),
            observer: None,
            hungup: false,
            dead: false,
            exception: None,
            stopped: None,
            attached: None,
            touched: false,
            spare: Vec::new(),
            spare_locals: Rare::absent(),
            returned: false,
            records: None,
            events: false,
            internal: 0,
            redirect: None,
        };
        let mut call = Self {
            state,
            evaluator: Evaluator::default(),
            purpose: Purpose::Data,
            pending: Vec::new(),
            outer: Vec::new(),
            doing: Doing::Ended,
            phase: Phase::Running,
            line: crate::program::line::NONE,
            steady: false,
            fuel: 0,
            executed: 0,
            shortened: false,
            reason: EndReason::Hangup,
            stepping: None,
        };
        let keep = call.state.settings.records.keep;
        call.restart(start);
        if keep {
            call.state.keep_records();
        }
        call
    }

    /// Begins again on the same channel, with its variables. What was in progress is dropped.
    pub fn restart(&mut self, start: Start) {
        self.pending.clear();
        self.outer.clear();
        self.doing = Doing::Lookup;
        self.steady = false;
        self.state.internal = u32::from(matches!(start, Start::Subroutine(_)));
        self.begin(start);
    }

    /// Begins anew as a call that never was, on a channel like this one: variables, frames and whatever happened are
    /// forgotten; buffers, what is attached and who watches stay.
    pub fn renew(&mut self, channel: &Channel, start: Start) {
        let state = &mut self.state;
        if std::mem::take(&mut state.touched) {
            state.channel.clone_from(channel);
        }
        state.channel.renew(channel);
        state.variables.clear();
        state.stack.clear();
        (state.hungup, state.dead, state.returned) = (false, false, false);
        (state.exception, state.stopped, state.redirect) = (None, None, None);
        self.executed = 0;
        self.shortened = false;
        self.reason = EndReason::Hangup;
        self.purpose = Purpose::Data;
        self.restart(start);
    }

    /// Hangs something on the call; what was there before comes back.
    pub fn attach(&mut self, attached: Box<dyn Attached>) -> Option<Box<dyn Attached>> {
        let before = self.state.attached.replace(Box::new(attached));
        before.map(|before| *before)
    }

    /// Takes what was hung on the call.
    pub fn detach(&mut self) -> Option<Box<dyn Attached>> {
        self.state.attached.take().map(|attached| *attached)
    }

    /// What was hung on the call, if it is of this type.
    pub fn attached<T: Attached>(&mut self) -> Option<&mut T> {
        let attached: &mut dyn Any = self.state.attached.as_deref_mut()?.as_mut();
        attached.downcast_mut()
    }

    /// With somebody who watches, from the beginning of the channel, whose ids must be set: every priority then runs the general way.
    #[must_use]
    pub fn with_observer(mut self, observer: Box<dyn Observer>) -> Self {
        self.state.events = observer.sees_events();
        self.state.observer = Some(observer);
        if self.state.events {
            self.state.keep_records();
            self.state
                .event(EventKind::ChanStart, &[], &[], String::new());
        }
        self
    }

    /// Makes call records of this channel from now on, to be had from [`close`](Self::close). Every priority then
    /// runs the general way.
    pub fn keep_records(&mut self) {
        self.state.keep_records();
    }

    /// Takes over the records of another call on the same channel, to read them.
    pub(crate) fn mirror_records(&mut self, of: &Call) {
        self.state.records.clone_from(&of.state.records);
    }

    /// The channel is gone: its finished records, in the order in which they began. The host calls it once, after
    /// the last [`Effect::End`]; `h` and the hangup handlers have run by then.
    pub fn close(&mut self) -> Vec<CallRecord> {
        self.state.close()
    }

    /// Substitutes every text by the textual evaluator and takes no direct operation: the second
    /// implementation, for comparison.
    #[must_use]
    pub fn textual(mut self) -> Self {
        self.state.textual = true;
        self
    }

    /// Sets a variable or writes a function before the call begins, such as `CALLERID(num)`.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.set(name.as_bytes(), value.as_bytes());
        self
    }

    /// Sets a variable, or writes a function that does not wait.
    pub fn set(&mut self, name: &[u8], value: &[u8]) {
        let mut cx = Cx {
            state: &mut self.state,
        };
        if !name.ends_with(b")") {
            cx.set(name, value);
            return;
        }
        let (function, arguments, _) = crate::syntax::lex::template::function_call(name);
        if let Some(linked) = cx.function(function)
            && let Some(write) = &linked.write
        {
            write.write(&mut cx, arguments, value);
        }
    }

    /// The text of `${name}` as far as it is a variable.
    pub fn variable(&mut self, name: &[u8]) -> Option<Text> {
        let cx = Cx {
            state: &mut self.state,
        };
        cx.variable(name).map(|v| v.to_text())
    }

    /// All channel variables with their values.
    pub fn variables(&self) -> Vec<(Text, Text)> {
        self.state
            .variables
            .list(&self.state.image.program.slots)
            .into_iter()
            .map(|(n, v, _)| (n, v.to_text()))
            .collect()
    }

    /// The call as applications see it: for hosts that look or change something between steps.
    pub fn cx(&mut self) -> Cx<'_> {
        Cx {
            state: &mut self.state,
        }
    }

    /// The channel.
    pub fn channel(&self) -> &Channel {
        &self.state.channel
    }

    /// The channel, to change it.
    pub fn channel_mut(&mut self) -> &mut Channel {
        &mut self.state.channel
    }

    /// Where the call is.
    pub fn location(&self) -> &Location {
        &self.state.at
    }

    /// Puts the call at a place without starting it: a channel that somebody holds has a place, too.
    pub fn place(&mut self, at: Location) {
        self.state.at = at;
    }

    /// Gives the call another clock and other chance, before it begins.
    pub fn set_environment(&mut self, environment: Arc<dyn Environment>) {
        self.state.environment = environment;
    }

    /// Priorities executed so far.
    pub fn priorities(&self) -> u64 {
        self.executed
    }

    /// The other side hung up: the call ends after the present application. While an effect is in
    /// progress, give `Event::Hangup` to `step` instead.
    pub fn hang_up(&mut self, cause: u32) {
        if self.state.channel.cause == 0 {
            self.state.channel.cause = cause;
        }
        self.state.hungup = true;
    }

    /// Another place: where the call goes on after the present application (`ChannelRedirect`).
    pub fn redirect(&mut self, to: Location) {
        self.state.redirect = Some(Box::new(to));
    }

    /// The result of [`Start::Text`].
    pub fn text(&self) -> &[u8] {
        self.evaluator.text()
    }

    /// Runs until something must be done outside; the event says what came of the effect before.
    pub fn step(&mut self, event: Event) -> Effect {
        let left = self
            .state
            .settings
            .limits
            .max_priorities
            .saturating_sub(self.executed);
        self.fuel = u32::try_from(left)
            .unwrap_or(u32::MAX)
            // What is too small for a step is given up at the end of a slice, so it is added.
            .min(
                self.state
                    .settings
                    .limits
                    .fuel
                    .saturating_add(Step::MOST)
                    .max(Step::MOST + 1),
            );
        let mut image = match self.stepping.take() {
            Some(image) => image,
            None => self.state.image.clone(),
        };
        self.evaluator.lend(&mut self.state.spare);
        let effect = self.run(&mut image, event);
        match effect {
            Effect::End(_) => {}
            Effect::Yield => self.evaluator.give_back(&mut self.state.spare),
            _ => {
                // It may wait for long, and there may be many of its kind.
                self.evaluator.give_back(&mut self.state.spare);
                self.state.globals = Globals::default();
                self.state.spare_locals = Rare::absent();
            }
        }
        self.stepping = Some(image);
        effect
    }

    fn run(&mut self, image: &mut Arc<Image>, event: Event) -> Effect {
        let mut effect = self.deliver(image, event);
        loop {
            if let Some(wanted) = effect {
                match self.emit(wanted) {
                    Ok(effect) => return effect,
                    Err(event) => {
                        effect = self.deliver(image, event);
                        continue;
                    }
                }
            }
            if image.generation != self.state.image.generation {
                *image = self.state.image.clone();
            }
            effect = self.advance(image);
        }
    }

    /// Hands an event to whoever waits for it.
    fn deliver(&mut self, image: &Image, event: Event) -> Option<Effect> {
        if self.doing == Doing::Ended {
            return None;
        }
        let event = self.arrived(event);
        match self.doing {
            Doing::Lookup | Doing::Line | Doing::Text | Doing::Ended => None,
            Doing::Evaluation => {
                let mut cx = Cx {
                    state: &mut self.state,
                };
                let status = self.evaluator.resume(image, &mut cx, event);
                self.evaluated(image, status)
            }
            Doing::Application => {
                let flow = match self.pending.pop() {
                    Some(Pending::Event(then)) => {
                        let mut cx = Cx {
                            state: &mut self.state,
                        };
                        then(&mut cx, event)
                    }
                    _ => Flow::Leave,
                };
                self.flow(image, flow)
            }
            Doing::Loop => self.loop_event(event),
        }
    }

    fn advance(&mut self, image: &Image) -> Option<Effect> {
        match self.doing {
            Doing::Lookup => self.lookup(image),
            Doing::Line => self.run_lines(image),
            Doing::Text => {
                let mut cx = Cx {
                    state: &mut self.state,
                };
                let status = self.evaluator.run(image, &mut cx);
                self.evaluated(image, status)
            }
            Doing::Ended => Some(Effect::End(Box::new(self.outcome()))),
            // Something waits, but gave no effect: cannot happen; ending is the safe answer.
            Doing::Evaluation | Doing::Application | Doing::Loop => {
                self.doing = Doing::Ended;
                None
            }
        }
    }

    /// How the call ended, or where it is.
    pub fn outcome(&self) -> Outcome {
        Outcome {
            reason: self.state.stopped.map_or(self.reason, EndReason::Limit),
            cause: self.state.channel.cause,
            priorities: self.executed,
            at: self.state.at.clone(),
        }
    }
}
