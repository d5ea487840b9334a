//! Presence of people.

use std::collections::BTreeMap;

use super::key;
use crate::base::Text;

/// Whether somebody is there, and what is said about it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Presence {
    /// `not_set`, `unavailable`, `available`, `away`, `xa`, `chat` or `dnd`.
    pub value: Text,
    /// More about it.
    pub subtype: Text,
    /// A message for people.
    pub message: Text,
}

/// Presence that the host told, by provider: `PJSIP/100`.
#[derive(Debug, Clone, Default)]
pub struct Presences {
    known: BTreeMap<Text, Presence>,
}

impl Presences {
    /// The host says whether somebody is there.
    pub fn set(&mut self, provider: &[u8], presence: Presence) {
        self.known.insert(key(provider), presence);
    }

    /// What the host said last.
    pub fn get(&self, provider: &[u8]) -> Option<&Presence> {
        self.known.get(key(provider).as_bytes())
    }
}
