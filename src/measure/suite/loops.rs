//! Whole calls: the 2007 loop, the mixed loop, the office.

use std::path::Path;

use crate::host::Engine;
use crate::host::rewrite::set_value;
use crate::machine::Limits;
use crate::measure::baseline::{self, NAIVE_PRIORITIES};
use crate::measure::calls::scaling;
use crate::measure::pips::{Load, Place, run};
use crate::syntax::load::MemoryReader;

use super::{Options, Row, Side, Unit, asterisk, programs, side_by_side};

pub(super) const MURF: &str = include_str!("../../../dialplans/murf-81.conf");
pub(super) const MIX: &str = include_str!("../../../dialplans/mix.conf");
const OFFICE: &str = include_str!("../../../dialplans/office.conf");

const MURF_AT: Place<'static> = Place {
    context: "extension",
    exten: "81",
};
const MIX_AT: Place<'static> = Place {
    context: "extension",
    exten: "812125551",
};
const OFFICE_AT: Place<'static> = Place {
    context: "office",
    exten: "100",
};

/// Priorities that each of many calls runs before the next one has its turn.
const QUANTUM: u32 = 64;

/// Priorities a round of the 2007 loop, and of the mixed one.
const MURF_ROUND: f64 = 4.0;
const MIX_ROUND: f64 = 10.0;

/// An engine with a dialplan whose loop is set to so many rounds.
pub(super) fn engine(
    text: &str,
    place: &Place<'_>,
    set: Option<(&str, u32)>,
    limits: Limits,
) -> Result<Engine, String> {
    let engine = Engine::builder().limits(limits).build();
    let mut reader = MemoryReader::new().with("extensions.conf", text);
    let (plan, report) = engine.read_plan("extensions.conf", &mut reader);
    let mut plan = plan.ok_or_else(|| report.to_string())?;
    if let Some((name, value)) = set {
        set_value(
            &mut plan,
            place.context,
            place.exten,
            name,
            &value.to_string(),
        );
    }
    engine.swap(&plan, &report);
    Ok(engine)
}

pub(super) fn limits(fuel: u32, max_priorities: u64) -> Limits {
    Limits {
        max_priorities,
        fuel,
        ..Limits::default()
    }
}

fn pips(engine: &Result<Engine, String>, place: &Place<'_>, load: Load) -> Result<f64, String> {
    let engine = engine.as_ref().map_err(Clone::clone)?;
    Ok(run(engine, place, load, None).pips())
}

/// Our own textual evaluator on one call, which scans, lexes and parses each text at each priority.
fn naive<'a>(text: &'a str, place: &'a Place<'a>, set: Option<(&str, u32)>) -> Side<'a> {
    let engine = engine(
        text,
        place,
        set,
        limits(Limits::default().fuel, NAIVE_PRIORITIES),
    );
    let load = Load {
        textual: true,
        ..Load::ONE
    };
    Side::new("substitute and parse each time (ours)", move || {
        pips(&engine, place, load)
    })
}

fn lua<'a>(
    name: &'static str,
    program: &'static str,
    text: &'static str,
    rounds: u32,
    each: f64,
) -> Side<'a> {
    Side::new(name, move || {
        Ok(f64::from(rounds) * each / programs::lua(program, text, rounds)?)
    })
}

pub(super) fn rows(options: &Options<'_>, folder: &Path) -> Vec<Row> {
    let whole = limits(Limits::default().fuel, u64::MAX);
    let sliced = limits(QUANTUM, u64::MAX);
    let (rounds, few) = (options.size(10_000_000), options.size(1_000_000));
    let mut rows = Vec::new();

    let one = engine(MURF, &MURF_AT, Some(("iterations", rounds)), whole);
    let kamailio =
        move |rounds: u32| Ok(f64::from(rounds) * MURF_ROUND / programs::kamailio(folder, rounds)?);
    let mut sides = vec![
        Side::new("native Rust loop", || Ok(baseline::native().pips())),
        naive(MURF, &MURF_AT, Some(("iterations", few))),
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
        Side::new("kamailio route", move || kamailio(few)),
    ];
    sides.extend(asterisk::sides(
        options,
        folder,
        &asterisk::COUNTING,
        (900.0, 390.0),
    ));
    rows.push(side_by_side(
        options,
        "murf-81.conf, numbers, one call",
        Unit::PerSecond,
        None,
        || pips(&one, &MURF_AT, Load::ONE),
        sides,
    ));

    let many = engine(MURF, &MURF_AT, Some(("iterations", rounds / 1000)), sliced);
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
            pips(&many, &MURF_AT, load)
        },
        vec![Side::new("one call", || pips(&one, &MURF_AT, Load::ONE))],
    ));

    let threads = engine(MURF, &MURF_AT, Some(("iterations", rounds)), whole);
    rows.push(side_by_side(
        options,
        "murf-81.conf, two threads by one, a call each",
        Unit::Times,
        Some(1.9),
        || {
            let engine = threads.as_ref().map_err(Clone::clone)?;
            let (one, two) = scaling(engine, &MURF_AT, 2);
            Ok(two.pips() / one.pips())
        },
        Vec::new(),
    ));

    let mixed = engine(MIX, &MIX_AT, Some(("n", few)), whole);
    let mut sides = vec![
        naive(MIX, &MIX_AT, Some(("n", few))),
        lua("lua5.4", "lua5.4", programs::MIX, few, MIX_ROUND),
        lua("luajit", "luajit", programs::MIX, few, MIX_ROUND),
    ];
    sides.extend(asterisk::sides(
        options,
        folder,
        &asterisk::MIXED,
        (100.0, 0.0),
    ));
    rows.push(side_by_side(
        options,
        "mix.conf, string work, one call",
        Unit::PerSecond,
        Some(45e6),
        || pips(&mixed, &MIX_AT, Load::ONE),
        sides,
    ));

    let round = Some(("rounds", few / 10));
    let office = engine(OFFICE, &OFFICE_AT, round, whole);
    rows.push(side_by_side(
        options,
        "office.conf, menus, Gosub, routes, one call",
        Unit::PerSecond,
        None,
        || pips(&office, &OFFICE_AT, Load::ONE),
        vec![naive(OFFICE, &OFFICE_AT, round)],
    ));
    rows
}
