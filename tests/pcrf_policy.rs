//! Policies of the PCRF: what the sample decides, what each application and function does, what a policy reads, and that
//! a memo never changes a decision.
#![cfg(feature = "pcrf")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test fails by panicking, and says what it measured"
)]

use std::sync::atomic::{AtomicU64, Ordering};

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use strowger::diagnostic::code;
use strowger::host::FileReader;
use strowger::pcrf::diameter::dictionary::id;
use strowger::pcrf::policy::{
    AvpPath, Decision, Direction, Files, Given, Input, Inputs, Kind, Memo, Policy, Quota, Rule,
    Runner, Subscribers, Wanted, avp_named, rules,
};
use strowger::syntax::load::MemoryReader;

/// Monday, 2026-11-30 00:00 UTC.
const MONDAY: i64 = 1_795_996_800;
const HOUR: i64 = 3600;
const DAY: i64 = 86_400;

fn shipped(name: &str) -> Policy {
    strowger::base::zone::Zone::without_tz_is_utc();
    let path = format!("{}/dialplans/{name}", env!("CARGO_MANIFEST_DIR"));
    let (policy, reports) = Policy::load(path, &Files::default(), &mut FileReader);
    for report in &reports {
        assert!(report.diagnostics().is_empty(), "{report}");
    }
    policy.unwrap()
}

const RULES: &str = "\
[gold-20m]\nqci=8\narp=8/yes/no\nmbr_dl=20M\nmbr_ul=5M\nflow=down,permit out ip from any to assigned\nrating_group=7\n\
[known]\npredefined=yes\n";
const MONITORING: &str = "[mk]\nlimit=1G\nwarn=50\ngrant=10M\n[pool]\nlimit=2G\npool=family\n";

/// A policy whose `initial` is these lines.
fn policy(lines: &[&str]) -> Policy {
    let mut text = String::from("[gx]\n");
    for (at, line) in lines.iter().enumerate() {
        text.push_str(&format!("exten => initial,{},{line}\n", at + 1));
    }
    from_text(&text).0
}

fn from_text(text: &str) -> (Policy, Vec<String>) {
    strowger::base::zone::Zone::without_tz_is_utc();
    let mut reader = MemoryReader::new()
        .with("gx.conf", text)
        .with("rules.conf", RULES)
        .with("monitoring.conf", MONITORING);
    let (policy, reports) = Policy::load("gx.conf", &Files::default(), &mut reader);
    let codes = reports
        .iter()
        .flat_map(strowger::diagnostic::Report::diagnostics);
    let codes = codes
        .map(|diagnostic| diagnostic.code.id.to_owned())
        .collect();
    (policy.unwrap(), codes)
}

fn decide(lines: &[&str], given: Given) -> Decision {
    let mut runner = Runner::new(Box::new(given));
    policy(lines).decide(&mut runner, Kind::Initial);
    runner.take_decision()
}

fn codes(decision: &Decision) -> Vec<&'static str> {
    decision.log.iter().map(|entry| entry.code.id).collect()
}

fn avp(given: &mut Given, name: &str, value: &str) {
    given.set_avp(
        AvpPath::first(avp_named(name.as_bytes()).unwrap()),
        Some(value.as_bytes()),
    );
}

fn names(wanted: &Wanted) -> Vec<String> {
    wanted
        .rules
        .iter()
        .map(|rule| rule.name.to_string())
        .collect()
}

/// What the sample is asked: APN, plan, gigabytes used, seconds after Monday, PLMN, roaming.
fn asked(apn: &str, plan: &str, used: u64, at: i64, plmn: &str, roaming: &str) -> Given {
    let mut given = Given::at(MONDAY + at);
    avp(&mut given, "Called-Station-Id", apn);
    avp(&mut given, "3GPP-SGSN-MCC-MNC", plmn);
    avp(&mut given, "RAT-Type", "1004");
    for (field, value) in [
        ("imsi", "001010000000001"),
        ("status", "active"),
        ("plan", plan),
        ("roaming", roaming),
    ] {
        given.set_subscriber(field.as_bytes(), value.as_bytes());
    }
    let quota = Quota {
        used: used * 1_000_000_000,
        limit: Some(10_000_000_000),
        warn: 80,
    };
    given.set_quota(b"mk-gold", quota);
    given
}

/// APN, plan, GB, time, PLMN, roaming: answer, rule, Mbit/s down in thousands, revalidation, told.
type Row = (
    &'static str,
    &'static str,
    u64,
    i64,
    &'static str,
    &'static str,
    u32,
    &'static str,
    u64,
    Option<i64>,
    &'static str,
);

