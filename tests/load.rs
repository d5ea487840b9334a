//! Loading: the corpus of configurations, and each kind of fault.

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
