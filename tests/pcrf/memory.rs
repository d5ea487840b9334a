//! What sessions take in memory, counted by the allocator, and that it is given back.

use std::fmt::Write as _;
use std::sync::Arc;

use allocation_counter::measure;
use strowger::pcrf::policy::{Files, Policy, Subscribers};
use strowger::pcrf::settings::Settings;
use strowger::pcrf::store::Mem;

use crate::gx::{Bench, Ccr, settings};

/// The shipped policy, and so many subscribers of its plans.
fn shipped(policy: &str, subscribers: usize) -> Bench {
    let bench = Bench::with(settings(), Arc::new(Mem::new()), false);
    let path = format!("{}/dialplans/{policy}", env!("CARGO_MANIFEST_DIR"));
    let (policy, _) = Policy::load(path, &Files::default(), &mut strowger::host::FileReader);
    bench.pcrf.reload(policy.unwrap()).unwrap();
    let mut rows = "imsi,msisdn,status,plan,roaming,family,parental,promo\n".to_owned();
    for at in 0..subscribers {
        let plan = ["gold", "basic", "silver", "family", "business"][at % 5];
        let family = if plan == "family" {
            format!("f{}", at / 4)
        } else {
            String::new()
        };
        writeln!(
            rows,
            "{},{},active,{plan},yes,{family},no,",
            imsi(at),
            msisdn(at)
        )
        .unwrap();
    }
    let (rows, _) = Subscribers::read("s.csv", rows.into());
    bench.pcrf.import(&rows).unwrap();
    bench
}

fn imsi(at: usize) -> String {
    format!("00101{at:010}")
}

fn msisdn(at: usize) -> String {
    format!("4917{at:08}")
}

fn session(at: usize) -> String {
    format!("pgw.example;1796040000;{at}")
}

fn initial(bench: &mut Bench, at: usize, subscribers: usize) {
    let of = at % subscribers;
    let mut ccr = Ccr::initial(&session(at), &imsi(of), "internet");
    ccr.ids.insert(0, (0, msisdn(of)));
    assert_eq!(bench.ask(ccr).result(), 2001);
}

/// Live bytes for each session after its CCR-I.
fn each(policy: &str) -> i64 {
    const SESSIONS: usize = 20_000;
    let mut bench = shipped(policy, SESSIONS);
    // Buffers, and what is made once.
    initial(&mut bench, SESSIONS, SESSIONS);
    let info = measure(|| {
        for at in 0..SESSIONS {
            initial(&mut bench, at, SESSIONS);
        }
    });
    info.bytes_current / SESSIONS as i64
}

#[test]
fn a_session_takes_less_than_a_kilobyte_from_its_first_answer_on() {
    let (sample, heavy) = (each("gx.conf"), each("gx-heavy.conf"));
    eprintln!("{sample} bytes with gx.conf, {heavy} with gx-heavy.conf");
    assert!(sample <= 1000 && heavy <= 1000, "{sample} {heavy}");
}

#[test]
fn what_ended_sessions_took_is_given_back() {
    const SESSIONS: usize = 5_000;
    let mut bench = shipped("gx.conf", 1000);
    let mut first = 0;
    let round = |bench: &mut Bench, first: usize| {
        for at in first..first + SESSIONS {
            initial(bench, at, 1000);
        }
        for at in first..first + SESSIONS {
            let ccr = Ccr::terminate(&session(at), 1);
            assert_eq!(bench.ask(ccr).result(), 2001);
        }
        // Tombstones last five minutes.
        bench.now += 301_000;
        bench.worker.tick(bench.now, 10);
        bench.worker.sweep(bench.now);
    };
    let mut kept = Vec::new();
    for _ in 0..6 {
        let info = measure(|| round(&mut bench, first));
        first += SESSIONS;
        kept.push(info.bytes_current);
    }
    eprintln!("{kept:?} bytes after rounds of {SESSIONS} sessions");
    // The first round makes buffers and counters of subscribers.
    let more: i64 = kept[1..].iter().sum();
    assert!(more < 100_000, "{kept:?}");
}

/// Those that are remembered are bounded in number, and so is what they take long before their time is over.
#[test]
fn refused_sessions_take_what_the_bound_allows() {
    let mut bench = Bench::with(
        Settings {
            refusals: 1000,
            ..settings()
        },
        Arc::new(Mem::new()),
        false,
    );
    let mut refuse = |first: usize| {
        for at in first..first + 20_000 {
            let answer = bench.ask(Ccr::initial(&session(at), "999990000000000", "internet"));
            assert_ne!(answer.result(), 2001);
        }
    };
    refuse(0);
    let info = measure(|| refuse(20_000));
    eprintln!(
        "{} bytes more after 20,000 refused CCR-I more",
        info.bytes_current
    );
    assert!(info.bytes_current < 100_000, "{}", info.bytes_current);
}
