//! Lookups among half 11-digit literals and half blocks of 10,000 numbers, plus five generic patterns.
//!
//! `warm` repeats the same 96 probes, `cold` takes 65,536 random ones; all probes exist. `linear` fits the
//! entries one after the other, as Asterisk does. `timed` reaches them through an include that holds at some times.
//! Figures are per lookup (one item). The bytes of tables and match structures are printed first.

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

use std::sync::OnceLock;

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use strowger::base::{Place, SourceId, Text};
use strowger::compile::{automaton, flatten};
use strowger::measure::memory::grown;
use strowger::measure::suite::{Numbers, Random, find_all, fit_all};
use strowger::program::{ContextId, Matcher, Table, Want};
use strowger::syntax::ast::pattern::ExtensionKey;
use strowger::syntax::ast::{Context, Extension, Include, Number, Plan, Priority};

const SIZES: [usize; 4] = [10, 1_000, 10_000, 100_000];

struct Case {
    plan: Plan,
    table: Table,
    matcher: Matcher,
    probes: Vec<String>,
}

fn plan_of(mut extens: Vec<Text>) -> Plan {
    let place = Place::line(SourceId(0), 1);
    extens.sort_by_cached_key(|e| ExtensionKey::new(e, None));
    extens.dedup();
    let mut plan = Plan::default();
    let line = Priority {
        number: Number::At(1),
        label: None,
        app: plan.intern(b"NoOp"),
        data: plan.intern(b"${EXTEN}"),
        place,
    };
    let extensions = extens
        .into_iter()
        .map(|exten| Extension {
            exten,
            cid: None,
            priorities: plan.add_lines([line]),
            aliases: Vec::new(),
        })
        .collect();
    Plan {
        contexts: vec![Context {
            name: Text::from("big"),
            place,
            extensions,
            includes: Vec::new(),
            switches: Vec::new(),
            ignorepats: Vec::new(),
        }],
        ..plan
    }
}

fn tables(plan: &Plan) -> (Table, Matcher) {
    let table = flatten::flatten(plan);
    let matcher = automaton::build(&table);
    (table, matcher)
}

fn case(size: usize) -> &'static Case {
    static CASES: [OnceLock<Case>; 4] = [const { OnceLock::new() }; 4];
    let at = SIZES.iter().position(|&s| s == size).unwrap();
    CASES[at].get_or_init(|| {
        let Numbers { extens, probes } = Numbers::new(size, 65_536);
        let plan = plan_of(extens.iter().map(|e| Text::from(e.as_str())).collect());
        let (table, matcher) = tables(&plan);
        Case {
            plan,
            table,
            matcher,
            probes,
        }
    })
}

#[divan::bench(args = SIZES)]
fn warm(bencher: Bencher<'_, '_>, size: usize) {
    let case = case(size);
    bencher
        .counter(ItemsCount::new(96u32))
        .bench(|| find_all(&case.table, &case.matcher, &case.probes[..96]));
}

#[divan::bench(args = SIZES)]
fn cold(bencher: Bencher<'_, '_>, size: usize) {
    let case = case(size);
    bencher
        .counter(ItemsCount::new(case.probes.len()))
        .bench(|| find_all(&case.table, &case.matcher, &case.probes));
}

/// Through an include with times, half of the lookups when it holds.
#[divan::bench(args = SIZES)]
fn timed(bencher: Bencher<'_, '_>, size: usize) {
    let case = case(size);
    let mut plan = case.plan.clone();
    let place = Place::line(SourceId(0), 1);
    plan.contexts.push(Context {
        name: Text::from("day"),
        place,
        extensions: Vec::new(),
        includes: vec![Include {
            text: Text::from("big,06:00-18:00,*,*,*,UTC"),
            context: Text::from("big"),
            times: Some(Text::from("06:00-18:00,*,*,*,UTC")),
            place,
        }],
        switches: Vec::new(),
        ignorepats: Vec::new(),
    });
    let (table, matcher) = tables(&plan);
    let (day, hour) = (ContextId(1), 3_600);
    let find = |probe: &String, now| {
        let exten = black_box(probe.as_bytes());
        matcher.find(&table, day, exten, Want::Priority(1), None, now)
    };
    assert!(find(&case.probes[0], 12 * hour).is_ok() && find(&case.probes[0], hour).is_err());
    bencher.counter(ItemsCount::new(96u32)).bench(|| {
        case.probes[..96]
            .iter()
            .zip([hour, 12 * hour].iter().cycle())
            .filter(|&(probe, now)| find(probe, *now).is_ok())
            .count()
    });
}

