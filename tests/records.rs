//! Call records and channel events: as the real system wrote them, field by field, and what must always hold.

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
use std::sync::{Arc, Mutex};
use std::time::Duration;

use proptest::prelude::*;
use strowger::base::Text;
use strowger::diagnostic::Entry;
use strowger::host::records::{call_csv, event_csv};
use strowger::host::simulate::Mode;
use strowger::host::{Engine, RunReport, SimChannel};
use strowger::machine::{
    AfterDial, CallRecord, ChannelEvent, Dialed, DialedLeg, Disposition, Effect, Event, EventKind,
    Location, Note, Observer, RecordOptions,
};
use strowger::syntax::load::MemoryReader;

const BEGIN: Duration = Duration::from_secs(1_796_026_031);

fn options() -> RecordOptions {
    RecordOptions {
        unanswered: true,
        apps: Arc::from([Text::from("dial"), Text::from("playback")]),
        ..RecordOptions::default()
    }
}

fn engine(dialplan: &str, options: RecordOptions) -> Engine {
    let engine = Engine::builder().records(options).build();
    let mut reader = MemoryReader::new().with("extensions.conf", dialplan);
    engine.load_from("extensions.conf", &mut reader).unwrap();
    engine
}

/// Runs `s` of `main` with an answered channel.
fn run_on(dialplan: &str, options: RecordOptions, channel: SimChannel) -> RunReport {
    let engine = engine(dialplan, options);
    let call = engine.call("main", "s", "1");
    engine.run(call, &mut channel.at(BEGIN).events()).unwrap()
}

fn lines(lines: &[&str]) -> String {
    let mut text = "[main]\n".to_owned();
    for (n, line) in lines.iter().enumerate() {
        if line.starts_with("exten") || line.starts_with('[') {
            text.push_str(line);
        } else {
            text.push_str(&format!("exten => s,{},{line}", n + 1));
        }
        text.push('\n');
    }
    text
}

fn run(dialplan: &[&str]) -> RunReport {
    run_on(&lines(dialplan), options(), SimChannel::new())
}

// As the real system wrote them.

/// Fields of a line whose every field is in quotes.
fn fields(line: &str) -> Vec<String> {
    let mut fields = Vec::new();
    let mut rest = line.trim_end();
    while let Some(mut inside) = rest.strip_prefix('"') {
        let mut field = String::new();
        loop {
            let (before, after) = inside.split_once('"').unwrap();
            field.push_str(before);
            let Some(more) = after.strip_prefix('"') else {
                rest = after.strip_prefix(',').unwrap_or(after);
                break;
            };
            field.push('"');
            inside = more;
        }
        fields.push(field);
    }
    assert!(rest.is_empty(), "{line}");
    fields
}

/// A channel's name without the number of its pair.
fn unnumbered(name: &str) -> String {
    match (name.rfind('-'), name.rfind(';')) {
        (Some(dash), Some(half)) if dash < half => format!("{}{}", &name[..dash], &name[half..]),
        _ => name.to_owned(),
    }
}

/// Call records without times and ids, one list for each channel.
fn calls(lines: impl Iterator<Item = String>) -> BTreeMap<String, Vec<String>> {
    let mut channels: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in lines {
        let mut fields = fields(&line);
        assert_eq!(fields.len(), 18, "{line}");
        for time in &mut fields[8..11] {
            if !time.is_empty() {
                "time".clone_into(time);
            }
        }
        fields[5] = unnumbered(&fields[5]);
        let kept: Vec<&str> = [0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 13, 14, 15, 17]
            .iter()
            .map(|n| fields[*n].as_str())
            .collect();
        let channel = unnumbered(&fields[4]);
        channels.entry(channel).or_default().push(kept.join("|"));
    }
    channels
}

/// Channel events without times and ids, one list for each channel. The last channel's LINKEDID_END depends on which
/// half of a pair was faster, so it is counted apart.
fn events(lines: impl Iterator<Item = String>) -> BTreeMap<String, Vec<String>> {
    let mut channels: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in lines {
        let fields = fields(&line);
        assert_eq!(fields.len(), 10, "{line}");
        let extra = match fields[9].strip_prefix("{\"bridge_id\":\"") {
            Some(rest) => rest.split_once('"').unwrap().1,
            None => &fields[9],
        };
        let text = [
            &fields[0], &fields[2], &fields[3], &fields[5], &fields[6], extra,
        ]
        .join("|");
        let channel = if fields[0] == "LINKEDID_END" {
            channels
                .entry("linked ids".to_owned())
                .or_default()
                .push("ended".to_owned());
            continue;
        } else {
            unnumbered(&fields[4])
        };
        channels.entry(channel).or_default().push(text);
    }
    channels
}

