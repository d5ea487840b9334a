//! All call queues of an engine, and their log.

use std::collections::BTreeMap;
use std::time::Duration;

use super::{DeviceState, Member, PenaltyChange, Queue, key};
use crate::base::Text;

/// Lines of the log that are kept.
const MOST_LINES: usize = 10_000;

/// A line of the log of queues, in the columns of Asterisk's `queue_log`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct QueueLogLine {
    /// When, since the epoch.
    pub at: Duration,
    /// The call's unique id; `NONE` where there is no call.
    pub call: Text,
    /// Name of the queue.
    pub queue: Text,
    /// Name of the member; `NONE` where there is none.
    pub member: Text,
    /// What happened: `ENTERQUEUE`, `CONNECT` …
    pub event: Text,
    /// More about it, fields with `|` between.
    pub more: Text,
}

/// All queues.
#[derive(Debug, Clone, Default)]
pub struct Queues {
    by_name: BTreeMap<Text, Queue>,
    rules: BTreeMap<Text, Vec<PenaltyChange>>,
    log: Vec<QueueLogLine>,
}

impl Queues {
    /// Adds a rule; one of that name that is there is replaced.
    pub fn add_rule(&mut self, name: &[u8], mut lines: Vec<PenaltyChange>) {
        lines.sort_by_key(|line| line.after);
        self.rules.insert(key(name), lines);
    }

    /// The lines of a rule, the earliest first; none where there is no such rule.
    pub fn rule(&self, name: &[u8]) -> &[PenaltyChange] {
        self.rules
            .get(key(name).as_bytes())
            .map_or(&[], Vec::as_slice)
    }

    /// Adds a queue; one of that name that is there keeps its callers and counts.
    pub fn add(&mut self, queue: Queue) {
        let key = key(&queue.name);
        if let Some(old) = self.by_name.get_mut(&key) {
            let dynamic = old.members.iter().filter(|m| m.dynamic).cloned();
            let members = queue.members.into_iter().chain(dynamic).collect();
            old.settings = queue.settings;
            old.members = members;
        } else {
            self.by_name.insert(key, queue);
        }
    }

    /// Whether the host said anything of queues.
    pub fn are_known(&self) -> bool {
        !self.by_name.is_empty()
    }

    /// A queue by name.
    pub fn get(&self, name: &[u8]) -> Option<&Queue> {
        self.by_name.get(key(name).as_bytes())
    }

    /// A queue by name, to change it.
    pub fn get_mut(&mut self, name: &[u8]) -> Option<&mut Queue> {
        self.by_name.get_mut(key(name).as_bytes())
    }

    /// All queues, by name.
    pub fn iter(&self) -> impl Iterator<Item = &Queue> {
        self.by_name.values()
    }

    /// Changes a member in one queue, or in all queues where the name is empty; says in which queues.
    pub fn change(
        &mut self,
        queue: &[u8],
        interface: &[u8],
        change: impl Fn(&mut Member),
    ) -> Vec<Text> {
        let wanted = (!queue.is_empty()).then(|| key(queue));
        let mut changed = Vec::new();
        for (name, queue) in &mut self.by_name {
            if wanted.as_ref().is_some_and(|wanted| wanted != name) {
                continue;
            }
            let display = queue.name.clone();
            if let Some(member) = queue.member_mut(interface) {
                change(member);
                changed.push(display);
            }
        }
        changed
    }

    /// Since when a channel waits in any queue.
    pub fn waiting_since(&self, channel: &[u8]) -> Option<Duration> {
        let callers = self.by_name.values().flat_map(|q| q.callers.iter());
        let own = callers.filter(|c| c.channel.as_bytes() == channel);
        own.map(|caller| caller.since).min()
    }

    /// Whether a queue of greater weight needs a member more: callers wait there, and it is a member there.
    pub fn is_needed_elsewhere(&self, queue: &[u8], interface: &[u8]) -> bool {
        let Some(own) = self.get(queue) else {
            return false;
        };
        self.by_name.values().any(|other| {
            other.settings.weight > own.settings.weight
                && other.callers.iter().any(|caller| !caller.ringing)
                && other.member(interface).is_some()
        })
    }

    /// The log, oldest line first. It holds the last ten thousand lines until a host takes them.
    pub fn log(&self) -> &[QueueLogLine] {
        &self.log
    }

    /// Takes out the log: for a host that writes it to a file.
    pub fn take_log(&mut self) -> Vec<QueueLogLine> {
        std::mem::take(&mut self.log)
    }

    /// Adds a line to the log.
    pub fn write_log(&mut self, line: QueueLogLine) {
        if self.log.len() >= MOST_LINES {
            self.log.drain(..MOST_LINES / 2);
        }
        self.log.push(line);
    }

    /// The state of the device `Queue:NAME`: in use where callers wait.
    pub(super) fn device(&self, name: &[u8]) -> DeviceState {
        match self.get(name) {
            None => DeviceState::Invalid,
            Some(queue) if queue.callers.is_empty() => DeviceState::NotInUse,
            Some(_) => DeviceState::InUse,
        }
    }

    /// A channel is gone: it waits nowhere any more.
    pub fn forget_channel(&mut self, name: &[u8]) {
        for queue in self.by_name.values_mut() {
            if queue.leave(name).is_some() {
                queue.abandoned += 1;
            }
        }
    }
}
