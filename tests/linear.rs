//! The matcher against a plain reading of the rules: sort all entries, try them one after the other.

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

use std::cmp::Ordering;
use std::collections::BTreeMap;

use proptest::prelude::*;
use strowger::base::zone::Zone;
use strowger::base::{Place, SourceId, Text};
use strowger::compile::{automaton, flatten};
use strowger::program::{Matcher, NotFound, Table, Want};
use strowger::syntax::ast::pattern::ExtensionKey;
use strowger::syntax::ast::{Context, Extension, Include, Number, Plan, Priority};

/// Position value and members; `.`, `!` and a broken set have no members.
type Position = (u32, Vec<u8>);

const DOT: u32 = 0x18000;
const BANG: u32 = 0x28000;
const END: u32 = 0x30000;
const BROKEN: u32 = 0x40000;

fn positions(pattern: &[u8]) -> Vec<Position> {
    let (mut out, mut i) = (Vec::new(), 1);
    while i < pattern.len() {
        let members: Vec<u8> = match pattern[i] {
            b'-' => vec![],
            b'X' => (b'0'..=b'9').collect(),
            b'N' => (b'2'..=b'9').collect(),
            b'Z' => (b'1'..=b'9').collect(),
            b'.' => {
                out.push((DOT, vec![]));
                vec![]
            }
            b'!' => {
                out.push((BANG, vec![]));
                vec![]
            }
            b'[' => {
                let Some(end) = (i..pattern.len()).find(|&j| pattern[j] == b']') else {
                    out.push((BROKEN, vec![]));
                    break;
                };
                let (mut set, mut j) = (vec![], i + 1);
                while j < end {
                    if j + 2 < end && pattern[j + 1] == b'-' {
                        set.extend(pattern[j]..=pattern[j + 2]);
                        j += 3;
                    } else {
                        set.push(pattern[j]);
                        j += 1;
                    }
                }
                set.sort_unstable();
                set.dedup();
                i = end;
                set
            }
            byte => vec![byte],
        };
        if let Some(first) = members.first() {
            out.push((members.len() as u32 * 256 + u32::from(*first), members));
        }
        i += 1;
    }
    out
}

fn dashless(text: &[u8]) -> Vec<u8> {
    text.iter().copied().filter(|&b| b != b'-').collect()
}

fn order(a: &[u8], b: &[u8]) -> Ordering {
    match (a.first() == Some(&b'_'), b.first() == Some(&b'_')) {
        (false, false) => dashless(a).cmp(&dashless(b)),
        (false, true) => Ordering::Less,
        (true, false) => Ordering::Greater,
        (true, true) => {
            let (mut a, mut b) = (positions(a), positions(b));
            a.push((END, vec![]));
            b.push((END, vec![]));
            for (x, y) in a.iter().zip(&b) {
                let by_member =
                    (0..=255u8).find_map(|m| match (x.1.contains(&m), y.1.contains(&m)) {
                        (true, false) => Some(Ordering::Less),
                        (false, true) => Some(Ordering::Greater),
                        _ => None,
                    });
                let decided = x.0.cmp(&y.0).then(by_member.unwrap_or(Ordering::Equal));
                if decided.is_ne() {
                    return decided;
                }
            }
            a.len().cmp(&b.len())
        }
    }
}

fn entry_order(a: &Entry, b: &Entry) -> Ordering {
    order(&a.exten, &b.exten).then_with(|| match (&a.cid, &b.cid) {
        (Some(a), Some(b)) => order(a, b),
        (a, b) => a.is_none().cmp(&b.is_none()),
    })
}

#[derive(Clone, Copy, PartialEq)]
enum Question {
    Exact,
    Can,
    More,
}

#[derive(PartialEq)]
enum Reply {
    No,
    Yes,
    Final,
}

