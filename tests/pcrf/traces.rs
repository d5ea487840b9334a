//! Random traces through the engine: a memo changes no byte of what is answered and pushed, and a PCEF has what its
//! sessions are said to have, whatever got lost on the way.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use strowger::pcrf::diameter::{Message, id};
use strowger::pcrf::optimise::Switch;
use strowger::pcrf::policy::Subscribers;
use strowger::pcrf::store::Mem;

use crate::gx::{Answer, Bench, Ccr, POLICY, SUBSCRIBERS, policy_of, raa, settings};

const SESSIONS: usize = 4;
const PGW: &[u8] = b"pgw.example";

/// What happens to a RAR.
#[derive(Debug, Clone, Copy)]
enum Fate {
    Done,
    /// It arrives, its answer does not.
    Unconfirmed,
    Lost,
    Refused,
    Unknown,
}

#[derive(Debug, Clone)]
enum Step {
    /// The next request of a session: how often it is sent, what was used, which roaming.
    Request(usize, u32, Option<(usize, u64)>, Option<bool>),
    End(usize),
    Again,
    /// Milliseconds, and what becomes of what is pushed then.
    Wait(i64, Fate),
    TopUp(usize),
    Reset(usize),
    Release(usize),
    Policy(usize),
    Rows(usize),
    Away,
    Back,
    Restart,
}

const KEYS: [&str; 3] = ["mk-gold", "mk-family", "mk-other"];

fn step() -> impl Strategy<Value = Step> {
    let used = (
        0..3usize,
        prop_oneof![Just(0u64), 1..400_000_000u64, Just(1_000_000_000)],
    );
    let fate = prop_oneof![
        4 => Just(Fate::Done),
        1 => Just(Fate::Unconfirmed),
        1 => Just(Fate::Lost),
        1 => Just(Fate::Refused),
        1 => Just(Fate::Unknown),
    ];
    let wait = prop_oneof![
        Just(0i64),
        0..6000i64,
        // To both sides of the edges of a window.
        (1..7i64, -1..2i64).prop_map(|(hours, more)| hours * 3_600_000 + more * 1000),
        Just(60_000),
    ];
    let far = prop_oneof![4 => Just(None), 1 => any::<bool>().prop_map(Some)];
    prop_oneof![
        10 => (0..SESSIONS, 1..3u32, proptest::option::of(used), far)
            .prop_map(|(of, times, used, far)| Step::Request(of, times, used, far)),
        1 => (0..SESSIONS).prop_map(Step::End),
        1 => Just(Step::Again),
        6 => (wait, fate).prop_map(|(wait, fate)| Step::Wait(wait, fate)),
        1 => (0..SESSIONS).prop_map(Step::TopUp),
        1 => (0..SESSIONS).prop_map(Step::Reset),
        1 => (0..SESSIONS).prop_map(Step::Release),
        1 => (0..4usize).prop_map(Step::Policy),
        1 => (0..3usize).prop_map(Step::Rows),
        1 => Just(Step::Away),
        2 => Just(Step::Back),
        1 => Just(Step::Restart),
    ]
}

fn subscriber(of: usize) -> String {
    format!("00101000000000{}", [1, 2, 4, 5][of % 4])
}

fn policy(number: usize) -> String {
    match number {
        0 => POLICY.to_owned(),
        1 => POLICY.replace("InstallRule(gold-20m)", "InstallRule(gold-30m)"),
        2 => POLICY
            .replace("Monitor(mk-gold,100M)", "Trigger(PLMN_CHANGE)")
            .replace("18:00-22:59", "13:00-19:59"),
        _ => POLICY.replace("InstallRule(basic-5m)", "Release(1)"),
    }
}

fn rows(number: usize) -> String {
    match number {
        0 => SUBSCRIBERS.to_owned(),
        1 => SUBSCRIBERS.replace("active,basic", "active,gold"),
        _ => SUBSCRIBERS.replace("4915100000001,active", "4915100000001,blocked"),
    }
}

/// What a PCEF has of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Has {
    rules: BTreeSet<String>,
    keys: BTreeSet<String>,
    triggers: BTreeSet<u32>,
}

