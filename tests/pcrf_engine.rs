//! The PCRF without its network: sessions, usage, duplicates, order, restarts, pushed decisions, switches.

#![cfg(feature = "pcrf")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr,
    dead_code,
    missing_docs,
    unreachable_pub,
    reason = "a test fails by panicking, and says what it measured"
)]

#[path = "pcrf/gx.rs"]
mod gx;
#[path = "pcrf/memory.rs"]
mod memory;
#[path = "pcrf/pushes.rs"]
mod pushes;
#[path = "pcrf/states.rs"]
mod states;
#[path = "pcrf/traces.rs"]
mod traces;

use std::sync::Arc;

use gx::{Answer, Bench, Ccr, NOON, POLICY, policy_of, raa, settings};
use strowger::pcrf::diameter::{Message, flag, id};
use strowger::pcrf::optimise::Switch;
use strowger::pcrf::settings::Experimental;
use strowger::pcrf::store::Mem;

const GOLD: &str = "001010000000001";
const BASIC: &str = "001010000000002";

#[test]
fn a_session_from_its_beginning_to_its_end() {
    let mut bench = Bench::new();
    let answer = bench.ask(Ccr::initial("pgw;1", GOLD, "internet"));
    assert_eq!(answer.result(), 2001);
    assert_eq!(answer.installed(), ["gold-20m"]);
    assert_eq!(answer.grants(), [("mk-gold".into(), Some(100_000_000))]);
    assert!(answer.has(id::QOS_INFORMATION) && answer.has(id::DEFAULT_EPS_BEARER_QOS));
    assert!(answer.has(id::SUPPORTED_FEATURES));
    let rule = answer.message().find(id::CHARGING_RULE_INSTALL).unwrap();
    let definition = rule.child(id::CHARGING_RULE_DEFINITION).unwrap();
    assert_eq!(definition.child(id::PRECEDENCE).unwrap().u32(), Some(100));
    // Nothing changes: only a new grant.
    let answer = bench.ask(Ccr::update("pgw;1", 1).used("mk-gold", 4_000_000));
    assert_eq!(answer.result(), 2001);
    assert!(answer.installed().is_empty() && answer.removed().is_empty());
    assert!(!answer.has(id::EVENT_TRIGGER) && !answer.has(id::QOS_INFORMATION));
    assert_eq!(answer.grants(), [("mk-gold".into(), Some(100_000_000))]);
    assert_eq!(bench.count("memo-hits"), 1);
    // Nothing is reported, nothing changes.
    let answer = bench.ask(Ccr::update("pgw;1", 2));
    assert!(answer.grants().is_empty());
    // The limit is crossed: the rule that was there is removed.
    let answer = bench.ask(Ccr::update("pgw;1", 3).used("mk-gold", 996_000_000));
    assert_eq!(answer.installed(), ["throttle-128k"]);
    assert_eq!(answer.removed(), ["gold-20m"]);
    let answer = bench.ask(Ccr::terminate("pgw;1", 4).used("mk-gold", 1_000_000));
    assert_eq!(answer.result(), 2001);
    assert!(bench.pcrf.tables().sessions.is_empty());
    assert_eq!(
        bench
            .pcrf
            .tables()
            .usage
            .get(GOLD.as_bytes(), b"mk-gold", 0)
            .used,
        1_001_000_000
    );
    assert_eq!(bench.ask(Ccr::update("pgw;1", 5)).result(), 5002);
}

#[test]
fn a_grant_ends_where_a_limit_does() {
    let mut bench = Bench::new();
    bench.ask(Ccr::initial("pgw;1", GOLD, "internet"));
    let answer = bench.ask(Ccr::update("pgw;1", 1).used("mk-gold", 750_000_000));
    assert_eq!(answer.grants(), [("mk-gold".into(), Some(50_000_000))]);
    let answer = bench.ask(Ccr::update("pgw;1", 2).used("mk-gold", 200_000_000));
    assert_eq!(answer.grants(), [("mk-gold".into(), Some(50_000_000))]);
    assert_eq!(bench.count("events"), 1);
}

