//! The table of decisions: APN by plan by quota by time by network.

use std::fmt::Write as _;
use std::path::Path;

use super::outcome::utc;
use crate::pcrf::diameter::{ResultCode, id};
use crate::pcrf::policy::{
    AvpPath, Decision, Definition, Given, Kind, Policy, Qos, Runner, avp_named,
};

/// What is asked: APN, status, plan, gigabytes used of the plan's key, time, PLMN, whether roaming is allowed.
type Asked = (
    &'static str,
    &'static str,
    &'static str,
    u64,
    &'static str,
    &'static str,
    &'static str,
);

const HOME: &str = "00101";
const ABROAD: &str = "26201";
const NOON: &str = "2026-11-30 12:00";
const EVENING: &str = "2026-11-30 20:00";
const NIGHT: &str = "2026-11-30 02:00";

/// The rows. 2026-11-30 is a Monday, 2026-11-29 a Sunday.
const ROWS: &[Asked] = &[
    ("internet", "active", "gold", 1, NOON, HOME, "yes"),
    ("internet", "active", "gold", 1, EVENING, HOME, "yes"),
    ("internet", "active", "gold", 1, NIGHT, HOME, "yes"),
    ("internet", "active", "gold", 8, NOON, HOME, "yes"),
    ("internet", "active", "gold", 9, NOON, HOME, "yes"),
    ("internet", "active", "gold", 9, NIGHT, HOME, "yes"),
    ("internet", "active", "gold", 10, NOON, HOME, "yes"),
    ("internet", "active", "gold", 12, NOON, HOME, "yes"),
    ("internet", "active", "gold", 12, EVENING, HOME, "yes"),
    (
        "internet",
        "active",
        "gold",
        12,
        "2026-11-30 00:59",
        HOME,
        "yes",
    ),
    (
        "internet",
        "active",
        "gold",
        12,
        "2026-11-30 01:00",
        HOME,
        "yes",
    ),
    ("internet", "active", "gold", 12, NIGHT, HOME, "yes"),
    (
        "internet",
        "active",
        "gold",
        12,
        "2026-11-30 05:59",
        HOME,
        "yes",
    ),
    (
        "internet",
        "active",
        "gold",
        12,
        "2026-11-30 06:00",
        HOME,
        "yes",
    ),
    ("internet", "active", "basic", 0, NOON, HOME, "yes"),
    ("internet", "active", "basic", 12, NOON, HOME, "yes"),
    (
        "internet",
        "active",
        "basic",
        0,
        "2026-11-30 17:59",
        HOME,
        "yes",
    ),
    (
        "internet",
        "active",
        "basic",
        0,
        "2026-11-30 18:00",
        HOME,
        "yes",
    ),
    ("internet", "active", "basic", 0, EVENING, HOME, "yes"),
    (
        "internet",
        "active",
        "basic",
        0,
        "2026-11-30 22:59",
        HOME,
        "yes",
    ),
    (
        "internet",
        "active",
        "basic",
        0,
        "2026-11-30 23:00",
        HOME,
        "yes",
    ),
    (
        "internet",
        "active",
        "basic",
        0,
        "2026-11-29 20:00",
        HOME,
        "yes",
    ),
    ("internet", "active", "basic", 0, NIGHT, HOME, "yes"),
    ("internet", "active", "silver", 1, NOON, HOME, "yes"),
    ("internet", "active", "silver", 4, NOON, HOME, "yes"),
    ("internet", "active", "silver", 5, NOON, HOME, "yes"),
    ("internet", "active", "family", 1, NOON, HOME, "yes"),
    ("internet", "active", "family", 15, NOON, HOME, "yes"),
    ("internet", "active", "family", 20, NOON, HOME, "yes"),
    ("internet", "active", "business", 0, NOON, HOME, "yes"),
    ("internet", "active", "platinum", 0, NOON, HOME, "yes"),
    ("INTERNET", "active", "gold", 1, NOON, HOME, "yes"),
    ("9abc", "active", "gold", 1, NOON, HOME, "yes"),
    ("9abc", "active", "gold", 1, NOON, ABROAD, "yes"),
    ("internet", "barred", "gold", 1, NOON, HOME, "yes"),
    ("internet", "barred", "gold", 1, NOON, ABROAD, "yes"),
    ("ims", "active", "gold", 1, NOON, HOME, "yes"),
    ("ims", "active", "gold", 12, NIGHT, HOME, "yes"),
    ("ims", "active", "basic", 0, EVENING, HOME, "no"),
    ("iot.meter", "active", "gold", 1, NOON, HOME, "yes"),
    ("iot.meter", "active", "basic", 0, EVENING, HOME, "no"),
    ("iotmeter", "active", "basic", 0, NOON, HOME, "yes"),
    ("corporate", "active", "gold", 1, NOON, HOME, "yes"),
    ("corporate", "active", "basic", 0, NIGHT, HOME, "no"),
    ("Corporate", "active", "gold", 1, NOON, HOME, "yes"),
    ("internet", "active", "gold", 1, NOON, ABROAD, "yes"),
    ("internet", "active", "gold", 12, NIGHT, ABROAD, "yes"),
    ("internet", "active", "basic", 0, EVENING, ABROAD, "yes"),
    ("internet", "active", "gold", 1, NOON, ABROAD, "no"),
    ("ims", "active", "gold", 1, NOON, ABROAD, "yes"),
    ("ims", "active", "basic", 0, NIGHT, ABROAD, "no"),
    ("iot.meter", "active", "basic", 0, NOON, ABROAD, "yes"),
    ("corporate", "active", "gold", 1, NOON, ABROAD, "no"),
];

