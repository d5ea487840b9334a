//! `ChanIsAvail`, Page, Park, `ParkAndAnnounce`, `ParkedCall`, Pickup, `PickupChan`, `FollowMe`: other calls of the host.

use super::hosted::{After, Hosted, hosted};
use super::playback::missing_argument;
use crate::base::{Text, arguments};
use crate::library::{Application, Support};
use crate::machine::{Cx, Effect, Event, Flow};

hosted! {
    PAGE "Page" "Speak to many telephones." "technology/resource[&...][,options[,timeout]]"
        "Calls telephones and connects them all with the caller; options `b` and `B` run a subroutine, `A` plays a file \
         to them, `d` lets them speak too."
        Hosted::new().needs(1, After::Leave).or_leaves();
    PARK "Park" "Park the call." "[lot[,options]]"
        "Answers and parks this call until somebody fetches it or its time is over. Options: `r` ringing instead of \
         music, `R` any space, `s` no announcement, `c(place)` where it returns to, `t(seconds)` its time."
        Hosted::new().answers().or_leaves();
    PARK_AND_ANNOUNCE "ParkAndAnnounce" "Park the call and tell somebody." "[lot],[options],announcement,technology/resource"
        "Parks this call, calls somebody and plays files joined by `:`, with the number of the space for PARKED."
        Hosted::new().answers().or_leaves();
    PARKED_CALL "ParkedCall" "Fetch a parked call." "[lot[,space]]"
        "Answers and connects with the call parked there, the first one without a space. If there is none, the call \
         ends."
        Hosted::new().answers().or_leaves();
    FOLLOW_ME "FollowMe" "Look for somebody at several numbers." "id[,options]"
        "Calls the numbers of a list of the host one after the other until somebody takes the call. The call goes on when \
         there is no such list, or nobody is found."
        Hosted::new().needs(1, After::Leave);
}

/// Take a call that rings elsewhere.
pub static PICKUP: Application = Application::new(
    "Pickup",
    "Take a call that rings elsewhere.",
    "[extension[@context][&...]]",
    "Takes the call that rings at an extension, or, with `@PICKUPMARK`, one whose variable PICKUPMARK is that word; \
     without an argument one of the own pickup group. This channel ends when it succeeds; otherwise the call goes on.",
    |_, data| pick_up("Pickup", data),
)
.support(Support::Simulated);

/// Take a call that rings at a channel.
pub static PICKUP_CHAN: Application = Application::new(
    "PickupChan",
    "Take a call that rings at a channel.",
    "channel[&channel2[&...]][,options]",
    "Takes the call that rings at one of these channels; the option `p` allows the beginning of a name. This channel ends \
     when it succeeds.",
    |cx, data| {
        if data.is_empty() {
            return missing_argument(cx, "PickupChan needs a channel");
        }
        pick_up("PickupChan", data)
    },
)
.support(Support::Simulated);

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
.support(Support::Simulated);

fn custom(name: &'static str, data: &[u8]) -> Effect {
    Effect::Custom {
        name: Text::from(name),
        data: Text::from(data),
    }
}

fn pick_up(name: &'static str, data: &[u8]) -> Flow {
    Flow::wait_then(custom(name, data), |_, event| match event {
        Event::Failed(_) | Event::Timeout => Flow::Next,
        // The other call lives on in place of this one.
        _ => Flow::Leave,
    })
}

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
        Flow::wait_then(custom("ChanIsAvail", &data), move |cx, event| {
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
