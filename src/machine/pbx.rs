//! What happens around the priorities of a call, as Asterisk's PBX loop does it: the next line, digits of a
//! new extension, the special extensions `i`, `t`, `T`, `e` and `h`, the end of an extension, hangup handlers,
//! and subroutines that the machine itself starts.

use crate::base::Text;
use crate::diagnostic::code;
use crate::machine::call::{Call, Doing, EndReason, Pending, Purpose, Start};
use crate::machine::image::Image;
use crate::machine::{Cx, Effect, Event, Flow, Indication, Location, Note};
use crate::program::matcher::Want;

/// Which part of its life a call is in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Phase {
    /// Runs the dialplan.
    Running,
    /// Runs `h`.
    HangupExtension,
    /// Runs hangup handlers.
    Handlers,
    /// Runs a subroutine for the host.
    Subroutine,
    /// Runs one application for the host.
    Application,
    /// The loop waits for digits.
    Collect(Box<Collected>),
    /// The loop shows a tone before the call ends.
    Tone,
    /// The tone sounds.
    ToneEnds,
}

/// Digits of a new extension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Collected {
    /// Those collected so far.
    pub(super) digits: Vec<u8>,
    /// How many of them were there when waiting began.
    pub(super) given: usize,
}

impl Call {
    /// Sets the call up for what it is to run.
    pub(super) fn begin(&mut self, start: Start) {
        match start {
            Start::Extension(at) => {
                self.state.at = at;
                if self.state.at.exten.is_empty() {
                    self.state.at.exten = Text::from("s");
                    self.state.at.priority = 1;
                }
                self.phase = Phase::Running;
            }
            Start::Subroutine(target) => {
                self.phase = Phase::Subroutine;
                if !self.push_subroutine(&target) {
                    self.end(EndReason::Left);
                }
            }
            Start::Application { name, data } => {
                self.phase = Phase::Application;
                self.pending.clear();
                let image = self.state.image.clone();
                match image.names.application(&name) {
                    None => self.end(EndReason::Left),
                    Some(linked) => {
                        let (body, data) = (linked.body.clone(), data.clone());
                        let name = linked.name.clone();
                        // Runs at the first step: until then it waits like an application that was answered.
                        self.pending.push(Pending::Event(Box::new(
                            move |cx: &mut Cx<'_>, _: Event| {
                                if cx.state.records.is_some() {
                                    cx.state.applies(&name, &data);
                                }
                                body.run(cx, &data)
                            },
                        )));
                        self.doing = Doing::Application;
                    }
                }
            }
            Start::Text { text, at } => {
                self.state.has_channel = at.is_some();
                if let Some(at) = at {
                    self.state.at = at;
                }
                self.phase = Phase::Running;
                self.purpose = Purpose::Text;
                self.evaluator.start_text(&text);
                self.doing = Doing::Text;
            }
            Start::End { h } => {
                self.end_call(h);
            }
        }
    }

    pub(super) fn end(&mut self, reason: EndReason) {
        self.reason = reason;
        self.doing = Doing::Ended;
        if reason == EndReason::Hangup {
            self.state.shared.forget_channel(&self.state.channel.name);
        }
    }

    /// Finds the line at the present place.
    pub(super) fn lookup(&mut self, image: &Image) -> Option<Effect> {
        if self.reloaded() {
            return None;
        }
        let at = &self.state.at;
        let found = u32::try_from(at.priority)
            .ok()
            .filter(|n| *n > 0)
            .and_then(|n| {
                self.state
                    .find(&at.context, &at.exten, Want::Priority(n))
                    .ok()
            });
        let Some(found) = found else {
            return self.no_line(image);
        };
        self.line = found.priority.0;
        self.steady = found.steady;
        self.doing = Doing::Line;
        None
    }

    /// Whether a newer dialplan can be taken over. What waits for a subroutine stands on the present one.
    pub(super) fn wants_newer(&self) -> bool {
        self.outer.is_empty() && self.state.shared.is_newer(self.state.image.generation)
    }

    /// Takes over a newer dialplan, if there is one. Only between two lines.
    fn reloaded(&mut self) -> bool {
        if !self.wants_newer() {
            return false;
        }
        let Some(image) = self.state.shared.newer(self.state.image.generation) else {
            return false;
        };
        self.state
            .variables
            .rebind(&self.state.image.program.slots, &image.program.slots);
        self.state.globals.forget();
        self.state.image = image;
        self.steady = false;
        true
    }

    /// An application, and all that waited for it, came to an end.
    pub(super) fn finished(&mut self, image: &Image, flow: Flow) -> Option<Effect> {
        if self.state.records.is_some() {
            self.state.applied();
        }
        if std::mem::take(&mut self.state.returned) {
            // Asterisk ends its own subroutines like a call that leaves, at the place they came from.
            let at = self.state.at.clone();
            self.state.note(Note::SpawnExit { at });
            return self.subroutine_done(image, true);
        }
        if let Some(to) = self.state.redirect.take() {
            self.state.at = *to;
            self.state.hungup = self.state.dead;
            self.doing = Doing::Lookup;
            return None;
        }
        if self.phase == Phase::Application && self.outer.is_empty() {
            let left = !matches!(flow, Flow::Next);
            self.end(if left {
                EndReason::Left
            } else {
                EndReason::Returned
            });
            return None;
        }
        let gone =
            self.state.hungup && !self.state.dead || self.in_main_loop() && self.absolute_expired();
        match flow {
            Flow::Next if !gone => {
                self.next_line(image);
                None
            }
            Flow::Jump(to) if !gone => {
                self.state.at = to;
                self.doing = Doing::Lookup;
                None
            }
            Flow::Error if !gone && self.in_main_loop() => self.application_error(image),
            Flow::Incomplete if !gone && self.in_main_loop() => self.incomplete(),
            Flow::Digit(digit) if !gone && self.in_main_loop() => self.collect(vec![digit], 0),
            Flow::Next | Flow::Jump(_) => self.left(image, false),
            _ => self.left(image, true),
        }
    }

    /// Whether the loop of the call itself runs, which alone knows `i`, `t`, `T` and `e`; not `h`, a hangup
    /// handler or a subroutine of the machine.
    fn in_main_loop(&self) -> bool {
        self.phase == Phase::Running && self.outer.is_empty()
    }

    /// The call leaves the dialplan. `spawned`: an application ended it.
    fn left(&mut self, image: &Image, spawned: bool) -> Option<Effect> {
        if spawned {
            let at = self.state.at.clone();
            self.state.note(Note::SpawnExit { at });
        }
        if self.in_main_loop() && !self.state.hungup && self.absolute_expired() {
            return self.absolute_timeout();
        }
        if !self.outer.is_empty() {
            return self.subroutine_done(image, false);
        }
        match self.phase {
            Phase::Subroutine => {
                self.unwind();
                self.end(EndReason::Left);
                None
            }
            Phase::HangupExtension | Phase::Handlers => {
                self.next_handler();
                None
            }
            _ => {
                self.end_call(true);
                None
            }
        }
    }

    /// An application returned an error: `e`, if there is one and the call is not in it.
    fn application_error(&mut self, image: &Image) -> Option<Effect> {
        if self.state.at.exten.as_bytes() != b"e" && self.has(b"e") {
            let at = self.state.at.clone();
            self.state.note(Note::SpawnExit { at });
            self.cx().raise("ERROR");
            self.go(b"e");
            return None;
        }
        self.left(image, true)
    }

    /// Whether an extension exists at priority 1 of the present context.
    pub(super) fn has(&self, exten: &[u8]) -> bool {
        self.state.exists(&self.state.at.context, exten, 1)
    }

    pub(super) fn go(&mut self, exten: &[u8]) {
        self.state.at.exten = Text::from(exten);
        self.state.at.priority = 1;
        self.phase = Phase::Running;
        self.doing = Doing::Lookup;
    }

    /// There is no line at the present place.
    fn no_line(&mut self, image: &Image) -> Option<Effect> {
        if !self.outer.is_empty() {
            return self.subroutine_done(image, false);
        }
        match self.phase {
            Phase::HangupExtension | Phase::Handlers => {
                self.next_handler();
                return None;
            }
            Phase::Subroutine => {
                self.unwind();
                self.end(EndReason::Left);
                return None;
            }
            _ => {}
        }
        let at = self.state.at.clone();
        if !self.state.exists(&at.context, &at.exten, 1) {
            return self.invalid(&at);
        }
        if self.state.image.program.options.autofallthrough {
            return self.fall_through();
        }
        self.collect(Vec::new(), 0)
    }

    /// The call was sent to an extension that does not exist.
    pub(super) fn invalid(&mut self, at: &Location) -> Option<Effect> {
        if self.has(b"i") {
            self.state.note(Note::InvalidExtension { at: at.clone() });
            self.cx().set(b"INVALID_EXTEN", &at.exten);
            self.go(b"i");
            return None;
        }
        if self.has(b"e") {
            self.cx().raise("INVALID");
            self.go(b"e");
            return None;
        }
        self.cx().log(&code::INVALID_EXTENSION_NO_HANDLER, || {
            format!(
                "sent to {}@{}, priority {}, which does not exist, and there is no `i`",
                at.exten, at.context, at.priority
            )
        });
        self.end_call(true);
        None
    }

    /// The end of an extension with autofallthrough: the tone of a failed Dial, then the end.
    fn fall_through(&mut self) -> Option<Effect> {
        let status = match self.cx().stored_variable(b"DIALSTATUS") {
            Some(status) => status.to_text(),
            None => Text::from("UNKNOWN"),
        };
        let tone = match status.to_ascii_uppercase().as_slice() {
            b"BUSY" => Some((Indication::Busy, 17)),
            b"CONGESTION" | b"CHANUNAVAIL" => Some((Indication::Congestion, 34)),
            _ => None,
        };
        self.state.note(Note::AutoFallthrough { status });
        if let Some((indication, cause)) = tone {
            if !self.state.is_up() {
                self.state.channel.cause = cause;
            }
            self.phase = Phase::Tone;
            self.doing = Doing::Loop;
            return Some(Effect::Indicate(indication));
        }
        self.end_call(true);
        None
    }

    // The absolute time-out.

    pub(super) fn absolute_expired(&self) -> bool {
        !self.state.dead
            && self
                .state
                .channel
                .timeouts
                .absolute
                .is_some_and(|deadline| self.state.environment.now() >= deadline)
    }

    /// `T` at priority 1, else `e`, else the end of the call.
    pub(super) fn absolute_timeout(&mut self) -> Option<Effect> {
        self.state.channel.timeouts.absolute = None;
        if self.has(b"T") {
            self.go(b"T");
        } else if self.has(b"e") {
            self.cx().raise("ABSOLUTETIMEOUT");
            self.go(b"e");
        } else {
            self.end_call(true);
        }
        None
    }

    /// Hands an effect to the host, or answers it at once where nothing can wait any more.
    pub(super) fn emit(&mut self, effect: Effect) -> Result<Effect, Event> {
        let waits = matches!(
            effect,
            Effect::Answer
                | Effect::Sleep(_)
                | Effect::Play(_)
                | Effect::Collect { .. }
                | Effect::Record(_)
                | Effect::Dial(_)
        );
        if waits && self.state.hungup {
            return Err(Event::Hangup(self.state.channel.cause));
        }
        if matches!(effect, Effect::Dial(_)) {
            self.state.dial_begins();
        }
        let Some(deadline) = self.state.channel.timeouts.absolute else {
            return Ok(effect);
        };
        let left = deadline.saturating_sub(self.state.environment.now());
        let effect = match effect {
            Effect::Sleep(time) if time > left => {
                self.shortened = true;
                Effect::Sleep(left)
            }
            Effect::Collect { timeout } if timeout.is_none_or(|t| t > left) => {
                self.shortened = true;
                Effect::Collect {
                    timeout: Some(left),
                }
            }
            other => other,
        };
        Ok(effect)
    }

    /// Takes note of what an event says about the channel.
    pub(super) fn arrived(&mut self, event: Event) -> Event {
        let shortened = std::mem::take(&mut self.shortened);
        match event {
            Event::Hangup(cause) => {
                if cause != 0 {
                    self.state.channel.cause = cause;
                }
                self.state.hungup = true;
                event
            }
            Event::Dialed(dialed) => {
                self.state.dialled(&dialed);
                Event::Dialed(dialed)
            }
            // The wait was cut by the absolute time-out: for the application the channel is gone.
            Event::Done | Event::Timeout if shortened && self.absolute_expired() => {
                Event::Hangup(0)
            }
            other => other,
        }
    }

    // The end.

    /// The channel is gone: `h` of the present context, then the hangup handlers.
    pub(super) fn end_call(&mut self, h: bool) {
        self.state.hungup = true;
        self.state.dead = true;
        self.state.hangs_up();
        self.unwind();
        if h && self.has(b"h") {
            self.state.at.exten = Text::from("h");
            self.state.at.priority = 1;
            self.phase = Phase::HangupExtension;
            self.doing = Doing::Lookup;
        } else {
            self.next_handler();
        }
    }

    pub(super) fn next_handler(&mut self) {
        self.phase = Phase::Handlers;
        self.unwind();
        while !self.state.channel.hangup_handlers.is_empty()
            && let Some(handler) = self.state.channel.hangup_handlers.pop()
        {
            if self.push_subroutine(&handler) {
                return;
            }
        }
        self.end(EndReason::Hangup);
    }
}
