//! One call queue: its settings, members and callers.

use std::time::Duration;

use super::{DeviceState, Strategy};
use crate::base::Text;

/// When a queue counts as empty: members in these conditions are not counted. Without any condition it never does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "a set of conditions that are independent of each other"
)]
pub struct Empty {
    /// Members who pause.
    pub paused: bool,
    /// Members whose penalty is outside of the caller's limits.
    pub penalty: bool,
    /// Members who speak.
    pub inuse: bool,
    /// Members who are rung.
    pub ringing: bool,
    /// Members who cannot be reached.
    pub unavailable: bool,
    /// Members whose device does not exist.
    pub invalid: bool,
    /// Members of whose device nothing is known.
    pub unknown: bool,
    /// Members who have not finished with the call before.
    pub wrapup: bool,
}

impl Empty {
    /// Whether there is any condition.
    pub fn is_set(self) -> bool {
        self != Self::default()
    }

    /// `strict`: paused, penalty, unavailable, invalid.
    pub fn strict() -> Self {
        Self {
            unavailable: true,
            ..Self::usual()
        }
    }

    /// `loose`: penalty, invalid.
    pub fn loose() -> Self {
        Self {
            paused: false,
            ..Self::usual()
        }
    }

    /// `joinempty=no` and `leavewhenempty=yes`: paused, penalty, invalid.
    pub fn usual() -> Self {
        Self {
            paused: true,
            penalty: true,
            invalid: true,
            ..Self::default()
        }
    }
}

/// Settings of a queue, as in `queues.conf`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "as many switches as queues.conf has"
)]
pub struct QueueSettings {
    /// How members are chosen.
    pub strategy: Strategy,
    /// How long a member is rung; `None` = without limit.
    pub timeout: Option<Duration>,
    /// Pause before members are rung again.
    pub retry: Duration,
    /// Most callers; 0 = any number.
    pub maxlen: u32,
    /// Queues with a greater weight get members first.
    pub weight: u32,
    /// A call is answered in good time within this.
    pub servicelevel: Duration,
    /// A member gets no call for so long after one.
    pub wrapuptime: Duration,
    /// When nobody may join.
    pub joinempty: Empty,
    /// When callers leave.
    pub leavewhenempty: Empty,
    /// Whether members who speak are rung.
    pub ringinuse: bool,
    /// Whether several callers are served at once.
    pub autofill: bool,
    /// Whether a member who did not answer pauses.
    pub autopause: bool,
    /// Whether busy members start the time of a round again.
    pub timeoutrestart: bool,
    /// Where a digit of a caller leads.
    pub context: Text,
    /// Whether variables about the member are set.
    pub setinterfacevar: bool,
    /// Whether variables about the queue are set.
    pub setqueuevar: bool,
    /// Whether variables about the wait are set.
    pub setqueueentryvar: bool,
    /// What the member hears before the caller.
    pub announce: Text,
    /// What callers hear while they wait.
    pub announcements: Announcements,
    /// The rule of callers who name none.
    pub rule: Text,
}

impl Default for QueueSettings {
    /// Asterisk's usual settings.
    fn default() -> Self {
        Self {
            strategy: Strategy::RingAll,
            timeout: Some(Duration::from_secs(15)),
            retry: Duration::from_secs(5),
            maxlen: 0,
            weight: 0,
            servicelevel: Duration::ZERO,
            wrapuptime: Duration::ZERO,
            joinempty: Empty::default(),
            leavewhenempty: Empty::default(),
            ringinuse: true,
            autofill: true,
            autopause: false,
            timeoutrestart: false,
            context: Text::EMPTY,
            setinterfacevar: false,
            setqueuevar: false,
            setqueueentryvar: false,
            announce: Text::EMPTY,
            announcements: Announcements::default(),
            rule: Text::EMPTY,
        }
    }
}

/// Whose position is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SayPosition {
    /// Everybody's.
    #[default]
    Always,
    /// Nobody's.
    Never,
    /// That of the first ones.
    Limit,
    /// That of the first ones; the others hear that there are more.
    More,
}