fn fits(pattern: &[u8], dialled: &[u8], question: Question) -> Reply {
    let yes = |yes| if yes { Reply::Yes } else { Reply::No };
    if pattern.first() != Some(&b'_') {
        let (listed, typed) = (dashless(pattern), dashless(dialled));
        return yes(match question {
            Question::Exact => listed == typed,
            Question::Can => listed.starts_with(&typed),
            Question::More => listed.starts_with(&typed) && listed.len() > typed.len(),
        });
    }
    if question == Question::Exact
        && dialled.first() == Some(&b'_')
        && order(pattern, dialled).is_eq()
    {
        return Reply::Yes;
    }
    let typed = dashless(dialled);
    let mut at = 0;
    for (value, members) in positions(pattern) {
        let Some(byte) = typed.get(at) else {
            return match (value, question) {
                (BANG, Question::More) => Reply::Final,
                (BANG, _) => Reply::Yes,
                (_, question) => yes(question != Question::Exact),
            };
        };
        match value {
            BANG if question == Question::More => return Reply::Final,
            BANG | DOT => return Reply::Yes,
            _ if !members.contains(byte) => return Reply::No,
            _ => at += 1,
        }
    }
    yes(at == typed.len() && question != Question::More)
}

fn caller(condition: Option<&[u8]>, number: Option<&[u8]>) -> bool {
    match (condition, number) {
        (None, _) => true,
        (Some(b""), number) => number.is_none_or(<[u8]>::is_empty),
        (Some(_), None | Some(b"")) => false,
        (Some(c), Some(n)) => fits(c, n, Question::Exact) != Reply::No,
    }
}

#[derive(Debug, Clone)]
struct Entry {
    exten: Vec<u8>,
    cid: Option<Vec<u8>>,
    /// Number and whether it has the label `l`.
    lines: BTreeMap<u32, bool>,
}

#[derive(Debug, Clone)]
struct Scope {
    entries: Vec<Entry>,
    /// Index of the context and its times: `None` always, else whether they hold at 0.
    includes: Vec<(usize, Option<bool>)>,
}

/// Names that differ in case only are one context for the search's memory.
const NAMES: [&str; 4] = ["a", "b", "C", "c"];

struct Linear<'a> {
    scopes: &'a [Scope],
    dialled: &'a [u8],
    cid: Option<&'a [u8]>,
    want: Option<u32>,
    question: Question,
    noon: bool,
    seen: Vec<String>,
    matched: bool,
}

impl Linear<'_> {
    /// `Ok`: go on; `Err(None)`: refused for this context; `Err(Some)`: context, entry, number.
    fn search(&mut self, at: usize) -> Result<(), Option<(usize, usize, u32)>> {
        for (index, entry) in self.scopes[at].entries.iter().enumerate() {
            let reply = fits(&entry.exten, self.dialled, self.question);
            if reply == Reply::No || !caller(entry.cid.as_deref(), self.cid) {
                continue;
            }
            if reply == Reply::Final {
                return Err(None);
            }
            self.matched = true;
            let line = match self.want {
                Some(number) => entry.lines.contains_key(&number).then_some(number),
                None => entry
                    .lines
                    .iter()
                    .find(|(_, label)| **label)
                    .map(|(n, _)| *n),
            };
            if let Some(number) = line {
                return Err(Some((at, index, number)));
            }
        }
        self.seen.push(NAMES[at].to_lowercase());
        for &(to, times) in &self.scopes[at].includes {
            if times.is_some_and(|midnight| midnight == self.noon)
                || to >= self.scopes.len()
                || self.seen.contains(&NAMES[to].to_lowercase())
            {
                continue;
            }
            if let Err(Some(hit)) = self.search(to) {
                return Err(Some(hit));
            }
        }
        Ok(())
    }
}

