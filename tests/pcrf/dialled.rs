//! Connections that the server makes: it connects, is asked, and comes again.

use std::io::Write;
use std::net::TcpListener;
use std::time::Duration;

use serde_json::json;
use strowger::pcrf::diameter::{GX, Writer, command, id};

use crate::eventually;
use crate::gx::Ccr;
use crate::served::{Client, Folder, GOLD, Served};

/// Takes the next connection, and answers its capabilities under a name.
fn accept(listener: &TcpListener, host: &str) -> Client {
    let (stream, _) = listener.accept().unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(10)))
        .unwrap();
    let mut client = Client {
        stream,
        input: Vec::new(),
        next: 1,
    };
    let asked = client.receive().unwrap();
    let message = asked.message();
    let header = message.header();
    assert!(header.is_request() && header.command == command::CAPABILITIES_EXCHANGE);
    assert_eq!(
        message.find(id::ORIGIN_HOST).unwrap().value,
        b"pcrf.example"
    );
    let mut w = Writer::new();
    w.start_answer(&header, 0);
    w.u32(id::RESULT_CODE, 2001);
    w.text(id::ORIGIN_HOST, host);
    w.text(id::ORIGIN_REALM, "example");
    w.u32(id::VENDOR_ID, 0);
    w.text(id::PRODUCT_NAME, "test");
    w.u32(id::AUTH_APPLICATION_ID, GX);
    client.stream.write_all(w.finish()).unwrap();
    client
}

/// A server that connects to a listener.
fn start(folder: &Folder, listener: &TcpListener) -> Served {
    let address = listener.local_addr().unwrap();
    let settings = folder.0.join("pcrf.conf");
    let mut text = std::fs::read_to_string(&settings).unwrap();
    text += &format!("[pgw]\ntype=peer\nhost=pgw.example\nconnect={address}\n");
    std::fs::write(&settings, text).unwrap();
    Served::start(&folder.0, &[])
}

#[test]
fn the_server_connects_and_comes_again() {
    let folder = Folder::new("dialled");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let server = start(&folder, &listener);
    let mut client = accept(&listener, "pgw.example");
    assert_eq!(
        client
            .ask(&Ccr::initial("pgw;1", GOLD, "internet"))
            .result(),
        2001
    );
    // What is pushed takes the same connection.
    server.ask(&json!({"command": "release", "session": "pgw;1", "cause": 1}));
    let asked = client.receive().unwrap();
    assert_eq!(asked.message().header().command, command::RE_AUTH);
    drop(client);
    let mut client = accept(&listener, "PGW.example");
    assert_eq!(client.ask(&Ccr::terminate("pgw;1", 1)).result(), 2001);
    drop(client);
    drop(listener);
    eventually("a connection cannot be made", || {
        server.ask(&json!({"command": "counters"}))["connections-failed"] != json!(0)
    });
    let counters = server.ask(&json!({"command": "counters"}));
    assert_eq!(counters["connections-made"], json!(2));
    assert_eq!(counters["connections-accepted"], json!(0));
}

#[test]
fn another_host_is_not_taken_for_the_peer() {
    let folder = Folder::new("other");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let server = start(&folder, &listener);
    let mut client = accept(&listener, "other.example");
    assert!(client.receive().is_none());
    let counters = server.ask(&json!({"command": "counters"}));
    assert_eq!(counters["closed-capabilities-refused"], json!(1));
    let log = std::fs::read_to_string(folder.0.join("log")).unwrap();
    assert!(
        log.contains("other.example: capabilities refused: 3010"),
        "{log}"
    );
}

#[test]
fn an_address_without_a_port_is_refused() {
    let folder = Folder::new("portless");
    let settings = folder.0.join("pcrf.conf");
    for wrong in [
        "127.0.0.1",
        "127.0.0.1:0",
        ":3868",
        "pgw.example:x",
        "::1:3868",
    ] {
        std::fs::write(&settings, format!("[pgw]\ntype=peer\nconnect={wrong}\n")).unwrap();
        let done = std::process::Command::new(env!("CARGO_BIN_EXE_strowger"))
            .args(["pcrf", "serve"])
            .arg(&settings)
            .output()
            .unwrap();
        assert_eq!(done.status.code(), Some(3), "{wrong}");
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(
            said.contains("pcrf.conf:3") && said.contains("HOST:PORT"),
            "{said}"
        );
    }
}
