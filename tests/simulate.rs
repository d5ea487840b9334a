//! Simulated calls: destinations with a script, digits, limits of a talk, hang-ups in every phase, Originate.

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

use strowger::host::simulate::{Mode, Peer, Sounds};
use strowger::host::{Engine, RunError, RunReport, SimChannel};
use strowger::machine::{Flow, Limits};
use strowger::syntax::load::MemoryReader;

/// Midnight of 2026-01-01, UTC.
const START: u64 = 1_767_225_600;

fn engine(dialplan: &str) -> Engine {
    let engine = Engine::builder().build();
    let mut reader = MemoryReader::new().with("extensions.conf", dialplan);
    engine.load_from("extensions.conf", &mut reader).unwrap();
    engine
}

fn channel() -> SimChannel {
    SimChannel::new()
        .at(Duration::from_secs(START))
        .sounds(Sounds::None)
}

fn run_with(dialplan: &str, mut channel: SimChannel) -> RunReport {
    let engine = engine(dialplan);
    engine
        .run(engine.call("main", "s", "1"), &mut channel)
        .unwrap()
}

fn run(dialplan: &str) -> RunReport {
    run_with(dialplan, channel())
}

fn text(report: &mut RunReport, name: &str) -> String {
    report
        .variable(name)
        .map_or(String::new(), |v| v.to_string())
}

/// `exten:priority` of all that a channel ran.
fn path(report: &RunReport, channel: usize) -> String {
    let steps: Vec<String> = report
        .trace(channel)
        .map(|step| format!("{}:{}", bstr::BStr::new(step.exten), step.priority))
        .collect();
    steps.join(" ")
}

/// Seconds from start to end of the simulation.
fn lasted(report: &RunReport) -> f64 {
    report
        .last()
        .checked_sub(Duration::from_secs(START))
        .unwrap()
        .as_secs_f64()
}

/// The number of a channel by the end of its name.
fn named(report: &RunReport, part: &str) -> usize {
    report
        .channels
        .iter()
        .position(|c| c.name.to_string().contains(part))
        .unwrap_or_else(|| panic!("no channel {part}"))
}

const DIAL: &str = "[main]
exten => s,1,Dial(PJSIP/bob,20)
exten => s,n,Set(R=${DIALSTATUS}/${HANGUPCAUSE})
exten => h,1,Set(H=${DIALSTATUS}/${ANSWEREDTIME}/${DIALEDTIME})
";

#[test]
fn scripted_destinations_have_the_outcomes_of_their_technology() {
    for (outcome, result) in [
        ("BUSY", "BUSY/17"),
        ("CONGESTION", "CONGESTION/34"),
        ("CHANUNAVAIL", "CHANUNAVAIL/20"),
        ("NOANSWER", "NOANSWER/0"),
    ] {
        let mut report = run_with(DIAL, channel().dial("PJSIP/bob", outcome));
        assert_eq!(text(&mut report, "R"), result);
    }
}

#[test]
fn an_answering_destination_ends_the_call_with_h() {
    let mut report = run_with(DIAL, channel().dial("PJSIP/*", "ANSWER,after=3"));
    assert_eq!(text(&mut report, "R"), "");
    assert_eq!(text(&mut report, "H"), "ANSWER/10/13");
    assert_eq!(report.channels[0].cause(), 16);
    assert_eq!(report.channels[1].name.to_string(), "PJSIP/bob-00000001");
}

#[test]
fn nothing_said_means_no_answer_until_the_time_is_over() {
    let mut report = run(DIAL);
    assert_eq!(text(&mut report, "R"), "NOANSWER/0");
    assert_eq!(lasted(&report), 20.0);
    assert_eq!(text(&mut report, "RINGTIME_MS"), "0");
}

#[test]
fn a_dial_without_a_limit_that_nobody_answers_ends_with_the_caller() {
    let mut report = run("[main]\nexten => s,1,Dial(SIP/bob)\nexten => h,1,Set(H=${DIALSTATUS})\n");
    assert_eq!(text(&mut report, "H"), "CANCEL");
    assert_eq!(path(&report, 0), "s:1 h:1");
}

