//! Conferences in progress, and profiles for new ones.

use std::collections::BTreeMap;

use super::{DeviceState, key};
use crate::base::Text;

/// Somebody in a conference.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Participant {
    /// Its channel.
    pub channel: Text,
    /// Whether it may lock, mute and remove.
    pub admin: bool,
    /// Whether others wait for it.
    pub marked: bool,
    /// Whether it is not heard.
    pub muted: bool,
}

/// A conference in progress.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Conference {
    /// Who takes part, in the order in which they came.
    pub participants: Vec<Participant>,
    /// Whether nobody else may join.
    pub locked: bool,
    /// Whether all but administrators are muted.
    pub muted: bool,
}

/// Settings by profile and option: `sales` → `max_members` → `4`.
pub type Profiles = BTreeMap<Text, BTreeMap<Text, Text>>;

/// Conferences in progress, and profiles for new ones.
#[derive(Debug, Clone)]
pub struct Conferences {
    rooms: BTreeMap<Text, Conference>,
    /// Profiles of bridges.
    pub bridges: Profiles,
    /// Profiles of participants.
    pub users: Profiles,
    /// Profiles of menus.
    pub menus: Profiles,
}

impl Default for Conferences {
    /// The profiles that are there without any configuration, as in Asterisk.
    fn default() -> Self {
        let usual = |name: &str| Profiles::from([(Text::from(name), BTreeMap::new())]);
        Self {
            rooms: BTreeMap::new(),
            bridges: usual("default_bridge"),
            users: usual("default_user"),
            menus: usual("default_menu"),
        }
    }
}

impl Conferences {
    /// A conference in progress.
    pub fn get(&self, name: &[u8]) -> Option<&Conference> {
        self.rooms.get(key(name).as_bytes())
    }

    /// A conference in progress, to change it.
    pub fn get_mut(&mut self, name: &[u8]) -> Option<&mut Conference> {
        self.rooms.get_mut(key(name).as_bytes())
    }

    /// Somebody joins; the first makes the conference. Says whether that is possible: not locked for others than
    /// administrators, and at most so many.
    pub fn join(&mut self, name: &[u8], participant: Participant, most: Option<usize>) -> bool {
        let room = self.rooms.entry(key(name)).or_default();
        let full = most.is_some_and(|most| room.participants.len() >= most);
        let joins = participant.admin || (!room.locked && !full);
        if joins {
            room.participants.push(participant);
        }
        joins
    }

    /// Somebody leaves; the last ends the conference. Says whether it took part.
    pub fn leave(&mut self, name: &[u8], channel: &[u8]) -> bool {
        let name = key(name);
        let Some(room) = self.rooms.get_mut(name.as_bytes()) else {
            return false;
        };
        let before = room.participants.len();
        room.participants
            .retain(|p| p.channel.as_bytes() != channel);
        let left = room.participants.len() < before;
        if room.participants.is_empty() {
            self.rooms.remove(name.as_bytes());
        }
        left
    }

    /// The state of the device `confbridge:NAME`.
    pub(super) fn device(&self, name: &[u8]) -> DeviceState {
        match self.get(name) {
            Some(_) => DeviceState::InUse,
            None => DeviceState::NotInUse,
        }
    }

    /// A channel is gone: it leaves its conferences.
    pub fn forget_channel(&mut self, name: &[u8]) {
        for room in self.rooms.values_mut() {
            room.participants.retain(|p| p.channel.as_bytes() != name);
        }
        self.rooms.retain(|_, room| !room.participants.is_empty());
    }
}
