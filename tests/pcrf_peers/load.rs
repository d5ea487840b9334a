//! The load of freeDiameter: it is answered, RAR in between too, and it is that of `strowger pcrf bench`.

use std::collections::BTreeMap;
use std::io::{Read, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use serde_json::{Value, json};
use strowger::pcrf::diameter::{Avps, Framed, Header, command, frame};

use super::{Folder, Served, is, missing, root, run};

const STROWGER: &str = env!("CARGO_BIN_EXE_strowger");
/// Exit code of the script where a program is missing.
const LACKS: i32 = 77;

/// Runs the script; nothing where a program is missing.
fn load(arguments: &[&str]) -> Option<Value> {
    let output = Command::new("python3")
        .arg(root().join("tests/pcrf_peers/gx_load.py"))
        .args(["--strowger", STROWGER, "--json", "--alone", "--unpinned"])
        .args(arguments)
        .stdin(Stdio::null())
        .output();
    let output = match output {
        Ok(output) => output,
        Err(error) => {
            missing(&format!("python3: {error}"));
            return None;
        }
    };
    let said = String::from_utf8_lossy(&output.stderr);
    if output.status.code() == Some(LACKS) {
        missing(said.trim());
        return None;
    }
    let value = serde_json::from_slice(&output.stdout);
    Some(value.unwrap_or_else(|error| panic!("{error}: {said}")))
}

#[test]
fn free_diameter_sends_the_load() {
    let Some(value) = load(&[
        "--tps",
        "500",
        "--warm-up",
        "3",
        "--seconds",
        "3",
        "--subscribers",
        "2000",
        "--change",
        "ambr_dl=20M=>ambr_dl=21M",
        "--changes",
        "3",
    ]) else {
        return;
    };
    let figures = &value["free_diameter"];
    let number = |of: &Value, name: &str| of[name].as_u64().unwrap();
    let answered = [
        ("sent", json!(1500)),
        ("left", json!(0)),
        ("unanswered", json!(0)),
        ("answers", json!({"2001": 1500})),
        ("answers_outside", json!({"2001": figures["sent_outside"]})),
        ("pushes_answered", figures["pushes"].clone()),
    ];
    is(figures, &answered, "the load");
    let pushes = number(figures, "pushes");
    assert!(pushes > 0, "{value}");
    // 6 s with so many beginnings each, and for all of them an update and an end.
    let total = &value["server_total"];
    let sent = number(figures, "sent") + number(figures, "sent_outside");
    let kinds = ["ccr-initial", "ccr-update", "ccr-terminate"].map(|kind| number(total, kind));
    assert_eq!(kinds.iter().sum::<u64>(), sent, "{value}");
    assert_eq!((kinds[0], kinds[2]), (1000, 1000), "{value}");
    let server = [
        ("sessions", json!(0)),
        ("refused", json!(0)),
        ("duplicates", json!(0)),
        ("gaps", json!(0)),
        ("unknown-sessions", json!(0)),
        ("pushes", json!(pushes)),
        ("waiting-pushes", json!(0)),
        ("push-failures", json!(0)),
        ("push-repeats", json!(0)),
        ("push-timeouts", json!(0)),
        ("sessions-disowned", json!(0)),
    ];
    is(total, &server, "the server");
}

/// Stands between clients and a server, and keeps what each client sent.
struct Relay {
    port: u16,
    connections: Arc<Mutex<Vec<JoinHandle<Vec<u8>>>>>,
}

fn copy(mut from: TcpStream, mut to: TcpStream) -> Vec<u8> {
    let mut seen = Vec::new();
    let mut room = [0; 16 * 1024];
    while let Ok(count @ 1..) = from.read(&mut room) {
        seen.extend_from_slice(&room[..count]);
        if to.write_all(&room[..count]).is_err() {
            break;
        }
    }
    // The other end may be gone.
    let _ = to.shutdown(Shutdown::Write);
    seen
}

impl Relay {
    fn start(server: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let connections = Arc::new(Mutex::new(Vec::new()));
        let kept = connections.clone();
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let server = TcpStream::connect(server).unwrap();
                for stream in [&client, &server] {
                    stream.set_nodelay(true).unwrap();
                }
                let back = (server.try_clone().unwrap(), client.try_clone().unwrap());
                std::thread::spawn(move || copy(back.0, back.1));
                let there = std::thread::spawn(move || copy(client, server));
                kept.lock().unwrap().push(there);
            }
        });
        Self { port, connections }
    }

    /// What the only client sent that has come since the last call, once it went away.
    fn take(&self) -> Vec<u8> {
        let mut connections = self.connections.lock().unwrap();
        let connection = connections.pop().unwrap();
        assert!(connections.is_empty(), "clients connect once");
        connection.join().unwrap()
    }
}

