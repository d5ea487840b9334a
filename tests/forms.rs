//! The stable forms of effects and events: what is written is read back, and looks as documented.

#![cfg(feature = "serde")]
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

use std::time::Duration;

use strowger::base::Text;
use strowger::diagnostic::code;
use strowger::machine::{
    AfterDial, CallRecord, ChannelEvent, Dial, Dialed, DialedLeg, Disposition, Effect, EndReason,
    Event, EventKind, Indication, Kept, Location, Outcome, Play, Sound, StoreAnswer, StoreRequest,
};

fn back<T>(value: &T) -> T
where
    T: serde::Serialize + serde::de::DeserializeOwned,
{
    let text = serde_json::to_string(value).unwrap();
    serde_json::from_str(&text).unwrap_or_else(|fault| panic!("{text}: {fault}"))
}

#[test]
fn effects_and_events_survive_their_form() {
    let odd = Text::from(b"\xff\x00");
    let effects = [
        Effect::Answer,
        Effect::Indicate(Indication::Busy),
        Effect::Sleep(Duration::from_millis(1500)),
        Effect::Play(Play {
            what: vec![
                Sound::File(odd.clone()),
                Sound::Say {
                    kind: Text::from("SayNumber"),
                    text: Text::from("42"),
                },
            ],
            stop_on: Text::from("#"),
            ..Play::default()
        }),
        Effect::Collect { timeout: None },
        Effect::Dial(Box::new(Dial {
            targets: vec![(Text::from("PJSIP"), Text::from("bob"))],
            timeout: Some(Duration::from_secs(30)),
            ..Dial::default()
        })),
        Effect::Store(StoreRequest::Put {
            family: Text::from("forward"),
            key: odd.clone(),
            value: Text::from("0175"),
        }),
        Effect::Store(StoreRequest::Flush),
        Effect::Yield,
        Effect::End(Box::new(Outcome {
            reason: EndReason::Limit(&code::LIMIT_PRIORITIES),
            cause: 16,
            priorities: 7,
            at: Location {
                context: Text::from("c"),
                exten: odd,
                priority: -1,
            },
        })),
    ];
    for effect in &effects {
        assert_eq!(back(effect), *effect);
    }
    let events = [
        Event::Start,
        Event::Store(StoreAnswer::Value(None)),
        Event::Store(StoreAnswer::Entries(vec![(
            Text::from("a/b"),
            Text::from("1"),
        )])),
        Event::Store(StoreAnswer::Kept(Kept::Disk(7))),
        Event::Digit(b'5'),
        Event::Hangup(16),
        Event::Dialed(Box::new(Dialed {
            status: Text::from("BUSY"),
            next: AfterDial::Goto(Text::from("a,b,1")),
            legs: vec![DialedLeg {
                channel: Text::from("PJSIP/a-1"),
                cause: 17,
                ..DialedLeg::default()
            }],
            ..Dialed::default()
        })),
    ];
    for event in &events {
        assert_eq!(back(event), *event);
    }
}

#[test]
fn texts_are_strings_or_hex() {
    let text = |bytes: &[u8]| serde_json::to_string(&Text::from(bytes)).unwrap();
    assert_eq!(text("é".as_bytes()), "\"é\"");
    assert_eq!(text(b"\xff\x01"), "{\"hex\":\"ff01\"}");
    assert_eq!(
        serde_json::to_string(&Effect::Collect { timeout: None }).unwrap(),
        "{\"Collect\":{\"timeout\":null}}"
    );
    let request = StoreRequest::Get {
        family: Text::from("forward"),
        key: Text::from("204"),
    };
    assert_eq!(
        serde_json::to_string(&Effect::Store(request)).unwrap(),
        "{\"Store\":{\"Get\":{\"family\":\"forward\",\"key\":\"204\"}}}"
    );
    assert_eq!(
        serde_json::to_string(&Event::Store(StoreAnswer::Value(Some(Text::from("0175"))))).unwrap(),
        "{\"Store\":{\"Value\":\"0175\"}}"
    );
}

#[test]
fn a_dial_needs_no_legs_and_a_leg_no_more_than_it_knows() {
    let text = "{\"status\":\"BUSY\",\"cause\":null,\"peer\":null,\"number\":null,\"dialed\":null,\"answered\":null,\
                \"ringing\":null,\"progress\":null,\"next\":\"Continue\",\"set\":[]}";
    assert!(
        serde_json::from_str::<Dialed>(text)
            .unwrap()
            .legs
            .is_empty()
    );
    let leg: DialedLeg = serde_json::from_str("{\"channel\":\"PJSIP/a-1\"}").unwrap();
    assert_eq!(leg.channel.as_bytes(), b"PJSIP/a-1");
}

#[test]
fn records_and_events_survive_their_form() {
    let text = |text: &str| Text::from(text);
    let record = CallRecord {
        accountcode: text("a"),
        src: text("1"),
        dst: text("2"),
        dcontext: text("c"),
        clid: text("\"\" <1>"),
        channel: text("PJSIP/a-1"),
        dstchannel: text("PJSIP/b-2"),
        lastapp: text("Dial"),
        lastdata: Text::from(b"\xff"),
        start: Duration::from_micros(1_500_001),
        answer: None,
        end: Duration::from_secs(9),
        duration: 7,
        billsec: 0,
        disposition: Disposition::NoAnswer,
        amaflags: 3,
        uniqueid: text("1.1"),
        linkedid: text("1.0"),
        peeraccount: text("p"),
        userfield: text("u"),
        sequence: 4,
        variables: vec![(text("own"), text("x"))],
    };
    assert_eq!(back(&record), record);
    let event = ChannelEvent {
        kind: EventKind::LinkedidEnd,
        name: text("n"),
        time: Duration::from_secs(1),
        caller_name: text("Bob"),
        caller_number: text("1"),
        context: text("c"),
        exten: text("2"),
        channel: text("PJSIP/a-1"),
        application: text("Dial"),
        data: text("x"),
        amaflags: 3,
        accountcode: text("a"),
        peeraccount: text("p"),
        uniqueid: text("1.1"),
        linkedid: text("1.0"),
        userfield: text("u"),
        peer: text("PJSIP/b-2"),
        extra: "{}".to_owned(),
    };
    assert_eq!(back(&event), event);
    assert_eq!(
        serde_json::to_string(&EventKind::LinkedidEnd).unwrap(),
        "\"LINKEDID_END\""
    );
}
