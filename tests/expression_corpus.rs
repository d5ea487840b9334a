//! Measures the evaluator of `$[ ]` against recorded answers, without the rest of the engine:
//! only plain `${name}` and nested `$[ ]` are substituted, and few dialplan functions are known.

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

use std::collections::BTreeMap;

use serde_json::Value as Json;
use strowger::base::Value;
use strowger::compile::expression::{Piece, compile};
use strowger::diagnostic::Entry;
use strowger::machine::expression::{CallResult, Evaluation, Memory, Progress, evaluate};

type Vars = BTreeMap<String, Vec<u8>>;

struct Run {
    memory: Memory,
    log: Vec<(String, String)>,
    /// Something that only the whole engine knows was needed.
    foreign: bool,
    compiled: usize,
}

fn function(name: &[u8], arguments: &[u8]) -> Option<CallResult> {
    Some(match name {
        b"LEN" => CallResult::Text(arguments.len().to_string().into()),
        b"TOUPPER" => CallResult::Text(arguments.to_ascii_uppercase()),
        b"TOLOWER" => CallResult::Text(arguments.to_ascii_lowercase()),
        b"PASSTHRU" | b"REPLACE" | b"STRREPLACE" | b"SHIFT" | b"POP" | b"PUSH" | b"ARRAY" => {
            CallResult::NotReadable
        }
        b"NOSUCH" | b"1" | b"2" | b"5" | b"EN" => CallResult::Unknown,
        _ => return None,
    })
}

impl Run {
    fn expression(&mut self, text: &[u8]) -> Vec<u8> {
        let mut evaluation = Evaluation::text(text, &mut self.memory);
        loop {
            let log = &mut self.log;
            let mut note = |entry: Entry| {
                log.push((entry.level.name().to_owned(), entry.code.kind.to_owned()));
            };
            match evaluation.run(&mut self.memory, &mut note) {
                Progress::Done(value) => return value.to_text().to_vec(),
                Progress::Call { name, arguments } => {
                    let result = function(&name, &arguments).unwrap_or_else(|| {
                        self.foreign = true;
                        CallResult::Failed
                    });
                    evaluation.resume(result, &mut note);
                }
            }
        }
    }

    fn template(&mut self, text: &[u8], vars: &Vars, depth: usize) -> Vec<u8> {
        let mut out = Vec::new();
        let mut at = 0;
        while at < text.len() {
            match (text[at], text.get(at + 1)) {
                (b'$', Some(b'[')) => {
                    let (end, closed) = matching(text, at + 2, b'[', b']');
                    if !closed {
                        self.log.push(("warning".into(), "missing-bracket".into()));
                    }
                    let inner = &text[at + 2..end];
                    out.extend(self.bracketed(inner, vars, depth));
                    at = end + usize::from(closed);
                }
                (b'$', Some(b'{')) => {
                    let (end, closed) = matching(text, at + 2, b'{', b'}');
                    if !closed {
                        self.log.push(("warning".into(), "missing-brace".into()));
                    }
                    out.extend(self.variable(&text[at + 2..end], vars));
                    at = end + usize::from(closed);
                }
                (byte, _) => {
                    out.push(byte);
                    at += 1;
                }
            }
        }
        out
    }

    fn variable(&mut self, name: &[u8], vars: &Vars) -> Vec<u8> {
        let name = String::from_utf8_lossy(name).into_owned();
        if let Some(argument) = name.strip_prefix("LEN(").and_then(|n| n.strip_suffix(')')) {
            return self
                .template(argument.as_bytes(), vars, 1)
                .len()
                .to_string()
                .into();
        }
        if name.contains(['(', ':', '$', '[']) {
            self.foreign = true;
        }
        if name == "EXTEN" {
            return b"5551234".to_vec();
        }
        vars.get(&name).cloned().unwrap_or_default()
    }

