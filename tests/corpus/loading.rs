//! `strowger show DIR --json`.

use serde_json::Value;

use super::ask::{self, FOLDER, ask};
use super::{Area, Verdict};

pub(crate) fn areas() -> Vec<Area> {
    ask::areas("load", "dialplan/load.jsonl", "area", judge)
}

fn judge(cases: &[Value]) -> Vec<Verdict> {
    cases.iter().flat_map(case).collect()
}

fn case(case: &Value) -> [Verdict; 2] {
    let folder = format!(
        "{FOLDER}/dialplan/{}",
        case["dir"].as_str().expect("a folder")
    );
    let answer = ask(&["show", &folder, "--json"], b"");
    let got = answer.json();
    let parts = |of: &Value| {
        Value::from(vec![
            of["loaded"].clone(),
            of["globals"].clone(),
            of["contexts"].clone(),
        ])
    };
    let id = ask::id(case);
    let mut verdict = Verdict::compare(id.clone(), &parts(case), &parts(&got));
    let status = if case["loaded"] == true { 0 } else { 3 };
    if answer.status != status {
        verdict.difference = Some(format!("exit {} instead of {status}", answer.status));
    }
    [
        verdict,
        Verdict::compare(format!("log {id}"), &case["log"], &got["log"]),
    ]
}
