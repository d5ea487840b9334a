//! A minimal reader of dialplans for the matching corpus: sections, `exten`, `include`, plain globals;
//! no expressions in names.

use std::collections::{BTreeMap, HashMap};

use strowger::base::{Place, SourceId, Text};
use strowger::syntax::ast::pattern::ExtensionKey;
use strowger::syntax::ast::{Context, Extension, Include, Number, Plan, Priority};

/// Lines of one extension: the first spelling, its caller-id condition, and spelling and line by number.
type Lines = (Text, Option<Text>, BTreeMap<Number, (Text, Priority)>);

#[derive(Default)]
struct Open {
    extensions: BTreeMap<ExtensionKey, Lines>,
    includes: Vec<Include>,
}

/// Reads a plan.
pub(crate) fn plan(bytes: &[u8]) -> Plan {
    let mut names: Vec<Vec<u8>> = Vec::new();
    let mut contexts: HashMap<Vec<u8>, Open> = HashMap::new();
    let mut globals: HashMap<Vec<u8>, Vec<u8>> = HashMap::new();
    let (mut section, mut last) = (Vec::new(), 0u32);
    for (number, line) in (1..).zip(bytes.split(|&b| b == b'\n')) {
        let line = line.split(|&b| b == b';').next().unwrap().trim_ascii();
        let place = Place::line(SourceId(0), number);
        if line.first() == Some(&b'[') {
            section = line[1..line.iter().position(|&b| b == b']').unwrap()].to_vec();
            last = 0;
            if section != b"globals" && section != b"general" && !contexts.contains_key(&section) {
                names.push(section.clone());
                contexts.insert(section.clone(), Open::default());
            }
            continue;
        }
        let Some(equals) = line.iter().position(|&b| b == b'=') else {
            continue;
        };
        let name = line[..equals].trim_ascii();
        let value = &line[equals + 1..];
        let value = value.strip_prefix(b">").unwrap_or(value).trim_ascii();
        if section == b"globals" {
            globals.insert(name.to_vec(), substitute(value, &globals));
            continue;
        }
        let Some(open) = contexts.get_mut(&section) else {
            continue;
        };
        match name {
            b"include" => {
                let text = Text::from(substitute(value, &globals));
                let mut parts = text.splitn(2, |&b| b == b',' || b == b'|');
                let context = Text::from(parts.next().unwrap());
                let times = parts.next().map(Text::from);
                if open.includes.iter().all(|i| i.text != text) {
                    open.includes.push(Include {
                        text,
                        context,
                        times,
                        place,
                    });
                }
            }
            b"exten" => exten(value, &globals, open, &mut last, place),
            _ => panic!("line {number}"),
        }
    }
    let contexts = names
        .into_iter()
        .map(|name| {
            let open = contexts.remove(&name).unwrap();
            Context {
                name: Text::from(name),
                place: Place::line(SourceId(0), 1),
                extensions: open.extensions.into_values().map(extension).collect(),
                includes: open.includes,
                switches: Vec::new(),
                ignorepats: Vec::new(),
            }
        })
        .collect();
    Plan {
        contexts,
        ..Plan::default()
    }
}

fn extension((exten, cid, lines): Lines) -> Extension {
    let aliases = lines
        .iter()
        .filter(|(_, (written, _))| *written != exten)
        .map(|(number, (written, _))| (*number, written.clone()))
        .collect();
    let priorities = lines.into_values().map(|(_, priority)| priority).collect();
    Extension {
        exten,
        cid,
        priorities,
        aliases,
    }
}

fn exten(
    value: &[u8],
    globals: &HashMap<Vec<u8>, Vec<u8>>,
    open: &mut Open,
    last: &mut u32,
    place: Place,
) {
    let mut depth = 0i32;
    let comma = value.iter().position(|&b| {
        match b {
            b'[' => depth += 1,
            b']' => depth = (depth - 1).max(0),
            _ => {}
        }
        b == b',' && depth == 0
    });
    let Some(comma) = comma else { return };
    let mut rest = value[comma + 1..].splitn(2, |&b| b == b',');
    let (number, app) = (
        rest.next().unwrap().trim_ascii(),
        rest.next().unwrap_or(b""),
    );
    let listed = substitute(&value[..comma], globals);
    let mut parts = listed.splitn(2, |&b| b == b'/');
    let blankless = |t: &[u8]| -> Vec<u8> { t.iter().copied().filter(|&b| b != b' ').collect() };
    let written = Text::from(blankless(parts.next().unwrap()));
    let cid = parts.next().map(|cid| {
        let shrunk: Vec<u8> = cid
            .iter()
            .copied()
            .filter(|b| !b"() -".contains(b))
            .collect();
        Text::from(shrunk)
    });
    let mut parts = number.split(|&b| b == b'(');
    let digits = parts.next().unwrap();
    let mut label = parts
        .next()
        .map(|l| Text::from(l.strip_suffix(b")").unwrap()));
    let number = match digits {
        b"hint" => Number::Hint,
        b"n" => Number::At(*last + 1),
        _ => {
            let count = digits.iter().take_while(|b| b.is_ascii_digit()).count();
            match std::str::from_utf8(&digits[..count]).unwrap().parse() {
                Ok(0) | Err(_) => return,
                Ok(n) => Number::At(n),
            }
        }
    };
    if let Number::At(n) = number {
        *last = n;
    }
    let (app, data) = match app.iter().position(|&b| b == b'(') {
        None => (app, &b""[..]),
        Some(at) => {
            let end = app.iter().rposition(|&b| b == b')').unwrap();
            (&app[..at], &app[at + 1..end])
        }
    };
    let lines = &mut open
        .extensions
        .entry(ExtensionKey::new(&written, cid.as_deref()))
        .or_insert_with(|| (written.clone(), cid, BTreeMap::new()))
        .2;
    if lines.values().any(|(_, line)| line.label == label) {
        label = None;
    }
    lines.entry(number).or_insert_with(|| {
        (
            written,
            Priority {
                number,
                label,
                app: app.into(),
                data: data.into(),
                place,
            },
        )
    });
}

fn substitute(text: &[u8], globals: &HashMap<Vec<u8>, Vec<u8>>) -> Vec<u8> {
    let (mut out, mut rest) = (Vec::new(), text);
    while let Some(at) = rest.windows(2).position(|w| w == b"${") {
        let end = at + rest[at..].iter().position(|&b| b == b'}').unwrap();
        out.extend_from_slice(&rest[..at]);
        out.extend(globals.get(&rest[at + 2..end]).into_iter().flatten());
        rest = &rest[end + 1..];
    }
    out.extend_from_slice(rest);
    out
}
