//! Loading: the corpus of configurations, and each kind of fault.

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

#[path = "load/engine.rs"]
mod engine;
#[path = "load/evaluator.rs"]
mod evaluator;
#[path = "load/faults.rs"]
mod faults;
#[path = "load/random.rs"]
mod random;
#[path = "load/show.rs"]
mod show;

use evaluator::Evaluator;
use serde_json::Value;
use strowger::host::FileReader;
use strowger::syntax::load::{LoadOptions, load};
use strowger::syntax::print::json;

/// All cases of the corpus; the log is judged apart and must be equal too.
#[test]
fn corpus() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/corpus/dialplan");
    let cases = std::fs::read_to_string(format!("{folder}/load.jsonl")).unwrap();
    let (mut all, mut good, mut good_logs) = (0, 0, 0);
    let mut wrong = Vec::new();
    for line in cases.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let dir = format!("{folder}/{}", case["dir"].as_str().unwrap());
        let (plan, report) = load(
            &dir,
            &mut FileReader,
            &mut Evaluator::default(),
            &LoadOptions::default(),
            None,
        );
        let got = json::plan(plan.as_ref(), &report);
        all += 1;
        let mut same = true;
        for field in ["loaded", "globals", "contexts"] {
            if got[field] != case[field] {
                same = false;
                wrong.push(format!(
                    "{} {field}\n  want {}\n  got  {}",
                    case["id"], case[field], got[field]
                ));
            }
        }
        good += usize::from(same);
        if got["log"] == case["log"] {
            good_logs += 1;
        } else {
            wrong.push(format!(
                "{} log\n  want {}\n  got  {}",
                case["id"], case["log"], got["log"]
            ));
        }
    }
    println!("{good} of {all} plans, {good_logs} of {all} logs");
    assert!(
        wrong.is_empty(),
        "{good} of {all} plans, {good_logs} of {all} logs\n{}",
        wrong.join("\n")
    );
    assert_eq!(all, 100);
}

/// Run with `--ignored --nocapture`: how long 500,000 priorities take.
#[test]
#[ignore = "a measurement"]
fn speed() {
    use std::fmt::Write as _;
    use strowger::syntax::load::MemoryReader;

    let mut same = String::from("[a]\n");
    let mut literal = String::from("[a]\n");
    let mut patterns = String::from("[a]\n");
    for n in 0..500_000 {
        if n % 10 == 0 {
            writeln!(same, "exten => {},1,NoOp(call for ${{EXTEN}})", 100_000 + n).unwrap();
            writeln!(patterns, "exten => _{}X[1-{}]X.,1,NoOp(x)", n, 2 + n % 7).unwrap();
        } else {
            writeln!(same, " same => n,Set(VARIABLE{n}=$[${{A}} + {n}])").unwrap();
            writeln!(patterns, " same => n,NoOp(x)").unwrap();
        }
        writeln!(
            literal,
            "exten => {},{},Dial(PJSIP/${{EXTEN}},30)",
            n % 50_000,
            10 - n / 50_000
        )
        .unwrap();
    }
    for (name, text) in [
        ("same", same),
        ("patterns", patterns),
        ("literal, backwards", literal),
    ] {
        let mut reader = MemoryReader::new().with("x", text);
        let start = std::time::Instant::now();
        let (plan, report) = load(
            "x",
            &mut reader,
            &mut Evaluator::default(),
            &LoadOptions::default(),
            None,
        );
        let seconds = start.elapsed().as_secs_f64();
        let plan = plan.unwrap();
        let priorities: usize = plan.contexts[0]
            .extensions
            .iter()
            .map(|e| e.priorities.len())
            .sum();
        println!("{name}: {priorities} priorities in {seconds:.3} s");
        assert_eq!(priorities, 500_000, "{report}");
    }
}
