//! Applications against a host that answers from a script.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use strowger::base::Text;
use strowger::host::Engine;
use strowger::host::simulate::Scenario;
use strowger::machine::{
    Allow, Call, Channel, ChannelState, Effect, Environment, Event, Location, OutsideRequest, Start,
};
use strowger::syntax::load::MemoryReader;

/// A clock that only waiting moves.
#[derive(Debug, Default)]
struct Clock(AtomicU64);

impl Clock {
    fn pass(&self, time: Duration) {
        let time = u64::try_from(time.as_millis()).unwrap();
        self.0.fetch_add(time, Ordering::Relaxed);
    }
}

impl Environment for Clock {
    fn now(&self) -> Duration {
        Duration::from_secs(1_700_000_000) + Duration::from_millis(self.0.load(Ordering::Relaxed))
    }
    fn random(&self) -> u64 {
        4
    }
    fn variable(&self, _: &[u8]) -> Option<Vec<u8>> {
        None
    }
    fn set_variable(&self, _: &[u8], _: &[u8]) -> bool {
        false
    }
}

fn engine(clock: &Arc<Clock>, allow: Allow, lines: &[&str]) -> Engine {
    let mut file = String::from("[a]\n");
    for (i, line) in lines.iter().enumerate() {
        file.push_str(&format!("exten => s,{},{line}\n", i + 1));
    }
    file.push_str("exten => s,n,Set(END=next)\n");
    for exten in ["o", "talk", "12"] {
        file.push_str(&format!("exten => {exten},1,Set(END=${{EXTEN}})\n"));
    }
    let engine = Engine::builder()
        .environment(clock.clone())
        .allow(allow)
        .build();
    let mut reader = MemoryReader::new().with("extensions.conf", file);
    engine.load_from("extensions.conf", &mut reader).unwrap();
    engine
}

fn call(engine: &Engine, name: &str, state: ChannelState) -> Call {
    let mut channel = Channel::new(name);
    channel.state = state;
    let start = Start::Extension(Location {
        context: Text::from("a"),
        exten: Text::from("s"),
        priority: 1,
    });
    engine.call_on(channel, start)
}

/// Runs lines; the script answers what is no answer, sleep or pause of its own accord.
fn run(allow: Allow, lines: &[&str], script: &[Event]) -> (Call, Vec<Effect>) {
    let clock = Arc::new(Clock::default());
    let engine = engine(&clock, allow, lines);
    let mut call = call(&engine, "Test/1", ChannelState::Ring);
    let mut script: VecDeque<Event> = script.iter().cloned().collect();
    let mut seen = Vec::new();
    let mut event = Event::Start;
    for step in 0..1000 {
        let effect = call.step(event);
        event = match &effect {
            Effect::End(_) => return (call, seen),
            // The caller is patient, but not for ever.
            _ if step > 500 => Event::Hangup(16),
            Effect::Yield => Event::Resume,
            Effect::Answer | Effect::Indicate(_) => Event::Done,
            Effect::Sleep(time) => {
                clock.pass(*time);
                Event::Done
            }
            _ => script.pop_front().unwrap_or(Event::Hangup(16)),
        };
        seen.push(effect);
    }
    panic!("{lines:?} does not end");
}

/// The values of `wanted` (`name=value`) after the lines with this script.
fn expect(lines: &[&str], script: &[Event], wanted: &[&str]) {
    let (mut call, _) = run(Allow::default(), lines, script);
    variables(&mut call, lines, wanted);
}

fn variables(call: &mut Call, lines: &[&str], wanted: &[&str]) {
    for pair in wanted {
        let (name, value) = pair.split_once('=').unwrap();
        let got = call
            .variable(name.as_bytes())
            .map(|text| text.to_string())
            .unwrap_or_default();
        assert_eq!(got, value, "{name} after {lines:?}");
    }
}

fn text(text: &str) -> Event {
    Event::Value(Text::from(text))
}

fn played(digit: Option<u8>) -> Event {
    Event::Played {
        digit,
        missing: Vec::new(),
    }
}

fn digits(digits: &str) -> Vec<Event> {
    digits.bytes().map(Event::Digit).collect()
}