/// How often the wait that is left is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SayTime {
    /// With each announcement of the position.
    #[default]
    Always,
    /// Never.
    Never,
    /// With the first one.
    Once,
}

/// What callers hear while they wait.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Announcements {
    /// The position is said so often; `None` = never.
    pub frequency: Option<Duration>,
    /// A new position is said at the earliest so long after the one before.
    pub least: Duration,
    /// Whose position is said.
    pub position: SayPosition,
    /// Who are the first ones.
    pub limit: usize,
    /// Whether the wait that is left is said.
    pub holdtime: SayTime,
    /// Seconds of it are rounded to a multiple of this; 0 = only minutes are said.
    pub round: u64,
    /// Whether it is said to the one who is next, too.
    pub to_first: bool,
    /// Files that are played in turn.
    pub periodic: Vec<Text>,
    /// So often; `None` = never.
    pub periodic_frequency: Option<Duration>,
}

impl Default for Announcements {
    /// Asterisk's usual settings.
    fn default() -> Self {
        Self {
            frequency: None,
            least: Duration::from_secs(15),
            position: SayPosition::Always,
            limit: 5,
            holdtime: SayTime::Never,
            round: 0,
            to_first: false,
            periodic: vec![Text::from("queue-periodic-announce")],
            periodic_frequency: None,
        }
    }
}

/// A member of a queue.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Member {
    /// What is dialled: `PJSIP/100`.
    pub interface: Text,
    /// Its name, for people.
    pub name: Text,
    /// The device whose state counts; the interface where it is empty.
    pub state_interface: Text,
    /// Members with a lower one are rung first.
    pub penalty: u32,
    /// Whether it pauses, and why.
    pub paused: bool,
    /// Why it pauses.
    pub reason: Text,
    /// Whether it is rung while it speaks; `None` as the queue says.
    pub ringinuse: Option<bool>,
    /// How long it gets no call after one; `None` as the queue says.
    pub wrapuptime: Option<Duration>,
    /// Whether it was added by an application.
    pub dynamic: bool,
    /// Calls taken.
    pub calls: u32,
    /// When the last call ended, since the epoch.
    pub last_call: Option<Duration>,
}

impl Member {
    /// A member that is dialled so.
    pub fn new(interface: &[u8]) -> Self {
        Self {
            interface: Text::from(interface),
            name: Text::from(interface),
            ..Self::default()
        }
    }

    /// The device whose state counts.
    pub fn device(&self) -> &Text {
        if self.state_interface.is_empty() {
            &self.interface
        } else {
            &self.state_interface
        }
    }
}

/// Which penalties a caller accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Penalties {
    /// Not below this.
    pub least: Option<u32>,
    /// Not above this.
    pub most: Option<u32>,
    /// Smaller ones count as this.
    pub raise: Option<u32>,
}

impl Penalties {
    /// A penalty as it counts.
    fn raised(self, penalty: u32) -> u32 {
        self.raise.map_or(penalty, |raise| penalty.max(raise))
    }

    fn accept(self, penalty: u32) -> bool {
        let penalty = self.raised(penalty);
        self.least.is_none_or(|least| penalty >= least)
            && self.most.is_none_or(|most| penalty <= most)
    }
}

/// Somebody who waits in a queue.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Caller {
    /// Its channel.
    pub channel: Text,
    /// Its `QUEUE_PRIO`: greater ones come first.
    pub priority: i64,
    /// When it came, since the epoch.
    pub since: Duration,
    /// Whether members are rung for it now.
    pub ringing: bool,
}

/// A call queue.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Queue {
    /// Its name, as written.
    pub name: Text,
    /// Its settings.
    pub settings: QueueSettings,
    /// Its members, in their order.
    pub members: Vec<Member>,
    /// Who waits, the next one first.
    pub callers: Vec<Caller>,
    /// Average wait of calls that were taken, in seconds.
    pub holdtime: u64,
    /// Average length of calls that were taken, in seconds.
    pub talktime: u64,
    /// Calls that were taken and ended.
    pub completed: u64,
    /// Calls that ended before they were taken.
    pub abandoned: u64,
    /// Calls that were taken in good time.
    pub in_time: u64,
    /// The member with whom a round begins.
    pub round: usize,
}

