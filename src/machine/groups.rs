//! The groups of channels. A channel is in at most one group of each category; letter case does not count.

use std::collections::BTreeMap;

use crate::base::Text;
use crate::base::symbol::{StableMap, stable_map};

/// A channel's membership in a group of a category.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Membership {
    /// Category, empty by default.
    pub category: Text,
    /// Group.
    pub group: Text,
}

/// The groups of one channel.
#[derive(Debug)]
struct Own {
    /// Each with a number that grows: the order in which they were set.
    members: BTreeMap<u64, Membership>,
    /// Category, small, to number.
    categories: StableMap<Text, u64>,
    memory: usize,
}

/// How many channels are in a group.
#[derive(Debug)]
struct Counts {
    all: u64,
    /// By category, small.
    categories: StableMap<Text, u64>,
}

/// The groups of all channels.
#[derive(Debug)]
pub struct Groups {
    channels: StableMap<Text, Own>,
    /// By group, small.
    counts: StableMap<Text, Counts>,
    last: u64,
}

impl Default for Groups {
    fn default() -> Self {
        Self {
            channels: stable_map(),
            counts: stable_map(),
            last: 0,
        }
    }
}

fn small(text: &[u8]) -> Text {
    Text::from(text.to_ascii_lowercase())
}

impl Membership {
    /// Bytes held, roughly.
    fn memory(&self) -> usize {
        self.category.len() * 2 + self.group.len() + 128
    }
}

impl Groups {
    /// Puts a channel into a group of a category, out of the one that it was in; an empty group is none.
    pub fn set(&mut self, channel: &Text, category: &[u8], group: &[u8]) {
        let key = small(category);
        if let Some(own) = self.channels.get_mut(channel)
            && let Some(number) = own.categories.remove(&key)
            && let Some(old) = own.members.remove(&number)
        {
            own.memory = own.memory.saturating_sub(old.memory());
            if own.members.is_empty() {
                self.channels.remove(channel);
            }
            self.uncount(&old);
        }
        if group.is_empty() {
            return;
        }
        let counts = self.counts.entry(small(group)).or_insert_with(|| Counts {
            all: 0,
            categories: stable_map(),
        });
        counts.all += 1;
        *counts.categories.entry(key.clone()).or_default() += 1;
        let member = Membership {
            category: Text::from(category),
            group: Text::from(group),
        };
        self.last += 1;
        let own = self.channels.entry(channel.clone()).or_insert_with(|| Own {
            members: BTreeMap::new(),
            categories: stable_map(),
            memory: 0,
        });
        own.memory += member.memory();
        own.categories.insert(key, self.last);
        own.members.insert(self.last, member);
    }

    fn uncount(&mut self, old: &Membership) {
        let (group, category) = (small(&old.group), small(&old.category));
        let Some(counts) = self.counts.get_mut(&group) else {
            return;
        };
        counts.all = counts.all.saturating_sub(1);
        if let Some(count) = counts.categories.get_mut(&category) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                counts.categories.remove(&category);
            }
        }
        if counts.all == 0 {
            self.counts.remove(&group);
        }
    }

    /// The channel's group of a category; of an empty category, the one set first.
    pub fn of(&self, channel: &[u8], category: &[u8]) -> Option<&Membership> {
        let own = self.channels.get(channel)?;
        if category.is_empty() {
            return own.members.values().next();
        }
        own.members.get(own.categories.get(&small(category))?)
    }

    /// All groups of a channel in the order in which they were set.
    pub fn all_of(&self, channel: &[u8]) -> impl Iterator<Item = &Membership> {
        let own = self.channels.get(channel);
        own.into_iter().flat_map(|own| own.members.values())
    }

    /// How many memberships a group has in a category; an empty category is every one.
    pub fn count(&self, group: &[u8], category: &[u8]) -> u64 {
        let Some(counts) = self.counts.get(&small(group)) else {
            return 0;
        };
        if category.is_empty() {
            return counts.all;
        }
        counts
            .categories
            .get(&small(category))
            .copied()
            .unwrap_or(0)
    }

    /// How many memberships there are for which something holds.
    pub fn count_where(&self, holds: impl Fn(&Membership) -> bool) -> usize {
        let all = self.channels.values().flat_map(|own| own.members.values());
        all.filter(|member| holds(member)).count()
    }

    /// Bytes that the groups of a channel take, roughly.
    pub fn memory(&self, channel: &[u8]) -> usize {
        self.channels.get(channel).map_or(0, |own| own.memory)
    }

    /// A channel is gone: it leaves its groups.
    pub fn forget(&mut self, channel: &[u8]) {
        if let Some(own) = self.channels.remove(channel) {
            for member in own.members.values() {
                self.uncount(member);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_channel_is_in_one_group_of_a_category() {
        let mut groups = Groups::default();
        let (a, b) = (Text::from("a"), Text::from("b"));
        groups.set(&a, b"", b"x");
        groups.set(&a, b"Out", b"north");
        groups.set(&b, b"out", b"North");
        assert_eq!(groups.count(b"NORTH", b"OUT"), 2);
        assert_eq!(groups.count(b"north", b"in"), 0);
        groups.set(&a, b"OUT", b"south");
        assert_eq!(groups.count(b"north", b""), 1);
        let own: Vec<_> = groups.all_of(b"a").map(|m| m.group.to_string()).collect();
        assert_eq!(own, ["x", "south"]);
        assert_eq!(
            groups.of(b"a", b"").map(|m| m.group.to_string()).as_deref(),
            Some("x")
        );
        groups.set(&a, b"", b"");
        assert_eq!(
            groups.of(b"a", b"").map(|m| m.group.to_string()).as_deref(),
            Some("south")
        );
        groups.forget(b"a");
        groups.forget(b"b");
        assert_eq!(groups.count_where(|_| true), 0);
        assert!(groups.counts.is_empty());
    }
}
