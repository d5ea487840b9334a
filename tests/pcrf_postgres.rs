//! Sessions and usage in PostgreSQL: the same as in the other stores, whichever way it is written, and nothing that was
//! answered is lost or counted twice when either end goes away.
//!
//! Each test has a PostgreSQL of its own. Where its programs are missing a test says so and passes; with
//! STROWGER_REQUIRE_TOOLS=1 it fails.

#![cfg(all(feature = "serve", feature = "cli", feature = "store-postgres", unix))]
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

#[path = "pcrf/cluster.rs"]
mod cluster;
#[path = "pcrf/contract.rs"]
mod contract;
#[path = "pcrf/gx.rs"]
mod gx;
#[path = "pcrf/served.rs"]
mod served;

use std::collections::{BTreeMap, VecDeque};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::time::{Duration, Instant};

use cluster::Cluster;
use contract::used;
use gx::Ccr;
use serde_json::json;
use served::{Client, Folder, GOLD, Served, outlives_kill_9};
use strowger::pcrf::diameter::id;
use strowger::pcrf::store::{Batch, Change, Durability, Mem, Postgres, Store, Upsert};

const WAYS: [Upsert; 3] = [Upsert::Optimistic, Upsert::Locking, Upsert::Native];

#[test]
fn all_stores_do_the_same() {
    let Some(cluster) = Cluster::start("pg-stores") else {
        return;
    };
    let began = Instant::now();
    let mem = Mem::new();
    contract::check(&mem);
    let wanted = contract::random(&Mem::new(), 120);
    #[cfg(feature = "store-redb")]
    {
        use strowger::pcrf::store::Redb;
        let folder = Folder::new("pg-redb");
        contract::check(&Redb::create(folder.0.join("a.redb")).unwrap());
        let redb = Redb::create(folder.0.join("b.redb")).unwrap();
        contract::same(&contract::random(&redb, 120), &wanted, "redb");
    }
    let address = cluster.database("contract");
    for durability in [Durability::Strict, Durability::Relaxed] {
        for how in WAYS {
            for random in [false, true] {
                let store = Postgres::open(&address, durability).unwrap();
                store.upsert(how);
                if random {
                    let found = contract::random(&store, 120);
                    contract::same(&found, &wanted, &format!("{how:?}"));
                } else {
                    contract::check(&store);
                    // Another one sees what was written.
                    let other = Postgres::open(&address, durability).unwrap();
                    assert_eq!(contract::contents(&other), contract::contents(&store));
                }
                drop(store);
                cluster.say("contract", "DROP SCHEMA strowger_pcrf CASCADE");
            }
        }
    }
    eprintln!("the same after {:.1} s", began.elapsed().as_secs_f64());
    writers_share_counters(&cluster);
    eprintln!("shared after {:.1} s", began.elapsed().as_secs_f64());
    a_lost_answer_counts_once(&cluster);
    foreign_schemas_are_refused(&cluster);
}

/// Writers add to the same counters, in different orders, some of which are new.
fn writers_share_counters(cluster: &Cluster) {
    let address = cluster.database("shared");
    for (round, how) in WAYS.into_iter().enumerate() {
        let owner = format!("owner {round}");
        let write = |backwards: bool| {
            let (address, owner) = (address.clone(), owner.clone());
            std::thread::spawn(move || {
                let store = Postgres::open(&address, Durability::Relaxed).unwrap();
                store.upsert(how);
                for number in 0..60u8 {
                    let mut keys = [[number / 10, 0], [number / 10, 1], [number / 10, 2]];
                    if backwards {
                        keys.reverse();
                    }
                    let mut batch = Batch::default();
                    for key in keys {
                        batch.append(&used(owner.as_bytes(), &key, 1, 2));
                    }
                    store.commit(&batch, true).unwrap();
                    // The same session, too.
                    store
                        .put_session(owner.as_bytes(), b"x", u64::from(number))
                        .unwrap();
                }
            })
        };
        let writers = [write(false), write(true)];
        for writer in writers {
            writer.join().unwrap();
        }
        let store = Postgres::open(&address, Durability::Relaxed).unwrap();
        for key in 0..6u8 {
            for part in 0..3u8 {
                let counter = store.usage(owner.as_bytes(), &[key, part], 7).unwrap();
                assert_eq!((counter.used, counter.credit), (20, 40), "{how:?}");
            }
        }
        let session = store.get_session(owner.as_bytes()).unwrap().unwrap();
        assert_eq!(session.version, 120);
    }
}

