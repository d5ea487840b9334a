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

use divan::Bencher;
use divan::counter::ItemsCount;
use strowger::host::Engine;
use strowger::measure::loading;
use strowger::syntax::load::MemoryReader;

fn main() {
    divan::main();
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
    load(bencher, &loading::many_contexts(extensions), extensions * 5);
}

#[divan::bench(args = [1_000, 100_000], sample_count = 10)]
fn one_context(bencher: Bencher<'_, '_>, numbers: u32) {
    load(bencher, &loading::one_context(numbers), numbers);
}
