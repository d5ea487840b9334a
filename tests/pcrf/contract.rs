//! What every store does, whatever it keeps its records in.

use std::fmt::Write as _;

use strowger::pcrf::store::{Batch, Change, Counter, Kept, Store, Table};

/// Everything that a store holds, as text.
pub(crate) fn contents(store: &dyn Store) -> String {
    let mut text = String::new();
    store
        .sessions(&mut |id, kept| writeln!(text, "session {id:?} {kept:?}").unwrap())
        .unwrap();
    // Each store has an order of its own for these.
    let mut usages = Vec::new();
    store
        .usages(&mut |owner, key, period, counter| {
            usages.push(format!("usage {owner:?} {key:?} {period} {counter:?}\n"));
        })
        .unwrap();
    usages.sort();
    text.extend(usages);
    for table in Table::ALL {
        store
            .rows(table, b"", &mut |key, row| {
                writeln!(text, "{table:?} {key:?} {row:?}").unwrap();
            })
            .unwrap();
    }
    text
}

pub(crate) fn used(subscriber: &[u8], key: &[u8], used: i64, credit: i64) -> Batch {
    let mut batch = Batch::default();
    batch.push(&Change::AddUsage {
        subscriber,
        key,
        period: 7,
        used,
        credit,
    });
    batch
}

/// The same batches for all: what each gave, and what is there in the end.
pub(crate) fn random(store: &dyn Store, rounds: u32) -> String {
    let mut seed = 0x5eed_u64;
    let mut next = move |bound: u64| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % bound
    };
    let mut told = String::new();
    for _ in 0..rounds {
        let mut batch = Batch::default();
        for _ in 0..next(25) {
            let id = [b's', next(12) as u8];
            let owner = [next(3) as u8, 0xff];
            let blob = vec![next(256) as u8; next(400) as usize];
            let table = Table::ALL[next(5) as usize];
            batch.push(&match next(8) {
                0..=2 => Change::PutSession {
                    id: &id,
                    expected: next(4),
                    blob: &blob,
                },
                3 => Change::DropSession { id: &id },
                4 | 5 => Change::AddUsage {
                    subscriber: &owner,
                    key: b"mk",
                    period: next(3) as i64 - 1,
                    used: match next(12) {
                        0 => i64::MAX,
                        1 => i64::MIN,
                        2 => -(next(1000) as i64),
                        _ => next(1_000_000) as i64,
                    },
                    credit: match next(12) {
                        0 => i64::MAX,
                        1 => i64::MIN,
                        _ => next(2000) as i64 - 1000,
                    },
                },
                6 => Change::PutRow {
                    table,
                    key: &id,
                    value: &blob,
                },
                _ => Change::DropRow { table, key: &id },
            });
        }
        let conflicts = store.commit(&batch, next(2) == 0).unwrap();
        writeln!(told, "{} changes, {conflicts} conflicts", batch.len()).unwrap();
    }
    told + &contents(store)
}

/// The first line that differs.
pub(crate) fn same(found: &str, wanted: &str, what: &str) {
    for (found, wanted) in found.lines().zip(wanted.lines()) {
        assert_eq!(found, wanted, "{what}");
    }
    assert_eq!(found.len(), wanted.len(), "{what}");
}

/// What is asked of an empty store.
pub(crate) fn check(store: &dyn Store) {
    assert_eq!(contents(store), "");
    assert_eq!(store.commit(&Batch::default(), true).unwrap(), 0);
    // Sessions have versions.
    assert!(store.put_session(b"a;1", b"blob", 0).unwrap());
    assert!(!store.put_session(b"a;1", b"other", 7).unwrap());
    assert!(store.put_session(b"a;1", b"", 2).unwrap());
    assert_eq!(
        store.get_session(b"a;1").unwrap(),
        Some(Kept {
            version: 3,
            blob: Vec::new()
        })
    );
    assert!(store.put_session(b"\0\xff", b"\0\xff\0", 0).unwrap());
    store.delete_session(b"a;1").unwrap();
    store.delete_session(b"a;1").unwrap();
    assert!(store.get_session(b"a;1").unwrap().is_none());
    // Counters are added to, and stop at both ends of their range.
    let counter = || store.usage(b"001", b"mk", 7).unwrap();
    assert_eq!(counter(), Counter::default());
    store.add_usage(b"001", b"mk", 7, 5).unwrap();
    store.add_usage(b"001", b"mk", 7, 6).unwrap();
    assert_eq!((counter().used, counter().credit), (11, 0));
    let mut twice = used(b"001", b"mk", i64::MAX, i64::MIN);
    twice.append(&used(b"001", b"mk", i64::MAX, -1));
    store.commit(&twice, true).unwrap();
    assert_eq!((counter().used, counter().credit), (u64::MAX, i64::MIN));
    store
        .commit(&used(b"001", b"mk", i64::MIN, 3), true)
        .unwrap();
    assert_eq!(
        (counter().used, counter().credit),
        (u64::MAX - (1 << 63), i64::MIN + 3)
    );
    store
        .commit(&used(b"002", b"mk", -5, i64::MAX), true)
        .unwrap();
    assert_eq!(
        store.usage(b"002", b"mk", 7).unwrap(),
        Counter {
            used: 0,
            credit: i64::MAX
        }
    );
    assert_eq!(store.usage(b"001", b"mk", 8).unwrap(), Counter::default());
    // Rows are found by what their keys begin with.
    let mut batch = Batch::default();
    for key in [
        &b"a"[..],
        b"a\0",
        b"a\xff",
        b"a\xff\xff",
        b"b",
        b"",
        b"\xff\xff",
    ] {
        batch.push(&Change::PutRow {
            table: Table::Peer,
            key,
            value: key,
        });
    }
    store.commit(&batch, false).unwrap();
    let rows = |prefix: &[u8]| {
        let mut keys = Vec::new();
        store
            .rows(Table::Peer, prefix, &mut |key, row| {
                assert_eq!(key, row);
                keys.push(key.to_vec());
            })
            .unwrap();
        keys
    };
    assert_eq!(rows(b"a\xff"), [&b"a\xff"[..], b"a\xff\xff"]);
    assert_eq!(rows(b"\xff"), [b"\xff\xff"]);
    assert_eq!(rows(b"").len(), 7);
    assert_eq!(rows(b"c").len(), 0);
    assert_eq!(store.row(Table::Peer, b"b").unwrap(), Some(b"b".to_vec()));
    assert_eq!(store.row(Table::Subscriber, b"b").unwrap(), None);
    // Starts are counted.
    assert_eq!(store.next_start().unwrap(), 1);
    assert_eq!(store.next_start().unwrap(), 2);
}