const ECO: &str = "
[eco]
exten => tone,1,Answer()
 same => n,Wait(0.5)
 same => n,Playback(tone)
 same => n,Hangup(16)
exten => idle,1,Answer()
 same => n,Wait(600)
exten => dial,1,Dial(Local/idle@eco/n,5)
";

/// Whether what a recorded pair left is what the same call leaves here. `numbers` are those of the recorded pairs.
fn as_recorded(driver: &[&str], numbers: &[&str]) {
    let of_pairs = |text: &str| -> Vec<String> {
        let mut lines: Vec<String> = text
            .lines()
            .filter(|line| numbers.iter().any(|n| line.contains(&format!("@eco-{n};"))))
            .map(str::to_owned)
            .collect();
        lines.dedup();
        lines
    };
    let recorded_calls = of_pairs(include_str!("data/records/calls.csv"));
    let recorded_events = of_pairs(include_str!("data/records/events.csv"));
    assert!(!recorded_calls.is_empty() && !recorded_events.is_empty());
    let report = run_on(&(lines(driver) + ECO), options(), SimChannel::new());
    let pairs = |channel: &Text| channel.starts_with(b"Local/");
    let text = |line: Vec<u8>| String::from_utf8(line).unwrap();
    let ours = report.records().iter().filter(|r| pairs(&r.channel));
    assert_eq!(
        calls(ours.map(|r| text(call_csv(r)))),
        calls(recorded_calls.into_iter()),
        "{driver:?}"
    );
    let ours = report.events().iter().filter(|e| pairs(&e.channel));
    assert_eq!(
        events(ours.map(|e| text(event_csv(e)))),
        events(recorded_events.into_iter()),
        "{driver:?}"
    );
}

#[test]
fn pairs_leave_what_the_real_system_recorded() {
    for number in [
        "0000001a", "0000001b", "0000001c", "0000001d", "0000001e", "0000001f",
    ] {
        as_recorded(&["Originate(Local/tone@eco,exten,eco,idle,1)"], &[number]);
    }
    as_recorded(
        &["Originate(Local/nosuch@eco,exten,eco,idle,1)"],
        &["0000000c"],
    );
    as_recorded(
        &["Originate(Local/idle@eco,app,Playback,tone)"],
        &["0000000f"],
    );
    for number in ["0000000e", "00000023"] {
        as_recorded(&["Originate(Local/idle@eco,app,NoOp,hello)"], &[number]);
    }
    let hung_up = [
        "Originate(Local/dial@eco,exten,eco,idle,1)",
        "Wait(2)",
        "SoftHangup(Local/idle@eco-#2\\;2)",
        "SoftHangup(Local/dial@eco-#1\\;1)",
    ];
    as_recorded(&hung_up, &["00000011", "00000012"]);
}

#[test]
fn lines_are_quoted_as_the_real_system_quotes() {
    let report = run(&["Set(CALLERID(all)=\"A, \"\"B\" <1>)", "NoOp(\"x\",y)"]);
    let line = String::from_utf8(call_csv(&report.records()[0])).unwrap();
    assert!(line.contains("\"NoOp\",\"\"\"x\"\",y\","), "{line}");
    let real = "\"\"\"Eco\"\" <100>\",\"100\",\"tone\"";
    assert_eq!(fields(real), ["\"Eco\" <100>", "100", "tone"]);
}

// Field by field.

fn one(report: &RunReport) -> &CallRecord {
    assert_eq!(report.records().len(), 1, "{:?}", report.records());
    &report.records()[0]
}