#[test]
fn the_first_that_answers_wins_and_the_others_are_answered_elsewhere() {
    let dialplan = "[main]
exten => s,1,Dial(Local/slow@main&Local/quick@main&PJSIP/x,30,g)
exten => s,n,Set(R=${DIALEDPEERNUMBER})
exten => slow,1,Wait(2)
exten => slow,n,Answer()
exten => quick,1,Wait(1)
exten => quick,n,Answer()
exten => quick,n,Wait(1)
";
    let mut report = run(dialplan);
    assert_eq!(text(&mut report, "R"), "quick@main");
    let slow = named(&report, "slow@main-#1;2");
    assert_eq!(path(&report, slow), "slow:1");
    assert_eq!(report.channels[slow].cause(), 26);
    let none = run(&dialplan.replace("30,g", "30,gQ(NONE)"));
    assert_eq!(none.channels[slow].cause(), 0);
}

#[test]
fn retry_dial_calls_again_after_its_pause() {
    let dialplan = "[main]
exten => s,1,RetryDial(sorry,5,2,PJSIP/bob,10)
exten => s,n,Set(R=${DIALSTATUS})
";
    let mut report = run(dialplan);
    assert_eq!(text(&mut report, "R"), "NOANSWER");
    assert_eq!(lasted(&report), 40.0);
    let mut report = run_with(dialplan, channel().dial("PJSIP/bob", "BUSY"));
    assert_eq!(text(&mut report, "R"), "BUSY");
    assert_eq!(report.channels.len(), 4);
}

#[test]
fn unknown_outcomes_are_refused() {
    let engine = engine(DIAL);
    let call = engine.call("main", "s", "1");
    let result = engine.run(call, &mut channel().dial("PJSIP/bob", "MAYBE"));
    assert!(matches!(result, Err(RunError::UnknownOutcome(text)) if text == "MAYBE"));
}

const TALK: &str = "[main]
exten => s,1,Dial(Local/c@main,5,OPTIONS)
exten => s,n,Set(R=${DIALSTATUS} ${ANSWEREDTIME_MS})
exten => h,1,Set(H=${DIALSTATUS} ${ANSWEREDTIME_MS})
exten => c,1,Answer()
exten => c,n,Wait(60)
exten => on,1,Set(ON=caller)
exten => on,n,Set(ON=callee)
exten => on,n,Wait(1)
";

#[test]
fn a_talk_ends_at_its_limits() {
    for (options, milliseconds) in [
        ("gS(7)", "7000"),
        ("gL(2500)", "2500"),
        ("gS(9)L(800:400)", "800"),
    ] {
        let mut report = run(&TALK.replace("OPTIONS", options));
        assert_eq!(text(&mut report, "R"), format!("ANSWER {milliseconds}"));
        let callee = named(&report, ";2");
        assert_eq!(path(&report, callee), "c:1 c:2 h:1");
        assert_eq!(report.channels[callee].cause(), 16);
    }
}

#[test]
fn the_caller_who_hangs_up_ends_the_talk_even_with_g() {
    let peer = channel().peer(Peer::Bye(Duration::from_millis(2500)));
    let mut report = run_with(&TALK.replace("OPTIONS", "g"), peer);
    assert_eq!(text(&mut report, "R"), "");
    assert_eq!(text(&mut report, "H"), "ANSWER 2500");
    let callee = named(&report, ";2");
    assert_eq!(path(&report, callee), "c:1 c:2 h:1");
}

#[test]
fn the_callee_goes_on_where_f_says_when_the_caller_hangs_up() {
    let peer = || channel().peer(Peer::Bye(Duration::from_secs(2)));
    let report = run_with(&TALK.replace("OPTIONS", "F(main^on^2)"), peer());
    let callee = named(&report, ";1");
    assert_eq!(path(&report, callee), "on:2 on:3 h:1");
    let report = run_with(&TALK.replace("OPTIONS", "F"), peer());
    assert_eq!(path(&report, named(&report, ";1")), "s:2 h:1");
    // The callee hung up first: there is nobody to go on.
    let report = run(&TALK.replace("OPTIONS", "FS(1)"));
    assert_eq!(path(&report, named(&report, ";1")), "");
}

