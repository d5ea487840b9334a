//! The exec corpus, as far as it needs one channel only.

mod driver;

use std::collections::BTreeMap;

use driver::{Driver, Peer, Seen, Watch, call_at, engine};
use serde_json::{Value as Json, json};
use strowger::machine::Note;

const VARIABLES: &str = "R1 R2 R3 R4 R5 R6 R7 R8 R9 A B C D I J N S X Y V1 V2 V3 V4 DIALSTATUS GOSUB_RETVAL \
                         READSTATUS TRYSTATUS ARG1 ARGC HANGUPCAUSE";

fn place(at: &strowger::machine::Location) -> Json {
    json!([at.context.lossy(), at.exten.lossy(), at.priority])
}

fn notes(seen: &Seen) -> Vec<Json> {
    let mut notes: Vec<_> = seen
        .notes
        .iter()
        .map(|note| match note {
            Note::AutoFallthrough { status } => {
                json!({"channel": "main", "note": "auto-fallthrough", "status": status.lossy()})
            }
            Note::InvalidExtension { at } => {
                json!({"at": place(at), "channel": "main", "note": "invalid-extension"})
            }
            Note::Timeout => json!({"channel": "main", "note": "timeout"}),
            Note::SpawnExit { at } => {
                json!({"at": place(at), "channel": "main", "note": "spawn-exit"})
            }
            Note::Limit { text } => json!({"channel": "main", "note": "limit", "text": text}),
        })
        .collect();
    notes.sort_by_key(Json::to_string);
    notes
}

/// The present answer to a case, in the corpus' own form.
fn answer(folder: &str, case: &Json, textual: bool) -> Json {
    let plan = std::fs::read(format!("{folder}/{}", case["plan"].as_str().unwrap())).unwrap();
    let (engine, clock) = engine(&plan);
    let start = &case["start"];
    let watch = Watch::default();
    let mut call = call_at(
        &engine,
        start["context"].as_str().unwrap(),
        start["exten"].as_str().unwrap(),
        start["mode"] == "up",
    )
    .with_observer(Box::new(watch.clone()));
    if textual {
        call = call.textual();
    }
    if let Some(caller) = start["callerid"].as_str() {
        let (name, number) = caller.split_once('<').unwrap();
        call.channel_mut().caller.name = Some(name.trim().trim_matches('"').into());
        call.channel_mut().caller.number = Some(number.trim_end_matches('>').into());
    }
    for (name, value) in start["variables"].as_object().unwrap() {
        call.set(name.as_bytes(), value.as_str().unwrap().as_bytes());
    }
    let peer = Peer::named(start["peer"].as_str().unwrap_or("idle"));
    let outcome = Driver::new(clock, peer).run(&mut call);
    let mut vars = BTreeMap::new();
    for name in VARIABLES.split(' ') {
        let value = call.cx().stored_variable(name.as_bytes());
        if let Some(value) = value.filter(|v| !v.is_empty()) {
            vars.insert(name, value.to_text().lossy().into_owned());
        }
    }
    let seen = watch.0.lock().unwrap();
    let trace: Vec<_> = seen
        .trace
        .iter()
        .map(|(context, exten, priority, application, data)| {
            json!([context, exten, priority, application, String::from_utf8_lossy(data)])
        })
        .collect();
    let log: Vec<_> = seen
        .log
        .iter()
        .map(|(level, kind)| json!({"level": level, "kind": kind}))
        .collect();
    json!({
        "channels": {"main": {"trace": trace, "vars": vars, "cause": outcome.cause}},
        "notes": notes(&seen),
        "log": log,
    })
}

/// Both ways of substitution give the recorded answer.
#[test]
fn corpus() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/corpus/dialplan");
    let cases = std::fs::read_to_string(format!("{folder}/exec.jsonl")).unwrap();
    let verbose = std::env::var_os("EXEC_CORPUS").map(|v| v.into_string().unwrap());
    let mut areas: BTreeMap<String, (usize, usize, usize)> = BTreeMap::new();
    let mut wrong = Vec::new();
    for line in cases.lines() {
        let case: Json = serde_json::from_str(line).unwrap();
        let id = case["id"].as_str().unwrap();
        let plan = std::fs::read_to_string(format!("{folder}/{}", case["plan"].as_str().unwrap()))
            .unwrap_or_default();
        if ["Dial(", "Originate(", "Local/"].iter().any(|t| plan.contains(t)) {
            continue;
        }
        if verbose.is_some() {
            eprintln!("{id}");
        }
        let got = answer(folder, &case, false);
        assert_eq!(got, answer(folder, &case, true), "{id}: compiled and textual");
        let count = areas.entry(case["area"].as_str().unwrap().to_owned()).or_default();
        count.0 += 1;
        let same = got["channels"] == case["channels"] && got["notes"] == case["notes"];
        let same_log = got["log"] == case["log"];
        count.1 += usize::from(same);
        count.2 += usize::from(same_log);
        if !same || !same_log {
            wrong.push(id.to_owned());
            if verbose.as_deref().is_some_and(|v| id.contains(v)) {
                println!("{id}\n{plan}");
                for field in ["channels", "notes", "log"] {
                    if got[field] != case[field] {
                        println!("  got  {}\n  want {}", got[field], case[field]);
                    }
                }
            }
        }
    }
    for (area, (all, good, logs)) in &areas {
        println!("{area}: {good} of {all}, log {logs}");
    }
    println!("wrong: {}", wrong.join(" "));
    let (all, good) = areas
        .values()
        .fold((0, 0), |(all, good), c| (all + c.0, good + c.1));
    println!("{good} of {all}");
}
