//! Expressions and substitutions, each as the value of a Set that runs 1,000 times in one call: compiled, and by
//! the textual evaluator. Figures are per priority (one item), so the Set and its text together.

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
use strowger::measure::Load;
use strowger::measure::dialplans::engine;
use strowger::measure::pips::run;
use strowger::measure::suite::{LINES_AT, lines_of};

const TEXTS: [&str; 8] = [
    "$[${i}+1]",
    "$[${i} * 3 - 7 > 12]",
    "$[1/3 + ${i}]",
    "$[\"${name}\" = \"alice\"]",
    "$[\"${name}\" =~ \"^al(i)\"]",
    "${name:1:-2}",
    "${LEN(${name})}",
    "PJSIP/${name}@trunk-${i}",
];

fn main() {
    divan::main();
}

fn bench(bencher: Bencher<'_, '_>, text: &str, load: Load) {
    let engine = engine(&lines_of(text)).unwrap();
    let priorities = run(&engine, &LINES_AT, load, None).priorities;
    bencher
        .counter(ItemsCount::new(priorities))
        .bench(|| run(&engine, &LINES_AT, load, None));
}

#[divan::bench(args = TEXTS)]
fn compiled(bencher: Bencher<'_, '_>, text: &str) {
    bench(bencher, text, Load::ONE);
}

#[divan::bench(args = TEXTS)]
fn textual(bencher: Bencher<'_, '_>, text: &str) {
    bench(bencher, text, Load::TEXTUAL);
}