impl Has {
    fn take(&mut self, told: &Answer) {
        for rule in told.removed() {
            self.rules.remove(&rule);
        }
        self.rules.extend(told.installed());
        let message = told.message();
        let events: Vec<u32> = message
            .avps()
            .filter(|avp| avp.is(id::EVENT_TRIGGER))
            .filter_map(|avp| avp.u32())
            .collect();
        if !events.is_empty() {
            self.triggers = events.into_iter().filter(|event| *event != 14).collect();
        }
        let monitors = message
            .avps()
            .filter(|avp| avp.is(id::USAGE_MONITORING_INFORMATION));
        for avp in monitors {
            let key = avp.child(id::MONITORING_KEY).unwrap().value;
            let key = String::from_utf8_lossy(key).into_owned();
            if avp.child(id::USAGE_MONITORING_SUPPORT).is_some() {
                self.keys.remove(&key);
            } else {
                self.keys.insert(key);
            }
        }
    }
}

/// Two PCRFs that are told the same, and the PCEF.
struct World {
    benches: Vec<(Bench, Arc<Mem>)>,
    pcef: BTreeMap<String, Has>,
    /// Numbers of the next requests, 0 = there is no session.
    numbers: [u32; SESSIONS],
    generations: [u32; SESSIONS],
    last: Vec<u8>,
    /// Its answer.
    answered: Option<Answer>,
    connection: u64,
    next: u64,
    policy: usize,
    rows: usize,
    seen: Seen,
}

/// What really happened, counted: a trace without it would show nothing.
#[derive(Debug, Default)]
struct Seen {
    memo_hits: u64,
    /// Decisions that were pushed after waits of hours: edges of windows, and repetitions.
    edges: usize,
    /// Policies that took the place of others while there were sessions.
    reloads: usize,
    restarts: usize,
}

impl World {
    fn new() -> Self {
        let mut world = Self {
            benches: Vec::new(),
            pcef: BTreeMap::new(),
            numbers: [0; SESSIONS],
            generations: [0; SESSIONS],
            last: Vec::new(),
            answered: None,
            connection: 0,
            next: 1,
            policy: 0,
            rows: 0,
            seen: Seen::default(),
        };
        for memo in [true, false] {
            let store = Arc::new(Mem::new());
            let bench = Bench::with(settings(), store.clone(), true);
            bench.pcrf.tables().switches.set(Switch::Memo, memo);
            world.benches.push((bench, store));
        }
        world.back();
        world
    }

    fn id(&self, of: usize) -> String {
        format!("pgw.example;{of};{}", self.generations[of])
    }

    fn each<T: PartialEq + std::fmt::Debug>(&mut self, mut run: impl FnMut(&mut Bench) -> T) -> T {
        let mut results = self.benches.iter_mut().map(|(bench, _)| run(bench));
        let first = results.next().unwrap();
        for other in results {
            assert_eq!(first, other);
        }
        first
    }

    fn send(&mut self, bytes: &[u8], again: bool) {
        let connection = self.connection;
        let answer = self.each(|bench| {
            bench.connection = connection;
            bench.send(bytes)
        });
        let session = session_of(bytes);
        // What was answered is known. A request that changed nothing is not in the store, and decided anew after a restart.
        let known = again
            && self
                .answered
                .as_ref()
                .is_some_and(|before| said(before) == said(&answer));
        self.answered = Some(answer.clone());
        if known || answer.result() != 2001 {
            return;
        }
        match answer.number(id::CC_REQUEST_TYPE) {
            Some(1) => {
                self.pcef.insert(session.clone(), Has::default());
            }
            Some(3) => {
                self.pcef.remove(&session);
                return;
            }
            _ => {}
        }
        if let Some(has) = self.pcef.get_mut(&session) {
            has.take(&answer);
        }
    }

    fn request(&mut self, of: usize, used: Option<(usize, u64)>, far: Option<bool>, end: bool) {
        if self.connection == 0 {
            return;
        }
        let id = self.id(of);
        // Sessions may be gone here: the PCEF said that it does not know them.
        if self.numbers[of] > 0 && !self.pcef.contains_key(&id) {
            self.numbers[of] = 0;
        }
        let number = self.numbers[of];
        if number == 0 {
            self.generations[of] += 1;
        }
        let id = self.id(of);
        let mut ccr = match (number, end) {
            (0, _) => Ccr::initial(&id, &subscriber(of), "internet"),
            (_, false) => Ccr::update(&id, number),
            (_, true) => Ccr::terminate(&id, number),
        };
        if let Some((key, octets)) = used {
            ccr = ccr.used(KEYS[key], octets);
        }
        if let Some(far) = far {
            ccr.plmn = Some(if far { "26201" } else { "00101" }.into());
        }
        self.next += 1;
        self.last = ccr.bytes(self.next as u32);
        let bytes = self.last.clone();
        self.send(&bytes, false);
        self.numbers[of] = if self.pcef.contains_key(&id) {
            number + 1
        } else {
            0
        };
    }