#[test]
fn a_call_without_dial() {
    let report = run(&[
        "Set(CALLERID(all)=\"Bob\" <812>)",
        "Set(CDR(accountcode)=acc)",
        "Set(CDR(amaflags)=billing)",
        "Set(CDR(userfield)=mine)",
        "Set(CDR(Colour)=red)",
        "Wait(7)",
    ]);
    let record = one(&report);
    assert_eq!(record.clid.as_bytes(), b"\"Bob\" <812>");
    assert_eq!(record.src.as_bytes(), b"812");
    assert_eq!(
        (record.dst.as_bytes(), record.dcontext.as_bytes()),
        (&b"s"[..], &b"main"[..])
    );
    assert_eq!(
        (record.lastapp.as_bytes(), record.lastdata.as_bytes()),
        (&b"Wait"[..], &b"7"[..])
    );
    assert_eq!((record.start, record.answer), (BEGIN, Some(BEGIN)));
    assert_eq!((record.duration, record.billsec), (7, 7));
    assert_eq!(record.disposition, Disposition::Answered);
    assert_eq!(
        (record.accountcode.as_bytes(), record.amaflags),
        (&b"acc"[..], 2)
    );
    assert_eq!(record.userfield.as_bytes(), b"mine");
    assert_eq!(
        record.variables,
        [(Text::from("colour"), Text::from("red"))]
    );
    assert!(record.dstchannel.is_empty());
    assert_eq!(
        (record.uniqueid.clone(), record.sequence),
        (record.linkedid.clone(), 0)
    );
}

#[test]
fn a_ringing_call() {
    let ring = |dialplan: &[&str], options: RecordOptions| {
        run_on(
            &lines(dialplan),
            options,
            SimChannel::new().mode(Mode::Ring),
        )
    };
    // Answered after three seconds.
    let report = ring(&["Wait(3)", "Answer()", "Wait(5)", "Hangup()"], options());
    let record = one(&report);
    assert_eq!(record.answer, Some(BEGIN + Duration::from_secs(3)));
    assert_eq!((record.duration, record.billsec), (8, 5));
    // Never answered: the cause says what it was.
    for (hangup, disposition) in [
        ("Hangup(17)", Disposition::Busy),
        ("Hangup(16)", Disposition::NoAnswer),
        ("Hangup(19)", Disposition::NoAnswer),
        ("Hangup(3)", Disposition::Failed),
        ("Hangup(34)", Disposition::Failed),
        ("Hangup(21)", Disposition::Unknown),
        ("NoOp()", Disposition::Failed),
    ] {
        let report = ring(&[hangup], options());
        assert_eq!(one(&report).disposition, disposition, "{hangup}");
        assert_eq!(one(&report).billsec, 0);
        let usual = ring(&[hangup], RecordOptions::default());
        assert!(
            usual.records().is_empty(),
            "nobody asks for unanswered ones"
        );
    }
    let congestion = RecordOptions {
        congestion: true,
        ..options()
    };
    assert_eq!(
        one(&ring(&["Hangup(34)"], congestion)).disposition,
        Disposition::Congestion
    );
}

#[test]
fn the_record_ends_before_h_unless_it_shall_not() {
    let dialplan = [
        "Wait(2)",
        "exten => h,1,NoOp()",
        "exten => h,2,Set(CDR(userfield)=${CDR(disposition)} ${CDR(billsec)} ${CDR(end,u)})",
    ];
    let report = run(&dialplan);
    let record = one(&report);
    assert_eq!(
        (
            record.duration,
            record.lastapp.as_bytes(),
            record.dst.as_bytes()
        ),
        (2, &b"Wait"[..], &b"s"[..])
    );
    assert_eq!(record.userfield.as_bytes(), b"ANSWERED 2 1796026033.000000");
    let to_the_end = RecordOptions {
        end_before_h: false,
        ..options()
    };
    let report = run_on(&lines(&dialplan), to_the_end, SimChannel::new());
    let record = one(&report);
    // In `h` nothing waits any more.
    assert_eq!(
        (record.lastapp.as_bytes(), record.dst.as_bytes()),
        (&b"Set"[..], &b"h"[..])
    );
    assert_eq!(record.userfield.as_bytes(), b"NO ANSWER 2 0.000000");
}