#[test]
fn the_sample_decides_as_its_table_says() {
    const OK: u32 = 2001;
    const HOME: &str = "00101";
    const ABROAD: &str = "26201";
    let (noon, evening, night) = (12 * HOUR, 20 * HOUR, 2 * HOUR);
    let minute = |hour: i64, minute: i64| hour * HOUR + minute * 60;
    let rows: &[Row] = &[
        (
            "internet", "gold", 1, noon, HOME, "yes", OK, "gold-20m", 20_000, None, "",
        ),
        (
            "internet", "gold", 1, evening, HOME, "yes", OK, "gold-20m", 20_000, None, "",
        ),
        (
            "internet", "gold", 1, night, HOME, "yes", OK, "gold-20m", 20_000, None, "",
        ),
        (
            "internet", "gold", 0, noon, HOME, "no", OK, "gold-20m", 20_000, None, "",
        ),
        (
            "internet", "gold", 8, noon, HOME, "yes", OK, "gold-20m", 20_000, None, "quota80",
        ),
        (
            "internet", "gold", 9, noon, HOME, "yes", OK, "gold-20m", 20_000, None, "quota80",
        ),
        (
            "internet", "gold", 9, night, HOME, "yes", OK, "gold-20m", 20_000, None, "quota80",
        ),
        (
            "internet",
            "gold",
            10,
            noon,
            HOME,
            "yes",
            OK,
            "throttle-128k",
            128,
            None,
            "",
        ),
        (
            "internet",
            "gold",
            12,
            noon,
            HOME,
            "yes",
            OK,
            "throttle-128k",
            128,
            None,
            "",
        ),
        (
            "internet",
            "gold",
            12,
            evening,
            HOME,
            "yes",
            OK,
            "throttle-128k",
            128,
            None,
            "",
        ),
        (
            "internet",
            "gold",
            12,
            minute(0, 59),
            HOME,
            "yes",
            OK,
            "throttle-128k",
            128,
            None,
            "",
        ),
        (
            "internet",
            "gold",
            12,
            minute(1, 0),
            HOME,
            "yes",
            OK,
            "night-free",
            5_000,
            None,
            "",
        ),
        (
            "internet",
            "gold",
            12,
            night,
            HOME,
            "yes",
            OK,
            "night-free",
            5_000,
            None,
            "",
        ),
        (
            "internet",
            "gold",
            12,
            minute(5, 59) + 59,
            HOME,
            "yes",
            OK,
            "night-free",
            5_000,
            None,
            "",
        ),
        (
            "internet",
            "gold",
            12,
            minute(6, 0),
            HOME,
            "yes",
            OK,
            "throttle-128k",
            128,
            None,
            "",
        ),
        (
            "internet", "basic", 0, noon, HOME, "yes", OK, "basic-5m", 5_000, None, "",
        ),
        (
            "internet", "basic", 99, noon, HOME, "yes", OK, "basic-5m", 5_000, None, "",
        ),
        (
            "internet",
            "basic",
            0,
            minute(17, 59),
            HOME,
            "yes",
            OK,
            "basic-5m",
            5_000,
            None,
            "",
        ),
        (
            "internet",
            "basic",
            0,
            minute(18, 0),
            HOME,
            "yes",
            OK,
            "basic-2m",
            5_000,
            Some(23 * HOUR),
            "",
        ),
        (
            "internet",
            "basic",
            0,
            evening,
            HOME,
            "yes",
            OK,
            "basic-2m",
            5_000,
            Some(23 * HOUR),
            "",
        ),
        (
            "internet",
            "basic",
            0,
            minute(22, 59),
            HOME,
            "yes",
            OK,
            "basic-2m",
            5_000,
            Some(23 * HOUR),
            "",
        ),
        (
            "internet",
            "basic",
            0,
            minute(23, 0),
            HOME,
            "yes",
            OK,
            "basic-5m",
            5_000,
            None,
            "",
        ),
        (
            "internet",
            "basic",
            0,
            evening - DAY,
            HOME,
            "yes",
            OK,
            "basic-5m",
            5_000,
            None,
            "",
        ),
        (
            "internet",
            "basic",
            0,
            evening + 4 * DAY,
            HOME,
            "yes",
            OK,
            "basic-2m",
            5_000,
            Some(23 * HOUR + 4 * DAY),
            "",
        ),
        (
            "internet",
            "basic",
            0,
            evening + 5 * DAY,
            HOME,
            "yes",
            OK,
            "basic-5m",
            5_000,
            None,
            "",
        ),
        (
            "internet", "platinum", 0, noon, HOME, "yes", 5012, "", 0, None, "",
        ),
        (
            "ims",
            "gold",
            1,
            noon,
            HOME,
            "yes",
            OK,
            "ims-signalling",
            512,
            None,
            "",
        ),
        (
            "ims",
            "gold",
            12,
            night,
            HOME,
            "yes",
            OK,
            "ims-signalling",
            512,
            None,
            "",
        ),
        (
            "ims",
            "basic",
            0,
            evening,
            HOME,
            "no",
            OK,
            "ims-signalling",
            512,
            None,
            "",
        ),
        (
            "iot.meter",
            "gold",
            1,
            noon,
            HOME,
            "yes",
            OK,
            "iot-only",
            64,
            None,
            "",
        ),
        (
            "iot.meter",
            "basic",
            0,
            evening,
            HOME,
            "no",
            OK,
            "iot-only",
            64,
            None,
            "",
        ),
        (
            "iotmeter", "basic", 0, noon, HOME, "yes", OK, "iot-only", 64, None, "",
        ),
        ("iot", "basic", 0, noon, HOME, "yes", 5003, "", 0, None, ""),
        (
            "corporate",
            "gold",
            1,
            noon,
            HOME,
            "yes",
            5003,
            "",
            0,
            None,
            "",
        ),
        (
            "corporate",
            "basic",
            0,
            night,
            HOME,
            "no",
            5003,
            "",
            0,
            None,
            "",
        ),
        (
            "Corporate",
            "gold",
            1,
            noon,
            HOME,
            "yes",
            5003,
            "",
            0,
            None,
            "",
        ),
        (
            "internet.mnc001",
            "gold",
            1,
            noon,
            HOME,
            "yes",
            5003,
            "",
            0,
            None,
            "",
        ),
        (
            "internet", "gold", 1, noon, ABROAD, "yes", OK, "roam-2m", 2_000, None, "",
        ),
        (
            "internet", "gold", 12, night, ABROAD, "yes", OK, "roam-2m", 2_000, None, "",
        ),
        (
            "internet", "basic", 0, evening, ABROAD, "yes", OK, "roam-2m", 2_000, None, "",
        ),
        (
            "internet", "gold", 1, noon, ABROAD, "no", 4010, "", 0, None, "",
        ),
        (
            "ims", "gold", 1, noon, ABROAD, "yes", OK, "roam-2m", 2_000, None, "",
        ),
        (
            "ims", "basic", 0, night, ABROAD, "no", 4010, "", 0, None, "",
        ),
        (
            "iot.meter",
            "basic",
            0,
            noon,
            "",
            "yes",
            OK,
            "roam-2m",
            2_000,
            None,
            "",
        ),
        (
            "corporate",
            "gold",
            1,
            noon,
            ABROAD,
            "no",
            4010,
            "",
            0,
            None,
            "",
        ),
    ];
    let policy = shipped("gx.conf");
    let mut runner = Runner::new(Box::new(Given::default()));
    for (apn, plan, used, at, plmn, roaming, answer, rule, down, revalidate, told) in rows {
        let row = format!("{apn} {plan} {used} {at} {plmn} {roaming}");
        runner.replace_inputs(Box::new(asked(apn, plan, *used, *at, plmn, roaming)));
        for kind in [Kind::Initial, Kind::Update, Kind::Push] {
            let decision = policy.decide(&mut runner, kind);
            let wanted = &decision.wanted;
            assert_eq!(
                decision.refused.map_or(2001, |refused| refused.value),
                *answer,
                "{row}"
            );
            assert_eq!(names(wanted).join(","), *rule, "{row}");
            let rate = wanted.qos.and_then(|qos| qos.ambr_dl).unwrap_or(0);
            assert_eq!(rate, down * 1000, "{row}");
            assert_eq!(wanted.revalidate, revalidate.map(|at| MONDAY + at), "{row}");
            let notify: Vec<String> = wanted.notify.iter().map(ToString::to_string).collect();
            assert_eq!(notify.join(","), *told, "{row}");
            let internet = *apn == "internet" && *plmn == HOME && *answer == 2001;
            assert_eq!(
                wanted.triggers,
                if internet { vec![2, 4, 33] } else { vec![] },
                "{row}"
            );
        }
    }
    let mut barred = asked("internet", "gold", 1, noon, HOME, "yes");
    barred.set_subscriber(b"status", b"barred");
    runner.replace_inputs(Box::new(barred));
    let decision = policy.decide(&mut runner, Kind::Initial);
    assert_eq!(decision.refused.map(|refused| refused.value), Some(5030));
    assert_eq!(decision.priorities, 3);
    assert!(
        policy
            .decide(&mut runner, Kind::Terminate)
            .refused
            .is_none()
    );
}

#[test]
fn rules_are_installed_with_times_and_removed_by_pattern() {
    let decision = decide(
        &[
            "InstallRule(gold-20m,activate=18:00,deactivate=2026-12-01 06:00)",
            "InstallRule(promo-a)",
            "InstallRule(known)",
            "RemoveRule(promo-*)",
            "InstallRule(promo-b)",
            "InstallRule(known,activate=soon,wrong=1)",
            "InstallRule()",
            "InstallRule(,activate=18:00)",
        ],
        Given::at(MONDAY),
    );
    assert_eq!(names(&decision.wanted), ["gold-20m", "known", "promo-b"]);
    let rule = decision.wanted.rule(b"gold-20m").unwrap();
    assert_eq!(rule.activate, Some(MONDAY + 18 * HOUR));
    assert_eq!(rule.deactivate, Some(MONDAY + 30 * HOUR));
    assert_eq!(
        codes(&decision),
        ["R964", "R964", "R961", "R961", "R961", "R961"]
    );
    assert_eq!(decision.memo.until(), Some(MONDAY + 18 * HOUR));
    let policy = policy(&["NoOp"]);
    assert_eq!(policy.definition(rule).unwrap().rating_group, Some(7));
    assert_eq!(
        policy.definition(rule).unwrap().flows[0].direction,
        Direction::Down
    );
}

#[test]
fn rules_are_defined() {
    let decision = decide(
        &[
            "DefineRule(video,qci=6,arp=3/no/yes,mbr_dl=5M,mbr_ul=1M,flow=\"permit out udp from any 80,443 to assigned\",\
             flow=up:permit out ip from assigned to any,rating_group=9,precedence=20,online=yes,metering=both)",
            "DefineRule(bad,qci=999,arp=0,mbr_dl=x,flow=nonsense,what=1,flow_status=enabled)",
        ],
        Given::at(MONDAY),
    );
    let video = decision
        .wanted
        .rule(b"video")
        .unwrap()
        .definition
        .clone()
        .unwrap();
    assert_eq!(
        (video.qci, video.mbr_dl, video.precedence),
        (Some(6), Some(5_000_000), Some(20))
    );
    assert_eq!(
        video
            .arp
            .map(|arp| (arp.level, arp.preempts, arp.vulnerable)),
        Some((3, Some(false), Some(true)))
    );
    assert_eq!(video.flows.len(), 2);
    assert_eq!(
        video.flows[0].filter.as_bytes(),
        b"permit out udp from any 80,443 to assigned"
    );
    assert_eq!(video.flows[1].direction, Direction::Up);
    assert_eq!(
        (video.online, video.offline, video.metering),
        (Some(true), None, Some(2))
    );
    let bad = decision
        .wanted
        .rule(b"bad")
        .unwrap()
        .definition
        .clone()
        .unwrap();
    assert_eq!((bad.qci, bad.flow_status), (None, Some(2)));
    assert_eq!(codes(&decision), ["R961"; 5]);
}

