//! The compiled way equals the textual way: random dialplans over awkward values run to their end both ways,
//! watched and unwatched, and must leave the same effects, variables, outcome and log.

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

use std::sync::{Arc, Mutex};

use proptest::prelude::*;

use strowger::base::Text;
use strowger::diagnostic::Entry;
use strowger::host::Engine;
use strowger::machine::{Call, Effect, Event, Limits, Location, Note, Observer};
use strowger::syntax::load::MemoryReader;

const NAMES: [&str; 5] = ["a", "b", "n", "i", "EXTEN"];

/// Values that break naive compilation: what they lex as differs from what they look like.
const VALUES: [&str; 44] = [
    "",
    "0",
    "1",
    "2",
    "5",
    "9",
    "10",
    "007",
    "1.10",
    "-1",
    "-05.10",
    "-0",
    "+5",
    "abc",
    "a b",
    " 7 ",
    "\t3",
    "\"q\"",
    "\"",
    "\"a\"b\"",
    "1+1",
    "a-b",
    "*98",
    "(",
    ")",
    "((",
    "x)",
    "[",
    "]",
    "{",
    "}",
    "$",
    "${a}",
    "$[1]",
    ":",
    "a?b",
    "1e+18",
    "999999999999999999",
    "1000000000000000000",
    "5.",
    ".5",
    "a|b",
    "~",
    "\u{e9}",
];

#[derive(Default, Clone)]
struct Kept {
    log: Arc<Mutex<Vec<(String, &'static str)>>>,
    trace: Arc<Mutex<Vec<(String, Vec<u8>)>>>,
}

impl Observer for Kept {
    fn priority(&mut self, _: &Text, at: &Location, application: &[u8], data: &[u8]) {
        let place = format!("{} {}", at.priority, String::from_utf8_lossy(application));
        self.trace.lock().unwrap().push((place, data.to_vec()));
    }
    fn log(&mut self, _: &Text, entry: Entry) {
        let level = entry.level.name().to_owned();
        self.log.lock().unwrap().push((level, entry.code.kind));
    }
    fn verbose(&mut self, _: &Text, _: u8, _: &[u8]) {}
    fn note(&mut self, _: &Text, _: Note) {}
}

#[derive(Debug, PartialEq)]
struct Result {
    effects: Vec<String>,
    variables: Vec<(Text, Text)>,
    outcome: String,
}

fn drive(mut call: Call) -> Result {
    let mut effects = Vec::new();
    let mut event = Event::Start;
    loop {
        event = match call.step(event) {
            Effect::End(outcome) => {
                return Result {
                    effects,
                    variables: call.variables(),
                    outcome: format!("{outcome:?}"),
                };
            }
            Effect::Yield => Event::Resume,
            other => {
                effects.push(format!("{other:?}"));
                Event::Done
            }
        };
    }
}

fn engine(dialplan: &str) -> Engine {
    limited(dialplan, 200, 7)
}

fn limited(dialplan: &str, max_priorities: u64, fuel: u32) -> Engine {
    let engine = Engine::builder()
        .limits(Limits {
            max_priorities,
            fuel,
            ..Limits::default()
        })
        .build();
    let mut reader = MemoryReader::new().with("extensions.conf", dialplan);
    engine.load_from("extensions.conf", &mut reader).unwrap();
    engine
}

fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::sample::select(VALUES.as_slice()).prop_map(str::to_owned),
        1 => "[0-9]{1,20}",
        1 => "[ -~]{0,6}",
    ]
}

fn name() -> impl Strategy<Value = String> {
    prop::sample::select(NAMES.as_slice()).prop_map(str::to_owned)
}