#[test]
fn a_host_decides_the_status() {
    let failed = || Event::Failed(String::new());
    expect(
        &["ConfKick(x)"],
        &[Event::Done],
        &["CONFKICKSTATUS=SUCCESS", "END=next"],
    );
    expect(
        &["ConfKick(x)"],
        &[failed()],
        &["CONFKICKSTATUS=FAILURE", "END=next"],
    );
    expect(
        &["ConfKick()"],
        &[],
        &["CONFKICKSTATUS=FAILURE", "END=next"],
    );
    expect(
        &["ConfBridge()"],
        &[],
        &["CONFBRIDGE_RESULT=FAILED", "END="],
    );
    expect(
        &["ConfBridge(x)"],
        &[text("KICKED")],
        &["CONFBRIDGE_RESULT=KICKED", "END=next"],
    );
    expect(
        &["ConfBridge(x)"],
        &[Event::Hangup(16)],
        &["CONFBRIDGE_RESULT=HANGUP", "END="],
    );
    expect(
        &["Queue(q)"],
        &[Event::Timeout],
        &["QUEUESTATUS=TIMEOUT", "END=next"],
    );
    expect(
        &["Queue(q,c)"],
        &[Event::Done],
        &["QUEUESTATUS=CONTINUE", "END=next"],
    );
    expect(
        &["PauseQueueMember(,SIP/1)"],
        &[Event::Done],
        &["PQMSTATUS=PAUSED"],
    );
    expect(&["PauseQueueMember(q)"], &[], &["PQMSTATUS=", "END="]);
    expect(
        &["VoiceMail(1@a)"],
        &[Event::Digit(b'0')],
        &["VMSTATUS=USEREXIT", "END=o"],
    );
    expect(
        &["WaitForNoise(1)"],
        &[Event::Timeout],
        &["WAITSTATUS=TIMEOUT", "END=next"],
    );
    expect(
        &["AMD()"],
        &[Event::Done],
        &["AMDSTATUS=NOTSURE", "AMDCAUSE=TOOLONG-5000"],
    );
    expect(
        &["AMD()"],
        &[text("HUMAN,HUMAN-1-2")],
        &["AMDSTATUS=HUMAN", "AMDCAUSE=HUMAN-1-2"],
    );
    expect(
        &["ReceiveText(1)"],
        &[text("hello")],
        &["RECEIVETEXTSTATUS=SUCCESS", "RECEIVETEXTMESSAGE=hello"],
    );
    for nothing in [Event::Done, Event::Timeout] {
        expect(
            &["Set(RECEIVETEXTMESSAGE=old)", "ReceiveText(1)"],
            &[nothing],
            &["RECEIVETEXTSTATUS=FAILURE", "RECEIVETEXTMESSAGE="],
        );
    }
    expect(
        &["SendText(x)"],
        &[text("UNSUPPORTED")],
        &["SENDTEXTSTATUS=UNSUPPORTED", "SENDTEXTTYPE=NONE"],
    );
    expect(
        &["ReceiveMF(d)"],
        &[text("123")],
        &["RECEIVEMFSTATUS=START", "d=123"],
    );
    expect(
        &["Directory()"],
        &[Event::Timeout],
        &["DIRECTORY_RESULT=TIMEOUT", "END=next"],
    );
    expect(
        &["Directory(v,a)"],
        &[text("12")],
        &["DIRECTORY_RESULT=SELECTED", "DIRECTORY_EXTEN=12", "END=12"],
    );
    expect(&["Bridge(Test/1)"], &[], &["BRIDGERESULT=LOOP", "END=next"]);
    expect(
        &["Bridge(Test/2)"],
        &[text("0")],
        &["BRIDGERESULT=NONEXISTENT", "END=next"],
    );
    expect(
        &["Bridge(Test/2)"],
        &[text("1"), Event::Done],
        &["BRIDGERESULT=SUCCESS", "END=next"],
    );
    expect(&["Pickup(1)"], &[failed()], &["END=next"]);
    expect(&["Pickup(1)"], &[Event::Done], &["END="]);
    expect(
        &["ChanIsAvail(SIP/a&SIP/b)"],
        &[failed(), text("SIP/b-1")],
        &["AVAILCHAN=SIP/b-1", "AVAILORIGCHAN=SIP/b", "END=next"],
    );
    expect(&["SpeechCreate()"], &[failed()], &["ERROR=1", "END=next"]);
    expect(&["AGI(x)"], &[], &["AGISTATUS=FAILURE", "END=next"]);
    expect(&["ParkAndAnnounce(,,x)"], &[], &["END="]);
    expect(
        &["MixMonitor(x.wav,i(id))"],
        &[text("7")],
        &["id=7", "END=next"],
    );
}

