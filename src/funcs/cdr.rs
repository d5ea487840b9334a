//! CDR and `CDR_PROP`.

use std::time::Duration;

use crate::base::Text;
use crate::base::arguments::standard;
use crate::base::condition::is_true;
use crate::base::scan::fixed;
use crate::diagnostic::{Level, code};
use crate::library::{Example, Function, Support};
use crate::machine::records::{ama_flags, local_time, seconds};
use crate::machine::{Answer, CallRecord, Cx, Flow};

/// The record of the call.
pub static CDR: Function = Function::read_write(
    "CDR",
    "A field of the record of this call.",
    "name[,options]",
    "Fields are clid, src, dst, dcontext, channel, dstchannel, lastapp, lastdata, start, answer, end, duration, billsec, \
     disposition, amaflags, accountcode, peeraccount, uniqueid, linkedid, userfield and sequence, and those that were \
     written. With `u` times are seconds since 1970 with six decimals, and flags and disposition are numbers; with `f` \
     duration and billsec have decimals. accountcode, amaflags, peeraccount, userfield and names of one's own can be \
     written. The disposition is known when the record ended: after a Dial, and in `h`. A record that is not kept from \
     the start of the call (see RecordOptions) takes what it is asked of then from the channel.",
    |cx: &mut Cx<'_>, arguments, out| {
        let arguments = standard(arguments, 2);
        let Some(name) = arguments.first().filter(|name| !name.is_empty()) else {
            cx.log(&code::BAD_ARGUMENT, || "CDR needs a field".to_owned());
            return Answer::Failed;
        };
        let Some(present) = cx.record() else {
            no_record(cx);
            return Answer::Failed;
        };
        let options = arguments.get(1).map_or(&[][..], Vec::as_slice);
        let shown = Shown {
            end: present.end,
            now: cx.now(),
            raw: options.contains(&b'u'),
            decimals: options.contains(&b'f'),
        };
        let name = name.to_ascii_lowercase();
        let value = if name == b"peeraccount" && present.record.peeraccount.is_empty() {
            item(cx, &name)
        } else {
            field(&present.record, &name, &shown)
        };
        out.extend_from_slice(&value);
        Answer::Done
    },
    write,
)
.examples(&[
    Example {
        title: "A field of one's own",
        dialplan: "Set(CDR(project)=north)\nSet(CDR(accountcode)=17)",
        evaluate: "${CDR(Project)} ${CDR(accountcode)} ${CHANNEL(accountcode)} ${CDR(dst)} ${CDR(dcontext)} ${CDR(lastapp)}",
        expect: "north 17 17 s example Set",
    },
    Example {
        title: "A record that ended is not begun anew",
        dialplan: "Set(CDR(userfield)=a)\nForkCDR(e)\nSet(CDR(userfield)=b)",
        evaluate: "${CDR(userfield)} ${CDR(amaflags)} ${CDR(amaflags,u)} [${CDR(end)}]",
        expect: "b DOCUMENTATION 3 []",
    },
]);

/// Properties of the record.
pub static CDR_PROP: Function = Function::write_only(
    "CDR_PROP",
    "A property of the record of this call.",
    "party_a|disable",
    "`disable` says that no record is wanted. `party_a` is taken, and decides nothing: of two channels that meet, the one \
     that ran Dial is the calling one.",
    |cx: &mut Cx<'_>, property, value| {
        let property = property.to_ascii_lowercase();
        let known = match property.as_slice() {
            b"party_a" => {
                cx.channel_mut().set_setting(b"CDR_PROP party_a", value);
                cx.record().is_some()
            }
            b"disable" => cx.disable_records(is_true(value)),
            _ => {
                cx.log(&code::BAD_ARGUMENT, || {
                    format!("CDR_PROP does not know `{}`", bstr::BStr::new(&property))
                });
                true
            }
        };
        if !known {
            no_record(cx);
        }
        Flow::Next
    },
)
.support(Support::Partial(
    "party_a decides nothing: only Dial gives a record a called channel",
))
.examples(&[Example {
    title: "No record",
    dialplan: "Set(CDR_PROP(disable)=1)",
    evaluate: "on",
    expect: "on",
}]);

fn no_record(cx: &mut Cx<'_>) {
    cx.log_at(&code::NOT_FOUND, Level::Error, || {
        "there is no record of this call: they are not enabled".to_owned()
    });
}