#[test]
fn duplicates_get_their_answer_again_and_count_nothing() {
    for again in [false, true] {
        let mut bench = Bench::new();
        let ccrs = [
            Ccr::initial("pgw;1", GOLD, "internet"),
            Ccr::update("pgw;1", 1).used("mk-gold", 900_000_000),
            Ccr::terminate("pgw;1", 2).used("mk-gold", 50_000_000),
        ];
        for ccr in ccrs {
            let first = bench.ask(Ccr {
                proxies: vec![b"one".to_vec()],
                ..ccr.clone()
            });
            let runs = bench.count("dialplan-runs");
            let second = bench.ask(Ccr {
                again,
                proxies: vec![b"two".to_vec(), b"three".to_vec()],
                ..ccr
            });
            let skip = 20;
            let ids = |answer: &Answer| {
                (
                    answer.message().header().hop_by_hop,
                    answer.message().header().end_to_end,
                )
            };
            assert_ne!(ids(&first), ids(&second));
            let without = |answer: &Answer| -> Vec<Vec<u8>> {
                let avps = answer.message().avps();
                avps.filter(|avp| !avp.is(id::PROXY_INFO))
                    .map(|avp| avp.bytes.to_vec())
                    .collect()
            };
            assert_eq!(without(&first), without(&second));
            assert!(first.0.len() > skip);
            let states: Vec<Vec<u8>> = second
                .message()
                .avps()
                .filter(|avp| avp.is(id::PROXY_INFO))
                .map(|avp| avp.child(id::PROXY_STATE).unwrap().value.to_vec())
                .collect();
            assert_eq!(states, [b"two".to_vec(), b"three".to_vec()]);
            assert_eq!(bench.count("dialplan-runs"), runs);
        }
        assert_eq!(bench.count("duplicates"), 3);
        assert_eq!(
            bench
                .pcrf
                .tables()
                .usage
                .get(GOLD.as_bytes(), b"mk-gold", 0)
                .used,
            950_000_000
        );
        // After five minutes the answer is forgotten.
        bench.now += 301_000;
        bench.worker.sweep(bench.now);
        assert_eq!(bench.ask(Ccr::terminate("pgw;1", 2)).result(), 5002);
    }
}

#[test]
fn order_gaps_and_replacement() {
    let mut bench = Bench::new();
    bench.ask(Ccr::initial("pgw;1", GOLD, "internet"));
    assert_eq!(bench.ask(Ccr::update("pgw;1", 5)).result(), 2001);
    assert_eq!(bench.count("gaps"), 1);
    assert_eq!(
        bench
            .ask(Ccr::update("pgw;1", 4).used("mk-gold", 1000))
            .result(),
        15453
    );
    assert_eq!(
        bench
            .pcrf
            .tables()
            .usage
            .get(GOLD.as_bytes(), b"mk-gold", 0)
            .used,
        0
    );
    // The PCEF restarted: everything is told again.
    let answer = bench.ask(Ccr::initial("pgw;1", GOLD, "internet"));
    assert_eq!(answer.installed(), ["gold-20m"]);
    assert_eq!(bench.count("replaced"), 1);
    assert_eq!(bench.pcrf.tables().sessions.len(), 1);
    assert_eq!(bench.pcrf.tables().sessions.of(GOLD.as_bytes()).len(), 1);
    assert_eq!(bench.ask(Ccr::update("pgw;1", 1)).result(), 2001);
    let mut strict = settings();
    strict.late = 5012;
    let mut bench = Bench::with(strict, Arc::new(Mem::new()), true);
    bench.ask(Ccr::initial("pgw;1", GOLD, "internet"));
    bench.ask(Ccr::update("pgw;1", 2));
    assert_eq!(bench.ask(Ccr::update("pgw;1", 1)).result(), 5012);
}

