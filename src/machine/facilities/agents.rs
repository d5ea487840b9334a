//! Agents: people who log in and wait for calls.

use std::collections::BTreeMap;

use super::DeviceState;
use crate::base::Text;

/// An agent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Agent {
    /// Its name, for people.
    pub name: Text,
    /// Music for callers who are put on hold.
    pub music: Text,
    /// The channel on which it is logged in.
    pub channel: Option<Text>,
    /// Whether it speaks with a caller.
    pub busy: bool,
}

/// All agents, by id.
#[derive(Debug, Clone, Default)]
pub struct Agents {
    agents: BTreeMap<Text, Agent>,
}

impl Agents {
    /// An agent that exists from now on.
    pub fn add(&mut self, id: &[u8], agent: Agent) {
        self.agents.insert(Text::from(id), agent);
    }

    /// Whether the host said anything of agents.
    pub fn are_known(&self) -> bool {
        !self.agents.is_empty()
    }

    /// An agent by id.
    pub fn get(&self, id: &[u8]) -> Option<&Agent> {
        self.agents.get(id)
    }

    /// An agent by id, to change it.
    pub fn get_mut(&mut self, id: &[u8]) -> Option<&mut Agent> {
        self.agents.get_mut(id)
    }

    /// An agent logs in on a channel; says whether it could: it exists and was not logged in.
    pub fn log_in(&mut self, id: &[u8], channel: &Text) -> bool {
        let free = self.agents.get_mut(id).filter(|a| a.channel.is_none());
        free.map(|agent| agent.channel = Some(channel.clone()))
            .is_some()
    }

    /// The state of the device `Agent:ID`.
    pub(super) fn device(&self, id: &[u8]) -> DeviceState {
        match self.agents.get(id) {
            None => DeviceState::Invalid,
            Some(agent) if agent.channel.is_none() => DeviceState::Unavailable,
            Some(agent) if agent.busy => DeviceState::InUse,
            Some(_) => DeviceState::NotInUse,
        }
    }

    /// A channel is gone: who was logged in on it is not any more.
    pub fn forget_channel(&mut self, name: &[u8]) {
        for agent in self.agents.values_mut() {
            if agent.channel.as_deref() == Some(name) {
                agent.channel = None;
                agent.busy = false;
            }
        }
    }
}
