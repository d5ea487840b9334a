//! What a host offers beside channels: queues, conferences, parking lots, mailboxes, agents, states of devices.
//!
//! Applications and functions read this and change it; the host that has the real things writes what it knows. It is
//! plain state: nothing here waits, asks a clock or chooses by chance.

mod agents;
mod conferences;
mod devices;
mod mailboxes;
mod messages;
mod minivm;
mod parking;
mod presence;
mod queue;
mod queue_rule;
mod queues;
mod recordings;
mod strategy;

use crate::base::Text;
use crate::base::symbol::{StableMap, stable_map};

pub use agents::{Agent, Agents};
pub use conferences::{Conference, Conferences, Participant, Profiles};
pub use devices::{CUSTOM_DEVICES, DeviceState, Devices, Together, ask, told};
pub use mailboxes::{FOLDERS, INBOX, Mailbox, Mailboxes, Stored};
pub use messages::{Message, MessageHeader};
pub use minivm::{Account, Accounts};
pub use parking::{Lot, Parked, Parking};
pub use presence::{Presence, Presences};
pub use queue::{
    Announcements, Caller, Empty, Member, Penalties, Queue, QueueSettings, SayPosition, SayTime,
    States,
};
pub use queue_rule::{Change, PenaltyChange};
pub use queues::{QueueLogLine, Queues};
pub use recordings::{Monitor, Numbered, Recordings};
pub use strategy::Strategy;

/// Everything that a host offers beside channels, shared by the calls of an engine.
#[derive(Debug, Clone, Default)]
pub struct Facilities {
    /// Call queues and their members.
    pub queues: Queues,
    /// Conferences in progress and profiles for new ones.
    pub conferences: Conferences,
    /// Parking lots.
    pub parking: Parking,
    /// Mailboxes of the voice mail.
    pub mailboxes: Mailboxes,
    /// Accounts of the small voice mail.
    pub accounts: Accounts,
    /// Agents.
    pub agents: Agents,
    /// States of devices.
    pub devices: Devices,
    /// Presence of people.
    pub presences: Presences,
    /// Sessions of management clients.
    pub clients: Clients,
    /// Numbers in the names of recordings.
    pub numbered: Numbered,
}

impl Facilities {
    /// A channel is gone: it waits nowhere, speaks in no conference, is not parked, and is no agent any more.
    pub fn forget_channel(&mut self, name: &[u8]) {
        self.queues.forget_channel(name);
        self.conferences.forget_channel(name);
        self.parking.forget_channel(name);
        self.agents.forget_channel(name);
    }

    /// The state of a device that a facility has a say in: `Queue:`, `Agent:`, `park:`, `confbridge:`, and those that
    /// the host told. `None` = nobody knows it here.
    pub fn device(&self, device: &[u8]) -> Option<DeviceState> {
        let colon = device.iter().position(|b| *b == b':');
        let named = colon.and_then(|at| Some((device.get(..at)?, device.get(at + 1..)?)));
        let Some((provider, name)) = named else {
            return self.devices.state(device);
        };
        match provider.to_ascii_lowercase().as_slice() {
            b"queue" => Some(self.queues.device(name)),
            b"agent" => Some(self.agents.device(name)),
            b"park" => Some(self.parking.device(name)),
            b"confbridge" => Some(self.conferences.device(name)),
            _ => self.devices.state(device),
        }
    }
}

/// Sessions of management clients, by login.
#[derive(Debug, Clone)]
pub struct Clients {
    sessions: StableMap<Text, u32>,
}

impl Default for Clients {
    fn default() -> Self {
        Self {
            sessions: stable_map(),
        }
    }
}

impl Clients {
    /// So many sessions are logged in under this name; 0 = the name exists and nobody is logged in.
    pub fn set(&mut self, login: &[u8], sessions: u32) {
        self.sessions.insert(Text::from(login), sessions);
    }

    /// Sessions under this name; `None` = there is no such login.
    pub fn sessions(&self, login: &[u8]) -> Option<u32> {
        self.sessions.get(login).copied()
    }
}

/// Names of facilities count without regard to case.
fn key(name: &[u8]) -> Text {
    Text::from(name.to_ascii_lowercase())
}
