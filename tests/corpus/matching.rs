//! `strowger lookup PLAN --jsonl`.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::ask::{self, FOLDER, ask_lines};
use super::{Area, Verdict};

pub(crate) fn areas() -> Vec<Area> {
    ask::areas("match", "dialplan/match.jsonl", "area", judge)
}

fn judge(cases: &[Value]) -> Vec<Verdict> {
    let mut plans: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    for case in cases {
        plans
            .entry(case["plan"].as_str().expect("a plan"))
            .or_default()
            .push(case);
    }
    plans
        .into_iter()
        .flat_map(|(file, cases)| plan(file, &cases))
        .collect()
}

fn plan(file: &str, cases: &[&Value]) -> Vec<Verdict> {
    let path = format!("{FOLDER}/dialplan/{file}");
    let asked: Vec<Value> = cases
        .iter()
        .map(|case| {
            let mut asked = json!({});
            for name in ["id", "context", "dialed", "cid", "priority", "label", "now"] {
                if let Some(value) = case.get(name) {
                    asked[name] = value.clone();
                }
            }
            asked
        })
        .collect();
    let answers = ask_lines(&["lookup", &path, "--jsonl"], &asked);
    let parts = |of: &Value| -> Value {
        ["exists", "canmatch", "matchmore", "found", "why"]
            .iter()
            .map(|name| of[name].clone())
            .collect()
    };
    cases
        .iter()
        .map(|case| {
            let id = ask::id(case);
            let got = answers.get(&id).unwrap_or(&Value::Null);
            Verdict::compare(id, &parts(case), &parts(got))
        })
        .collect()
}
