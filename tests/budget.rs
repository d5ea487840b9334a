//! What must not grow unseen: allocations per priority, and the size of the types that are held by the thousand.

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

use std::mem::size_of;

use strowger::base::{Text, Value};
use strowger::host::Engine;
use strowger::machine::{Call, Effect, Event};
use strowger::measure::dialplans::{Tests, chain};
use strowger::measure::loading::many_contexts;
use strowger::program::instruction::{Instruction, Operation};
use strowger::program::line::Line;
use strowger::syntax::load::MemoryReader;

/// The loop of the extension 81, so often.
fn loop_81(iterations: u32) -> String {
    format!(
        "[extension]\n\
         exten => 81,1,Set(iterations=$[{iterations}])\n\
         exten => 81,2,Set(time1=${{EPOCH}})\n\
         exten => 81,3,Set(i=$[1])\n\
         exten => 81,4,GotoIf($[${{i}}<${{iterations}}]?5:8)\n\
         exten => 81,5,NoOp(Hello)\n\
         exten => 81,6,Set(i=$[${{i}}+1])\n\
         exten => 81,7,Goto(4)\n\
         exten => 81,8,NoOp(done)\n"
    )
}

fn engine(dialplan: &str) -> Engine {
    let engine = Engine::builder().build();
    let mut reader = MemoryReader::new().with("extensions.conf", dialplan);
    engine.load_from("extensions.conf", &mut reader).unwrap();
    engine
}

fn to_the_end(call: &mut Call) -> u64 {
    let mut event = Event::Start;
    loop {
        match call.step(event) {
            Effect::End(outcome) => return outcome.priorities,
            Effect::Yield => event = Event::Resume,
            _ => event = Event::Done,
        }
    }
}

fn allocations(iterations: u32) -> (u64, u64) {
    let engine = engine(&loop_81(iterations));
    let mut call = engine.call("extension", "81", "1");
    let mut priorities = 0;
    let info = allocation_counter::measure(|| priorities = to_the_end(&mut call));
    (priorities, info.count_total)
}

#[test]
fn the_81_loop_allocates_nothing_per_priority() {
    let (few, few_allocations) = allocations(1_000);
    let (many, many_allocations) = allocations(501_000);
    assert_eq!(few, 3 + 4 * 999 + 1 + 1);
    assert_eq!(many, few + 4 * 500_000);
    assert_eq!(
        few_allocations, many_allocations,
        "two million further priorities must not allocate"
    );
}

/// Allocations of the mixed loop, so many rounds: text work with short values, and with ones that are too long to
/// stand in the variable itself.
fn mixed_allocations(rounds: u32, trunk: &str) -> (u64, u64) {
    let path = format!("{}/dialplans/mix.conf", env!("CARGO_MANIFEST_DIR"));
    let plan = std::fs::read_to_string(path)
        .unwrap()
        .replace("Set(n=100000)", &format!("Set(n={rounds})"))
        .replace("trunk", trunk);
    let engine = engine(&plan);
    let mut call = engine.call("extension", "812125551", "1");
    let mut priorities = 0;
    let info = allocation_counter::measure(|| priorities = to_the_end(&mut call));
    (priorities, info.count_total)
}

#[test]
fn the_mixed_loop_allocates_nothing_per_priority() {
    for trunk in ["trunk", "a-trunk-with-a-name-that-is-rather-long"] {
        let (few, few_allocations) = mixed_allocations(100, trunk);
        let (many, many_allocations) = mixed_allocations(10_100, trunk);
        assert_eq!(many, few + 100_000);
        assert_eq!(few_allocations, many_allocations, "{trunk}");
    }
}

