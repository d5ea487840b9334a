//! The PCRF on a loopback port: a raw client, pushed decisions, commands, and kill -9 under load.

#![cfg(all(feature = "serve", feature = "cli", unix))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr,
    dead_code,
    missing_docs,
    unreachable_pub,
    reason = "a test fails by panicking, and says what it measured"
)]

#[path = "pcrf/dialled.rs"]
mod dialled;
#[path = "pcrf/gx.rs"]
mod gx;
#[path = "pcrf/served.rs"]
mod served;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Command;
use std::time::Duration;

use gx::{Ccr, POLICY, RULES, SUBSCRIBERS, raa};
use serde_json::{Value, json};
use served::{Client, Folder, GOLD, Served, outlives_kill_9};
use strowger::pcrf::diameter::{GX, Writer, command, flag, id};
use strowger::pcrf::server::request;

#[test]
fn a_session_over_tcp_and_the_commands_to_the_server() {
    let folder = Folder::new("commands");
    let mut server = Served::start(&folder.0, &["--opt", "timecache=off"]);
    let mut client = Client::connect(server.address);
    let mut second = Client::of(server.address, "other.example", Some(4));
    assert_eq!(
        client
            .ask(&Ccr::initial("pgw;1", GOLD, "internet"))
            .installed(),
        ["gold-20m"]
    );
    let other = Ccr {
        host: "other.example".into(),
        ..Ccr::initial("other;1", "001010000000002", "ims")
    };
    assert_eq!(second.ask(&other).installed(), ["ims-signalling"]);
    assert_eq!(
        client
            .ask(&Ccr::update("pgw;1", 1).used("mk-gold", 1_000_000_000))
            .installed(),
        ["throttle-128k"]
    );
    let sessions = server.ask(&json!({"command": "sessions"}));
    assert_eq!(sessions["count"], json!(2));
    let session = server.ask(&json!({"command": "session", "session": "pgw;1"}));
    assert_eq!(session["rules"], json!(["throttle-128k"]));
    assert_eq!(session["usage"][0]["used"], json!(1_000_000_000));
    // A top-up is pushed.
    server.ask(
        &json!({"command": "topup", "subscriber": GOLD, "key": "mk-gold", "octets": 1_000_000_000}),
    );
    let rar = client.receive().unwrap();
    assert_eq!(rar.installed(), ["gold-20m"]);
    client.stream.write_all(&raa(&rar.0, 2001)).unwrap();
    // A changed policy is pushed, by itself.
    std::thread::sleep(Duration::from_millis(1500));
    std::fs::write(
        folder.0.join("gx.conf"),
        POLICY.replace("gold-20m", "gold-30m"),
    )
    .unwrap();
    let rar = client.receive().unwrap();
    assert_eq!(
        (rar.installed(), rar.removed()),
        (vec!["gold-30m".into()], vec!["gold-20m".into()])
    );
    // No answer: once more, with the T flag.
    let again = client.receive().unwrap();
    assert_ne!(again.message().header().flags & flag::RETRANSMITTED, 0);
    client.stream.write_all(&raa(&again.0, 2001)).unwrap();
    // Times and switches of a running server.
    server.ask(&json!({"command": "perf", "action": "on"}));
    client.ask(&Ccr::update("pgw;1", 2));
    let perf = server.ask(&json!({"command": "perf", "action": "top"}));
    assert!(
        perf["rows"]
            .as_array()
            .unwrap()
            .iter()
            .any(|row| row["name"] == json!("decode"))
    );
    let switches = server.ask(&json!({"command": "opt", "set": "memo=off"}));
    assert!(switches.as_array().unwrap().contains(&json!("memo=off")));
    assert!(
        switches
            .as_array()
            .unwrap()
            .contains(&json!("timecache=off"))
    );
    // A release.
    server.ask(&json!({"command": "release", "session": "other;1", "cause": 1}));
    let rar = second.receive().unwrap();
    assert_eq!(
        rar.message().find(id::SESSION_RELEASE_CAUSE).unwrap().u32(),
        Some(1)
    );
    second.stream.write_all(&raa(&rar.0, 5002)).unwrap();
    std::thread::sleep(Duration::from_millis(200));
    let counters = server.ask(&json!({"command": "counters"}));
    assert_eq!(counters["sessions"], json!(1));
    assert_eq!(counters["sessions-disowned"], json!(1));
    assert!(
        !request(
            &server.control,
            &json!({"command": "release", "session": "?"})
        )
        .unwrap()["ok"]
            .as_bool()
            .unwrap()
    );
    // Peers are told of the end.
    std::thread::spawn({
        let pid = server.child.id().to_string();
        move || Command::new("kill").arg(pid).status()
    });
    let goodbye = client.receive().unwrap();
    assert_eq!(goodbye.message().header().command, command::DISCONNECT_PEER);
    let mut w = Writer::new();
    w.start_answer(&goodbye.message().header(), 0);
    w.u32(id::RESULT_CODE, 2001);
    w.text(id::ORIGIN_HOST, "pgw.example");
    w.text(id::ORIGIN_REALM, "example");
    client.stream.write_all(w.finish()).unwrap();
    drop(second);
    assert_eq!(server.child.wait().unwrap().code(), Some(0));
    assert!(!server.control.exists());
}