    fn wait(&mut self, millis: i64, fate: Fate) -> usize {
        let pushed = self.each(|bench| {
            bench.now += millis;
            bench.worker.tick(bench.now, 100)
        });
        for own in &pushed {
            assert_eq!(own.connection, self.connection);
            let rar = Answer(own.bytes.clone());
            let session = session_of(&own.bytes);
            let known = self.pcef.get_mut(&session);
            let code = match (fate, known) {
                (Fate::Lost, _) => continue,
                (Fate::Unknown, _) | (_, None) => {
                    self.pcef.remove(&session);
                    5002
                }
                (Fate::Refused, _) => 5012,
                (Fate::Done, Some(has)) => {
                    has.take(&rar);
                    2001
                }
                (Fate::Unconfirmed, Some(has)) => {
                    has.take(&rar);
                    continue;
                }
            };
            let answer = raa(&own.bytes, code);
            self.each(|bench| {
                let message = Message::new(&answer).unwrap();
                bench.worker.re_auth_answer(message, bench.now);
            });
        }
        pushed.len()
    }

    fn away(&mut self) {
        let connection = std::mem::take(&mut self.connection);
        self.each(|bench| bench.pcrf.disconnected(connection));
    }

    fn back(&mut self) {
        // The connection before may be there still for a moment.
        let before = self.connection;
        self.next += 1;
        self.connection = self.next;
        let connection = self.connection;
        self.each(|bench| bench.pcrf.host_connected(PGW, b"example", None, connection));
        if before != 0 {
            self.each(|bench| bench.pcrf.disconnected(before));
        }
    }

    /// Counters begin anew at a restart; the one with a memo has hits, the other has none.
    fn count_hits(&mut self) {
        let hits = |(bench, _): &(Bench, Arc<Mem>)| bench.pcrf.tables().counters.memo_hits.get();
        let hits: Vec<u64> = self.benches.iter().map(hits).collect();
        self.seen.memo_hits += hits[0];
        assert_eq!(hits[1], 0);
    }

    fn restart(&mut self) {
        self.count_hits();
        self.seen.restarts += usize::from(!self.pcef.is_empty());
        self.connection = 0;
        let (policy_number, rows_number) = (self.policy, self.rows);
        for (bench, store) in &mut self.benches {
            let memo = bench.pcrf.tables().switches.is_on(Switch::Memo);
            let (now, next) = (bench.now, bench.next);
            *bench = Bench::with(settings(), store.clone(), true);
            bench.pcrf.tables().switches.set(Switch::Memo, memo);
            (bench.now, bench.next) = (now, next);
            import(bench, rows_number);
            bench
                .pcrf
                .reload(policy_of(&policy(policy_number)))
                .unwrap();
        }
    }

    fn run(&mut self, step: &Step) {
        match *step {
            Step::Request(of, times, used, far) => {
                for _ in 0..times {
                    self.request(of, used, far, false);
                }
            }
            Step::End(of) if self.numbers[of] > 0 => self.request(of, None, None, true),
            Step::End(_) => {}
            Step::Again => {
                if self.connection != 0 && !self.last.is_empty() {
                    let bytes = self.last.clone();
                    self.send(&bytes, true);
                }
            }
            Step::Wait(millis, fate) => {
                // What was waiting already is told first.
                if millis >= 3_600_000 {
                    self.wait(0, fate);
                    self.seen.edges += self.wait(millis, fate);
                } else {
                    self.wait(millis, fate);
                }
            }
            Step::TopUp(of) => {
                let name = subscriber(of);
                self.each(|bench| {
                    let now = bench.now;
                    let name = name.as_bytes();
                    bench.pcrf.top_up(name, b"mk-gold", 500_000_000, now)
                });
            }
            Step::Reset(of) => {
                let name = subscriber(of);
                self.each(|bench| {
                    let now = bench.now;
                    bench.pcrf.reset(name.as_bytes(), b"mk-family", now);
                    bench.pcrf.reset(name.as_bytes(), b"mk-gold", now)
                });
            }
            Step::Release(of) => {
                let id = self.id(of);
                self.each(|bench| bench.pcrf.release(id.as_bytes(), 1));
            }
            Step::Policy(number) => {
                self.seen.reloads += usize::from(self.policy != number && !self.pcef.is_empty());
                self.policy = number;
                self.each(|bench| bench.pcrf.reload(policy_of(&policy(number))).unwrap());
            }
            Step::Rows(number) => {
                self.rows = number;
                self.each(|bench| import(bench, number));
            }
            Step::Away => self.away(),
            Step::Back => self.back(),
            Step::Restart => self.restart(),
        }
    }

