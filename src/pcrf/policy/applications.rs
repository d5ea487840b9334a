//! The applications that decide. They only declare: what changes for a session is the difference to what it has.

use std::sync::Arc;

use crate::base::Text;
use crate::base::zone::Zone;
use crate::diagnostic::code;
use crate::library::{Application, Example};
use crate::machine::{Cx, Flow};
use crate::pcrf::diameter::ResultCode;

use super::amount::{option, small, when};
use super::deciding::{self, Deciding};
use super::definition::{Definition, arp, qci, rate};
use super::wanted::{Grant, Rule};
use super::wrong::{
    EVENTS_APART, NO_EVENTS, arguments, event, grant, is_time, is_unknown_key, no_event, no_key,
    no_rule, no_time, past, release_cause, several_rules, show,
};

/// Outside of a decision there is nothing to decide, and the dialplan goes on.
const OUTSIDE: &str = "Outside of a decision";

macro_rules! examples {
    ($line:literal) => {
        &[Example {
            title: OUTSIDE,
            dialplan: concat!($line, "\nSet(next=reached)"),
            evaluate: "${next}",
            expect: "reached",
        }]
    };
}

pub(super) static INSTALL_RULE: Application = Application::new(
    "InstallRule",
    "Wants a rule in the session.",
    "name[,activate=when][,deactivate=when]",
    "What the name means stands in rules.conf; a name that is not there must be known to the PCEF, which is said where \
     there is a rules.conf. Several names with `&` between are refused. Times are HH:MM[:SS], \
     YYYY-MM-DD HH:MM[:SS], +seconds, or seconds since 1970. Rules of the session that no decision wants are removed.",
    install_rule,
)
.own()
.examples(examples!("InstallRule(gold-20m)"));

pub(super) static DEFINE_RULE: Application = Application::new(
    "DefineRule",
    "Wants a rule in the session, and says what it is.",
    "name,setting=value[,…]",
    "The settings are those of rules.conf: qci, arp, mbr_dl, mbr_ul, gbr_dl, gbr_ul, flow (several), rating_group, \
     service, precedence, online, offline, metering, flow_status, monitoring_key; also activate and deactivate. Rates \
     are bits per second; k, M and G are powers of 1000. A flow with commas stands in quotes.",
    define_rule,
)
.own()
.examples(examples!("DefineRule(video,qci=6,mbr_dl=5M,flow=permit out ip from any to assigned)"));

pub(super) static REMOVE_RULE: Application = Application::new(
    "RemoveRule",
    "Takes back rules that were wanted so far.",
    "pattern",
    "In the pattern `*` stands for any text. A rule that is wanted again afterwards stays.",
    remove_rule,
)
.own()
.examples(examples!("RemoveRule(promo-*)"));

pub(super) static SET_QOS: Application = Application::new(
    "SetQoS",
    "Sets the quality of the session.",
    "[qci=class][,arp=level[/yes|no[/yes|no]]][,ambr_dl=rate][,ambr_ul=rate]",
    "Class and priority are those of the default bearer; the answers behind the priority say whether it may take \
     resources from others, and others from it. The rates are those of the whole APN in bits per second; k, M and G are \
     powers of 1000. What a later SetQoS says replaces what an earlier one said.",
    set_qos,
)
.own()
.examples(examples!("SetQoS(qci=8,arp=8,ambr_dl=20M,ambr_ul=5M)"));

pub(super) static MONITOR: Application = Application::new(
    "Monitor",
    "Wants usage of a monitoring key to be reported.",
    "key[,grant]",
    "The grant is the volume in bytes after which a report is due; k, M and G are powers of 1000. Without it the grant \
     is the one of monitoring.conf.",
    monitor,
)
.own()
.examples(examples!("Monitor(mk-gold,100M)"));

pub(super) static TRIGGER: Application = Application::new(
    "Trigger",
    "Wants the PCEF to ask at events.",
    "name[&name…]",
    "The names are those of Event-Trigger in TS 29.212, such as USAGE_REPORT or RAT_CHANGE; numbers do too. \
     NO_EVENT_TRIGGERS counts only where nothing else is wanted.",
    trigger,
)
.own()
.examples(examples!("Trigger(USAGE_REPORT&RAT_CHANGE)"));

pub(super) static REVALIDATE: Application = Application::new(
    "Revalidate",
    "Wants the PCEF to ask again at a time.",
    "when",
    "HH:MM[:SS] is the next time of that kind; YYYY-MM-DD HH:MM[:SS], +seconds and seconds since 1970 are understood \
     too. Of several the earliest counts; a time that is past does not.",
    revalidate,
)
.own()
.examples(examples!("Revalidate(23:00)"));

pub(super) static REJECT: Application = Application::new(
    "Reject",
    "Refuses the request and ends the decision.",
    "[code or name]",
    "The code is one of RFC 6733, RFC 8506 or TS 29.212, such as USER_UNKNOWN or 5140; without one it is \
     AUTHORIZATION_REJECTED, 5003. Nothing that was decided before counts.",
    reject,
)
.own()
.examples(examples!("Reject(USER_UNKNOWN)"));

