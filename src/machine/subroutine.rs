//! Subroutines that the machine itself starts: hangup handlers, EVAL_SUB(), those of Dial.

use crate::base::Text;
use crate::diagnostic::code;
use crate::machine::call::{Call, Doing, EndReason, Outer, Pending};
use crate::machine::image::Image;
use crate::machine::pbx::Phase;
use crate::machine::stack::gosub_arguments;
use crate::machine::{Cx, Effect, Flow};

impl Call {
    /// Drops frames that an internal subroutine left behind.
    pub(super) fn unwind(&mut self) {
        while self.state.stack.iter().any(|f| f.internal) {
            if let Some(frame) = self.cx().pop_frame()
                && frame.internal
            {
                self.state.at = frame.back;
            }
        }
    }

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
            application: self
                .state
                .records
                .as_ref()
                .map(|records| (records.app.clone(), records.data.clone())),
        };
        self.outer.push(outer);
        self.state.internal += 1;
        if self.push_subroutine(target) {
            return None;
        }
        // Nothing runs: whoever waits goes on without a value.
        self.cx().set(b"GOSUB_RETVAL", b"");
        self.subroutine_over(image, Flow::Leave)
    }

    /// Pushes a frame for a subroutine and goes there. False when the place does not exist.
    pub(super) fn push_subroutine(&mut self, target: &[u8]) -> bool {
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
    pub(super) fn subroutine_over(&mut self, image: &Image, flow: Flow) -> Option<Effect> {
        let outer = self.outer.pop()?;
        self.state.internal = self.state.internal.saturating_sub(1);
        let value = self.cx().text_of(b"GOSUB_RETVAL");
        self.evaluator = outer.evaluator;
        self.purpose = outer.purpose;
        self.pending = outer.pending;
        self.state.at = outer.at;
        self.line = outer.line;
        self.steady = outer.steady;
        if let Some((name, data)) = outer.application {
            self.state.goes_on(name, data);
        }
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