fn variable() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => name().prop_map(|n| format!("${{{n}}}")),
        1 => (name(), -3i32..4).prop_map(|(n, o)| format!("${{{n}:{o}}}")),
        1 => (name(), -3i32..4, -3i32..4).prop_map(|(n, o, l)| format!("${{{n}:{o}:{l}}}")),
        1 => name().prop_map(|n| format!("${{LEN(${{{n}}})}}")),
        1 => (name(), 0i32..3).prop_map(|(n, o)| format!("${{LEN(x${{{n}}}):{o}}}")),
        1 => name().prop_map(|n| format!("${{${{{n}}}}}")),
        2 => (name(), name(), name()).prop_map(|(a, b, c)| format!("${{{a}:${{{b}}}:$[${{{c}}}]}}")),
        1 => (name(), name()).prop_map(|(a, b)| format!("${{x${{{a}}}:1:${{{b}}}}}")),
        1 => (name(), function()).prop_map(|(n, f)| format!("${{{f}(${{{n}}})}}")),
        1 => (name(), function(), -3i32..4).prop_map(|(n, f, o)| format!("${{{f}(${{LEN(${{{n}}})}}-${{{n}:{o}}})}}")),
        1 => (prop_oneof![name(), Just("GOSUB_RETVAL".to_owned()), Just("EXTEN:1".to_owned())], 0i32..4)
            .prop_map(|(n, f)| format!("${{CUT({n},-,{f})}}")),
        1 => name().prop_map(|n| format!("${{FIELDQTY({n},a)}}")),
        1 => (name(), name()).prop_map(|(a, b)| format!("${{IF($[\"${{{a}}}\" = \"\"]?${{{b}}}:none)}}")),
        1 => name().prop_map(|n| format!("${{NOSUCH(${{{n}}})}}")),
    ]
}

fn function() -> impl Strategy<Value = String> {
    prop::sample::select(
        [
            "LEN",
            "TOUPPER",
            "QUOTE",
            "ISNULL",
            "FILTER",
            "REGEX",
            "CSV_QUOTE",
        ]
        .as_slice(),
    )
    .prop_map(str::to_owned)
}

/// Comparisons of quoted texts, and what looks like them.
fn sameness() -> impl Strategy<Value = String> {
    let quoted = prop_oneof![
        4 => name().prop_map(|n| format!("\"${{{n}}}\"")),
        4 => value().prop_filter("closed", |v| !v.contains(['"', '$', ']', '['])).prop_map(|v| format!("\"{v}\"")),
        1 => name().prop_map(|n| format!("\"x${{{n}}}\"")),
        1 => name().prop_map(|n| format!("${{{n}}}")),
    ]
    .boxed();
    let operator = prop::sample::select(["=", " = ", "!=", " != ", " < "].as_slice());
    (quoted.clone(), operator, quoted).prop_map(|(a, op, b)| format!("$[{a}{op}{b}]"))
}

/// What an ExecIf may run, with fixed data or not.
fn inner(target: impl Strategy<Value = String> + 'static) -> impl Strategy<Value = String> {
    prop_oneof![
        4 => (name(), "[a-z0-9 .-]{0,4}").prop_map(|(n, v)| format!("Set({n}={v})")),
        2 => target.prop_map(|t| format!("Goto({t})")),
        1 => Just("NoOp(x)".to_owned()),
        1 => Just("Hangup()".to_owned()),
        1 => Just("Gone(1)".to_owned()),
        1 => Just(String::new()),
        1 => Just("ExecIf($[1]?Set(a=in))".to_owned()),
        2 => (name(), template()).prop_map(|(n, t)| format!("Set({n}={t})")),
    ]
}

fn operand() -> impl Strategy<Value = String> {
    prop_oneof![
        5 => variable(),
        3 => "[0-9]{1,3}",
        1 => variable().prop_map(|v| format!("\"{v}\"")),
        1 => "[a-z0-9]{0,2}".prop_map(|v| format!("\"{v}\"")),
        1 => variable().prop_map(|v| format!("0{v}")),
        1 => (variable(), variable()).prop_map(|(a, b)| format!("{a}{b}")),
        1 => variable().prop_map(|v| format!("-{v}")),
        1 => variable().prop_map(|v| format!("({v})")),
        1 => "[a-z ]{0,3}",
    ]
}

fn expression() -> impl Strategy<Value = String> {
    let operator = prop::sample::select(
        [
            "+", "-", "*", "/", "%", "<", "<=", "=", "!=", ">", ">=", "|", "&", ":", "=~", "~~",
            "?", "::", " < ", " + ", "",
        ]
        .as_slice(),
    );
    (
        operand(),
        prop::collection::vec((operator, operand()), 0..3),
    )
        .prop_map(|(first, rest)| {
            let mut text = first;
            for (operator, operand) in rest {
                text.push_str(operator);
                text.push_str(&operand);
            }
            format!("$[{text}]")
        })
}

fn template() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        3 => variable(),
        3 => expression(),
        2 => "[a-z0-9 ?:,=.-]{0,4}",
    ];
    prop_oneof![
        3 => expression(),
        2 => variable(),
        3 => prop::collection::vec(piece, 0..4).prop_map(|p| p.concat()),
    ]
}