#[test]
fn one_record_for_each_called_channel_and_one_for_what_follows() {
    let dialplan = lines(&[
        "Set(CDR(userfield)=u)",
        "Dial(PJSIP/a&PJSIP/b&PJSIP/c,30,g)",
        "Wait(3)",
        "Set(R=${CDR(lastapp)} ${CDR(lastdata)} ${CDR(dstchannel)} ${CDR(duration)})",
    ]);
    let channel = SimChannel::new()
        .mode(Mode::Ring)
        .dial("PJSIP/a", "BUSY,after=2")
        .dial("PJSIP/b", "ANSWER,after=5");
    let mut report = run_on(&dialplan, RecordOptions::default(), channel);
    let seconds = |time: Duration| time.checked_sub(BEGIN).unwrap().as_secs();
    let rows: Vec<_> = report
        .records()
        .iter()
        .map(|r| {
            let called = String::from_utf8(r.dstchannel.to_vec()).unwrap();
            let called = called.split('-').next().unwrap().to_owned();
            (
                called,
                r.disposition.name(),
                seconds(r.start),
                r.answer.map(seconds),
                seconds(r.end),
                r.billsec,
            )
        })
        .collect();
    assert_eq!(
        rows,
        [
            ("PJSIP/a".to_owned(), "BUSY", 0, None, 2, 0),
            ("PJSIP/b".to_owned(), "ANSWERED", 0, Some(5), 15, 10),
            ("PJSIP/c".to_owned(), "NO ANSWER", 0, None, 5, 0),
            (String::new(), "ANSWERED", 15, Some(15), 18, 3),
        ]
    );
    let last = &report.records()[3];
    assert_eq!(
        (last.lastapp.as_bytes(), last.userfield.as_bytes()),
        (&b"Set"[..], &b"u"[..])
    );
    let sequences: Vec<u64> = report.records().iter().map(|r| r.sequence).collect();
    assert!(
        sequences.windows(2).all(|two| two[0] < two[1]),
        "{sequences:?}"
    );
    assert_eq!(report.variable("R").unwrap().as_bytes(), b"Wait 3  3");
}

#[test]
fn outcomes_of_a_dial() {
    for (outcome, disposition) in [
        ("BUSY", "BUSY"),
        ("CONGESTION", "FAILED"),
        ("CHANUNAVAIL", "FAILED"),
        ("NOANSWER", "NO ANSWER"),
        ("ANSWER", "ANSWERED"),
    ] {
        let channel = SimChannel::new().mode(Mode::Ring).dial("PJSIP/a", outcome);
        let dialplan = lines(&["Dial(PJSIP/a,9)", "exten => h,1,NoOp()"]);
        let report = run_on(&dialplan, RecordOptions::default(), channel);
        let record = one(&report);
        assert_eq!(record.disposition.name(), disposition, "{outcome}");
        assert_eq!(record.lastdata.as_bytes(), b"PJSIP/a,9");
    }
    // What cannot be called at all is no called channel.
    let report = run(&["Dial(Nothing/a,9)", "Wait(1)"]);
    assert!(one(&report).dstchannel.is_empty());
}

#[test]
fn fields_of_the_called_channel() {
    let report = run_on(
        &lines(&[
            "Set(CDR(userfield)=A)",
            "Set(CDR(x)=caller)",
            "Dial(PJSIP/a,9,b(sub^s^1))",
            "[sub]",
            "exten => s,1,Set(CDR(userfield)=B)",
            "exten => s,2,Set(CDR(x)=callee)",
            "exten => s,3,Set(CDR(y)=callee)",
            "exten => s,4,Set(CDR(accountcode)=peer)",
            "exten => s,5,Return()",
        ]),
        options(),
        SimChannel::new().dial("PJSIP/a", "ANSWER"),
    );
    let record = one(&report);
    assert_eq!(record.userfield.as_bytes(), b"A;B");
    assert_eq!(record.peeraccount.as_bytes(), b"peer");
    let pair = |n: &str, v: &str| (Text::from(n), Text::from(v));
    assert_eq!(record.variables, [pair("x", "caller"), pair("y", "callee")]);
}

