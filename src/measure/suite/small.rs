//! The smallest steps: a round of step, effect and event; an expression.

use std::fmt::Write as _;

use crate::measure::calls::{WAITING, WAITING_AT, Waiting};
use crate::measure::dialplans::engine;
use crate::measure::pips::{Load, Place, run};

use super::{Options, Row, Side, Unit, side_by_side};

const LINES: u32 = 1_000;
const EXPRESSION: &str = "$[${i} * 3 - 7 > 12]";

/// Where the call of [`lines_of`] begins.
pub const LINES_AT: Place<'static> = Place {
    context: "a",
    exten: "1",
};

/// A dialplan of nothing but one text, 1,000 times, as the value of a variable; `i` is 41, `name` is alice.
pub fn lines_of(text: &str) -> String {
    let mut plan = "[a]\nexten => 1,1,Set(i=41)\n same => n,Set(name=alice)\n".to_owned();
    for _ in 0..LINES {
        let _ = writeln!(plan, " same => n,Set(r={text})");
    }
    plan
}

pub(super) fn rows(options: &Options<'_>) -> Vec<Row> {
    let mut rows = Vec::new();
    let waiting = engine(WAITING);
    let mut calls = waiting
        .as_ref()
        .map(|engine| Waiting::new(engine, &WAITING_AT, 100))
        .map_err(Clone::clone);
    let rounds = options.size(10_000) as usize;
    rows.push(side_by_side(
        options,
        "step, effect and event of 100 calls in turn (3 priorities)",
        Unit::Nanoseconds,
        Some(200.0),
        || match &mut calls {
            Ok(calls) => Ok(calls.round_trip(rounds) * 1e9),
            Err(reason) => Err(reason.clone()),
        },
        Vec::new(),
    ));

    let expressions = engine(&lines_of(EXPRESSION));
    let times = options.size(1_000);
    let each = |load, times| {
        let engine = expressions.as_ref().map_err(Clone::clone)?;
        let seconds: f64 = (0..times)
            .map(|_| run(engine, &LINES_AT, load, None).seconds)
            .sum();
        Ok(seconds * 1e9 / f64::from(times) / f64::from(LINES))
    };
    rows.push(side_by_side(
        options,
        format!("one line Set(r={EXPRESSION})"),
        Unit::Nanoseconds,
        None,
        || each(Load::ONE, times),
        vec![Side::new("substitute and parse each time (ours)", || {
            each(Load::TEXTUAL, times / 10)
        })],
    ));
    rows
}
