//! `AVP()`, `SUBSCRIBER()`, `QUOTA_STATE()`, `QUOTA()`, `USAGE()`, `SESSION()`, `TRIGGERED()`.

use crate::base::Text;
use crate::base::arguments::Few;
use crate::diagnostic::code;
use crate::library::{Example, Function};
use crate::machine::{Answer, Cx};
use crate::pcrf::diameter::dictionary::AvpId;

use super::amount::small;
use super::deciding::{self, Deciding};
use super::inputs::{AvpPath, Input, QuotaItem, avp_named};
use super::wrong::{event, is_session_field, is_unknown_key, no_event, no_key, no_session_field};

/// Outside of a decision there is nothing to read.
const OUTSIDE: &str = "Outside of a decision";

pub(super) static AVP: Function = Function::read(
    "AVP",
    "A field of the Gx request.",
    "name[,index][,subname]",
    "The AVP has the name that RFC 6733, RFC 8506 and TS 29.212 use. Numbers and enumerated values are decimal digits, \
     texts stand as they are, addresses as people write them, other bytes as hexadecimal digits. The index says which \
     of several, from 0; with a subname it is the AVP of that name in the group. Empty where the request has none.",
    avp,
)
.own()
.pure()
.examples(&[Example {
    title: OUTSIDE,
    dialplan: "",
    evaluate: "[${AVP(Called-Station-Id)}]",
    expect: "[]",
}]);

pub(super) static SUBSCRIBER: Function = Function::read(
    "SUBSCRIBER",
    "A field of the subscriber.",
    "field",
    "Fields are the columns of the file of subscribers, such as imsi, msisdn, status, plan, roaming. Empty where there \
     is no such field.",
    |cx, arguments, out| read(cx, "SUBSCRIBER()", Input::Subscriber(Text::from(arguments.trim_ascii())), out),
)
.own()
.pure()
.examples(&[Example {
    title: OUTSIDE,
    dialplan: "",
    evaluate: "[${SUBSCRIBER(plan)}]",
    expect: "[]",
}]);

pub(super) static QUOTA_STATE: Function = Function::read(
    "QUOTA_STATE",
    "How far a quota is used: ok, warn, exhausted or none.",
    "key",
    "Limits and warnings of monitoring keys are in monitoring.conf; a key without a limit is none. This changes only \
     when a limit is crossed, so a decision that reads it need not run at every report, as one does that reads USAGE().",
    |cx, arguments, out| counted(cx, "QUOTA_STATE()", arguments, Input::State, out),
)
.own()
.pure()
.examples(&[Example {
    title: OUTSIDE,
    dialplan: "",
    evaluate: "[${QUOTA_STATE(mk-gold)}]",
    expect: "[]",
}]);

pub(super) static QUOTA: Function = Function::read(
    "QUOTA",
    "What is left of a quota.",
    "key[,left|limit|percent]",
    "Bytes that are left, the limit in bytes, or the per cent of it that are used. Empty for a key without a limit.",
    quota,
)
.own()
.pure()
.examples(&[Example {
    title: OUTSIDE,
    dialplan: "",
    evaluate: "[${QUOTA(mk-gold,percent)}]",
    expect: "[]",
}]);

pub(super) static USAGE: Function = Function::read(
    "USAGE",
    "Bytes used of a monitoring key in this period.",
    "key",
    "Changes at every report: a decision that reads it runs at every report. QUOTA_STATE() changes only at limits.",
    |cx, arguments, out| counted(cx, "USAGE()", arguments, Input::Usage, out),
)
.own()
.pure()
.examples(&[Example {
    title: OUTSIDE,
    dialplan: "",
    evaluate: "[${USAGE(mk-gold)}]",
    expect: "[]",
}]);

pub(super) static SESSION: Function = Function::read(
    "SESSION",
    "A field of the Gx session.",
    "field",
    "Fields are id, peer, apn, ip, imsi, msisdn, started (seconds since 1970). Empty where there is no such field.",
    session,
)
.own()
.pure()
.examples(&[Example {
    title: OUTSIDE,
    dialplan: "",
    evaluate: "[${SESSION(id)}]",
    expect: "[]",
}]);

pub(super) static TRIGGERED: Function = Function::read(
    "TRIGGERED",
    "Whether the request reports an event: 1 or 0.",
    "name",
    "The names are those of Event-Trigger in TS 29.212, such as USAGE_REPORT or RAT_CHANGE; a number does too.",
    triggered,
)
.own()
.pure()
.examples(&[Example {
    title: OUTSIDE,
    dialplan: "",
    evaluate: "[${TRIGGERED(USAGE_REPORT)}]",
    expect: "[]",
}]);

fn read(cx: &mut Cx<'_>, what: &str, input: Input, out: &mut Vec<u8>) -> Answer {
    let Some(deciding) = deciding::of(cx, what) else {
        return Answer::Failed;
    };
    deciding.read(input, out);
    Answer::Done
}

