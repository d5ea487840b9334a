//! Queues, conferences, parking lots, mailboxes, agents, devices: what the host tells, what applications change, what
//! functions read.

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
use strowger::host::simulate::{Peer, RunReport, Scenario, Sounds};
use strowger::host::{Engine, SimChannel};
use strowger::machine::facilities::{
    Account, Agent, DeviceState, Empty, Facilities, Lot, Mailbox, Member, Penalties, PenaltyChange,
    Presence, Queue, QueueSettings, Stored, Strategy,
};
use strowger::syntax::load::MemoryReader;

/// Midnight of 2026-01-01, UTC.
const START: u64 = 1_767_225_600;

fn engine(dialplan: &str, facilities: impl FnOnce(&mut Facilities)) -> Engine {
    let engine = Engine::builder().build();
    let mut reader = MemoryReader::new().with("extensions.conf", dialplan);
    engine.load_from("extensions.conf", &mut reader).unwrap();
    facilities(&mut engine.shared().facilities());
    engine
}

fn channel() -> SimChannel {
    SimChannel::new()
        .at(Duration::from_secs(START))
        .sounds(Sounds::Any)
}

fn run(engine: &Engine, mut channel: SimChannel) -> RunReport {
    engine
        .run(engine.call("main", "s", "1"), &mut channel)
        .unwrap()
}

fn scenario(text: &str) -> Scenario {
    Scenario::parse(text.as_bytes(), &strowger::standard_registry()).unwrap()
}

fn text(report: &mut RunReport, name: &str) -> String {
    report
        .variable(name)
        .map_or(String::new(), |v| v.to_string())
}

/// Lines of the extension `s`, and others after them.
fn plan(lines: &[&str]) -> String {
    let mut file = String::from("[main]\n");
    for (n, line) in lines.iter().enumerate() {
        let start = if n == 0 {
            "exten => s,1,"
        } else {
            " same => n,"
        };
        if line.starts_with("exten") || line.starts_with('[') || line.starts_with(" same") {
            file.push_str(line);
        } else {
            file.push_str(start);
            file.push_str(line);
        }
        file.push('\n');
    }
    file
}

fn support(change: impl FnOnce(&mut QueueSettings), members: &[(&str, u32)]) -> Queue {
    let mut settings = QueueSettings::default();
    change(&mut settings);
    let mut queue = Queue::new(b"support", settings);
    for (interface, penalty) in members {
        let mut member = Member::new(interface.as_bytes());
        member.penalty = *penalty;
        queue.members.push(member);
    }
    queue
}

/// Variable `R` after lines that set it, on facilities.
fn answer(facilities: impl FnOnce(&mut Facilities), lines: &[&str]) -> String {
    let engine = engine(&plan(lines), facilities);
    text(&mut run(&engine, channel()), "R")
}

#[test]
fn members_come_go_and_pause() {
    let queue = |f: &mut Facilities| f.queues.add(support(|_| {}, &[("PJSIP/a", 2)]));
    let list = answer(
        queue,
        &[
            "AddQueueMember(SUPPORT,PJSIP/b,5,,Bea)",
            "Set(A=${AQMSTATUS})",
            "AddQueueMember(support,pjsip/b)",
            "Set(B=${AQMSTATUS})",
            "AddQueueMember(sales,PJSIP/b)",
            "Set(R=${A} ${B} ${AQMSTATUS} ${QUEUE_MEMBER_LIST(support)})",
        ],
    );
    assert_eq!(list, "ADDED MEMBERALREADY NOSUCHQUEUE PJSIP/a,PJSIP/b");
    let removed = answer(
        queue,
        &[
            "AddQueueMember(support,PJSIP/b)",
            "RemoveQueueMember(support,PJSIP/a)",
            "Set(A=${RQMSTATUS})",
            "RemoveQueueMember(support,PJSIP/b)",
            "Set(B=${RQMSTATUS})",
            "RemoveQueueMember(support,PJSIP/b)",
            "Set(C=${RQMSTATUS})",
            "RemoveQueueMember(sales,PJSIP/b)",
            "Set(R=${A} ${B} ${C} ${RQMSTATUS} ${QUEUE_MEMBER(support,count)})",
        ],
    );
    assert_eq!(removed, "NOTDYNAMIC REMOVED NOTINQUEUE NOSUCHQUEUE 1");
    let paused = answer(
        queue,
        &[
            "PauseQueueMember(,PJSIP/a,,lunch)",
            "Set(A=${PQMSTATUS} ${QUEUE_MEMBER(support,paused,PJSIP/a)})",
            "Set(B=${QUEUE_MEMBER(support,free)} ${QUEUE_MEMBER(support,logged)})",
            "UnpauseQueueMember(support,PJSIP/a)",
            "PauseQueueMember(support,PJSIP/x)",
            "Set(R=${A}|${B}|${UPQMSTATUS} ${PQMSTATUS} ${QUEUE_MEMBER(support,free)})",
        ],
    );
    assert_eq!(paused, "PAUSED 1|0 1|UNPAUSED NOTFOUND 1");
    let written = answer(
        queue,
        &[
            "Set(QUEUE_MEMBER(support,penalty,PJSIP/a)=7)",
            "Set(A=${QUEUE_MEMBER_PENALTY(support,PJSIP/a)})",
            "Set(QUEUE_MEMBER_PENALTY(,PJSIP/a)=9)",
            "Set(QUEUE_MEMBER(support,ringinuse,PJSIP/a)=0)",
            "Set(QUEUE_MEMBER(support,ringinuse,PJSIP/a)=2)",
            "Set(R=${A} ${QUEUE_MEMBER(support,penalty,PJSIP/a)} ${QUEUE_MEMBER(support,ringinuse,PJSIP/a)} \
             ${QUEUE_MEMBER_PENALTY(support,PJSIP/x)} ${QUEUE_EXISTS(support)})",
        ],
    );
    assert_eq!(written, "7 9 0 -1 1");
}