#[test]
fn a_release_outlives_kill_9_and_waits_for_the_peer() {
    let folder = Folder::new("release");
    let store = format!("redb:{}", folder.0.join("sessions.redb").display());
    let options = ["--store", store.as_str(), "--durability", "strict"];
    let server = Served::start(&folder.0, &options);
    let mut client = Client::connect(server.address);
    client.ask(&Ccr::initial("pgw;1", GOLD, "internet"));
    drop(client);
    std::thread::sleep(Duration::from_millis(200));
    server.ask(&json!({"command": "release", "session": "pgw;1", "cause": 1}));
    std::thread::sleep(Duration::from_millis(300));
    // It is killed.
    drop(server);
    let server = Served::start(&folder.0, &options);
    let session = server.ask(&json!({"command": "session", "session": "pgw;1"}));
    assert_eq!(session["release"], json!(1));
    let mut client = Client::connect(server.address);
    let rar = client.receive().unwrap();
    assert_eq!(rar.number(id::SESSION_RELEASE_CAUSE), Some(1));
    client.stream.write_all(&raa(&rar.0, 2001)).unwrap();
    // A second connection: it is asked anew, on that one.
    let mut second = Client::connect(server.address);
    let rar = second.receive().unwrap();
    assert_eq!(rar.number(id::SESSION_RELEASE_CAUSE), Some(1));
    second.stream.write_all(&raa(&rar.0, 2001)).unwrap();
    let answer = client.ask(&Ccr::update("pgw;1", 1));
    assert_eq!(answer.number(id::SESSION_RELEASE_CAUSE), Some(1));
    assert_eq!(client.ask(&Ccr::terminate("pgw;1", 2)).result(), 2001);
    let counters = server.ask(&json!({"command": "counters"}));
    assert_eq!(counters["sessions"], json!(0));
}

#[test]
fn a_top_up_that_was_answered_outlives_kill_9() {
    let folder = Folder::new("topup");
    let store = format!("redb:{}", folder.0.join("sessions.redb").display());
    let options = ["--store", store.as_str(), "--durability", "strict"];
    let mut limits = Vec::new();
    for round in 0..3 {
        let server = Served::start(&folder.0, &options);
        server.ask(
            &json!({"command": "topup", "subscriber": GOLD, "key": "mk-gold", "octets": 1_000_000}),
        );
        // It is killed at once.
        drop(server);
        let server = Served::start(&folder.0, &options);
        let (mut client, id) = (Client::connect(server.address), format!("pgw;{round}"));
        client.ask(&Ccr::initial(&id, GOLD, "internet"));
        let session = server.ask(&json!({"command": "session", "session": id}));
        limits.push(
            session["usage"][0]["limit"]
                .as_u64()
                .unwrap_or_else(|| panic!("{session}")),
        );
    }
    assert_eq!(
        (limits[1] - limits[0], limits[2] - limits[1]),
        (1_000_000, 1_000_000)
    );
}

