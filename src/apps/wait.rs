//! Wait, `WaitUntil`, `WaitDigit`, `WaitForCondition`.

use std::time::Duration;

use crate::base::arguments;
use crate::base::condition::is_true;
use crate::base::duration::{self, leading_number, seconds};
use crate::diagnostic::code;
use crate::library::{Application, Support};
use crate::machine::{Cx, Effect, Event, Flow};

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

/// What `WaitForCondition` evaluates, and until when.
#[derive(Clone)]
struct Condition {
    text: Vec<u8>,
    deadline: Option<Duration>,
    interval: Duration,
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
    let condition = Condition {
        text: text
            .iter()
            .map(|b| if b == mark { b'$' } else { *b })
            .collect(),
        deadline: time(2).map(|time| cx.now().saturating_add(time)),
        interval: time(3).unwrap_or(INTERVAL),
    };
    evaluate(condition)
}

fn evaluate(condition: Condition) -> Flow {
    let text = condition.text.clone();
    Flow::Substitute(
        text,
        Box::new(move |cx, value| {
            if is_true(&value) {
                return condition_ends(cx, b"TRUE");
            }
            let now = cx.now();
            if condition.deadline.is_some_and(|deadline| now >= deadline) {
                return condition_ends(cx, b"TIMEOUT");
            }
            Flow::wait_then(Effect::Sleep(condition.interval), move |cx, event| {
                if let Event::Hangup(_) = event {
                    condition_ends(cx, b"HANGUP");
                    return Flow::Leave;
                }
                evaluate(condition)
            })
        }),
    )
}

fn condition_ends(cx: &mut Cx<'_>, status: &[u8]) -> Flow {
    cx.set(b"WAITFORCONDITIONSTATUS", status);
    Flow::Next
}
