//! Parking lots, and who is parked in them.

use std::collections::BTreeMap;
use std::time::Duration;

use super::{DeviceState, key};
use crate::base::Text;

/// A lot that is there without any configuration, as in Asterisk.
const DEFAULT: &[u8] = b"default";

/// A parking lot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lot {
    /// Its name, as written.
    pub name: Text,
    /// Its first and last space.
    pub spaces: (u32, u32),
    /// How long a call stays parked.
    pub time: Duration,
    /// The context of its spaces.
    pub context: Text,
    /// The extension to park at; none by default.
    pub exten: Text,
    /// Whether the search for a space goes on after the one taken last.
    pub next: bool,
    /// Whether a call comes back to who parked it.
    pub to_origin: bool,
    /// The context of a call that does not come back to who parked it.
    pub back_context: Text,
    /// How long who parked a call is rung when it comes back.
    pub back_time: Duration,
    /// The space that was taken last.
    last: Option<u32>,
}

impl Lot {
    /// A lot with Asterisk's usual settings: spaces 701 to 750, 45 seconds.
    pub fn new(name: &[u8]) -> Self {
        Self {
            name: Text::from(name),
            spaces: (701, 750),
            time: Duration::from_secs(45),
            context: Text::from("parkedcalls"),
            exten: Text::EMPTY,
            next: false,
            to_origin: true,
            back_context: Text::from("parkedcallstimeout"),
            back_time: Duration::from_secs(30),
            last: None,
        }
    }
}

/// A parked call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parked {
    /// Its channel.
    pub channel: Text,
    /// Who parked it, for coming back.
    pub parker: Text,
}

/// All lots, and who is parked.
#[derive(Debug, Clone)]
pub struct Parking {
    lots: BTreeMap<Text, Lot>,
    /// By lot and space.
    parked: BTreeMap<(Text, u32), Parked>,
}

impl Default for Parking {
    fn default() -> Self {
        Self {
            lots: BTreeMap::from([(Text::from(DEFAULT), Lot::new(DEFAULT))]),
            parked: BTreeMap::new(),
        }
    }
}

impl Parking {
    /// Adds a lot, or replaces the one of that name.
    pub fn add(&mut self, lot: Lot) {
        self.lots.insert(key(&lot.name), lot);
    }

    /// A lot by name; an empty name is the default one.
    pub fn lot(&self, name: &[u8]) -> Option<&Lot> {
        let name = if name.is_empty() { DEFAULT } else { name };
        self.lots.get(key(name).as_bytes())
    }

    /// Parks a channel in the space asked for if it is free, else in the first free one; `None` = the lot does not
    /// exist or is full.
    pub fn park(&mut self, lot: &[u8], wanted: Option<u32>, parked: Parked) -> Option<u32> {
        let name = key(if lot.is_empty() { DEFAULT } else { lot });
        let lot = self.lots.get_mut(name.as_bytes())?;
        let (first, last) = lot.spaces;
        let free = |space: &u32| !self.parked.contains_key(&(name.clone(), *space));
        let wanted = wanted.filter(|space| (first..=last).contains(space) && free(space));
        let start = match lot.last {
            Some(taken) if lot.next && taken < last => taken + 1,
            _ => first,
        };
        let space = wanted.or_else(|| (start..=last).chain(first..start).find(free))?;
        lot.last = Some(space);
        self.parked.insert((name, space), parked);
        Some(space)
    }

    /// Who is parked in a space.
    pub fn at(&self, lot: &[u8], space: u32) -> Option<&Parked> {
        let name = if lot.is_empty() { DEFAULT } else { lot };
        self.parked.get(&(key(name), space))
    }

    /// Takes a call out of a space, or the one in the lowest space where none is named.
    pub fn fetch(&mut self, lot: &[u8], space: Option<u32>) -> Option<(u32, Parked)> {
        let name = key(if lot.is_empty() { DEFAULT } else { lot });
        let of_lot = |((of, space), _): (&(Text, u32), &Parked)| (*of == name).then_some(*space);
        let space = space.or_else(|| self.parked.iter().find_map(of_lot))?;
        let parked = self.parked.remove(&(name, space))?;
        Some((space, parked))
    }

    /// Lot and space of a channel.
    pub fn place_of(&self, channel: &[u8]) -> Option<(&Lot, u32)> {
        let ((lot, space), _) = self
            .parked
            .iter()
            .find(|(_, parked)| parked.channel.as_bytes() == channel)?;
        Some((self.lots.get(lot)?, *space))
    }

    /// The state of the device `park:SPACE@CONTEXT`: in use where somebody is parked there.
    pub(super) fn device(&self, place: &[u8]) -> DeviceState {
        let mut parts = place.splitn(2, |b| *b == b'@');
        let space = parts.next().unwrap_or(&[]);
        let context = parts.next().unwrap_or(&[]);
        let Some(space) = std::str::from_utf8(space).ok().and_then(|s| s.parse().ok()) else {
            return DeviceState::NotInUse;
        };
        let taken = self.lots.iter().any(|(name, lot)| {
            lot.context.eq_ignore_ascii_case(context)
                && self.parked.contains_key(&(name.clone(), space))
        });
        if taken {
            DeviceState::InUse
        } else {
            DeviceState::NotInUse
        }
    }

    /// A channel is gone: it is not parked any more.
    pub fn forget_channel(&mut self, name: &[u8]) {
        self.parked
            .retain(|_, parked| parked.channel.as_bytes() != name);
    }
}