#[test]
fn an_absolute_timeout_ends_a_dial() {
    let dialplan = "[main]
exten => s,1,Set(TIMEOUT(absolute)=4)
exten => s,n,Dial(DESTINATION,30)
exten => s,n,Set(R=never)
exten => T,1,Set(R=${DIALSTATUS})
exten => c,1,Answer()
exten => c,n,Wait(60)
";
    let mut report = run(&dialplan.replace("DESTINATION", "PJSIP/bob"));
    assert_eq!(text(&mut report, "R"), "CANCEL");
    assert_eq!(lasted(&report), 4.0);
    let mut report = run(&dialplan.replace("DESTINATION", "Local/c@main"));
    assert_eq!(text(&mut report, "R"), "ANSWER");
    assert_eq!(lasted(&report), 4.0);
}

#[test]
fn a_hangup_while_ringing_cancels_and_the_callee_learns_it() {
    let dialplan = "[main]
exten => s,1,Dial(Local/c@main,30)
exten => s,n,Set(R=never)
exten => h,1,Set(H=${DIALSTATUS}/${HANGUPCAUSE})
exten => c,1,Ringing()
exten => c,n,Wait(25)
";
    let peer = channel().peer(Peer::Bye(Duration::from_secs(2)));
    let mut report = run_with(dialplan, peer);
    assert_eq!(text(&mut report, "H"), "CANCEL/0");
    let callee = named(&report, ";2");
    assert_eq!(report.channels[callee].cause(), 16);
    assert_eq!(path(&report, callee), "c:1 c:2 h:1");
    // A caller who gives up a ringing call says no cause.
    let mut report = run_with(dialplan, channel().mode(Mode::Ring));
    assert_eq!(text(&mut report, "H"), "CANCEL/0");
}

#[test]
fn a_hangup_in_a_wait_of_the_subroutine_before_the_talk() {
    let dialplan = "[main]
exten => s,1,Dial(Local/c@main,30,U(ask))
exten => s,n,Set(R=never)
exten => h,1,Set(H=${DIALSTATUS})
exten => c,1,Answer()
exten => c,n,Wait(TIME)
[ask]
exten => s,1,Wait(3)
exten => s,n,Set(GOSUB_RESULT=BUSY)
exten => s,n,Return()
";
    let mut report = run(&dialplan.replace("TIME", "1"));
    assert_eq!(text(&mut report, "H"), "ANSWER");
    assert_eq!(path(&report, named(&report, ";1")), "s:1");
    let mut report = run(&dialplan.replace("TIME", "9"));
    assert_eq!(text(&mut report, "R"), "never");
    assert_eq!(text(&mut report, "H"), "BUSY");
    let caller = channel().peer(Peer::Bye(Duration::from_secs(2)));
    let mut report = run_with(&dialplan.replace("TIME", "9"), caller);
    assert_eq!(text(&mut report, "H"), "ANSWER");
    assert_eq!(path(&report, named(&report, ";1")), "s:1");
}

#[test]
fn handlers_pushed_before_the_call_run_on_the_callee() {
    let dialplan = "[main]
exten => s,1,Dial(Local/c@main,3,b(main^push^1))
exten => push,1,PushHandler(main,over,1(x))
exten => push,n,Return()
exten => over,1,Set(OVER=${ARG1})
exten => over,n,Return()
exten => c,1,Wait(20)
";
    let engine = Engine::builder()
        .application("PushHandler", |cx, target| {
            cx.channel_mut().hangup_handlers.push(target.into());
            Flow::Next
        })
        .build();
    let mut reader = MemoryReader::new().with("extensions.conf", dialplan);
    engine.load_from("extensions.conf", &mut reader).unwrap();
    let call = engine.call("main", "s", "1");
    let report = engine.run(call, &mut channel()).unwrap();
    let callee = named(&report, ";1");
    assert_eq!(path(&report, callee), "push:1 push:2 over:1 over:2");
}

