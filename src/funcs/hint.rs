//! HINT, `EXTENSION_STATE` and `DEVICE_STATE`.

use std::collections::VecDeque;

use crate::base::Text;
use crate::base::arguments::standard;
use crate::diagnostic::{Level, code};
use crate::library::{Example, Function};
use crate::machine::facilities::{self, CUSTOM_DEVICES, DeviceState, Together};
use crate::machine::{Answer, Cx, Flow, StoreRequest};

/// What begins the name of a custom device.
const CUSTOM: &[u8] = b"Custom:";
/// Where a hint is looked up when no context is said.
const CONTEXT: &[u8] = b"default";

/// The hint of an extension.
pub static HINT: Function = Function::read(
    "HINT",
    "The hint of an extension.",
    "extension[@context][,n]",
    "Gives the devices, or with `n` the name. Without a context it is `default`. Empty where there is no hint.",
    |cx: &mut Cx<'_>, arguments, out| {
        let arguments = standard(arguments, 2);
        let Some(extension) = arguments.first().filter(|e| !e.is_empty()) else {
            cx.log(&code::BAD_ARGUMENT, || "HINT needs an extension".to_owned());
            return Answer::Failed;
        };
        let Some((devices, name)) = hint(cx, extension) else {
            return Answer::Failed;
        };
        let name_wanted = arguments.get(1).is_some_and(|o| o.contains(&b'n'));
        out.extend_from_slice(if name_wanted { &name } else { &devices });
        Answer::Done
    },
)
.examples(&[Example {
    title: "No hint",
    dialplan: "",
    evaluate: "[${HINT(204@nowhere)}]",
    expect: "[]",
}]);

/// The state of an extension.
pub static EXTENSION_STATE: Function = Function::read(
    "EXTENSION_STATE",
    "The state of the devices in the hint of an extension.",
    "extension[@context]",
    "UNKNOWN without a hint, else NOT_INUSE, INUSE, BUSY, UNAVAILABLE, RINGING, RINGINUSE or ONHOLD. Several devices \
     give one state: the most important, and RINGINUSE when one is called and one speaks. Without a context it is \
     `default`.",
    |cx: &mut Cx<'_>, extension, out| {
        if extension.is_empty() {
            cx.log(&code::BAD_ARGUMENT, || {
                "EXTENSION_STATE needs an extension".to_owned()
            });
            return Answer::Failed;
        }
        let Some((devices, _)) = hint(cx, extension) else {
            out.extend_from_slice(b"UNKNOWN");
            return Answer::Done;
        };
        let devices = devices
            .split(|b| *b == b',')
            .next()
            .unwrap_or(&[])
            .split(|b| *b == b'&')
            .filter(|device| !device.is_empty())
            .map(Text::from)
            .collect();
        together(cx, devices, Together::default(), out)
    },
)
.examples(&[Example {
    title: "No hint",
    dialplan: "",
    evaluate: "${EXTENSION_STATE(204@nowhere)}",
    expect: "UNKNOWN",
}]);

/// The state of a device.
pub static DEVICE_STATE: Function = Function::read_write(
    "DEVICE_STATE",
    "The state of a device.",
    "device",
    "UNKNOWN, NOT_INUSE, INUSE, BUSY, INVALID, UNAVAILABLE, RINGING, RINGINUSE or ONHOLD. Devices named `Custom:…` \
     can be written; new ones are UNKNOWN. Their states are kept in the persistent store. `Local/…`, `Queue:…`, \
     `Agent:…`, `park:SPACE@CONTEXT` and `confbridge:…` are known to the engine; what the host knows of other devices \
     it tells the engine, or is asked for. INVALID where nobody knows the device.",
    |cx: &mut Cx<'_>, device, out| {
        state(cx, Text::from(device), out, |_, state, out| {
            out.extend_from_slice(state.name().as_bytes());
            Answer::Done
        })
    },
    write_state,
)
.examples(&[Example {
    title: "A lamp",
    dialplan: "Set(DEVICE_STATE(Custom:lamp)=BUSY)",
    evaluate: "${DEVICE_STATE(Custom:lamp)} ${DEVICE_STATE(Custom:other)}",
    expect: "BUSY UNKNOWN",
}]);

/// Devices and name of a hint; `extension[@context]`.
fn hint(cx: &Cx<'_>, extension: &[u8]) -> Option<(Text, Text)> {
    let (exten, context) = match extension.iter().position(|b| *b == b'@') {
        Some(at) => (extension.get(..at)?, extension.get(at + 1..)?),
        None => (extension, &[][..]),
    };
    let context = if context.is_empty() { CONTEXT } else { context };
    let now = cx.now().as_secs() as i64;
    let hint = cx.image().hint(context, exten, now)?;
    Some((hint.devices.clone(), hint.name.clone()))
}

fn together(
    cx: &mut Cx<'_>,
    mut devices: VecDeque<Text>,
    so_far: Together,
    out: &mut Vec<u8>,
) -> Answer {
    let mut so_far = so_far;
    while let Some(device) = devices.pop_front() {
        if let Some(state) = cx.device_state(&device) {
            so_far = so_far.with(state);
            continue;
        }
        return state(cx, device, out, move |cx, state, out| {
            together(cx, devices, so_far.with(state), out)
        });
    }
    out.extend_from_slice(so_far.of_extension().as_bytes());
    Answer::Done
}

fn of_custom(stored: Option<Text>) -> DeviceState {
    stored.map_or(DeviceState::Unknown, |stored| DeviceState::named(&stored))
}

fn after<'a>(start: &[u8], device: &'a [u8]) -> Option<&'a [u8]> {
    let (head, rest) = device.split_at_checked(start.len())?;
    head.eq_ignore_ascii_case(start).then_some(rest)
}

/// The state of a device, from the host where the engine does not know it.
fn state(
    cx: &mut Cx<'_>,
    device: Text,
    out: &mut Vec<u8>,
    then: impl FnOnce(&mut Cx<'_>, DeviceState, &mut Vec<u8>) -> Answer + Send + 'static,
) -> Answer {
    if let Some(state) = cx.device_state(&device) {
        return then(cx, state, out);
    }
    if let Some(name) = after(CUSTOM, &device) {
        let request = StoreRequest::Get {
            family: Text::from(CUSTOM_DEVICES),
            key: Text::from(name),
        };
        return Answer::store(cx, request, out, |cx, answer, out| {
            then(cx, of_custom(answer.value()), out)
        });
    }
    Answer::Await(
        facilities::ask(&device),
        Box::new(move |cx, event, out| then(cx, facilities::told(&event), out)),
    )
}

fn write_state(cx: &mut Cx<'_>, device: &[u8], value: &[u8]) -> Flow {
    match after(CUSTOM, device) {
        None => cx.log(&code::BAD_ARGUMENT, || {
            "DEVICE_STATE can only be written for `Custom:` devices".to_owned()
        }),
        Some([]) => cx.log(&code::BAD_ARGUMENT, || {
            "DEVICE_STATE needs the name of a custom device".to_owned()
        }),
        Some(_) if DeviceState::named(value) == DeviceState::Unknown => {
            cx.log_at(&code::BAD_ARGUMENT, Level::Error, || {
                format!("no device state `{}`", bstr::BStr::new(value))
            });
        }
        Some(name) => {
            let request = StoreRequest::Put {
                family: Text::from(CUSTOM_DEVICES),
                key: Text::from(name),
                value: Text::from(value),
            };
            return Flow::store(cx, request, |_, _| Flow::Next);
        }
    }
    Flow::Next
}
