//! Where DB() keeps its keys: reads, writes and durable commits of a file, beside a store in memory.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::float_cmp,
    reason = "a bench fails by panicking"
)]

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use strowger::store::{Memory, Redb, Store};

fn main() {
    divan::main();
}

/// Keys in the store while it is measured.
const KEYS: u64 = 100_000;

/// A file that is gone afterwards. It lies in the build's folder: a folder for temporary files may be in memory.
struct Place(PathBuf);

impl Place {
    fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let n = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("bench-store-{}-{n}", std::process::id());
        Self(PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn key(n: u64) -> Vec<u8> {
    format!("{:012}", n % KEYS).into_bytes()
}

fn filled(store: &dyn Store) {
    for n in 0..KEYS {
        store.put(b"forward", &key(n), b"PJSIP/204");
    }
    store.flush().unwrap();
}

fn get(bencher: Bencher, store: &dyn Store) {
    filled(store);
    let mut n = 0;
    bencher.counter(ItemsCount::new(1u32)).bench_local(|| {
        n += 7919;
        black_box(store.get(b"forward", &key(n)))
    });
}

fn put(bencher: Bencher, store: &dyn Store) {
    filled(store);
    let mut n = 0;
    bencher.counter(ItemsCount::new(1u32)).bench_local(|| {
        n += 1;
        store.put(b"calls", &key(n), &n.to_be_bytes());
    });
}

#[divan::bench]
fn memory_get(bencher: Bencher) {
    get(bencher, &Memory::new());
}

#[divan::bench]
fn memory_put(bencher: Bencher) {
    put(bencher, &Memory::new());
}

#[divan::bench]
fn file_get(bencher: Bencher) {
    let place = Place::new();
    get(bencher, &Redb::create(&place.0).unwrap());
}

#[divan::bench(sample_count = 1000, sample_size = 100)]
fn file_put(bencher: Bencher) {
    let place = Place::new();
    put(bencher, &Redb::create(&place.0).unwrap());
}

/// A value that is there already: nothing is written.
#[divan::bench]
fn file_put_the_same(bencher: Bencher) {
    let place = Place::new();
    let store = Redb::create(&place.0).unwrap();
    filled(&store);
    let mut n = 0;
    bencher.bench_local(|| {
        n += 7919;
        store.put(b"forward", &key(n), b"PJSIP/204");
    });
}

/// One change, and the wait until it is on disk.
#[divan::bench(sample_count = 100)]
fn durable_commit(bencher: Bencher) {
    let place = Place::new();
    let store = Redb::create(&place.0).unwrap();
    filled(&store);
    let mut n = 0;
    bencher.bench_local(|| {
        n += 1;
        store.put(b"calls", &key(n), b"1");
        store.flush().unwrap()
    });
}

/// A thousand changes, and the wait until they are on disk: figures are per change.
#[divan::bench(sample_count = 50)]
fn durable_batch(bencher: Bencher) {
    let place = Place::new();
    let store = Redb::create(&place.0).unwrap();
    filled(&store);
    let mut n = 0;
    bencher.counter(ItemsCount::new(1000u32)).bench_local(|| {
        for _ in 0..1000 {
            n += 1;
            store.put(b"calls", &key(n), &n.to_be_bytes());
        }
        store.flush().unwrap()
    });
}