#[test]
fn digits_are_pressed_while_the_dialplan_listens() {
    let dialplan = "[main]
exten => s,1,Wait(30)
exten => s,n,WaitDigit(5)
exten => s,n,Set(R=${WAITDIGITRESULT})
exten => s,n,WaitDigit(5)
exten => s,n,Set(R=${R}${WAITDIGITRESULT})
exten => s,n,WaitDigit(5)
exten => s,n,Set(R=${R}-${WAITDIGITSTATUS})
";
    let mut report = run_with(dialplan, channel().press("42"));
    assert_eq!(text(&mut report, "R"), "42-TIMEOUT");
}

#[test]
fn digits_of_the_far_side_come_at_their_time() {
    // Pressed at 0.8 s and 1.1 s: what nobody listens for is lost.
    let dialplan = "[main]
exten => s,1,Wait(TIME)
exten => s,n,WaitDigit(1)
exten => s,n,Set(R=${WAITDIGITRESULT})
";
    for (time, digit) in [("0.75", "1"), ("0.85", "2"), ("1.15", "")] {
        let peer = channel().peer(Peer::Digits(b"12".to_vec()));
        let mut report = run_with(&dialplan.replace("TIME", time), peer);
        assert_eq!(text(&mut report, "R"), digit, "after {time} s");
    }
}

#[test]
fn digits_cross_a_talk_and_the_star_ends_it_where_allowed() {
    let dialplan = "[main]
exten => s,1,Dial(Local/c@main,5,OPTIONS)
exten => h,1,Set(H=${ANSWEREDTIME_MS})
exten => c,1,Answer(0)
exten => c,n,WaitDigit(5)
exten => c,n,Set(R=${WAITDIGITRESULT})
exten => c,n,Wait(10)
";
    let peer = || channel().peer(Peer::Digits(b"7*".to_vec()));
    let mut report = run_with(&dialplan.replace("OPTIONS", "H"), peer());
    assert_eq!(text(&mut report, "H"), "1100");
    let callee = named(&report, ";2");
    let value = report.channels[callee].variable(b"R").unwrap();
    assert_eq!(value.to_string(), "7");
    let mut report = run(&dialplan.replace("OPTIONS", "D(5)"));
    let value = report.channels[callee].variable(b"R").unwrap();
    assert_eq!(value.to_string(), "5");
}

#[test]
fn a_digit_of_the_waiting_caller_leaves_with_option_d() {
    let dialplan = "[main]
exten => s,1,Set(EXITCONTEXT=out)
exten => s,n,Dial(PJSIP/bob,30,d)
[out]
exten => 5,1,Set(R=out-${DIALSTATUS})
";
    let peer = channel().peer(Peer::Digits(b"45".to_vec()));
    let mut report = run_with(dialplan, peer);
    assert_eq!(text(&mut report, "R"), "out-CANCEL");
    assert_eq!(lasted(&report), 1.1);
}

#[test]
fn originate_runs_an_application_or_an_extension() {
    let dialplan = "[main]
exten => s,1,Originate(Local/c@main,app,Set,R=1)
exten => s,n,Set(R=${ORIGINATE_STATUS})
exten => s,n,Originate(Local/slow@main,exten,main,x,1,2)
exten => s,n,Set(R=${R} ${ORIGINATE_STATUS})
exten => s,n,Originate(Local/none@main,exten,main,x,1,2)
exten => s,n,Set(R=${R} ${ORIGINATE_STATUS})
exten => s,n,Originate(Local/gone@main,exten,main,x,1,2)
exten => s,n,Set(R=${R} ${ORIGINATE_STATUS})
exten => c,1,Answer()
exten => slow,1,Ringing()
exten => slow,n,Wait(10)
exten => gone,1,Hangup(21)
exten => x,1,Set(X=1)
";
    let mut report = run(dialplan);
    assert_eq!(text(&mut report, "R"), "SUCCESS RINGING FAILED HANGUP");
    let slow = named(&report, "slow@main-#2;2");
    assert_eq!(path(&report, slow), "slow:1 slow:2");
}

#[test]
fn a_dialplan_that_dials_itself_comes_to_an_end() {
    let mut report =
        run("[main]\nexten => s,1,Dial(Local/s@main/n,30)\nexten => s,n,Set(R=${DIALSTATUS})\n");
    assert_eq!(report.channels.len(), 1 + 2 * 20);
    assert_eq!(text(&mut report, "R"), "BUSY");
    let report = run("[main]\nexten => s,1,Dial(Local/s@main&Local/s@main,30)\n");
    assert!(report.limited());
}