#[test]
fn answers_leave_in_strict_where_each_step_commits() {
    let folder = Folder::new("naive");
    let store = format!("redb:{}", folder.0.join("sessions.redb").display());
    let server = Served::start(
        &folder.0,
        &[
            "--store",
            &store,
            "--durability",
            "strict",
            "--opt",
            "commit=off",
        ],
    );
    server.ask(&json!({"command": "perf", "action": "on"}));
    let mut client = Client::connect(server.address);
    assert_eq!(
        client
            .ask(&Ccr::initial("pgw;1", GOLD, "internet"))
            .result(),
        2001
    );
    assert_eq!(
        client
            .ask(&Ccr::update("pgw;1", 1).used("mk-gold", 5))
            .result(),
        2001
    );
    assert_eq!(client.ask(&Ccr::terminate("pgw;1", 2)).result(), 2001);
    let rows = perf(&server);
    // Four steps for each request, the last of a CCR-T included.
    assert!(rows["commit"] >= 11, "{rows:?}");
}

/// A goodbye in the same segment as requests: their answers leave first, in strict after the disk.
#[test]
fn answers_leave_before_the_last_word() {
    for durability in ["mem", "strict"] {
        let folder = Folder::new("goodbye");
        let store = format!("redb:{}", folder.0.join("sessions.redb").display());
        let server = Served::start(&folder.0, &["--store", &store, "--durability", durability]);
        let mut client = Client::connect(server.address);
        let mut bytes = Vec::new();
        for at in 0..30 {
            bytes.extend(Ccr::initial(&format!("pgw;{at}"), GOLD, "internet").bytes(1000 + at));
        }
        let mut w = Writer::new();
        w.start(command::DISCONNECT_PEER, flag::REQUEST, 0, 7, 7);
        w.text(id::ORIGIN_HOST, "pgw.example");
        w.text(id::ORIGIN_REALM, "example");
        w.u32(id::DISCONNECT_CAUSE, 0);
        bytes.extend_from_slice(w.finish());
        client.stream.write_all(&bytes).unwrap();
        for at in 0..30 {
            let answer = client
                .receive()
                .unwrap_or_else(|| panic!("{durability} {at}"));
            let header = answer.message().header();
            assert_eq!(
                (header.command, header.end_to_end),
                (command::CREDIT_CONTROL, 1000 + at)
            );
        }
        let last = client.receive().unwrap();
        assert_eq!(last.message().header().command, command::DISCONNECT_PEER);
        assert!(client.receive().is_none());
    }
}

/// What a host calls itself and its sessions cannot forge lines.
#[test]
fn control_characters_are_escaped() {
    let folder = Folder::new("escapes");
    let server = Served::start(&folder.0, &["--set", "log=info"]);
    let mut client = Client::connect(server.address);
    client.ask(&Ccr::initial("a\x1b[31mX\r\nforged", GOLD, "internet"));
    let shown = Command::new(env!("CARGO_BIN_EXE_strowger"))
        .args(["pcrf", "sessions", "--control"])
        .arg(&server.control)
        .output()
        .unwrap();
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(shown.contains("a\\x1b[31mX\\r\\nforged"), "{shown}");
    let log = std::fs::read_to_string(folder.0.join("log")).unwrap();
    assert!(
        log.contains("a\\x1b[31mX\\r\\nforged") && !log.contains('\x1b'),
        "{log}"
    );
}

/// Calls by operation and stage.
fn perf(server: &Served) -> std::collections::BTreeMap<String, u64> {
    let top = server.ask(&json!({"command": "perf", "action": "top", "limit": 20}));
    let rows = top["rows"].as_array().unwrap_or_else(|| panic!("{top}"));
    let row = |row: &Value| {
        (
            row["name"].as_str().unwrap().to_owned(),
            row["calls"].as_u64().unwrap(),
        )
    };
    rows.iter().map(row).collect()
}