#[test]
fn a_member_takes_the_call() {
    let lines = plan(&[
        "Queue(support,c)",
        "Set(R=${QUEUESTATUS} ${MEMBERINTERFACE} ${MEMBERCALLS} ${QEHOLDTIME} ${QEORIGINALPOS} ${DIALEDPEERNUMBER})",
        "Set(V=${QUEUE_VARIABLES(support)} ${QUEUECOMPLETED} ${QUEUECALLS} ${QUEUESTRATEGY})",
    ]);
    let engine = engine(&lines, |f| {
        f.queues.add(support(
            |s| {
                s.strategy = Strategy::Linear;
                s.setinterfacevar = true;
                s.setqueueentryvar = true;
                s.setqueuevar = true;
            },
            &[("PJSIP/a", 0), ("PJSIP/b", 0)],
        ));
    });
    // The first is busy, the second answers after three seconds.
    let far = channel()
        .dial("PJSIP/a", "BUSY")
        .dial("PJSIP/b", "ANSWER,after=3");
    let mut report = run(&engine, far);
    assert_eq!(text(&mut report, "R"), "CONTINUE PJSIP/b 0 3 1 b");
    assert_eq!(text(&mut report, "V"), "0 1 0 linear");
    let facilities = engine.shared().facilities();
    let events: Vec<String> = facilities
        .queues
        .log()
        .iter()
        .map(|line| format!("{} {}", line.event, line.member))
        .collect();
    assert_eq!(
        events,
        [
            "ENTERQUEUE NONE",
            "RINGNOANSWER PJSIP/a",
            "CONNECT PJSIP/b",
            "COMPLETEAGENT PJSIP/b"
        ]
    );
    assert_eq!(facilities.queues.get(b"support").unwrap().talktime, 10 / 4);
}

#[test]
fn the_next_round_begins_behind_the_member_that_was_rung() {
    let lines = plan(&["Queue(support,c)", "Set(R=${DIALEDPEERNUMBER} ${EPOCH})"]);
    for strategy in [Strategy::Linear, Strategy::RrMemory] {
        let engine = engine(&lines, |f| {
            f.queues.add(support(
                |s| s.strategy = strategy,
                &[("PJSIP/a", 0), ("PJSIP/b", 0)],
            ));
        });
        let mut report = run(&engine, channel().dial("PJSIP/b", "ANSWER"));
        // 15 seconds of ringing, 5 of pause, 10 of talk.
        assert_eq!(text(&mut report, "R"), format!("b {}", START + 30));
    }
}