    fn bracketed(&mut self, inner: &[u8], vars: &Vars, depth: usize) -> Vec<u8> {
        if depth > 20 {
            self.foreign = true;
            return Vec::new();
        }
        let mut pieces = Vec::new();
        let mut values = Vec::new();
        let (mut literal, mut joined) = (Vec::new(), Vec::new());
        let mut at = 0;
        while at < inner.len() {
            let next = inner.get(at + 1);
            if inner[at] == b'$' && matches!(next, Some(b'[' | b'{')) {
                let (open, close) = if next == Some(&b'[') {
                    (b'[', b']')
                } else {
                    (b'{', b'}')
                };
                let (end, closed) = matching(inner, at + 2, open, close);
                let end = end + usize::from(closed);
                let value = self.template(&inner[at..end], vars, depth + 1);
                pieces.push(Piece::Literal(std::mem::take(&mut literal)));
                pieces.push(Piece::Hole);
                joined.extend_from_slice(&value);
                values.push(Value::from_bytes(&value));
                at = end;
            } else {
                literal.push(inner[at]);
                joined.push(inner[at]);
                at += 1;
            }
        }
        pieces.push(Piece::Literal(literal));
        if joined.len() > 4094 {
            self.foreign = true;
        }
        let before = self.log.len();
        let textual = self.expression(&joined);
        if let Some(compiled) = compile(&pieces) {
            let mut log = Vec::new();
            let value = evaluate(&compiled, &values, &mut self.memory, &mut |entry: Entry| {
                log.push((entry.level.name().to_owned(), entry.code.kind.to_owned()));
            });
            if let Some(value) = value {
                self.compiled += 1;
                assert_eq!(
                    value.to_text().to_vec(),
                    textual,
                    "{}",
                    String::from_utf8_lossy(&joined)
                );
                assert_eq!(
                    log,
                    self.log[before..],
                    "{}",
                    String::from_utf8_lossy(&joined)
                );
            }
        }
        textual
    }
}

fn matching(text: &[u8], from: usize, open: u8, close: u8) -> (usize, bool) {
    let mut depth = 1;
    for at in from..text.len() {
        if text[at] == open && (open == b'[' || text[at - 1] == b'$') {
            depth += 1;
        } else if text[at] == close {
            depth -= 1;
            if depth == 0 {
                return (at, true);
            }
        }
    }
    (text.len(), false)
}

fn bytes(json: &Json) -> Vec<u8> {
    if let Some(hex) = json.get("hex").and_then(Json::as_str) {
        return (0..hex.len() / 2)
            .map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap())
            .collect();
    }
    json.as_str().unwrap_or_default().as_bytes().to_vec()
}

/// Cases, failures of output, failures of log among equal outputs, cases beyond this harness.
fn measure(file: &str) -> (usize, Vec<String>, Vec<String>, usize) {
    let text = std::fs::read_to_string(format!("tests/data/corpus/language/{file}")).unwrap();
    let (mut cases, mut outputs, mut logs, mut foreign, mut compiled) =
        (0, Vec::new(), Vec::new(), 0, 0);
    for line in text.lines() {
        let case: Json = serde_json::from_str(line).unwrap();
        if case.get("undefined").is_some() {
            continue;
        }
        let (Some(input), Some(expected)) = (case.get("input"), case.get("output")) else {
            foreign += 1;
            continue;
        };
        let mut vars = Vars::new();
        if let Some(given) = case.get("vars").and_then(Json::as_object) {
            for (name, value) in given {
                vars.insert(name.clone(), bytes(value));
            }
        }
        let mut run = Run {
            memory: Memory::default(),
            log: Vec::new(),
            foreign: false,
            compiled: 0,
        };
        let output = run.template(&bytes(input), &vars, 0);
        compiled += run.compiled;
        if run.foreign {
            foreign += 1;
            continue;
        }
        cases += 1;
        let mut log = Vec::new();
        for entry in case
            .get("log")
            .and_then(Json::as_array)
            .into_iter()
            .flatten()
        {
            for _ in 0..entry.get("count").and_then(Json::as_u64).unwrap_or(1) {
                log.push((
                    entry["level"].as_str().unwrap().to_owned(),
                    entry["kind"].as_str().unwrap().to_owned(),
                ));
            }
        }
        let about = format!(
            "{} {} => {:?}, expected {:?}; log {:?}, expected {:?}",
            case["id"].as_str().unwrap(),
            input,
            String::from_utf8_lossy(&output),
            String::from_utf8_lossy(&bytes(expected)),
            run.log,
            log
        );
        if output != bytes(expected) {
            outputs.push(about);
        } else if log != run.log {
            logs.push(about);
        }
    }
    println!(
        "{file}: {cases} cases, {} outputs differ, {} logs differ, {foreign} skipped, {compiled} compiled",
        outputs.len(),
        logs.len()
    );
    for line in outputs.iter().chain(&logs).take(60) {
        println!("  {line}");
    }
    (cases, outputs, logs, foreign)
}

#[test]
fn literals() {
    let (_, outputs, logs, _) = measure("expr.jsonl");
    assert!(outputs.len() <= 4 && logs.len() <= 20);
}

#[test]
fn variables() {
    let (_, outputs, logs, _) = measure("exprvars.jsonl");
    assert!(outputs.len() <= 4 && logs.len() <= 20);
}
