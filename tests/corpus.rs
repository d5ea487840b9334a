//! The recorded answers of a real Asterisk, asked of the built binary through its machine-readable contracts:
//! one test per area of each corpus. `tests/data/ratchet.txt` names what is known to differ; a case that differs
//! without being named, or is named without differing, is an error.
//!
//! `STROWGER_RATCHET=write cargo test --test corpus` writes that file anew and keeps the reasons it gives.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::float_cmp,
    reason = "a test fails by panicking, and says what it measured"
)]

#[path = "corpus/ask.rs"]
mod ask;
#[path = "corpus/execution.rs"]
mod execution;
#[path = "corpus/language.rs"]
mod language;
#[path = "corpus/loading.rs"]
mod loading;
#[path = "corpus/matching.rs"]
mod matching;
#[path = "corpus/ratchet.rs"]
mod ratchet;
#[path = "corpus/reports.rs"]
mod reports;

use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};
use ratchet::Ratchet;
use serde_json::Value;

/// What came of one case: its key (`ID`, or `log ID` for the log judged apart) and how the answer differs.
pub(crate) struct Verdict {
    pub(crate) key: String,
    pub(crate) difference: Option<String>,
}

impl Verdict {
    /// Equal or not; the difference shows both sides.
    pub(crate) fn compare(key: String, want: &Value, got: &Value) -> Self {
        let difference = (want != got).then(|| format!("want {want}\n    got  {got}"));
        Self { key, difference }
    }
}

/// The cases of one area and how they are judged.
pub(crate) struct Area {
    pub(crate) name: String,
    pub(crate) cases: Vec<Value>,
    pub(crate) judge: fn(&[Value]) -> Vec<Verdict>,
}

fn main() -> ExitCode {
    let areas: Vec<Area> = [
        loading::areas(),
        matching::areas(),
        language::areas(),
        execution::areas(),
        reports::areas(),
    ]
    .into_iter()
    .flatten()
    .collect();
    if std::env::var("STROWGER_RATCHET").is_ok_and(|mode| mode == "write") {
        return ratchet::write(&areas);
    }
    let ratchet = Arc::new(Ratchet::read());
    let mut trials = vec![stale(&areas, ratchet.clone())];
    for area in areas {
        let ratchet = ratchet.clone();
        let name = area.name.clone();
        trials.push(Trial::test(name, move || {
            let verdicts = (area.judge)(&area.cases);
            ratchet.judge(&verdicts).map_err(Failed::from)
        }));
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// What the ratchet names must exist.
fn stale(areas: &[Area], ratchet: Arc<Ratchet>) -> Trial {
    let known: Vec<String> = areas
        .iter()
        .flat_map(|area| &area.cases)
        .map(ask::id)
        .collect();
    Trial::test("ratchet", move || {
        ratchet.without_strangers(&known).map_err(Failed::from)
    })
}