#[test]
fn what_never_ends_is_ended() {
    let busy = channel().dial("PJSIP/bob", "BUSY");
    let report = run_with("[main]\nexten => s,1,RetryDial(x,1,0,PJSIP/bob)\n", busy);
    assert!(report.limited());
    let engine = Engine::builder()
        .limits(Limits {
            max_priorities: 10_000,
            ..Limits::default()
        })
        .build();
    let dialplan = "[main]\nexten => s,1,Dial(Local/s@main,30)\nexten => s,n,Goto(1)\n";
    let mut reader = MemoryReader::new().with("extensions.conf", dialplan);
    engine.load_from("extensions.conf", &mut reader).unwrap();
    let call = engine.call("main", "s", "1");
    let report = engine.run(call, &mut channel()).unwrap();
    assert!(report.limited());
    let executed: u64 = report.channels.iter().map(|c| c.call.priorities()).sum();
    assert!(executed < 100_000, "{executed}");
}

#[test]
fn another_channel_is_hung_up_redirected_and_read() {
    let dialplan = "[main]
exten => s,1,Set(__MAIN=${CHANNEL})
exten => s,n,Dial(Local/c@main,30,g)
exten => s,n,Set(R=${X})
exten => back,1,Set(R=back ${DIALSTATUS})
exten => c,1,Answer()
exten => c,n,Set(EXPORT(${MAIN},X)=from ${IMPORT(${MAIN},MAIN):0:6})
exten => c,n,Wait(2)
exten => c,n,ACTION
exten => c,n,Wait(5)
";
    let mut report = run(&dialplan.replace("ACTION", "NoOp()"));
    assert_eq!(text(&mut report, "R"), "from Engine");
    assert_eq!(lasted(&report), 7.5);
    let mut report = run(&dialplan.replace("ACTION", "ChannelRedirect(${MAIN},main,back,1)"));
    assert_eq!(text(&mut report, "R"), "back ANSWER");
    assert_eq!(path(&report, 0), "s:1 s:2 back:1");
    let report = run(&dialplan.replace("ACTION", "SoftHangup(${MAIN})"));
    assert_eq!(path(&report, 0), "s:1 s:2");
    assert_eq!(lasted(&report), 2.5);
}

#[test]
fn the_same_seed_gives_the_same_chance() {
    let dialplan = "[main]\nexten => s,1,Set(R=${RAND(1,1000000)} ${RAND(1,1000000)})\n";
    let value = |seed| text(&mut run_with(dialplan, channel().seed(seed)), "R");
    assert_eq!(value(7), value(7));
    assert_ne!(value(7), value(8));
}

#[test]
fn the_readme_example() {
    let engine = engine(
        "[main]\nexten => s,1,Dial(PJSIP/bob)\nexten => s,n,Set(R=${DIALSTATUS} ${CALLERID(num)})\n",
    );
    let mut channel = SimChannel::new().press("42").dial("PJSIP/bob", "BUSY");
    let call = engine.call("main", "s", "1").with("CALLERID(num)", "100");
    let mut report = engine.run(call, &mut channel).unwrap();
    assert!(text(&mut report, "R").starts_with("BUSY"));
}

#[test]
fn a_report_holds_each_text_once_and_counts_what_is_repeated() {
    let dialplan = "[main]\nexten => s,1,Nothing()\nexten => e,1,NoOp()\n";
    let endless = "[main]\nexten => s,1,Set(a=${NoSuch()})\nexten => s,n,Goto(1)\n";
    let mut report = run(dialplan);
    assert_eq!(report.log().map(|(.., times)| times).sum::<u32>(), 1);
    assert_eq!(text(&mut report, "a"), "");
    let limits = Limits {
        max_priorities: 2_000,
        ..Limits::default()
    };
    let engine = Engine::builder().limits(limits).build();
    let mut reader = MemoryReader::new().with("extensions.conf", endless);
    engine.load_from("extensions.conf", &mut reader).unwrap();
    let call = || engine.call("main", "s", "1");
    let report = engine.run(call(), &mut channel()).unwrap();
    assert_eq!(report.trace(0).count(), 2_000);
    assert!(report.trace(0).all(|step| step.context == b"main"));
    let times: Vec<u32> = report.log().map(|(.., times)| times).collect();
    assert_eq!(times.first(), Some(&1_000), "{times:?}");
    let report = engine.run(call(), &mut channel().traceless()).unwrap();
    assert!(report.limited());
    assert!(report.channels[0].ran);
    assert_eq!(report.trace(0).count() + report.log().count(), 0);
}