#[test]
fn subscribers_by_any_identity() {
    let mut bench = Bench::new();
    let with = |session: &str, ids: &[(u32, &str)]| Ccr {
        ids: ids
            .iter()
            .map(|(kind, id)| (*kind, (*id).to_owned()))
            .collect(),
        ..Ccr::initial(session, "", "internet")
    };
    let both = with("a", &[(0, "4915100000001"), (1, GOLD)]);
    assert_eq!(bench.ask(both).installed(), ["gold-20m"]);
    // The number is not known, the IMSI is.
    let second = with("b", &[(0, "4999"), (1, GOLD)]);
    assert_eq!(bench.ask(second).installed(), ["gold-20m"]);
    assert_eq!(
        bench.ask(with("c", &[(0, "4915100000002")])).installed(),
        ["basic-5m"]
    );
    assert_eq!(bench.pcrf.tables().sessions.of(GOLD.as_bytes()).len(), 2);
    assert_eq!(bench.ask(with("d", &[(1, "99999")])).result(), 5030);
    assert_eq!(
        bench.ask(with("e", &[(1, "001010000000003")])).result(),
        5030
    );
    assert_eq!(bench.count("unknown-subscribers"), 1);
    // A subscriber that is deleted ends its session in peace.
    assert!(bench.pcrf.forget_subscriber(GOLD.as_bytes()));
    assert_eq!(bench.ask(Ccr::terminate("a", 1)).result(), 2001);
    let mut other = settings();
    other.unknown_subscriber = 5003;
    let mut bench = Bench::with(other, Arc::new(Mem::new()), true);
    assert_eq!(bench.ask(with("d", &[(1, "99999")])).result(), 5003);
}

#[test]
fn refusals_travel_as_the_peer_wants() {
    for (how, expected) in [
        (Experimental::Ts, (None, true)),
        (Experimental::ResultOnly, (Some(5005), false)),
        (Experimental::Both, (Some(5005), true)),
    ] {
        let mut settings = settings();
        settings.experimental = how;
        let mut bench = Bench::with(settings, Arc::new(Mem::new()), true);
        let answer = bench.ask(Ccr {
            apn: None,
            ..Ccr::initial("a", GOLD, "")
        });
        let code = answer
            .message()
            .find(id::RESULT_CODE)
            .map(|avp| avp.u32().unwrap());
        assert_eq!((code, answer.has(id::EXPERIMENTAL_RESULT)), expected);
        assert!(answer.has(id::FAILED_AVP));
    }
}

#[test]
fn a_restart_keeps_what_was_answered() {
    let store = Arc::new(Mem::new());
    let mut bench = Bench::with(settings(), store.clone(), true);
    bench.ask(Ccr::initial("pgw;1", GOLD, "internet"));
    bench.ask(Ccr::initial("pgw;2", BASIC, "internet"));
    let last = Ccr::update("pgw;1", 1).used("mk-gold", 900_000_000);
    let first = bench.ask(last.clone());
    bench.ask(Ccr::terminate("pgw;2", 1));
    let state = bench.pcrf.origin_state();
    drop(bench);
    let mut bench = Bench::with(settings(), store, true);
    assert_eq!(bench.pcrf.origin_state(), state + 1);
    assert_eq!(bench.pcrf.tables().sessions.len(), 1);
    // What was answered is answered again, also for the session that is over.
    let again = bench.ask(last);
    assert_eq!(again.grants(), first.grants());
    assert_eq!(bench.ask(Ccr::terminate("pgw;2", 1)).result(), 2001);
    assert_eq!(bench.count("duplicates"), 2);
    let answer = bench.ask(Ccr::update("pgw;1", 2).used("mk-gold", 200_000_000));
    assert_eq!(answer.installed(), ["throttle-128k"]);
    assert_eq!(answer.removed(), ["gold-20m"]);
    assert_eq!(
        bench
            .pcrf
            .tables()
            .usage
            .get(GOLD.as_bytes(), b"mk-gold", 0)
            .used,
        1_100_000_000
    );
}

#[test]
fn a_peer_that_restarted_lost_its_sessions_and_no_other_did() {
    let mut bench = Bench::new();
    let of = |host: &str, session: &str, state| Ccr {
        host: host.into(),
        state: Some(state),
        ..Ccr::initial(session, GOLD, "internet")
    };
    bench.connect("a.example", None, 1);
    bench.ask(of("a.example", "a;1", 7));
    bench.ask(of("a.example", "a;2", 7));
    bench.connect("b.example", Some(7), 2);
    bench.connection = 2;
    bench.ask(of("b.example", "b;1", 7));
    bench.connection = 1;
    assert_eq!(bench.pcrf.tables().sessions.len(), 3);
    bench.ask(of("a.example", "a;3", 8));
    assert_eq!(bench.pcrf.tables().sessions.len(), 2);
    assert_eq!(bench.count("sessions-of-restarted-hosts"), 2);
    let update = |host: &str, session: &str| Ccr {
        host: host.into(),
        ..Ccr::update(session, 1)
    };
    assert_eq!(bench.ask(update("b.example", "b;1")).result(), 2001);
    assert_eq!(bench.ask(update("a.example", "a;1")).result(), 5002);
    assert_eq!(
        bench
            .pcrf
            .host_connected(b"b.example", b"example", Some(8), 2),
        1
    );
}

