//! Wait, `WaitUntil`, `WaitDigit`, `WaitForCondition`.

use std::time::Duration;

use crate::base::{Text, arguments};
use crate::base::condition::is_true;
use crate::base::duration::{self, leading_number, seconds};
use crate::diagnostic::code;
use crate::library::{Application, Support};
use crate::machine::{Cx, Effect, Event, Flow, WATCH};

/// Wait.
pub static WAIT: Application = Application::new(
    "Wait",
    "Waits for some time.",
    "time",
    "Waits: a number with fraction and perhaps a unit (`h`, `m`, `s`, `ms`; seconds without one). What is not \
     understood or negative does not wait.",
    run,
)
.support(Support::Simulated);

/// Wait until a time.
pub static WAIT_UNTIL: Application = Application::new(
    "WaitUntil",
    "Wait (sleep) until the given epoch.",
    "epoch",
    "Waits until that second since 1970. WAITUNTILSTATUS is OK, PAST, FAILURE or HANGUP.",
    run_until,
)
.support(Support::Simulated);

/// Wait for a digit.
pub static WAIT_DIGIT: Application = Application::new(
    "WaitDigit",
    "Waits for a digit to be entered.",
    "[time[,digits]]",
    "Waits for one digit, or for one of `digits`; others are ignored. WAITDIGITSTATUS is DTMF, TIMEOUT, ERROR or \
     CANCEL, WAITDIGITRESULT the digit.",
    run_digit,
)
.support(Support::Simulated);

/// Wait until something is true.
pub static WAIT_FOR_CONDITION: Application = Application::new(
    "WaitForCondition",
    "Wait until condition is true.",
    "replacementchar,expression[,timeout[,interval]]",
    "Evaluates the expression, with the character replaced by `$`, again and again until it is true. \
     WAITFORCONDITIONSTATUS is TRUE, TIMEOUT, FAILURE or HANGUP.",
    run_condition,
)
.support(Support::Simulated);

fn run(_: &mut Cx<'_>, data: &[u8]) -> Flow {
    match duration::parse(data) {
        Some(time) if !time.is_zero() => Flow::wait(Effect::Sleep(time)),
        _ => Flow::Next,
    }
}

fn run_until(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    let Some((epoch, _)) = leading_number(data) else {
        cx.log(&code::ARGUMENT_MISSING, || {
            "WaitUntil needs a time".to_owned()
        });
        cx.set(b"WAITUNTILSTATUS", b"FAILURE");
        return Flow::Next;
    };
    let left = epoch - cx.now().as_secs_f64();
    if left < 0.0 {
        cx.set(b"WAITUNTILSTATUS", b"PAST");
        return Flow::Next;
    }
    let time = seconds(left).unwrap_or_default();
    Flow::wait_then(Effect::Sleep(time), |cx, event| {
        if let Event::Hangup(_) = event {
            cx.set(b"WAITUNTILSTATUS", b"HANGUP");
            return Flow::Leave;
        }
        cx.set(b"WAITUNTILSTATUS", b"OK");
        Flow::Next
    })
}

fn run_digit(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    let mut fields = arguments::standard(data, 2).into_iter();
    cx.set(b"WAITDIGITRESULT", b"");
    let deadline = match fields.next() {
        Some(text) if !text.is_empty() => {
            let Some(time) = duration::parse(&text) else {
                cx.log(&code::WAIT_TIME_INVALID, || {
                    "WaitDigit needs a time".to_owned()
                });
                cx.set(b"WAITDIGITSTATUS", b"ERROR");
                return Flow::Next;
            };
            Some(cx.now().saturating_add(time))
        }
        _ => None,
    };
    wait_digit(cx, deadline, fields.next().unwrap_or_default())
}

/// Waits for a digit of `wanted` (empty: any) until a time.
fn wait_digit(cx: &mut Cx<'_>, deadline: Option<Duration>, wanted: Vec<u8>) -> Flow {
    let timeout = deadline.map(|at| at.saturating_sub(cx.now()));
    Flow::wait_then(
        Effect::Collect { timeout },
        move |cx, event| match event {
            Event::Digit(digit) if wanted.is_empty() || wanted.contains(&digit) => {
                cx.set(b"WAITDIGITSTATUS", b"DTMF");
                cx.set(b"WAITDIGITRESULT", &[digit]);
                Flow::Next
            }
            Event::Digit(_) => wait_digit(cx, deadline, wanted),
            Event::Hangup(_) => {
                cx.set(b"WAITDIGITSTATUS", b"CANCEL");
                Flow::Leave
            }
            _ => {
                cx.set(b"WAITDIGITSTATUS", b"TIMEOUT");
                Flow::Next
            }
        },
    )
}

