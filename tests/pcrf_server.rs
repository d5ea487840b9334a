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

#[path = "pcrf/gx.rs"]
mod gx;
#[path = "pcrf/served.rs"]
mod served;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Command;
use std::time::Duration;

use gx::{Ccr, POLICY, raa};
use serde_json::json;
use served::{Client, Folder, GOLD, Served, outlives_kill_9};
use strowger::pcrf::diameter::{Writer, command, flag, id};
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
    w.start_answer(goodbye.message().header(), 0);
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
