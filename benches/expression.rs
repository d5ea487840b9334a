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
use strowger::host::Engine;
use strowger::measure::Load;
use strowger::measure::pips::{Place, run};
use strowger::syntax::load::MemoryReader;

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

const LINES: u64 = 1_000;

fn main() {
    divan::main();
}

fn engine(text: &str) -> Engine {
    let mut plan = "[a]\nexten => 1,1,Set(i=41)\n same => n,Set(name=alice)\n".to_owned();
    for _ in 0..LINES {
        plan.push_str(&format!(" same => n,Set(r={text})\n"));
    }
    let engine = Engine::builder().build();
    engine
        .load_from("e.conf", &mut MemoryReader::new().with("e.conf", plan))
        .unwrap();
    engine
}

fn bench(bencher: Bencher<'_, '_>, text: &str, textual: bool) {
    let engine = engine(text);
    let place = Place {
        context: "a",
        exten: "1",
    };
    let load = Load {
        textual,
        ..Load::ONE
    };
    bencher
        .counter(ItemsCount::new(LINES + 2))
        .bench(|| run(&engine, &place, load, None));
}

#[divan::bench(args = TEXTS)]
fn compiled(bencher: Bencher<'_, '_>, text: &str) {
    bench(bencher, text, false);
}

#[divan::bench(args = TEXTS)]
fn textual(bencher: Bencher<'_, '_>, text: &str) {
    bench(bencher, text, true);
}
