//! Priorities of whole calls: the 2007 loop and the mixed loop, compiled and textual. Figures are per priority
//! (one item).

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::float_cmp,
    reason = "a bench fails by panicking"
)]

use divan::Bencher;
use divan::counter::ItemsCount;
use strowger::host::rewrite::set_value;
use strowger::host::{Engine, FileReader};
use strowger::machine::Limits;
use strowger::measure::Load;
use strowger::measure::pips::{Place, run};

fn main() {
    divan::main();
}

/// A plan with its loop set to so many rounds.
fn engine(file: &str, place: &Place<'_>, name: &str, rounds: u32, fuel: u32) -> Engine {
    let path = format!("{}/dialplans/{file}", env!("CARGO_MANIFEST_DIR"));
    let limits = Limits {
        max_priorities: u64::MAX,
        fuel,
        ..Limits::default()
    };
    let engine = Engine::builder().limits(limits).build();
    let (plan, report) = engine.read_plan(&path, &mut FileReader);
    let mut plan = plan.unwrap();
    assert!(set_value(
        &mut plan,
        place.context,
        place.exten,
        name,
        &rounds.to_string()
    ));
    engine.swap(&plan, &report);
    engine
}

const MURF: Place<'_> = Place {
    context: "extension",
    exten: "81",
};
const MIX: Place<'_> = Place {
    context: "extension",
    exten: "812125551",
};

fn bench(bencher: Bencher<'_, '_>, engine: &Engine, place: &Place<'_>, load: Load) {
    let priorities = run(engine, place, load, None).priorities;
    bencher
        .counter(ItemsCount::new(priorities))
        .bench(|| run(engine, place, load, None));
}

#[divan::bench(args = [false, true])]
fn murf_81(bencher: Bencher<'_, '_>, textual: bool) {
    let load = Load {
        textual,
        ..Load::ONE
    };
    bench(
        bencher,
        &engine("murf-81.conf", &MURF, "iterations", 10_000, 65_536),
        &MURF,
        load,
    );
}

#[divan::bench(args = [false, true])]
fn mix(bencher: Bencher<'_, '_>, textual: bool) {
    let load = Load {
        textual,
        ..Load::ONE
    };
    bench(
        bencher,
        &engine("mix.conf", &MIX, "n", 1_000, 65_536),
        &MIX,
        load,
    );
}

/// Calls that take turns after 64 priorities each.
#[divan::bench(args = [10, 1_000, 100_000])]
fn interleaved(bencher: Bencher<'_, '_>, calls: usize) {
    let load = Load { calls, ..Load::ONE };
    bench(
        bencher,
        &engine("murf-81.conf", &MURF, "iterations", 100, 64),
        &MURF,
        load,
    );
}
