//! What the simulation tells of devices: free, rung, in use.

use std::collections::BTreeMap;

use crate::base::Text;
use crate::machine::facilities::DeviceState;
use crate::machine::{ChannelState, Event};

use super::Fate;
use super::dialling::TECHNOLOGIES;
use super::simulation::Simulation;

/// `technology/name` of a channel of a technology outside.
fn device_of(channel: &[u8]) -> Option<&[u8]> {
    let slash = channel.iter().position(|b| *b == b'/')?;
    let technology = channel.get(..slash)?;
    let outside = TECHNOLOGIES
        .iter()
        .any(|known| known.as_bytes().eq_ignore_ascii_case(technology));
    let end = channel.iter().rposition(|b| *b == b'-');
    outside.then(|| end.and_then(|end| channel.get(..end)).unwrap_or(channel))
}

impl Simulation<'_> {
    /// Tells the engine how the devices of all living channels are, after channels came, went, or were answered.
    pub(super) fn tell_devices(&mut self) {
        if !std::mem::take(&mut self.devices_changed) {
            return;
        }
        // Rung, in use.
        let mut now: BTreeMap<Text, (bool, bool)> = BTreeMap::new();
        for leg in self.legs.iter().filter(|leg| !leg.gone) {
            let channel = leg.call.channel();
            if let Some(device) = device_of(&channel.name) {
                let entry = now.entry(Text::from(device)).or_default();
                if leg.owner.is_some() && channel.state != ChannelState::Up {
                    entry.0 = true;
                } else {
                    entry.1 = true;
                }
            }
        }
        let resting: Vec<Text> = self
            .devices
            .keys()
            .filter(|device| !now.contains_key(*device))
            .cloned()
            .collect();
        let rest = resting.into_iter().map(|device| {
            let state = self.at_rest(&device);
            (device, state)
        });
        let busy = now.into_iter().map(|(device, busy)| {
            let state = match busy {
                (true, true) => DeviceState::RingInUse,
                (true, false) => DeviceState::Ringing,
                _ => DeviceState::InUse,
            };
            (device, state)
        });
        let changes: Vec<(Text, DeviceState)> = rest.chain(busy).collect();
        let mut facilities = self.engine.shared().facilities();
        for (device, state) in changes {
            if self.devices.get(&device) != Some(&state) {
                facilities.devices.set(&device, state);
                self.devices.insert(device, state);
            }
        }
    }

    /// The state of a device without a call.
    fn at_rest(&self, device: &[u8]) -> DeviceState {
        let script = self.settings.scripts.iter().find(|s| s.is_for(device));
        match script.map(|script| script.fate) {
            Some(Fate::Unavailable) => DeviceState::Unavailable,
            _ => DeviceState::NotInUse,
        }
    }

    /// The answer to a call that asks for the state of a device of which the engine knows nothing.
    pub(super) fn device_state(&self, device: &Text) -> Event {
        match device_of(device) {
            Some(_) => Event::Value(Text::from(self.at_rest(device).name())),
            None => Event::Failed("there is no such device in the simulation".to_owned()),
        }
    }
}