/// Fields that only the call itself changes.
const READ_ONLY: &[&str] = &[
    "answer",
    "billsec",
    "channel",
    "clid",
    "dcontext",
    "disposition",
    "dst",
    "dstchannel",
    "duration",
    "end",
    "lastapp",
    "lastdata",
    "linkedid",
    "sequence",
    "src",
    "start",
    "uniqueid",
];
/// Fields that the record shares with `CHANNEL()`.
const OF_CHANNEL: &[&str] = &["accountcode", "amaflags", "peeraccount"];
fn among(list: &[&str], name: &[u8]) -> bool {
    list.iter().any(|known| known.as_bytes() == name)
}

fn write(cx: &mut Cx<'_>, arguments: &[u8], value: &[u8]) -> Flow {
    let arguments = standard(arguments, 2);
    let name = arguments
        .first()
        .map_or_else(Vec::new, |name| name.to_ascii_lowercase());
    if name.is_empty() || value.is_empty() {
        cx.log(&code::BAD_ARGUMENT, || {
            "CDR needs a field and a value".to_owned()
        });
    } else if among(READ_ONLY, &name) {
        cx.log_at(&code::BAD_ARGUMENT, Level::Error, || {
            format!("the field `{}` cannot be written", bstr::BStr::new(&name))
        });
    } else if among(OF_CHANNEL, &name) {
        return cx.write(&[b"CHANNEL(", name.as_slice(), b")"].concat(), value);
    } else if !cx.set_record_field(&name, value) {
        no_record(cx);
    }
    Flow::Next
}

fn item(cx: &Cx<'_>, name: &[u8]) -> Vec<u8> {
    let found = cx.channel().items.get(name);
    found.map_or_else(Vec::new, |value| value.to_vec())
}

/// How a field is shown.
struct Shown {
    /// When the record ended.
    end: Option<Duration>,
    now: Duration,
    raw: bool,
    decimals: bool,
}

fn field(record: &CallRecord, name: &[u8], shown: &Shown) -> Vec<u8> {
    let text = |text: &Text| text.to_vec();
    match name {
        b"clid" => text(&record.clid),
        b"src" => text(&record.src),
        b"dst" => text(&record.dst),
        b"dcontext" => text(&record.dcontext),
        b"channel" => text(&record.channel),
        b"dstchannel" => text(&record.dstchannel),
        b"lastapp" => text(&record.lastapp),
        b"lastdata" => text(&record.lastdata),
        b"uniqueid" => text(&record.uniqueid),
        b"linkedid" => text(&record.linkedid),
        b"accountcode" => text(&record.accountcode),
        b"peeraccount" => text(&record.peeraccount),
        b"userfield" => text(&record.userfield),
        b"sequence" => record.sequence.to_string().into_bytes(),
        b"start" => moment(Some(record.start), shown.raw),
        b"answer" => moment(record.answer, shown.raw),
        b"end" => moment(shown.end, shown.raw),
        b"duration" => span(Some(record.start), record.duration, shown),
        b"billsec" => span(record.answer, record.billsec, shown),
        b"disposition" if shown.raw => record.disposition.number().to_string().into_bytes(),
        b"disposition" => record.disposition.name().as_bytes().to_vec(),
        b"amaflags" if shown.raw => record.amaflags.to_string().into_bytes(),
        b"amaflags" => ama_flags(record.amaflags).as_bytes().to_vec(),
        _ => {
            let mut variables = record.variables.iter();
            let found = variables.find(|(known, _)| known.eq_ignore_ascii_case(name));
            found.map_or_else(Vec::new, |(_, value)| value.to_vec())
        }
    }
}

fn moment(time: Option<Duration>, raw: bool) -> Vec<u8> {
    match time {
        _ if raw => seconds(time.unwrap_or_default()).into_bytes(),
        Some(time) => local_time(time),
        None => Vec::new(),
    }
}

fn span(since: Option<Duration>, whole: u64, shown: &Shown) -> Vec<u8> {
    if !shown.decimals {
        return whole.to_string().into_bytes();
    }
    let to = shown.end.unwrap_or(shown.now);
    let time = since.map_or(Duration::ZERO, |since| to.saturating_sub(since));
    fixed(time.as_secs_f64(), 6).into_bytes()
}
