//! What happens around the priorities of a call, as Asterisk's PBX loop does it: the next line, digits of a
//! new extension, the special extensions `i`, `t`, `T`, `e` and `h`, the end of an extension, hangup handlers,
//! and subroutines that the machine itself starts.

use std::time::Duration;

use crate::base::Text;
use crate::diagnostic::code;
use crate::machine::call::{Call, Doing, EndReason, Outer, Pending, Purpose, Start};
use crate::machine::image::Image;
use crate::machine::stack::gosub_arguments;
use crate::machine::{Cx, Effect, Event, Flow, Indication, Location, Note};
use crate::program::matcher::Want;

/// How long busy and congestion tones last when an extension ends after a failed Dial.
const TONE: Duration = Duration::from_secs(10);

/// Most digits that are collected for one extension.
const LONGEST_NUMBER: usize = 255;

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
    /// The loop waits for digits: those collected so far, and how many of them were there when waiting began.
    Collect { digits: Vec<u8>, given: usize },
    /// The loop shows a tone before the call ends.
    Tone,
    /// The tone sounds.
    ToneEnds,
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
                        // Runs at the first step: until then it waits like an application that was answered.
                        self.pending.push(Pending::Event(Box::new(
                            move |cx: &mut Cx<'_>, _: Event| body.run(cx, &data),
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

    fn end(&mut self, reason: EndReason) {
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

    /// Takes over a newer dialplan, if there is one. Only between two lines.
    fn reloaded(&mut self) -> bool {
        let Some(image) = self.state.shared.newer(self.state.image.generation) else {
            return false;
        };
        self.state
            .variables
            .rebind(&self.state.image.program.slots, &image.program.slots);
        self.state.image = image;
        self.steady = false;
        true
    }

    /// An application, and all that waited for it, came to an end.
    pub(super) fn finished(&mut self, image: &Image, flow: Flow) -> Option<Effect> {
        if std::mem::take(&mut self.state.returned) {
            // Asterisk ends its own subroutines like a call that leaves, at the place they came from.
            let at = self.state.at.clone();
            self.state.note(Note::SpawnExit { at });
            return self.subroutine_done(image, true);
        }
        if let Some(to) = self.state.redirect.take() {
            self.state.at = to;
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

    /// More digits are wanted for the present extension. Where none can follow it is invalid.
    fn incomplete(&mut self) -> Option<Effect> {
        let at = self.state.at.clone();
        if !self.state.match_more(&at.context, &at.exten) {
            return self.invalid(&at);
        }
        let digits = at.exten.to_vec();
        let given = digits.len();
        self.collect(digits, given)
    }

    /// Whether an extension exists at priority 1 of the present context.
    fn has(&self, exten: &[u8]) -> bool {
        self.state.exists(&self.state.at.context, exten, 1)
    }

    fn go(&mut self, exten: &[u8]) {
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
    fn invalid(&mut self, at: &Location) -> Option<Effect> {
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

    /// Collects digits of a new extension as long as a longer one could match; the first `given` digits were
    /// there before anybody waited.
    fn collect(&mut self, digits: Vec<u8>, given: usize) -> Option<Effect> {
        let first = digits.is_empty();
        let more = first || self.state.match_more(&self.state.at.context, &digits);
        if !more || digits.len() >= LONGEST_NUMBER {
            return self.collected(&digits, given);
        }
        let timeouts = &self.state.channel.timeouts;
        let timeout = if first {
            timeouts.response
        } else {
            timeouts.digit
        };
        self.phase = Phase::Collect { digits, given };
        self.doing = Doing::Loop;
        Some(Effect::Collect {
            timeout: Some(timeout),
        })
    }

    /// No more digits come: their extension, else `i` or `e`.
    fn collected(&mut self, digits: &[u8], given: usize) -> Option<Effect> {
        self.phase = Phase::Running;
        if digits.len() == given {
            return self.timed_out();
        }
        let context = self.state.at.context.clone();
        if self.state.exists(&context, digits, 1) {
            self.state.at.exten = crate::machine::cx::cut_name(digits);
            self.state.at.priority = 1;
            self.doing = Doing::Lookup;
            return None;
        }
        if self.has(b"i") {
            self.cx().set(b"INVALID_EXTEN", digits);
            self.go(b"i");
            return None;
        }
        if self.has(b"e") {
            self.cx().raise("INVALID");
            self.go(b"e");
            return None;
        }
        let digits = Text::from(digits);
        self.cx()
            .log(&code::TYPED_EXTENSION_INVALID_NO_HANDLER, || {
                format!("`{digits}` matches nothing in {context}, and there is no `i`")
            });
        self.end_call(true);
        None
    }

    /// No digit came.
    fn timed_out(&mut self) -> Option<Effect> {
        if self.has(b"t") {
            self.state.note(Note::Timeout);
            self.go(b"t");
        } else if self.has(b"e") {
            self.cx().raise("RESPONSETIMEOUT");
            self.go(b"e");
        } else {
            let context = self.state.at.context.clone();
            self.cx().log(&code::TIMEOUT_NO_HANDLER, || {
                format!("no digit came, and there is no `t` in {context}")
            });
            self.end_call(true);
        }
        None
    }

    /// An event for the loop itself.
    pub(super) fn loop_event(&mut self, event: Event) -> Option<Effect> {
        let phase = std::mem::replace(&mut self.phase, Phase::Running);
        match (phase, event) {
            (Phase::Collect { mut digits, given }, Event::Digit(digit)) => {
                digits.push(digit);
                self.collect(digits, given)
            }
            (Phase::Collect { digits, given }, Event::Timeout | Event::Done) => {
                self.collected(&digits, given)
            }
            (Phase::Tone, event) if !matches!(event, Event::Hangup(_)) => {
                self.phase = Phase::ToneEnds;
                self.doing = Doing::Loop;
                Some(Effect::Sleep(TONE))
            }
            // A hang-up while the loop itself waits ends the call; also the absolute time-out does.
            _ => {
                self.end_call(true);
                None
            }
        }
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

    fn next_handler(&mut self) {
        self.phase = Phase::Handlers;
        self.unwind();
        while let Some(handler) = self.state.channel.hangup_handlers.pop() {
            if self.push_subroutine(&handler) {
                return;
            }
        }
        self.end(EndReason::Hangup);
    }

    /// Drops frames that an internal subroutine left behind.
    fn unwind(&mut self) {
        while self.state.stack.iter().any(|f| f.internal) {
            if let Some(frame) = self.cx().pop_frame()
                && frame.internal
            {
                self.state.at = frame.back;
            }
        }
    }

    // Subroutines that the machine itself starts.

    /// Saves what is in progress and starts a subroutine.
    pub(super) fn enter_subroutine(
        &mut self,
        image: &Image,
        target: &[u8],
        evaluating: bool,
    ) -> Option<Effect> {
        let outer = Outer {
            evaluator: std::mem::take(&mut self.evaluator),
            purpose: self.purpose,
            pending: std::mem::take(&mut self.pending),
            at: self.state.at.clone(),
            line: self.line,
            steady: self.steady,
            evaluating,
        };
        self.outer.push(outer);
        if self.push_subroutine(target) {
            return None;
        }
        // Nothing runs: whoever waits goes on without a value.
        self.cx().set(b"GOSUB_RETVAL", b"");
        self.subroutine_over(image, Flow::Leave)
    }

    /// Pushes a frame for a subroutine and goes there. False when the place does not exist.
    fn push_subroutine(&mut self, target: &[u8]) -> bool {
        let (place, arguments) = gosub_arguments(target);
        let back = self.state.at.clone();
        let mut cx = self.cx();
        let Ok(to) = cx.parse_target(place) else {
            let target = Text::from(target);
            cx.log(&code::GOSUB_TARGET_INVALID, || {
                format!("`{target}` is no place for a subroutine")
            });
            return false;
        };
        if !cx.exists(&to.context, &to.exten, to.priority) {
            cx.log(&code::GOSUB_TARGET_MISSING, || {
                format!(
                    "no priority {} of {}@{} for a subroutine",
                    to.priority, to.exten, to.context
                )
            });
            return false;
        }
        if !cx.push_frame(back, arguments, true) {
            return false;
        }
        self.state.at = to;
        self.steady = false;
        self.doing = Doing::Lookup;
        true
    }

    /// A subroutine of the machine came to its end: by Return, or otherwise.
    pub(super) fn subroutine_done(&mut self, image: &Image, returned: bool) -> Option<Effect> {
        if self.outer.is_empty() {
            match self.phase {
                Phase::Handlers => self.next_handler(),
                _ => self.end(EndReason::Returned),
            }
            return None;
        }
        if !returned {
            while let Some(frame) = self.cx().pop_frame() {
                if frame.internal {
                    break;
                }
            }
            self.cx().set(b"GOSUB_RETVAL", b"");
            self.cx().log(&code::GOSUB_ABNORMAL_EXIT, || {
                code::GOSUB_ABNORMAL_EXIT.title.to_owned()
            });
        }
        let flow = if returned { Flow::Next } else { Flow::Leave };
        self.subroutine_over(image, flow)
    }

    /// Whoever waits for the innermost subroutine goes on.
    fn subroutine_over(&mut self, image: &Image, flow: Flow) -> Option<Effect> {
        let outer = self.outer.pop()?;
        let value = self.cx().text_of(b"GOSUB_RETVAL");
        self.evaluator = outer.evaluator;
        self.purpose = outer.purpose;
        self.pending = outer.pending;
        self.state.at = outer.at;
        self.line = outer.line;
        self.steady = outer.steady;
        if outer.evaluating {
            let mut cx = Cx {
                state: &mut self.state,
            };
            let status = self.evaluator.resume_subroutine(image, &mut cx, &value);
            return self.evaluated(image, status);
        }
        let flow = match self.pending.pop() {
            Some(Pending::Flow(then)) => then(&mut self.cx(), flow),
            _ => Flow::Leave,
        };
        self.flow(image, flow)
    }
}