#[test]
fn quality_monitors_events_and_times_are_declared() {
    let decision = decide(
        &[
            "SetQoS(qci=8,arp=8/yes,ambr_dl=1.5M,ambr_ul=512k)",
            "SetQoS(ambr_dl=2M,nonsense=1)",
            "Monitor(mk)",
            "Monitor(pool,5M)",
            "Monitor(mk,x)",
            "Trigger(USAGE_REPORT&rat_change&4&NOTHING)",
            "Revalidate(23:00)",
            "Revalidate(+60)",
            "Revalidate(never)",
            "Release(UE_SUBSCRIPTION_REASON)",
            "Notify(b)",
            "Notify(a)",
            "Notify(b)",
        ],
        Given::at(MONDAY),
    );
    let wanted = &decision.wanted;
    let qos = wanted.qos.unwrap();
    assert_eq!(
        (qos.qci, qos.ambr_dl, qos.ambr_ul),
        (Some(8), Some(2_000_000), Some(512_000))
    );
    assert_eq!(
        qos.arp.map(|arp| (arp.level, arp.preempts)),
        Some((8, Some(true)))
    );
    let monitors: Vec<_> = wanted
        .monitors
        .iter()
        .map(|m| (m.key.to_string(), m.grant))
        .collect();
    assert_eq!(
        monitors,
        [
            ("mk".to_owned(), Some(10_000_000)),
            ("pool".to_owned(), Some(5_000_000))
        ]
    );
    assert_eq!(wanted.triggers, [2, 4, 33]);
    assert_eq!(wanted.revalidate, Some(MONDAY + 60));
    assert_eq!(wanted.release, Some(1));
    assert_eq!(wanted.notify.len(), 2);
    assert_eq!(codes(&decision), ["R961"; 4]);
    // `+60` is another time in the next second.
    assert_eq!(decision.memo.until(), Some(MONDAY + 1));
}

#[test]
fn refusals_by_code_and_by_name() {
    for (data, value, vendor, said) in [
        ("", 5003, 0, 0),
        ("USER_UNKNOWN", 5030, 0, 0),
        ("end_user_service_denied", 4010, 0, 0),
        ("5140", 5140, 10_415, 0),
        ("ERROR_CONFLICTING_REQUEST", 5147, 10_415, 0),
        ("5999", 5999, 0, 0),
        ("2001", 5003, 0, 1),
        ("NONSENSE", 5003, 0, 1),
    ] {
        let line = format!("Reject({data})");
        let decision = decide(&["InstallRule(known)", &line, "Reject(5001)"], Given::at(0));
        let refused = decision.refused.unwrap();
        assert_eq!((refused.value, refused.vendor), (value, vendor), "{data}");
        assert_eq!(decision.wanted, Wanted::default());
        assert_eq!(decision.log.len(), said, "{data}");
        assert_eq!((decision.priorities, decision.fault), (2, None));
    }
}

#[test]
fn functions_read_and_what_is_read_is_remembered() {
    let mut given = Given::at(MONDAY);
    avp(&mut given, "Called-Station-Id", "internet");
    let path = AvpPath {
        avp: id::SUBSCRIPTION_ID,
        index: 1,
        sub: Some(id::SUBSCRIPTION_ID_DATA),
    };
    given.set_avp(path, Some(b"49170"));
    given.set_subscriber(b"plan", b"gold");
    given.set_session(b"ip", b"10.0.0.1");
    given.set_triggered(33, true);
    let quota = Quota {
        used: 600_000_000,
        limit: Some(1_000_000_000),
        warn: 50,
    };
    given.set_quota(b"mk", quota);
    let decision = decide(
        &[
            "Notify(${AVP(Called-Station-Id)}/${AVP(Subscription-Id,1,Subscription-Id-Data)}/${AVP(RAT-Type)})",
            "Notify(${SUBSCRIBER(plan)}/${SUBSCRIBER(none)}/${SESSION(ip)}/${SESSION(none)})",
            "Notify(${QUOTA_STATE(mk)}/${QUOTA(mk)}/${QUOTA(mk,limit)}/${QUOTA(mk,percent)}/${USAGE(mk)})",
            "Notify(${QUOTA_STATE(none)}/${QUOTA(none)}/${USAGE(none)})",
            "Notify(${TRIGGERED(USAGE_REPORT)}/${TRIGGERED(2)}/${SUBSCRIBER(plan)})",
            "Notify(x${AVP(Nonsense)}${QUOTA(mk,what)}${TRIGGERED(NOTHING)}${AVP(RAT-Type,x,y)})",
        ],
        given,
    );
    let told: Vec<String> = decision
        .wanted
        .notify
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        told,
        [
            "1/0/gold",
            "gold//10.0.0.1/",
            "internet/49170/",
            "none//0",
            "warn/400000000/1000000000/60/600000000",
            "x"
        ]
    );
    // A field of sessions and a key that nobody knows are said, too.
    assert_eq!(
        codes(&decision),
        [
            "R961", "R965", "R965", "R965", "R961", "R961", "R961", "R961"
        ]
    );
    let reads: Vec<String> = decision.memo.reads().map(ToString::to_string).collect();
    assert_eq!(
        reads,
        [
            "AVP(Called-Station-Id)",
            "AVP(Subscription-Id,1,Subscription-Id-Data)",
            "AVP(RAT-Type)",
            "SUBSCRIBER(plan)",
            "SUBSCRIBER(none)",
            "SESSION(ip)",
            "SESSION(none)",
            "QUOTA_STATE(mk)",
            "QUOTA(mk,left)",
            "QUOTA(mk,limit)",
            "QUOTA(mk,percent)",
            "USAGE(mk)",
            "QUOTA_STATE(none)",
            "QUOTA(none,left)",
            "USAGE(none)",
            "TRIGGERED(USAGE_REPORT)",
            "TRIGGERED(RAT_CHANGE)",
        ]
    );
}

#[test]
fn what_cannot_be_decided_is_refused_with_5012() {
    for (lines, fault) in [
        (&["Goto(initial,1)"][..], &code::LIMIT_PRIORITIES),
        (&["Goto(nowhere,s,1)"], &code::INVALID_EXTENSION_NO_HANDLER),
        (&["Goto(label)"], &code::GOTO_TARGET_INVALID),
        (&["Gosub(nowhere,s,1)"], &code::GOSUB_TARGET_MISSING),
        (&["Return()"], &code::RETURN_WITHOUT_GOSUB),
        (&["Nonsense(x)"], &code::APPLICATION_UNKNOWN),
        (&["Wait(1)"], &code::DECISION_WAITS),
        (&["Gosub(initial,1)"], &code::LIMIT_GOSUB_DEPTH),
    ] {
        let mut all = vec!["InstallRule(known)"];
        all.extend(lines);
        let all: Vec<&str> = if lines[0].contains("initial") {
            lines.to_vec()
        } else {
            all
        };
        let decision = decide(&all, Given::at(0));
        assert_eq!(
            decision.refused.map(|refused| refused.value),
            Some(5012),
            "{lines:?}"
        );
        assert_eq!(
            decision.fault.map(|fault| fault.id),
            Some(fault.id),
            "{lines:?}"
        );
        assert!(
            !decision.log.is_empty() && !decision.memo.is_useful(),
            "{lines:?}"
        );
        assert_eq!(decision.wanted, Wanted::default());
    }
    let policy = policy(&["InstallRule(known)"]);
    let mut runner = Runner::new(Box::new(Given::at(0)));
    assert_eq!(
        policy.decide(&mut runner, Kind::Update).fault,
        Some(&code::POLICY_ENTRY_MISSING)
    );
    assert!(
        policy
            .decide(&mut runner, Kind::Terminate)
            .refused
            .is_none()
    );
    // What went wrong before leaves nothing behind.
    assert_eq!(
        names(&policy.decide(&mut runner, Kind::Initial).wanted),
        ["known"]
    );
}

