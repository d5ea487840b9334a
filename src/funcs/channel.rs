//! CHANNEL.

use crate::base::Text;
use crate::base::scan::int;
use crate::diagnostic::{Level, code};
use crate::library::{Example, Function};
use crate::machine::{Answer, Cx, Flow, gosub_arguments};

/// Items of the channel.
pub static CHANNEL: Function = Function::read_write(
    "CHANNEL",
    "An item of the channel.",
    "item",
    "To read: name, state, channeltype, uniqueid, linkedid, context, exten, checkhangup. To read and write: language, \
     musicclass, parkinglot, accountcode, peeraccount, userfield, amaflags, tonezone, callgroup, pickupgroup, \
     namedcallgroup, namedpickupgroup, max_forwards, transfercapability, tenantid, secure_bridge_signaling, \
     secure_bridge_media, hangupsource, dtmf_features, after_bridge_goto. To write: hangup_handler_push, \
     hangup_handler_pop, hangup_handler_wipe (a Gosub target with arguments), txgain, rxgain.",
    |cx: &mut Cx<'_>, item, out| read(cx, &item.to_ascii_lowercase(), out),
    |cx: &mut Cx<'_>, item, value| write(cx, &item.to_ascii_lowercase(), value),
)
.examples(&[Example {
    title: "Language",
    dialplan: "Set(CHANNEL(language)=de)",
    evaluate: "${CHANNEL(language)} ${CHANNEL(max_forwards)}",
    expect: "de 20",
}]);

/// Items that hold any text, empty until written.
const TEXTS: &[&str] = &[
    "accountcode",
    "after_bridge_goto",
    "dtmf_features",
    "hangupsource",
    "musicclass",
    "namedcallgroup",
    "namedpickupgroup",
    "parkinglot",
    "peeraccount",
    "secure_bridge_media",
    "secure_bridge_signaling",
    "tenantid",
    "userfield",
];
/// Items of devices, which channels here do not have.
const AUDIO: &[&str] = &["audionativeformat", "audioreadformat", "audiowriteformat"];
const AMA_FLAGS: [&str; 4] = ["", "omit", "billing", "documentation"];
const CAPABILITIES: [&str; 6] = [
    "SPEECH",
    "DIGITAL",
    "RESTRICTED_DIGITAL",
    "3K1AUDIO",
    "DIGITAL_W_TONES",
    "VIDEO",
];
/// Zones of indications.conf as Asterisk ships it.
const TONE_ZONES: &[&str] = &[
    "at", "au", "bg", "br", "be", "ch", "cl", "cn", "cz", "de", "dk", "ee", "es", "fi", "fr", "gr", "hu", "il", "in",
    "it", "jp", "lt", "mo", "mx", "my", "nl", "no", "nz", "ph", "pl", "pt", "ru", "se", "sg", "th", "tw", "uk", "us",
    "us-old", "ve", "za",
];

fn among(list: &[&str], item: &[u8]) -> bool {
    list.iter().any(|name| name.as_bytes() == item)
}

fn stored<'a>(cx: &'a Cx<'_>, item: &[u8]) -> Option<&'a [u8]> {
    cx.channel().item(item)
}

fn store(cx: &mut Cx<'_>, item: &[u8], value: &[u8]) {
    cx.channel_mut().set_item(item, value);
}

fn read(cx: &mut Cx<'_>, item: &[u8], out: &mut Vec<u8>) -> Answer {
    let channel = cx.channel();
    let text = |item: &[u8], default: &[u8]| {
        stored(cx, item).map_or_else(|| default.to_vec(), <[u8]>::to_vec)
    };
    let value = match item {
        b"name" => channel.name.to_vec(),
        b"state" => channel.state.name().as_bytes().to_vec(),
        b"channeltype" => channel
            .name
            .split(|b| *b == b'/')
            .next()
            .unwrap_or(&[])
            .to_vec(),
        b"uniqueid" => channel.uniqueid.to_vec(),
        b"linkedid" => channel.linkedid.to_vec(),
        b"language" => channel.language.to_vec(),
        b"context" => cx.location().context.to_vec(),
        b"exten" => cx.location().exten.to_vec(),
        b"checkhangup" => (if cx.is_hungup() { b"1" } else { b"0" }).to_vec(),
        b"amaflags" => text(item, b"3"),
        b"max_forwards" => text(item, b"20"),
        b"transfercapability" => text(item, b"SPEECH"),
        b"callgroup" | b"pickupgroup" => text(item, b""),
        b"tonezone" if stored(cx, item).is_some() => text(item, b""),
        _ if among(TEXTS, item) || among(AUDIO, item) => text(item, b""),
        _ => {
            warn(cx, item);
            return Answer::Failed;
        }
    };
    out.extend_from_slice(&value);
    Answer::Done
}