/// Reads what is counted of a key; one that nobody knows is said, and has no limit.
fn counted(
    cx: &mut Cx<'_>,
    what: &str,
    key: &[u8],
    input: fn(Text) -> Input,
    out: &mut Vec<u8>,
) -> Answer {
    let key = key.trim_ascii();
    let answer = read(cx, what, input(Text::from(key)), out);
    let unknown = cx
        .attached::<Deciding>()
        .is_some_and(|deciding| is_unknown_key(&deciding.companions.monitoring, key));
    if unknown {
        cx.log(&code::DECISION_KEY_UNKNOWN, || no_key(key));
    }
    answer
}

fn session(cx: &mut Cx<'_>, arguments: &[u8], out: &mut Vec<u8>) -> Answer {
    let field = arguments.trim_ascii();
    let answer = read(cx, "SESSION()", Input::Session(Text::from(field)), out);
    if matches!(answer, Answer::Done) && !is_session_field(field) {
        return wrong(cx, no_session_field(field));
    }
    answer
}

fn wrong(cx: &mut Cx<'_>, message: String) -> Answer {
    cx.log(&code::DECISION_ARGUMENT, || message);
    Answer::Failed
}

fn avp(cx: &mut Cx<'_>, arguments: &[u8], out: &mut Vec<u8>) -> Answer {
    if deciding::of(cx, "AVP()").is_none() {
        return Answer::Failed;
    }
    match path(cx, arguments) {
        Ok(path) => read(cx, "AVP()", Input::Avp(path), out),
        Err(message) => wrong(cx, message),
    }
}

/// Reads `name[,index][,subname]`.
pub(super) fn avp_path(
    arguments: &[u8],
    named: &mut dyn FnMut(&[u8]) -> Option<AvpId>,
) -> Result<AvpPath, String> {
    let mut find = |name: &[u8]| {
        named(name).ok_or_else(|| format!("no AVP `{}` is known", bstr::BStr::new(name)))
    };
    if memchr::memchr(b',', arguments).is_none() {
        return Ok(AvpPath::first(find(arguments.trim_ascii())?));
    }
    let arguments = Few::<3>::standard(arguments);
    let avp = find(arguments.get(0).unwrap_or(&[]).trim_ascii())?;
    let second = arguments.get(1).unwrap_or(&[]).trim_ascii();
    let third = arguments.get(2).map(<[u8]>::trim_ascii);
    let (index, sub) = match small(second) {
        Some(index) => (index, third),
        None if second.is_empty() => (0, third),
        None if third.is_none() => (0, Some(second)),
        None => return Err(format!("`{}` is no index", bstr::BStr::new(second))),
    };
    let sub = match sub.filter(|sub| !sub.is_empty()) {
        None => None,
        Some(sub) => Some(find(sub)?),
    };
    Ok(AvpPath {
        avp,
        index: u16::try_from(index).unwrap_or(u16::MAX),
        sub,
    })
}

fn path(cx: &mut Cx<'_>, arguments: &[u8]) -> Result<AvpPath, String> {
    let mut names = cx
        .attached::<Deciding>()
        .map(|deciding| std::mem::take(&mut deciding.names))
        .unwrap_or_default();
    let path = avp_path(arguments, &mut |name| {
        if let Some((_, avp)) = names.iter().find(|(known, _)| known.as_bytes() == name) {
            return Some(*avp);
        }
        let avp = avp_named(name)?;
        if names.len() < super::deciding::NAMES {
            names.push((Text::from(name), avp));
        }
        Some(avp)
    });
    if let Some(deciding) = cx.attached::<Deciding>() {
        deciding.names = names;
    }
    path
}

fn triggered(cx: &mut Cx<'_>, arguments: &[u8], out: &mut Vec<u8>) -> Answer {
    if deciding::of(cx, "TRIGGERED()").is_none() {
        return Answer::Failed;
    }
    let name = arguments.trim_ascii();
    if let Some(event) = event(name) {
        return read(cx, "TRIGGERED()", Input::Triggered(event), out);
    }
    wrong(cx, no_event(name))
}

/// Which item of a quota.
pub(super) fn quota_item(word: &[u8]) -> Option<QuotaItem> {
    Some(match word {
        b"" | b"left" => QuotaItem::Left,
        b"limit" => QuotaItem::Limit,
        b"percent" => QuotaItem::Percent,
        _ => return None,
    })
}

pub(super) fn no_quota_item(word: &[u8]) -> String {
    format!("`{}` is not left, limit or percent", bstr::BStr::new(word))
}

fn quota(cx: &mut Cx<'_>, arguments: &[u8], out: &mut Vec<u8>) -> Answer {
    if deciding::of(cx, "QUOTA()").is_none() {
        return Answer::Failed;
    }
    let arguments = Few::<2>::standard(arguments);
    let key = arguments.get(0).unwrap_or(&[]).trim_ascii();
    let word = arguments.get(1).unwrap_or(&[]).trim_ascii();
    if let Some(item) = quota_item(word) {
        let input: fn(Text) -> Input = match item {
            QuotaItem::Left => |key| Input::Quota(key, QuotaItem::Left),
            QuotaItem::Limit => |key| Input::Quota(key, QuotaItem::Limit),
            QuotaItem::Percent => |key| Input::Quota(key, QuotaItem::Percent),
        };
        return counted(cx, "QUOTA()", key, input, out);
    }
    let message = no_quota_item(word);
    wrong(cx, message)
}
