//! Pushed decisions that do not arrive, and sessions that are to end.

use std::sync::Arc;

use strowger::pcrf::diameter::{Message, Writer, flag, id};
use strowger::pcrf::store::Mem;

use crate::gx::{Answer, Bench, Ccr, NOON, POLICY, policy_of, raa, settings};

const GOLD: &str = "001010000000001";
const BASIC: &str = "001010000000002";
const PGW: &str = "pgw.example";

/// A gold session on connection 1 whose quota is used up, so that it is throttled; then a top-up.
fn topped_up(bench: &mut Bench) -> Answer {
    bench.connect(PGW, None, 1);
    bench.ask(Ccr::initial("pgw;1", GOLD, "internet"));
    bench.ask(Ccr::update("pgw;1", 1).used("mk-gold", 1_000_000_000));
    top_up(bench);
    let pushed = bench.tick();
    assert_eq!(pushed.len(), 1);
    pushed[0].clone()
}

fn top_up(bench: &Bench) {
    let more = 1_000_000_000;
    let done = bench
        .pcrf
        .top_up(GOLD.as_bytes(), b"mk-gold", more, bench.now);
    assert!(done.is_some());
}

#[test]
fn what_a_failed_push_removed_is_removed_again() {
    for failure in ["refused", "silent", "rule", "restart"] {
        let store = Arc::new(Mem::new());
        let mut bench = Bench::with(settings(), store.clone(), true);
        let rar = topped_up(&mut bench);
        assert_eq!(rar.removed(), ["throttle-128k"]);
        match failure {
            "refused" => bench.reply(&rar, 5012),
            "silent" => {
                for _ in 0..2 {
                    bench.now += 5000;
                    bench.tick();
                }
            }
            "rule" => {
                let mut w = Writer::new();
                let request = Message::new(&rar.0).unwrap();
                w.start_answer(&request.header(), 0);
                w.copy(&request.find(id::SESSION_ID).unwrap());
                w.u32(id::RESULT_CODE, 2001);
                w.group(id::CHARGING_RULE_REPORT, |w| {
                    w.text(id::CHARGING_RULE_NAME, "gold-20m");
                    w.u32(id::PCC_RULE_STATUS, 1);
                });
                let bytes = w.finish().to_vec();
                let message = Message::new(&bytes).unwrap();
                bench.worker.re_auth_answer(message, bench.now);
            }
            _ => {
                drop(bench);
                bench = Bench::with(settings(), store.clone(), true);
            }
        }
        assert!(bench.pcrf.view(b"pgw;1", bench.now).unwrap().stale);
        if failure == "refused" {
            // Also after a restart.
            drop(bench);
            bench = Bench::with(settings(), store, true);
        }
        let answer = bench.ask(Ccr::update("pgw;1", 2));
        assert_eq!(answer.installed(), ["gold-20m"], "{failure}");
        assert_eq!(answer.removed(), ["throttle-128k"], "{failure}");
        assert!(answer.has(id::EVENT_TRIGGER) && answer.has(id::QOS_INFORMATION));
        // Now it is known.
        let answer = bench.ask(Ccr::update("pgw;1", 3));
        assert!(answer.installed().is_empty() && answer.removed().is_empty());
        assert!(!bench.pcrf.view(b"pgw;1", bench.now).unwrap().stale);
    }
}

#[test]
fn rules_that_are_in_doubt_gather_until_something_arrives() {
    let mut bench = Bench::new();
    let rar = topped_up(&mut bench);
    bench.reply(&rar, 5012);
    // Another decision follows: neither of the two before may stay.
    let other = POLICY.replace("InstallRule(gold-20m)", "InstallRule(gold-30m)");
    bench.pcrf.reload(policy_of(&other)).unwrap();
    let pushed = bench.tick();
    assert_eq!(pushed.len(), 1);
    assert_eq!(pushed[0].installed(), ["gold-30m"]);
    assert_eq!(pushed[0].removed(), ["gold-20m", "throttle-128k"]);
    bench.reply(&pushed[0], 5012);
    // Usage is monitored no more, and events are not armed any more.
    let none = POLICY
        .replace("Monitor(mk-gold,100M)", "NoOp()")
        .replace("Trigger(USAGE_REPORT&RAT_CHANGE)", "NoOp()");
    bench.pcrf.reload(policy_of(&none)).unwrap();
    let pushed = bench.tick();
    assert_eq!(pushed[0].removed(), ["gold-30m", "throttle-128k"]);
    assert_eq!(pushed[0].grants(), [("mk-gold".into(), None)]);
    assert_eq!(pushed[0].number(id::EVENT_TRIGGER), Some(14));
    bench.reply(&pushed[0], 3004);
    let answer = bench.ask(Ccr::update("pgw;1", 2));
    assert_eq!(answer.installed(), ["gold-20m"]);
    assert_eq!(answer.removed(), ["gold-30m", "throttle-128k"]);
    assert_eq!(answer.grants(), [("mk-gold".into(), None)]);
    assert_eq!(answer.number(id::EVENT_TRIGGER), Some(14));
}