#[test]
fn forks() {
    let rows = |fork: &str| -> Vec<(u64, u64, String)> {
        let line = format!("ForkCDR({fork})");
        let report = run(&[
            "Set(CDR(x)=1)",
            "Wait(2)",
            &line,
            "Set(CDR(y)=2)",
            "Wait(3)",
        ]);
        report
            .records()
            .iter()
            .map(|r| {
                let names: Vec<String> = r.variables.iter().map(|(n, _)| n.to_string()).collect();
                (r.duration, r.billsec, names.join(","))
            })
            .collect()
    };
    let row = |duration, billsec, names: &str| (duration, billsec, names.to_owned());
    assert_eq!(rows(""), [row(5, 5, "x,y"), row(5, 5, "x,y")]);
    assert_eq!(rows("a"), [row(5, 5, "x,y"), row(5, 3, "x,y")]);
    assert_eq!(rows("e"), [row(2, 2, "x"), row(5, 5, "x,y")]);
    assert_eq!(rows("r"), [row(5, 5, "x,y"), row(3, 3, "x,y")]);
    assert_eq!(rows("erv"), [row(2, 2, "x"), row(3, 3, "y")]);
}

#[test]
fn resets_and_records_that_nobody_wants() {
    let report = run(&["Set(CDR(x)=1)", "Wait(2)", "ResetCDR()", "Wait(3)"]);
    assert_eq!(
        (one(&report).duration, one(&report).variables.len()),
        (3, 0)
    );
    let report = run(&["Set(CDR(x)=1)", "Wait(2)", "ResetCDR(v)", "Wait(3)"]);
    assert_eq!((one(&report).billsec, one(&report).variables.len()), (3, 1));
    assert!(
        run(&["Set(CDR_PROP(disable)=1)", "Wait(2)"])
            .records()
            .is_empty()
    );
    let again = run(&["Set(CDR_PROP(disable)=1)", "Wait(2)", "ResetCDR(e)"]);
    assert_eq!(again.records().len(), 1);
    let off_on = run(&["Set(CDR_PROP(disable)=1)", "Set(CDR_PROP(disable)=0)"]);
    assert_eq!(off_on.records().len(), 1);
    // Option C of Dial.
    let report = run_on(
        &lines(&["Wait(4)", "Dial(PJSIP/a,9,C)"]),
        options(),
        SimChannel::new().dial("PJSIP/a", "ANSWER"),
    );
    assert_eq!(one(&report).duration, 10);
}

#[test]
fn without_records_a_field_is_empty_and_an_error() {
    let off = RecordOptions {
        enable: false,
        ..options()
    };
    let mut report = run_on(
        &lines(&["Set(CDR(x)=1)", "Set(R=[${CDR(channel)}])"]),
        off,
        SimChannel::new(),
    );
    assert!(report.records().is_empty());
    assert_eq!(report.variable("R").unwrap().as_bytes(), b"[]");
    let errors = report
        .log()
        .filter(|(_, entry, _)| entry.code.kind == "not-found")
        .map(|(_, _, times)| times)
        .sum::<u32>();
    assert_eq!(errors, 2);
}

#[test]
fn half_seconds_count_where_asked() {
    let dialplan = lines(&["Wait(1.6)"]);
    assert_eq!(
        one(&run_on(&dialplan, options(), SimChannel::new())).billsec,
        1
    );
    let rounded = RecordOptions {
        initiated_seconds: true,
        ..options()
    };
    assert_eq!(
        one(&run_on(&dialplan, rounded, SimChannel::new())).billsec,
        2
    );
}

#[test]
fn causes_of_legs() {
    for (outcome, words, protocol) in [
        ("BUSY", "User busy", "SIP 486 Busy Here"),
        (
            "CONGESTION",
            "Circuit/channel congestion",
            "SIP 503 Service Unavailable",
        ),
        (
            "CHANUNAVAIL",
            "Subscriber absent",
            "SIP 480 Temporarily Unavailable",
        ),
        ("ANSWER", "Normal Clearing", "SIP 200 OK"),
    ] {
        let dialplan = lines(&[
            "Dial(PJSIP/a,9,g)",
            "Set(K=${HANGUPCAUSE_KEYS()})",
            "Set(A=${HANGUPCAUSE(${K},ast)})",
            "Set(T=${HANGUPCAUSE(${K},tech)})",
            "HangupCauseClear()",
            "Set(E=[${HANGUPCAUSE_KEYS()}])",
        ]);
        let mut report = run_on(
            &dialplan,
            options(),
            SimChannel::new().dial("PJSIP/a", outcome),
        );
        let mut value = |name: &str| report.variable(name).unwrap_or_default().to_string();
        assert_eq!(
            (value("A").as_str(), value("T").as_str()),
            (words, protocol),
            "{outcome}"
        );
        assert!(value("K").starts_with("PJSIP/a-"));
        assert_eq!(value("E"), "[]");
    }
}