#[test]
fn a_rule_widens_the_circle() {
    let lines = plan(&[
        "Set(QUEUE_MAX_PENALTY=1)",
        "Queue(support,c,,,,,,wider)",
        "Set(R=${DIALEDPEERNUMBER} ${QUEUE_MAX_PENALTY} ${QUEUE_MIN_PENALTY} ${QUEUE_RAISE_PENALTY} ${EPOCH})",
    ]);
    let engine = engine(&lines, |f| {
        let rule = ["60,+1,9", "30,8,5"].map(|line| PenaltyChange::read(line.as_bytes()).unwrap());
        f.queues.add_rule(b"Wider", rule.to_vec());
        f.queues
            .add(support(|_| {}, &[("PJSIP/a", 0), ("PJSIP/b", 7)]));
    });
    let mut report = run(&engine, channel().dial("PJSIP/b", "ANSWER"));
    assert_eq!(text(&mut report, "R"), format!("b 8 5  {}", START + 50));
}

#[test]
fn without_c_the_call_ends_with_the_member() {
    let lines = plan(&["Queue(support)", "Set(R=on)"]);
    let engine = engine(&lines, |f| f.queues.add(support(|_| {}, &[("PJSIP/a", 0)])));
    let mut report = run(&engine, channel().dial("PJSIP/a", "ANSWER"));
    assert_eq!(text(&mut report, "R"), "");
}

#[test]
fn a_caller_gives_up() {
    let lines = plan(&[
        "Queue(support,,,,40)",
        "Set(R=${QUEUESTATUS} ${EPOCH} ${QUEUE_WAITING_COUNT(support)})",
    ]);
    let engine = engine(&lines, |f| f.queues.add(support(|_| {}, &[("PJSIP/a", 0)])));
    let mut report = run(&engine, channel());
    assert_eq!(text(&mut report, "R"), format!("TIMEOUT {} 0", START + 40));
    // Two rounds of 15 seconds and pauses of 5 between them.
    assert_eq!(report.channels.len(), 3);
    // Without a limit the caller hangs up some time.
    let lines = plan(&["Queue(support)", "exten => h,1,Set(R=${ABANDONED})"]);
    let engine = self::engine(&lines, |f| f.queues.add(support(|_| {}, &[])));
    assert_eq!(text(&mut run(&engine, channel()), "R"), "TRUE");
}

#[test]
fn queues_that_take_nobody() {
    let status = |queue: Queue, name: &str| {
        let call = format!("Queue({name},,,,1)");
        let lines = [call.as_str(), "Set(R=${QUEUESTATUS})"];
        answer(move |f| f.queues.add(queue), &lines)
    };
    let strict = |s: &mut QueueSettings| s.joinempty = Empty::strict();
    assert_eq!(status(support(strict, &[]), "support"), "JOINEMPTY");
    assert_eq!(
        status(support(strict, &[("PJSIP/a", 0)]), "support"),
        "TIMEOUT"
    );
    assert_eq!(status(support(|_| {}, &[]), "sales"), "UNKNOWN");
    let leave = |s: &mut QueueSettings| s.leavewhenempty = Empty::usual();
    assert_eq!(status(support(leave, &[]), "support"), "LEAVEEMPTY");
    let mut full = support(|s| s.maxlen = 1, &[]);
    full.join(strowger::machine::facilities::Caller::default(), None);
    assert_eq!(status(full, "support"), "FULL");
}

#[test]
fn a_digit_leads_out_of_the_queue() {
    let lines = plan(&[
        "Queue(support)",
        "Set(R=wrong)",
        "[out]\nexten => 3,1,Set(R=out ${QUEUE_WAITING_COUNT(support)})",
    ]);
    let engine = engine(&lines, |f| {
        f.queues.add(support(
            |s| s.context = Text::from("out"),
            &[("PJSIP/a", 0)],
        ));
    });
    let mut report = run(&engine, channel().peer(Peer::Digits(b"73".to_vec())));
    assert_eq!(text(&mut report, "R"), "out 0");
}

#[test]
fn several_callers_wait_in_order() {
    // Two more calls come; the one with the greater priority is the next one.
    let lines = plan(&[
        "Originate(Local/a@main/n,exten,main,idle,1,1,n)",
        "Originate(Local/b@main/n,exten,main,idle,1,1,n)",
        "Wait(2)",
        "Set(R=${QUEUE_WAITING_COUNT(support)} ${CUT(QUEUE_GET_CHANNEL(support),@,1)} ${CUT(QUEUE_GET_CHANNEL(support,2),@,1)})",
        "Set(D=${DEVICE_STATE(Queue:support)} ${DEVICE_STATE(Queue:other)})",
        "exten => a,1,Answer()\n same => n,Queue(support,,,,60)",
        "exten => b,1,Answer()\n same => n,Set(QUEUE_PRIO=5)\n same => n,Queue(support,,,,60)",
        "exten => idle,1,Wait(100)",
    ]);
    let engine = engine(&lines, |f| f.queues.add(support(|_| {}, &[])));
    let mut report = run(&engine, channel());
    assert_eq!(text(&mut report, "R"), "2 Local/b Local/a");
    assert_eq!(text(&mut report, "D"), "INUSE INVALID");
}