/// What becomes of a COMMIT on its way.
const PASS: u8 = 0;
const NOT_SENT: u8 = 1;
const NOT_ANSWERED: u8 = 2;

/// Stands between a store and its database; as told, it ends the connection at the next COMMIT.
fn proxy(port: u16) -> (u16, Arc<AtomicU8>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let own = listener.local_addr().unwrap().port();
    let fate = Arc::new(AtomicU8::new(PASS));
    let told = fate.clone();
    std::thread::spawn(move || {
        for client in listener.incoming() {
            let (Ok(mut client), Ok(mut database)) =
                (client, TcpStream::connect(("127.0.0.1", port)))
            else {
                return;
            };
            let deaf = Arc::new(AtomicBool::new(false));
            let (mut answers, mut back) =
                (database.try_clone().unwrap(), client.try_clone().unwrap());
            let hears_not = deaf.clone();
            std::thread::spawn(move || {
                let mut buffer = vec![0; 65536];
                while let Ok(read) = answers.read(&mut buffer) {
                    if read == 0 || hears_not.load(Ordering::SeqCst) {
                        break;
                    }
                    if back.write_all(&buffer[..read]).is_err() {
                        break;
                    }
                }
                let _ = back.shutdown(Shutdown::Both);
            });
            let told = told.clone();
            std::thread::spawn(move || {
                let mut buffer = vec![0; 65536];
                while let Ok(read) = client.read(&mut buffer) {
                    if read == 0 {
                        break;
                    }
                    if buffer[..read].windows(6).any(|bytes| bytes == b"COMMIT") {
                        match told.swap(PASS, Ordering::SeqCst) {
                            NOT_SENT => break,
                            NOT_ANSWERED => deaf.store(true, Ordering::SeqCst),
                            _ => {}
                        }
                    }
                    if database.write_all(&buffer[..read]).is_err() {
                        break;
                    }
                }
                let _ = client.shutdown(Shutdown::Both);
                let _ = database.shutdown(Shutdown::Both);
            });
        }
    });
    (own, fate)
}

fn a_lost_answer_counts_once(cluster: &Cluster) {
    cluster.database("lost");
    let (port, fate) = proxy(cluster.port());
    let address = format!("host=127.0.0.1 port={port} user=postgres dbname=lost");
    let store = Postgres::open(&address, Durability::Strict).unwrap();
    let mut octets = 0;
    for how in WAYS {
        store.upsert(how);
        for lost in [NOT_SENT, NOT_ANSWERED] {
            for more in [false, true] {
                let mut batch = used(b"001", b"mk", 5, 0);
                batch.push(&Change::PutSession {
                    id: b"a;1",
                    expected: octets / 5,
                    blob: b"blob",
                });
                octets += 5;
                fate.store(lost, Ordering::SeqCst);
                store.commit(&batch, true).unwrap_err();
                if more {
                    // It is repeated with what came since, and lost again.
                    batch.append(&used(b"001", b"mk", 100, 0));
                    octets += 100;
                    fate.store(lost, Ordering::SeqCst);
                    store.commit(&batch, true).unwrap_err();
                    batch.append(&used(b"001", b"mk", 1000, 0));
                    octets += 1000;
                }
                store.commit(&batch, true).unwrap();
                let counter = store.usage(b"001", b"mk", 7).unwrap();
                assert_eq!(counter.used, octets, "{how:?} {lost} {more}");
                // The same again is another one.
                store.commit(&used(b"001", b"mk", 5, 0), true).unwrap();
                octets += 5;
            }
        }
    }
    assert_eq!(store.usage(b"001", b"mk", 7).unwrap().used, octets);
    let session = store.get_session(b"a;1").unwrap().unwrap();
    assert_eq!(session.version, 12);
}