fn entry() -> impl Strategy<Value = Entry> {
    let element = prop_oneof![
        4 => Just("1"), 3 => Just("2"), 2 => Just("3"), 1 => Just("a"), 4 => Just("X"), 2 => Just("N"),
        1 => Just("Z"), 2 => Just("[12]"), 2 => Just("[1-3]"), 1 => Just("[23]"), 1 => Just("[1-2a]"),
        1 => Just("[13]"), 1 => Just("[2]"), 1 => Just("[-1]"), 1 => Just("-"), 1 => Just("[]"),
        2 => Just("."), 2 => Just("!"), 1 => Just("[1"), 1 => Just("_"), 1 => Just("222222222222222"),
    ];
    let pattern = (
        prop_oneof![4 => Just(""), 1 => Just("11"), 1 => Just("11111111111111"), 1 => Just("1111111111111111")],
        prop::collection::vec(element, 0..5),
    )
        .prop_map(|(start, rest)| format!("_{start}{}", rest.concat()));
    let literal = (
        prop_oneof![4 => Just(""), 1 => Just("11111111111111111")],
        "[123a-]{1,4}",
    )
        .prop_map(|(start, rest)| format!("{start}{rest}"));
    let cid = prop_oneof![
        6 => Just(None), 1 => Just(Some("")), 1 => Just(Some("5")), 1 => Just(Some("_5X")), 1 => Just(Some("_5.")),
        1 => Just(Some("_!")),
    ];
    (
        prop_oneof![3 => pattern, 2 => literal],
        cid,
        prop::collection::btree_map(1..4u32, any::<bool>(), 0..3),
    )
        .prop_map(|(exten, cid, lines)| Entry {
            exten: exten.into_bytes(),
            cid: cid.map(|c| c.as_bytes().to_vec()),
            lines,
        })
}

fn scope() -> impl Strategy<Value = Scope> {
    let include = (
        0..5usize,
        prop_oneof![3 => Just(None), 1 => any::<bool>().prop_map(Some)],
    );
    (
        prop::collection::vec(entry(), 0..14),
        prop::collection::vec(include, 0..3),
    )
        .prop_map(|(mut entries, includes)| {
            entries.sort_by(entry_order);
            entries.dedup_by(|a, b| entry_order(a, b).is_eq());
            Scope { entries, includes }
        })
}

fn plan(scopes: &[Scope]) -> Plan {
    let place = Place::line(SourceId(0), 1);
    let mut plan = Plan::default();
    let [label, app, data] = ["l", "NoOp", ""].map(|text| plan.intern(text.as_bytes()));
    let contexts = scopes
        .iter()
        .zip(NAMES)
        .map(|(scope, name)| Context {
            name: Text::from(name),
            place,
            extensions: scope
                .entries
                .iter()
                .map(|entry| Extension {
                    exten: Text::from(entry.exten.clone()),
                    cid: entry.cid.clone().map(Text::from),
                    priorities: plan.add_lines(entry.lines.iter().map(|(&number, &labelled)| {
                        Priority {
                            number: Number::At(number),
                            label: labelled.then_some(label),
                            app,
                            data,
                            place,
                        }
                    })),
                    aliases: Vec::new(),
                })
                .collect(),
            includes: scope
                .includes
                .iter()
                .map(|&(to, times)| Include {
                    text: Text::EMPTY,
                    context: Text::from(*NAMES.get(to).unwrap_or(&"missing")),
                    times: times.map(|midnight| {
                        Text::from(if midnight {
                            "0:00-11:59"
                        } else {
                            "12:00-23:59"
                        })
                    }),
                    place,
                })
                .collect(),
            switches: Vec::new(),
            ignorepats: Vec::new(),
        })
        .collect();
    Plan { contexts, ..plan }
}

const NOON: i64 = 43_200;
const CALLERS: [Option<&[u8]>; 5] = [None, Some(b""), Some(b"5"), Some(b"5-5"), Some(b"_5X")];

