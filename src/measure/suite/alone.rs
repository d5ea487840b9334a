//! What needs a process of its own, because the memory of an older one tells nothing: loads and waiting calls.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use ahash::AHashSet;
use serde_json::{Value, json};

use crate::host::Engine;
use crate::measure::calls::{WAITING, WAITING_AT, Waiting};
use crate::measure::dialplans::engine;
use crate::measure::loading::{load, many_contexts, one_context};
use crate::measure::memory;

use super::{Figure, Options, Row, Side, Unit, side_by_side};

/// A measurement in a process of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Alone {
    /// Load a file, then load it again.
    Load(PathBuf),
    /// So many calls that wait.
    Waiting(u32),
}

impl Alone {
    /// As an argument of the command line.
    pub fn argument(&self) -> String {
        match self {
            Self::Load(path) => format!("load:{}", path.display()),
            Self::Waiting(calls) => format!("waiting:{calls}"),
        }
    }

    /// From an argument of the command line.
    pub fn from_argument(argument: &str) -> Option<Self> {
        match argument.split_once(':')? {
            ("load", path) => Some(Self::Load(path.into())),
            ("waiting", calls) => Some(Self::Waiting(calls.parse().ok()?)),
            _ => None,
        }
    }

    /// Measures in this process, which should not have done anything else before.
    pub fn measure(&self) -> Result<Value, String> {
        match self {
            Self::Load(path) => load_twice(path),
            Self::Waiting(calls) => waiting(*calls as usize),
        }
    }
}

fn load_twice(path: &Path) -> Result<Value, String> {
    let engine = Engine::builder().build();
    let text = |error: &dyn std::fmt::Display| error.to_string();
    let first = load(&engine, path).map_err(|e| text(&e))?;
    let before = memory::resident();
    let reset = fs::OpenOptions::new()
        .write(true)
        .open("/proc/self/clear_refs")
        .and_then(|mut file| file.write_all(b"5"))
        .is_ok();
    let again = load(&engine, path).map_err(|e| text(&e))?;
    // Without a reset the peak may be that of the first load.
    let peak = memory::peak().filter(|_| reset);
    Ok(json!({
        "priorities": first.priorities,
        "seconds": first.seconds,
        "bytes": first.bytes,
        "reload_seconds": again.seconds,
        "reload_bytes": peak.zip(before).map(|(peak, before)| peak.saturating_sub(before)),
    }))
}

fn waiting(calls: usize) -> Result<Value, String> {
    let engine = engine(WAITING)?;
    let mut waiting = Waiting::new(&engine, &WAITING_AT, calls);
    let bytes = waiting.bytes_each();
    Ok(json!({
        "bytes": bytes,
        "nanoseconds": waiting.round_trip(2) * 1e9,
    }))
}

/// A number of an answer.
fn number(answer: &Result<Value, String>, name: &str) -> Result<f64, String> {
    answer
        .as_ref()
        .map_err(Clone::clone)?
        .get(name)
        .and_then(Value::as_f64)
        .ok_or_else(|| "the system does not say it".into())
}

/// A row of figures that one process gave together with others.
fn row(
    workload: String,
    unit: Unit,
    goal: Option<f64>,
    answers: &[Result<Value, String>],
    value: impl Fn(&Result<Value, String>) -> Result<f64, String>,
) -> Row {
    Row {
        workload,
        unit,
        ours: answers
            .iter()
            .map(value)
            .collect::<Result<_, _>>()
            .map(|rounds| Figure { rounds }),
        goal,
        baselines: Vec::new(),
    }
}

/// What any loader must do: read the file, find its lines, and know those it has seen.
fn read_and_split(path: &Path) -> Result<f64, String> {
    let begin = Instant::now();
    let bytes = fs::read(path).map_err(|error| error.to_string())?;
    let lines: AHashSet<&[u8]> = bytes.split(|&b| b == b'\n').collect();
    let seconds = begin.elapsed().as_secs_f64();
    std::hint::black_box(lines.len());
    Ok(seconds)
}

pub(super) fn rows(options: &Options<'_>, folder: &Path) -> Vec<Row> {
    let mut rows = Vec::new();
    let many = options.size(100_000);
    let numbers = options.size(100_000);
    let plans = [
        (
            format!("{} priorities in {} contexts", many * 5, many / 10),
            many_contexts(many),
            (Some(0.3), Some(160.0)),
        ),
        (
            format!("{numbers} numbers in one context"),
            one_context(numbers),
            (Some(0.3), None),
        ),
    ];
    for (name, text, (seconds, bytes)) in plans {
        let path = folder.join("extensions.conf");
        // One that is not there is not to be taken for the one before it.
        let written = fs::write(&path, &text).map_err(|error| error.to_string());
        drop(text);
        let alone = Alone::Load(path.clone());
        let mut answers = Vec::new();
        rows.push(side_by_side(
            options,
            format!("load {name}"),
            Unit::Seconds,
            seconds,
            || {
                let answer = written.clone().and_then(|()| (options.alone)(&alone));
                let seconds = number(&answer, "seconds");
                answers.push(answer);
                seconds
            },
            vec![Side::new("read the file into a set of its lines", || {
                written.clone()?;
                read_and_split(&path)
            })],
        ));
        let priorities = |answer: &_| number(answer, "priorities");
        rows.push(row(
            format!("memory for each priority, {name}"),
            Unit::Bytes,
            bytes,
            &answers,
            |answer| Ok(number(answer, "bytes")? / priorities(answer)?),
        ));
        rows.push(row(
            format!("reload {name}"),
            Unit::Seconds,
            None,
            &answers,
            |answer| number(answer, "reload_seconds"),
        ));
        rows.push(row(
            format!("peak of a reload for each priority, beyond the dialplan in force, {name}"),
            Unit::Bytes,
            None,
            &answers,
            |answer| Ok(number(answer, "reload_bytes")? / priorities(answer)?),
        ));
    }

    let calls = options.size(1_000_000);
    let waiting = format!("{calls} calls that wait");
    (options.next)(&waiting);
    let answers: Vec<_> = (0..options.rounds)
        .map(|_| (options.alone)(&Alone::Waiting(calls)))
        .collect();
    let gibibyte = f64::from(1 << 30);
    rows.push(row(
        format!("memory of each of {waiting}"),
        Unit::Bytes,
        Some(gibibyte / 1e6),
        &answers,
        |answer| number(answer, "bytes"),
    ));
    rows.push(row(
        format!("step, effect and event of {waiting}, in turn"),
        Unit::Nanoseconds,
        None,
        &answers,
        |answer| number(answer, "nanoseconds"),
    ));
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_say_what_to_measure() {
        for alone in [Alone::Load("/a b:c".into()), Alone::Waiting(7)] {
            assert_eq!(Alone::from_argument(&alone.argument()), Some(alone));
        }
        assert_eq!(Alone::from_argument("waiting"), None);
        assert_eq!(Alone::from_argument("dance:7"), None);
    }

    #[test]
    fn calls_and_loads_are_measured() {
        let answer = Alone::Waiting(10).measure();
        assert!(number(&answer, "nanoseconds").unwrap() > 0.0);
        assert!(Alone::Load("/no/such/file".into()).measure().is_err());
    }
}