#[test]
fn strategies_choose_in_their_order() {
    let now = Duration::from_secs(1000);
    let order = |strategy, change: &dyn Fn(&mut Queue)| {
        let members = [("T/a", 0), ("T/b", 0), ("T/c", 1)];
        let mut queue = support(|s| s.strategy = strategy, &members);
        change(&mut queue);
        let free = |_: &[u8]| DeviceState::NotInUse;
        let groups = queue.order(0, Penalties::default(), &free, now, &|| 7);
        let groups: Vec<String> = groups
            .iter()
            .map(|g| {
                g.iter()
                    .map(|i| i.lossy()[2..].to_owned())
                    .collect::<String>()
            })
            .collect();
        groups.join(" ")
    };
    assert_eq!(order(Strategy::RingAll, &|_| {}), "ab c");
    assert_eq!(order(Strategy::Linear, &|_| {}), "a b c");
    assert_eq!(order(Strategy::RrMemory, &|q| q.round = 1), "b a c");
    let called = |q: &mut Queue| {
        q.members[0].calls = 3;
        q.members[0].last_call = Some(Duration::from_mins(15));
    };
    assert_eq!(order(Strategy::FewestCalls, &called), "b a c");
    assert_eq!(order(Strategy::LeastRecent, &called), "b a c");
    let wrapping = |q: &mut Queue| {
        called(q);
        q.settings.wrapuptime = Duration::from_secs(200);
    };
    assert_eq!(order(Strategy::RingAll, &wrapping), "b c");
    let busy = |_: &[u8]| DeviceState::InUse;
    let queue = support(|s| s.ringinuse = false, &[("T/a", 0)]);
    assert!(
        queue
            .order(0, Penalties::default(), &busy, now, &|| 7)
            .is_empty()
    );
}

#[test]
fn devices_are_as_their_calls() {
    let lines = plan(&[
        "Set(A=${DEVICE_STATE(PJSIP/a)} ${DEVICE_STATE(PJSIP/gone)} ${DEVICE_STATE(Nothing/a)})",
        "Originate(Local/dial@main/n,exten,main,idle,1,1,n)",
        "Wait(1)",
        "Set(B=${DEVICE_STATE(PJSIP/a)} ${EXTENSION_STATE(9@main)})",
        "Wait(4)",
        "Set(C=${DEVICE_STATE(PJSIP/a)} ${EXTENSION_STATE(9@main)})",
        "Wait(20)",
        "Set(R=${A}|${B}|${C}|${DEVICE_STATE(PJSIP/a)} ${EXTENSION_STATE(9@main)})",
        "exten => 9,hint,PJSIP/a",
        "exten => dial,1,Answer()\n same => n,Dial(PJSIP/a)",
        "exten => idle,1,Wait(100)",
    ]);
    let engine = engine(&lines, |_| {});
    let far = channel()
        .dial("PJSIP/a", "ANSWER,after=3")
        .dial("PJSIP/gone", "CHANUNAVAIL");
    let mut report = run(&engine, far);
    assert_eq!(
        text(&mut report, "R"),
        "NOT_INUSE UNAVAILABLE INVALID|RINGING RINGING|INUSE INUSE|NOT_INUSE NOT_INUSE"
    );
    // A host that is no simulation tells.
    let told = answer(
        |f| {
            f.devices.set(b"SIP/9", DeviceState::OnHold);
            let presence = Presence {
                value: Text::from("away"),
                message: Text::from("lunch, later"),
                ..Presence::default()
            };
            f.presences.set(b"PJSIP/a", presence);
            f.clients.set(b"admin", 3);
        },
        &[
            "Set(R=${DEVICE_STATE(sip/9)} ${PRESENCE_STATE(PJSIP/a,value)} ${PRESENCE_STATE(PJSIP/a,message,e)} \
           ${PRESENCE_STATE(CustomPresence:x,value)} ${AMI_CLIENT(admin,sessions)})",
        ],
    );
    assert_eq!(told, "ONHOLD away bHVuY2gsIGxhdGVy not_set 3");
    let custom = answer(
        |_| {},
        &[
            "Set(PRESENCE_STATE(CustomPresence:y)=dnd,c3Vi,bHVuY2gsIGxhdGVy,e)",
            "Set(R=${PRESENCE_STATE(CustomPresence:y,subtype)}|${PRESENCE_STATE(CustomPresence:y,message)}|\
             ${PRESENCE_STATE(CustomPresence:y,subtype,e)})",
        ],
    );
    assert_eq!(custom, "sub|lunch, later|c3Vi");
}