#[test]
fn a_top_up_is_pushed() {
    let mut bench = Bench::new();
    bench.ask(Ccr::initial("pgw;1", GOLD, "internet"));
    let answer = bench.ask(Ccr::update("pgw;1", 1).used("mk-gold", 1_000_000_000));
    assert_eq!(answer.installed(), ["throttle-128k"]);
    assert!(bench.worker.tick(bench.now, 100).is_empty());
    bench
        .pcrf
        .top_up(GOLD.as_bytes(), b"mk-gold", 1_000_000_000, bench.now)
        .unwrap();
    assert!(
        bench
            .pcrf
            .top_up(b"nobody", b"mk-gold", 1, bench.now)
            .is_none()
    );
    let pushed = bench.worker.tick(bench.now, 100);
    assert_eq!(pushed.len(), 1);
    let rar = Answer(pushed[0].bytes.clone());
    assert_eq!(rar.message().header().command, 258);
    assert_eq!(rar.installed(), ["gold-20m"]);
    assert_eq!(rar.removed(), ["throttle-128k"]);
    assert_eq!(
        rar.message().find(id::DESTINATION_HOST).unwrap().value,
        b"pgw.example"
    );
    assert_eq!(bench.pcrf.waiting(), 1);
    let answer = raa(&rar.0, 2001);
    bench
        .worker
        .re_auth_answer(Message::new(&answer).unwrap(), bench.now);
    assert_eq!(bench.pcrf.waiting(), 0);
    let answer = bench.ask(Ccr::update("pgw;1", 2));
    assert!(answer.installed().is_empty());
    // The pool of a family is one counter.
    bench.ask(Ccr::initial("f;4", "001010000000004", "internet"));
    bench.ask(Ccr::initial("f;5", "001010000000005", "internet"));
    let answer = bench.ask(Ccr::update("f;4", 1).used("mk-family", 1_000_000_000));
    assert_eq!(answer.installed(), ["throttle-128k"]);
    let pushed = bench.worker.tick(bench.now, 100);
    assert_eq!(pushed.len(), 1);
    assert_eq!(
        Answer(pushed[0].bytes.clone()).installed(),
        ["throttle-128k"]
    );
}

#[test]
fn a_push_without_an_answer_is_repeated_once() {
    let mut bench = Bench::new();
    bench.ask(Ccr::initial("pgw;1", GOLD, "internet"));
    bench.ask(Ccr::update("pgw;1", 1).used("mk-gold", 1_000_000_000));
    bench
        .pcrf
        .top_up(GOLD.as_bytes(), b"mk-gold", 1_000_000_000, bench.now)
        .unwrap();
    let pushed = bench.worker.tick(bench.now, 100);
    bench.now += 4999;
    assert!(bench.worker.tick(bench.now, 100).is_empty());
    bench.now += 1;
    let repeated = bench.worker.tick(bench.now, 100);
    assert_eq!(repeated.len(), 1);
    let (mut first, second) = (pushed[0].bytes.clone(), &repeated[0].bytes);
    first[4] |= flag::RETRANSMITTED;
    assert_eq!(first, *second);
    bench.now += 5000;
    assert!(bench.worker.tick(bench.now, 100).is_empty());
    assert_eq!(bench.count("push-timeouts"), 1);
    // The session is stale: the next answer tells everything.
    let answer = bench.ask(Ccr::update("pgw;1", 2));
    assert_eq!(answer.installed(), ["gold-20m"]);
    assert!(answer.has(id::QOS_INFORMATION));
    let answer = bench.ask(Ccr::update("pgw;1", 3));
    assert!(answer.installed().is_empty());
}

#[test]
fn a_session_that_its_host_does_not_know_is_dropped() {
    let mut bench = Bench::new();
    bench.ask(Ccr::initial("pgw;1", GOLD, "internet"));
    assert!(bench.pcrf.release(b"pgw;1", 1));
    assert!(!bench.pcrf.release(b"pgw;2", 1));
    let pushed = bench.worker.tick(bench.now, 100);
    let rar = Answer(pushed[0].bytes.clone());
    assert_eq!(
        rar.message().find(id::SESSION_RELEASE_CAUSE).unwrap().u32(),
        Some(1)
    );
    let answer = raa(&rar.0, 5002);
    bench
        .worker
        .re_auth_answer(Message::new(&answer).unwrap(), bench.now);
    assert!(bench.pcrf.tables().sessions.is_empty());
    assert_eq!(bench.count("sessions-disowned"), 1);
}