fn foreign_schemas_are_refused(cluster: &Cluster) {
    let address = cluster.database("others");
    drop(Postgres::open(&address, Durability::Strict).unwrap());
    cluster.say("others", "UPDATE strowger_pcrf.form SET version = 9");
    let fault = Postgres::open(&address, Durability::Strict).unwrap_err();
    assert!(fault.message.contains("another version"), "{fault}");
    cluster.say("others", "DROP TABLE strowger_pcrf.form");
    let fault = Postgres::open(&address, Durability::Strict).unwrap_err();
    assert!(fault.message.contains("another program"), "{fault}");
    // A server that cannot begin says why, without the password.
    let folder = Folder::new("pg-refused");
    let closed = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    for (address, reason) in [
        (address, "another program"),
        (
            format!("postgres://a:secret@127.0.0.1:{closed}/db"),
            "refused",
        ),
        (
            format!("host=127.0.0.1 port={closed} password=secret sslmode=require"),
            "not encrypted",
        ),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_strowger"))
            .args(["pcrf", "serve"])
            .arg(folder.0.join("pcrf.conf"))
            .args(["--store", &address])
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(3), "{said}");
        assert!(said.contains(reason) && !said.contains("secret"), "{said}");
    }
}

#[test]
fn servers_lose_nothing() {
    let Some(cluster) = Cluster::start("pg-servers") else {
        return;
    };
    let address = cluster.database("pcrf");
    a_new_server_goes_on(&address);
    let folder = Folder::new("pg-kill");
    outlives_kill_9(&folder, &cluster.database("kill"));
    a_database_that_is_away(&cluster);
    a_database_that_restarts(&cluster);
}

fn a_new_server_goes_on(address: &str) {
    let folder = Folder::new("pg-restart");
    for (round, switch) in ["upsert=on", "upsert=off", "upsert=native"]
        .into_iter()
        .enumerate()
    {
        let options = ["--store", address, "--opt", switch];
        let mut server = Served::start(&folder.0, &options);
        let switches = server.ask(&json!({"command": "opt"}));
        assert!(switches.as_array().unwrap().contains(&json!(switch)));
        let mut client = Client::connect(server.address);
        let session = format!("pgw;{round}");
        assert_eq!(
            client
                .ask(&Ccr::initial(&session, GOLD, "internet"))
                .result(),
            2001
        );
        let update = Ccr::update(&session, 1).used("mk-gold", 1_000_000);
        assert_eq!(client.ask(&update).result(), 2001);
        let there = server.ask(&json!({"command": "session", "session": session}));
        assert_eq!(there["usage"][0]["used"], json!(1_000_000 * (round + 1)));
        let counters = server.ask(&json!({"command": "counters"}));
        assert_eq!(counters["sessions"], json!(round + 1));
        drop(client);
        assert_eq!(server.terminate(), Some(0));
    }
}

/// A database that is away is waited for, but not for long by new requests.
fn a_database_that_is_away(cluster: &Cluster) {
    let folder = Folder::new("pg-away");
    let address = cluster.database("away");
    let options = ["--store", &address, "--set", "store_patience=300ms"];
    let server = Served::start(&folder.0, &options);
    let mut client = Client::connect(server.address);
    for session in ["pgw;1", "pgw;2"] {
        assert_eq!(
            client
                .ask(&Ccr::initial(session, GOLD, "internet"))
                .result(),
            2001
        );
    }
    cluster.control(&["stop", "-m", "fast"]);
    let waits = Ccr::update("pgw;1", 1).used("mk-gold", 1000);
    client.stream.write_all(&waits.bytes(1)).unwrap();
    std::thread::sleep(Duration::from_secs(1));
    // It is refused before the first one is answered.
    let refused = Ccr::update("pgw;2", 1).used("mk-gold", 50);
    client.stream.write_all(&refused.bytes(2)).unwrap();
    let answer = client.receive().unwrap();
    assert_eq!(
        (answer.result(), answer.message().header().end_to_end),
        (3004, 2)
    );
    cluster.control(&["start"]);
    let answer = client.receive().unwrap();
    assert_eq!(
        (answer.result(), answer.message().header().end_to_end),
        (2001, 1)
    );
    assert_eq!(client.ask(&refused).result(), 2001);
    let session = server.ask(&json!({"command": "session", "session": "pgw;1"}));
    assert_eq!(session["usage"][0]["used"], json!(1050));
}

