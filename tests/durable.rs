//! What `run --db` reported as durable is there after kill -9.

#![cfg(feature = "cli")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::float_cmp,
    reason = "a test fails by panicking, and says what it measured"
)]

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use strowger::store::{Redb, Store};

/// Writes without end, waits every seventh time until it is on disk, and says so.
const PLAN: &str = "\
[main]
exten => s,1,Set(i=${first})
 same => n(top),Set(DB(n/${i})=${i}:${filler}:${i})
 same => n,GotoIf($[${i} % 7 != 0]?next)
 same => n,DBSync()
 same => n,Verbose(0,durable ${DBSYNCSTATUS} ${i})
 same => n(next),Set(i=$[${i} + 1])
 same => n,Goto(top)
";

const KILLS: u32 = 20;

fn value(n: u64, filler: &str) -> String {
    format!("{n}:{filler}:{n}")
}

/// Runs the dialplan on a file and kills it after a time. The last number that it reported durable, if any.
fn run_and_kill(
    plan: &Path,
    file: &Path,
    first: u64,
    filler: &str,
    after: Duration,
) -> Option<u64> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_strowger"))
        .arg("run")
        .arg(plan)
        .args(["s@main", "--max-priorities", "100000000000", "--db"])
        .arg(file)
        .args(["--var", &format!("first={first}")])
        .args(["--var", &format!("filler={filler}")])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let reader = std::thread::spawn(move || {
        let mut last = None;
        while let Some(Ok(line)) = lines.next() {
            if let Some(report) = line.strip_prefix("durable ") {
                let number = report.strip_prefix("DISK ").expect(report);
                // A last line without its end was not said.
                last = number.parse().ok().or(last);
            }
        }
        last
    });
    std::thread::sleep(after);
    child.kill().unwrap();
    child.wait().unwrap();
    reader.join().unwrap()
}

#[test]
fn what_was_durable_outlives_a_kill() {
    let folder = std::env::temp_dir().join(format!("strowger-durable-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (plan, file) = (folder.join("extensions.conf"), folder.join("calls.db"));
    std::fs::write(&plan, PLAN).unwrap();
    let filler = "x".repeat(600);
    // A kill while the file is being made leaves none that can be opened, and nothing that was reported.
    drop(Redb::create(&file).unwrap());
    let (mut first, mut reported, mut kills) = (1, 0, 0);
    for round in 0..KILLS * 5 {
        if kills == KILLS {
            break;
        }
        // 30 to 350 milliseconds: in the middle of a write as well as between two.
        let after = Duration::from_micros(30_000 + u64::from(round * 7919 % 32) * 10_007);
        let last = run_and_kill(&plan, &file, first, &filler, after);
        let store = match Redb::create(&file) {
            Ok(store) => store,
            Err(fault) => panic!("after {kills} kills: {fault}"),
        };
        let entries = store.scan(b"n/");
        let mut numbers: Vec<u64> = entries
            .iter()
            .map(|(path, held)| {
                let n: u64 = path.lossy()[2..].parse().unwrap();
                assert_eq!(held.lossy(), value(n, &filler), "values are whole");
                n
            })
            .collect();
        numbers.sort_unstable();
        let held = numbers.len() as u64;
        assert_eq!(
            numbers,
            (1..=held).collect::<Vec<_>>(),
            "the file is one moment: no change without those before it"
        );
        if let Some(last) = last {
            // A kill before anything was reported shows nothing, and is tried again.
            kills += 1;
            reported = last;
        }
        assert!(held >= reported, "{reported} was reported, {held} is there");
        first = held + 1;
    }
    println!(
        "{kills} kills, {reported} entries reported durable, {} there",
        first - 1
    );
    assert_eq!(kills, KILLS);
    std::fs::remove_dir_all(&folder).unwrap();
}
