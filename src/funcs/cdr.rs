//! CDR and `CDR_PROP`.

use std::time::Duration;

use crate::base::arguments::standard;
use crate::base::civil::{Civil, strftime};
use crate::base::scan::{atoi, fixed, long};
use crate::base::zone::Zone;
use crate::base::Text;
use crate::diagnostic::{Level, code};
use crate::library::{Example, Function, Support};
use crate::machine::{Answer, ChannelState, Cx, Flow};

const LACKS: &str = "no record is written anywhere; a channel that Dial answered counts as answered at its start";

/// The record of the call.
pub static CDR: Function = Function::read_write(
    "CDR",
    "A field of the record of this call.",
    "name[,options]",
    "Fields are clid, src, dst, dcontext, channel, dstchannel, lastapp, lastdata, start, answer, end, duration, billsec, \
     disposition, amaflags, accountcode, peeraccount, uniqueid, linkedid, userfield and sequence, and those that were \
     written. With `u` times are seconds since 1970 with six decimals, and flags and disposition are numbers; with `f` \
     duration and billsec have decimals. accountcode, amaflags, peeraccount, userfield and names of one's own can be \
     written.",
    |cx: &mut Cx<'_>, arguments, out| {
        let arguments = standard(arguments, 2);
        let Some(name) = arguments.first().filter(|name| !name.is_empty()) else {
            cx.log(&code::BAD_ARGUMENT, || "CDR needs a field".to_owned());
            return Answer::Failed;
        };
        let options = arguments.get(1).map_or(&[][..], Vec::as_slice);
        let raw = options.contains(&b'u');
        let decimals = options.contains(&b'f');
        let value = field(cx, &name.to_ascii_lowercase(), raw, decimals);
        out.extend_from_slice(&value);
        Answer::Done
    },
    write,
)
.support(Support::Partial(LACKS))
.examples(&[Example {
    title: "A field of one's own",
    dialplan: "Set(CDR(project)=north)\nSet(CDR(accountcode)=17)",
    evaluate: "${CDR(Project)} ${CDR(accountcode)} ${CHANNEL(accountcode)} ${CDR(dst)} ${CDR(dcontext)} ${CDR(lastapp)}",
    expect: "north 17 17 s example Set",
}]);

/// Properties of the record.
pub static CDR_PROP: Function = Function::write_only(
    "CDR_PROP",
    "A property of the record of this call.",
    "party_a|disable",
    "`party_a` makes this channel the calling one where two meet, `disable` says that no record is wanted.",
    |cx: &mut Cx<'_>, property, value| {
        let property = property.to_ascii_lowercase();
        match property.as_slice() {
            b"party_a" | b"disable" => {
                let key = [b"CDR_PROP ", property.as_slice()].concat();
                cx.channel_mut().set_setting(&key, value);
            }
            _ => cx.log(&code::BAD_ARGUMENT, || {
                format!("CDR_PROP does not know `{}`", bstr::BStr::new(&property))
            }),
        }
        Flow::Next
    },
)
.support(Support::Partial("kept for the host, which need not follow it"))
.examples(&[Example {
    title: "No record",
    dialplan: "Set(CDR_PROP(disable)=1)",
    evaluate: "on",
    expect: "on",
}]);

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
/// The names of flags, from number 1.
const FLAGS: [&str; 3] = ["OMIT", "BILLING", "DOCUMENTATION"];

fn among(list: &[&str], name: &[u8]) -> bool {
    list.iter().any(|known| known.as_bytes() == name)
}

fn key(name: &[u8]) -> Vec<u8> {
    [b"CDR ", name].concat()
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
    } else {
        cx.channel_mut().set_setting(&key(&name), value);
    }
    Flow::Next
}

fn item(cx: &Cx<'_>, name: &[u8]) -> Vec<u8> {
    let items = &cx.channel().items;
    let found = items.iter().find(|(n, _)| n.as_bytes() == name);
    found.map_or_else(Vec::new, |(_, value)| value.to_vec())
}