/// What is known of a session.
#[derive(Default)]
struct Course {
    number: u32,
    answered: u64,
    busy: u32,
}

/// The database restarts under load, in both manners.
fn a_database_that_restarts(cluster: &Cluster) {
    let folder = Folder::new("pg-load");
    let address = cluster.database("load");
    let options = ["--store", &address, "--set", "store_patience=100ms"];
    let mut server = Served::start(&folder.0, &options);
    let mut client = Client::connect(server.address);
    let mut courses: BTreeMap<String, Course> = BTreeMap::new();
    for number in 0..60 {
        let session = format!("pgw;{number}");
        assert_eq!(
            client
                .ask(&Ccr::initial(&session, GOLD, "internet"))
                .result(),
            2001
        );
        courses.insert(session, Course::default());
    }
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for manner in ["fast", "immediate", "fast", "immediate"] {
                std::thread::sleep(Duration::from_millis(400));
                cluster.control(&["restart", "-m", manner]);
            }
            std::thread::sleep(Duration::from_millis(400));
            over.store(true, Ordering::SeqCst);
        });
        // Each session has one request on its way; each of them gets its answer, in whatever order.
        let mut open: BTreeMap<u32, (String, u64)> = BTreeMap::new();
        let mut idle: VecDeque<String> = courses.keys().cloned().collect();
        let pace = Duration::from_millis(2);
        client.stream.set_read_timeout(Some(pace)).unwrap();
        let began = Instant::now();
        while !over.load(Ordering::SeqCst) || !open.is_empty() {
            assert!(
                began.elapsed() < Duration::from_mins(1),
                "{} unanswered",
                open.len()
            );
            if !over.load(Ordering::SeqCst)
                && let Some(session) = idle.pop_front()
            {
                let number = courses[&session].number + 1;
                let octets = 1000 + u64::from(number);
                client.next += 1;
                let ccr = Ccr::update(&session, number).used("mk-gold", octets);
                client.stream.write_all(&ccr.bytes(client.next)).unwrap();
                open.insert(client.next, (session, octets));
            }
            // Within the pace only.
            while let Some(answer) = client.receive() {
                let (session, octets) = open.remove(&answer.message().header().end_to_end).unwrap();
                let course = courses.get_mut(&session).unwrap();
                match answer.result() {
                    2001 => {
                        let number = answer.message().find(id::CC_REQUEST_NUMBER).unwrap().u32();
                        course.number += 1;
                        assert_eq!(number, Some(course.number));
                        course.answered += octets;
                    }
                    3004 => course.busy += 1,
                    other => panic!("{session}: {other}"),
                }
                idle.push_back(session);
            }
        }
    });
    let answered: u64 = courses.values().map(|course| course.answered).sum();
    let updates: u32 = courses.values().map(|course| course.number).sum();
    let busy: u32 = courses.values().map(|course| course.busy).sum();
    eprintln!(
        "{updates} updates of {} sessions, {busy} refused with 3004",
        courses.len()
    );
    assert!(updates > 100);
    drop(client);
    assert_eq!(server.terminate(), Some(0));
    // Another server finds exactly what was answered.
    let server = Served::start(&folder.0, &options);
    let session = server.ask(&json!({"command": "session", "session": "pgw;7"}));
    assert_eq!(session["usage"][0]["used"], json!(answered));
    let counters = server.ask(&json!({"command": "counters"}));
    assert_eq!(counters["sessions"], json!(60));
}