#[test]
fn what_a_channel_stores_counts_towards_its_memory() {
    for store in [
        "SHARED(key${i})=1",
        "GROUP(key${i})=1",
        "CHANNEL(hangup_handler_push)=main,s,1(${i})",
    ] {
        let limits = Limits {
            max_memory: 1 << 20,
            max_priorities: 200_000,
            ..Limits::default()
        };
        let engine = Engine::builder().limits(limits).build();
        let dialplan = format!(
            "[main]\nexten => s,1,Set({store})\nexten => s,n,Set(i=$[0${{i}} + 1])\nexten => s,n,Goto(1)\n"
        );
        let mut reader = MemoryReader::new().with("extensions.conf", dialplan.as_str());
        engine.load_from("extensions.conf", &mut reader).unwrap();
        let call = engine.call("main", "s", "1");
        let report = engine.run(call, &mut channel().traceless()).unwrap();
        assert!(report.limited());
        assert!(report.channels[0].call.priorities() < 100_000, "{store}");
    }
}

#[test]
fn an_indication_leaves_no_older_cause() {
    let dialplan = "[main]
exten => s,1,Dial(FOO/x)
exten => s,n,Set(R=${HANGUPCAUSE})
exten => s,n,Dial(Local/busy@main/n,5)
exten => s,n,Set(R=${R} ${DIALSTATUS}${HANGUPCAUSE})
exten => busy,1,Busy(1)
";
    assert_eq!(text(&mut run(dialplan), "R"), "66 BUSY0");
    let dialplan = dialplan.replace("Busy(1)", "Congestion(1)");
    assert_eq!(text(&mut run(&dialplan), "R"), "66 CONGESTION0");
}

#[test]
fn option_d_waits_at_a_w_and_leaves_out_what_is_no_digit() {
    let talk = |digits: &str| {
        let dialplan = format!("[main]\nexten => s,1,Dial(PJSIP/bob,30,gD({digits}))\n")
            + "exten => s,n,Dial(Local/c@main/n,30,gD("
            + digits
            + "))\n"
            + "exten => c,1,Answer()\nexten => c,n,Read(got,,2)\nexten => c,n,Verbose(${got})\n";
        let seen = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
        let watcher = seen.clone();
        let watched = channel().dial("PJSIP/bob", "BUSY").watch(move |o| {
            if let strowger::host::simulate::What::Verbose(0, text) = &o.what {
                watcher.lock().unwrap().push((o.time, text.to_string()));
            }
        });
        run_with(&dialplan, watched);
        let seen = seen.lock().unwrap().clone();
        assert_eq!(seen.len(), 1, "{seen:?}");
        seen[0].clone()
    };
    let (once, digits) = talk("1w2");
    assert_eq!(digits, "12");
    let (waited, digits) = talk("1wxw!2");
    assert_eq!(digits, "12");
    assert_eq!(waited.checked_sub(once), Some(Duration::from_millis(500)));
}

#[test]
fn digits_to_press_reach_a_dial_that_listens() {
    let dialplan = "[main]
exten => s,1,Dial(PJSIP/bob,30,d)
exten => s,n,Set(R=${DIALSTATUS})
exten => s,n,Read(X,,1)
exten => 5,1,Set(R=out-${DIALSTATUS})
exten => 5,n,Read(X,,1)
";
    let mut report = run_with(dialplan, channel().press("457"));
    assert_eq!(text(&mut report, "R"), "out-CANCEL");
    assert_eq!(text(&mut report, "X"), "7");
    let mut report = run_with(dialplan, channel().press("5").dial("PJSIP/bob", "BUSY"));
    assert_eq!(text(&mut report, "R"), "BUSY");
    assert_eq!(text(&mut report, "X"), "5");
}
