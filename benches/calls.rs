//! Many calls: bytes of one that waits, nanoseconds of a round of step, effect and event, and what a second thread
//! gives. Figures are medians over five runs, but bytes are those of the first.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::float_cmp,
    reason = "a bench fails by panicking, and prints its figures"
)]

use strowger::host::rewrite::set_value;
use strowger::host::{Engine, FileReader};
use strowger::machine::Limits;
use strowger::measure::calls::{WAITING, WAITING_AT, Waiting, scaling};
use strowger::measure::pips::Place;
use strowger::syntax::load::MemoryReader;

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn engine() -> Engine {
    let limits = Limits {
        max_priorities: u64::MAX,
        ..Limits::default()
    };
    let engine = Engine::builder().limits(limits).build();
    let mut reader = MemoryReader::new().with("waiting.conf", WAITING);
    engine.load_from("waiting.conf", &mut reader).unwrap();
    engine
}

fn rounds(file: &str, place: &Place<'_>, name: &str, rounds: u32) -> Engine {
    let path = format!("{}/dialplans/{file}", env!("CARGO_MANIFEST_DIR"));
    let limits = Limits {
        max_priorities: u64::MAX,
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

fn main() {
    println!(
        "{:>9}  {:>10}  {:>9}  {:>10}",
        "calls", "bytes each", "make, ns", "step, ns"
    );
    let engine = engine();
    // The largest first: memory that is given back would be counted for none.
    for calls in [1_000_000, 100_000, 1_000, 1] {
        let mut waiting = Waiting::new(&engine, &WAITING_AT, calls);
        let repeat = (1_000_000 / calls).max(2);
        let step = median((0..5).map(|_| waiting.round_trip(repeat)).collect());
        println!(
            "{calls:>9}  {:>10.0}  {:>9.0}  {:>10.1}",
            waiting.bytes_each().unwrap_or_default(),
            waiting.seconds * 1e9 / calls as f64,
            step * 1e9
        );
    }
    for (file, exten, name, count) in [
        ("murf-81.conf", "81", "iterations", 20_000_000),
        ("mix.conf", "812125551", "n", 300_000),
    ] {
        let place = Place {
            context: "extension",
            exten,
        };
        let engine = rounds(file, &place, name, count);
        let ratios = (0..5).map(|_| {
            let (one, two) = scaling(&engine, &place, 2);
            two.pips() / one.pips()
        });
        println!(
            "{file}: two threads {:.2} times one",
            median(ratios.collect())
        );
    }
}