#[test]
fn calls_meet_in_a_conference() {
    let lines = plan(&[
        "Originate(Local/a@main/n,exten,main,idle,1,1,n)",
        "Originate(Local/b@main/n,exten,main,idle,1,1,n)",
        "Wait(2)",
        "Set(A=${CONFBRIDGE_INFO(parties,6000)} ${CONFBRIDGE_INFO(admins,6000)} ${CONFBRIDGE_INFO(marked,6000)})",
        "Set(B=${CUT(CONFBRIDGE_CHANNELS(admins,6000),@,1)} ${DEVICE_STATE(confbridge:6000)})",
        "TryExec(ConfBridge(6000,small))",
        "ConfKick(6000,participants)",
        "Wait(1)",
        "Set(R=${A}|${B}|${CONFBRIDGE_RESULT} ${CONFKICKSTATUS} ${CONFBRIDGE_INFO(parties,6000)} ${GLOBAL(KICKED)})",
        "exten => a,1,Answer()\n same => n,Set(CONFBRIDGE(user,template)=boss)\n same => n,ConfBridge(6000,small)",
        "exten => b,1,Answer()\n same => n,ConfBridge(6000,small)\n same => n,Set(GLOBAL(KICKED)=${CONFBRIDGE_RESULT})",
        "exten => idle,1,Wait(100)",
    ]);
    let engine = engine(&lines, |f| {
        let on = (Text::from("admin"), Text::from("yes"));
        let marked = (Text::from("marked"), Text::from("yes"));
        f.conferences
            .users
            .insert(Text::from("boss"), [on, marked].into());
        let most = (Text::from("max_members"), Text::from("2"));
        f.conferences
            .bridges
            .insert(Text::from("small"), [most].into());
    });
    let far = channel().scenario(scenario("ConfBridge: TIMEOUT after 60s\n"));
    let mut report = run(&engine, far);
    assert_eq!(
        text(&mut report, "R"),
        "2 1 1|Local/a INUSE|FAILED SUCCESS 1 KICKED"
    );
}

#[test]
fn a_call_is_parked_and_comes_back() {
    let lines = plan(&[
        "Set(PARKINGEXTEN=703)",
        "Park(,t(20)c(main^back^1))",
        "exten => back,1,Set(R=${EPOCH} ${PARKING_SPACE} ${PARKEDLOT})",
    ]);
    let engine = engine(&lines, |_| {});
    let mut report = run(&engine, channel());
    assert_eq!(
        text(&mut report, "R"),
        format!("{} 703 default", START + 20)
    );
    let lines = plan(&[
        "Originate(Local/a@main/n,exten,main,idle,1,1,n)",
        "Wait(1)",
        "Set(R=${CUT(PARK_GET_CHANNEL(801,garage),@,1)} ${DEVICE_STATE(park:801@cars)}|${PARK_GET_CHANNEL(802,garage)})",
        "ParkedCall(garage)",
        "exten => h,1,Set(R=${R}|${PARK_GET_CHANNEL(801,garage)} ${DEVICE_STATE(park:801@cars)} ${EPOCH})",
        "exten => a,1,Answer()\n same => n,Park(garage)",
        "exten => idle,1,Wait(100)",
    ]);
    let engine = self::engine(&lines, |f| {
        let mut lot = Lot::new(b"garage");
        lot.spaces = (801, 802);
        lot.context = Text::from("cars");
        f.parking.add(lot);
    });
    let mut report = run(&engine, channel());
    assert_eq!(
        text(&mut report, "R"),
        format!("Local/a INUSE|| NOT_INUSE {}", START + 11)
    );
}

