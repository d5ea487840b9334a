//! What is counted, whose it is, and who is believed.

use std::sync::Arc;

use strowger::pcrf::policy::Subscribers;
use strowger::pcrf::store::Mem;

use crate::gx::{
    Bench, Ccr, MONITORING, POLICY, RULES, SUBSCRIBERS, policy_of, policy_with, settings,
};

const GOLD: &str = "001010000000001";
const FAMILY: &str = "001010000000004";
const OTHER: &str = "001010000000005";

#[test]
fn usage_of_a_refused_request_counts_once() {
    let store = Arc::new(Mem::new());
    let mut bench = Bench::with(settings(), store.clone(), true);
    let refused = Ccr::initial("pgw;1", "001010000000003", "internet").used("mk-gold", 1000);
    let blocked = "001010000000003";
    let first = bench.ask(refused.clone());
    assert_eq!(first.result(), 5030);
    let again = bench.ask(refused.clone());
    assert_eq!(again.result(), 5030);
    assert_eq!(bench.used(blocked, "mk-gold"), 1000);
    assert_eq!(bench.count("duplicates"), 1);
    drop(bench);
    let mut bench = Bench::with(settings(), store.clone(), true);
    bench.ask(Ccr {
        again: true,
        ..refused.clone()
    });
    assert_eq!(bench.used(blocked, "mk-gold"), 1000);
    // Another request of the same session is another one.
    let mut next = refused.clone();
    next.number = 1;
    bench.ask(next);
    assert_eq!(bench.used(blocked, "mk-gold"), 2000);
    assert_eq!(bench.ask(Ccr::update("pgw;1", 2)).result(), 5002);
    // After five minutes it is forgotten, also by the store.
    bench.now += 301_000;
    bench.worker.sweep(bench.now);
    drop(bench);
    let mut bench = Bench::with(settings(), store, true);
    bench.ask(refused);
    assert_eq!(bench.used(blocked, "mk-gold"), 3000);
}

#[test]
fn refusals_are_remembered_in_a_bounded_number() {
    let store = Arc::new(Mem::new());
    let mut few = settings();
    few.refusals = 64;
    let mut bench = Bench::with(few, store.clone(), true);
    for at in 0..1000 {
        let session = format!("pgw;{at}");
        bench.ask(Ccr::initial(&session, "001010000000003", "internet"));
    }
    let mut kept = 0;
    strowger::pcrf::store::Store::sessions(&*store, &mut |_, _| kept += 1).unwrap();
    assert!((1..=64).contains(&kept), "{kept}");
    // A session that replaces one, and is refused, is over.
    bench.ask(Ccr::initial("pgw;x", GOLD, "internet"));
    let mut other = Ccr::initial("pgw;x", "001010000000003", "internet");
    other.number = 7;
    assert_eq!(bench.ask(other).result(), 5030);
    assert!(bench.pcrf.tables().sessions.is_empty());
    assert_eq!(bench.ask(Ccr::update("pgw;x", 8)).result(), 5002);
}

#[test]
fn a_limit_that_is_crossed_concerns_all_sessions_of_the_subscriber() {
    let mut bench = Bench::new();
    bench.ask(Ccr::initial("pgw;1", GOLD, "internet"));
    bench.ask(Ccr::initial("pgw;2", GOLD, "internet"));
    let answer = bench.ask(Ccr::update("pgw;1", 1).used("mk-gold", 1_000_000_000));
    assert_eq!(answer.installed(), ["throttle-128k"]);
    let pushed = bench.tick();
    assert_eq!(pushed.len(), 1);
    assert_eq!(pushed[0].installed(), ["throttle-128k"]);
    assert_eq!(pushed[0].removed(), ["gold-20m"]);
    bench.reply(&pushed[0], 2001);
    bench.ask(Ccr::update("pgw;1", 2).used("mk-gold", 1));
    assert!(bench.tick().is_empty());
}

#[test]
fn any_number_of_octets_is_reset() {
    for used in [5, i64::MAX as u64, 1 << 63, u64::MAX] {
        let store = Arc::new(Mem::new());
        let mut bench = Bench::with(settings(), store.clone(), true);
        bench.ask(Ccr::initial("pgw;1", GOLD, "internet"));
        bench.ask(Ccr::update("pgw;1", 1).used("mk-gold", used));
        assert_eq!(bench.used(GOLD, "mk-gold"), used);
        bench
            .pcrf
            .reset(GOLD.as_bytes(), b"mk-gold", bench.now)
            .unwrap();
        assert_eq!(bench.used(GOLD, "mk-gold"), 0);
        drop(bench);
        let bench = Bench::with(settings(), store, true);
        assert_eq!(bench.used(GOLD, "mk-gold"), 0);
    }
}

