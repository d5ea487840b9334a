//! Whole calls: the 2007 loop, the mixed loop, the office.

use std::path::Path;

use crate::host::Engine;
use crate::machine::Limits;
use crate::measure::baseline::{self, NAIVE_PRIORITIES};
use crate::measure::calls::scaling;
use crate::measure::dialplans::{Loop, MIX, MURF, OFFICE, QUANTUM, unlimited};
use crate::measure::pips::{Load, Place, run};

use super::{Options, Row, Side, Unit, asterisk, programs, rounds_per_second, side_by_side};

/// Priorities a round of the 2007 loop, and of the mixed one.
const MURF_ROUND: f64 = 4.0;
const MIX_ROUND: f64 = 10.0;

fn pips(engine: &Result<Engine, String>, place: &Place<'_>, load: Load) -> Result<f64, String> {
    let engine = engine.as_ref().map_err(Clone::clone)?;
    Ok(run(engine, place, load, None).pips())
}

/// Our own textual evaluator on one call, which scans, lexes and parses each text at each priority.
fn naive(plan: Loop, rounds: u32) -> Side<'static> {
    let limits = Limits {
        max_priorities: NAIVE_PRIORITIES,
        ..Limits::default()
    };
    let engine = plan.engine(rounds, limits);
    Side::new("substitute and parse each time (ours)", move || {
        pips(&engine, &plan.place, Load::TEXTUAL)
    })
}

/// A program whose loop is timed, with at least so many rounds of so many priorities.
fn timed<'a>(
    name: &'static str,
    each: f64,
    mut rounds: u32,
    seconds: impl Fn(u32) -> Result<f64, String> + 'a,
) -> Side<'a> {
    Side::new(name, move || {
        Ok(rounds_per_second(&mut rounds, &seconds)? * each)
    })
}

fn lua(
    name: &'static str,
    program: &'static str,
    text: &'static str,
    rounds: u32,
    each: f64,
) -> Side<'static> {
    timed(name, each, rounds, move |rounds| {
        programs::lua(program, text, rounds)
    })
}

pub(super) fn rows(options: &Options<'_>, folder: &Path) -> Vec<Row> {
    let whole = unlimited(Limits::default().fuel);
    let sliced = unlimited(QUANTUM);
    let (rounds, few) = (options.size(10_000_000), options.size(1_000_000));
    let mut rows = Vec::new();

    let one = MURF.engine(rounds, whole);
    let mut sides = vec![
        Side::new("native Rust loop", || Ok(baseline::native().pips())),
        naive(MURF, few),
        lua(
            "lua5.4, locals",
            "lua5.4",
            programs::LOCALS,
            rounds,
            MURF_ROUND,
        )
        .at_least(1.4),
        lua(
            "lua5.4, table",
            "lua5.4",
            programs::TABLES,
            rounds,
            MURF_ROUND,
        ),
        lua(
            "lua5.4, strings",
            "lua5.4",
            programs::STRINGS,
            few,
            MURF_ROUND,
        )
        .at_least(25.0),
        lua(
            "luajit, locals",
            "luajit",
            programs::LOCALS,
            rounds,
            MURF_ROUND,
        ),
        lua(
            "luajit, table",
            "luajit",
            programs::TABLES,
            rounds,
            MURF_ROUND,
        ),
        lua(
            "luajit, strings",
            "luajit",
            programs::STRINGS,
            few,
            MURF_ROUND,
        ),
        timed("kamailio route", MURF_ROUND, few, |rounds| {
            programs::kamailio(folder, rounds)
        }),
    ];
    sides.extend(asterisk::sides(
        options,
        folder,
        &asterisk::COUNTING,
        [Some(900.0), Some(390.0)],
    ));
    rows.push(side_by_side(
        options,
        "murf-81.conf, numbers, one call",
        Unit::PerSecond,
        None,
        || pips(&one, &MURF.place, Load::ONE),
        sides,
    ));

    let many = MURF.engine(rounds / 1000, sliced);
    rows.push(side_by_side(
        options,
        "murf-81.conf, 1,000 calls in turn on one thread",
        Unit::PerSecond,
        None,
        || {
            let load = Load {
                calls: 1000,
                ..Load::ONE
            };
            pips(&many, &MURF.place, load)
        },
        vec![Side::new("one call", || pips(&one, &MURF.place, Load::ONE))],
    ));

    rows.push(side_by_side(
        options,
        "murf-81.conf, two threads by one, a call each",
        Unit::Times,
        Some(1.9),
        || {
            let engine = one.as_ref().map_err(Clone::clone)?;
            let (one, two) = scaling(engine, &MURF.place, 2);
            Ok(two.pips() / one.pips())
        },
        Vec::new(),
    ));

    let mixed = MIX.engine(few, whole);
    let mut sides = vec![
        naive(MIX, few),
        lua("lua5.4", "lua5.4", programs::MIX, few, MIX_ROUND),
        lua("luajit", "luajit", programs::MIX, few, MIX_ROUND),
    ];
    sides.extend(asterisk::sides(
        options,
        folder,
        &asterisk::MIXED,
        [Some(100.0), None],
    ));
    rows.push(side_by_side(
        options,
        "mix.conf, string work, one call",
        Unit::PerSecond,
        Some(45e6),
        || pips(&mixed, &MIX.place, Load::ONE),
        sides,
    ));

    let round = few / 10;
    let office = OFFICE.engine(round, whole);
    rows.push(side_by_side(
        options,
        "office.conf, menus, Gosub, routes, one call",
        Unit::PerSecond,
        None,
        || pips(&office, &OFFICE.place, Load::ONE),
        vec![naive(OFFICE, round)],
    ));
    rows
}
