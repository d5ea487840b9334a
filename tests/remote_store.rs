//! A host that keeps the store of DB() itself: calls wait for it, in the middle of a text, too, and the answers are those
//! of an embedded store.

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

use serde_json::Value;
use strowger::host::Engine;
use strowger::machine::{Call, Effect, Event, StoreAnswer};
use strowger::store::{self, Memory};
use strowger::syntax::load::MemoryReader;

/// An engine with these lines as `s@main`.
fn engine(lines: &[String], remote: bool) -> Engine {
    let mut file = String::from("[main]\n");
    for (i, line) in lines.iter().enumerate() {
        let line = line.replace(';', "\\;");
        file.push_str(&format!("exten => s,{},{line}\n", i + 1));
    }
    let builder = Engine::builder();
    let builder = if remote {
        builder.store_at_host()
    } else {
        builder
    };
    let engine = builder.build();
    let mut reader = MemoryReader::new().with("extensions.conf", file);
    engine.load_from("extensions.conf", &mut reader).unwrap();
    engine
}

/// Runs a call to its end; how often it asked for the store.
fn run(call: &mut Call, mut answer: impl FnMut(&Effect) -> Event) -> u32 {
    let mut asked = 0;
    let mut event = Event::Start;
    for _ in 0..10_000 {
        let effect = call.step(event);
        asked += u32::from(matches!(effect, Effect::Store(_)));
        event = match effect {
            Effect::End(_) => return asked,
            Effect::Yield => Event::Resume,
            effect => answer(&effect),
        };
    }
    panic!("the call does not end");
}

fn of_memory(memory: &Memory) -> impl FnMut(&Effect) -> Event {
    |effect| match effect {
        Effect::Store(request) => Event::Store(store::answer(memory, request)),
        _ => Event::Done,
    }
}

/// The values of R0, R1 … after the lines, and how often the host was asked.
fn results(lines: &[String], count: usize, remote: bool, textual: bool) -> (Vec<String>, u32) {
    let engine = engine(lines, remote);
    let memory = Memory::new();
    let mut call = engine.call("main", "s", "1");
    if textual {
        call = call.textual();
    }
    let asked = run(&mut call, of_memory(&memory));
    let results = (0..count)
        .map(|n| {
            let value = call.variable(format!("R{n}").as_bytes());
            value.unwrap_or_default().lossy().into_owned()
        })
        .collect();
    (results, asked)
}

/// The recorded cases of DB and its family.
#[test]
fn recorded_cases_have_the_same_answers() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/data/corpus/language/func.jsonl"
    );
    let corpus = std::fs::read_to_string(path).unwrap();
    let (mut cases, mut asked) = (0, 0);
    for line in corpus.lines().filter(|line| line.contains("\"DB")) {
        let case: Value = serde_json::from_str(line).unwrap();
        if !case["area"].as_str().unwrap().starts_with("DB") {
            continue;
        }
        let (mut lines, mut count) = (Vec::new(), 0);
        for step in case["steps"].as_array().unwrap() {
            let (kind, text) = step.as_object().unwrap().iter().next().unwrap();
            let text = text.as_str().unwrap();
            lines.push(match kind.as_str() {
                "set" => format!("Set({text})"),
                "app" => text.to_owned(),
                "get" => {
                    count += 1;
                    format!("Set(R{}={text})", count - 1)
                }
                other => panic!("step {other}"),
            });
        }
        let expected: Vec<String> = case["outputs"]
            .as_array()
            .unwrap()
            .iter()
            .map(|output| output.as_str().unwrap().to_owned())
            .collect();
        for textual in [false, true] {
            let (own, none) = results(&lines, count, false, textual);
            let (remote, some) = results(&lines, count, true, textual);
            assert_eq!(own, expected, "{}", case["id"]);
            assert_eq!(remote, expected, "{}", case["id"]);
            assert_eq!(none, 0);
            asked += some;
        }
        cases += 1;
    }
    println!("{cases} cases, the host was asked {asked} times");
    assert!(cases >= 20 && asked > 200);
}