#[test]
fn commands_need_leave() {
    expect(
        &["TrySystem(x)"],
        &[],
        &["SYSTEMSTATUS=FAILURE", "END=next"],
    );
    expect(&["System(x)"], &[], &["SYSTEMSTATUS=FAILURE", "END="]);
    let allow = Allow {
        system: true,
        ..Allow::default()
    };
    for (answer, status) in [
        (Event::Done, "SUCCESS"),
        (text("0"), "SUCCESS"),
        (text("1"), "APPERROR"),
        (text("127"), "FAILURE"),
        (Event::Failed(String::new()), "FAILURE"),
    ] {
        let lines = ["TrySystem(\"echo\\ta\")"];
        let (mut call, seen) = run(allow, &lines, &[answer]);
        variables(
            &mut call,
            &lines,
            &[&format!("SYSTEMSTATUS={status}"), "END=next"],
        );
        let wanted = OutsideRequest::Execute(Text::from("echo\ta"));
        assert_eq!(seen.first(), Some(&Effect::Outside(wanted)));
    }
}

#[test]
fn passwords_and_numbers_are_entered() {
    let mut right = vec![played(None)];
    right.extend(digits("12#"));
    right.push(played(None));
    expect(&["Authenticate(12)"], &right, &["END=next"]);
    let mut wrong = Vec::new();
    for _ in 0..3 {
        wrong.push(played(Some(b'1')));
        wrong.extend(digits("#"));
    }
    wrong.push(played(None));
    expect(&["Authenticate(12)"], &wrong, &["END="]);
    let mut again = vec![played(Some(b'3')), Event::Timeout];
    again.extend(right.clone());
    expect(&["Authenticate(12)"], &again, &["END=next"]);
    expect(
        &[
            "Set(DB(pins/12)=x)",
            "Authenticate(/pins,dra)",
            "Set(left=${DB_EXISTS(pins/12)}${CHANNEL(accountcode)})",
        ],
        &right,
        &["left=012", "END=next"],
    );
    expect(&["DISA(no-password,a)"], &digits("12"), &["END=12"]);
    expect(&["DISA(7,a)"], &digits("7#12"), &["END=12"]);
    expect(&["DISA(7,a)"], &digits("8#12"), &["END="]);
    let mut number = vec![played(None), played(None)];
    number.extend(digits("0123456789#"));
    number.push(played(None));
    expect(
        &["PrivacyManager()", "Set(n=${CALLERID(num)})"],
        &number,
        &["PRIVACYMGRSTATUS=SUCCESS", "n=0123456789"],
    );
    expect(
        &["Set(CALLERID(num)=5)", "PrivacyManager()"],
        &[],
        &["PRIVACYMGRSTATUS=SUCCESS"],
    );
}

#[test]
fn media_can_be_left() {
    expect(
        &["ControlPlayback(x,,,,9)"],
        &[played(Some(b'9'))],
        &[
            "CPLAYBACKSTATUS=USERSTOPPED",
            "CPLAYBACKSTOPKEY=9",
            "CPLAYBACKOFFSET=0",
        ],
    );
    // # and * go forward and back, 5 pauses, 6 begins anew; what is not told is at its usual key.
    let keys = [Some(b'#'), Some(b'#'), Some(b'*'), Some(b'5')].map(played);
    let mut script = keys.to_vec();
    script.extend([Event::Digit(b'#'), Event::Digit(b'5'), played(Some(b'9'))]);
    let line = "ControlPlayback(x,2000,,,9,5,6,o(500))";
    expect(
        &[line],
        &script,
        &["CPLAYBACKSTATUS=USERSTOPPED", "CPLAYBACKOFFSET=2500"],
    );
    let (_, effects) = run(Allow::default(), &[line], &script);
    let from = |effect: &Effect| match effect {
        Effect::Play(play) => Some(play.from.as_millis()),
        _ => None,
    };
    let places: Vec<u128> = effects.iter().filter_map(from).collect();
    assert_eq!(places, [500, 2500, 4500, 2500, 2500]);
    expect(
        &["ControlPlayback(x,,9,,,,6)"],
        &[played(Some(b'9')), played(Some(b'6')), played(None)],
        &["CPLAYBACKSTATUS=SUCCESS", "CPLAYBACKOFFSET=-1"],
    );
    expect(
        &["BackgroundDetect(x)"],
        &[text("400")],
        &["TALK_DETECTED=400", "END=talk"],
    );
    expect(
        &["BackgroundDetect(x)"],
        &[played(Some(b'1')), Event::Digit(b'2')],
        &["END=12"],
    );
    expect(
        &["SayUnixTime(5,UTC,Y,j)"],
        &[played(Some(b'o'))],
        &["END=o"],
    );
    expect(
        &["MusicOnHold(x,3)"],
        &[Event::Done, Event::Done],
        &["END=next"],
    );
    expect(
        &["MusicOnHold(x)"],
        &[Event::Done, Event::Digit(b'1')],
        &["END="],
    );
    expect(
        &["Zapateller(answer)"],
        &[Event::Done],
        &["ZAPATELLERSTATUS=ZAPPED"],
    );
    expect(
        &["Set(CALLERID(num)=5)", "Zapateller(nocallerid)"],
        &[],
        &["ZAPATELLERSTATUS=NOTHING"],
    );
    expect(&["SayCountedNoun(x,y)"], &[], &["END="]);
}