#[test]
fn decisions_leave_nothing_behind() {
    let policy = policy(&[
        "ExecIf($[\"${X}${CALLERID(num)}${CHANNEL(language)}\" != \"en\"]?Reject(5001))",
        "Set(X=1)",
        "Set(HASH(h,a)=1)",
        "Set(CALLERID(num)=5)",
        "Set(CHANNEL(language)=de)",
        "InstallRule(known)",
    ]);
    let mut runner = Runner::new(Box::new(Given::at(0)));
    for _ in 0..3 {
        let decision = policy.decide(&mut runner, Kind::Initial);
        assert_eq!((decision.refused, decision.priorities), (None, 6));
        assert!(decision.memo.is_useful());
    }
}

#[test]
fn the_time_bounds_a_memo() {
    let until = |line: &str, at: i64| {
        let mut runner = Runner::new(Box::new(Given::at(MONDAY + at)));
        policy(&[line])
            .decide(&mut runner, Kind::Initial)
            .memo
            .until()
            .map(|until| until - MONDAY)
    };
    assert_eq!(until("NoOp", 0), None);
    assert_eq!(
        until("GotoIfTime(18:00-22:59,mon-fri,*,*?x)", 12 * HOUR),
        Some(18 * HOUR)
    );
    assert_eq!(
        until("ExecIfTime(18:00-22:59,mon-fri,*,*?NoOp)", 19 * HOUR),
        Some(23 * HOUR)
    );
    assert_eq!(until("NoOp(${IFTIME(*,sun,*,*?a:b)})", 0), Some(6 * DAY));
    assert_eq!(until("Notify(${EPOCH})", 5), Some(6));
    assert_eq!(until("NoOp(${STRFTIME(,,%H)})", 5), Some(6));
    assert_eq!(until("NoOp(${STRFTIME(0,,%H)})", 5), None);
    let policy = shipped("gx.conf");
    let given = asked("internet", "gold", 12, 2 * HOUR, "00101", "yes");
    let mut runner = Runner::new(Box::new(given));
    let decision = policy.decide(&mut runner, Kind::Initial);
    assert_eq!(decision.memo.until(), Some(MONDAY + 6 * HOUR));
}

#[test]
fn byte_forms_come_back() {
    let decision = decide(
        &[
            "InstallRule(gold-20m,activate=18:00)",
            "DefineRule(video,qci=6,arp=3/no/yes,mbr_dl=5M,flow=permit out ip from any to assigned,monitoring_key=mk)",
            "RemoveRule(x*)",
            "SetQoS(qci=8,arp=8/yes,ambr_dl=20M)",
            "Monitor(mk)",
            "Trigger(USAGE_REPORT)",
            "Revalidate(23:00)",
            "Release()",
            "Notify(${SUBSCRIBER(a)}${AVP(Subscription-Id,1,Subscription-Id-Data)}${QUOTA(mk,percent)}${EPOCH})",
            "Notify(x${TRIGGERED(2)}${USAGE(mk)}${SESSION(id)}${QUOTA_STATE(mk)})",
        ],
        Given::at(MONDAY),
    );
    let mut bytes = Vec::new();
    decision.wanted.encode(&mut bytes);
    let wanted = bytes.len();
    decision.memo.encode(&mut bytes);
    bytes.push(99);
    let (back, rest) = Wanted::decode(&bytes).unwrap();
    assert_eq!(back, decision.wanted);
    let (memo, rest) = Memo::decode(rest).unwrap();
    assert_eq!((memo, rest), (decision.memo, &[99][..]));
    for end in 0..wanted {
        assert!(Wanted::decode(&bytes[..end]).is_none());
    }
}

#[test]
fn the_difference_is_what_changes() {
    let policy = shipped("gx.conf");
    let mut runner = Runner::new(Box::new(asked(
        "internet",
        "gold",
        12,
        12 * HOUR,
        "00101",
        "yes",
    )));
    let wanted = policy.decide(&mut runner, Kind::Update).wanted.clone();
    let mut present = Wanted::default();
    present.add_rule(Rule::named("gold-20m", policy.rules().meaning(b"gold-20m")));
    let (install, remove) = rules(&wanted, &present.rules);
    assert_eq!(
        (install[0].name.to_string(), remove[0].name.to_string()),
        ("throttle-128k".into(), "gold-20m".into())
    );
    assert_eq!(rules(&wanted, &wanted.rules), (vec![], vec![]));
}

#[test]
fn what_a_policy_reads_is_known_before_it_runs() {
    let policy = shipped("gx.conf");
    let reads = policy.reads();
    let listed: Vec<(String, Vec<u32>)> = reads
        .readers()
        .iter()
        .map(|reader| {
            (
                reader.input.to_string(),
                reader.places.iter().map(|place| place.line).collect(),
            )
        })
        .collect();
    let names: Vec<&str> = listed.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        [
            "AVP(3GPP-SGSN-MCC-MNC)",
            "AVP(Called-Station-Id)",
            "AVP(RAT-Type)",
            "AVP(Termination-Cause)",
            "QUOTA_STATE(mk-family)",
            "QUOTA_STATE(mk-gold)",
            "QUOTA_STATE(mk-silver)",
            "SUBSCRIBER(imsi)",
            "SUBSCRIBER(plan)",
            "SUBSCRIBER(roaming)",
            "SUBSCRIBER(status)",
            "USAGE(mk-gold)",
        ]
    );
    let text = std::fs::read_to_string(format!("{}/dialplans/gx.conf", env!("CARGO_MANIFEST_DIR")))
        .unwrap();
    for (name, lines) in &listed {
        let word = name.split('(').next().unwrap();
        for line in lines {
            assert!(
                text.lines().nth(*line as usize - 1).unwrap().contains(word),
                "{name} {line}"
            );
        }
    }
    assert_eq!(reads.avps().len(), 4);
    assert!(!reads.all_avps() && reads.volatile().is_empty());
    assert!(!reads.may_read(Kind::Initial, b"USAGE("));
    assert!(reads.may_read(Kind::Terminate, b"USAGE("));
    assert_eq!(policy.entry(Kind::Update), Kind::Initial);
    assert_eq!(policy.entry(Kind::Push), Kind::Initial);
    assert_eq!(policy.entry(Kind::Terminate), Kind::Terminate);
}