#[test]
fn a_caller_who_gives_up_while_it_rings_brings_no_cause() {
    let channel =
        SimChannel::new().peer(strowger::host::simulate::Peer::Bye(Duration::from_secs(3)));
    let dialplan = lines(&[
        "Dial(PJSIP/a,9)",
        "exten => h,1,Set(R=${DIALSTATUS} ${HANGUPCAUSE})",
    ]);
    let mut report = run_on(&dialplan, options(), channel);
    assert_eq!(report.variable("R").unwrap().as_bytes(), b"CANCEL 0");
    assert_eq!(report.channels[1].cause(), 16);
    assert_eq!(one(&report).disposition, Disposition::NoAnswer);
}

#[test]
fn events_of_the_dialplan() {
    let report = run(&["CELGenUserEvent(mine,more, of it)", "CELGenUserEvent()"]);
    let own: Vec<&ChannelEvent> = report
        .events()
        .iter()
        .filter(|e| e.kind == EventKind::UserDefined)
        .collect();
    assert_eq!(own.len(), 1);
    assert_eq!(own[0].name.as_bytes(), b"mine");
    assert_eq!(own[0].extra, "{\"extra\":\"more, of it\"}");
}

// An embedding service.

struct Heard(Arc<Mutex<Vec<ChannelEvent>>>);

impl Observer for Heard {
    fn sees_priorities(&self) -> bool {
        false
    }
    fn sees_events(&self) -> bool {
        true
    }
    fn event(&mut self, event: ChannelEvent) {
        self.0.lock().unwrap().push(event);
    }
    fn priority(&mut self, _: &Text, _: &Location, _: &[u8], _: &[u8]) {}
    fn log(&mut self, _: &Text, _: Entry) {}
    fn verbose(&mut self, _: &Text, _: u8, _: &[u8]) {}
    fn note(&mut self, _: &Text, _: Note) {}
}

/// What a host makes of a call whose Dial ends like this.
fn embedded(dialed: &Dialed) -> (Vec<CallRecord>, Vec<ChannelEvent>) {
    let dialplan = lines(&["Answer()", "Dial(PJSIP/a&PJSIP/b,9)", "NoOp(after)"]);
    let engine = engine(
        &dialplan,
        RecordOptions {
            keep: true,
            ..options()
        },
    );
    let heard = Arc::new(Mutex::new(Vec::new()));
    let mut call = engine
        .call("main", "s", "1")
        .with_observer(Box::new(Heard(heard.clone())));
    let mut event = Event::Start;
    loop {
        event = match call.step(event) {
            Effect::End(_) => break,
            Effect::Dial(_) => Event::Dialed(Box::new(dialed.clone())),
            _ => Event::Done,
        };
    }
    let records = call.close();
    assert!(call.close().is_empty());
    let events = std::mem::take(&mut *heard.lock().unwrap());
    (records, events)
}

#[test]
fn a_host_gets_records_and_events_without_a_simulation() {
    let (records, events) = embedded(&Dialed {
        status: Text::from("BUSY"),
        peer: Some(Text::from("PJSIP/a-1")),
        next: AfterDial::Hangup,
        ..Dialed::default()
    });
    assert_eq!(records.len(), 1);
    assert_eq!(records[0].dstchannel.as_bytes(), b"PJSIP/a-1");
    assert_eq!(records[0].disposition, Disposition::Busy);
    let kinds: Vec<&str> = events.iter().map(|event| event.kind.name()).collect();
    assert_eq!(
        kinds,
        [
            "CHAN_START",
            "ANSWER",
            "APP_START",
            "APP_END",
            "HANGUP",
            "CHAN_END",
            "LINKEDID_END"
        ]
    );
    let leg = |channel: &str, status: &str| DialedLeg {
        channel: Text::from(channel),
        status: Text::from(status),
        ..DialedLeg::default()
    };
    let (records, _) = embedded(&Dialed {
        status: Text::from("NOANSWER"),
        legs: vec![leg("PJSIP/a-1", "NOANSWER"), leg("PJSIP/b-2", "BUSY")],
        ..Dialed::default()
    });
    let rows: Vec<_> = records
        .iter()
        .map(|r| {
            (
                r.dstchannel.to_string(),
                r.disposition.name(),
                r.lastapp.to_string(),
            )
        })
        .collect();
    let row =
        |called: &str, disposition, app: &str| (called.to_owned(), disposition, app.to_owned());
    assert_eq!(
        rows,
        [
            row("PJSIP/a-1", "NO ANSWER", "Dial"),
            row("PJSIP/b-2", "BUSY", "Dial"),
            row("", "ANSWERED", "NoOp")
        ]
    );
}