pub(super) static RELEASE: Application = Application::new(
    "Release",
    "Wants the session to end.",
    "[cause]",
    "The causes are those of Session-Release-Cause in TS 29.212, by name or number; without one, or with one that is \
     not known, it is UNSPECIFIED_REASON.",
    release,
)
.own()
.examples(examples!("Release(UE_SUBSCRIPTION_REASON)"));

pub(super) static NOTIFY: Application = Application::new(
    "Notify",
    "Tells the operator.",
    "name",
    "One line of the event log for each session and name, and no second one until the state of a quota changes.",
    notify,
)
.own()
.examples(examples!("Notify(quota80)"));

fn complain(cx: &mut Cx<'_>, message: String) {
    cx.log(&code::DECISION_ARGUMENT, || message);
}

/// The decision that an application is to change, and its data; `None` where it cannot, which is said.
fn needs<'a>(cx: &'a mut Cx<'_>, what: &str, data: &[u8]) -> Option<&'a mut Deciding> {
    deciding::of(cx, what)?;
    if data.trim_ascii().is_empty() {
        complain(cx, format!("{what} needs an argument"));
        return None;
    }
    cx.attached()
}

/// `activate=` and `deactivate=`; whether it was one of them.
fn times(cx: &mut Cx<'_>, rule: &mut Rule, name: &[u8], value: &[u8]) -> bool {
    let slot = match name {
        b"activate" => &mut rule.activate,
        b"deactivate" => &mut rule.deactivate,
        _ => return false,
    };
    match moment(cx, value) {
        Some(at) => *slot = Some(at),
        None => complain(cx, no_time(value)),
    }
    true
}

/// A time that somebody names.
fn moment(cx: &mut Cx<'_>, text: &[u8]) -> Option<i64> {
    let deciding = cx.attached::<Deciding>()?;
    let when = when(text, deciding.inputs.now(), &Zone::local())?;
    deciding.holds_until(when.until);
    is_time(when.at).then_some(when.at)
}

fn install_rule(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    let Some(deciding) = needs(cx, "InstallRule", data) else {
        return Flow::Next;
    };
    let rules = deciding.companions.clone();
    let mut given = arguments(data);
    let name = given.next().unwrap_or_default();
    let name = name.trim_ascii();
    if name.is_empty() {
        complain(cx, "InstallRule needs the name of a rule".to_owned());
        return Flow::Next;
    }
    let mut rule = Rule::named(name, rules.rules.meaning(name));
    for argument in given {
        let (option, value) = option(&argument);
        if !value.is_some_and(|value| times(cx, &mut rule, option, value)) {
            complain(cx, format!("InstallRule has no `{}`", show(&argument)));
        }
    }
    if rule.meaning == 0 {
        if name.contains(&b'&') {
            complain(cx, several_rules(name));
            return Flow::Next;
        }
        if rules.rules.is_there() && !defined(cx, name) {
            cx.log(&code::DECISION_RULE_UNKNOWN, || no_rule(name));
        }
    }
    if let Some(deciding) = cx.attached::<Deciding>() {
        deciding.wanted.add_rule(rule);
    }
    Flow::Next
}

/// Whether the decision said before what the rule of this name is.
fn defined(cx: &mut Cx<'_>, name: &[u8]) -> bool {
    cx.attached::<Deciding>().is_some_and(|deciding| {
        let mut rules = deciding.wanted.rules.iter();
        rules.any(|rule| rule.name.as_bytes() == name && rule.definition.is_some())
    })
}

fn define_rule(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    if needs(cx, "DefineRule", data).is_none() {
        return Flow::Next;
    }
    let mut given = arguments(data);
    let name = given.next().unwrap_or_default();
    let name = name.trim_ascii();
    if name.is_empty() {
        complain(cx, "DefineRule needs the name of a rule".to_owned());
        return Flow::Next;
    }
    let mut rule = Rule::named(name, 0);
    let mut definition = Definition {
        kind: super::RuleKind::Defined,
        ..Definition::default()
    };
    for argument in given {
        let (option, value) = option(&argument);
        let value = value.unwrap_or(&[]);
        if times(cx, &mut rule, option, value) {
            continue;
        }
        match definition.define(option, value) {
            Ok(()) => {}
            Err(None) => complain(cx, format!("DefineRule has no `{}`", show(option))),
            Err(Some(wrong)) => {
                complain(
                    cx,
                    format!("`{}` cannot be `{}`: {wrong}", show(option), show(value)),
                );
            }
        }
    }
    rule.meaning = definition.hash();
    rule.definition = Some(Arc::new(definition));
    if let Some(deciding) = cx.attached::<Deciding>() {
        deciding.wanted.add_rule(rule);
    }
    Flow::Next
}

fn remove_rule(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    if let Some(deciding) = needs(cx, "RemoveRule", data) {
        deciding.wanted.remove_rules(data.trim_ascii());
    }
    Flow::Next
}

