//! `ChanIsAvail`.

use super::playback::missing_argument;
use crate::base::{Text, arguments};
use crate::library::{Application, Example, Support};
use crate::machine::{Cx, Effect, Event, Flow};

/// Look which device is free.
pub static CHAN_IS_AVAIL: Application = Application::new(
    "ChanIsAvail",
    "Look which device is free.",
    "technology/resource[&...][,options]",
    "Asks the host for the first device that can be called. AVAILCHAN is a name of a channel there, AVAILORIGCHAN the \
     device as written, AVAILSTATUS the state of the device, AVAILCAUSECODE the cause; the first two are empty when \
     there is none. Options: `a` all of them, `s` and `t` look at the state only.",
    run_available,
)
.support(Support::Simulated)
.examples(&[Example { title: "The first device that is free", dialplan: "ChanIsAvail(PJSIP/desk&PJSIP/lab)", evaluate: "${AVAILORIGCHAN}", expect: "PJSIP/desk" }]);

/// State of a device that is free, and of one that cannot be called.
const NOT_IN_USE: &[u8] = b"1";
const UNAVAILABLE: &[u8] = b"5";

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
        options,
        found: Vec::new(),
        status: UNAVAILABLE.to_vec(),
    };
    search.next(cx)
}

/// The devices that are still to be asked for, and what was found.
struct Search {
    devices: std::vec::IntoIter<Vec<u8>>,
    options: Vec<u8>,
    all: bool,
    found: Vec<(Vec<u8>, Vec<u8>)>,
    status: Vec<u8>,
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
        Flow::wait_then(Effect::Custom { name: Text::from("ChanIsAvail"), data: Text::from(data) }, move |cx, event| {
            match event {
                Event::Hangup(_) => return Flow::Leave,
                Event::Failed(_) | Event::Timeout => {}
                Event::Value(channel) => self.available(channel.to_vec(), device),
                _ => self.available(device.clone(), device),
            }
            self.next(cx)
        })
    }

    fn available(&mut self, channel: Vec<u8>, device: Vec<u8>) {
        self.found.push((channel, device));
        self.status = NOT_IN_USE.to_vec();
    }

    fn ended(self, cx: &mut Cx<'_>) -> Flow {
        let join = |pick: fn(&(Vec<u8>, Vec<u8>)) -> &[u8]| {
            self.found
                .iter()
                .map(pick)
                .collect::<Vec<_>>()
                .join(&b'&')
        };
        cx.set(b"AVAILCHAN", &join(|(channel, _)| channel));
        cx.set(b"AVAILORIGCHAN", &join(|(_, device)| device));
        cx.set(b"AVAILSTATUS", &self.status);
        cx.set(b"AVAILCAUSECODE", b"0");
        Flow::Next
    }
}