#[test]
fn mailboxes_fill() {
    let boxes = |f: &mut Facilities| {
        let mut anna = Mailbox::new(b"1234", b"Anna Alt");
        anna.email = Text::from("anna@example.com");
        anna.timezone = Text::from("european");
        anna.put(b"Old", Stored::default());
        f.mailboxes.add(b"100@office", anna);
        f.mailboxes.add(b"200@office", Mailbox::new(b"", b"Bert"));
    };
    let lines = plan(&[
        "VoiceMail(100@office&200@office,u)",
        "Set(A=${VMSTATUS} ${VMCOUNT(100@office)} ${VMCOUNT(100@office&200@office)} ${VMCOUNT(100@office,Old)})",
        "VoiceMail(999@office)",
        "Set(B=${VMSTATUS} ${VM_INFO(100@office,fullname)} ${VM_INFO(100@office,email)} ${VM_INFO(100@office,tz)})",
        "Set(R=${A}|${B}|${VM_INFO(100@office,exists)} ${VM_INFO(999@office,exists)} ${VM_INFO(100@office,count,old)} \
         ${VM_INFO(100@office,password)}${VM_INFO(100@office,count,attic)})",
    ]);
    let engine = engine(&lines, boxes);
    let far = channel().scenario(scenario("VoiceMail 100*: SUCCESS after 12s\n"));
    let mut report = run(&engine, far);
    assert_eq!(
        text(&mut report, "R"),
        "SUCCESS 1 2 1|FAILED Anna Alt anna@example.com european|1 0 1 1234"
    );
    let facilities = engine.shared().facilities();
    let left = facilities
        .mailboxes
        .get(b"200@office")
        .unwrap()
        .messages(b"INBOX");
    assert_eq!(left[0].duration, Duration::from_secs(12));
}

#[test]
fn accounts_of_the_small_voice_mail() {
    let accounts = |f: &mut Facilities| {
        let mut anna = Account::default();
        anna.set(b"email", b"anna@example.com");
        f.accounts.add(b"anna@example.com", anna);
    };
    let read = answer(
        accounts,
        &[
            "Set(MINIVMCOUNTER(anna@example.com:calls:i)=5)",
            "Set(MINIVMCOUNTER(anna@example.com:calls:d)=2)",
            "Set(MINIVMCOUNTER(example.com:all:s)=8)",
            "Set(MINIVMCOUNTER(example.com:all:d)=9)",
            "Set(R=${MINIVMACCOUNT(anna@example.com:hasaccount)} ${MINIVMACCOUNT(anna@example.com:email)} \
             ${MINIVMCOUNTER(anna@example.com:calls)} ${MINIVMCOUNTER(example.com:all)} \
             ${MINIVMACCOUNT(anna@example.com:path)}${MINIVMCOUNTER(other.com:all)})",
        ],
    );
    assert_eq!(
        read,
        "1 anna@example.com 3 0 /var/spool/asterisk/voicemail/example.com/anna"
    );
}

#[test]
fn agents_log_in() {
    let lines = plan(&[
        "AgentRequest(1001)",
        "Set(A=${AGENT_STATUS} ${AGENT(1001)} ${DEVICE_STATE(Agent:1001)})",
        "Originate(Local/login@main/n,exten,main,idle,1,1,n)",
        "Wait(1)",
        "Set(B=${AGENT(1001:status)} ${AGENT(1001:name)} ${CUT(AGENT(1001:fullchannel),@,1)} ${DEVICE_STATE(Agent:1001)})",
        "AgentLogin(1001)",
        "Set(C=${AGENT_STATUS})",
        "AgentRequest(7)",
        "Set(R=${A}|${B}|${C} ${AGENT_STATUS})",
        "exten => login,1,AgentLogin(1001)",
        "exten => idle,1,Wait(100)",
    ]);
    let engine = engine(&lines, |f| {
        let agent = Agent {
            name: Text::from("Anna"),
            ..Agent::default()
        };
        f.agents.add(b"1001", agent);
    });
    let mut report = run(&engine, channel());
    assert_eq!(
        text(&mut report, "R"),
        "NOT_LOGGED_IN LOGGEDOUT UNAVAILABLE|LOGGEDIN Anna Local/login NOT_INUSE|ALREADY_LOGGED_IN INVALID"
    );
    assert!(
        engine
            .shared()
            .facilities()
            .agents
            .get(b"1001")
            .unwrap()
            .channel
            .is_none()
    );
}

