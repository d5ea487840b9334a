//! The command line: what the README shows, exit codes, standard input, shapes of JSON.

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

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

const PLAN: &str = "[a]\nexten => 1,1,NoOp(one)\n same => n(x),Set(y=1)\n same => n,GotoIf($[${y} = 1]?x2)\n \
                    same => n(x2),Hangup()\n[b]\ninclude => a\nexten => _2X,1,NoOp()\n";

fn strowger(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_strowger"))
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that does not read its input may be gone already.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn code(arguments: &[&str], input: &str) -> i32 {
    strowger(arguments, input).status.code().unwrap()
}

fn json(arguments: &[&str], input: &str) -> Value {
    let output = strowger(arguments, input);
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{arguments:?}: {e}: {}", text(&output.stderr)))
}

fn keys(value: &Value) -> Vec<&str> {
    value
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}

#[test]
fn exit_codes() {
    let refused = "exten => 1,1,NoOp()\n";
    let faulty = "[a]\nexten => 1,x,NoOp()\n";
    let suspicious = "[a]\ninclude => nowhere\n";
    for (want, arguments, input) in [
        (0, vec!["show", "-"], PLAN),
        (0, vec!["show", "-", "b"], PLAN),
        (0, vec!["show", "-", "1@b"], PLAN),
        (1, vec!["show", "-", "c"], PLAN),
        (3, vec!["show", "-"], refused),
        (3, vec!["show", "-", "--json"], refused),
        (3, vec!["show", "/no/such/file"], ""),
        (0, vec!["lookup", "-", "1@b"], PLAN),
        (1, vec!["lookup", "-", "9@b"], PLAN),
        (1, vec!["lookup", "-", "9@nowhere"], PLAN),
        (2, vec!["lookup", "-", "9"], PLAN),
        (2, vec!["lookup", "-", "--jsonl"], PLAN),
        (2, vec!["lookup", "-"], PLAN),
        (3, vec!["lookup", "-", "1@a"], refused),
        (0, vec!["check", "-"], PLAN),
        (0, vec!["check", "-"], suspicious),
        (1, vec!["check", "-", "--deny", "warnings"], suspicious),
        (1, vec!["check", "-", "--quiet"], faulty),
        (3, vec!["check", "-"], refused),
        (2, vec!["check"], ""),
        (0, vec!["bench", "-", "1@a", "--runs", "1"], PLAN),
        (2, vec!["bench", "-", "9@a"], PLAN),
        (2, vec!["bench", "-", "1"], PLAN),
        (2, vec!["bench", "-", "1@a", "--set", "z=1"], PLAN),
        (3, vec!["bench", "-", "1@a"], refused),
        (0, vec!["run", "-", "1@a"], PLAN),
        (0, vec!["run", "-", "1@a", "--priority", "x2"], PLAN),
        (2, vec!["run", "-", "1@a", "--priority", "x3"], PLAN),
        (0, vec!["run", "-", "1@a", "--press", "09AD*#"], PLAN),
        (2, vec!["run", "-", "1@a", "--press", "1x"], PLAN),
        (2, vec!["run", "-", "1@a", "--peer", "d-1x"], PLAN),
        (0, vec!["run", "-", "1@a", "--sounds", "src"], PLAN),
        (3, vec!["run", "-", "1@a", "--sounds", "no/such"], PLAN),
        (2, vec!["run", "-", "1@a", "--set", "z=1"], PLAN),
        (3, vec!["run", "-", "1@a"], refused),
        (0, vec!["eval", "$[1+1]"], ""),
        (0, vec!["doc", "goto"], ""),
        (2, vec!["doc", "NoSuchThing"], ""),
        (0, vec!["explain", "e104"], ""),
        (2, vec!["explain", "X1"], ""),
        (0, vec!["completions", "bash"], ""),
        (0, vec!["--help"], ""),
        (0, vec!["--version"], ""),
        (2, vec!["nonsense"], ""),
        (2, vec![], ""),
    ] {
        assert_eq!(code(&arguments, input), want, "{arguments:?}");
    }
}

#[test]
fn every_command_has_help_with_examples() {
    for command in [
        "show",
        "lookup",
        "check",
        "eval",
        "run",
        "bench",
        "doc",
        "explain",
        "completions",
    ] {
        let output = strowger(&[command, "--help"], "");
        assert!(output.status.success());
        let help = text(&output.stdout);
        assert!(help.contains("Usage: strowger"), "{help}");
        assert!(
            help.contains("Example"),
            "{command} has no example:\n{help}"
        );
        assert!(
            !help.contains('\x1b'),
            "{command} colours what is no terminal"
        );
    }
    let colored = strowger(&["--color", "always", "explain", "E104"], "");
    assert!(text(&colored.stdout).contains('\x1b'));
}

#[test]
fn results_and_messages_do_not_mix() {
    let output = strowger(
        &["show", "-"],
        "[a]\nexten => 1,1,NoOp()\ninclude => nowhere\n",
    );
    assert!(text(&output.stdout).starts_with("[ Context 'a'"));
    assert!(text(&output.stderr).starts_with("-:3:1: E116: "));
    assert!(
        strowger(&["check", "-", "--quiet"], "x\n")
            .stderr
            .is_empty()
    );
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_strowger"))
        .args(["explain"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty());
}

#[test]
fn shapes_of_json() {
    let shown = json(&["show", "-", "--json"], PLAN);
    assert_eq!(keys(&shown), ["loaded", "globals", "contexts", "log"]);
    let found = json(
        &["check", "-", "--json"],
        "[a]\nexten => 1,1,Nothing()\nexten => 1,x,NoOp()\n",
    );
    let first = &found[0];
    let wanted = [
        "code", "kind", "severity", "file", "line", "column", "message", "help",
    ];
    assert_eq!(keys(first), wanted);
    let unknown = found
        .as_array()
        .unwrap()
        .iter()
        .find(|d| d["code"] == "E304")
        .unwrap();
    assert_eq!(unknown["kind"], "application-unknown");
    assert_eq!(unknown["severity"], "warning");
    assert_eq!(unknown["line"], 2);
    let bench = json(&["bench", "-", "1@a", "--runs", "2", "--json"], PLAN);
    assert_eq!(
        keys(&bench),
        [
            "priorities",
            "seconds",
            "pips",
            "spread",
            "runs",
            "baselines",
            "calls",
            "threads",
            "machine",
            "rustc",
            "commit"
        ]
    );
    assert_eq!(bench["priorities"], 4);
    assert_eq!(bench["runs"].as_array().unwrap().len(), 2);
    assert_eq!(keys(&bench["runs"][0]), ["priorities", "seconds", "pips"]);
    let names: Vec<&Value> = bench["baselines"]
        .as_array()
        .unwrap()
        .iter()
        .map(|b| &b["name"])
        .collect();
    assert_eq!(names, ["native", "naive"]);
    let status = json(&["doc", "--status", "--json"], "");
    assert_eq!(keys(&status), ["applications", "functions"]);
    assert_eq!(
        keys(&status["functions"][0]),
        ["name", "support", "origin", "note"]
    );
}

#[test]
fn the_answer_of_a_call_is_written_as_it_is_made() {
    let plan = "[a]\nexten => 1,1,Set(x=\u{e4}${NoSuch()})\n same => n,Set(i=${i}y)\n \
                same => n,GotoIf($[${i} != yyy]?1)\n";
    let answer = json(&["run", "-", "1@a", "--json", "--vars", "i,x"], plan);
    assert_eq!(keys(&answer), ["channels", "notes", "log"]);
    let main = &answer["channels"]["main"];
    assert_eq!(keys(main), ["trace", "vars", "cause"]);
    assert_eq!(main["trace"].as_array().unwrap().len(), 9);
    assert_eq!(
        main["trace"][0],
        serde_json::json!(["a", "1", 1, "Set", "x=\u{e4}"])
    );
    assert_eq!(keys(&main["vars"]), ["i", "x"]);
    let unknown = |entry: &&Value| entry["kind"] == "func-unknown";
    let log = answer["log"].as_array().unwrap();
    assert_eq!(log.iter().filter(unknown).count(), 3, "{log:?}");
}

#[test]
fn calls_line_by_line_say_where_they_begin() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("calls.conf");
    std::fs::write(&file, PLAN).unwrap();
    let file = file.to_str().unwrap();
    let input = "{\"id\": 1, \"context\": \"a\"}\n{\"id\": 2, \"exten\": \"1\"}\n\
                 {\"id\": 3, \"context\": \"a\", \"exten\": \"1\"}\n\
                 {\"id\": 4, \"context\": \"a\", \"exten\": \"1\", \"press\": \"x\"}\n";
    let answers = |arguments: &[&str]| -> (Option<i32>, Vec<Vec<String>>) {
        let output = strowger(arguments, input);
        let lines = text(&output.stdout);
        let values = lines.lines().map(|l| serde_json::from_str(l).unwrap());
        let keys = values.map(|v: Value| keys(&v).iter().map(ToString::to_string).collect());
        (output.status.code(), keys.collect())
    };
    let (error, fine) = (vec!["id", "error"], vec!["id", "channels", "notes", "log"]);
    let (status, lines) = answers(&["run", file, "--jsonl"]);
    assert_eq!(status, Some(1));
    assert_eq!(lines, [&error, &error, &fine, &error].map(Clone::clone));
    let (_, lines) = answers(&["run", file, "1@a", "--jsonl"]);
    assert_eq!(lines, [&fine, &fine, &fine, &error].map(Clone::clone));
}

#[test]
fn lookups_line_by_line() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lookups.conf");
    std::fs::write(&file, PLAN).unwrap();
    let input = "{\"id\": 7, \"context\": \"b\", \"dialed\": \"1\"}\nnot json\n{\"id\": 8, \"context\": \"b\"}\n\
                 {\"id\": [9], \"context\": \"b\", \"dialed\": {\"hex\": \"31\"}, \"label\": \"x\"}\n";
    let output = strowger(&["lookup", file.to_str().unwrap(), "--jsonl"], input);
    assert_eq!(output.status.code(), Some(1));
    let lines: Vec<Value> = text(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 4);
    assert_eq!(
        keys(&lines[0]),
        ["id", "exists", "canmatch", "matchmore", "found", "why"]
    );
    assert_eq!(lines[0]["found"]["context"], "a");
    assert_eq!(keys(&lines[1]), ["id", "error"]);
    assert_eq!(lines[2]["id"], 8);
    assert_eq!(lines[3]["found"]["priority"], 2);
}

