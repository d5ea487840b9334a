//! Policy servers have clients that others wrote: python-diameter, and freeDiameter with a small extension of ours. Each
//! has a session from its beginning to its end, and is told of a top-up in between. freeDiameter also sends the load.
//!
//! A program that is missing makes a test say so and pass; with STROWGER_REQUIRE_TOOLS=1 it fails.

#![cfg(all(feature = "serve", feature = "cli", unix))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    missing_docs,
    reason = "a test fails by panicking, and says why it is skipped"
)]

use std::fmt::Debug;
use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};
use strowger::pcrf::server::request;

#[path = "pcrf_peers/load.rs"]
mod load;

const GOLD: &str = "001010000000001";
const PATIENCE: Duration = Duration::from_mins(1);

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A test cannot run here.
fn missing(reason: &str) {
    assert!(
        std::env::var_os("STROWGER_REQUIRE_TOOLS").is_none_or(|value| value != "1"),
        "{reason}"
    );
    eprintln!("skipped: {reason}");
}

/// Runs a program to its end; the reason where that fails.
fn run(command: &mut Command) -> Result<String, String> {
    let name = format!("{command:?}");
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("{name}: {error}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    Err(format!("{name}: {said}"))
}

/// A folder of its own, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("strowger-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        let sample =
            |file: &str| std::fs::read_to_string(root().join("dialplans").join(file)).unwrap();
        // What is decided must not depend on the hour.
        let policy = sample("gx.conf");
        let timeless = policy
            .lines()
            .filter(|line| !line.starts_with("include => gold-night"));
        let policy = timeless.collect::<Vec<_>>().join("\n") + "\n";
        std::fs::write(path.join("gx.conf"), policy).unwrap();
        for file in ["rules.conf", "monitoring.conf", "subscribers.csv"] {
            std::fs::write(path.join(file), sample(file)).unwrap();
        }
        Self(path)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A program with lines in and lines out, ended at the end.
struct Talk {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Talk {
    fn start(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (sender, lines) = channel();
        let input = child.stdin.take();
        let outputs: [Box<dyn Read + Send>; 2] = [
            Box::new(child.stdout.take().unwrap()),
            Box::new(child.stderr.take().unwrap()),
        ];
        for output in outputs {
            let sender = sender.clone();
            std::thread::spawn(move || {
                for line in BufReader::new(output).lines().map_while(Result::ok) {
                    if sender.send(line).is_err() {
                        return;
                    }
                }
            });
        }
        Self {
            child,
            input,
            lines,
        }
    }

    fn say(&mut self, line: &str) {
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
    }

    /// What stands behind a beginning, on the next line that has it.
    fn hear(&self, beginning: &str) -> String {
        let mut others = String::new();
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => match line.strip_prefix(beginning) {
                    Some(rest) => return rest.to_owned(),
                    None => others.push_str(&format!("{line}\n")),
                },
                Err(error) => panic!("`{beginning}` is waited for ({error}): {others}"),
            }
        }
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A policy server.
struct Served {
    _talk: Talk,
    address: SocketAddr,
    control: PathBuf,
}

impl Served {
    fn start(folder: &Folder, options: &[&str]) -> Self {
        let control = folder.file("pcrf.sock");
        let talk = Talk::start(
            Command::new(env!("CARGO_BIN_EXE_strowger"))
                .args(["pcrf", "serve", "--listen", "127.0.0.1:0", "--policy"])
                .arg(folder.file("gx.conf"))
                .arg("--subscribers")
                .arg(folder.file("subscribers.csv"))
                .arg("--control")
                .arg(&control)
                .args(options),
        );
        let line = talk.hear("listening on ");
        let address = line.split(' ').next().unwrap().parse().unwrap();
        Self {
            _talk: talk,
            address,
            control,
        }
    }

    fn counter(&self, name: &str) -> u64 {
        let answer = request(&self.control, &json!({"command": "counters"})).unwrap();
        answer["value"][name].as_u64().unwrap()
    }

    fn top_up(&self) {
        run(Command::new(env!("CARGO_BIN_EXE_strowger"))
            .args(["pcrf", "topup", GOLD, "mk-gold", "--reset", "--control"])
            .arg(&self.control))
        .unwrap();
    }

    /// The client's answer to the pushed decision has come, and nothing went wrong with it.
    fn settled(&self, sessions: u64) {
        for _ in 0..200 {
            if self.counter("waiting-pushes") == 0 && self.counter("sessions") == sessions {
                break;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        for (name, count) in [
            ("sessions", sessions),
            ("waiting-pushes", 0),
            ("pushes", 1),
            ("push-failures", 0),
            ("push-timeouts", 0),
            ("push-repeats", 0),
            ("sessions-disowned", 0),
        ] {
            assert_eq!(self.counter(name), count, "{name}");
        }
    }
}

/// The interpreter of an environment with python-diameter; made once, and kept between runs.
fn python() -> Result<PathBuf, String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("python-diameter-0.9.0");
    let python = folder.join("bin/python");
    let ready = folder.join("ready");
    if !ready.exists() {
        run(Command::new("python3")
            .args(["-m", "venv", "--clear"])
            .arg(&folder))?;
        run(Command::new(&python).args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "python-diameter==0.9.0",
        ]))?;
        std::fs::write(ready, "").map_err(|error| error.to_string())?;
    }
    Ok(python)
}

/// Fails unless all of these members have these values.
fn is<T: Debug>(answer: &Value, members: &[(&str, Value)], of: T) {
    for (name, value) in members {
        assert_eq!(&answer[*name], value, "{name} of {of:?}: {answer}");
    }
}

#[test]
fn python_diameter_has_a_session() {
    let python = match python() {
        Ok(python) => python,
        Err(reason) => return missing(&reason),
    };
    let folder = Folder::new("peer-python");
    let server = Served::start(&folder, &[]);
    let client = |imsi: &str, apn: &str| {
        Talk::start(
            Command::new(&python)
                .arg(root().join("tests/pcrf_peers/gx_client.py"))
                .arg(server.address.port().to_string())
                .args([imsi, apn]),
        )
    };
    let hear = |talk: &Talk| -> Value {
        let rest = talk.hear("{");
        serde_json::from_str(&format!("{{{rest}")).unwrap()
    };
    let mut talk = client(GOLD, "internet");
    let answer = hear(&talk);
    let monitors = json!([{"key": ["mk-gold"], "grant": [100_000_000]}]);
    let begun = [
        ("kind", json!("I")),
        ("result", json!(2001)),
        ("type", json!(1)),
        ("number", json!(0)),
        ("install", json!(["gold-20m"])),
        ("remove", json!([])),
        ("monitors", monitors.clone()),
        ("triggers", json!([2, 4, 33])),
        ("qci", json!([8])),
    ];
    is(&answer, &begun, "CCA-I");
    let session = answer["session"].clone();
    talk.say("update 11000000000");
    let used_up = [
        ("kind", json!("U")),
        ("session", session.clone()),
        ("result", json!(2001)),
        ("number", json!(1)),
        ("install", json!(["throttle-128k"])),
        ("remove", json!(["gold-20m"])),
        ("qci", json!([9])),
    ];
    is(&hear(&talk), &used_up, "CCA-U");
    server.top_up();
    talk.say("push");
    let pushed = [
        ("kind", json!("RAR")),
        ("session", session.clone()),
        ("install", json!(["gold-20m"])),
        ("remove", json!(["throttle-128k"])),
        ("qci", json!([8])),
    ];
    is(&hear(&talk), &pushed, "RAR");
    server.settled(1);
    talk.say("update 5000000");
    let nothing = [
        ("result", json!(2001)),
        ("number", json!(2)),
        ("install", json!([])),
        ("remove", json!([])),
        ("monitors", monitors),
    ];
    is(&hear(&talk), &nothing, "CCA-U");
    talk.say("terminate");
    let over = [
        ("kind", json!("T")),
        ("session", session),
        ("result", json!(2001)),
        ("number", json!(3)),
        ("install", json!([])),
    ];
    is(&hear(&talk), &over, "CCA-T");
    server.settled(0);
    drop(talk);
    // Nobody of this name; an APN that nobody is allowed.
    let refusals = [
        ("001019999999999", "internet", 5030),
        (GOLD, "intranet", 5003),
    ];
    for (imsi, apn, code) in refusals {
        let answer = hear(&client(imsi, apn));
        is(&answer, &[("result", json!(code))], apn);
    }
}

/// The folder of freeDiameter's extensions.
fn extensions() -> Result<PathBuf, String> {
    let folders = [
        "/usr/lib/freeDiameter",
        "/usr/lib/x86_64-linux-gnu/freeDiameter",
        "/usr/local/lib/freeDiameter",
    ];
    let has = |folder: &&str| Path::new(folder).join("dict_dcca_3gpp.fdx").exists();
    let found = folders.iter().find(|folder| has(folder));
    found
        .map(PathBuf::from)
        .ok_or_else(|| "freediameter-extensions are not installed".to_owned())
}

/// Compiles the extension, and makes the certificate that the program wants though it uses none.
fn free_diameter(folder: &Folder) -> Result<PathBuf, String> {
    let extensions = extensions()?;
    run(Command::new("freeDiameterd").arg("--version"))?;
    run(Command::new("gcc")
        .args(["-shared", "-fPIC", "-Wall", "-O1", "-o"])
        .arg(folder.file("gx_client.fdx"))
        .arg(root().join("tests/pcrf_peers/gx_client.c")))?;
    run(Command::new("openssl")
        .args([
            "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
        ])
        .args(["-subj", "/CN=fd.localdomain", "-keyout"])
        .arg(folder.file("key.pem"))
        .arg("-out")
        .arg(folder.file("cert.pem")))?;
    Ok(extensions)
}

#[test]
fn free_diameter_has_a_session() {
    let folder = Folder::new("peer-freediameter");
    let extensions = match free_diameter(&folder) {
        Ok(extensions) => extensions,
        Err(reason) => return missing(&reason),
    };
    // It drops answers without a Result-Code, which RFC 8506 requires and TS 29.212 does not.
    let server = Served::start(&folder, &["--set", "experimental=result-only"]);
    let client = |name: &str, parameter: &str| {
        let (own, extensions) = (folder.0.display(), extensions.display());
        let port = server.address.port();
        let configuration = format!(
            "Identity = \"fd.localdomain\";\nRealm = \"localdomain\";\nPort = 0;\nSecPort = 0;\nNo_SCTP;\nNo_IPv6;\n\
             ListenOn = \"127.0.0.1\";\nTLS_Cred = \"{own}/cert.pem\", \"{own}/key.pem\";\nTLS_CA = \"{own}/cert.pem\";\n\
             LoadExtension = \"{extensions}/dict_nasreq.fdx\";\nLoadExtension = \"{extensions}/dict_dcca.fdx\";\n\
             LoadExtension = \"{extensions}/dict_dcca_3gpp.fdx\";\n\
             LoadExtension = \"{own}/gx_client.fdx\" : \"{parameter}\";\n\
             ConnectPeer = \"pcrf.localdomain\" {{ No_TLS; ConnectTo = \"127.0.0.1\"; Port = {port}; }};\n"
        );
        let file = folder.file(name);
        std::fs::write(&file, configuration).unwrap();
        Talk::start(Command::new("freeDiameterd").arg("-c").arg(file))
    };
    let mut talk = client("session.conf", &format!("{GOLD},internet"));
    assert_eq!(
        talk.hear("GX I "),
        "result=2001 install=gold-20m remove= triggers=2,4,33 grant=100000000 failed="
    );
    talk.say("update 11000000000");
    assert_eq!(
        talk.hear("GX U "),
        "result=2001 install=throttle-128k remove=gold-20m triggers= grant=100000000 failed="
    );
    server.top_up();
    assert_eq!(
        talk.hear("GX RAR "),
        "result= install=gold-20m remove=throttle-128k triggers= grant= failed="
    );
    server.settled(1);
    talk.say("terminate");
    assert_eq!(
        talk.hear("GX T "),
        "result=2001 install= remove= triggers= grant= failed="
    );
    server.settled(0);
    drop(talk);
    // Without an APN: 5140 of 3GPP, which this client is told as a code of the base protocol.
    let talk = client("incomplete.conf", &format!("{GOLD},"));
    let answer = talk.hear("GX I ");
    assert!(
        answer.starts_with("result=5005 ") && answer.ends_with(" failed=30"),
        "{answer}"
    );
}

/// The load of our own client: every answer is a success, and the table of the optimisations has its rows.
#[test]
fn a_load_is_answered() {
    let strowger = env!("CARGO_BIN_EXE_strowger");
    let load = [
        "--subscribers",
        "400",
        "--tps",
        "150",
        "--unpinned",
        "--json",
    ];
    let bench = run(Command::new(strowger)
        .args(["pcrf", "bench", "--seconds", "2", "--warm-up", "3"])
        .args(load))
    .unwrap();
    let bench: Value = serde_json::from_str(&bench).unwrap();
    let figures = &bench["figures"];
    assert_eq!(figures["answers"], json!({"2001": 300}), "{bench}");
    assert_eq!(figures["unanswered"], json!(0), "{bench}");
    // The marks at both ends are taken while answers are on their way.
    let requests = figures["counters"]["requests"].as_u64().unwrap();
    assert!((250..350).contains(&requests), "{bench}");
    let table = run(Command::new(strowger)
        .args(["pcrf", "ablate", "--rows", "all off,all on", "--no-maximum"])
        .args(["--runs", "1", "--seconds", "2", "--warm-up", "3"])
        .args(load))
    .unwrap();
    let table: Value = serde_json::from_str(&table).unwrap();
    let [naive, optimised] = [0, 1].map(|row| &table["rows"][row]);
    let of = |row: &Value, name: &str| row[name].as_f64().unwrap();
    for name in [
        "commits_per_request",
        "store_reads_per_request",
        "dialplan_runs_per_request",
        "avps_decoded_per_request",
        "bytes_copied_per_request",
        "time_stamps_per_second",
    ] {
        assert!(of(naive, name) > of(optimised, name), "{name}: {table}");
    }
    assert_eq!(
        (naive["failures"].as_u64(), optimised["failures"].as_u64()),
        (Some(0), Some(0))
    );
}
