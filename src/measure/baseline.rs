//! What a figure is compared with in the same run on the same machine, because absolute figures drift.

use std::hint::black_box;
use std::time::Instant;

use crate::measure::Sample;

/// Rounds of the native loop: a tenth of a second where one takes 2 ns.
const ROUNDS: u64 = 50_000_000;

/// The counting loop of the 2007 test dialplan on the machine's own integers: per round a comparison, nothing, an
/// addition and a jump, counted as four priorities.
pub fn native() -> Sample {
    let rounds = black_box(ROUNDS);
    let begin = Instant::now();
    let mut i = 1_u64;
    while i < black_box(rounds) {
        i = black_box(i + 1);
    }
    Sample {
        priorities: 4 * black_box(i),
        seconds: begin.elapsed().as_secs_f64(),
    }
}

/// How many priorities the naive evaluator is given at most: enough for a figure, not for an afternoon.
pub const NAIVE_PRIORITIES: u64 = 1_000_000;