fn line(last: usize) -> impl Strategy<Value = String> {
    let target = prop_oneof![
        6 => (1..=last).prop_map(|n| n.to_string()),
        1 => Just(String::new()),
        1 => Just("top".to_owned()),
        1 => Just("+1".to_owned()),
        1 => Just("gone".to_owned()),
    ]
    .boxed();
    let plain = prop::sample::select(["a", "b", "n", "i", "_a", "EXTEN", "c d"].as_slice());
    prop_oneof![
        5 => (plain, template()).prop_map(|(n, t)| format!("Set({n}={t})")),
        1 => (name(), template()).prop_map(|(n, t)| format!("Set(${{{n}}}={t})")),
        3 => (expression(), target.clone(), target.clone()).prop_map(|(e, y, n)| format!("GotoIf({e}?{y}:{n})")),
        1 => (template(), target.clone()).prop_map(|(e, y)| format!("GotoIf({e}?{y})")),
        2 => (sameness(), target.clone(), target.clone()).prop_map(|(e, y, n)| format!("GotoIf({e}?{y}:{n})")),
        1 => (variable(), target.clone(), target.clone()).prop_map(|(e, y, n)| format!("GotoIf({e}?{y}:{n})")),
        1 => (variable(), inner(target.clone())).prop_map(|(e, y)| format!("ExecIf({e}?{y})")),
        1 => (name(), template()).prop_map(|(n, t)| format!("Set(HASH(h,${{{n}}})={t})")),
        1 => (template(), value()).prop_map(|(t, v)| format!("Gosub(sub,s,1({t},{v}))")),
        2 => (prop_oneof![sameness(), expression()], inner(target.clone())).prop_map(|(e, y)| format!("ExecIf({e}?{y})")),
        2 => (prop_oneof![sameness(), expression()], inner(target.clone()), inner(target.clone()))
            .prop_map(|(e, y, n)| format!("ExecIf({e}?{y}:{n})")),
        1 => target.clone().prop_map(|t| format!("Goto({t})")),
        1 => template().prop_map(|t| format!("NoOp({t})")),
    ]
}

fn dialplan() -> impl Strategy<Value = String> {
    prop::collection::vec(line(8), 8).prop_map(|lines| {
        let mut text = String::from("[globals]\nb=7\n[c]\n");
        for (i, line) in lines.iter().enumerate() {
            let label = if i == 1 { "(top)" } else { "" };
            text.push_str(&format!(
                "exten => _X.,{}{label},{}\n",
                i + 1,
                line.replace(';', "\\;")
            ));
        }
        text.push_str("exten => s,1,NoOp()\n[sub]\nexten => s,1,Set(LOCAL(a)=${ARG1})\n same => n,ExecIf($[${ARGC} > 2]?Set(n=${ARG2}))\n\
            same => n,Return(${a:1}${HASH(h,${b})}${CUT(ARG2,-,2)})\n[c]\n");
        text.push_str("exten => i,1,Set(a=invalid)\nexten => h,1,Set(b=${a}h)\n");
        text
    })
}

/// Constants that lines of a chain test; some are equal as numbers only.
const CONSTANTS: [&str; 12] = [
    "5", "05", "5.0", "-5", "abc", "12", "a b", "", "x.y", "100", "ab", "é",
];

/// Patterns: with and without texts that a match must hold, with groups, refused ones.
const PATTERNS: [&str; 18] = [
    "^ab", "abc", "5$", "^12$", "a|b", "(a)b", "x*", "[0-9]+", "a.c", "(", "é", "^$", "1{2}", ".",
    "(b)|a", "^5|c", "\\.y", "(a)\\1",
];