fn field(cx: &Cx<'_>, name: &[u8], raw: bool, decimals: bool) -> Vec<u8> {
    let channel = cx.channel();
    let caller = &channel.caller;
    let text = |text: Option<&Text>| text.map_or_else(Vec::new, |text| text.to_vec());
    match name {
        b"clid" => {
            let (name, number) = (text(caller.name.as_ref()), text(caller.number.as_ref()));
            [b"\"", name.as_slice(), b"\" <", &number, b">"].concat()
        }
        b"src" => text(caller.number.as_ref()),
        b"dst" => cx.location().exten.to_vec(),
        b"dcontext" => cx.location().context.to_vec(),
        b"channel" => channel.name.to_vec(),
        b"dstchannel" => cx.text_of(b"DIALEDPEERNAME"),
        b"lastapp" | b"lastdata" => last(cx, name == b"lastapp"),
        b"uniqueid" => channel.uniqueid.to_vec(),
        b"linkedid" => channel.linkedid.to_vec(),
        b"sequence" => {
            let number = channel.uniqueid.rsplit(|b| *b == b'.').next();
            atoi(number.unwrap_or(&[])).to_string().into_bytes()
        }
        b"start" => moment(started(cx), raw),
        b"answer" => moment(answered(cx), raw),
        b"end" => moment(None, raw),
        b"duration" => span(cx, started(cx), decimals),
        b"billsec" => span(cx, answered(cx), decimals),
        b"disposition" => disposition(cx, raw).as_bytes().to_vec(),
        b"amaflags" => {
            let stored = item(cx, name);
            let number = if stored.is_empty() { 3 } else { atoi(&stored) };
            let named = usize::try_from(number - 1).ok().and_then(|n| FLAGS.get(n));
            match named {
                Some(named) if !raw => named.as_bytes().to_vec(),
                None if !raw => b"Unknown".to_vec(),
                _ => number.to_string().into_bytes(),
            }
        }
        _ if among(OF_CHANNEL, name) => item(cx, name),
        _ => text(channel.setting(&key(name))),
    }
}

/// Name or data, as written, of the line that runs.
fn last(cx: &Cx<'_>, name: bool) -> Vec<u8> {
    let at = cx.location();
    let found = u32::try_from(at.priority)
        .ok()
        .and_then(|n| {
            cx.find(
                &at.context,
                &at.exten,
                crate::program::matcher::Want::Priority(n),
            )
            .ok()
        })
        .and_then(|found| cx.line_text(found.priority));
    found.map_or_else(Vec::new, |(app, data)| {
        if name { app.to_vec() } else { data.to_vec() }
    })
}

/// What the host says, else the time in the unique id, whose form is `seconds.number`.
fn started(cx: &Cx<'_>) -> Option<Duration> {
    let channel = cx.channel();
    channel.created.or_else(|| {
        let (seconds, _) = long(&channel.uniqueid)?;
        u64::try_from(seconds).ok().map(Duration::from_secs)
    })
}

fn answered(cx: &Cx<'_>) -> Option<Duration> {
    let channel = cx.channel();
    if channel.state != ChannelState::Up {
        return None;
    }
    channel.answered.or_else(|| started(cx))
}

fn moment(time: Option<Duration>, raw: bool) -> Vec<u8> {
    let mut out = Vec::new();
    match time {
        None if raw => out.extend_from_slice(b"0.000000"),
        None => {}
        Some(time) if raw => {
            out.extend_from_slice(
                format!("{}.{:06}", time.as_secs(), time.subsec_micros()).as_bytes(),
            );
        }
        Some(time) => {
            let at = Civil::new(time.as_secs() as i64, &Zone::local());
            strftime(b"%Y-%m-%d %H:%M:%S", &at, 0, &mut out);
        }
    }
    out
}

fn span(cx: &Cx<'_>, since: Option<Duration>, decimals: bool) -> Vec<u8> {
    let time = since.map_or(Duration::ZERO, |since| cx.now().saturating_sub(since));
    if decimals {
        fixed(time.as_secs_f64(), 6).into_bytes()
    } else {
        time.as_secs().to_string().into_bytes()
    }
}

fn disposition(cx: &Cx<'_>, raw: bool) -> &'static str {
    let status = cx.text_of(b"DIALSTATUS");
    let (name, number) = match status.as_slice() {
        _ if cx.channel().state == ChannelState::Up => ("ANSWERED", "8"),
        b"BUSY" => ("BUSY", "4"),
        b"CONGESTION" => ("CONGESTION", "16"),
        b"CHANUNAVAIL" => ("FAILED", "2"),
        _ => ("NO ANSWER", "0"),
    };
    if raw { number } else { name }
}
