//! Asking the binary.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use serde_json::Value;

use super::Area;
use super::Verdict;

pub(crate) const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/corpus");

/// How long a command may take: far more than any needs.
const LONGEST: Duration = Duration::from_mins(1);

/// What a command answered.
pub(crate) struct Answer {
    pub(crate) status: i32,
    pub(crate) output: Vec<u8>,
    pub(crate) messages: Vec<u8>,
}

impl Answer {
    /// Standard output as one JSON document; null where it is none.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.output).unwrap_or_else(|error| {
            Value::from(format!(
                "no JSON ({error}), exit {}: {}",
                self.status,
                String::from_utf8_lossy(&self.messages)
            ))
        })
    }
}

/// Runs a command with the clock of the recordings.
pub(crate) fn ask(arguments: &[&str], input: &[u8]) -> Answer {
    let mut child = Command::new(env!("CARGO_BIN_EXE_strowger"))
        .args(arguments)
        .env("TZ", "UTC")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.to_vec();
    // Written beside reading, so that no full pipe stops both.
    let writer = thread::spawn(move || {
        let _ = stdin.write_all(&input);
    });
    let timer = limit(&child);
    let output = child.wait_with_output().expect("the binary ends");
    drop(timer);
    let _ = writer.join();
    Answer {
        status: output.status.code().unwrap_or(-1),
        output: output.stdout,
        messages: output.stderr,
    }
}

/// Ends a command that does not end by itself, unless what is given back is dropped before.
fn limit(child: &Child) -> mpsc::Sender<()> {
    let (stop, stopped) = mpsc::channel();
    let id = child.id().to_string();
    thread::spawn(move || {
        if stopped.recv_timeout(LONGEST) == Err(mpsc::RecvTimeoutError::Timeout) {
            let _ = Command::new("kill").args(["-9", &id]).status();
        }
    });
    stop
}

/// Asks with one JSON object a line; the answers by id.
pub(crate) fn ask_lines(arguments: &[&str], lines: &[Value]) -> BTreeMap<String, Value> {
    let mut input = String::new();
    for line in lines {
        input.push_str(&line.to_string());
        input.push('\n');
    }
    let answer = ask(arguments, input.as_bytes());
    String::from_utf8_lossy(&answer.output)
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .map(|object| (id(&object), object))
        .collect()
}

pub(crate) fn id(case: &Value) -> String {
    case["id"].as_str().unwrap_or_default().to_owned()
}

/// The cases of a file, by area, in the order of their first appearance.
pub(crate) fn areas(
    corpus: &str,
    file: &str,
    field: &str,
    judge: fn(&[Value]) -> Vec<Verdict>,
) -> Vec<Area> {
    let text = std::fs::read_to_string(format!("{FOLDER}/{file}")).expect("the corpus is there");
    let mut areas: Vec<Area> = Vec::new();
    for line in text.lines() {
        let case: Value = serde_json::from_str(line).expect("a case is JSON");
        let name = format!("{corpus}::{}", case[field].as_str().unwrap_or("all"));
        match areas.iter_mut().find(|area| area.name == name) {
            Some(area) => area.cases.push(case),
            None => areas.push(Area {
                name,
                cases: vec![case],
                judge,
            }),
        }
    }
    areas
}

/// Level and kind of each entry, as often as it came.
pub(crate) fn levels_and_kinds(log: &Value) -> Value {
    log.as_array()
        .into_iter()
        .flatten()
        .flat_map(|entry| {
            let times = entry["count"].as_u64().unwrap_or(1) as usize;
            let pair = serde_json::json!([entry["level"], entry["kind"]]);
            std::iter::repeat_n(pair, times)
        })
        .collect()
}