fn set_qos(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    let Some(deciding) = needs(cx, "SetQoS", data) else {
        return Flow::Next;
    };
    let mut qos = deciding.wanted.qos.unwrap_or_default();
    let mut wrong = Vec::new();
    for argument in arguments(data) {
        let (option, value) = option(&argument);
        let value = value.unwrap_or(&[]);
        let set = match option {
            b"qci" => qci(value).map(|qci| qos.qci = Some(qci)),
            b"arp" => arp(value).map(|arp| qos.arp = Some(arp)),
            b"ambr_dl" => rate(value).map(|rate| qos.ambr_dl = Some(rate)),
            b"ambr_ul" => rate(value).map(|rate| qos.ambr_ul = Some(rate)),
            _ => Err("SetQoS has qci, arp, ambr_dl and ambr_ul"),
        };
        if let Err(why) = set {
            wrong.push(format!("`{}`: {why}", show(&argument)));
        }
    }
    deciding.wanted.qos = Some(qos);
    for message in wrong {
        complain(cx, message);
    }
    Flow::Next
}

fn monitor(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    let Some(deciding) = needs(cx, "Monitor", data) else {
        return Flow::Next;
    };
    let mut given = arguments(data);
    let key = given.next().unwrap_or_default();
    let key = key.trim_ascii();
    let usual = deciding.companions.monitoring.key(key);
    let usual = usual.and_then(|known| known.grant);
    let volume = given.next().unwrap_or_default();
    let volume = volume.trim_ascii();
    let said = grant(volume);
    if key.is_empty() {
        complain(cx, "Monitor needs a monitoring key".to_owned());
        return Flow::Next;
    }
    let unknown = is_unknown_key(&deciding.companions.monitoring, key);
    deciding.wanted.add_monitor(Grant {
        key: Text::from(key),
        grant: said.ok().or(usual),
    });
    if let Err(why) = said
        && !volume.is_empty()
    {
        complain(cx, format!("`{}`: {why}", show(volume)));
    }
    if unknown {
        cx.log(&code::DECISION_KEY_UNKNOWN, || no_key(key));
    }
    Flow::Next
}

fn trigger(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    let Some(deciding) = needs(cx, "Trigger", data) else {
        return Flow::Next;
    };
    let mut wrong = Vec::new();
    for name in data.split(|&byte| byte == b'&').map(<[u8]>::trim_ascii) {
        match event(name) {
            Some(event) => deciding.wanted.add_trigger(event),
            None => wrong.push(no_event(name)),
        }
    }
    let wanted = &mut deciding.wanted;
    if wanted.triggers.len() > 1 && wanted.triggers.contains(&NO_EVENTS) {
        wanted.triggers.retain(|event| *event != NO_EVENTS);
        wrong.push(EVENTS_APART.to_owned());
    }
    for message in wrong {
        complain(cx, message);
    }
    Flow::Next
}

fn revalidate(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    if needs(cx, "Revalidate", data).is_none() {
        return Flow::Next;
    }
    let Some(at) = moment(cx, data) else {
        complain(cx, no_time(data));
        return Flow::Next;
    };
    if let Some(deciding) = cx.attached::<Deciding>() {
        if at <= deciding.inputs.now() {
            complain(cx, past(data));
            return Flow::Next;
        }
        // Then it is in the past.
        deciding.holds_until(at);
        let earlier = deciding.wanted.revalidate.map_or(at, |known| known.min(at));
        deciding.wanted.revalidate = Some(earlier);
    }
    Flow::Next
}

/// A result that refuses, by name or number.
pub(super) fn result(text: &[u8]) -> Option<ResultCode> {
    let text = text.trim_ascii();
    let known = match small(text) {
        None => ResultCode::by_name(text),
        Some(number) => ResultCode::NAMED
            .iter()
            .map(|(_, result)| *result)
            .find(|result| result.value == number)
            .or(Some(ResultCode {
                value: number,
                vendor: 0,
            })),
    };
    // What begins with 3 is for the protocol, with 4 and 5 for the application.
    known.filter(|result| (3000..6000).contains(&result.value))
}

fn reject(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    let Some(deciding) = deciding::of(cx, "Reject") else {
        return Flow::Next;
    };
    let said = result(data);
    deciding.refused = Some(said.unwrap_or(ResultCode::AUTHORIZATION_REJECTED));
    if said.is_none() && !data.trim_ascii().is_empty() {
        complain(cx, format!("`{}` is no result that refuses", show(data)));
    }
    Flow::Leave
}

fn release(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    let Some(deciding) = deciding::of(cx, "Release") else {
        return Flow::Next;
    };
    let text = data.trim_ascii();
    let said = release_cause(text);
    deciding.wanted.release = Some(said.unwrap_or(0));
    if said.is_none() && !text.is_empty() {
        complain(cx, format!("`{}` is no cause of a release", show(text)));
    }
    Flow::Next
}

fn notify(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    if let Some(deciding) = needs(cx, "Notify", data) {
        deciding.wanted.add_notify(data.trim_ascii());
    }
    Flow::Next
}
