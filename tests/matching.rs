//! Every lookup of the matching corpus, answered by a real Asterisk.

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

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use serde_json::{Value, json};
use strowger::base::zone::Zone;
use strowger::base::{Interner, Symbol};
use strowger::compile::{automaton, flatten};
use strowger::diagnostic::Entry;
use strowger::host::files::FileReader;
use strowger::program::{Matcher, NotFound, Table, Want};
use strowger::syntax::load::{self, LoadOptions, LoadTime};

struct Loaded {
    table: Table,
    matcher: Matcher,
    names: Interner,
}

/// Stands in for the evaluator at load time: plain globals and sums.
#[derive(Default)]
struct Globals(HashMap<Vec<u8>, Vec<u8>>);

impl LoadTime for Globals {
    fn set_global(&mut self, name: &[u8], value: &[u8]) {
        self.0.insert(name.to_vec(), value.to_vec());
    }

    #[expect(
        clippy::only_used_in_recursion,
        reason = "nothing here is worth a log entry"
    )]
    fn substitute(&mut self, text: &[u8], log: &mut Vec<Entry>) -> Vec<u8> {
        let Some(at) = text.windows(2).position(|w| w == b"${" || w == b"$[") else {
            return text.to_vec();
        };
        let close = if text[at + 1] == b'{' { b'}' } else { b']' };
        let end = at + text[at..].iter().position(|&b| b == close).unwrap();
        let inside = &text[at + 2..end];
        let mut out = text[..at].to_vec();
        if close == b'}' {
            out.extend(self.0.get(inside).into_iter().flatten());
        } else {
            let inside = std::str::from_utf8(inside).unwrap();
            let sum: i64 = inside
                .split('+')
                .map(|n| n.trim().parse::<i64>().unwrap())
                .sum();
            out.extend(sum.to_string().bytes());
        }
        out.extend(self.substitute(&text[end + 1..], log));
        out
    }

    fn substitute_hint(
        &mut self,
        _: &[u8],
        _: &[u8],
        text: &[u8],
        log: &mut Vec<Entry>,
    ) -> Vec<u8> {
        self.substitute(text, log)
    }
}

fn load(path: &Path) -> Loaded {
    let path = path.to_str().unwrap();
    let (plan, _) = load::load(
        path,
        &mut FileReader,
        &mut Globals::default(),
        &LoadOptions::default(),
        None,
    );
    let mut names = Interner::new();
    let table = flatten::flatten(&plan.unwrap(), &mut names);
    let matcher = automaton::build(&table).with_zone(Zone::utc());
    Loaded {
        table,
        matcher,
        names,
    }
}

fn want(priority: i64) -> Want {
    match priority {
        -1 => Want::Hint,
        n => Want::Priority(u32::try_from(n).unwrap_or(0)),
    }
}

fn answer(loaded: &Loaded, case: &Value) -> Value {
    let Loaded {
        table,
        matcher,
        names,
    } = loaded;
    let exten = case["dialed"].as_str().unwrap().as_bytes();
    let cid = case["cid"].as_str().map(str::as_bytes);
    let now = case["now"].as_i64().unwrap_or(0);
    let priority = case["priority"].as_i64().unwrap_or(1);
    let number = want(priority);
    let Some(context) = table.context_named(case["context"].as_str().unwrap().as_bytes()) else {
        return json!([false, false, false, null, "no_context"]);
    };
    let sought = match case["label"].as_str() {
        // A name without a symbol is no label of this dialplan.
        Some(label) => Want::Label(names.get(label.as_bytes()).unwrap_or(Symbol(u32::MAX))),
        None => number,
    };
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let (found, why) = match matcher.find(table, context, exten, sought, cid, now) {
        Err(why) => {
            let why = match why {
                NotFound::NoContext => "no_context",
                NotFound::NoExtension => "no_extension",
                NotFound::NoPriority => "no_priority",
                NotFound::NoLabel => "no_label",
                NotFound::Switched => "switched",
            };
            (Value::Null, json!(why))
        }
        Ok(found) => {
            let extension = table.extension(found.extension).unwrap();
            let common =
                |pattern: &[u8], priority: i64, label: Option<String>, app: &[u8], data: &[u8]| {
                    json!({
                        "context": text(&table.context(extension.context).unwrap().name),
                        "pattern": text(pattern),
                        "cid": extension.cid.as_ref().map(|c| text(c)),
                        "priority": priority,
                        "label": label,
                        "app": text(app),
                        "data": text(data),
                    })
                };
            let found = match table.priority(found.priority) {
                None => {
                    let hint = extension.hint.as_ref().unwrap();
                    common(&hint.exten, -1, None, &hint.devices, &hint.name)
                }
                Some(line) => common(
                    table.written(found.priority).unwrap(),
                    i64::from(line.number),
                    line.label.map(|l| text(names.resolve(l))),
                    names.resolve(line.app),
                    &line.data,
                ),
            };
            (found, Value::Null)
        }
    };
    json!([
        matcher.exists(table, context, exten, number, cid, now),
        matcher.can_match(table, context, exten, number, cid, now),
        matcher.match_more(table, context, exten, number, cid, now),
        found,
        why
    ])
}

#[test]
fn every_lookup_of_the_corpus() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/corpus/dialplan");
    let cases = std::fs::read_to_string(root.join("match.jsonl")).unwrap();
    let mut plans = HashMap::new();
    let mut areas: BTreeMap<String, (u32, u32)> = BTreeMap::new();
    let mut shown = 0;
    for line in cases.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let plan = case["plan"].as_str().unwrap();
        let loaded = plans
            .entry(plan.to_owned())
            .or_insert_with(|| load(&root.join(plan)));
        let expected = json!([
            case["exists"],
            case["canmatch"],
            case["matchmore"],
            case["found"],
            case["why"]
        ]);
        let given = answer(loaded, &case);
        let area = areas
            .entry(case["area"].as_str().unwrap().to_owned())
            .or_default();
        area.0 += 1;
        if given != expected {
            area.1 += 1;
            shown += 1;
            if shown <= 20 {
                println!("{}\n  expected {expected}\n  given    {given}", case["id"]);
            }
        }
    }
    let (all, wrong) = areas
        .values()
        .fold((0, 0), |sum, area| (sum.0 + area.0, sum.1 + area.1));
    for (area, (all, wrong)) in &areas {
        println!("{area}: {} of {all}", all - wrong);
    }
    assert_eq!(wrong, 0, "{wrong} of {all} lookups differ");
    assert_eq!(all, 5466);
}