#[test]
fn channels_wait_for_each_other() {
    let clock = Arc::new(Clock::default());
    let engine = engine(&clock, Allow::default(), &["WaitForSignal(${n},9)"]);
    let mut one = call(&engine, "Test/1", ChannelState::Up);
    let mut two = call(&engine, "Test/2", ChannelState::Up);
    one.cx().set(b"n", b"x");
    two.cx().set(b"n", b"y");
    for call in [&mut one, &mut two] {
        // This host does not know when others act.
        let Effect::Custom { .. } = call.step(Event::Start) else {
            panic!("it does not wait");
        };
    }
    let Effect::Sleep(_) = one.step(Event::Done) else {
        panic!("it does not wait");
    };
    let Effect::Sleep(_) = two.step(Event::Done) else {
        panic!("it does not wait");
    };
    assert_eq!(engine.shared().signal(b"x", b"p,q"), 1);
    let Effect::End(_) = one.step(Event::Done) else {
        panic!("it still waits");
    };
    variables(
        &mut one,
        &[],
        &["WAITFORSIGNALSTATUS=SIGNALED", "WAITFORSIGNALPAYLOAD=p,q"],
    );
    let Effect::Sleep(_) = two.step(Event::Done) else {
        panic!("it does not wait");
    };
    clock.pass(Duration::from_secs(9));
    let Effect::End(_) = two.step(Event::Done) else {
        panic!("it still waits");
    };
    variables(&mut two, &[], &["WAITFORSIGNALSTATUS=TIMEOUT"]);
    assert_eq!(engine.shared().signal(b"x", b""), 0);
}

/// Whatever the arguments and the answers of the host are, an application comes to an end.
#[test]
fn every_application_ends() {
    let answers = [
        Event::Done,
        Event::Timeout,
        Event::Failed(String::new()),
        text("x"),
        Event::Digit(b'1'),
        Event::Digit(b'#'),
        played(Some(b'5')),
        played(None),
    ];
    for application in strowger::apps::ALL {
        for data in [
            "",
            ",,,,",
            "a",
            "1,2,3,4,5,6,7",
            "(",
            "a(b,\"c",
            "é/1&/&&,i(x",
        ] {
            for answer in &answers {
                let line = format!("{}({data})", application.name);
                let script = vec![answer.clone(); 40];
                run(Allow::default(), &[&line], &script);
            }
        }
    }
}

/// A line of a script for simulated calls is refused where nobody would ask for it, and only there.
#[test]
fn a_script_has_lines_for_what_asks() {
    let mut asked = BTreeSet::from(["DEVICE_STATE".to_owned()]);
    for application in strowger::apps::ALL {
        for data in [
            "", "1", "a,b", "a,b,c,d", "PJSIP/a", "a.wav", "pjsip:a", "a@b", "5,5,5",
        ] {
            let line = format!("{}({data})", application.name);
            let lines = ["Set(MESSAGE(body)=x)", "SpeechCreate()", &line];
            let (_, seen) = run(Allow::default(), &lines, &vec![Event::Done; 40]);
            for effect in seen {
                if let Effect::Custom { name, .. } = effect {
                    asked.insert(name.to_string());
                }
            }
        }
    }
    // What calls that wait ask is not about an application.
    asked.remove("Watch");
    // Ask where a call is parked only.
    asked.insert("ParkedCall".to_owned());
    asked.insert("ParkAndAnnounce".to_owned());
    // Has outcomes of its own.
    asked.remove("Dial");
    let registry = strowger::standard_registry();
    let accepted: BTreeSet<String> = registry
        .applications()
        .iter()
        .map(|a| a.name.to_string())
        .chain(["DEVICE_STATE".to_owned()])
        .filter(|name| Scenario::parse(format!("{name}: done").as_bytes(), &registry).is_ok())
        .collect();
    assert_eq!(accepted, asked);
}