#[test]
fn an_outdated_push_is_not_repeated() {
    let mut bench = Bench::new();
    let rar = topped_up(&mut bench);
    assert_eq!(rar.installed(), ["gold-20m"]);
    // Its answer is lost, and meanwhile the quota is used up again.
    let answer = bench.ask(Ccr::update("pgw;1", 2).used("mk-gold", 1_000_000_000));
    assert_eq!(answer.installed(), ["throttle-128k"]);
    bench.now += 5000;
    let pushed = bench.tick();
    assert_eq!(pushed.len(), 1);
    assert_eq!(pushed[0].message().header().flags & flag::RETRANSMITTED, 0);
    assert_eq!(pushed[0].installed(), ["throttle-128k"]);
    assert_eq!(pushed[0].removed(), ["gold-20m"]);
}

#[test]
fn a_repetition_takes_the_connection_that_its_host_has_now() {
    let mut bench = Bench::new();
    topped_up(&mut bench);
    bench.pcrf.disconnected(1);
    bench.connect(PGW, None, 2);
    bench.now += 5000;
    let repeated = bench.worker.tick(bench.now, 100);
    assert_eq!(repeated.len(), 1);
    assert_eq!(repeated[0].connection, 2);
    assert_ne!(repeated[0].bytes[4] & flag::RETRANSMITTED, 0);
    // Two connections: the newest wins; when it closes, the other is used.
    bench.connect(PGW, None, 3);
    let sent_on = |bench: &mut Bench| {
        assert!(bench.pcrf.release(b"pgw;1", 0));
        bench.worker.tick(bench.now, 100)[0].connection
    };
    assert_eq!(sent_on(&mut bench), 3);
    // A request on the older one changes nothing.
    bench.connection = 2;
    bench.ask(Ccr::update("pgw;1", 2));
    assert_eq!(sent_on(&mut bench), 3);
    bench.pcrf.disconnected(3);
    assert_eq!(sent_on(&mut bench), 2);
}

#[test]
fn a_decision_that_found_no_connection_is_pushed_when_the_host_is_back() {
    let mut bench = Bench::new();
    bench.connect(PGW, None, 1);
    bench.ask(Ccr::initial("pgw;1", GOLD, "internet"));
    bench.ask(Ccr::update("pgw;1", 1).used("mk-gold", 1_000_000_000));
    bench.pcrf.disconnected(1);
    top_up(&bench);
    assert!(bench.tick().is_empty());
    assert_eq!(bench.count("push-unreachable"), 1);
    bench.connect(PGW, None, 2);
    let pushed = bench.tick();
    assert_eq!(pushed.len(), 1);
    assert_eq!(pushed[0].installed(), ["gold-20m"]);
    assert_eq!(pushed[0].removed(), ["throttle-128k"]);
    bench.reply(&pushed[0], 2001);
    // Once.
    bench.pcrf.disconnected(2);
    bench.connect(PGW, None, 3);
    assert!(bench.tick().is_empty());
    // A push that nobody answered is sent anew as well.
    top_up(&bench);
    let none = POLICY.replace("InstallRule(gold-20m)", "InstallRule(gold-30m)");
    bench.pcrf.reload(policy_of(&none)).unwrap();
    assert_eq!(bench.tick().len(), 1);
    bench.pcrf.disconnected(3);
    bench.now += 5000;
    assert!(bench.tick().is_empty());
    bench.connect(PGW, None, 4);
    let pushed = bench.tick();
    assert_eq!(pushed[0].installed(), ["gold-30m"]);
    assert_eq!(pushed[0].removed(), ["gold-20m"]);
    // No more than the limit at once.
    bench.reply(&pushed[0], 2001);
    for at in 2..10 {
        bench.ask(Ccr::initial(&format!("pgw;{at}"), GOLD, "internet"));
    }
    bench.pcrf.disconnected(1);
    bench.pcrf.disconnected(4);
    bench.pcrf.reload(policy_of(POLICY)).unwrap();
    assert!(bench.tick().is_empty());
    bench.connect(PGW, None, 5);
    assert_eq!(bench.worker.tick(bench.now, 5).len(), 5);
    assert_eq!(bench.worker.tick(bench.now, 5).len(), 4);
}