/// States of devices by name.
pub type States<'a> = dyn Fn(&[u8]) -> DeviceState + 'a;

impl Queue {
    /// A queue without members.
    pub fn new(name: &[u8], settings: QueueSettings) -> Self {
        Self {
            name: Text::from(name),
            settings,
            ..Self::default()
        }
    }

    /// A member by what is dialled.
    pub fn member(&self, interface: &[u8]) -> Option<&Member> {
        self.members
            .iter()
            .find(|m| m.interface.eq_ignore_ascii_case(interface))
    }

    /// A member by what is dialled, to change it.
    pub fn member_mut(&mut self, interface: &[u8]) -> Option<&mut Member> {
        self.members
            .iter_mut()
            .find(|m| m.interface.eq_ignore_ascii_case(interface))
    }

    /// Whether a member has not finished with the call before.
    pub fn wraps_up(&self, member: &Member, now: Duration) -> bool {
        let time = member.wrapuptime.unwrap_or(self.settings.wrapuptime);
        member
            .last_call
            .is_some_and(|last| now < last.saturating_add(time))
    }

    /// Whether a member can be rung.
    pub fn can_ring(&self, member: &Member, state: DeviceState, now: Duration) -> bool {
        let in_use = member.ringinuse.unwrap_or(self.settings.ringinuse);
        let reachable = match state {
            DeviceState::NotInUse | DeviceState::Unknown => true,
            DeviceState::InUse | DeviceState::Ringing | DeviceState::RingInUse => in_use,
            DeviceState::OnHold => in_use,
            DeviceState::Busy | DeviceState::Invalid | DeviceState::Unavailable => false,
        };
        reachable && !member.paused && !self.wraps_up(member, now)
    }

    /// Whether it counts as empty under a condition, for a caller with these limits.
    pub fn is_empty(
        &self,
        when: Empty,
        limits: Penalties,
        states: &States<'_>,
        now: Duration,
    ) -> bool {
        let counts = |member: &Member| {
            let out = match states(member.device()) {
                DeviceState::Invalid => when.invalid,
                DeviceState::Unavailable => when.unavailable,
                DeviceState::InUse => when.inuse,
                DeviceState::Ringing => when.ringing,
                DeviceState::Unknown => when.unknown,
                _ => false,
            };
            let out = out
                || (when.penalty && !limits.accept(member.penalty))
                || (when.paused && member.paused)
                || (when.wrapup && self.wraps_up(member, now));
            !out
        };
        when.is_set() && !self.members.iter().any(counts)
    }

    /// Who is rung, in order: members of one inner list are rung at once. `begin` is the place from 0 of the member
    /// with whom a caller of a linear queue begins.
    pub fn order(
        &self,
        begin: usize,
        limits: Penalties,
        states: &States<'_>,
        now: Duration,
        random: &dyn Fn() -> u64,
    ) -> Vec<Vec<Text>> {
        let count = self.members.len();
        let rotated = |n: usize, first: usize| {
            let first = first % count.max(1);
            ((n + count - first) % count) as u64
        };
        let mut rung: Vec<(u64, u64, usize)> = Vec::new();
        for (n, member) in self.members.iter().enumerate() {
            let fits = limits.accept(member.penalty);
            if !fits || !self.can_ring(member, states(member.device()), now) {
                continue;
            }
            let penalty = u64::from(limits.raised(member.penalty));
            let metric = match self.settings.strategy {
                Strategy::RingAll => 0,
                Strategy::Linear => rotated(n, begin),
                Strategy::RrMemory | Strategy::RrOrdered => rotated(n, self.round),
                Strategy::LeastRecent => member
                    .last_call
                    .map_or(0, |last| last.as_millis() as u64 + 1),
                Strategy::FewestCalls => u64::from(member.calls),
                Strategy::Random => random() % 1000,
                Strategy::WeightedRandom => random() % ((1 + penalty) * 1000),
            };
            let penalty = if self.settings.strategy == Strategy::WeightedRandom {
                0
            } else {
                penalty
            };
            rung.push((penalty, metric, n));
        }
        rung.sort_unstable();
        let interface = |n: usize| self.members.get(n).map(|m| m.interface.clone());
        if self.settings.strategy == Strategy::RingAll {
            let mut groups: Vec<Vec<Text>> = Vec::new();
            let mut last = None;
            for (penalty, _, n) in rung {
                if last != Some(penalty) {
                    groups.push(Vec::new());
                    last = Some(penalty);
                }
                if let Some(group) = groups.last_mut() {
                    group.extend(interface(n));
                }
            }
            return groups;
        }
        rung.into_iter()
            .filter_map(|(_, _, n)| interface(n))
            .map(|interface| vec![interface])
            .collect()
    }

