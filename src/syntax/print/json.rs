//! Plans and logs as JSON, and byte strings in JSON.

use serde_json::{Map, Value, json};

use crate::base::SourceMap;
use crate::diagnostic::{Report, code};
use crate::syntax::ast::{Context, Extension, Number, Plan, Priority};

/// A byte string: a string where it is UTF-8, else `{"hex": "..."}`, the whole of it.
pub fn byte_string(bytes: &[u8]) -> Value {
    match std::str::from_utf8(bytes) {
        Ok(text) => Value::from(text),
        Err(_) => json!({ "hex": hex(bytes) }),
    }
}

/// A byte string as key of an object: itself where it is UTF-8, else `hex:...`.
pub fn byte_key(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => format!("hex:{}", hex(bytes)),
    }
}

/// The bytes that [`byte_string`] wrote; `None` for any other value.
pub fn bytes_of(value: &Value) -> Option<Vec<u8>> {
    match value {
        Value::String(text) => Some(text.clone().into_bytes()),
        Value::Object(object) if object.len() == 1 => unhex(object.get("hex")?.as_str()?),
        _ => None,
    }
}

fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |n: u8| DIGITS.get(usize::from(n)).map_or('0', |&d| char::from(d));
    bytes
        .iter()
        .flat_map(|&byte| [digit(byte >> 4), digit(byte & 15)])
        .collect()
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digit = |d: u8| char::from(d).to_digit(16);
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    pairs
        .iter()
        .map(|&[high, low]| Some((digit(high)? << 4 | digit(low)?) as u8))
        .collect()
}

/// The object of `show --json`; no plan means that the file was refused.
pub fn plan(plan: Option<&Plan>, report: &Report) -> Value {
    let (globals, contexts) = match plan {
        Some(plan) => (globals(plan), contexts(plan, &report.sources)),
        None => (Vec::new(), Vec::new()),
    };
    json!({
        "loaded": plan.is_some(),
        "globals": globals,
        "contexts": contexts,
        "log": log(report),
    })
}

/// `NAME=VALUE`, sorted.
fn globals(plan: &Plan) -> Vec<Value> {
    let mut lines: Vec<Vec<u8>> = plan
        .globals
        .iter()
        .map(|(name, value)| [name.as_bytes(), b"=", value.as_bytes()].concat())
        .collect();
    lines.sort();
    lines.iter().map(|line| byte_string(line)).collect()
}

fn contexts(plan: &Plan, sources: &SourceMap) -> Vec<Value> {
    let mut contexts: Vec<&Context> = plan.contexts.iter().collect();
    contexts.sort_by(|a, b| a.name.cmp(&b.name));
    contexts
        .into_iter()
        .map(|context| {
            let extens: Vec<Value> = context
                .extensions
                .iter()
                .map(|e| extension(plan, e, sources))
                .collect();
            let includes: Vec<Value> = context
                .includes
                .iter()
                .map(|include| byte_string(&include.text))
                .collect();
            let ignorepats: Vec<Value> =
                context.ignorepats.iter().map(|p| byte_string(p)).collect();
            let switches: Vec<Value> = context
                .switches
                .iter()
                .map(|switch| {
                    json!({
                        "name": byte_string(&switch.name),
                        "data": byte_string(&switch.data),
                        "eval": switch.eval,
                    })
                })
                .collect();
            json!({
                "name": byte_string(&context.name),
                "extens": extens,
                "includes": includes,
                "switches": switches,
                "ignorepats": ignorepats,
            })
        })
        .collect()
}

fn extension(plan: &Plan, extension: &Extension, sources: &SourceMap) -> Value {
    let priorities: Vec<Value> = plan
        .lines(extension)
        .iter()
        .map(|p| priority(plan, p, sources))
        .collect();
    json!({
        "exten": byte_string(&extension.exten),
        "cid": extension.cid.as_ref().map(|cid| byte_string(cid)),
        "priorities": priorities,
    })
}

fn priority(plan: &Plan, priority: &Priority, sources: &SourceMap) -> Value {
    let (file, line) = sources.listed(priority.place);
    json!({
        "priority": match priority.number {
            Number::Hint => Value::from("hint"),
            Number::At(number) => Value::from(number),
        },
        "label": priority.label.map(|label| byte_string(plan.text(label))),
        "app": byte_string(plan.text(priority.app)),
        "data": byte_string(plan.text(priority.data)),
        "line": line,
        "file": file,
    })
}

/// What Asterisk would have logged: `level`, `kind`, `line` and `file` where its message has them, `count` where
/// the same entry comes several times in a row.
pub fn log(report: &Report) -> Value {
    let mut entries: Vec<(Map<String, Value>, u32)> = Vec::new();
    for (diagnostic, logged) in report.logged() {
        let mut entry = Map::new();
        entry.insert("level".into(), logged.level.name().into());
        entry.insert("kind".into(), diagnostic.code.kind.into());
        if let Some(place) = diagnostic.place.filter(|_| logged.placed) {
            let (file, line) = report.sources.listed(place);
            entry.insert("line".into(), line.into());
            // The message about a line that is too long names no file.
            if diagnostic.code != &code::LINE_TOO_LONG {
                entry.insert("file".into(), file.into());
            }
        }
        match entries.last_mut() {
            Some((last, count)) if *last == entry => *count += logged.times,
            _ => entries.push((entry, logged.times)),
        }
    }
    entries
        .into_iter()
        .map(|(mut entry, count)| {
            if count > 1 {
                entry.insert("count".into(), count.into());
            }
            Value::Object(entry)
        })
        .collect()
}

/// The list of `check --json`: `code` is ours, `kind` that of Asterisk's log where it would log the fault.
pub fn diagnostics(report: &Report) -> Value {
    report
        .diagnostics()
        .iter()
        .map(|diagnostic| {
            let place = diagnostic.place;
            let source = place.and_then(|place| report.sources.get(place.source));
            json!({
                "code": diagnostic.code.id,
                "kind": diagnostic.logged.map(|_| diagnostic.code.kind),
                "severity": diagnostic.severity.name(),
                "file": source.map(|source| source.path.as_str()),
                "line": place.map(|place| place.line),
                "column": place.map(|place| place.column.max(1)),
                "message": diagnostic.message,
                "help": diagnostic.help,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back() {
        for bytes in [&b"abc"[..], b"", b"\xe4\xf6", b"\x00\xff"] {
            assert_eq!(bytes_of(&byte_string(bytes)).as_deref(), Some(bytes));
        }
        assert_eq!(byte_string(b"\xe4\xf6"), json!({"hex": "e4f6"}));
        assert_eq!(byte_key(b"\xe4"), "hex:e4");
        assert_eq!(bytes_of(&json!({"hex": "e"})), None);
        assert_eq!(bytes_of(&json!({"hex": "zz"})), None);
        assert_eq!(bytes_of(&json!(1)), None);
    }
}