fn warn(cx: &mut Cx<'_>, item: &[u8]) {
    cx.log(&code::CHANNEL_ITEM_UNKNOWN, || {
        format!("the item `{}` of CHANNEL is not known", bstr::BStr::new(item))
    });
}

fn write(cx: &mut Cx<'_>, item: &[u8], value: &[u8]) -> Flow {
    match item {
        b"language" => cx.channel_mut().language = Text::from(value),
        b"amaflags" => {
            let by_name = AMA_FLAGS
                .iter()
                .skip(1)
                .position(|name| name.as_bytes().eq_ignore_ascii_case(value))
                .map(|i| i as i32 + 1);
            let flag = by_name
                .or_else(|| int(value).map(|(n, _)| n))
                .filter(|n| (0..=3).contains(n))
                .unwrap_or(0);
            store(cx, item, flag.to_string().as_bytes());
        }
        b"max_forwards" => match int(value) {
            Some((number, _)) => store(cx, item, number.to_string().as_bytes()),
            // The item complains, then the function.
            None => refuse(cx, item),
        },
        b"transfercapability" => {
            let known = CAPABILITIES.iter().any(|name| name.as_bytes() == value);
            if known {
                store(cx, item, value);
            }
        }
        b"tonezone" => {
            if among(TONE_ZONES, value) {
                store(cx, item, value);
            } else {
                for _ in 0..2 {
                    cx.log_at(&code::BAD_ARGUMENT, Level::Error, || {
                        format!("no tone zone `{}`", bstr::BStr::new(value))
                    });
                }
            }
        }
        b"callgroup" | b"pickupgroup" => {
            let groups = groups(value);
            store(cx, item, groups.as_bytes());
        }
        b"hangup_handler_push" => push_handler(cx, value),
        b"hangup_handler_pop" => {
            cx.channel_mut().hangup_handlers.pop();
            push_handler(cx, value);
        }
        b"hangup_handler_wipe" => {
            cx.channel_mut().hangup_handlers.clear();
            push_handler(cx, value);
        }
        b"txgain" | b"rxgain" => {}
        _ if among(TEXTS, item) => store(cx, item, value),
        _ => refuse(cx, item),
    }
    Flow::Next
}

fn refuse(cx: &mut Cx<'_>, item: &[u8]) {
    warn(cx, item);
    warn(cx, item);
}

/// A handler's context and extension are those of the moment when it is pushed.
fn push_handler(cx: &mut Cx<'_>, target: &[u8]) {
    if target.is_empty() {
        return;
    }
    let (place, _) = gosub_arguments(target);
    let rest = target.get(place.len()..).unwrap_or(&[]);
    let at = cx.location();
    let fields = place.split(|b| *b == b',').count();
    let mut handler = Vec::new();
    if fields < 3 {
        handler.extend_from_slice(&at.context);
        handler.push(b',');
    }
    if fields < 2 {
        handler.extend_from_slice(&at.exten);
        handler.push(b',');
    }
    handler.extend_from_slice(place);
    handler.extend_from_slice(rest);
    cx.channel_mut().hangup_handlers.push(Text::from(handler));
}

/// `1,3-5` as the numbers 0 to 63 that it holds.
fn groups(text: &[u8]) -> String {
    let mut held = [false; 64];
    for part in text.split(|b| *b == b',') {
        let Some((first, rest)) = int(part) else {
            continue;
        };
        let last = rest.strip_prefix(b"-").and_then(int).map_or(first, |(n, _)| n);
        for (i, group) in held.iter_mut().enumerate() {
            *group |= (first..=last).contains(&(i as i32));
        }
    }
    let numbers: Vec<String> = held
        .iter()
        .enumerate()
        .filter(|(_, held)| **held)
        .map(|(i, _)| i.to_string())
        .collect();
    numbers.join(", ")
}