    /// A member is rung: the next round of the queue begins behind it. Gives the place where that is.
    pub fn rings(&mut self, interface: &[u8]) -> usize {
        let member = self
            .members
            .iter()
            .position(|m| m.interface.as_bytes() == interface);
        if let Some(n) = member {
            self.round = n + 1;
        }
        self.round
    }

    /// Position of a caller, from 1.
    pub fn position(&self, channel: &[u8]) -> Option<usize> {
        let found = self
            .callers
            .iter()
            .position(|c| c.channel.as_bytes() == channel);
        found.map(|n| n + 1)
    }

    /// Somebody joins behind those of the same priority, or at a position from 1; gives the position.
    pub fn join(&mut self, caller: Caller, position: Option<usize>) -> usize {
        let behind = self
            .callers
            .iter()
            .position(|other| other.priority < caller.priority)
            .unwrap_or(self.callers.len());
        let first = self
            .callers
            .iter()
            .position(|other| other.priority <= caller.priority)
            .unwrap_or(self.callers.len());
        let at = position
            .and_then(|n| n.checked_sub(1))
            .map_or(behind, |n| n.clamp(first, behind));
        self.callers.insert(at, caller);
        at + 1
    }

    /// Somebody does not wait any more.
    pub fn leave(&mut self, channel: &[u8]) -> Option<Caller> {
        let n = self.position(channel)?.checked_sub(1)?;
        Some(self.callers.remove(n))
    }

    /// A call was taken after a wait: the average counts it with a weight of a quarter, as Asterisk's does.
    pub fn taken(&mut self, waited: Duration) {
        self.holdtime = ((self.holdtime * 4) - self.holdtime + waited.as_secs()) / 4;
        if waited <= self.settings.servicelevel {
            self.in_time += 1;
        }
    }

    /// A call that was taken ended.
    pub fn ended(&mut self, interface: &[u8], talked: Duration, now: Duration) {
        self.completed += 1;
        self.talktime = ((self.talktime * 4) - self.talktime + talked.as_secs()) / 4;
        if let Some(member) = self.member_mut(interface) {
            member.calls += 1;
            member.last_call = Some(now);
        }
    }
}

impl Queue {
    /// The variables of `QUEUE_VARIABLES()` and of the setting `setqueuevar`.
    pub fn variables(&self) -> Vec<(&'static str, String)> {
        let performance = if self.completed == 0 {
            0.0
        } else {
            100.0 * self.in_time as f64 / self.completed as f64
        };
        vec![
            ("QUEUEMAX", self.settings.maxlen.to_string()),
            ("QUEUESTRATEGY", self.settings.strategy.name().to_owned()),
            ("QUEUECALLS", self.callers.len().to_string()),
            ("QUEUEHOLDTIME", self.holdtime.to_string()),
            ("QUEUETALKTIME", self.talktime.to_string()),
            ("QUEUECOMPLETED", self.completed.to_string()),
            ("QUEUEABANDONED", self.abandoned.to_string()),
            (
                "QUEUESRVLEVEL",
                self.settings.servicelevel.as_secs().to_string(),
            ),
            ("QUEUESRVLEVELPERF", format!("{performance:.1}")),
        ]
    }
}
