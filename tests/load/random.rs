//! Whatever the bytes: no panic, no endless loop, and a refused file says why.

use proptest::prelude::*;
use strowger::diagnostic::Severity;
use strowger::syntax::load::{LoadOptions, MemoryReader, load};
use strowger::syntax::print::{json, show};

use crate::evaluator::Evaluator;

fn survives(files: [Vec<u8>; 2]) {
    let [main, more] = files;
    let mut reader = MemoryReader::new()
        .with("d/extensions.conf", main)
        .with("d/more.conf", more);
    let (plan, report) = load(
        "d",
        &mut reader,
        &mut Evaluator::default(),
        &LoadOptions::default(),
        None,
    );
    assert_eq!(plan.is_none(), report.is_refused());
    if plan.is_none() {
        assert_eq!(report.worst(), Some(Severity::Error));
    }
    if let Some(plan) = &plan {
        show(plan, &report.sources, None).unwrap();
        for context in &plan.contexts {
            for extension in &context.extensions {
                assert!(
                    plan.lines(extension)
                        .is_sorted_by(|a, b| a.number < b.number)
                );
            }
        }
    }
    for diagnostic in report.diagnostics() {
        let place = diagnostic.place;
        if let Some(place) = place {
            let source = report.sources.get(place.source).unwrap();
            let line = source.line_text(place.line).unwrap();
            assert!(
                place.column as usize <= line.len() + 1,
                "{}",
                report.line(diagnostic)
            );
        }
    }
    json::plan(plan.as_ref(), &report);
}

/// Pieces that make lines which get far into the loader.
const PIECES: &[&str] = &[
    "[",
    "]",
    "(",
    ")",
    "(!)",
    "(+)",
    "a",
    "b",
    "general",
    "globals",
    "\n",
    "\n",
    "\n[a]\n",
    "\n[b](a)\n",
    "exten",
    "same",
    "include",
    "switch",
    "ignorepat",
    " => ",
    "=",
    "+=",
    "1",
    "n",
    "s",
    "hint",
    ",",
    ",",
    ",",
    "+",
    "-1",
    "/",
    "_",
    "X",
    ".",
    "!",
    "[1-3]",
    "[",
    "-",
    "NoOp",
    "${A}",
    "$[",
    "${LEN(x)}",
    "\\",
    ";",
    "\\;",
    ";--",
    "--;",
    "#include more.conf\n",
    "#include extensions.conf\n",
    "#tryinclude *.conf\n",
    "#exec x\n",
    "99999999999",
    "\r\n",
    "\u{feff}",
    "é",
    "\0",
    "|",
    "mon",
    "*",
    "(x)",
    "\nexten => 1,1,NoOp(x)\n",
    "\nexten => 1,x,NoOp(x)\n",
    "\ninclude => b\n",
];

fn pieces() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(prop::sample::select(PIECES), 0..60)
        .prop_map(|pieces| pieces.concat().into_bytes())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes(main in prop::collection::vec(any::<u8>(), 0..400), more in prop::collection::vec(any::<u8>(), 0..50)) {
        survives([main, more]);
    }

    #[test]
    fn random_pieces(main in pieces(), more in pieces()) {
        survives([main, more]);
    }

    #[test]
    fn random_pieces_below_a_context(main in pieces(), more in pieces()) {
        survives([[b"[a]\n".to_vec(), main].concat(), more]);
    }
}

/// Templates that double and files that multiply end in a refusal, not in a full memory.
#[test]
fn explosions_end() {
    let mut doubling = String::from("[t0](!)\nexten => 1,1,NoOp(x)\n");
    for n in 1..60 {
        doubling += &format!("[t{n}](!,t{},t{})\n", n - 1, n - 1);
    }
    survives([doubling.into_bytes(), Vec::new()]);
    let many = "#include more.conf\n".repeat(50);
    survives([many.clone().into_bytes(), many.into_bytes()]);
}
