//! Compiled expressions against textual evaluation: the same value and the same log entries,
//! or a miss of the guard.

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

use proptest::prelude::*;
use strowger::base::Value;
use strowger::compile::expression::{Piece, compile};
use strowger::diagnostic::Entry;
use strowger::machine::expression::{CallResult, Evaluation, Memory, Progress, evaluate};

fn textual(text: &[u8], memory: &mut Memory, log: &mut dyn FnMut(Entry)) -> Value {
    let mut evaluation = Evaluation::text(text, memory);
    loop {
        match evaluation.run(memory, log) {
            Progress::Done(value) => return value,
            Progress::Call { .. } => evaluation.resume(CallResult::Unknown, log),
        }
    }
}

fn value() -> impl Strategy<Value = Vec<u8>> {
    let known = prop::sample::select(vec![
        "",
        "0",
        "1",
        "007",
        "1.10",
        "-5",
        "-05.10",
        "-0",
        "- 5",
        "--5",
        "+5",
        " 5 ",
        "abc",
        "a b",
        "\"abc\"",
        "\"a\" \"b\"",
        "\"",
        "a\"b",
        "1e+18",
        "999999999999999999",
        "1000000000000000000",
        ".5",
        "1.5.2",
        "a-b",
        "SIP/100",
        "*98",
        "5%",
        "1,2",
        "(",
        ")",
        "$",
        "$x",
        "x$",
        "${y}",
        "[a]",
        "{",
        "}",
        "`",
        "~",
        "=",
        ":5",
        "5:",
        "\t7\n",
        "é",
        "LEN",
        "COS",
        "#",
        "a|b",
        "-",
        "\"\"",
        "\" \"",
        "9223372036854775808",
        "-9223372036854775808",
        "0x10",
        "nan",
        "\\",
        "'",
    ])
    .prop_map(|text| text.as_bytes().to_vec());
    prop_oneof![
        5 => known,
        3 => (0i64..2000).prop_map(|n| n.to_string().into_bytes()),
        1 => prop::collection::vec(prop::sample::select(b" \t\n\"$-+*/%~=:?!()<>&|,.059azA_{}[]\xff\x01".to_vec()), 0..6),
    ]
}

fn piece() -> impl Strategy<Value = Piece> {
    let literal = prop::sample::select(vec![
        " ", "+", " + ", "-", " * ", "/", " % ", " = ", "<", " != ", " : ", "=~", " ~~ ", "|",
        " & ", "!", " ? ", " :: ", "(", ")", "1", "0", "5", "abc", "x", "\"", "\"a\"", ".", "$",
        "COS(", "POW(", "LEN(", ",", "[", "~", "{", "\n", "é", "1.5",
    ])
    .prop_map(|text| Piece::Literal(text.into()));
    prop_oneof![3 => literal, 2 => Just(Piece::Hole)]
}

/// Templates that are mostly grammatical.
fn template() -> impl Strategy<Value = Vec<Piece>> {
    let hole = prop_oneof![
        6 => Just(vec![Piece::Hole]),
        2 => Just(vec![Piece::Literal(b"\"".to_vec()), Piece::Hole, Piece::Literal(b"\"".to_vec())]),
        1 => Just(vec![Piece::Literal(b"0".to_vec()), Piece::Hole]),
        1 => Just(vec![Piece::Hole, Piece::Hole]),
        1 => Just(vec![Piece::Hole, Piece::Literal(b".".to_vec()), Piece::Hole]),
        3 => prop::sample::select(vec!["1", "0", "abc", "\"a\"", "-3", "2.50"])
            .prop_map(|text| vec![Piece::Literal(text.into())]),
    ];
    hole.prop_recursive(3, 12, 2, |inner| {
        let infix = prop::sample::select(vec![
            "+", " - ", "*", " / ", "%", " = ", "<", " != ", " : ", " =~ ", " ~~ ", " | ", "&", ">=",
        ]);
        prop_oneof![
            5 => (inner.clone(), infix, inner.clone()).prop_map(|(a, op, b)| {
                [a, vec![Piece::Literal(op.into())], b].concat()
            }),
            1 => inner.clone().prop_map(|a| {
                [vec![Piece::Literal(b"(".to_vec())], a, vec![Piece::Literal(b")".to_vec())]].concat()
            }),
            1 => inner.clone().prop_map(|a| [vec![Piece::Literal(b"-".to_vec())], a].concat()),
            1 => inner.clone().prop_map(|a| [vec![Piece::Literal(b"!".to_vec())], a].concat()),
            1 => inner.clone().prop_map(|a| {
                [vec![Piece::Literal(b"FLOOR(".to_vec())], a, vec![Piece::Literal(b")".to_vec())]].concat()
            }),
            1 => (inner.clone(), inner.clone(), inner).prop_map(|(a, b, c)| {
                [a, vec![Piece::Literal(b" ? ".to_vec())], b, vec![Piece::Literal(b" :: ".to_vec())], c].concat()
            }),
        ]
    })
}

fn check(pieces: &[Piece], values: &[Vec<u8>]) -> Result<(), TestCaseError> {
    let mut joined = Vec::new();
    let mut holes = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Literal(text) => joined.extend_from_slice(text),
            Piece::Hole => {
                let value = &values[holes.len() % values.len()];
                joined.extend_from_slice(value);
                holes.push(Value::from_bytes(value));
            }
        }
    }
    let Some(compiled) = compile(pieces) else {
        return Ok(());
    };
    let mut memory = Memory::default();
    let (mut fast, mut slow) = (Vec::new(), Vec::new());
    if let Some(value) = evaluate(&compiled, &holes, &mut memory, &mut |entry| {
        fast.push(entry);
    }) {
        let expected = textual(&joined, &mut memory, &mut |entry| slow.push(entry));
        let about = String::from_utf8_lossy(&joined).into_owned();
        prop_assert_eq!(value, expected, "{}", about);
        prop_assert_eq!(fast, slow, "{}", about);
    } else {
        prop_assert!(fast.is_empty());
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn grammatical_templates(pieces in template(), values in prop::collection::vec(value(), 4)) {
        check(&pieces, &values)?;
    }

    #[test]
    fn any_templates(pieces in prop::collection::vec(piece(), 0..9), values in prop::collection::vec(value(), 4)) {
        check(&pieces, &values)?;
    }
}