#[test]
fn windows_of_time_are_pushed() {
    let mut bench = Bench::new();
    let answer = bench.ask(Ccr::initial("pgw;1", BASIC, "internet"));
    assert_eq!(answer.installed(), ["basic-5m"]);
    bench.now = NOON + 6 * 3_600_000 - 1000;
    assert!(bench.worker.tick(bench.now, 100).is_empty());
    bench.now += 1000;
    let pushed = bench.worker.tick(bench.now, 100);
    assert_eq!(pushed.len(), 1);
    let rar = Answer(pushed[0].bytes.clone());
    assert_eq!(rar.installed(), ["basic-2m"]);
    assert_eq!(rar.removed(), ["basic-5m"]);
    let until = rar.message().find(id::REVALIDATION_TIME).unwrap().time();
    assert_eq!(until, Some((NOON + 11 * 3_600_000) / 1000));
}

#[test]
fn a_reload_tells_sessions_what_changes() {
    let mut bench = Bench::new();
    bench.ask(Ccr::initial("pgw;1", GOLD, "internet"));
    bench.ask(Ccr::initial("pgw;2", BASIC, "internet"));
    bench
        .pcrf
        .reload(policy_of(&POLICY.replace("basic-5m", "basic-7m")))
        .unwrap();
    let pushed = bench.worker.tick(bench.now, 100);
    assert_eq!(pushed.len(), 1);
    let rar = Answer(pushed[0].bytes.clone());
    assert_eq!(
        (rar.installed(), rar.removed()),
        (vec!["basic-7m".into()], vec!["basic-5m".into()])
    );
    assert_eq!(bench.pcrf.tables().sessions.len(), 2);
    // The same policy changes nothing.
    bench
        .pcrf
        .reload(policy_of(&POLICY.replace("basic-5m", "basic-7m")))
        .unwrap();
    assert!(bench.worker.tick(bench.now, 100).is_empty());
}

#[test]
fn silent_sessions_are_asked_for_then_dropped() {
    let mut bench = Bench::new();
    bench.ask(Ccr::initial("pgw;1", GOLD, "ims"));
    bench.ask(Ccr::initial("pgw;2", GOLD, "ims"));
    bench.now += 24 * 3_600_000;
    bench.worker.sweep(bench.now);
    let pushed = bench.worker.tick(bench.now, 100);
    assert_eq!(pushed.len(), 2);
    let alive = raa(&pushed[0].bytes, 2001);
    bench
        .worker
        .re_auth_answer(Message::new(&alive).unwrap(), bench.now);
    for _ in 0..2 {
        bench.now += 5000;
        bench.worker.tick(bench.now, 100);
    }
    assert_eq!(bench.pcrf.tables().sessions.len(), 1);
    assert_eq!(bench.count("sessions-expired"), 1);
}

/// A small generator of random numbers.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