#[test]
fn perf_shows_what_happened() {
    let folder = Folder::new("perf");
    let store = format!("redb:{}", folder.0.join("sessions.redb").display());
    let server = Served::start(&folder.0, &["--store", &store, "--durability", "strict"]);
    let mut client = Client::connect(server.address);
    server.ask(&json!({"command": "perf", "action": "on"}));
    client.ask(&Ccr::initial("pgw;1", GOLD, "internet"));
    client.ask(&Ccr::update("pgw;1", 1).used("mk-gold", 5));
    client.ask(&Ccr::update("pgw;1", 2).used("mk-gold", 5));
    client.ask(&Ccr::terminate("pgw;1", 3));
    let rows = perf(&server);
    for (name, calls) in [
        ("decode", 4),
        ("session.get", 4),
        ("session.put", 4),
        ("usage.add", 2),
        // Nothing but octets changed in the two CCR-U.
        ("dialplan", 2),
    ] {
        assert_eq!(rows.get(name), Some(&calls), "{name} {rows:?}");
    }
    // Each answer waited for one; the host's own record may have had another.
    assert!((4..=5).contains(&rows["commit.group"]), "{rows:?}");
}

#[test]
fn bytes_that_are_no_diameter_end_the_connection() {
    let folder = Folder::new("foreign");
    let server = Served::start(&folder.0, &[]);
    for bytes in [
        &b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"[..],
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"\x00\xff\x00\xff",
    ] {
        let mut stream = TcpStream::connect(server.address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(10)))
            .unwrap();
        stream.write_all(bytes).unwrap();
        let mut rest = Vec::new();
        // A reset is an end, too.
        let _ = stream.read_to_end(&mut rest);
        assert!(rest.is_empty());
    }
    // A request before capabilities.
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream
        .write_all(&Ccr::initial("a", GOLD, "ims").bytes(1))
        .unwrap();
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest);
    assert!(rest.is_empty());
    // Requests that come in pieces, and many at once.
    let mut client = Client::connect(server.address);
    let request = Ccr::initial("a", GOLD, "ims").bytes(7);
    for byte in &request {
        client.stream.write_all(&[*byte]).unwrap();
    }
    assert_eq!(client.receive().unwrap().result(), 2001);
    let many: Vec<u8> = (1..200)
        .flat_map(|number| Ccr::update("a", number).bytes(100 + number))
        .collect();
    client.stream.write_all(&many).unwrap();
    for number in 1..200 {
        let answer = client.receive().unwrap();
        assert_eq!(
            answer.message().find(id::CC_REQUEST_NUMBER).unwrap().u32(),
            Some(number)
        );
        assert_eq!(answer.message().header().end_to_end, 100 + number);
    }
}

#[test]
fn what_was_answered_outlives_kill_9() {
    let folder = Folder::new("kill");
    let store = format!("redb:{}", folder.0.join("sessions.redb").display());
    outlives_kill_9(&folder, &store);
}

