//! Loads of large dialplans: the first load of the process with what it leaves resident, then reloads.
//!
//! `cargo bench --bench loading -- FILE...` takes other files.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::float_cmp,
    reason = "a bench fails by panicking, and prints its figures"
)]

use std::path::{Path, PathBuf};

use strowger::host::Engine;
use strowger::measure::loading::{load, many_contexts, one_context};
use strowger::measure::pips::median;

fn measure(path: &Path) {
    let engine = Engine::builder().build();
    let first = load(&engine, path).unwrap();
    let again = (0..5).map(|_| load(&engine, path).unwrap().seconds);
    println!(
        "{}: {} priorities in {:.3} s, {:.0} bytes each; reloads {:.3} s",
        path.file_name().unwrap_or_default().display(),
        first.priorities,
        first.seconds,
        first.bytes_per_priority().unwrap_or_default(),
        median(again)
    );
}

fn main() {
    // One file only, so that its memory is that of a new process.
    let named: Vec<PathBuf> = std::env::args_os()
        .skip(1)
        .filter(|argument| !argument.as_encoded_bytes().starts_with(b"--"))
        .map(PathBuf::from)
        .collect();
    if !named.is_empty() {
        for path in named {
            measure(&path);
        }
        return;
    }
    let folder = std::env::temp_dir().join(format!("strowger-loading-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for (name, text) in [
        ("many.conf", many_contexts(100_000)),
        ("onectx.conf", one_context(100_000)),
    ] {
        let path = folder.join(name);
        std::fs::write(&path, &text).unwrap();
        drop(text);
        let this = std::env::current_exe().unwrap();
        assert!(
            std::process::Command::new(this)
                .arg(&path)
                .status()
                .unwrap()
                .success()
        );
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