/// An office: internal numbers, an included outside line with generic patterns.
#[divan::bench]
fn office(bencher: Bencher<'_, '_>) {
    let numbers = (100..200).map(|n| Text::from(n.to_string().as_str()));
    let mut plan = plan_of(numbers.chain([Text::from("_[2-4]XX")]).collect());
    let outside = ["_NXXXXXX", "_1NXXNXXXXXX", "_011.", "_9.", "911", "_*8X"].map(Text::from);
    let mut outside = plan_of(outside.to_vec());
    for mut context in outside.contexts.drain(..) {
        context.name = Text::from("outside");
        for extension in &mut context.extensions {
            // Both plans have the same texts in the same order.
            let lines = &outside.priorities[extension.priorities.start as usize..];
            extension.priorities = plan.add_lines(lines.first().copied());
        }
        plan.contexts.push(context);
    }
    let place = Place::line(SourceId(0), 1);
    plan.contexts[0].includes.push(Include {
        text: Text::from("outside"),
        context: Text::from("outside"),
        times: None,
        place,
    });
    let (table, matcher) = tables(&plan);
    let probes = [
        "101",
        "250",
        "5551212",
        "12125551212",
        "01149301234567",
        "911",
        "950",
        "*81",
    ];
    bencher.counter(ItemsCount::new(probes.len())).bench(|| {
        probes
            .iter()
            .filter_map(|probe| {
                let exten = black_box(probe.as_bytes());
                matcher
                    .find(&table, ContextId(0), exten, Want::Priority(1), None, 0)
                    .ok()
            })
            .count()
    });
}

#[divan::bench(args = [10, 1_000, 10_000], sample_count = 10)]
fn linear(bencher: Bencher<'_, '_>, size: usize) {
    let case = case(size);
    bencher
        .counter(ItemsCount::new(96u32))
        .bench(|| fit_all(&case.table, &case.probes[..96]));
}

/// Tables and match structures from a sorted plan.
#[divan::bench(args = SIZES, sample_count = 20)]
fn build(bencher: Bencher<'_, '_>, size: usize) {
    let case = case(size);
    bencher
        .counter(ItemsCount::new(size))
        .bench(|| tables(&case.plan));
}

/// The same for 11-digit numbers only.
#[divan::bench(args = [100_000], sample_count = 20)]
fn build_numbers(bencher: Bencher<'_, '_>, size: usize) {
    let mut random = Random(7);
    let numbers = (0..size).map(|_| {
        Text::from(
            (10_000_000_000 + random.below(10_000_000_000))
                .to_string()
                .as_str(),
        )
    });
    let plan = plan_of(numbers.collect());
    bencher
        .counter(ItemsCount::new(size))
        .bench(|| tables(&plan));
}

/// Sorting by Asterisk's order.
#[divan::bench(args = [100_000], sample_count = 20)]
fn order(bencher: Bencher<'_, '_>, size: usize) {
    let case = case(size);
    let mut extens: Vec<Text> = case.plan.contexts[0]
        .extensions
        .iter()
        .map(|e| e.exten.clone())
        .collect();
    let mut random = Random(9);
    for i in (1..extens.len()).rev() {
        extens.swap(i, random.below(i as u64 + 1) as usize);
    }
    bencher.counter(ItemsCount::new(size)).bench(|| {
        let mut keys: Vec<_> = (0u32..)
            .zip(&extens)
            .map(|(i, e)| (ExtensionKey::new(e, None), i))
            .collect();
        keys.sort_unstable();
        keys
    });
}

fn main() {
    if std::env::args().any(|argument| argument == "--bench") {
        for size in SIZES.into_iter().rev() {
            let plan = &case(size).plan;
            let (_kept, bytes) = grown(|| tables(plan));
            let each = bytes.unwrap_or_default() as f64 / plan.contexts[0].extensions.len() as f64;
            println!("{size}: {each:.0} bytes for each extension with its line");
        }
    }
    divan::main();
}