/// A test of one value: most forms are those that chains are made of, some break them.
fn test(subject: &'static str) -> impl Strategy<Value = String> {
    let constant = prop::sample::select(CONSTANTS.as_slice());
    let pattern = prop::sample::select(PATTERNS.as_slice());
    let equality = prop::sample::select(["=", " = ", "!=", " == "].as_slice());
    prop_oneof![
        6 => (equality.clone(), constant.clone()).prop_map(move |(op, c)| format!("$[\"{subject}\"{op}\"{c}\"]")),
        4 => (equality.clone(), constant.clone()).prop_map(move |(op, c)| format!("$[{subject}{op}{c}]")),
        1 => (equality, constant.clone()).prop_map(move |(op, c)| format!("$[\"{c}\"{op}\"{subject}\"]")),
        2 => pattern.clone().prop_map(move |p| format!("$[\"{subject}\" =~ \"{p}\"]")),
        3 => pattern.clone().prop_map(move |p| format!("${{REGEX(\"{p}\" {subject})}}")),
        2 => pattern.clone().prop_map(move |p| format!("$[${{REGEX(\"{p}\" {subject})}}]")),
        1 => pattern.clone().prop_map(move |p| format!("$[${{REGEX(\"{p}\" {subject})}} = 0]")),
        1 => pattern.prop_map(move |p| format!("$[{subject} =~ {p}]")),
        1 => constant.prop_map(move |c| format!("$[\"x{subject}\" = \"{c}\"]")),
    ]
}

/// Lines that mostly test one value.
fn chain() -> impl Strategy<Value = String> {
    let subject = prop::sample::select(
        [
            "${a}",
            "${b}",
            "${n}",
            "${EXTEN}",
            "${a:1}",
            "${EXTEN:0:1}",
            "${i}",
        ]
        .as_slice(),
    );
    subject.prop_flat_map(|subject| {
        let target = (2..=26usize).prop_map(|n| n.to_string());
        let line = prop_oneof![
            6 => (test(subject), target.clone()).prop_map(|(t, y)| format!("GotoIf({t}?{y})")),
            2 => (test(subject), target.clone()).prop_map(|(t, y)| format!("GotoIf({t}?:{y})")),
            2 => test(subject).prop_map(|t| format!("GotoIf({t}?other,s,1)")),
            1 => test(subject).prop_map(|t| format!("GotoIf({t}?gone)")),
            2 => (test(subject), name(), value().prop_filter("fixed", |v| !v.contains(['$', '(', ')', ',', '?', ':', '"', '[', ']'])))
                .prop_map(|(t, n, v)| format!("ExecIf({t}?Set({n}={v}))")),
            1 => test(subject).prop_map(|t| format!("ExecIf({t}?Hangup())")),
            1 => Just("NoOp(x)".to_owned()),
            1 => target.prop_map(|t| format!("GotoIf($[${{n}} > 7]?{t})")),
        ];
        prop::collection::vec(line, 24).prop_map(|lines| {
            let mut text = String::from("[globals]\nb=7\n[other]\nexten => s,1,Set(n=other)\n same => n,Goto(c,12,30)\n[c]\nexten => _X.,1,Goto(${start})\n");
            for (i, line) in lines.iter().enumerate() {
                text.push_str(&format!("exten => _X.,{},{}\n", i + 2, line));
            }
            text.push_str("exten => _X.,26,Set(turn=$[0${turn}+1])\n same => n,GotoIf($[${turn} < 4]?${IF($[${turn}=2]?9:2)})\n same => n,Set(n=${n}!)\n same => n,Goto(c,12,30)\n same => n,Set(end=${a})\n");
            text
        })
    })
}

/// Bytes that mean something to the scanner, the expression lexer or the argument splitter.
fn soup() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        3 => prop::sample::select(
            ["${", "$[", "}", "]", "{", "[", "$", "(", ")", "\"", ":", ",", "?", "=", "+", "-", "a", "b", "n", "LEN(", "1", "0", " ", "\\",
             "~~", "=~", "$<", ">", "&", "|", "/", "ABS(", "NOSUCH("]
                .as_slice()
        ).prop_map(|s| s.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>().prop_filter("fits in a line", |b| !matches!(b, b'\n' | b'\r' | b';' | 0)), 0..3),
    ];
    prop::collection::vec(piece, 0..14).prop_map(|p| p.concat())
}

/// Runs a plan both ways, watched and unwatched.
fn same_both_ways(plan: &str, values: &[String]) -> std::result::Result<(), TestCaseError> {
    let engine = engine(plan);
    let call = |textual: bool, kept: Option<Kept>| {
        let mut call = engine.call("c", "12", "1");
        // Values are literal: they are not substituted on their way in.
        for (name, value) in NAMES.iter().zip(values) {
            call.set(name.as_bytes(), value.as_bytes());
        }
        call.channel_mut().name = Text::from("Test/1");
        call.channel_mut().uniqueid = Text::from("1.1");
        if textual {
            call = call.textual();
        }
        match kept {
            Some(kept) => call.with_observer(Box::new(kept)),
            None => call,
        }
    };
    let watched = Kept::default();
    let read = Kept::default();
    let textual = drive(call(true, Some(read.clone())));
    let compiled = drive(call(false, Some(watched.clone())));
    let direct = drive(call(false, None));
    prop_assert_eq!(
        &*read.trace.lock().unwrap(),
        &*watched.trace.lock().unwrap()
    );
    prop_assert_eq!(&*read.log.lock().unwrap(), &*watched.log.lock().unwrap());
    prop_assert_eq!(&textual, &compiled);
    prop_assert_eq!(&textual, &direct);
    Ok(())
}