#[test]
fn what_is_odd_is_said() {
    let head = "[gx]\nexten => update,1,Goto(initial,1)\nexten => push,1,Goto(initial,1)\n";
    for (lines, expected) in [
        ("exten => initial,1,NoOp(${USAGE(mk)})\n", &["P721"][..]),
        ("exten => initial,1,NoOp(${QUOTA(mk,percent)})\n", &["P721"]),
        ("exten => initial,1,NoOp(${QUOTA(mk,limit)})\n", &[]),
        (
            "exten => initial,1,NoOp(${AVP(${SUBSCRIBER(x)})})\n",
            &["P722"],
        ),
        (
            "exten => initial,1,NoOp(${AVP(RAT-Type,${SUBSCRIBER(x)})})\n",
            &[],
        ),
        ("exten => initial,1,NoOp(${RAND(1,2)})\n", &["P723"]),
        ("exten => initial,1,Set(GLOBAL(x)=1)\n", &["P723"]),
        ("exten => initial,1,NoOp(${${SUBSCRIBER(x)}})\n", &["P723"]),
        ("exten => initial,1,Wait(1)\n", &["P723"]),
        ("exten => initial,1,ExecIf(1?Playback(x))\n", &["P723"]),
        (
            "exten => initial,1,Goto(c,s,1)\n[c]\nexten => s,1,NoOp\nexten => _internet.,1,NoOp\n",
            &["P724"],
        ),
        (
            "exten => initial,1,NoOp\n[c]\nexten => _i[n]ter[n]et.,1,NoOp\nexten => _NXX.,1,NoOp\nexten => _xxx,1,NoOp\n",
            &[],
        ),
        (
            "exten => initial,1,NoOp\n[c]\ninclude => t,1:00-2:00,*,*,*\nexten => e,1,NoOp\n[t]\nexten => e,1,NoOp\n",
            &["P725"],
        ),
        (
            "exten => initial,1,NoOp\n[c]\ninclude => b\ninclude => t,1:00-2:00,*,*,*\n[b]\nexten => _e.,1,NoOp\n[t]\nexten => ef,1,NoOp\n",
            &["P725"],
        ),
        (
            "exten => initial,1,NoOp\n[c]\ninclude => t,1:00-2:00,*,*,*\ninclude => b\n[b]\nexten => e,1,NoOp\n[t]\nexten => e,1,NoOp\n",
            &[],
        ),
        ("exten => initial,1,InstallRule(nowhere)\n", &["P727"]),
        (
            "exten => initial,1,InstallRule(x-${SUBSCRIBER(plan)})\n",
            &[],
        ),
        ("exten => initial,1,Monitor(nowhere)\n", &["P728"]),
        ("exten => initial,1,Trigger(NOTHING)\n", &["R961"]),
        ("exten => initial,1,Trigger(99999)\n", &["R961"]),
        ("exten => initial,1,Trigger(NO_EVENT_TRIGGERS)\n", &[]),
        (
            "exten => initial,1,Trigger(NO_EVENT_TRIGGERS&RAT_CHANGE)\n",
            &["R961"],
        ),
        ("exten => initial,1,Release(9)\n", &["R961"]),
        ("exten => initial,1,Release(UE_IP_ADDRESS_RELEASE)\n", &[]),
        ("exten => initial,1,Revalidate(3600)\n", &["R961"]),
        (
            "exten => initial,1,Revalidate(1999-12-31 23:00)\n",
            &["R961"],
        ),
        ("exten => initial,1,Revalidate(soon)\n", &["R961"]),
        ("exten => initial,1,Revalidate(99999999999999)\n", &["R961"]),
        ("exten => initial,1,Revalidate(+3600)\n", &[]),
        ("exten => initial,1,Revalidate(${SUBSCRIBER(x)})\n", &[]),
        (
            "exten => initial,1,InstallRule(known,activate=junk)\n",
            &["R961"],
        ),
        (
            "exten => initial,1,InstallRule(known,deactivate=60)\n",
            &["R961"],
        ),
        ("exten => initial,1,InstallRule(known,qci=1)\n", &["R961"]),
        (
            "exten => initial,1,InstallRule(known,activate=${SUBSCRIBER(x)})\n",
            &[],
        ),
        (
            "exten => initial,1,InstallRule(known&gold-20m)\n",
            &["R961"],
        ),
        ("exten => initial,1,InstallRule()\n", &["R961"]),
        (
            "exten => initial,1,DefineRule(new,qci=8)\n same => n,InstallRule(new)\n",
            &[],
        ),
        ("exten => initial,1,DefineRule(new,qci=abc)\n", &["R961"]),
        (
            "exten => initial,1,DefineRule(new,online=perhaps)\n",
            &["R961"],
        ),
        (
            "exten => initial,1,DefineRule(new,predefined=yes)\n",
            &["R961"],
        ),
        (
            "exten => initial,1,DefineRule(new,what=${SUBSCRIBER(x)})\n",
            &["R961"],
        ),
        ("exten => initial,1,SetQoS(qci=999)\n", &["R961"]),
        ("exten => initial,1,SetQoS(qci=8,speed=9)\n", &["R961"]),
        ("exten => initial,1,SetQoS(qci=${SUBSCRIBER(x)})\n", &[]),
        ("exten => initial,1,Monitor(mk,0)\n", &["R961"]),
        ("exten => initial,1,Monitor(mk,much)\n", &["R961"]),
        (
            "exten => initial,1,NoOp(${QUOTA_STATE(nowhere)})\n",
            &["P728"],
        ),
        (
            "exten => initial,1,NoOp(${QUOTA(mk,half)})\n",
            &["P721", "R961"],
        ),
        ("exten => initial,1,NoOp(${SESSION(nothing)})\n", &["R961"]),
        ("exten => initial,1,NoOp(${SUBSCRIBER()})\n", &["R961"]),
        ("exten => initial,1,NoOp(${CALLERID(num)})\n", &["P729"]),
        (
            "exten => initial,1,Set(CALLERID(num)=1)\n same => n,NoOp(${CALLERID(num)})\n",
            &[],
        ),
        ("exten => initial,1,NoOp(${DB(a/b)})\n", &["P723"]),
        ("exten => initial,1,NoOp(${SHELL(date)})\n", &["P723"]),
        ("exten => initial,1,Reject(NOTHING)\n", &["R961"]),
        ("exten => initial,1,NoOp(${AVP(Nothing)})\n", &["R961"]),
    ] {
        let (_, codes) = from_text(&format!("{head}{lines}"));
        assert_eq!(codes, expected, "{lines}");
    }
    let (policy, codes) = from_text("[gx]\nexten => initial,1,NoOp(${RAND(1,2)})\n");
    assert_eq!(codes, ["P705", "P705", "P723"]);
    assert!(!policy.is_comparable(Kind::Initial));
}

#[test]
fn wrong_computed_values_are_said_and_have_a_fallback() {
    let mut given = Given::at(MONDAY);
    for (field, value) in [
        ("rule", "nope"),
        ("two", "known&gold-20m"),
        ("key", "nowhere"),
        ("past", "3600"),
        ("gone", "2026-11-29 12:00"),
        ("cause", "9"),
        ("event", "NO_EVENT_TRIGGERS"),
        ("volume", "0"),
        ("yes", "perhaps"),
    ] {
        given.set_subscriber(field.as_bytes(), value.as_bytes());
    }
    let lines = [
        "InstallRule(${SUBSCRIBER(rule)})",
        "InstallRule(${SUBSCRIBER(two)})",
        "InstallRule(known,activate=${SUBSCRIBER(past)})",
        "Monitor(${SUBSCRIBER(key)})",
        "Monitor(mk,${SUBSCRIBER(volume)})",
        "NoOp(${QUOTA_STATE(${SUBSCRIBER(key)})})",
        "Revalidate(${SUBSCRIBER(past)})",
        "Revalidate(${SUBSCRIBER(gone)})",
        "Release(${SUBSCRIBER(cause)})",
        "Trigger(RAT_CHANGE)",
        "Trigger(${SUBSCRIBER(event)})",
        "DefineRule(new,qci=5,online=${SUBSCRIBER(yes)})",
        "NoOp(${SESSION(${SUBSCRIBER(key)})})",
    ];
    let decision = decide(&lines, given);
    assert_eq!(
        codes(&decision),
        [
            "R964", "R961", "R961", "R965", "R961", "R965", "R961", "R961", "R961", "R961", "R961",
            "R961"
        ]
    );
    let lines: Vec<i64> = decision.places.iter().map(|at| at.priority).collect();
    assert_eq!(lines, [1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13]);
    let wanted = &decision.wanted;
    assert_eq!(names(wanted), ["known", "new", "nope"]);
    assert_eq!(wanted.rules[0].activate, None);
    assert_eq!(wanted.triggers, [2]);
    assert_eq!((wanted.revalidate, wanted.release), (None, Some(0)));
    assert_eq!(wanted.monitors[0].grant, Some(10_000_000));
    // A time that is still to come is past later: the decision holds until then.
    let decision = decide(&["Revalidate(2026-11-30 12:00)"], Given::at(MONDAY));
    assert_eq!(decision.wanted.revalidate, Some(MONDAY + 12 * HOUR));
    assert_eq!(decision.memo.until(), Some(MONDAY + 12 * HOUR));
}

#[test]
fn what_is_drawn_depends_on_the_session() {
    let policy = policy(&["InstallRule(r${RAND(1,1000000)}-${RAND(1,1000000)})"]);
    let mut drawn = std::collections::BTreeSet::new();
    for session in 0..50 {
        let mut given = Given::at(MONDAY);
        given.set_session(b"id", format!("pgw;{session}").as_bytes());
        let mut runner = Runner::new(Box::new(given));
        let first = names(&policy.decide(&mut runner, Kind::Initial).wanted);
        let again = names(&policy.decide(&mut runner, Kind::Initial).wanted);
        assert_eq!(first, again);
        let (a, b) = first[0][1..].split_once('-').unwrap();
        assert_ne!(a, b);
        drawn.extend(first);
    }
    assert!(drawn.len() > 45);
}