/// Requests as they may come: sessions of five subscribers, quotas that are crossed, roaming, repetitions, wrong order,
/// unknown sessions, windows of time; with the time of each in milliseconds.
fn capture(count: usize) -> Vec<(i64, Vec<u8>)> {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let mut numbers = [0u32; 40];
    let mut refusals = [0u32; 40];
    let mut now = NOON;
    let mut all: Vec<(i64, Vec<u8>)> = Vec::new();
    for at in 0..count {
        now += dice.below(20_000) as i64;
        if at > 10 && dice.below(20) == 0 {
            let mut bytes = all[at - 1 - dice.below(5) as usize].1.clone();
            bytes[4] |= if dice.below(2) == 0 {
                flag::RETRANSMITTED
            } else {
                0
            };
            all.push((now, bytes));
            continue;
        }
        let of = dice.below(40) as usize;
        // A Session-Id that was refused is not used again.
        let session = format!("pgw.example;{of};{}", refusals[of]);
        let number = numbers[of];
        let mut ccr = match (number, dice.below(10)) {
            (0, roll) if roll > 0 => {
                let roll = dice.below(20);
                let number = if roll < 2 {
                    3 * (1 + roll)
                } else {
                    [1, 2, 4, 5][roll as usize % 4]
                };
                let subscriber = format!("00101000000000{number}");
                let apn = ["internet", "ims", "iot.meter"]
                    [dice.below(20).min(16).saturating_sub(14) as usize];
                Ccr::initial(&session, &subscriber, apn)
            }
            (_, 0) => Ccr::terminate(&session, number),
            _ => Ccr::update(&session, number),
        };
        let refused = ccr.kind == 1
            && (["3", "6"].iter().any(|end| ccr.ids[0].1.ends_with(end))
                || ccr.apn.as_deref() == Some("iot.meter"));
        refusals[of] += u32::from(refused);
        numbers[of] = if ccr.kind == 3 || refused {
            0
        } else {
            number + 1
        };
        if dice.below(30) == 0 {
            ccr.number += dice.below(3) as u32;
        }
        if dice.below(20) == 0 {
            ccr.plmn = Some(["00101", "26201"][dice.below(2) as usize].into());
        }
        if ccr.kind != 1 && dice.below(3) > 0 {
            let key = ["mk-gold", "mk-family", "mk-other"][dice.below(3) as usize];
            ccr = ccr.used(key, dice.below(6_000_000));
        }
        if dice.below(50) == 0 {
            ccr.proxies.push(vec![dice.below(256) as u8; 5]);
        }
        if dice.below(100) == 0 {
            ccr.kind = 9;
        }
        all.push((now, ccr.bytes(at as u32 + 1)));
    }
    all
}

fn answers(bench: &mut Bench, capture: &[(i64, Vec<u8>)]) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for (now, request) in capture {
        bench.now = *now;
        all.push(bench.send(request).0);
        for pushed in bench.worker.tick(*now, 10) {
            let answer = raa(&pushed.bytes, 2001);
            bench
                .worker
                .re_auth_answer(Message::new(&answer).unwrap(), *now);
            all.push(pushed.bytes);
        }
    }
    all
}

#[test]
fn every_switch_gives_the_same_answers() {
    let capture = capture(10_000);
    let expected = answers(&mut Bench::new(), &capture);
    let mut kinds = std::collections::BTreeMap::new();
    for answer in &expected {
        let answer = Answer(answer.clone());
        if answer.message().header().is_request() {
            *kinds.entry(258).or_insert(0) += 1;
        } else {
            *kinds.entry(answer.result()).or_insert(0) += 1;
        }
    }
    eprintln!("{kinds:?}");
    assert!(kinds[&2001] > 5000 && kinds[&5002] > 10 && kinds[&15453] > 10 && kinds[&258] > 10);
    let mut variants: Vec<(String, Vec<Switch>)> = Switch::ALL
        .into_iter()
        .map(|switch| (switch.name().to_owned(), vec![switch]))
        .collect();
    variants.push(("all".into(), Switch::ALL.to_vec()));
    for (name, switches) in variants {
        for keeps in [true, false] {
            let mut bench = Bench::with(settings(), Arc::new(Mem::new()), keeps);
            for switch in &switches {
                bench.pcrf.tables().switches.set(*switch, false);
            }
            let got = answers(&mut bench, &capture);
            assert_eq!(got.len(), expected.len(), "{name}");
            for (at, (got, expected)) in got.iter().zip(&expected).enumerate() {
                assert_eq!(got, expected, "{name}, message {at}");
            }
        }
    }
}

/// A request whose AVPs are chosen by name, and changed as told.
fn raw(change: impl FnOnce(&mut Vec<Vec<u8>>)) -> Vec<u8> {
    let whole = Ccr::initial("pgw;1", GOLD, "internet").bytes(77);
    let message = Message::new(&whole).unwrap();
    let mut avps: Vec<Vec<u8>> = message
        .avps()
        .map(|avp| {
            let mut bytes = avp.bytes.to_vec();
            bytes.resize(bytes.len().next_multiple_of(4), 0);
            bytes
        })
        .collect();
    change(&mut avps);
    let mut bytes = whole[..20].to_vec();
    bytes.extend(avps.concat());
    let length = (bytes.len() as u32).to_be_bytes();
    bytes[1..4].copy_from_slice(&length[1..]);
    bytes
}