#[test]
fn calls_wait_in_the_middle_of_texts_and_expressions() {
    let lines = [
        "Set(DB(f/a)=6)",
        "Set(DB(f/b)=7)",
        "Set(DB(f/n)=a)",
        "Set(R0=[${DB(f/a)}x${DB(f/b):0:1}${DB_EXISTS(f/c)}])",
        "Set(R1=$[${DB(f/a)} * ${DB(f/b)} + ${DB_KEYCOUNT(f)}])",
        "Set(R2=$[DB_EXISTS(\"f/a\") + 1])",
        "Set(R3=${DB(f/${DB(f/n)})}${IF($[${DB(f/a)} < ${DB(f/b)}]?${DB_KEYS(f)}:no)})",
        "Set(DIALGROUP(desk,add)=PJSIP/a)",
        "Set(DIALGROUP(desk,add)=PJSIP/b)",
        "Set(DEVICE_STATE(Custom:lamp)=BUSY)",
        "Set(PRESENCE_STATE(CustomPresence:anna)=away,lunch,)",
        "Set(CALLERID(num)=0190)",
        "Set(DB(blacklist/0190)=1)",
        "Set(R4=${DIALGROUP(desk)} ${DEVICE_STATE(Custom:lamp)} ${PRESENCE_STATE(CustomPresence:anna,subtype)} ${BLACKLIST()})",
        "GotoIf(${DB_EXISTS(f/a)}?17)",
        "Set(R5=wrong)",
        "DBdeltree(f)",
        "DBSync()",
        "Set(R5=${DB_KEYCOUNT(f)}${DB_DELETE(blacklist/0190)}${BLACKLIST()} ${DBSYNCSTATUS})",
    ]
    .map(str::to_owned);
    for textual in [false, true] {
        let (own, none) = results(&lines, 6, false, textual);
        let (remote, some) = results(&lines, 6, true, textual);
        assert_eq!(own, remote);
        assert_eq!(none, 0);
        assert!(some > 30, "{some}");
        assert_eq!(own[0], "[6x70]");
        assert_eq!(own[1], "45");
        assert_eq!(own[3], "6a,b,n");
        assert_eq!(own[4], "PJSIP/a&PJSIP/b BUSY lunch 1");
        assert_eq!(own[5], "010 MEMORY");
    }
}

/// The store is away: values are empty, the call goes on, and no password is right.
#[test]
fn a_host_without_answer_ends_no_call() {
    let lines = [
        "Set(DB(f/a)=6)",
        "Set(R0=[${DB(f/a)}${DB_KEYS(f)}${DB_EXISTS(f/a)}])",
        "DBSync()",
        "Set(R1=${DBSYNCSTATUS})",
        "Authenticate(/pins,d,4)",
        "Set(R2=let in)",
    ]
    .map(str::to_owned);
    let wrong: [fn() -> Event; 4] = [
        || Event::Failed("no connection".to_owned()),
        || Event::Done,
        || Event::Store(StoreAnswer::Failed("no connection".to_owned())),
        || Event::Store(StoreAnswer::Removed(1)),
    ];
    for answer in wrong {
        let engine = engine(&lines, true);
        let mut call = engine.call("main", "s", "1");
        run(&mut call, |effect| match effect {
            Effect::Store(_) => answer(),
            Effect::Collect { .. } => Event::Digit(b'1'),
            Effect::Play(_) => Event::Played {
                digit: None,
                missing: Vec::new(),
            },
            _ => Event::Done,
        });
        let mut value = |name: &str| {
            let value = call.variable(name.as_bytes()).unwrap_or_default();
            value.lossy().into_owned()
        };
        assert_eq!(value("R0"), "[]");
        assert_eq!(value("R1"), "FAILURE");
        assert_eq!(value("R2"), "");
    }
}

/// The other side hangs up while a call waits for the store: the call ends, through `h`.
#[test]
fn a_hangup_ends_the_wait() {
    let lines = ["Set(R0=${DB(f/a)})", "Set(R1=on)"].map(str::to_owned);
    let engine = engine(&lines, true);
    let mut call = engine.call("main", "s", "1");
    assert!(matches!(call.step(Event::Start), Effect::Store(_)));
    assert!(matches!(call.step(Event::Hangup(16)), Effect::End(_)));
    assert!(call.variable(b"R1").is_none());
}
