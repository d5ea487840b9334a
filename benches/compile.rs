//! Loading: text to a dialplan in force. Figures are per priority (one item).

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

use std::fmt::Write as _;

use divan::Bencher;
use divan::counter::ItemsCount;
use strowger::host::Engine;
use strowger::syntax::load::MemoryReader;

fn main() {
    divan::main();
}

/// Extensions of five lines each, 100 to a context.
fn many(extensions: u32) -> String {
    let mut text = String::new();
    for n in 0..extensions {
        if n % 100 == 0 {
            let _ = writeln!(text, "[context{}]", n / 100);
        }
        let _ = write!(
            text,
            "exten => {n},1,NoOp(call to ${{EXTEN}})\n same => n,Set(dest=PJSIP/${{EXTEN}}@trunk{})\n \
             same => n,GotoIf($[\"${{CALLERID(num)}}\" = \"{n}\"]?end)\n same => n,Dial(${{dest}},30,tT)\n \
             same => n(end),Hangup()\n",
            n % 7
        );
    }
    text
}

/// Numbers of one line each in one context.
fn flat(numbers: u32) -> String {
    let mut text = "[numbers]\n".to_owned();
    for n in 0..numbers {
        let _ = writeln!(
            text,
            "exten => {},1,Goto(subscriber,{n},1)",
            12_120_000_000_u64 + u64::from(n)
        );
    }
    text
}

fn load(bencher: Bencher<'_, '_>, text: &str, priorities: u32) {
    let reader = MemoryReader::new().with("extensions.conf", text);
    let engine = Engine::builder().build();
    bencher
        .counter(ItemsCount::new(priorities))
        .bench_local(|| {
            engine
                .load_from("extensions.conf", &mut reader.clone())
                .unwrap()
        });
}

#[divan::bench(args = [200, 20_000], sample_count = 10)]
fn many_contexts(bencher: Bencher<'_, '_>, extensions: u32) {
    load(bencher, &many(extensions), extensions * 5);
}

#[divan::bench(args = [1_000, 100_000], sample_count = 10)]
fn one_context(bencher: Bencher<'_, '_>, numbers: u32) {
    load(bencher, &flat(numbers), numbers);
}
