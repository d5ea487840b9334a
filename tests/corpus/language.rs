//! `strowger eval --jsonl`.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::ask::{self, ask_lines};
use super::{Area, Verdict};

pub(crate) fn areas() -> Vec<Area> {
    ["expr", "exprvars", "subst", "func"]
        .iter()
        .flat_map(|name| ask::areas(name, &format!("language/{name}.jsonl"), "area", judge))
        .collect()
}

fn judge(cases: &[Value]) -> Vec<Verdict> {
    let counted: Vec<&Value> = cases
        .iter()
        .filter(|case| case["undefined"] != true)
        .collect();
    let asked: Vec<Value> = counted
        .iter()
        .map(|case| {
            let mut asked = json!({});
            for name in ["id", "vars", "env", "dialplan", "input", "steps"] {
                if let Some(value) = case.get(name) {
                    asked[name] = value.clone();
                }
            }
            asked
        })
        .collect();
    let answers = ask_lines(&["eval", "--jsonl"], &asked);
    // The textual evaluator, and lines that nobody watches, must answer the same.
    let textual = ask_lines(&["eval", "--jsonl", "--textual"], &asked);
    let direct = ask_lines(&["eval", "--jsonl", "--unwatched"], &asked);
    counted
        .iter()
        .flat_map(|case| {
            let id = ask::id(case);
            let got = answers.get(&id).unwrap_or(&Value::Null);
            let parts = |of: &Value| json!([of["output"], of["outputs"]]);
            let other =
                |answers: &BTreeMap<String, Value>| parts(answers.get(&id).unwrap_or(&Value::Null));
            [
                Verdict::compare(id.clone(), &parts(case), &parts(got)),
                Verdict::compare(format!("log {id}"), &case["log"], &got["log"]),
                Verdict::compare(format!("textual {id}"), &parts(got), &other(&textual)),
                Verdict::compare(format!("direct {id}"), &parts(got), &other(&direct)),
            ]
        })
        .collect()
}
