//! Query rules: one query of each shard, in the three modes, from the published list and tree.
//!
//! Figures are per query (one item). `import` reads the SQL of 10,000 rules (per rule).

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a bench fails by panicking"
)]

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use strowger::rules::{Mode, Pairs, Query, RuleSet, Session, Workload, list, tree};

#[global_allocator]
static ALLOCATOR: divan::AllocProfiler = divan::AllocProfiler::system();

fn main() {
    divan::main();
}

const MODES: [Mode; 3] = [Mode::List, Mode::Map, Mode::Compiled];

fn ask(bencher: Bencher<'_, '_>, sql: &str, shards: u32, mode: Mode) {
    let (rules, _) = RuleSet::from_sql(sql);
    let texts = Workload::new(shards, 1).queries();
    let mut session = Session::new(mode);
    bencher
        .counter(ItemsCount::new(texts.len()))
        .bench_local(|| {
            for text in &texts {
                let query = Query {
                    text,
                    ..Query::default()
                };
                black_box(rules.eval(&mut session, black_box(&query)));
            }
        });
}

#[divan::bench(args = MODES)]
fn list_200(bencher: Bencher<'_, '_>, mode: Mode) {
    ask(bencher, &list(200), 200, mode);
}

#[divan::bench(args = MODES)]
fn tree_200(bencher: Bencher<'_, '_>, mode: Mode) {
    ask(bencher, &tree(200, Pairs::Split), 200, mode);
}

#[divan::bench(args = MODES)]
fn list_2000(bencher: Bencher<'_, '_>, mode: Mode) {
    ask(bencher, &list(2000), 2000, mode);
}

#[divan::bench]
fn import(bencher: Bencher<'_, '_>) {
    let sql = list(10_000);
    bencher
        .counter(ItemsCount::new(10_000u32))
        .bench_local(|| black_box(RuleSet::from_sql(black_box(&sql))));
}
