//! Priorities of whole calls: the 2007 loop, the mixed loop and chains of GotoIf, compiled and textual. Figures are per priority
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
use strowger::machine::Limits;
use strowger::measure::Load;
use strowger::measure::dialplans::{Loop, MIX, MURF, QUANTUM, Tests, chain, engine, unlimited};
use strowger::measure::pips::run;

fn main() {
    divan::main();
}

fn bench(bencher: Bencher<'_, '_>, plan: &Loop, rounds: u32, fuel: u32, load: Load) {
    let engine = plan.engine(rounds, unlimited(fuel)).unwrap();
    let priorities = run(&engine, &plan.place, load, None).priorities;
    bencher
        .counter(ItemsCount::new(priorities))
        .bench(|| run(&engine, &plan.place, load, None));
}

fn one_call(bencher: Bencher<'_, '_>, plan: &Loop, rounds: u32, textual: bool) {
    let load = if textual { Load::TEXTUAL } else { Load::ONE };
    bench(bencher, plan, rounds, Limits::default().fuel, load);
}

#[divan::bench(args = [false, true])]
fn murf_81(bencher: Bencher<'_, '_>, textual: bool) {
    one_call(bencher, &MURF, 10_000, textual);
}

#[divan::bench(args = [false, true])]
fn mix(bencher: Bencher<'_, '_>, textual: bool) {
    one_call(bencher, &MIX, 1_000, textual);
}

/// A chain of 200 lines, of which one after the other holds; textual evaluation takes it line by line. Lines that are
/// passed count as priorities.
#[divan::bench(args = [
    (Tests::Texts, false), (Tests::Texts, true),
    (Tests::Integers, false), (Tests::Integers, true),
    (Tests::Patterns, false), (Tests::Patterns, true),
])]
fn chain_of_200(bencher: Bencher<'_, '_>, (tests, textual): (Tests, bool)) {
    let engine = engine(&chain(tests, 200, 200)).unwrap();
    let place = MURF.place;
    let load = if textual { Load::TEXTUAL } else { Load::ONE };
    let priorities = run(&engine, &place, load, None).priorities;
    bencher
        .counter(ItemsCount::new(priorities))
        .bench(|| run(&engine, &place, load, None));
}

/// Calls that take turns.
#[divan::bench(args = [10, 1_000, 100_000])]
fn interleaved(bencher: Bencher<'_, '_>, calls: usize) {
    let load = Load { calls, ..Load::ONE };
    bench(bencher, &MURF, 100, QUANTUM, load);
}
