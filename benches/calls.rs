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

use strowger::machine::Limits;
use strowger::measure::calls::{WAITING, WAITING_AT, Waiting, scaling};
use strowger::measure::dialplans::{MIX, MURF, engine, unlimited};
use strowger::measure::pips::median;

fn main() {
    println!(
        "{:>9}  {:>10}  {:>9}  {:>10}",
        "calls", "bytes each", "make, ns", "step, ns"
    );
    let engine = engine(WAITING).unwrap();
    // The largest first: memory that is given back would be counted for none.
    for calls in [1_000_000, 100_000, 1_000, 1] {
        let mut waiting = Waiting::new(&engine, &WAITING_AT, calls);
        let repeat = (1_000_000 / calls).max(2);
        let step = median((0..5).map(|_| waiting.round_trip(repeat)));
        println!(
            "{calls:>9}  {:>10.0}  {:>9.0}  {:>10.1}",
            waiting.bytes_each().unwrap_or_default(),
            waiting.seconds * 1e9 / calls as f64,
            step * 1e9
        );
    }
    for (name, plan, rounds) in [
        ("murf-81.conf", MURF, 20_000_000),
        ("mix.conf", MIX, 300_000),
    ] {
        let limits = unlimited(Limits::default().fuel);
        let engine = plan.engine(rounds, limits).unwrap();
        let ratios = (0..5).map(|_| {
            let (one, two) = scaling(&engine, &plan.place, 2);
            two.pips() / one.pips()
        });
        println!("{name}: two threads {:.2} times one", median(ratios));
    }
}