#[test]
fn a_policy_that_cannot_decide_says_where_it_ended() {
    let policy = policy(&["NoOp", "Goto(nowhere,s,1)"]);
    let mut runner = Runner::new(Box::new(Given::at(0)));
    let decision = policy.decide(&mut runner, Kind::Initial);
    assert!(decision.at.is_some());
    let policy = self::policy(&["NoOp", "Gosub(nowhere,s,1)"]);
    let decision = policy.decide(&mut runner, Kind::Initial);
    let at = decision.at.clone().unwrap();
    assert_eq!(
        (at.exten.as_bytes(), at.priority),
        (&b"initial"[..], 2),
        "{at:?}"
    );
    assert_eq!(policy.line_of(&at).unwrap().split(':').nth(1), Some("3"));
}

#[test]
fn what_rules_and_keys_cannot_be_is_an_error_with_its_line() {
    let load = |rules: &str, monitoring: &str| {
        let mut reader = MemoryReader::new()
            .with(
                "gx.conf",
                "[gx]\nexten => initial,1,NoOp\nexten => update,1,NoOp\nexten => push,1,NoOp\n",
            )
            .with("rules.conf", rules)
            .with("monitoring.conf", monitoring);
        let (policy, reports) = Policy::load("gx.conf", &Files::default(), &mut reader);
        let said: Vec<(u32, &str)> = reports
            .iter()
            .flat_map(strowger::diagnostic::Report::diagnostics)
            .filter(|d| d.code.id != "P702")
            .map(|d| (d.place.unwrap().line, d.code.id))
            .collect();
        (policy.unwrap(), said)
    };
    let (policy, said) = load(
        "[a]\nqci=abc\n[b]\nqci=1\nqci=2\n[c]\npredefined=yes\nqci=3\n[d]\npredefined=yes\nbase=yes\n[e]\n\
         [f]\npredefined=perhaps\n[t](!)\nqci=5\n[g](t)\nqci=6\n[h]\nqci=7\nmonitoring_key=nowhere\n",
        "[k]\nlimit=1G\nlimit=2G\n[l]\ngrant=0\n[m]\nsource=w,1\nsource=w,2\npool=\n",
    );
    assert_eq!(
        said,
        [
            (2, "E032"),
            (5, "P708"),
            (8, "P709"),
            (11, "E032"),
            (12, "P710"),
            (14, "E032"),
            (21, "P728"),
            (3, "P708"),
            (5, "E032"),
            (8, "E032"),
            (9, "E032"),
        ]
    );
    let rules = policy.rules();
    assert_eq!(rules.definition(b"b").unwrap().qci, Some(2));
    assert_eq!(rules.definition(b"c").unwrap().qci, None);
    assert_eq!(rules.definition(b"g").unwrap().qci, Some(6));
}

#[test]
fn subscribers_that_cannot_be_read_are_not_taken() {
    let read = |bytes: &[u8]| {
        let (subscribers, report) = Subscribers::read("s.csv", bytes.to_vec());
        let said: Vec<(u32, &str)> = report
            .diagnostics()
            .iter()
            .map(|d| (d.place.unwrap().line, d.code.id))
            .collect();
        (subscribers.has_fields(), subscribers.len(), said)
    };
    assert_eq!(read(b""), (false, 0, vec![(1, "P703")]));
    assert_eq!(read(b"\n# nobody\n"), (false, 0, vec![(1, "P703")]));
    assert_eq!(read(b"1,2\n"), (false, 0, vec![(1, "P703")]));
    assert_eq!(
        read(b"imsi,plan,Plan\n1,a,b\n"),
        (false, 0, vec![(1, "P703")])
    );
    assert_eq!(read(b"imsi,,b\n1,a,b\n"), (false, 0, vec![(1, "P703")]));
    assert_eq!(read(b"imsi,plan\n"), (true, 0, vec![(1, "P707")]));
    assert_eq!(
        read(b"imsi,plan\n1,a\n2,\"b\n3,c\n"),
        (true, 1, vec![(3, "P704")])
    );
    assert_eq!(
        read(b"imsi,plan\n1,\"a\n2,b\"\n3,c\n"),
        (true, 1, vec![(2, "P704")])
    );
    assert_eq!(
        read(b"imsi,plan\n1,\xff\n2,a\0b\n3,\"q\"\"q\"\n4,a\"b\n# \"\n"),
        (true, 2, vec![(2, "P704"), (3, "P704")])
    );
}

#[test]
fn faults_of_the_files_beside_have_places() {
    let mut reader = MemoryReader::new()
        .with("gx.conf", "[gx]\nexten => initial,1,NoOp\nexten => update,1,NoOp\nexten => push,1,NoOp\n")
        .with("rules.conf", "[a]\nqci=8\nwhat=1\nmbr_dl=x\nflow=permit out ip from any to assigned\n[a]\nqci=1\n[b]\nqci=1\n")
        .with("monitoring.conf", "[k]\nlimit=x\nperiod=year\nnothing=1\nwarn=101\nsource=wifi,0.5\n");
    let (policy, reports) = Policy::load("gx.conf", &Files::default(), &mut reader);
    let said: Vec<String> = reports
        .iter()
        .flat_map(|report| report.diagnostics().iter().map(|d| report.line(d)))
        .map(|line| line.splitn(5, ':').take(4).collect::<Vec<_>>().join(":"))
        .collect();
    let lines: Vec<String> = said
        .iter()
        .map(|line| {
            let parts: Vec<&str> = line.split(':').collect();
            format!("{}:{} {}", parts[0], parts[1], parts[3].trim())
        })
        .collect();
    let unknown = code::SETTING_UNKNOWN.id;
    let invalid = code::SETTING_INVALID.id;
    assert_eq!(
        lines,
        [
            format!("rules.conf:3 {unknown}"),
            format!("rules.conf:4 {invalid}"),
            "rules.conf:6 P701".to_owned(),
            "rules.conf:8 P702".to_owned(),
            format!("monitoring.conf:2 {invalid}"),
            format!("monitoring.conf:3 {invalid}"),
            format!("monitoring.conf:4 {unknown}"),
            format!("monitoring.conf:5 {invalid}"),
        ]
    );
    let policy = policy.unwrap();
    assert_eq!(policy.monitoring().key(b"k").unwrap().sources[0].1, 500);
    assert_eq!(policy.rules().len(), 2);
    let mut reader = MemoryReader::new().with("gx.conf", "[gx]\nexten => initial,1,NoOp\n");
    let files = Files {
        rules: Some("nowhere.conf".into()),
        ..Files::default()
    };
    assert!(Policy::load("gx.conf", &files, &mut reader).0.is_none());
}

#[test]
fn subscribers_are_read_row_by_row() {
    let text = "IMSI,msisdn,plan\n001010000000001,491,gold\n\n# nobody\n001010000000002,,basic\nx,1,y\n001010000000001,2,z\n1,2\n,,w\n3,4,\"a,b\"\n";
    let (subscribers, report) = Subscribers::read("s.csv", text.as_bytes().to_vec());
    let lines: Vec<u32> = report
        .diagnostics()
        .iter()
        .map(|d| d.place.unwrap().line)
        .collect();
    assert_eq!(lines, [6, 7, 8, 9]);
    assert_eq!(subscribers.len(), 3);
    let found = subscribers.by_msisdn(b"491").unwrap();
    assert_eq!(found.field(b"PLAN").unwrap().as_bytes(), b"gold");
    assert_eq!(
        subscribers
            .by_imsi(b"3")
            .unwrap()
            .field(b"plan")
            .unwrap()
            .as_bytes(),
        b"a,b"
    );
    assert!(subscribers.by_imsi(b"4").is_none());
    let (nobody, report) = Subscribers::read("s.csv", b"a,b\n1,2\n".to_vec());
    assert!(nobody.is_empty());
    assert_eq!(report.diagnostics()[0].code.id, "P703");
}

// A memo never changes a decision.

