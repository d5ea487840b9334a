//! Digits of a new extension, collected by the PBX loop itself.

use std::time::Duration;

use crate::base::Text;
use crate::diagnostic::code;
use crate::machine::call::{Call, Doing};
use crate::machine::pbx::{Collected, Phase};
use crate::machine::{Effect, Event, Note};

/// How long busy and congestion tones last when an extension ends after a failed Dial.
const TONE: Duration = Duration::from_secs(10);

/// Most digits that are collected for one extension.
const LONGEST_NUMBER: usize = 255;

impl Call {
    /// More digits are wanted for the present extension. Where none can follow it is invalid.
    pub(super) fn incomplete(&mut self) -> Option<Effect> {
        let at = self.state.at.clone();
        if !self.state.match_more(&at.context, &at.exten) {
            return self.invalid(&at);
        }
        let digits = at.exten.to_vec();
        let given = digits.len();
        self.collect(digits, given)
    }

    /// Collects digits of a new extension as long as a longer one could match; the first `given` digits were
    /// there before anybody waited.
    pub(super) fn collect(&mut self, digits: Vec<u8>, given: usize) -> Option<Effect> {
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
        self.phase = Phase::Collect(Box::new(Collected { digits, given }));
        self.doing = Doing::Loop;
        Some(Effect::Collect {
            timeout: Some(timeout),
        })
    }

    /// No more digits come: their extension, else `i` or `e`.
    pub(super) fn collected(&mut self, digits: &[u8], given: usize) -> Option<Effect> {
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
    pub(super) fn timed_out(&mut self) -> Option<Effect> {
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
            (Phase::Collect(mut collected), Event::Digit(digit)) => {
                collected.digits.push(digit);
                self.collect(collected.digits, collected.given)
            }
            (Phase::Collect(collected), Event::Timeout | Event::Done) => {
                self.collected(&collected.digits, collected.given)
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
}