/// Waits until something holds.
fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    for _ in 0..100 {
        if holds() {
            return;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    panic!("{what}");
}

fn texts(value: &Value) -> Vec<String> {
    let list = value.as_array().unwrap().iter();
    list.map(|text| text.as_str().unwrap().to_owned()).collect()
}

#[test]
fn connections_that_end_are_counted_by_reason() {
    let folder = Folder::new("reasons");
    let server = Served::start(&folder.0, &["--set", "peers=listed"]);
    let send = |bytes: &[u8]| {
        let mut stream = TcpStream::connect(server.address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(10)))
            .unwrap();
        stream.write_all(bytes).unwrap();
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest);
    };
    send(b"GET / HTTP/1.1\r\n\r\n");
    send(b"\x16\x03\x01\x02\x00");
    send(&[0xff; 32]);
    send(b"\x02\0\0\x14\x80\0\x01\x01\0\0\0\0\0\0\0\0\0\0\0\0");
    send(b"\x01\0\0\x15\x80\0\x01\x01\0\0\0\0\0\0\0\0\0\0\0\0\0");
    send(&Ccr::initial("a", GOLD, "ims").bytes(1));
    // Nobody is listed.
    let mut w = Writer::new();
    w.start(command::CAPABILITIES_EXCHANGE, flag::REQUEST, 0, 1, 1);
    w.text(id::ORIGIN_HOST, "stranger.example");
    w.text(id::ORIGIN_REALM, "example");
    w.u32(id::AUTH_APPLICATION_ID, GX);
    send(w.finish());
    // Silence.
    send(b"");
    let counters = server.ask(&json!({"command": "counters"}));
    for name in [
        "closed-text",
        "closed-tls",
        "closed-no-diameter",
        "closed-version",
        "closed-length",
        "closed-before-capabilities",
        "closed-capabilities-refused",
        "closed-without-capabilities",
    ] {
        assert_eq!(counters[name], json!(1), "{name} {counters}");
    }
    assert_eq!(counters["connections-accepted"], json!(8));
    let log = std::fs::read_to_string(folder.0.join("log")).unwrap();
    assert!(
        log.contains("stranger.example: capabilities refused: 3010 UNKNOWN_PEER"),
        "{log}"
    );
    let ends = log.lines().filter(|line| line.starts_with("127.0.0.1:"));
    assert_eq!(ends.count(), 8, "{log}");
}

#[test]
fn a_reload_keeps_what_is_in_force_where_files_are_faulty() {
    let folder = Folder::new("reload");
    let write = |name: &str, text: &str| std::fs::write(folder.0.join(name), text).unwrap();
    write("gx.conf", &format!("{POLICY}#include more.conf\n"));
    write("more.conf", "[more]\nexten => s,1,NoOp\n");
    let server = Served::start(&folder.0, &[]);
    let reload = || server.ask(&json!({"command": "reload"}));
    let mut client = Client::connect(server.address);
    let answer = client.ask(&Ccr::initial("pgw;1", GOLD, "internet"));
    assert_eq!(answer.installed(), ["gold-20m"]);
    let unchanged = reload();
    let lines = texts(&unchanged["lines"]);
    assert!(
        lines[0].starts_with("policy unchanged: checksum "),
        "{lines:?}"
    );
    assert_eq!(lines[1], "subscribers unchanged: 5");
    assert_eq!(unchanged["failures"], json!([]));
    // Errors: what was there stays, and the lines are named.
    write("rules.conf", &RULES.replace("qci=8", "qci=abc"));
    let done = reload();
    assert!(
        texts(&done["findings"])
            .iter()
            .any(|line| line.contains("rules.conf:3:")),
        "{done}"
    );
    assert_eq!(texts(&done["failures"]).len(), 1, "{done}");
    write("rules.conf", RULES);
    // A list that names no fields, or nobody, is none.
    for text in [
        "",
        "001010000000001,,active,gold,yes,\n",
        "imsi,msisdn,status,plan,roaming,family\n",
    ] {
        write("subscribers.csv", text);
        let done = reload();
        assert_eq!(texts(&done["failures"]).len(), 1, "{text} {done}");
    }
    // A row that cannot be used: nobody is removed.
    let broken = SUBSCRIBERS.replace("001010000000001,4915100000001", "00101x,4915100000001");
    write("subscribers.csv", &broken);
    let done = reload();
    assert!(
        texts(&done["findings"])
            .iter()
            .any(|line| line.contains("subscribers.csv:2:")),
        "{done}"
    );
    assert!(texts(&done["lines"])[1].ends_with("unchanged: 4"), "{done}");
    // Without its row the subscriber is none, and its session ends.
    let rest: Vec<&str> = SUBSCRIBERS
        .lines()
        .filter(|line| !line.contains(GOLD))
        .collect();
    write("subscribers.csv", &(rest.join("\n") + "\n"));
    let done = reload();
    assert_eq!(
        texts(&done["lines"])[1],
        "subscribers reloaded: 4, 0 new or changed, 1 removed"
    );
    let rar = client.receive().unwrap();
    assert_eq!(
        rar.message().find(id::SESSION_RELEASE_CAUSE).unwrap().u32(),
        Some(1)
    );
    client.stream.write_all(&raa(&rar.0, 2001)).unwrap();
    assert_eq!(client.ask(&Ccr::terminate("pgw;1", 1)).result(), 2001);
    assert_eq!(
        client
            .ask(&Ccr::initial("pgw;2", GOLD, "internet"))
            .result(),
        5030
    );
    write("subscribers.csv", SUBSCRIBERS);
    reload();
    assert_eq!(
        client
            .ask(&Ccr::initial("pgw;3", GOLD, "internet"))
            .result(),
        2001
    );
    // An included file is watched, and what is wrong at a start is refused.
    let before = texts(&reload()["lines"])[0].clone();
    write("more.conf", "[more]\nexten => s,1,NoOp(changed)\n");
    eventually("the included file is not read", || {
        let log = std::fs::read_to_string(folder.0.join("log")).unwrap();
        log.contains("policy reloaded: ")
    });
    assert_ne!(before, texts(&reload()["lines"])[0]);
    write("rules.conf", &RULES.replace("qci=8", "qci=abc"));
    drop(server);
    let refused = Command::new(env!("CARGO_BIN_EXE_strowger"))
        .args(["pcrf", "serve"])
        .arg(folder.0.join("pcrf.conf"))
        .output()
        .unwrap();
    assert_eq!(refused.status.code(), Some(3));
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(said.contains("rules.conf:3:"), "{said}");
}

