//! The store in a file answers as the one in memory does, also after it was closed and opened, and says what is wrong.

#![cfg(feature = "store-redb")]
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

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use proptest::prelude::*;
use proptest::test_runner::Config;
use strowger::store::redb::{Batching, catches_panics};
use strowger::store::{FaultKind, Kept, Memory, Redb, Store};

/// A path for one test; what lies there is gone afterwards.
struct Place(PathBuf);

impl Place {
    fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let n = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("strowger-store-{}-{n}", std::process::id());
        Self(std::env::temp_dir().join(name))
    }

    fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
        let _ = std::fs::remove_dir(&self.0);
    }
}

/// A rhythm in which nothing is written unless somebody asks.
const NEVER: Batching = Batching {
    changes: usize::MAX,
    age: Duration::from_hours(1),
    bytes: usize::MAX,
};

#[derive(Debug, Clone)]
enum Step {
    Put(Vec<u8>, Vec<u8>, Vec<u8>),
    Remove(Vec<u8>, Vec<u8>),
    RemoveTree(Vec<u8>, Vec<u8>),
    Scan(Vec<u8>),
    Get(Vec<u8>, Vec<u8>),
    Flush,
    Hurry,
    Reopen,
}

/// Short texts of few bytes, so that they meet.
fn name() -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(
        prop_oneof![
            Just(b'a'),
            Just(b'b'),
            Just(b'/'),
            Just(b'A'),
            Just(0u8),
            Just(0xff)
        ],
        0..4,
    )
}

fn step() -> impl Strategy<Value = Step> {
    let value = prop_oneof![
        name(),
        Just(vec![b'x'; 5000]),
        proptest::collection::vec(any::<u8>(), 0..40)
    ];
    prop_oneof![
        6 => (name(), name(), value).prop_map(|(f, k, v)| Step::Put(f, k, v)),
        2 => (name(), name()).prop_map(|(f, k)| Step::Remove(f, k)),
        1 => (name(), name()).prop_map(|(f, k)| Step::RemoveTree(f, k)),
        2 => name().prop_map(Step::Scan),
        3 => (name(), name()).prop_map(|(f, k)| Step::Get(f, k)),
        1 => Just(Step::Flush),
        1 => Just(Step::Hurry),
        1 => Just(Step::Reopen),
    ]
}

proptest! {
    #![proptest_config(Config { cases: 40, failure_persistence: None, ..Config::default() })]

    #[test]
    fn both_stores_answer_the_same(steps in proptest::collection::vec(step(), 1..60), often in any::<bool>()) {
        let place = Place::new();
        let batching = Batching {
            changes: 3,
            age: Duration::from_millis(1),
            bytes: if often { 200 } else { usize::MAX },
        };
        let memory = Memory::new();
        let mut file = Redb::batching(place.path(), batching).unwrap();
        for step in &steps {
            match step {
                Step::Put(family, key, value) => {
                    memory.put(family, key, value);
                    file.put(family, key, value);
                }
                Step::Remove(family, key) => {
                    prop_assert_eq!(memory.remove(family, key), file.remove(family, key));
                }
                Step::RemoveTree(family, keytree) => {
                    prop_assert_eq!(memory.remove_tree(family, keytree), file.remove_tree(family, keytree));
                }
                Step::Scan(prefix) => prop_assert_eq!(memory.scan(prefix), file.scan(prefix)),
                Step::Get(family, key) => prop_assert_eq!(memory.get(family, key), file.get(family, key)),
                Step::Flush => {
                    let progress = file.progress();
                    prop_assert_eq!(file.flush(), Ok(Kept::Disk(progress.changed)));
                }
                Step::Hurry => file.hurry(),
                Step::Reopen => {
                    drop(file);
                    file = Redb::batching(place.path(), batching).unwrap();
                }
            }
        }
        prop_assert_eq!(memory.scan(b""), file.scan(b""));
        drop(file);
        let file = Redb::open(place.path()).unwrap();
        prop_assert_eq!(memory.scan(b""), file.scan(b""));
        prop_assert_eq!(file.take_fault(), None);
    }
}

#[test]
fn nothing_is_written_where_nothing_changed() {
    let place = Place::new();
    let store = Redb::batching(place.path(), NEVER).unwrap();
    store.put(b"a", b"b", b"1");
    assert_eq!(store.progress().durable, Some(0));
    assert!(!store.progress().is_settled());
    assert_eq!(store.flush(), Ok(Kept::Disk(1)));
    assert_eq!(store.progress().commits, 1);
    store.put(b"a", b"b", b"1");
    assert_eq!(store.remove(b"a", b"c"), None);
    assert_eq!(store.remove_tree(b"c", b""), 0);
    assert_eq!(store.flush(), Ok(Kept::Disk(1)));
    assert_eq!(store.progress().changed, 1);
    // A change that was taken back before it was written.
    store.put(b"a", b"b", b"2");
    store.put(b"a", b"b", b"1");
    assert_eq!(store.flush(), Ok(Kept::Disk(3)));
    assert_eq!(store.progress().commits, 1);
}

#[test]
fn batches_are_written_by_age_and_by_number() {
    let place = Place::new();
    let aged = Batching {
        age: Duration::from_millis(5),
        ..NEVER
    };
    let store = Redb::batching(place.path(), aged).unwrap();
    store.put(b"a", b"b", b"1");
    settles(&store);
    drop(store);
    let counted = Batching {
        changes: 10,
        ..NEVER
    };
    let store = Redb::batching(place.path(), counted).unwrap();
    for n in 0..9 {
        store.put(b"n", &[n], b"");
    }
    std::thread::sleep(Duration::from_millis(30));
    assert_eq!(store.progress().durable, Some(0));
    store.put(b"n", b"last", b"");
    settles(&store);
    assert_eq!(store.progress().commits, 1);
}