#[test]
fn a_release_is_remembered_until_the_session_ends() {
    let store = Arc::new(Mem::new());
    let mut bench = Bench::with(settings(), store.clone(), true);
    bench.connect(PGW, None, 1);
    bench.ask(Ccr::initial("pgw;1", GOLD, "internet"));
    bench.pcrf.disconnected(1);
    assert!(bench.pcrf.release(b"pgw;1", 1));
    assert!(bench.tick().is_empty());
    let view = bench.pcrf.view(b"pgw;1", bench.now).unwrap();
    assert_eq!(view.release, Some(1));
    // The server restarts, then the host is back.
    drop(bench);
    let mut bench = Bench::with(settings(), store, true);
    assert!(bench.tick().is_empty());
    bench.connect(PGW, None, 1);
    let pushed = bench.tick();
    assert_eq!(pushed.len(), 1);
    assert_eq!(pushed[0].number(id::SESSION_RELEASE_CAUSE), Some(1));
    bench.reply(&pushed[0], 2001);
    // It said yes, but does not end the session: it is asked once a minute.
    let mut asked = 0;
    for _ in 0..600 {
        bench.now += 1000;
        for rar in bench.tick() {
            assert_eq!(rar.number(id::SESSION_RELEASE_CAUSE), Some(1));
            asked += 1;
            // Also where it refuses.
            bench.reply(&rar, if asked % 2 == 0 { 2001 } else { 3004 });
        }
    }
    assert_eq!(asked, 10);
    // It is asked in answers, too, and again when it connects anew.
    let answer = bench.ask(Ccr::update("pgw;1", 1));
    assert_eq!(answer.number(id::SESSION_RELEASE_CAUSE), Some(1));
    assert!(bench.tick().is_empty());
    bench.pcrf.disconnected(1);
    bench.connect(PGW, None, 2);
    let pushed = bench.tick();
    assert_eq!(pushed[0].number(id::SESSION_RELEASE_CAUSE), Some(1));
    assert_eq!(bench.ask(Ccr::terminate("pgw;1", 2)).result(), 2001);
    bench.now += 600_000;
    assert!(bench.tick().is_empty());
}

#[test]
fn a_release_of_the_policy_is_remembered_as_long_as_the_policy_wants_it() {
    let mut bench = Bench::new();
    bench.connect(PGW, None, 1);
    bench.ask(Ccr::initial("pgw;1", GOLD, "internet"));
    bench.pcrf.disconnected(1);
    let blocked = POLICY.replace("= \"active\"]", "= \"nobody\"]");
    bench.pcrf.reload(policy_of(&blocked)).unwrap();
    assert!(bench.tick().is_empty());
    let view = bench.pcrf.view(b"pgw;1", bench.now).unwrap();
    assert_eq!(view.release, Some(0));
    bench.connect(PGW, None, 2);
    let pushed = bench.tick();
    assert_eq!(pushed[0].number(id::SESSION_RELEASE_CAUSE), Some(0));
    bench.reply(&pushed[0], 2001);
    bench.now += 60_000;
    let pushed = bench.tick();
    assert_eq!(pushed.len(), 1);
    bench.reply(&pushed[0], 2001);
    bench.pcrf.reload(policy_of(POLICY)).unwrap();
    assert!(bench.tick().is_empty());
    let view = bench.pcrf.view(b"pgw;1", bench.now).unwrap();
    assert_eq!(view.release, None);
    // Release() is no refusal: rules and the wish go together.
    let ends = POLICY.replace(
        "InstallRule(gold-20m)",
        "InstallRule(gold-30m)\n same => n,Release(2)",
    );
    bench.pcrf.reload(policy_of(&ends)).unwrap();
    let pushed = bench.tick();
    assert_eq!(pushed[0].installed(), ["gold-30m"]);
    assert_eq!(pushed[0].number(id::SESSION_RELEASE_CAUSE), Some(2));
    bench.reply(&pushed[0], 2001);
    for number in 1..3 {
        let answer = bench.ask(Ccr::update("pgw;1", number));
        assert_eq!(answer.number(id::SESSION_RELEASE_CAUSE), Some(2));
    }
    bench.now += 60_000;
    let pushed = bench.tick();
    assert_eq!(pushed[0].number(id::SESSION_RELEASE_CAUSE), Some(2));
    let gone = raa(&pushed[0].0, 5002);
    let message = Message::new(&gone).unwrap();
    bench.worker.re_auth_answer(message, bench.now);
    assert!(bench.pcrf.tables().sessions.is_empty());
    bench.now += 60_000;
    assert!(bench.tick().is_empty());
}

#[test]
fn what_became_due_while_the_server_was_down_is_pushed() {
    let store = Arc::new(Mem::new());
    let mut bench = Bench::with(settings(), store.clone(), true);
    bench.connect(PGW, None, 1);
    let answer = bench.ask(Ccr::initial("pgw;1", BASIC, "internet"));
    assert_eq!(answer.installed(), ["basic-5m"]);
    drop(bench);
    let mut bench = Bench::with(settings(), store, true);
    bench.now = NOON + 7 * 3_600_000;
    assert!(bench.tick().is_empty());
    bench.connect(PGW, None, 1);
    let pushed = bench.tick();
    assert_eq!(pushed.len(), 1);
    assert_eq!(pushed[0].installed(), ["basic-2m"]);
    assert_eq!(pushed[0].removed(), ["basic-5m"]);
}