#[test]
fn recordings_are_known() {
    let read = answer(
        |_| {},
        &[
            "Set(A=${RECORDING_INFO(duration)})",
            "Record(/tmp/x.wav,0,3)",
            "MixMonitor(/srv/a.wav,i(one))",
            "MixMonitor(/srv/b.wav,i(two))",
            "Set(B=${MIXMONITOR(${one},filename)} ${MIXMONITOR(${two},filename)})",
            "StopMixMonitor(${one})",
            "Set(R=[${A}] ${RECORD_STATUS} ${RECORDING_INFO(duration)} ${B} [${MIXMONITOR(${one},filename)}] \
             ${MIXMONITOR(${two},filename)})",
        ],
    );
    assert_eq!(read, "[] TIMEOUT 3000 /srv/a.wav /srv/b.wav [] /srv/b.wav");
}

#[test]
fn messages_are_sent() {
    let lines = plan(&[
        "MessageSend(pjsip:anna)",
        "Set(A=${MESSAGE_SEND_STATUS}[${MESSAGE(body)}])",
        "Set(MESSAGE(body)=hello)",
        "Set(MESSAGE_DATA(Subject)=news)",
        "Set(MESSAGE(custom_data)=clear_all_outbound)",
        "MessageSend(anna)",
        "Set(B=${MESSAGE_SEND_STATUS})",
        "MessageSend(pjsip:anna,bob,anna)",
        "Set(C=${MESSAGE_SEND_STATUS} ${MESSAGE(from)} ${MESSAGE(to)} ${MESSAGE_DATA(subject)})",
        "MessageSend(xmpp:anna)",
        "Set(R=${A}|${B}|${C}|${MESSAGE_SEND_STATUS})",
    ]);
    let engine = engine(&lines, |_| {});
    let far = channel().scenario(scenario("MessageSend xmpp:*: INVALID_PROTOCOL\n"));
    let mut report = run(&engine, far);
    assert_eq!(
        text(&mut report, "R"),
        "FAILURE[]|INVALID_PROTOCOL|SUCCESS bob anna news|INVALID_PROTOCOL"
    );
    let message = report.channels[0].call.channel().message.clone().unwrap();
    assert!(!message.headers[0].outbound);
}

#[test]
fn settings_of_media_are_checked() {
    let lines = plan(&[
        "Set(PITCH_SHIFT(BOTH)=lowest)",
        "Set(PITCH_SHIFT(rx)=5)",
        "Set(JITTERBUFFER(adaptive)=default)",
        "Set(JITTERBUFFER(clever)=200)",
        "Set(TALK_DETECT(set)=,300)",
        "Set(TALK_DETECT(set)=0)",
        "Set(SCRAMBLE()=RX)",
        "Set(SCRAMBLE()=up)",
        "Set(FRAME_DROP(tx)=DTMF_BEGIN,answer,COFFEE)",
        "Set(MUTEAUDIO(all)=on)",
        "Set(A=[${VOLUME(TX)}])",
        "Set(VOLUME(RX,p)=-4)",
        "Set(FEATURE(inherit)=on)",
        "Set(FEATURE(featuredigittimeout)=soon)",
        "Set(CALLCOMPLETION(cc_agent_policy)=sometimes)",
        "Set(R=${A} ${VOLUME(rx)} ${FEATURE(inherit)} ${FEATURE(featuredigittimeout)} ${CALLCOMPLETION(cc_agent_policy)})",
    ]);
    let engine = engine(&lines, |_| {});
    let mut report = run(&engine, channel());
    assert_eq!(text(&mut report, "R"), "[] -4 yes 1000 never");
    assert_eq!(report.log().count(), 6);
    let own = report.channels[0].call.channel();
    let setting = |key: &str| own.setting(key.as_bytes()).map(ToString::to_string);
    assert_eq!(setting("PITCH_SHIFT both").as_deref(), Some("0.5"));
    assert_eq!(
        setting("JITTERBUFFER adaptive").as_deref(),
        Some("200,1000,40,no")
    );
    assert_eq!(setting("TALK_DETECT set").as_deref(), Some("2500,300"));
    assert_eq!(setting("SCRAMBLE direction").as_deref(), Some("RX"));
    assert_eq!(
        setting("FRAME_DROP TX").as_deref(),
        Some("DTMF_BEGIN,ANSWER")
    );
    assert_eq!(setting("VOLUME keys").as_deref(), Some("yes"));
}