/// A policy that depends on the time in every way.
const TIMES: &str = "\
[gx]
exten => initial,1,GotoIfTime(*:*,*,*,*?bad)
 same => n(bad),ExecIfTime(1:00-2:00&3:00-4:00,*,*,*?InstallRule(night))
 same => n,ExecIf($[\"${SUBSCRIBER(plan)}\" = \"gold\"]?InstallRule(${IFTIME(12:00-13:59,mon-fri,*,*?lunch:rest)}))
 same => n,ExecIf($[\"${AVP(RAT-Type)}\" = \"1004\"]?InstallRule(h-${STRFTIME(,,%H)},activate=5:00))
 same => n,ExecIf(${TRIGGERED(USAGE_REPORT)}?InstallRule(e-${EPOCH}))
 same => n,ExecIf($[\"${QUOTA_STATE(mk-gold)}\" = \"warn\"]?Revalidate(+30))
 same => n,Goto(by-${SUBSCRIBER(roaming)},1)
exten => by-yes,1,Revalidate(5:30)
exten => by-no,1,InstallRule(u-${USAGE(mk-gold)})
exten => update,1,InstallRule(update)
 same => n,Goto(initial,1)
exten => push,1,Goto(initial,1)
include => late,23:00-0:59,*,*,*
include => always
[late]
exten => _by-.,1,InstallRule(late)
[always]
exten => _by-.,1,InstallRule(always)
";

#[derive(Debug, Clone)]
enum Step {
    Field(usize, usize),
    Avp(usize, usize),
    Used(usize, u64),
    Event(bool),
    Pass(i64),
    /// To the edge of the memo, and so many seconds further.
    Edge(i64),
    Back(i64),
    Reload(usize),
    Decide(usize),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (0usize..5, 0usize..5).prop_map(|(field, value)| Step::Field(field, value)),
        (0usize..3, 0usize..5).prop_map(|(avp, value)| Step::Avp(avp, value)),
        (0usize..3, 0u64..24).prop_map(|(key, used)| Step::Used(key, used)),
        any::<bool>().prop_map(Step::Event),
        (0i64..40_000).prop_map(Step::Pass),
        (-1i64..2).prop_map(Step::Edge),
        (0i64..10_000).prop_map(Step::Back),
        (0usize..4).prop_map(Step::Reload),
        (0usize..4).prop_map(Step::Decide),
        (0usize..4).prop_map(Step::Decide),
        (0usize..4).prop_map(Step::Decide),
    ]
}

const FIELDS: [(&str, [&str; 5]); 5] = [
    ("plan", ["gold", "silver", "family", "basic", "none"]),
    ("status", ["active", "active", "active", "barred", "portal"]),
    ("roaming", ["yes", "no", "maybe", "", "no"]),
    ("promo", ["", "music", "video", "all", "x"]),
    ("parental", ["no", "yes", "no", "yes", ""]),
];
const AVPS: [(&str, [&str; 5]); 3] = [
    (
        "Called-Station-Id",
        [
            "internet",
            "ims",
            "iot.meter",
            "corporate",
            "internet.mnc001",
        ],
    ),
    (
        "3GPP-SGSN-MCC-MNC",
        ["00101", "00101", "26201", "310260", "50501"],
    ),
    ("RAT-Type", ["1004", "1000", "1001", "0", "7"]),
];
const KEYS: [&str; 3] = ["mk-gold", "mk-silver", "mk-family"];

fn policies() -> Vec<Policy> {
    let heavy = std::fs::read_to_string(format!(
        "{}/dialplans/gx-heavy.conf",
        env!("CARGO_MANIFEST_DIR")
    ))
    .unwrap();
    let changed = heavy.replace(
        "SetQoS(qci=8,arp=8,ambr_dl=20M",
        "SetQoS(qci=8,arp=8,ambr_dl=21M",
    );
    assert_ne!(heavy, changed);
    vec![
        shipped("gx.conf"),
        shipped("gx-heavy.conf"),
        from_text(&changed).0,
        from_text(TIMES).0,
    ]
}

#[test]
fn a_memo_never_changes_a_decision() {
    let config = ProptestConfig {
        cases: 400,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let (decided, hits) = (AtomicU64::new(0), AtomicU64::new(0));
    let traces = (proptest::collection::vec(step(), 1..80), 0i64..2 * DAY);
    TestRunner::new(config)
        .run(&traces, |(steps, start)| {
            let policies = policies_once();
            let mut current = 0;
            let mut given = asked("internet", "gold", 1, start, "00101", "yes");
            let mut with = Runner::new(Box::new(Given::default()));
            let mut without = Runner::new(Box::new(Given::default()));
            let mut kept: Option<Decision> = None;
            for step in steps {
                match step {
                    Step::Field(field, value) => {
                        let (name, values) = FIELDS[field];
                        given.set_subscriber(name.as_bytes(), values[value].as_bytes());
                    }
                    Step::Avp(at, value) => {
                        let (name, values) = AVPS[at];
                        avp(&mut given, name, values[value]);
                    }
                    Step::Used(key, used) => {
                        let quota = policies[current]
                            .monitoring()
                            .quota(KEYS[key].as_bytes(), used * 500_000_000);
                        given.set_quota(KEYS[key].as_bytes(), quota);
                    }
                    Step::Event(reported) => given.set_triggered(33, reported),
                    Step::Pass(seconds) => given.set_now(given.now() + seconds),
                    Step::Back(seconds) => given.set_now(given.now() - seconds),
                    Step::Edge(beside) => {
                        if let Some(until) = kept.as_ref().and_then(|kept| kept.memo.until())
                            && until < MONDAY + 1000 * DAY
                        {
                            given.set_now(until + beside);
                        }
                    }
                    Step::Reload(to) => current = to,
                    Step::Decide(kind) => {
                        let kind = Kind::ALL[kind];
                        let policy = &policies[current];
                        without.replace_inputs(Box::new(given.clone()));
                        let plain = policy.decide(&mut without, kind);
                        with.replace_inputs(Box::new(given.clone()));
                        decided.fetch_add(1, Ordering::Relaxed);
                        let hit = kept
                            .as_ref()
                            .is_some_and(|kept| with.holds(&form_of(&kept.memo), policy, kind));
                        if hit {
                            hits.fetch_add(1, Ordering::Relaxed);
                        } else {
                            policy.decide(&mut with, kind);
                            kept = Some(with.decision().clone());
                        }
                        let kept = kept.as_ref().unwrap();
                        prop_assert_eq!(&kept.wanted, &plain.wanted);
                        prop_assert_eq!(kept.refused, plain.refused);
                    }
                }
            }
            Ok(())
        })
        .unwrap();
    let (decided, hits) = (decided.into_inner(), hits.into_inner());
    println!("{hits} of {decided} decisions were remembered");
    // Else nothing was compared.
    assert!(hits * 10 > decided);
}

fn form_of(memo: &Memo) -> Vec<u8> {
    let mut bytes = Vec::new();
    memo.encode(&mut bytes);
    bytes
}

fn policies_once() -> &'static [Policy] {
    static POLICIES: std::sync::OnceLock<Vec<Policy>> = std::sync::OnceLock::new();
    POLICIES.get_or_init(policies)
}

#[test]
fn a_memo_holds_where_nothing_that_was_read_changed() {
    let policy = shipped("gx.conf");
    let mut runner = Runner::new(Box::new(asked(
        "internet",
        "gold",
        1,
        12 * HOUR,
        "00101",
        "yes",
    )));
    let made = policy.decide(&mut runner, Kind::Initial).memo.clone();
    let memo = form_of(&made);
    assert!(runner.holds(&memo, &policy, Kind::Update));
    for end in 0..memo.len() {
        assert!(!runner.holds(&memo[..end], &policy, Kind::Update));
    }
    assert!(!runner.holds(&memo, &policy, Kind::Terminate));
    let room = allocation_counter::measure(|| {
        assert!(runner.holds(&memo, &policy, Kind::Update));
    });
    assert_eq!(room.count_total, 0);
    let given = runner.inputs_mut::<Given>().unwrap();
    given.quota_mut(b"mk-gold").used = 7_900_000_000;
    given.set_subscriber(b"roaming", b"no");
    assert!(runner.holds(&memo, &policy, Kind::Update));
    runner
        .inputs_mut::<Given>()
        .unwrap()
        .quota_mut(b"mk-gold")
        .used = 8_000_000_000;
    assert!(!runner.holds(&memo, &policy, Kind::Update));
    assert!(
        made.reads()
            .any(|input| *input == Input::State("mk-gold".into()))
    );
    let other = shipped("gx-heavy.conf");
    assert!(!runner.holds(&memo, &other, Kind::Update));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn any_bytes_are_read_without_harm(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        Wanted::decode(&bytes);
        Memo::decode(&bytes);
        let mut versioned = vec![2];
        versioned.extend_from_slice(&bytes);
        Wanted::decode(&versioned);
        Memo::decode(&versioned);
        Subscribers::read("s.csv", bytes.clone());
        let mut reader = MemoryReader::new().with("rules.conf", bytes.clone()).with("monitoring.conf", bytes);
        let mut text = MemoryReader::new();
        std::mem::swap(&mut reader, &mut text);
        strowger::pcrf::policy::Rules::read("rules.conf".as_ref(), &mut text);
        strowger::pcrf::policy::Monitoring::read("monitoring.conf".as_ref(), &mut text);
    }

    #[test]
    fn any_data_is_decided_without_harm(
        application in 0usize..10,
        function in 0usize..7,
        data in "[a-z0-9=,./:&*()\"+ A-Z_-]{0,40}",
    ) {
        let applications = strowger::pcrf::policy::APPLICATIONS;
        let functions = strowger::pcrf::policy::FUNCTIONS;
        let line = format!("{}({data})", applications[application].name);
        let read = format!("NoOp(${{{}({data})}})", functions[function].name);
        let decision = decide(&[&line, &read], Given::at(MONDAY));
        prop_assert!(decision.priorities >= 1);
    }
}

/// Runs the command line in the folder of the crate.
#[cfg(feature = "cli")]
fn command(arguments: &[&str]) -> (i32, String, String) {
    let done = std::process::Command::new(env!("CARGO_BIN_EXE_strowger"))
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env_remove("TZ")
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (
        done.status.code().unwrap(),
        text(done.stdout),
        text(done.stderr),
    )
}

#[cfg(feature = "cli")]
#[test]
fn the_table_of_the_documentation_is_the_one_that_the_command_prints() {
    for (policy, page) in [
        ("dialplans/gx.conf", "pcrf-decisions.md"),
        ("dialplans/gx-heavy.conf", "pcrf-decisions-heavy.md"),
    ] {
        let (status, out, _) = command(&["pcrf", "decide", policy, "--table"]);
        assert_eq!(status, 0);
        let path = format!("{}/docs/{page}", env!("CARGO_MANIFEST_DIR"));
        assert_eq!(out, std::fs::read_to_string(path).unwrap(), "{page}");
    }
}

#[cfg(feature = "cli")]
#[test]
fn decide_keeps_its_contract() {
    let json = |more: &[&str]| -> (i32, serde_json::Value) {
        let all = [&["pcrf", "decide", "dialplans/gx.conf", "--json"], more].concat();
        let (status, out, err) = command(&all);
        (
            status,
            serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}{err}")),
        )
    };
    let (status, decided) = json(&[
        "--apn",
        "internet",
        "--imsi",
        "001010000000002",
        "--plmn",
        "00101",
        "--rat",
        "1004",
        "--at",
        "2026-11-30 20:00",
        "--installed",
        "basic-5m,old",
        "--type",
        "update",
    ]);
    assert_eq!(status, 0);
    assert_eq!(
        decided,
        serde_json::json!({
            "result": 2001,
            "experimental": null,
            "install": ["basic-2m"],
            "remove": ["basic-5m", "old"],
            "qos": {"qci": 9, "arp": 10, "ambr_dl": 5_000_000, "ambr_ul": 1_000_000},
            "triggers": ["PLMN_CHANGE", "RAT_CHANGE", "USAGE_REPORT"],
            "monitors": [],
            "revalidate": "2026-11-30T23:00:00Z",
            "reads": [
                {"input": "SUBSCRIBER(imsi)", "value": "001010000000002"},
                {"input": "AVP(Called-Station-Id)", "value": "internet"},
                {"input": "AVP(RAT-Type)", "value": "1004"},
                {"input": "SUBSCRIBER(status)", "value": "active"},
                {"input": "AVP(3GPP-SGSN-MCC-MNC)", "value": "00101"},
                {"input": "SUBSCRIBER(plan)", "value": "basic"},
            ],
            "priorities": 12,
        })
    );
    let gold = [
        "--apn",
        "internet",
        "--subscriber",
        "status=active",
        "--subscriber",
        "plan=gold",
        "--plmn",
        "00101",
    ];
    let (_, decided) = json(
        &[
            &gold[..],
            &[
                "--used",
                "mk-gold=600M",
                "--limit",
                "mk-gold=0.5G",
                "--at",
                "2026-11-30T03:30+02:00",
            ],
        ]
        .concat(),
    );
    assert_eq!(decided["install"], serde_json::json!(["night-free"]));
    assert_eq!(
        decided["monitors"],
        serde_json::json!([{"key": "mk-gold", "grant": 100_000_000}])
    );
    let (_, decided) = json(&["--imsi", "001010000000001"]);
    assert_eq!(
        (&decided["result"], &decided["experimental"]),
        (&serde_json::Value::Null, &5140.into())
    );
    let (_, empty) = json(&["--imsi", "001010000000001", "--apn", ""]);
    assert_eq!(empty, decided);
    let (_, decided) = json(&["--apn", "internet", "--imsi", "999"]);
    assert_eq!(
        (&decided["result"], &decided["qos"]),
        (&5030.into(), &serde_json::Value::Null)
    );
    for wrong in [
        &["--used", "nowhere=1G"][..],
        &["--limit", "nowhere=1G"],
        &["--session", "nothing=1"],
        &["--subscriber", "plna=gold"],
        &["--triggered", "99999"],
        &["--at", "99999999999999999"],
        &["--at", "2026-11-30 23:59:60"],
        &["--at", "1969-12-31 00:00"],
        &["--max-priorities", "99999999999"],
        &["--used", "mk-gold"],
        &["--used", "mk-gold=x"],
        &["--at", "soon"],
        &["--avp", "Nothing=1"],
        &["--rat", "nothing"],
    ] {
        let all = [&["pcrf", "decide", "dialplans/gx.conf"], wrong].concat();
        assert_eq!(command(&all).0, 2, "{wrong:?}");
    }
    assert_eq!(
        command(&["pcrf", "decide", "nowhere.conf", "--apn", "x"]).0,
        3
    );
    let (status, out, _) = command(&[
        "pcrf",
        "decide",
        "dialplans/gx.conf",
        "--apn",
        "ims",
        "--imsi",
        "001010000000001",
        "--plmn",
        "00101",
        "--trace",
    ]);
    assert_eq!(status, 0);
    assert!(
        out.contains("Executing [ims@apn:2] InstallRule(\"Gx\", \"ims-signalling\")"),
        "{out}"
    );
}

#[cfg(feature = "cli")]
#[test]
fn the_samples_fit_each_other() {
    for (imsi, rule) in [
        ("001010000000001", "gold-20m"),
        ("001010000000002", "basic-5m"),
        ("001010000000004", "silver-10m"),
        ("001010000000005", "family-10m"),
        ("001010000000007", "business-100m"),
    ] {
        let (status, out, err) = command(&[
            "pcrf",
            "decide",
            "dialplans/gx.conf",
            "--apn",
            "INTERNET",
            "--imsi",
            imsi,
            "--plmn",
            "00101",
            "--at",
            "2026-11-30 12:00",
        ]);
        assert_eq!(status, 0, "{err}");
        assert!(out.contains(rule), "{out}{err}");
    }
    let (_, _, err) = command(&[
        "pcrf",
        "decide",
        "dialplans/gx.conf",
        "--apn",
        "internet",
        "--subscriber",
        "status=active",
        "--subscriber",
        "plan=platinum",
        "--plmn",
        "00101",
    ]);
    assert!(err.contains("it ended at [internet@apn:1]"), "{err}");
    assert!(err.contains("dialplans/gx.conf:"), "{err}");
}

#[cfg(feature = "cli")]
#[test]
fn shipped_policies_have_nothing_to_complain_of() {
    let (status, out, err) = command(&[
        "pcrf",
        "check",
        "--deny",
        "warnings",
        "dialplans/gx.conf",
        "dialplans/gx-heavy.conf",
    ]);
    assert_eq!((status, out.as_str(), err.as_str()), (0, "", ""));
    let (status, out, _) = command(&["pcrf", "reads", "--json", "dialplans/gx.conf"]);
    let reads: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(status, 0);
    assert_eq!(reads["mask"]["all"], false);
    assert_eq!(reads["reads"][1]["input"], "AVP(Called-Station-Id)");
    assert_eq!(reads["reads"][1]["lines"].as_array().unwrap().len(), 3);
}