fn settles(store: &dyn Store) {
    for _ in 0..1000 {
        if store.progress().is_settled() {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("never on disk: {:?}", store.progress());
}

#[test]
fn threads_share_a_store() {
    let place = Place::new();
    let store: Arc<dyn Store> = Arc::new(
        Redb::batching(
            place.path(),
            Batching {
                changes: 20,
                age: Duration::from_millis(1),
                bytes: 4000,
            },
        )
        .unwrap(),
    );
    let threads: Vec<_> = (0..4u8)
        .map(|thread| {
            let store = store.clone();
            std::thread::spawn(move || {
                for n in 0..200u8 {
                    store.put(&[b'0' + thread], &[n], &[n; 20]);
                    assert_eq!(store.get(&[b'0' + thread], &[n]).unwrap(), [n; 20][..]);
                    if n % 50 == 0 {
                        store.flush().unwrap();
                    }
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(store.scan(b"").len(), 800);
    drop(store);
    assert_eq!(Redb::open(place.path()).unwrap().scan(b"").len(), 800);
}

fn fault(path: &Path) -> FaultKind {
    Redb::create(path).unwrap_err().kind
}

#[test]
fn what_cannot_be_opened_is_said() {
    let place = Place::new();
    assert_eq!(
        Redb::open(place.path()).unwrap_err().kind,
        FaultKind::Unreadable
    );
    assert_eq!(fault(&place.path().join("below")), FaultKind::Unreadable);
    std::fs::create_dir(place.path()).unwrap();
    assert_eq!(fault(place.path()), FaultKind::Unreadable);
    std::fs::remove_dir(place.path()).unwrap();
    std::fs::write(place.path(), "[general]\n").unwrap();
    assert_eq!(fault(place.path()), FaultKind::NotAStore);
    assert_eq!(
        std::fs::read(place.path()).unwrap(),
        b"[general]\n",
        "left alone"
    );
    std::fs::remove_file(place.path()).unwrap();

    let store = Redb::create(place.path()).unwrap();
    store.put(b"a", b"b", b"1");
    assert_eq!(fault(place.path()), FaultKind::InUse);
    drop(store);

    let other = redb::Database::create(place.path()).unwrap();
    let transaction = other.begin_write().unwrap();
    let table = redb::TableDefinition::<&[u8], &[u8]>::new("database");
    transaction.delete_table(table).unwrap();
    let table = redb::TableDefinition::<u64, u64>::new("something");
    transaction.open_table(table).unwrap().insert(1, 2).unwrap();
    transaction.commit().unwrap();
    drop(other);
    assert_eq!(fault(place.path()), FaultKind::NotAStore);
}

/// A file with bytes that were changed, or without its end: it opens or not, and answers or complains, and no more.
#[test]
fn a_damaged_file_never_panics() {
    static PANICS: AtomicU32 = AtomicU32::new(0);
    let place = Place::new();
    let store = Redb::create(place.path()).unwrap();
    for n in 0..500u32 {
        store.put(b"family", format!("{n}").as_bytes(), &[b'v'; 100]);
    }
    drop(store);
    let whole = std::fs::read(place.path()).unwrap();
    let mut seed = 1u64;
    let mut random = |below: usize| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    let (mut refused, mut complained, mut told) = (0, 0, 0);
    let tries = 150;
    // What the database library panics of is caught, which a hook can know.
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if catches_panics() {
            PANICS.fetch_add(1, Ordering::Relaxed);
        } else {
            usual(panic);
        }
    }));
    for n in 0..tries {
        let mut bytes = whole.clone();
        if n % 10 == 0 {
            bytes.truncate(random(whole.len()));
        } else {
            for _ in 0..=random(30) {
                let at = random(bytes.len());
                bytes[at] = random(256) as u8;
            }
            // A page that is something else.
            let (from, to) = (random(bytes.len() / 4096), random(bytes.len() / 4096));
            if n % 3 == 0 {
                bytes.copy_within(from * 4096..(from + 1) * 4096, to * 4096);
            }
        }
        std::fs::write(place.path(), &bytes).unwrap();
        let before = PANICS.load(Ordering::Relaxed);
        let opened = Redb::open(place.path());
        if PANICS.load(Ordering::Relaxed) > before {
            std::fs::write(place.path(), &bytes).unwrap();
            told += u32::from(is_told_in_one_line(place.path()));
            assert_eq!(opened.unwrap_err().kind, FaultKind::Damaged);
            refused += 1;
            continue;
        }
        let Ok(store) = opened else {
            refused += 1;
            continue;
        };
        store.scan(b"");
        store.get(b"family", b"77");
        store.put(b"family", b"new", b"1");
        assert_eq!(store.get(b"family", b"new").unwrap(), b"1"[..]);
        let flushed = store.flush();
        complained += u32::from(flushed.is_err() || store.take_fault().is_some());
        store.remove_tree(b"family", b"");
    }
    let _ = std::panic::take_hook();
    println!(
        "of {tries} damaged files {refused} were refused, {complained} noticed later; {told} said by the command line"
    );
    assert!(refused > 0);
    assert!(told > 0 || cfg!(not(feature = "cli")));
}

/// Asks the command line for what such a file holds: nothing of the panic is shown, and what to do is said.
#[cfg(feature = "cli")]
fn is_told_in_one_line(path: &Path) -> bool {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_strowger"))
        .args(["db", "show"])
        .arg(path)
        .env("RUST_BACKTRACE", "1")
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(said.contains(": E404: the file is damaged ("), "{said}");
    assert!(said.contains("put an earlier copy in its place"), "{said}");
    true
}

#[cfg(not(feature = "cli"))]
fn is_told_in_one_line(_: &Path) -> bool {
    false
}
