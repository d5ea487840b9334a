//! What is wrong with the arguments of decisions: said with the line where they are constant, when a policy is read, and
//! in the log of a decision where they are computed.

use std::borrow::Cow;

use crate::base::arguments::{Split, parts};
use crate::base::zone::Zone;
use crate::pcrf::diameter::{AvpId, id};

use super::Companions;
use super::amount::{amount, option, small, when};
use super::applications::result;
use super::definition::{Definition, arp, qci, rate};
use super::monitoring_conf::Monitoring;

/// Times before 2001 are mistakes: a number of seconds from now has a `+`.
const EARLIEST: i64 = 1_000_000_000;
/// The last second that Diameter's Time can say, RFC 6733 §4.3.1 with RFC 4330 §3: in 2104.
const LATEST: i64 = 4_233_462_143;
/// NO_EVENT_TRIGGERS of Event-Trigger.
pub(super) const NO_EVENTS: u32 = 14;
/// The fields of a session.
pub(super) const SESSION_FIELDS: &[&str] =
    &["id", "peer", "apn", "ip", "imsi", "msisdn", "started"];

pub(super) fn show(text: &[u8]) -> &bstr::BStr {
    bstr::BStr::new(text)
}

/// Arguments between commas; quotes protect commas.
pub(super) fn arguments(data: &[u8]) -> impl Iterator<Item = Cow<'_, [u8]>> {
    let how = Split {
        delimiter: b',',
        slots: 64,
        remove: true,
    };
    parts(data, how)
}

/// A value that has a name in TS 29.212, by its name or number.
fn value_of(avp: AvpId, text: &[u8]) -> Option<u32> {
    let kind = avp.avp().kind;
    kind.value_by_name(text)
        .or_else(|| small(text).filter(|number| kind.value_name(*number).is_some()))
}

/// Numbers of Event-Trigger that releases after the dictionary's may name.
const LATER_EVENTS: std::ops::RangeInclusive<u32> = 49..=127;

/// The value of an event's name, or of its number.
pub fn event(name: &[u8]) -> Option<u32> {
    value_of(id::EVENT_TRIGGER, name)
        .or_else(|| small(name).filter(|number| LATER_EVENTS.contains(number)))
}

/// A cause of a release, by name or number.
pub fn release_cause(text: &[u8]) -> Option<u32> {
    value_of(id::SESSION_RELEASE_CAUSE, text.trim_ascii())
}

/// Whether a session has a field of this name.
pub fn is_session_field(name: &[u8]) -> bool {
    SESSION_FIELDS.iter().any(|field| field.as_bytes() == name)
}

/// `yes` or `no`, and what else means them.
pub(super) fn yes_or_no(text: &[u8]) -> Result<bool, &'static str> {
    match text.trim_ascii().to_ascii_lowercase().as_slice() {
        b"yes" | b"true" | b"on" | b"y" | b"t" | b"1" => Ok(true),
        b"no" | b"false" | b"off" | b"n" | b"f" | b"0" => Ok(false),
        _ => Err("yes or no is wanted"),
    }
}

/// A volume that may be granted.
pub(super) fn grant(text: &[u8]) -> Result<u64, &'static str> {
    match amount(text) {
        Some(0) => Err("a grant of nothing would be used up at once"),
        Some(volume) => Ok(volume),
        None => Err("a volume is a number of bytes, perhaps with k, M, G or T"),
    }
}

pub(super) fn no_event(name: &[u8]) -> String {
    format!("no event `{}` is known", show(name))
}

pub(super) const EVENTS_APART: &str =
    "NO_EVENT_TRIGGERS disarms all events: beside others it does not count";

pub(super) fn no_rule(name: &[u8]) -> String {
    format!("no rule `{}` stands in rules.conf", show(name))
}

pub(super) fn several_rules(name: &[u8]) -> String {
    format!(
        "InstallRule takes one rule, not `{}`: write a line for each",
        show(name)
    )
}

pub(super) fn no_key(name: &[u8]) -> String {
    format!("no key `{}` stands in monitoring.conf", show(name))
}

pub(super) fn no_session_field(name: &[u8]) -> String {
    format!(
        "a session has no field `{}`, only {}",
        show(name),
        SESSION_FIELDS.join(", ")
    )
}

pub(super) fn no_time(text: &[u8]) -> String {
    format!("`{}` is no time", show(text))
}

pub(super) fn past(text: &[u8]) -> String {
    let text = text.trim_ascii();
    let mut message = format!("`{}` is in the past", show(text));
    if small(text).is_some() {
        message.push_str(&format!("; seconds from now are written `+{}`", show(text)));
    }
    message
}

/// Whether a time can be meant: not before policies were, nor later than Gx can say.
pub(super) fn is_time(at: i64) -> bool {
    (EARLIEST..=LATEST).contains(&at)
}

/// Whether a policy with a list of keys lacks this one.
pub(super) fn is_unknown_key(monitoring: &Monitoring, name: &[u8]) -> bool {
    monitoring.is_there() && monitoring.key(name).is_none()
}

