//! Public bug reports: the lines that `strowger run` shows for each call, and what `strowger show` prints.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::ask::{self, ask};
use super::{Area, Verdict};

/// The channel on which the calls were recorded, as its name stands in the recordings.
const RECORDED_CHANNEL: &str = "Local/idle@yy-idle-ID;1";

pub(crate) fn areas() -> Vec<Area> {
    ask::areas("reports", "reports/reports.jsonl", "category", judge)
}

fn judge(cases: &[Value]) -> Vec<Verdict> {
    cases.iter().map(case).collect()
}

fn case(case: &Value) -> Verdict {
    let id = ask::id(case);
    let folder = folder(&id);
    for (name, text) in case["files"].as_object().expect("files") {
        std::fs::write(folder.join(name), text.as_str().expect("a text"))
            .expect("a file is written");
    }
    let path = folder.to_str().expect("a path");
    let recorded = &case["asterisk"];
    let want: Value = recorded["trace"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .filter(|line| !line.starts_with("! "))
        .collect();
    let got: Value = case["calls"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .flat_map(|call| trace(path, call))
        .collect();
    let mut verdict = Verdict::compare(id, &want, &got);
    for shown in recorded["cli_output"].as_array().into_iter().flatten() {
        if verdict.difference.is_none() {
            verdict.difference = listing(path, shown);
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
    verdict
}

fn folder(id: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("reports-{id}"));
    std::fs::create_dir_all(&folder).expect("a folder is made");
    folder
}

/// `exten@context:priority App(data)` for each `Executing [exten@context:priority] App("channel", "data")`.
fn trace(path: &str, call: &str) -> Vec<String> {
    let answer = ask(&["run", path, call, "--sounds=none", "--color=never"], b"");
    let text = String::from_utf8_lossy(&answer.output).into_owned();
    text.lines().filter_map(executed).collect()
}

fn executed(line: &str) -> Option<String> {
    let (_, rest) = line.split_once("Executing [")?;
    let (place, rest) = rest.split_once("] ")?;
    let (application, rest) = rest.split_once("(\"")?;
    let (channel, rest) = rest.split_once("\", \"")?;
    let end = rest.rfind("\")")?;
    let data = rest.get(..end)?.replace(channel, RECORDED_CHANNEL);
    Some(format!("{place} {application}({data})"))
}

/// How the listing differs from the recorded one.
fn listing(path: &str, shown: &Value) -> Option<String> {
    let command = shown[0].as_str()?;
    // Only listings are shown by a command of ours.
    let what = command.strip_prefix("dialplan show")?.trim();
    let mut want = shown[1].as_str()?.to_owned();
    if let Some(at) = want.find("Command '") {
        want.truncate(at);
    }
    let mut arguments = vec!["show", path];
    if !what.is_empty() {
        arguments.push(what);
    }
    let answer = ask(&arguments, b"");
    // A refused file leaves no dialplan, which a listing of Asterisk shows as a missing context.
    if answer.status == 3 && want.starts_with("There is no existence") {
        return None;
    }
    let got = String::from_utf8_lossy(&answer.output);
    (got.trim_end() != want.trim_end()).then(|| format!("{command}\n{want}\n    got\n{got}"))
}