/// Whether every priority of a steady extension is found there, whoever calls and whenever.
fn holds_steady(
    table: &Table,
    matcher: &Matcher,
    start: u32,
    dialled: &[u8],
    found: strowger::program::Found,
) -> bool {
    let extension = table.extension(found.extension).unwrap();
    extension.priorities.clone().all(|at| {
        let number = table.priorities[at as usize].number;
        CALLERS.iter().all(|cid| {
            [0, NOON].iter().all(|&now| {
                let context = strowger::program::ContextId(start);
                matcher
                    .find(table, context, dialled, Want::Priority(number), *cid, now)
                    .is_ok_and(|again| again.extension == found.extension && again.priority.0 == at)
            })
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn matcher_and_linear_search_agree(
        scopes in prop::collection::vec(scope(), 1..5),
        dials in prop::collection::vec(
            (
                prop_oneof![6 => Just(""), 1 => Just("11"), 1 => Just("11111111111111"), 1 => Just("111111111111111222222222222222"), 1 => Just("_"), 1 => Just("_X[1-3")],
                "[123a\\]X.!-]{0,4}|[123]{0,5}",
                0..4usize, 0..5usize, prop_oneof![3 => (1..4u32).prop_map(Some), 1 => Just(None)], any::<bool>(),
            ),
            24,
        ),
    ) {
        for scope in &scopes {
            let mut sorted = scope.entries.clone();
            sorted.sort_by_key(|e| ExtensionKey::new(&e.exten, e.cid.as_deref()));
            for (a, b) in sorted.iter().zip(&scope.entries) {
                prop_assert_eq!((&a.exten, &a.cid), (&b.exten, &b.cid));
            }
        }
        let plan = plan(&scopes);
        let label = plan.texts.get(b"l").unwrap();
        let table = flatten::flatten(&plan);
        let matcher = automaton::build(&table).with_zone(Zone::utc());
        for (start, rest, context, cid, want, noon) in dials {
            let dialled = format!("{start}{rest}").into_bytes();
            let at = context % scopes.len();
            let cid = CALLERS[cid];
            let linear = |question| {
                let mut linear = Linear {
                    scopes: &scopes, dialled: &dialled, cid, want, question, noon, seen: Vec::new(), matched: false,
                };
                (linear.search(at).err().flatten(), linear.matched)
            };
            let id = strowger::program::ContextId(at as u32);
            let now = if noon { NOON } else { 0 };
            let asked = want.map_or(Want::Label(label), Want::Priority);
            let found = matcher.find(&table, id, &dialled, asked, cid, now);
            let told = found.map(|found| {
                let extension = table.extension(found.extension).unwrap();
                let first = table.context(extension.context).unwrap().extensions.start;
                (extension.context.0 as usize, (found.extension.0 - first) as usize, table.priority(found.priority).unwrap().number)
            });
            let expected = match linear(Question::Exact) {
                (Some(hit), _) => Ok(hit),
                (None, false) => Err(NotFound::NoExtension),
                (None, true) if want.is_none() => Err(NotFound::NoLabel),
                (None, true) => Err(NotFound::NoPriority),
            };
            prop_assert_eq!(told, expected, "{}", String::from_utf8_lossy(&dialled));
            if let Ok(found) = found && found.steady {
                prop_assert!(holds_steady(&table, &matcher, at as u32, &dialled, found));
            }
            // Sets in a string that is only data make no sense to both readings of dashes.
            if dialled.contains(&b'[') { continue }
            prop_assert_eq!(
                matcher.can_match(&table, id, &dialled, asked, cid, now), linear(Question::Can).0.is_some(),
                "can {}", String::from_utf8_lossy(&dialled)
            );
            prop_assert_eq!(
                matcher.match_more(&table, id, &dialled, asked, cid, now), linear(Question::More).0.is_some(),
                "more {}", String::from_utf8_lossy(&dialled)
            );
        }
    }
}

/// Bytes from 0x80 sort before the end of a literal: prefixes are still found.
#[test]
fn prefixes_of_literals_with_high_bytes() {
    let mut entries: Vec<Entry> = [&b"1\xfc2"[..], b"1", b"12", b"\xfc\xfc", b"2\xfc", b"1\xfc"]
        .iter()
        .map(|exten| Entry {
            exten: exten.to_vec(),
            cid: None,
            lines: BTreeMap::from([(1, false)]),
        })
        .collect();
    entries.sort_by_key(|e| ExtensionKey::new(&e.exten, None));
    let scopes = [Scope {
        entries,
        includes: Vec::new(),
    }];
    let table = flatten::flatten(&plan(&scopes));
    let matcher = automaton::build(&table);
    let id = strowger::program::ContextId(0);
    for (dialled, can, more) in [
        (&b"1"[..], true, true),
        (b"1\xfc", true, true),
        (b"1\xfc2", true, false),
        (b"\xfc", true, true),
        (b"2", true, true),
        (b"12", true, false),
        (b"1\xfd", false, false),
    ] {
        let ask = Want::Priority(1);
        assert_eq!(
            matcher.can_match(&table, id, dialled, ask, None, 0),
            can,
            "{dialled:?}"
        );
        assert_eq!(
            matcher.match_more(&table, id, dialled, ask, None, 0),
            more,
            "{dialled:?}"
        );
    }
}