#[test]
fn the_state_of_a_host_is_believed_from_itself_only() {
    let mut bench = Bench::new();
    bench.connect("pgw.example", Some(5), 1);
    bench.ask(Ccr::initial("pgw;1", GOLD, "internet"));
    // Somebody else says that it restarted: the request is answered, the sessions stay.
    bench.connect("agent.example", Some(1), 2);
    bench.connection = 2;
    let told = |state, session: &str| Ccr {
        state: Some(state),
        ..Ccr::initial(session, GOLD, "internet")
    };
    assert_eq!(bench.ask(told(9, "pgw;2")).result(), 2001);
    assert_eq!(bench.pcrf.tables().sessions.len(), 2);
    // RAR take its own connection all the same.
    assert!(bench.pcrf.release(b"pgw;1", 0));
    assert_eq!(bench.worker.tick(bench.now, 9)[0].connection, 1);
    bench.connection = 1;
    assert_eq!(bench.ask(told(6, "pgw;3")).result(), 2001);
    assert_eq!(bench.pcrf.tables().sessions.len(), 1);
    assert_eq!(bench.count("sessions-of-restarted-hosts"), 2);
}

fn crossing_reaches_the_other(bench: &mut Bench, number: u32) {
    bench.pcrf.top_up(b"jones", b"mk-family", 0, bench.now);
    bench.tick();
    let answer = bench.ask(Ccr::update("f;4", number).used("mk-family", 1_000_000_000));
    assert_eq!(answer.installed(), ["throttle-128k"]);
    let pushed = bench.tick();
    assert_eq!(pushed.len(), 1);
    assert_eq!(pushed[0].installed(), ["throttle-128k"]);
}

#[test]
fn other_pools_after_a_reload_reach_live_sessions() {
    // The rows name another pool.
    let mut bench = Bench::new();
    bench.ask(Ccr::initial("f;4", FAMILY, "internet"));
    bench.ask(Ccr::initial("f;5", OTHER, "internet"));
    let rows = SUBSCRIBERS.replace("smith", "jones");
    let (rows, _) = Subscribers::read("s.csv", rows.into());
    bench.pcrf.import(&rows).unwrap();
    assert!(bench.tick().is_empty());
    assert!(bench.pcrf.tables().sessions.of(b"smith").is_empty());
    crossing_reaches_the_other(&mut bench, 1);
    bench.ask(Ccr::terminate("f;4", 2));
    bench.ask(Ccr::terminate("f;5", 1));
    assert!(bench.pcrf.tables().sessions.of(b"jones").is_empty());
    // The key names another field.
    let mut bench = Bench::new();
    let rows = SUBSCRIBERS
        .replace("roaming,family", "roaming,family,house")
        .replace("yes,smith", "yes,,jones");
    let (rows, _) = Subscribers::read("s.csv", rows.into());
    bench.pcrf.import(&rows).unwrap();
    bench.ask(Ccr::initial("f;4", FAMILY, "internet"));
    bench.ask(Ccr::initial("f;5", OTHER, "internet"));
    let keys = MONITORING.replace("pool=family", "pool=house");
    bench
        .pcrf
        .reload(policy_with(POLICY, RULES, &keys))
        .unwrap();
    bench.tick();
    assert_eq!(bench.pcrf.tables().sessions.of(b"jones").len(), 2);
    crossing_reaches_the_other(&mut bench, 1);
    // And back: the pool is left.
    bench.pcrf.reload(policy_of(POLICY)).unwrap();
    assert!(bench.pcrf.tables().sessions.of(b"jones").is_empty());
}

#[test]
fn the_identifier_counts_with_the_flag_and_for_its_host() {
    let mut bench = Bench::new();
    let with = |bench: &mut Bench, number, again, host: &str| {
        let ccr = Ccr {
            again,
            host: host.into(),
            ..Ccr::update("pgw;1", number).used("mk-gold", 10)
        };
        bench.send(&ccr.bytes(77))
    };
    bench.ask(Ccr::initial("pgw;1", GOLD, "internet"));
    with(&mut bench, 1, false, "pgw.example");
    assert_eq!(bench.used(GOLD, "mk-gold"), 10);
    // Without the flag it is a first transmission, whatever its identifier.
    with(&mut bench, 2, false, "pgw.example");
    assert_eq!(bench.used(GOLD, "mk-gold"), 20);
    with(&mut bench, 3, true, "pgw.example");
    assert_eq!(bench.used(GOLD, "mk-gold"), 20);
    with(&mut bench, 3, true, "other.example");
    assert_eq!(bench.used(GOLD, "mk-gold"), 30);
}