#[test]
fn a_chain_is_one_step_that_allocates_nothing() {
    for tests in [Tests::Texts, Tests::Integers, Tests::Patterns] {
        let run = |rounds| {
            let engine = engine(&chain(tests, 200, rounds));
            let image = engine.image();
            let [selector] = image.program.selectors.as_slice() else {
                panic!("one chain of {tests:?}");
            };
            assert_eq!(selector.tests.len(), 200);
            let mut call = engine.call("extension", "81", "1");
            let mut priorities = 0;
            // What is made when the chain is first taken is not counted.
            let mut first = engine.call("extension", "81", "1");
            to_the_end(&mut first);
            let info = allocation_counter::measure(|| priorities = to_the_end(&mut call));
            (priorities, info.count_total)
        };
        let (few, few_allocations) = run(200);
        let (many, many_allocations) = run(1_000);
        // Each round passes the lines before the one that holds: they count.
        let each = if tests == Tests::Integers { 3 } else { 4 };
        assert_eq!(few, 2 + 200 * each + 199 * 200 / 2 + 200);
        assert_eq!(many, few + 800 * each + 4 * (199 * 200 / 2 + 200));
        assert_eq!(few_allocations, many_allocations, "{tests:?}");
    }
}

#[test]
fn lines_that_are_no_chain_hold_no_more() {
    let engine = engine(&many_contexts(10));
    assert!(engine.image().program.selectors.is_empty());
}

/// Allocations of the office, so many rounds.
fn office_allocations(rounds: u32) -> (u64, u64) {
    let path = format!("{}/dialplans/office.conf", env!("CARGO_MANIFEST_DIR"));
    let plan = std::fs::read_to_string(path)
        .unwrap()
        .replace("Set(rounds=10000)", &format!("Set(rounds={rounds})"));
    let engine = engine(&plan);
    let mut call = engine.call("office", "100", "1");
    let mut priorities = 0;
    let info = allocation_counter::measure(|| priorities = to_the_end(&mut call));
    (priorities, info.count_total)
}

#[test]
fn the_office_allocates_nothing_per_priority() {
    // Zones and patterns are read once for all.
    office_allocations(10);
    // Numbers of four digits and regular rounds, so that both runs differ in their length only.
    let (few, few_allocations) = office_allocations(1_200);
    let (many, many_allocations) = office_allocations(5_200);
    assert!(many > few + 40 * 4_000);
    assert_eq!(few_allocations, many_allocations);
}

/// Loads a text and keeps the engine; what the load allocated.
fn loaded(text: &str) -> (Engine, allocation_counter::AllocationInfo) {
    let engine = Engine::builder().build();
    let mut reader = MemoryReader::new().with("extensions.conf", text);
    let info = allocation_counter::measure(|| {
        engine.load_from("extensions.conf", &mut reader).unwrap();
    });
    (engine, info)
}

#[test]
fn a_load_allocates_per_context_and_not_per_line() {
    let (_few, few) = loaded(&many_contexts(1_000));
    let (_more, more) = loaded(&many_contexts(3_000));
    let per_line = (more.count_total - few.count_total) as f64 / 10_000.0;
    println!("{per_line:.3} allocations for each line");
    assert!(per_line < 0.5, "{per_line} allocations for each line");
}

#[test]
fn a_loaded_line_is_small() {
    let (_few, few) = loaded(&many_contexts(1_000));
    let (_more, more) = loaded(&many_contexts(9_000));
    let per_line = (more.bytes_current - few.bytes_current) as f64 / 40_000.0;
    println!("{per_line:.1} bytes for each line");
    assert!(per_line < 160.0, "{per_line} bytes for each line");
}

#[test]
fn a_reload_needs_little_more_than_the_new_dialplan() {
    let text = many_contexts(9_000);
    let (engine, first) = loaded(&text);
    let held = first.bytes_current as f64;
    let mut reader = MemoryReader::new().with("extensions.conf", text.as_str());
    let reload = allocation_counter::measure(|| {
        engine.load_from("extensions.conf", &mut reader).unwrap();
    });
    // The dialplan before is still in force up to the end, and is not counted here.
    let peak = reload.bytes_max as f64;
    println!(
        "a dialplan of {held} bytes needs {peak} to load, {} times",
        peak / held
    );
    assert!(peak < 2.0 * held, "{peak} bytes for a dialplan of {held}");
}

#[test]
fn sizes() {
    assert_eq!(size_of::<Text>(), 24);
    assert_eq!(size_of::<Value>(), 24);
    assert_eq!(size_of::<Operation>(), 16);
    assert!(size_of::<Instruction>() <= 12);
    assert!(size_of::<Line>() <= 32);
    assert!(
        size_of::<Call>() <= 832,
        "a call is {} bytes",
        size_of::<Call>()
    );
}