/// Time between two evaluations unless another one is given.
const INTERVAL: Duration = Duration::from_millis(50);

fn run_condition(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    let fields = arguments::standard(data, 4);
    let time = |n: usize| {
        fields
            .get(n)
            .and_then(|text| leading_number(text))
            .and_then(|(number, _)| seconds(number))
            .filter(|time| !time.is_zero())
    };
    let (Some([mark]), Some(text)) = (fields.first().map(Vec::as_slice), fields.get(1)) else {
        return condition_ends(cx, b"FAILURE");
    };
    if !text.contains(mark) {
        return condition_ends(cx, b"FAILURE");
    }
    let text = text
        .iter()
        .map(|b| if b == mark { b'$' } else { *b })
        .collect();
    let until = time(2).map(|time| cx.now().saturating_add(time));
    let watch = Watch::new(until, time(3).unwrap_or(INTERVAL));
    evaluate(text, watch, Woken::Look)
}

fn evaluate(text: Vec<u8>, watch: Watch, woken: Woken) -> Flow {
    Flow::Substitute(
        text.clone(),
        Box::new(move |cx, value| {
            if is_true(&value) {
                return condition_ends(cx, b"TRUE");
            }
            if woken == Woken::Over {
                return condition_ends(cx, b"TIMEOUT");
            }
            watch.pause(cx, |cx, watch, woken| {
                if woken == Woken::Hangup {
                    condition_ends(cx, b"HANGUP");
                    return Flow::Leave;
                }
                evaluate(text, watch, woken)
            })
        }),
    )
}

fn condition_ends(cx: &mut Cx<'_>, status: &[u8]) -> Flow {
    cx.set(b"WAITFORCONDITIONSTATUS", status);
    Flow::Next
}

/// Waits for what only others can change.
#[derive(Debug, Clone, Copy)]
pub(super) struct Watch {
    until: Option<Duration>,
    interval: Duration,
    /// Whether the host tells when to look.
    told: bool,
}

/// Why a wait for others is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Woken {
    /// There may be something new.
    Look,
    /// This is the last look.
    Over,
    /// The channel is gone.
    Hangup,
}

impl Watch {
    /// Until a time since the epoch; a host that does not tell when to look is not waited for longer than an interval.
    pub(super) fn new(until: Option<Duration>, interval: Duration) -> Self {
        Self {
            until,
            interval,
            told: true,
        }
    }

    /// Waits for the next look.
    pub(super) fn pause(
        mut self,
        cx: &mut Cx<'_>,
        then: impl FnOnce(&mut Cx<'_>, Self, Woken) -> Flow + Send + 'static,
    ) -> Flow {
        if !self.told || cx.is_hungup() {
            return self.sleep(cx, then);
        }
        let until = self.until.map(|until| until.as_nanos().to_string());
        let effect = Effect::Custom {
            name: Text::from(WATCH),
            data: Text::from(until.unwrap_or_default().as_str()),
        };
        Flow::wait_then(effect, move |cx, event| match event {
            Event::Hangup(_) => then(cx, self, Woken::Hangup),
            Event::Resume => then(cx, self, Woken::Look),
            Event::Timeout => then(cx, self, Woken::Over),
            _ => {
                self.told = false;
                self.sleep(cx, then)
            }
        })
    }

    fn sleep(
        self,
        cx: &mut Cx<'_>,
        then: impl FnOnce(&mut Cx<'_>, Self, Woken) -> Flow + Send + 'static,
    ) -> Flow {
        let left = self.until.map(|until| until.saturating_sub(cx.now()));
        let time = left.map_or(self.interval, |left| left.min(self.interval));
        Flow::wait_then(Effect::Sleep(time), move |cx, event| {
            let woken = match event {
                Event::Hangup(_) => Woken::Hangup,
                _ if self.until.is_some_and(|until| cx.now() >= until) => Woken::Over,
                _ => Woken::Look,
            };
            then(cx, self, woken)
        })
    }
}