#[test]
fn loads_of_several_calls_count_them_all() {
    let bench = |more: &[&str]| {
        let mut arguments = vec!["bench", "-", "1@a", "--runs", "1", "--json"];
        arguments.extend(more);
        json(&arguments, PLAN)
    };
    assert_eq!(bench(&["--calls", "5"])["priorities"], 20);
    assert_eq!(bench(&["--threads", "2"])["calls"], 2);
    assert_eq!(bench(&["--calls", "5", "--threads", "2"])["priorities"], 20);
    assert_eq!(bench(&["--set", "y=2"])["priorities"], 4);
    let profile = &bench(&["--profile"])["profile"];
    assert_eq!(profile["extensions"][0]["calls"], 4);
}

/// The commands of the README print what it shows: `...` stands for any lines, `[..]` for any text in a line.
#[test]
fn the_readme_is_true() {
    let readme =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).unwrap();
    let mut commands = 0;
    for block in readme.split("```console\n").skip(1) {
        let block = block.split("```").next().unwrap();
        for entry in format!("\n{block}").split("\n$ ").skip(1) {
            shown(entry);
            commands += 1;
        }
    }
    assert!(commands >= 8, "only {commands} commands found");
}

fn shown(entry: &str) {
    let (command, wanted) = entry.split_once('\n').unwrap_or((entry, ""));
    let binary = Path::new(env!("CARGO_BIN_EXE_strowger")).parent().unwrap();
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap());
    let output = Command::new("sh")
        .args(["-c", &format!("{{ {command}\n}} 2>&1")])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("PATH", path)
        .output()
        .unwrap();
    let got = text(&output.stdout);
    let wanted: Vec<&str> = wanted.trim_end().lines().collect();
    let lines: Vec<&str> = got.trim_end().lines().collect();
    assert!(
        same(&wanted, &lines),
        "{command}\nREADME:\n{}\ngot:\n{got}",
        wanted.join("\n")
    );
}