#[test]
fn commands_refuse_what_has_no_meaning() {
    let folder = Folder::new("refuse");
    let server = Served::start(&folder.0, &["--durability", "strict"]);
    let mut client = Client::connect(server.address);
    client.ask(&Ccr::initial("pgw;1", GOLD, "internet"));
    for command in [
        json!({"command": "topup", "subscriber": GOLD, "key": "nowhere", "octets": 5}),
        json!({"command": "topup", "subscriber": GOLD, "key": "mk-gold", "octets": 0}),
        json!({"command": "topup", "subscriber": GOLD, "key": "mk-gold"}),
        json!({"command": "topup", "subscriber": "1", "key": "mk-gold", "octets": 5}),
        json!({"command": "release", "session": "pgw;1", "cause": 99}),
        json!({"command": "forget", "subscriber": GOLD}),
    ] {
        let answer = request(&server.control, &command).unwrap();
        assert_eq!(answer["ok"], json!(false), "{command} {answer}");
    }
    let run = |arguments: &[&str]| {
        let done = Command::new(env!("CARGO_BIN_EXE_strowger"))
            .arg("pcrf")
            .args(arguments)
            .arg("--control")
            .arg(&server.control)
            .output()
            .unwrap();
        done.status.code().unwrap()
    };
    assert_eq!(run(&["release", "pgw;1", "--cause", "99"]), 2);
    assert_eq!(run(&["topup", GOLD, "mk-gold", "0"]), 2);
    assert_eq!(run(&["topup", GOLD, "nowhere", "1G"]), 1);
    assert_eq!(run(&["topup", GOLD, "mk-gold", "1G"]), 0);
    assert_eq!(run(&["reload"]), 0);
    assert_eq!(run(&["opt", "nope=on"]), 2);
    let sessions = server.ask(&json!({"command": "sessions", "subscriber": "4915100000001"}));
    assert_eq!(sessions["count"], json!(1), "{sessions}");
    let topped = server.ask(
        &json!({"command": "topup", "subscriber": "4915100000001", "key": "mk-gold", "octets": 5}),
    );
    assert_eq!(
        topped,
        json!({"subscriber": "4915100000001", "key": "mk-gold", "used": 0, "limit": 2_000_000_005_u64})
    );
    let released = server.ask(&json!({"command": "release", "session": "pgw;1"}));
    assert_eq!(
        released,
        json!({"session": "pgw;1", "cause": 0, "state": "asked"})
    );
    assert_eq!(
        run(&["release", "pgw;1", "--cause", "UE_SUBSCRIPTION_REASON"]),
        0
    );
}
