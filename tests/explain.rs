//! The story of a lookup as people read it.

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

use strowger::base::zone::Zone;
use strowger::base::{Place, SourceId, Text};
use strowger::compile::{automaton, flatten};
use strowger::program::explain::explain;
use strowger::program::{Query, Want};
use strowger::syntax::ast::pattern::ExtensionKey;
use strowger::syntax::ast::{Context, Extension, Include, Number, Plan, Priority};

fn context(
    plan: &mut Plan,
    name: &str,
    extens: &[(&str, Option<&str>, &[u32])],
    includes: &[(&str, Option<&str>)],
) {
    let place = Place::line(SourceId(0), 1);
    let [app, data] = ["NoOp", "x"].map(|text| plan.intern(text.as_bytes()));
    let mut extensions: Vec<_> = extens
        .iter()
        .map(|(exten, cid, numbers)| Extension {
            exten: Text::from(*exten),
            cid: cid.map(Text::from),
            priorities: plan.add_lines(numbers.iter().map(|&number| Priority {
                number: Number::At(number),
                label: None,
                app,
                data,
                place,
            })),
            aliases: Vec::new(),
        })
        .collect();
    extensions.sort_by_key(|e| ExtensionKey::new(&e.exten, e.cid.as_deref()));
    let includes = includes
        .iter()
        .map(|(context, times)| Include {
            text: Text::from(
                times
                    .map_or((*context).to_owned(), |t| format!("{context},{t}"))
                    .as_str(),
            ),
            context: Text::from(*context),
            times: times.map(Text::from),
            place,
        })
        .collect();
    plan.contexts.push(Context {
        name: Text::from(name),
        place,
        extensions,
        includes,
        switches: Vec::new(),
        ignorepats: Vec::new(),
    });
}

#[test]
fn winner_walk_and_losers() {
    let mut plan = Plan::default();
    context(
        &mut plan,
        "main",
        &[
            ("123", Some("5"), &[1]),
            ("_12X", None, &[2]),
            ("_12X", Some("_7X"), &[1]),
            ("_1XX", None, &[1]),
            ("_1N.", None, &[1]),
        ],
        &[("night", Some("0:00-6:00")), ("b", None), ("gone", None)],
    );
    context(&mut plan, "night", &[], &[]);
    context(&mut plan, "b", &[("123", None, &[1])], &[("main", None)]);
    let table = flatten::flatten(&plan);
    let matcher = automaton::build(&table).with_zone(Zone::utc());
    let query = Query {
        context: table.context_named(b"main").unwrap(),
        exten: b"1-23",
        want: Want::Priority(1),
        cid: Some(b"6"),
        now: 43_200,
    };
    let told = explain(&table, &matcher, &query);
    insta::assert_snapshot!(told.text(&table, &plan.texts, &query).to_string(), @r"
    _1N.@main, priority 1: NoOp(x)
      [main]: searched
        include => night,0:00-6:00: its times do not hold
        include => b: comes after the answer
          include => main: searched before
        include => gone: there is no such context
    not 123/5@main: not for this caller
    not _12X/_7X@main: not for this caller
    not _12X@main: does not have the priority
    not _1XX@main: less specific at position 2: `X` comes after `N`
    not 123@b: its context is searched later
    ");
}
