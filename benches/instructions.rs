//! Instruction counts, which hold still where times do not: a guard against slower code.
//!
//! `cargo bench --bench instructions` runs each body so many times and twice as many under valgrind; the difference
//! is the body alone. `tests/data/instructions.json` holds what is expected, for each compiler, and how much more is
//! tolerated. After a change that is meant, or with a new compiler: `cargo bench --bench instructions -- --renew`,
//! and look at the difference in the file.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::float_cmp,
    reason = "a guard fails by panicking"
)]

use std::hint::black_box;
use std::process::{Command, ExitCode};

use serde_json::{Map, Value, json};
use strowger::machine::Limits;
use strowger::measure::Load;
use strowger::measure::dialplans::{Loop, MIX, MURF, engine, unlimited};
use strowger::measure::loading::many_contexts;
use strowger::measure::machine::rustc;
use strowger::measure::pips::run;
use strowger::measure::suite::{LINES_AT, Numbers, lines_of};
use strowger::program::{ContextId, Want};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/instructions.json");

/// What more is tolerated, as a part of what is expected; and with a compiler that is not in the file, where the
/// figures of the last one there stand in.
const TOLERANCE: f64 = 0.03;
const OTHER_COMPILER: f64 = 0.25;

/// A body: what one is, how many, what runs them.
type Body = (&'static str, u32, fn(u32));

const BODIES: [Body; 5] = [
    ("1,000 priorities of murf-81.conf", 2_000, counting),
    ("1,000 priorities of mix.conf", 500, mixed),
    ("a match among 10,000", 50_000, matches),
    ("a line with an expression", 50_000, expressions),
    ("a load of 1,000 lines", 20, loads),
];

fn loops(plan: &Loop, rounds: u32) {
    let limits = unlimited(Limits::default().fuel);
    let engine = plan.engine(rounds, limits).unwrap();
    black_box(run(&engine, &plan.place, Load::ONE, None));
}

fn counting(thousands: u32) {
    loops(&MURF, thousands * 250);
}

fn mixed(thousands: u32) {
    loops(&MIX, thousands * 100);
}

fn matches(times: u32) {
    let numbers = Numbers::new(10_000, 96);
    let image = engine(&numbers.text()).unwrap().image();
    let (table, matcher) = (&image.program.table, &image.program.matcher);
    for probe in numbers.probes.iter().cycle().take(times as usize) {
        let exten = black_box(probe.as_bytes());
        black_box(
            matcher
                .find(table, ContextId(0), exten, Want::Priority(1), None, 0)
                .is_ok(),
        );
    }
}

/// Lines run in calls of 1,000; the start of a call counts with them.
fn expressions(times: u32) {
    let engine = engine(&lines_of("$[${i} * 3 - 7 > 12]")).unwrap();
    for _ in 0..times / 1_000 {
        black_box(run(&engine, &LINES_AT, Load::ONE, None));
    }
}

fn loads(times: u32) {
    let text = many_contexts(200);
    for _ in 0..times {
        black_box(engine(&text).unwrap());
    }
}

/// Instructions of this program with a body run so often; `None` = there is no valgrind.
fn instructions(body: &str, times: u32) -> Option<u64> {
    let output = Command::new("valgrind")
        .args([
            "--tool=cachegrind",
            "--cache-sim=no",
            "--cachegrind-out-file=/dev/null",
        ])
        .arg(std::env::current_exe().unwrap())
        .args(["--body", body, &times.to_string()])
        .output()
        .ok()?;
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    // ==1== I   refs:      1,234,567
    let line = said
        .lines()
        .find(|line| line.contains("refs:"))
        .unwrap_or_else(|| panic!("no count in:\n{said}"));
    let digits: String = line
        .rsplit_once("refs:")
        .unwrap()
        .1
        .chars()
        .filter(char::is_ascii_digit)
        .collect();
    Some(digits.parse().unwrap())
}

/// Release of the compiler, such as `rustc 1.95.0`.
fn compiler() -> String {
    rustc().split(' ').take(2).collect::<Vec<_>>().join(" ")
}

fn read() -> Map<String, Value> {
    match std::fs::read_to_string(FILE) {
        Ok(text) => serde_json::from_str(&text).unwrap(),
        Err(_) => Map::new(),
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, name, times] = arguments.as_slice()
        && flag == "--body"
    {
        let (_, _, body) = BODIES.iter().find(|(body, ..)| body == name).unwrap();
        body(times.parse().unwrap());
        return ExitCode::SUCCESS;
    }
    if Command::new("valgrind").arg("--version").output().is_err() {
        println!("skipped: valgrind is not installed");
        return match std::env::var_os("STROWGER_REQUIRE_TOOLS") {
            Some(_) => ExitCode::FAILURE,
            None => ExitCode::SUCCESS,
        };
    }
    let renew = arguments.iter().any(|argument| argument == "--renew");
    let mut recorded = read();
    let (expected, tolerance) = if let Some(counts) = recorded.get(&compiler()) {
        (counts.clone(), TOLERANCE)
    } else {
        println!("{FILE} has no counts for {}; see --renew", compiler());
        let last = recorded.values().next_back().cloned();
        (last.unwrap_or_else(|| json!({})), OTHER_COMPILER)
    };
    let mut counts = Map::new();
    let mut worse = false;
    for (name, times, _) in BODIES {
        let count = |times| instructions(name, times).unwrap();
        let each = (count(times * 2) - count(times)) as f64 / f64::from(times);
        counts.insert(name.into(), json!(each.round()));
        let Some(before) = expected.get(name).and_then(Value::as_f64) else {
            println!("{name}: {each:.0} instructions, nothing to compare with");
            continue;
        };
        let change = each / before - 1.0;
        let verdict = match change {
            change if change > tolerance => {
                worse = true;
                "MORE THAN TOLERATED"
            }
            change if change < -tolerance => "less: --renew keeps it so",
            _ => "as expected",
        };
        println!(
            "{name}: {each:.0} instructions, {:+.1} %, {verdict}",
            change * 100.0
        );
    }
    if renew {
        recorded.insert(compiler(), Value::Object(counts));
        let text = format!("{:#}\n", Value::Object(recorded));
        std::fs::write(FILE, text).unwrap();
        println!("written to {FILE}");
        return ExitCode::SUCCESS;
    }
    if worse {
        println!("if the change is worth it: cargo bench --bench instructions -- --renew");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
