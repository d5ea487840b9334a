//! `ChanIsAvail`.

use super::dial::technology_resource;
use super::playback::missing_argument;
use crate::base::cause::cause_named;
use crate::base::{Text, arguments};
use crate::library::{Application, Example, Support};
use crate::machine::facilities::{self, DeviceState};
use crate::machine::{Cx, Effect, Event, Flow};

/// Look which device is free.
pub static CHAN_IS_AVAIL: Application = Application::new(
    "ChanIsAvail",
    "Look which device is free.",
    "technology/resource[&...][,options]",
    "Asks the host for the first device that can be called. AVAILCHAN is a name of a channel there, AVAILORIGCHAN the \
     device as written; both are empty when there is none. AVAILSTATUS is the state of each device that was looked at, \
     AVAILCAUSECODE the cause why it cannot be called, or 0, with `&` between them. Where the host has no channel to \
     name, the state of the device decides. Options: `a` all of them, `s` and `t` only a device that is not in use.",
    run_available,
)
.support(Support::Simulated)
.examples(&[Example { title: "A host that has neither device", dialplan: "ChanIsAvail(PJSIP/desk&PJSIP/lab)", evaluate: "${AVAILSTATUS}", expect: "4&4" }]);

fn run_available(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    let fields = arguments::standard(data, 2);
    let list = fields.first().cloned().unwrap_or_default();
    let options = fields.get(1).cloned().unwrap_or_default();
    let devices: Vec<Vec<u8>> = list.split(|&b| b == b'&').map(<[u8]>::to_vec).collect();
    if devices.iter().any(|device| !device.contains(&b'/')) {
        return missing_argument(cx, "ChanIsAvail needs technology/resource");
    }
    let search = Search {
        devices: devices.into_iter(),
        all: options.contains(&b'a'),
        idle: options.contains(&b's') || options.contains(&b't'),
        options,
        found: Vec::new(),
        states: Vec::new(),
        causes: Vec::new(),
    };
    search.next(cx)
}

/// The devices that are still to be asked for, and what was found.
struct Search {
    devices: std::vec::IntoIter<Vec<u8>>,
    options: Vec<u8>,
    all: bool,
    /// Whether a device in use does not count.
    idle: bool,
    /// Channels and devices.
    found: Vec<(Vec<u8>, Vec<u8>)>,
    /// What was said of each device.
    states: Vec<String>,
    causes: Vec<String>,
}

impl Search {
    fn next(mut self, cx: &mut Cx<'_>) -> Flow {
        if !self.all && !self.found.is_empty() {
            return self.ended(cx);
        }
        let Some(device) = self.devices.next() else {
            return self.ended(cx);
        };
        let data = [device.as_slice(), self.options.as_slice()].join(&b',');
        Flow::wait_then(
            Effect::Custom {
                name: Text::from("ChanIsAvail"),
                data: Text::from(data),
            },
            move |cx, event| match event {
                Event::Hangup(_) => Flow::Leave,
                Event::Failed(_) | Event::Timeout => {
                    self.looked_at(DeviceState::Unavailable, 0);
                    self.next(cx)
                }
                Event::Value(channel) => {
                    self.available(channel.to_vec(), device, DeviceState::NotInUse);
                    self.next(cx)
                }
                _ => self.by_state(cx, device),
            },
        )
    }

    /// The host names no channel: the state of the device decides.
    fn by_state(mut self, cx: &mut Cx<'_>, device: Vec<u8>) -> Flow {
        if let Some(state) = cx.device_state(&device) {
            self.judge(state, device);
            return self.next(cx);
        }
        Flow::wait_then(facilities::ask(&device), move |cx, event| {
            if let Event::Hangup(_) = event {
                return Flow::Leave;
            }
            self.judge(facilities::told(&event), device);
            self.next(cx)
        })
    }

    fn judge(&mut self, state: DeviceState, device: Vec<u8>) {
        let named = |name: &[u8]| cause_named(name).unwrap_or_default();
        match state {
            DeviceState::Invalid => self.looked_at(state, named(b"CHAN_NOT_IMPLEMENTED")),
            DeviceState::Unavailable => self.looked_at(state, named(b"SUBSCRIBER_ABSENT")),
            DeviceState::Unknown | DeviceState::NotInUse => self.by_number(state, device),
            _ if self.idle => self.looked_at(state, 0),
            _ => self.by_number(state, device),
        }
    }

    /// The device can be called by a channel that nobody needs any more, of which only the name is left.
    fn by_number(&mut self, state: DeviceState, device: Vec<u8>) {
        let Some((technology, resource)) = technology_resource(&device) else {
            return;
        };
        let name = resource.split(|b| *b == b'/').next().unwrap_or(&[]);
        let number = format!("-{:08x}", self.found.len() + 1);
        let channel = [technology.as_bytes(), b"/", name, number.as_bytes()].concat();
        self.available(channel, device, state);
    }

    fn available(&mut self, channel: Vec<u8>, device: Vec<u8>, state: DeviceState) {
        self.found.push((channel, device));
        self.looked_at(state, 0);
    }

    fn looked_at(&mut self, state: DeviceState, cause: u32) {
        self.states.push((state as u8).to_string());
        self.causes.push(cause.to_string());
    }

    fn ended(self, cx: &mut Cx<'_>) -> Flow {
        let join = |pick: fn(&(Vec<u8>, Vec<u8>)) -> &[u8]| {
            self.found.iter().map(pick).collect::<Vec<_>>().join(&b'&')
        };
        cx.set(b"AVAILCHAN", &join(|(channel, _)| channel));
        cx.set(b"AVAILORIGCHAN", &join(|(_, device)| device));
        cx.set(b"AVAILSTATUS", self.states.join("&").as_bytes());
        cx.set(b"AVAILCAUSECODE", self.causes.join("&").as_bytes());
        Flow::Next
    }
}