/// A value that grows by what was read of it, up to the limit of a text.
#[test]
fn a_text_that_grows_to_its_limit_is_cut_alike() {
    let plan = "[globals]\nb=7\n[c]\nexten => _X.,1,Set(i=$[${i}]$[${i}]${EXTEN})\n\
                exten => _X.,2,GotoIf(${a}?1:1)\nexten => h,1,Set(b=${a}h)\n";
    same_both_ways(plan, &[const { String::new() }; 4]).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_500, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_mean_the_same_both_ways(text in soup(), values in prop::collection::vec(value(), 4), angle in any::<bool>()) {
        let mut plan = format!("[general]\nanglesubstitution={}\n[globals]\nb=7\n[c]\nexten => _X.,1,Set(a=", if angle { "yes" } else { "no" }).into_bytes();
        plan.extend_from_slice(&text);
        plan.extend_from_slice(b")\n same => n,GotoIf(");
        plan.extend_from_slice(&text);
        plan.extend_from_slice(b"?3:3)\n");
        let engine = Engine::builder().build();
        let mut reader = MemoryReader::new().with("extensions.conf", plan);
        prop_assume!(engine.load_from("extensions.conf", &mut reader).is_ok());
        let run = |textual: bool, watch: bool| {
            let kept = Kept::default();
            let mut call = engine.call("c", "12", "1");
            for (name, value) in NAMES.iter().zip(&values) {
                call.set(name.as_bytes(), value.as_bytes());
            }
            call.channel_mut().name = Text::from("Test/1");
            call.channel_mut().uniqueid = Text::from("1.1");
            if textual {
                call = call.textual();
            }
            if watch {
                call = call.with_observer(Box::new(kept.clone()));
            }
            let result = drive(call);
            let seen = (kept.log.lock().unwrap().clone(), kept.trace.lock().unwrap().clone());
            (result, seen)
        };
        let (textual, read) = run(true, true);
        let (compiled, watched) = run(false, true);
        let (direct, _) = run(false, false);
        prop_assert_eq!(read, watched);
        prop_assert_eq!(&textual, &compiled);
        prop_assert_eq!(&textual, &direct);
    }

    #[test]
    fn chains_equal_their_lines(plan in chain(), values in prop::collection::vec(prop_oneof![
        3 => prop::sample::select(CONSTANTS.as_slice()).prop_map(str::to_owned),
        1 => value(),
    ], 4), start in 2..26u32, fuel in 1..60u32, most in prop_oneof![Just(400u64), 1..60u64]) {
        let call = |engine: &Engine, textual: bool, kept: Option<Kept>| {
            let mut call = engine.call("c", "12", "1");
            for (name, value) in NAMES.iter().zip(&values) {
                call.set(name.as_bytes(), value.as_bytes());
            }
            call.set(b"start", start.to_string().as_bytes());
            if textual {
                call = call.textual();
            }
            match kept {
                Some(kept) => call.with_observer(Box::new(kept)),
                None => call,
            }
        };
        let watched = Kept::default();
        let read = Kept::default();
        let whole = limited(&plan, most, 10_000);
        let sliced = limited(&plan, most, fuel);
        let textual = drive(call(&whole, true, Some(read.clone())));
        let compiled = drive(call(&sliced, false, Some(watched.clone())));
        prop_assert_eq!(&*read.trace.lock().unwrap(), &*watched.trace.lock().unwrap());
        prop_assert_eq!(&*read.log.lock().unwrap(), &*watched.log.lock().unwrap());
        prop_assert_eq!(&textual, &compiled);
        for engine in [&whole, &sliced] {
            prop_assert_eq!(&textual, &drive(call(engine, false, None)));
        }
    }

    #[test]
    fn compiled_equals_textual(plan in dialplan(), values in prop::collection::vec(value(), 4)) {
        same_both_ways(&plan, &values)?;
    }
}