    /// Everything arrives again: then the PCEF has what is said.
    fn settle(&mut self) {
        // Repetitions of what was lost; what is given up then is told when the host connects anew.
        self.back();
        for _ in 0..3 {
            self.wait(5000, Fate::Done);
        }
        self.away();
        self.back();
        for _ in 0..3 {
            self.wait(5000, Fate::Done);
        }
        for (id, has) in self.pcef.clone() {
            let view = self.each(|bench| {
                let view = bench.pcrf.view(id.as_bytes(), bench.now);
                view.map(|view| {
                    let keys = view.usage.iter().map(|(key, ..)| key.clone()).collect();
                    let has = Has {
                        rules: view.rules.into_iter().collect(),
                        keys,
                        triggers: view.triggers.into_iter().collect(),
                    };
                    (has, view.stale, view.release.is_some())
                })
            });
            let (said, stale, ends) = view.unwrap_or_else(|| panic!("{id} is not known"));
            // Of a session that is to end nothing else is asked any more.
            if ends {
                continue;
            }
            assert!(!stale, "{id}");
            assert_eq!(has, said, "{id}");
        }
        self.count_hits();
    }
}

fn import(bench: &mut Bench, number: usize) {
    let (subscribers, _) = Subscribers::read("s.csv", rows(number).into());
    bench.pcrf.import(&subscribers).unwrap();
}

/// What an answer says, whichever start of the server it comes from.
fn said(answer: &Answer) -> Vec<Vec<u8>> {
    let avps = answer.message().avps();
    avps.filter(|avp| !avp.is(id::ORIGIN_STATE_ID))
        .map(|avp| avp.bytes.to_vec())
        .collect()
}

fn session_of(message: &[u8]) -> String {
    let message = Message::new(message).unwrap();
    let session = message.find(id::SESSION_ID).unwrap().value;
    String::from_utf8_lossy(session).into_owned()
}

#[test]
fn a_memo_changes_nothing_and_nothing_is_lost_for_good() {
    let config = ProptestConfig {
        cases: 300,
        max_shrink_iters: 3000,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let traces = proptest::collection::vec(step(), 1..60);
    let seen = RefCell::new(Seen::default());
    TestRunner::new(config)
        .run(&traces, |steps| {
            let mut world = World::new();
            for step in &steps {
                world.run(step);
            }
            world.settle();
            let mut seen = seen.borrow_mut();
            seen.memo_hits += world.seen.memo_hits;
            seen.edges += world.seen.edges;
            seen.reloads += world.seen.reloads;
            seen.restarts += world.seen.restarts;
            Ok(())
        })
        .unwrap();
    // About once in each trace at least, of 300.
    let seen = seen.into_inner();
    assert!(seen.memo_hits > 300, "{seen:?}");
    assert!(seen.edges > 100, "{seen:?}");
    assert!(seen.reloads > 100, "{seen:?}");
    assert!(seen.restarts > 100, "{seen:?}");
}

/// What is written of a session does not depend on memos: after a restart the same requests are known.
#[test]
fn a_request_that_changed_nothing_is_decided_anew_after_a_restart() {
    let hours = 3 * 3_600_000;
    let mut world = World::new();
    for step in [
        Step::Request(1, 1, None, None),
        Step::Restart,
        Step::Back,
        Step::Request(1, 1, None, None),
        Step::Wait(1000, Fate::Done),
        Step::Restart,
        Step::Wait(hours, Fate::Done),
        Step::Wait(hours, Fate::Done),
        Step::Back,
        Step::Again,
    ] {
        world.run(&step);
    }
    world.settle();
}

/// What a policy decided while the host was away is not half kept.
#[test]
fn a_release_is_not_taken_back_by_a_decision_that_reached_nobody() {
    let mut world = World::new();
    for step in [
        Step::Policy(3),
        Step::Request(1, 1, None, None),
        Step::Away,
        Step::Rows(1),
        Step::Wait(0, Fate::Done),
        Step::Rows(0),
    ] {
        world.run(&step);
    }
    world.settle();
}