const HEAD: &str = "\
| APN | status | plan | GB | time | network | roaming | answer | rules | quality | asks again | told |
|---|---|---|---|---|---|---|---|---|---|---|---|
";

/// The table as Markdown.
pub(super) fn text(policy: &Policy, path: &Path) -> String {
    let path = path.display();
    let mut out = format!(
        "# Decisions of {path}\n\n\
         Made by `strowger pcrf decide {path} --table`; a test compares it. Gigabytes are those of the key of the plan, such as\n\
         mk-gold. Times are UTC; 2026-11-30 is a Monday. Home is 00101. What ends with 5012 is what the sample says nothing of,\n\
         such as a plan that it does not have. Names of APNs have no case.\n\n{HEAD}"
    );
    let mut runner = Runner::new(Box::new(Given::default()));
    for asked in ROWS {
        let Some(inputs) = given(policy, asked) else {
            continue;
        };
        runner.replace_inputs(Box::new(inputs));
        let decision = policy.decide(&mut runner, Kind::Initial);
        let (apn, status, plan, used, at, plmn, roaming) = asked;
        let network = if *plmn == HOME { "home" } else { "abroad" };
        let _ = writeln!(
            out,
            "| {apn} | {status} | {plan} | {used} | {at} | {network} | {roaming} | {} |",
            cells(decision).join(" | ")
        );
    }
    out
}

fn given(policy: &Policy, asked: &Asked) -> Option<Given> {
    let (apn, status, plan, used, at, plmn, roaming) = *asked;
    let civil: jiff::civil::DateTime = at.parse().ok()?;
    let at = jiff::tz::TimeZone::UTC
        .to_timestamp(civil)
        .ok()?
        .as_second();
    let mut given = Given::at(at);
    for (avp, value) in [
        (id::CALLED_STATION_ID, apn),
        (avp_named(b"3GPP-SGSN-MCC-MNC")?, plmn),
        (id::RAT_TYPE, "1004"),
    ] {
        given.set_avp(AvpPath::first(avp), Some(value.as_bytes()));
    }
    for (field, value) in [
        ("imsi", "001010000000001"),
        ("status", status),
        ("plan", plan),
        ("roaming", roaming),
        ("family", if plan == "family" { "f17" } else { "" }),
    ] {
        given.set_subscriber(field.as_bytes(), value.as_bytes());
    }
    for name in policy.monitoring().names() {
        let of_plan = name.strip_prefix(b"mk-") == Some(plan.as_bytes());
        let used = if of_plan { used * 1_000_000_000 } else { 0 };
        given.set_quota(name, policy.monitoring().quota(name, used));
    }
    Some(given)
}

fn cells(decision: &Decision) -> [String; 5] {
    let wanted = &decision.wanted;
    let result = decision.refused.unwrap_or(ResultCode::SUCCESS);
    let answer = match (decision.refused, result.name()) {
        (Some(_), Some(name)) => format!("{} {name}", result.value),
        _ => result.value.to_string(),
    };
    let rules: Vec<String> = wanted
        .rules
        .iter()
        .map(|rule| rule.name.to_string())
        .collect();
    let told: Vec<String> = wanted.notify.iter().map(ToString::to_string).collect();
    let dash = |text: String| {
        if text.is_empty() {
            "–".to_owned()
        } else {
            text
        }
    };
    [
        answer,
        dash(rules.join(", ")),
        dash(wanted.qos.as_ref().map(quality).unwrap_or_default()),
        dash(wanted.revalidate.map(utc).unwrap_or_default()),
        dash(told.join(", ")),
    ]
}

/// A rate with the largest unit that divides it.
fn rate(rate: u64) -> String {
    for (unit, name) in [(1_000_000_000, "G"), (1_000_000, "M"), (1_000, "k")] {
        if rate >= unit && rate.is_multiple_of(unit) {
            return format!("{}{name}", rate / unit);
        }
    }
    rate.to_string()
}

/// The quality of a session for people.
pub(super) fn quality(qos: &Qos) -> String {
    let rates = [("down", qos.ambr_dl), ("up", qos.ambr_ul)];
    let mut parts = Vec::new();
    parts.extend(qos.qci.map(|qci| format!("qci {qci}")));
    parts.extend(qos.arp.map(|arp| format!("arp {}", arp.level)));
    parts.extend(
        rates
            .iter()
            .filter_map(|(way, at)| Some(format!("{} {way}", rate((*at)?)))),
    );
    parts.join(" ")
}

/// What a rule is, in brackets.
pub(super) fn definition(definition: &Definition) -> String {
    let rates = [("down", definition.mbr_dl), ("up", definition.mbr_ul)];
    let mut parts = Vec::new();
    parts.extend(definition.qci.map(|qci| format!("qci {qci}")));
    parts.extend(
        rates
            .iter()
            .filter_map(|(way, at)| Some(format!("{} {way}", rate((*at)?)))),
    );
    parts.extend(
        definition
            .rating_group
            .map(|group| format!("rating group {group}")),
    );
    parts.extend(definition.flows.iter().map(|flow| flow.filter.to_string()));
    if parts.is_empty() {
        " (known to the PCEF)".to_owned()
    } else {
        format!(" ({})", parts.join(", "))
    }
}