// What must always hold.

const STEPS: &[&str] = &[
    "Answer()",
    "Wait(1.5)",
    "Playback(tone)",
    "Dial(PJSIP/a&PJSIP/b,4,g)",
    "Dial(Local/far@main&PJSIP/c,7,g)",
    "Dial(Local/none@main,7)",
    "RetryDial(,1,2,PJSIP/a,2)",
    "ExecIf(1?Dial(PJSIP/c,5,gC))",
    "Originate(Local/far@main,app,Wait,3)",
    "ForkCDR(e)",
    "ForkCDR(ra)",
    "ResetCDR()",
    "Set(CDR(userfield)=${CDR(duration)} ${CDR(lastapp)})",
    "Set(CDR_PROP(disable)=1)",
    "Goto(other,s,1)",
    "Hangup(21)",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn times_are_in_order_and_channels_begin_and_end_once(
        steps in prop::collection::vec(0..STEPS.len(), 1..8),
        far in prop::collection::vec(0..4usize, 1..3),
        ring in any::<bool>(),
        outcomes in prop::array::uniform3(0..4usize),
        h in any::<bool>(),
    ) {
        const OUTCOMES: [&str; 4] = ["ANSWER,after=1", "BUSY,after=2", "CONGESTION", "NOANSWER"];
        let mut dialplan = lines(&steps.iter().map(|n| STEPS[*n]).collect::<Vec<_>>());
        for (n, step) in far.iter().enumerate() {
            dialplan.push_str(&format!("exten => far,{},{}\n", n + 1, STEPS[*step]));
        }
        if h {
            dialplan.push_str("exten => h,1,Set(CDR(userfield)=h)\n");
        }
        dialplan.push_str("[other]\nexten => s,1,Wait(2)\n");
        let mut channel = SimChannel::new().mode(if ring { Mode::Ring } else { Mode::Up });
        for (target, outcome) in ["PJSIP/a", "PJSIP/b", "PJSIP/c"].iter().zip(outcomes) {
            channel = channel.dial(target, OUTCOMES[outcome]);
        }
        let report = run_on(&dialplan, RecordOptions { end_before_h: !h, ..options() }, channel);
        let mut sequences = Vec::new();
        for record in report.records() {
            prop_assert!(record.start <= record.end, "{record:?}");
            if let Some(answer) = record.answer {
                prop_assert!(record.start <= answer && answer <= record.end, "{record:?}");
            }
            prop_assert!(record.billsec <= record.duration, "{record:?}");
            prop_assert!(record.disposition != Disposition::Answered || record.answer.is_some(), "{record:?}");
            prop_assert!(record.answer.is_some() || record.billsec == 0);
            sequences.push(record.sequence);
        }
        let count = sequences.len();
        sequences.sort_unstable();
        sequences.dedup();
        prop_assert_eq!(sequences.len(), count);

        let mut channels: BTreeMap<&Text, Vec<EventKind>> = BTreeMap::new();
        let mut linked: BTreeMap<&Text, i64> = BTreeMap::new();
        let mut time = Duration::ZERO;
        for event in report.events() {
            prop_assert!(event.time >= time, "events go back in time");
            time = event.time;
            match event.kind {
                EventKind::ChanStart => *linked.entry(&event.linkedid).or_default() += 1,
                EventKind::ChanEnd => *linked.entry(&event.linkedid).or_default() -= 1,
                EventKind::LinkedidEnd => {
                    prop_assert_eq!(linked.remove(&event.linkedid), Some(0));
                    continue;
                }
                _ => {}
            }
            channels.entry(&event.uniqueid).or_default().push(event.kind);
        }
        prop_assert!(linked.is_empty(), "every linked id ends: {linked:?}");
        for (id, kinds) in channels {
            let count = |kind: EventKind| kinds.iter().filter(|k| **k == kind).count();
            prop_assert_eq!(kinds.first(), Some(&EventKind::ChanStart), "{} {:?}", id, &kinds);
            prop_assert_eq!(kinds.last(), Some(&EventKind::ChanEnd), "{} {:?}", id, &kinds);
            for kind in [EventKind::ChanStart, EventKind::Hangup, EventKind::ChanEnd] {
                prop_assert_eq!(count(kind), 1, "{} {:?}", id, &kinds);
            }
            prop_assert!(count(EventKind::Answer) <= 1);
            prop_assert_eq!(count(EventKind::AppStart), count(EventKind::AppEnd), "{} {:?}", id, &kinds);
            prop_assert_eq!(count(EventKind::BridgeEnter), count(EventKind::BridgeExit), "{} {:?}", id, &kinds);
        }
    }
}