/// What is wrong with a constant time, whenever the decision will be.
fn time(text: &[u8], wrong: &mut Vec<String>) {
    match when(text, EARLIEST, &Zone::utc()) {
        Some(when) if when.at < EARLIEST => wrong.push(past(text)),
        Some(when) if is_time(when.at) => {}
        _ => wrong.push(no_time(text)),
    }
}

/// What is wrong with constant arguments of an application; what holds a hole is computed, and passed over.
pub(super) fn constants(
    application: &[u8],
    data: &[u8],
    hole: u8,
    companions: &Companions,
) -> Vec<String> {
    let mut wrong = Vec::new();
    let fixed = |text: &[u8]| !text.contains(&hole);
    let data = data.trim_ascii();
    match application.to_ascii_lowercase().as_slice() {
        b"installrule" | b"definerule" => rule(application, data, hole, companions, &mut wrong),
        b"setqos" => {
            if data.is_empty() {
                wrong.push("SetQoS needs an argument".to_owned());
                return wrong;
            }
            for argument in arguments(data) {
                let (option, value) = option(&argument);
                let value = value.unwrap_or(&[]);
                if !fixed(option) {
                    continue;
                }
                let known = [&b"qci"[..], b"arp", b"ambr_dl", b"ambr_ul"].contains(&option);
                let why = match option {
                    _ if known && !fixed(value) => None,
                    b"qci" => qci(value).err(),
                    b"arp" => arp(value).err(),
                    b"ambr_dl" | b"ambr_ul" => rate(value).err(),
                    _ => Some("SetQoS has qci, arp, ambr_dl and ambr_ul"),
                };
                if let Some(why) = why {
                    wrong.push(format!("`{}`: {why}", show(&argument)));
                }
            }
        }
        b"monitor" => {
            let mut given = arguments(data);
            let key = given.next().unwrap_or_default();
            let volume = given.next().unwrap_or_default();
            if key.trim_ascii().is_empty() {
                wrong.push("Monitor needs a monitoring key".to_owned());
            }
            let volume = volume.trim_ascii();
            if !volume.is_empty()
                && fixed(volume)
                && fixed(&key)
                && let Err(why) = grant(volume)
            {
                wrong.push(format!("`{}`: {why}", show(volume)));
            }
        }
        b"trigger" => {
            let mut known = Vec::new();
            for name in data.split(|&byte| byte == b'&').map(<[u8]>::trim_ascii) {
                if !fixed(name) {
                    continue;
                }
                match event(name) {
                    Some(event) => known.push(event),
                    None => wrong.push(no_event(name)),
                }
            }
            if known.contains(&NO_EVENTS) && data.contains(&b'&') {
                wrong.push(EVENTS_APART.to_owned());
            }
        }
        b"revalidate" if fixed(data) => time(data, &mut wrong),
        b"reject" if fixed(data) && !data.is_empty() && result(data).is_none() => {
            wrong.push(format!("`{}` is no result that refuses", show(data)));
        }
        b"release" if fixed(data) && !data.is_empty() && release_cause(data).is_none() => {
            wrong.push(format!("`{}` is no cause of a release", show(data)));
        }
        b"removerule" | b"notify" if data.is_empty() => {
            wrong.push(format!("{} needs an argument", show(application)));
        }
        _ => {}
    }
    wrong
}

fn rule(
    application: &[u8],
    data: &[u8],
    hole: u8,
    companions: &Companions,
    wrong: &mut Vec<String>,
) {
    let fixed = |text: &[u8]| !text.contains(&hole);
    let defines = application.eq_ignore_ascii_case(b"DefineRule");
    let mut given = arguments(data);
    let name = given.next().unwrap_or_default();
    let name = name.trim_ascii();
    if name.is_empty() {
        wrong.push(format!("{} needs the name of a rule", show(application)));
    }
    if !defines
        && fixed(name)
        && name.contains(&b'&')
        && companions.rules.definition(name).is_none()
    {
        wrong.push(several_rules(name));
    }
    // A computed name may bring arguments of its own; those behind it are looked at all the same.
    let mut definition = Definition::default();
    for argument in given {
        let (option, value) = option(&argument);
        if !fixed(option) {
            continue;
        }
        let of_time = matches!(option, b"activate" | b"deactivate");
        match value {
            Some(value) if of_time && fixed(value) => time(value, wrong),
            Some(_) if of_time => {}
            _ if !defines => wrong.push(format!("InstallRule has no `{}`", show(&argument))),
            None => wrong.push(format!("`{}` has no value", show(&argument))),
            Some(value) if !fixed(value) => {
                if !Definition::has(option) {
                    wrong.push(format!("DefineRule has no `{}`", show(option)));
                }
            }
            Some(value) => match definition.define(option, value) {
                Ok(()) => {}
                Err(None) => wrong.push(format!("DefineRule has no `{}`", show(option))),
                Err(Some(why)) => {
                    wrong.push(format!(
                        "`{}` cannot be `{}`: {why}",
                        show(option),
                        show(value)
                    ));
                }
            },
        }
    }
}
