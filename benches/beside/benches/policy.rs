//! Decisions of the PCRF: the five-branch policy, a memo that holds, the heavy policy; and regorus, a general policy
//! engine, on the same five branches.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a bench fails by panicking"
)]

use divan::{Bencher, black_box};
use strowger::pcrf::policy::{AvpPath, Files, Given, Kind, Policy, Quota, Runner, avp_named};
use strowger::syntax::load::MemoryReader;

fn main() {
    divan::main();
}

/// Active or not, at home or not, quota exhausted, gold or basic.
const FIVE: &str = "\
[gx]
exten => initial,1,GotoIf($[\"${SUBSCRIBER(status)}\" = \"active\"]?known)
 same => n,Reject(USER_UNKNOWN)
 same => n(known),GotoIf($[\"${AVP(3GPP-SGSN-MCC-MNC)}\" = \"00101\"]?home)
 same => n,InstallRule(roam-2m)
 same => n,Hangup()
 same => n(home),GotoIf($[\"${QUOTA_STATE(mk-gold)}\" = \"exhausted\"]?slow)
 same => n,GotoIf($[\"${SUBSCRIBER(plan)}\" = \"gold\"]?gold)
 same => n,InstallRule(basic-5m)
 same => n,Hangup()
 same => n(gold),InstallRule(gold-20m)
 same => n,Hangup()
 same => n(slow),InstallRule(throttle-128k)
 same => n,Hangup()
";

const REGO: &str = r#"
package gx
import rego.v1

default rule := "basic-5m"

rule := "unknown" if {
    input.status != "active"
} else := "roam-2m" if {
    input.plmn != "00101"
} else := "throttle-128k" if {
    input.quota == "exhausted"
} else := "gold-20m" if {
    input.plan == "gold"
}
"#;

fn given() -> Given {
    let mut given = Given::at(1_796_040_000);
    for (name, value) in [
        ("Called-Station-Id", "internet"),
        ("3GPP-SGSN-MCC-MNC", "00101"),
        ("RAT-Type", "1004"),
    ] {
        let avp = avp_named(name.as_bytes()).unwrap();
        given.set_avp(AvpPath::first(avp), Some(value.as_bytes()));
    }
    for (field, value) in [
        ("imsi", "001010000000001"),
        ("status", "active"),
        ("plan", "gold"),
    ] {
        given.set_subscriber(field.as_bytes(), value.as_bytes());
    }
    let quota = Quota {
        used: 1_000_000_000,
        limit: Some(10_000_000_000),
        warn: 80,
    };
    given.set_quota(b"mk-gold", quota);
    given
}

fn five() -> (Policy, Runner) {
    let mut reader = MemoryReader::new().with("gx.conf", FIVE);
    let (policy, _) = Policy::load("gx.conf", &Files::default(), &mut reader);
    (policy.unwrap(), Runner::new(Box::new(given())))
}

fn shipped(name: &str) -> (Policy, Runner) {
    let path = format!("{}/../../dialplans/{name}", env!("CARGO_MANIFEST_DIR"));
    let (policy, _) = Policy::load(path, &Files::default(), &mut strowger::host::FileReader);
    (policy.unwrap(), Runner::new(Box::new(given())))
}

/// The memo of a decision, as a session keeps it.
fn memo(policy: &Policy, runner: &mut Runner) -> Vec<u8> {
    let mut bytes = Vec::new();
    policy.decide(runner, Kind::Initial).memo.encode(&mut bytes);
    assert!(runner.holds(&bytes, policy, Kind::Initial));
    bytes
}

#[divan::bench(sample_size = 64)]
fn five_branches(bencher: Bencher<'_, '_>) {
    let (policy, mut runner) = five();
    assert_eq!(
        policy.decide(&mut runner, Kind::Initial).wanted.rules[0]
            .name
            .as_bytes(),
        b"gold-20m"
    );
    bencher.bench_local(|| policy.decide(&mut runner, Kind::Initial).priorities);
}

#[divan::bench(sample_size = 64)]
fn five_branches_memo(bencher: Bencher<'_, '_>) {
    let (policy, mut runner) = five();
    let memo = memo(&policy, &mut runner);
    bencher.bench_local(|| runner.holds(black_box(&memo), &policy, Kind::Initial));
}

#[divan::bench(sample_size = 64)]
fn five_branches_regorus(bencher: Bencher<'_, '_>) {
    let mut engine = regorus::Engine::new();
    engine
        .add_policy("gx.rego".to_owned(), REGO.to_owned())
        .unwrap();
    let input = r#"{"status": "active", "plmn": "00101", "quota": "ok", "plan": "gold"}"#;
    engine.set_input(regorus::Value::from_json_str(input).unwrap());
    let decided = engine.eval_rule("data.gx.rule".to_owned()).unwrap();
    assert_eq!(decided, regorus::Value::from("gold-20m"));
    bencher.bench_local(|| engine.eval_rule("data.gx.rule".to_owned()).unwrap());
}

#[divan::bench(sample_size = 64)]
fn sample(bencher: Bencher<'_, '_>) {
    let (policy, mut runner) = shipped("gx.conf");
    assert!(policy.decide(&mut runner, Kind::Initial).refused.is_none());
    bencher.bench_local(|| policy.decide(&mut runner, Kind::Initial).priorities);
}

#[divan::bench(sample_size = 64)]
fn sample_memo(bencher: Bencher<'_, '_>) {
    let (policy, mut runner) = shipped("gx.conf");
    let memo = memo(&policy, &mut runner);
    bencher.bench_local(|| runner.holds(black_box(&memo), &policy, Kind::Initial));
}

#[divan::bench(sample_size = 64)]
fn heavy(bencher: Bencher<'_, '_>) {
    let (policy, mut runner) = shipped("gx-heavy.conf");
    assert!(policy.decide(&mut runner, Kind::Initial).refused.is_none());
    bencher.bench_local(|| policy.decide(&mut runner, Kind::Initial).priorities);
}

#[divan::bench(sample_size = 64)]
fn heavy_memo(bencher: Bencher<'_, '_>) {
    let (policy, mut runner) = shipped("gx-heavy.conf");
    let memo = memo(&policy, &mut runner);
    bencher.bench_local(|| runner.holds(black_box(&memo), &policy, Kind::Initial));
}