// The command line.

#[cfg(feature = "cli")]
mod command {
    use std::fs;
    use std::path::PathBuf;
    use std::process::{Command, Output};

    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("strowger-{name}-{}", std::process::id()));
            fs::create_dir_all(&path).unwrap();
            let dialplan = "[main]\nexten => s,1,Set(CDR(own)=1)\nexten => s,2,Wait(2)\n";
            fs::write(path.join("a.conf"), dialplan).unwrap();
            Self(path)
        }

        fn run(&self, arguments: &[&str]) -> Output {
            Command::new(env!("CARGO_BIN_EXE_strowger"))
                .current_dir(&self.0)
                .env("TZ", "UTC")
                .args(["run", "a.conf", "s@main", "--at", "1796026031"])
                .args(arguments)
                .output()
                .unwrap()
        }

        fn text(&self, name: &str) -> String {
            fs::read_to_string(self.0.join(name)).unwrap()
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    const LINE: &str = "\"\"\"\"\" <>\",\"\",\"s\",\"main\",\"main\",\"\",\"Wait\",\"2\",\"2026-11-30 08:07:11\",\"2026-11-30 08:07:11\",\"2026-11-30 08:07:13\",\"2\",\"2\",\"ANSWERED\",\"DOCUMENTATION\",\"\",\"1796026031.0\",\"\"\n";

    #[test]
    fn records_are_appended() {
        let folder = Folder::new("append");
        for _ in 0..2 {
            let output = folder.run(&["--cdr", "calls.csv", "--cel", "events.jsonl"]);
            assert_eq!(output.status.code(), Some(0));
        }
        assert_eq!(folder.text("calls.csv"), LINE.repeat(2));
        let events = folder.text("events.jsonl");
        let names: Vec<String> = events
            .lines()
            .map(|line| {
                let value: serde_json::Value = serde_json::from_str(line).unwrap();
                value["event"].as_str().unwrap().to_owned()
            })
            .collect();
        assert_eq!(
            names,
            ["CHAN_START", "HANGUP", "CHAN_END", "LINKEDID_END"].repeat(2)
        );
    }

    #[test]
    fn the_form_follows_name_and_option() {
        let folder = Folder::new("form");
        let output = folder.run(&["--cdr", "-", "--records-as", "jsonl", "--json"]);
        let text = String::from_utf8(output.stdout).unwrap();
        let record: serde_json::Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
        assert_eq!(record["variables"]["own"], "1");
        assert_eq!(record["billsec"], 2);
        assert_eq!(record["end"], 1_796_026_033.0);
    }

    #[test]
    fn what_cannot_be_written_is_said() {
        let folder = Folder::new("refused");
        let output = folder.run(&["--cdr", "missing/calls.csv"]);
        assert_eq!(output.status.code(), Some(3));
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(message.contains("missing/calls.csv: "), "{message}");
        assert!(output.stdout.is_empty(), "the call does not even begin");
        let output = folder.run(&["--cdr-set", "nothing=yes"]);
        assert_eq!(output.status.code(), Some(2));
    }
}