/// An AVP without the flag M, of which both have an opinion of their own: code, vendor, and the value or what is inside.
#[derive(Debug, PartialEq, Eq)]
enum Told {
    Plain(u32, u32, Vec<u8>),
    Group(u32, u32, Vec<Told>),
}

/// Session-Id, which has the time of the run in it.
const SESSION: u32 = 263;
/// The groups of the requests.
const GROUPS: [u32; 7] = [443, 446, 628, 1016, 1034, 1049, 1067];

fn told(avps: Avps<'_>) -> Vec<Told> {
    avps.filter(|avp| (avp.code, avp.vendor) != (SESSION, 0))
        .map(|avp| {
            if GROUPS.contains(&avp.code) {
                Told::Group(avp.code, avp.vendor, told(avp.children()))
            } else {
                Told::Plain(avp.code, avp.vendor, avp.value.to_vec())
            }
        })
        .collect()
}

/// The requests of Gx by their session and its turn, with flags, host and kind of the Session-Id.
fn requests(mut bytes: &[u8]) -> BTreeMap<(u64, usize), (u8, String, Vec<Told>)> {
    let mut found = BTreeMap::new();
    let mut turns = BTreeMap::<u64, usize>::new();
    while let Framed::Message(message) = frame(bytes, usize::MAX) {
        bytes = &bytes[message.bytes().len()..];
        let Header { flags, command, .. } = message.header();
        if command != command::CREDIT_CONTROL {
            continue;
        }
        let id = message.avps().next().unwrap();
        assert_eq!(id.code, SESSION, "it stands first");
        let id = String::from_utf8(id.value.to_vec()).unwrap();
        let parts: Vec<&str> = id.split(';').collect();
        let [host, _, "1", session] = parts[..] else {
            panic!("{id}");
        };
        let session = session.parse().unwrap();
        let turn = turns.entry(session).or_default();
        let told = (flags, host.to_owned(), told(message.avps()));
        found.insert((session, *turn), told);
        *turn += 1;
    }
    assert!(bytes.is_empty(), "{} bytes are no message", bytes.len());
    found
}

#[test]
fn both_clients_send_the_same() {
    let folder = Folder::new("peer-load");
    let population = ["--subscribers", "250", "--apns", "internet,ims,iot.meter"];
    run(Command::new(STROWGER)
        .args(["pcrf", "bench", "--write-subscribers"])
        .arg(folder.file("subscribers.csv"))
        .args(population))
    .unwrap();
    let server = Served::start(&folder, &["--set", "experimental=result-only"]);
    let relay = Relay::start(server.address);
    let port = relay.port.to_string();
    let course = ["--tps", "300", "--warm-up", "3", "--seconds", "3"];
    let roaming = ["--roaming", "15"];
    let all: Vec<&str> = [&course[..], &population, &roaming].concat();
    let Some(value) = load(&[&["--connect", &port][..], &all].concat()) else {
        return;
    };
    assert_eq!(value["free_diameter"]["answers"], json!({"2001": 900}));
    let theirs = requests(&relay.take());
    run(Command::new(STROWGER)
        .args(["pcrf", "bench", "--connect", &format!("127.0.0.1:{port}")])
        .args(&all))
    .unwrap();
    let ours = requests(&relay.take());
    // 600 sessions of 250 subscribers, two rounds and more: all APNs, crossings, foreign networks.
    assert_eq!(
        ours.len(),
        1700,
        "beginnings, updates of all but the last second, ends"
    );
    assert_eq!(
        ours.keys().collect::<Vec<_>>(),
        theirs.keys().collect::<Vec<_>>()
    );
    for (place, own) in &ours {
        assert_eq!(own, &theirs[place], "session and turn {place:?}");
    }
}