fn code_of(avp: &[u8]) -> u32 {
    u32::from_be_bytes([avp[0], avp[1], avp[2], avp[3]])
}

/// A request, and what must come back: its name, its bytes, the code, the AVP in Failed-AVP.
type Row = (&'static str, Vec<u8>, u32, Option<u32>);

#[test]
fn bad_requests_get_the_result_that_is_due() {
    let without =
        |code: u32| move |avps: &mut Vec<Vec<u8>>| avps.retain(|avp| code_of(avp) != code);
    let with = |code: u32, value: &'static [u8]| {
        move |avps: &mut Vec<Vec<u8>>| {
            let avp = avps.iter_mut().find(|avp| code_of(avp) == code).unwrap();
            avp.truncate(8);
            avp.extend_from_slice(value);
            avp[5..8].copy_from_slice(&((8 + value.len()) as u32).to_be_bytes()[1..]);
            avp.resize(avp.len().next_multiple_of(4), 0);
        }
    };
    let and = |avp: &'static [u8]| move |avps: &mut Vec<Vec<u8>>| avps.push(avp.to_vec());
    let rows: Vec<Row> = vec![
        ("no Session-Id", raw(without(263)), 5005, Some(263)),
        ("no CC-Request-Type", raw(without(416)), 5005, Some(416)),
        ("no Auth-Application-Id", raw(without(258)), 5005, Some(258)),
        ("no Subscription-Id", raw(without(443)), 15140, Some(443)),
        ("no Called-Station-Id", raw(without(30)), 15140, Some(30)),
        ("type 9", raw(with(416, &[0, 0, 0, 9])), 5004, Some(416)),
        ("an event", raw(with(416, &[0, 0, 0, 4])), 5004, Some(416)),
        ("three bytes", raw(with(415, &[0, 0, 1])), 5014, Some(415)),
        ("another realm", raw(with(283, b"elsewhere")), 3003, None),
        (
            "type twice",
            raw(and(&[0, 0, 1, 0xa0, 0x40, 0, 0, 12, 0, 0, 0, 1])),
            5009,
            Some(416),
        ),
        (
            "unknown and mandatory",
            raw(and(&[0, 0, 0xff, 0xff, 0x40, 0, 0, 12, 1, 2, 3, 4])),
            5001,
            Some(0xffff),
        ),
        (
            "unknown vendor and mandatory",
            raw(and(&[0, 0, 0, 1, 0xc0, 0, 0, 16, 0, 0, 0, 9, 1, 2, 3, 4])),
            5001,
            Some(1),
        ),
        (
            "unknown and optional",
            raw(and(&[0, 0, 0xff, 0xff, 0, 0, 0, 12, 1, 2, 3, 4])),
            2001,
            None,
        ),
        (
            "beyond the message",
            raw(and(&[0, 0, 1, 0x9f, 0x40, 0, 1, 0, 0, 0, 0, 0])),
            5014,
            Some(415),
        ),
    ];
    for masked in [true, false] {
        for (name, request, result, failed) in &rows {
            let mut bench = Bench::new();
            bench.pcrf.tables().switches.set(Switch::Mask, masked);
            let answer = bench.send(request);
            assert_eq!(answer.result(), *result, "{name}");
            let error = answer.message().header().flags & flag::ERROR != 0;
            assert_eq!(error, *result / 1000 == 3, "{name}");
            let named = answer.message().find(id::FAILED_AVP);
            let named = named
                .and_then(|avp| avp.children().next())
                .map(|avp| avp.code);
            assert_eq!(named, *failed, "{name}");
            assert_eq!(
                bench.pcrf.tables().sessions.len(),
                u64::from(*result == 2001),
                "{name}"
            );
        }
    }
    let mut other = Ccr::initial("pgw;1", GOLD, "internet").bytes(1);
    other[6..8].copy_from_slice(&999u16.to_be_bytes());
    assert_eq!(Bench::new().send(&other).result(), 3001);
    let mut other = Ccr::initial("pgw;1", GOLD, "internet").bytes(1);
    other[8..12].copy_from_slice(&77u32.to_be_bytes());
    assert_eq!(Bench::new().send(&other).result(), 3007);
    let mut other = Ccr::initial("pgw;1", GOLD, "internet").bytes(1);
    other[4] |= flag::ERROR;
    assert_eq!(Bench::new().send(&other).result(), 3008);
}
