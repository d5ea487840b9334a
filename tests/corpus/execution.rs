//! `strowger run PLAN EXTEN@CONTEXT --json --sounds none`.

use serde_json::Value;

use super::ask::{self, FOLDER, ask, levels_and_kinds};
use super::{Area, Verdict};

pub(crate) fn areas() -> Vec<Area> {
    ask::areas("exec", "dialplan/exec.jsonl", "area", judge)
}

fn judge(cases: &[Value]) -> Vec<Verdict> {
    cases.iter().flat_map(case).collect()
}

fn case(case: &Value) -> [Verdict; 2] {
    let start = &case["start"];
    let text = |name: &str| start[name].as_str().expect("a text").to_owned();
    let mut arguments = vec![
        "run".to_owned(),
        format!(
            "{FOLDER}/dialplan/{}",
            case["plan"].as_str().expect("a plan")
        ),
        format!("{}@{}", text("exten"), text("context")),
        "--json".to_owned(),
        "--sounds=none".to_owned(),
        // A Sunday night: one scenario reads the clock, and was recorded outside of office hours.
        "--at=2026-03-01 03:00:00".to_owned(),
        format!("--mode={}", text("mode")),
        format!("--peer={}", start["peer"].as_str().unwrap_or("idle")),
        format!("--priority={}", start["priority"]),
    ];
    if let Some(caller) = start["callerid"].as_str() {
        arguments.push(format!("--callerid={caller}"));
    }
    for (name, value) in start["variables"].as_object().into_iter().flatten() {
        arguments.push(format!("--var={name}={}", value.as_str().expect("a text")));
    }
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let got = ask(&arguments, b"").json();
    let parts = |of: &Value| Value::from(vec![sorted(&of["channels"]), sorted(&of["notes"])]);
    let id = ask::id(case);
    let log = |of: &Value| levels_and_kinds(&of["log"]);
    let answered = got.is_object();
    let mut verdict = Verdict::compare(id.clone(), &parts(case), &parts(&got));
    if !answered {
        verdict.difference = Some(got.to_string());
    }
    let mut logged = Verdict::compare(format!("log {id}"), &log(case), &log(&got));
    if !answered {
        logged.difference = Some("no answer".to_owned());
    }
    [verdict, logged]
}

/// The keys of objects in one order: that of an object means nothing.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(object) => {
            let mut entries: Vec<_> = object.iter().collect();
            entries.sort_by_key(|(name, _)| *name);
            Value::Object(
                entries
                    .into_iter()
                    .map(|(n, v)| (n.clone(), sorted(v)))
                    .collect(),
            )
        }
        Value::Array(items) => items.iter().map(sorted).collect(),
        other => other.clone(),
    }
}
