//! SYSINFO.

use crate::base::Text;
use crate::base::scan::{double, fixed};
use crate::base::value::append_int;
use crate::diagnostic::{Level, code};
use crate::library::{Example, Function};
use crate::machine::{Answer, ChannelRequest, Cx, Effect, Event, OutsideRequest};

/// What the system is doing.
pub static SYSINFO: Function = Function::read(
    "SYSINFO",
    "How busy the system is.",
    "item",
    "Items are loadavg (of the last minute), numcalls (channels), uptime (hours), and, as in Asterisk on Linux only, \
     totalram, freeram, bufferram, totalswap, freeswap (each in KiB) and numprocs.",
    |cx: &mut Cx<'_>, item, _| {
        if item == b"numcalls" {
            let effect = Effect::Channel {
                name: Text::EMPTY,
                request: ChannelRequest::List,
            };
            return Answer::Await(effect, Box::new(count));
        }
        let Some(known) = ITEMS.iter().find(|known| known.name.as_bytes() == item) else {
            cx.log_at(&code::BAD_ARGUMENT, Level::Error, || {
                format!("SYSINFO does not know `{}`", bstr::BStr::new(item))
            });
            return Answer::Failed;
        };
        let effect = Effect::Outside(OutsideRequest::ReadFile(Text::from(known.file)));
        Answer::Await(
            effect,
            Box::new(|_, event, out| {
                let Event::Value(text) = event else {
                    return Answer::Failed;
                };
                match (known.find)(&text) {
                    Some(value) => {
                        out.extend_from_slice(value.as_bytes());
                        Answer::Done
                    }
                    None => Answer::Failed,
                }
            }),
        )
    },
)
.examples(&[Example {
    title: "Unknown item",
    dialplan: "",
    evaluate: "[${SYSINFO(weather)}]",
    expect: "[]",
}]);

/// An item, the file of Linux that tells it, and how it is found there.
struct Item {
    name: &'static str,
    file: &'static str,
    find: fn(&[u8]) -> Option<String>,
}

const ITEMS: &[Item] = &[
    Item {
        name: "loadavg",
        file: "/proc/loadavg",
        find: |text| double(text).map(|(load, _)| fixed(load, 6)),
    },
    Item {
        name: "uptime",
        file: "/proc/uptime",
        find: |text| double(text).map(|(seconds, _)| ((seconds / 3600.0) as u64).to_string()),
    },
    Item {
        name: "totalram",
        file: "/proc/meminfo",
        find: |text| memory(text, b"MemTotal:"),
    },
    Item {
        name: "freeram",
        file: "/proc/meminfo",
        find: |text| memory(text, b"MemFree:"),
    },
    Item {
        name: "bufferram",
        file: "/proc/meminfo",
        find: |text| memory(text, b"Buffers:"),
    },
    Item {
        name: "totalswap",
        file: "/proc/meminfo",
        find: |text| memory(text, b"SwapTotal:"),
    },
    Item {
        name: "freeswap",
        file: "/proc/meminfo",
        find: |text| memory(text, b"SwapFree:"),
    },
    Item {
        name: "numprocs",
        file: "/proc/loadavg",
        find: |text| {
            let tasks = text.split(|b| *b == b' ').nth(3)?;
            let all = tasks.split(|b| *b == b'/').nth(1)?;
            Some(String::from_utf8_lossy(all).into_owned())
        },
    },
];

/// The number of KiB behind a name.
fn memory(text: &[u8], name: &[u8]) -> Option<String> {
    let line = text
        .split(|b| *b == b'\n')
        .find_map(|line| line.strip_prefix(name))?;
    let number = line.trim_ascii().split(|b| *b == b' ').next()?;
    Some(String::from_utf8_lossy(number).into_owned())
}

fn count(_: &mut Cx<'_>, event: Event, out: &mut Vec<u8>) -> Answer {
    let number = match event {
        Event::Value(names) => names
            .split(|b| *b == b' ')
            .filter(|name| !name.is_empty())
            .count(),
        // A host of single calls has this one.
        _ => 1,
    };
    append_int(number as i64, out);
    Answer::Done
}