fn same(wanted: &[&str], got: &[&str]) -> bool {
    match (wanted.split_first(), got.split_first()) {
        (None, None) => true,
        (Some((&"...", rest)), _) => (0..=got.len()).any(|skip| same(rest, &got[skip..])),
        (Some((want, wanted)), Some((line, got))) => fits(want, line) && same(wanted, got),
        _ => false,
    }
}

fn fits(want: &str, line: &str) -> bool {
    let mut rest = line;
    let mut parts = want.split("[..]").peekable();
    let first = parts.next().unwrap();
    let Some(after) = rest.strip_prefix(first) else {
        return false;
    };
    rest = after;
    let mut open = false;
    while let Some(part) = parts.next() {
        open = part.is_empty();
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    open || rest.is_empty()
}

#[test]
fn check_of_very_many_faults_takes_no_square_of_time() {
    let faulty = format!("[a]\n{}", "x => y\n".repeat(100_000));
    let began = std::time::Instant::now();
    let found = json(&["check", "-", "--json"], &faulty);
    let found = found.as_array().unwrap();
    assert_eq!(found.len(), 100_000);
    assert!(found.iter().all(|d| d["kind"] == "directive-unknown"));
    assert!(began.elapsed().as_secs() < 30, "{:?}", began.elapsed());
}

/// A new folder for the files of one test.
fn folder(name: &str) -> std::path::PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn only_regular_files_are_read() {
    let folder = folder("devices");
    let pipe = folder.join("pipe");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    std::os::unix::fs::symlink("/dev/zero", folder.join("zero")).unwrap();
    std::fs::write(folder.join("real"), "[a]\nexten => 1,1,A\n").unwrap();
    std::os::unix::fs::symlink("real", folder.join("link")).unwrap();
    for name in ["pipe", "zero", "/dev/zero"] {
        let path = folder.join(name);
        let output = strowger(&["check", path.to_str().unwrap()], "");
        assert_eq!(output.status.code(), Some(3), "{name}");
        let said = text(&output.stderr);
        assert!(
            said.contains("E020") && said.contains("not a regular file"),
            "{said}"
        );
        for (directive, status) in [("include", 3), ("tryinclude", 1)] {
            let input = format!("#{directive} {}\n", path.display());
            let output = strowger(&["check", "-"], &input);
            assert_eq!(output.status.code(), Some(status), "{input}");
            assert!(text(&output.stderr).contains("not a regular file"));
        }
    }
    assert_eq!(
        code(&["check", folder.join("link").to_str().unwrap()], ""),
        0
    );
}

#[test]
fn names_of_files_need_not_be_utf8() {
    use std::os::unix::ffi::OsStrExt as _;
    let folder = folder("latin1");
    let name = std::ffi::OsStr::from_bytes(b"t\xfcr.conf");
    std::fs::write(folder.join(name), "exten => 1,1,NoOp(x)\n").unwrap();
    let main = folder.join("extensions.conf");
    std::fs::write(&main, b"[a]\n#include t\xfcr.conf\n").unwrap();
    let shown = json(&["show", main.to_str().unwrap(), "--json"], "");
    assert_eq!(shown["contexts"][0]["extens"][0]["exten"], "1");
    std::fs::write(&main, "[a]\n#include t*.conf\n").unwrap();
    assert_eq!(json(&["show", main.to_str().unwrap(), "--json"], ""), shown);
}

#[test]
fn arguments_need_not_be_utf8() {
    use std::os::unix::ffi::OsStrExt as _;
    let folder = folder("arguments");
    let file = folder.join(std::ffi::OsStr::from_bytes(b"\xfc.conf"));
    std::fs::write(&file, PLAN).unwrap();
    let output = |arguments: &[&[u8]]| {
        let output = Command::new(env!("CARGO_BIN_EXE_strowger"))
            .args(arguments.iter().map(|a| std::ffi::OsStr::from_bytes(a)))
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        output.stdout
    };
    let file = file.as_os_str().as_bytes();
    output(&[b"show", file, b"a"]);
    output(&[b"check", file]);
    output(&[b"lookup", file, b"1@a"]);
    output(&[b"run", file, b"1@a", b"--var", b"v=\xff"]);
    output(&[b"bench", file, b"1@a", b"--runs", b"1"]);
    let got = output(&[b"eval", b"\xe4${v}", b"--var", b"v=\xff", b"--file", file]);
    assert_eq!(got, b"\xe4\xff\n");
}

#[test]
fn json_of_a_part() {
    let names = |value: &Value| -> Vec<String> {
        let contexts = value["contexts"].as_array().unwrap();
        contexts
            .iter()
            .map(|c| c["name"].as_str().unwrap().to_owned())
            .collect()
    };
    let whole = json(&["show", "-", "--json"], PLAN);
    let one = json(&["show", "-", "b", "--json"], PLAN);
    assert_eq!(keys(&one), keys(&whole));
    assert_eq!(one["contexts"][0], whole["contexts"][1]);
    assert_eq!(names(&one), ["b"]);
    // What is reached through an include stands in its own context.
    assert_eq!(names(&json(&["show", "-", "1@b", "--json"], PLAN)), ["a"]);
    assert_eq!(names(&json(&["show", "-", "21@b", "--json"], PLAN)), ["b"]);
    for missing in ["c", "1@c", "9@b"] {
        let output = strowger(&["show", "-", missing, "--json"], PLAN);
        assert_eq!(output.status.code(), Some(1));
        assert!(output.stdout.is_empty() && text(&output.stderr).contains("no existence of"));
    }
}

/// A folder of one test, gone afterwards.
struct Folder(std::path::PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("strowger-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The recorded look of Asterisk's `database` commands.
#[test]
fn db_looks_like_database() {
    let folder = Folder::new("db");
    let db = folder.file("calls.db");
    let said = |arguments: &[&str], status: i32| {
        let mut all = vec!["db", arguments[0], &db];
        all.extend(&arguments[1..]);
        let output = strowger(&all, "");
        assert_eq!(output.status.code(), Some(status), "{arguments:?}");
        text(&output.stdout)
    };
    said(&["show"], 3);
    assert_eq!(
        said(&["put", "fam", "k", "v"], 0),
        "Updated database successfully\n"
    );
    let row = "/fam/k                                            : v                        \n";
    assert_eq!(said(&["show"], 0), format!("{row}1 results found.\n"));
    assert_eq!(said(&["get", "fam", "k"], 0), "Value: v\n");
    assert_eq!(
        said(&["get", "fam", "nokey"], 1),
        "Database entry not found.\n"
    );
    assert_eq!(
        said(&["showkey", "k"], 0),
        format!("{row}1 results found.\n")
    );
    said(&["put", "family", "k", "v"], 0);
    assert_eq!(
        said(&["show", "fam"], 0),
        format!("{row}1 results found.\n")
    );
    assert_eq!(
        said(&["show", "fam", "k"], 0),
        format!("{row}1 results found.\n")
    );
    let get: Value = serde_json::from_str(&said(&["get", "fam", "k", "--json"], 0)).unwrap();
    assert_eq!(get["value"], "v");
    let show: Value = serde_json::from_str(&said(&["show", "--json"], 0)).unwrap();
    assert_eq!(show[1]["family"], "family");
    assert_eq!(said(&["del", "fam", "k"], 0), "Database entry removed.\n");
    said(&["del", "fam", "k"], 1);
    assert_eq!(
        said(&["deltree", "fam"], 1),
        "Database entries do not exist.\n"
    );
    assert_eq!(
        said(&["deltree", "family"], 0),
        "1 database entries removed.\n"
    );
}

#[test]
fn calls_share_a_file() {
    let folder = Folder::new("calls");
    let (db, plan) = (folder.file("calls.db"), folder.file("extensions.conf"));
    std::fs::write(
        &plan,
        "[a]\nexten => 1,1,Set(DB(n/calls)=$[0${DB(n/calls)} + 1])\n same => n,DBSync()\n \
         same => n,Set(x=${DB(n/calls)} ${DBSYNCSTATUS})\n",
    )
    .unwrap();
    let lines = "{\"id\": 1, \"exten\": \"1\", \"context\": \"a\"}\n".repeat(2);
    let output = strowger(
        &["run", &plan, "--jsonl", "--db", &db, "--vars", "x"],
        &lines,
    );
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(
        text(&output.stdout).contains("2 DISK"),
        "{}",
        text(&output.stdout)
    );
    let eval = strowger(&["eval", "${DB(n/calls)}", "--db", &db], "");
    assert_eq!(text(&eval.stdout), "2\n");
    let without = strowger(&["run", &plan, "1@a", "--json", "--vars", "x"], "");
    assert!(text(&without.stdout).contains("1 MEMORY"));
    for (file, code) in [(plan.as_str(), "E403"), ("/", "E401")] {
        let output = strowger(&["run", &plan, "1@a", "--db", file], "");
        assert_eq!(output.status.code(), Some(3));
        assert!(
            text(&output.stderr).contains(code),
            "{}",
            text(&output.stderr)
        );
    }
}

/// Tables are read before the call begins; what a call changes is there for the next one only where it is kept.
#[test]
fn realtime_tables() {
    let folder = Folder::new("realtime");
    let (table, plan) = (folder.file("t.csv"), folder.file("extensions.conf"));
    std::fs::write(
        &plan,
        "[a]\nexten => 1,1,Set(x=${REALTIME_FIELD(t,name,ann,n)})\n \
         same => n,Set(REALTIME(t,name,ann,n)=${x}1)\n",
    )
    .unwrap();
    let family = format!("t={table}");
    let offered = ["run", &plan, "--vars", "x", "--realtime", &family];
    std::fs::write(&table, "name,n\nann,\"1\n").unwrap();
    let output = strowger(&[&offered[..], &["1@a"]].concat(), "");
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(
        text(&output.stderr),
        format!("{table}: a quote is not closed\n")
    );
    std::fs::write(&table, "name,n\nann,1\n").unwrap();
    let lines = "{\"id\": 1, \"exten\": \"1\", \"context\": \"a\"}\n".repeat(2);
    let values = |more: &[&str]| -> Vec<Value> {
        let output = strowger(&[&offered[..], &["--jsonl"], more].concat(), &lines);
        text(&output.stdout)
            .lines()
            .map(|line| {
                let answer: Value = serde_json::from_str(line).unwrap();
                answer["channels"]["main"]["vars"]["x"].clone()
            })
            .collect()
    };
    assert_eq!(values(&[]), ["1", "1"]);
    assert_eq!(std::fs::read_to_string(&table).unwrap(), "name,n\nann,1\n");
    assert_eq!(values(&["--allow", "file"]), ["1", "11"]);
    assert_eq!(
        std::fs::read_to_string(&table).unwrap(),
        "name,n\nann,111\n"
    );
}

#[test]
fn keys_of_control_playback() {
    let plan = "[a]\nexten => 1,1,ControlPlayback(x&y,,,,5,,7)\n \
                same => n,Set(r=${CPLAYBACKSTATUS} ${CPLAYBACKOFFSET} ${CPLAYBACKSTOPKEY})\n";
    let result = |press: &str| {
        let output = strowger(
            &["run", "-", "1@a", "--json", "--vars", "r", "--press", press],
            plan,
        );
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        answer["channels"]["main"]["vars"]["r"].clone()
    };
    let stopped = result("5");
    assert!(stopped.as_str().unwrap().starts_with("USERSTOPPED "));
    assert_ne!(stopped, "USERSTOPPED -1 5");
    // The restart key brings the same place once more.
    assert_eq!(result("775"), stopped);
    assert_eq!(result("77"), "SUCCESS -1 ");
}
