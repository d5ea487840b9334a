//! States of devices.

use std::collections::BTreeMap;

use super::key;
use crate::base::Text;
use crate::machine::{Cx, Effect, Event};

/// Custom states are kept in the store under this family, as Asterisk keeps them.
pub const CUSTOM_DEVICES: &[u8] = b"CustomDevstate";

/// The state of a device, as `DEVICE_STATE()` prints it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum DeviceState {
    /// Nothing is known of it.
    #[default]
    Unknown,
    /// Free.
    NotInUse,
    /// It speaks.
    InUse,
    /// It takes no calls.
    Busy,
    /// There is no such device.
    Invalid,
    /// It cannot be reached.
    Unavailable,
    /// It rings.
    Ringing,
    /// It speaks and rings.
    RingInUse,
    /// It holds a call.
    OnHold,
}

/// A state, its name, and its weight when states of several devices are put together.
const STATES: &[(DeviceState, &str, u8)] = &[
    (DeviceState::Unknown, "UNKNOWN", 1),
    (DeviceState::NotInUse, "NOT_INUSE", 3),
    (DeviceState::InUse, "INUSE", 6),
    (DeviceState::Busy, "BUSY", 7),
    (DeviceState::Invalid, "INVALID", 0),
    (DeviceState::Unavailable, "UNAVAILABLE", 2),
    (DeviceState::Ringing, "RINGING", 5),
    (DeviceState::RingInUse, "RINGINUSE", 8),
    (DeviceState::OnHold, "ONHOLD", 4),
];

impl DeviceState {
    /// Without regard to case; what is not known is `Unknown`.
    pub fn named(name: &[u8]) -> Self {
        STATES
            .iter()
            .find(|(_, known, _)| known.as_bytes().eq_ignore_ascii_case(name))
            .map_or(DeviceState::Unknown, |(state, _, _)| *state)
    }

    fn row(self) -> (&'static str, u8) {
        STATES
            .iter()
            .find(|(state, _, _)| *state == self)
            .map_or(("UNKNOWN", 1), |(_, name, weight)| (*name, *weight))
    }

    /// The name that `DEVICE_STATE()` gives.
    pub fn name(self) -> &'static str {
        self.row().0
    }
}

/// States of several devices put together, as an extension with a hint has them.
#[derive(Debug, Clone, Copy)]
pub struct Together {
    state: DeviceState,
    ringing: bool,
    in_use: bool,
}

impl Default for Together {
    fn default() -> Self {
        Self {
            state: DeviceState::Invalid,
            ringing: false,
            in_use: false,
        }
    }
}

impl Together {
    /// With one more device.
    #[must_use]
    pub fn with(mut self, state: DeviceState) -> Self {
        self.ringing |= state == DeviceState::Ringing;
        self.in_use |= matches!(
            state,
            DeviceState::InUse | DeviceState::OnHold | DeviceState::Busy
        );
        if self.ringing && self.in_use {
            self.state = DeviceState::RingInUse;
        } else if state.row().1 > self.state.row().1 {
            self.state = state;
        }
        self
    }

    /// An extension shows fewer states than devices have.
    pub fn of_extension(self) -> &'static str {
        match self.state {
            DeviceState::Unknown | DeviceState::NotInUse => "NOT_INUSE",
            DeviceState::Invalid | DeviceState::Unavailable => "UNAVAILABLE",
            other => other.name(),
        }
    }
}

/// States of devices that the host told.
#[derive(Debug, Clone, Default)]
pub struct Devices {
    states: BTreeMap<Text, DeviceState>,
}

impl Devices {
    /// The host says how a device is: `PJSIP/100`.
    pub fn set(&mut self, device: &[u8], state: DeviceState) {
        self.states.insert(key(device), state);
    }

    /// The host knows nothing of a device any more.
    pub fn forget(&mut self, device: &[u8]) {
        self.states.remove(key(device).as_bytes());
    }

    /// What the host said last.
    pub fn state(&self, device: &[u8]) -> Option<DeviceState> {
        self.states.get(key(device).as_bytes()).copied()
    }
}

impl Cx<'_> {
    /// The state of a device that the engine knows: custom ones, Local ones, those of facilities, and those that the
    /// host told. `None` = the host has to be asked.
    pub fn device_state(&self, device: &[u8]) -> Option<DeviceState> {
        if let Some(name) = after(b"Custom:", device) {
            let stored = self.shared().store()?.get(CUSTOM_DEVICES, name);
            return Some(stored.map_or(DeviceState::Unknown, |stored| DeviceState::named(&stored)));
        }
        if let Some(known) = self.shared().facilities().device(device) {
            return Some(known);
        }
        let local = after(b"Local/", device)?;
        let at = local.iter().position(|b| *b == b'@');
        let place = at.and_then(|at| Some((local.get(..at)?, local.get(at + 1..)?)));
        let Some((exten, context)) = place else {
            return Some(DeviceState::Invalid);
        };
        let context = context.split(|b| *b == b'/').next().unwrap_or(&[]);
        Some(if self.exists(context, exten, 1) {
            DeviceState::NotInUse
        } else {
            DeviceState::Invalid
        })
    }
}

/// What follows the start of a device's name; letter case does not count.
fn after<'a>(start: &[u8], device: &'a [u8]) -> Option<&'a [u8]> {
    let (head, rest) = device.split_at_checked(start.len())?;
    head.eq_ignore_ascii_case(start).then_some(rest)
}

/// The request that asks a host for the state of a device.
pub fn ask(device: &[u8]) -> Effect {
    Effect::Custom {
        name: Text::from("DEVICE_STATE"),
        data: Text::from(device),
    }
}

/// The state in a host's answer; a host that does not know says that there is no such device.
pub fn told(event: &Event) -> DeviceState {
    match event {
        Event::Value(name) => DeviceState::named(name),
        _ => DeviceState::Invalid,
    }
}
