//! What a decision wants a session to have.

use std::sync::Arc;

use crate::base::Text;
use crate::pcrf::form::{self, Reader};

use super::definition::{Arp, Definition, packed, unpacked};

/// What a session is to have. Running the same policy on the same inputs gives the same.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Wanted {
    /// Rules, sorted by name, each once.
    pub rules: Vec<Rule>,
    /// Patterns of `RemoveRule`, in order.
    pub removed: Vec<Text>,
    /// Quality of the default bearer and rates of the APN.
    pub qos: Option<Qos>,
    /// Values of Event-Trigger, sorted.
    pub triggers: Vec<u32>,
    /// What usage is reported of, sorted by key.
    pub monitors: Vec<Grant>,
    /// When the PCEF asks again at the latest. Seconds since 1970.
    pub revalidate: Option<i64>,
    /// The session is to end, for this cause: a value of Session-Release-Cause.
    pub release: Option<u32>,
    /// Names of events for the operator, sorted.
    pub notify: Vec<Text>,
}

/// A rule that is wanted, or that a session has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// Its name.
    pub name: Text,
    /// When it begins to count, seconds since 1970; `None` = at once.
    pub activate: Option<i64>,
    /// When it stops, seconds since 1970; `None` = never.
    pub deactivate: Option<i64>,
    /// A number that differs where what the name means differs; 0 = nothing is known of the name.
    pub meaning: u64,
    /// What `DefineRule` says; `None` = what rules.conf says of the name.
    pub definition: Option<Arc<Definition>>,
}

/// Quality of a session. Rates are bits per second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Qos {
    /// QoS class identifier of the default bearer.
    pub qci: Option<u32>,
    /// Priority of the default bearer.
    pub arp: Option<Arp>,
    /// Most that may flow to the user over the APN.
    pub ambr_dl: Option<u64>,
    /// Most that may flow from the user over the APN.
    pub ambr_ul: Option<u64>,
}

/// Usage that is to be reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// The monitoring key.
    pub key: Text,
    /// Bytes after which a report is due.
    pub grant: Option<u64>,
}

impl Wanted {
    /// Forgets everything, keeps the room.
    pub fn clear(&mut self) {
        self.rules.clear();
        self.removed.clear();
        self.qos = None;
        self.triggers.clear();
        self.monitors.clear();
        self.revalidate = None;
        self.release = None;
        self.notify.clear();
    }

    /// A rule is wanted; one of the same name is replaced.
    pub fn add_rule(&mut self, rule: Rule) {
        let place = self
            .rules
            .binary_search_by(|known| known.name.cmp(&rule.name));
        match place {
            Ok(at) => {
                if let Some(known) = self.rules.get_mut(at) {
                    *known = rule;
                }
            }
            Err(at) => self.rules.insert(at, rule),
        }
    }

    /// The rule of a name.
    pub fn rule(&self, name: &[u8]) -> Option<&Rule> {
        let place = self
            .rules
            .binary_search_by(|known| known.name.as_bytes().cmp(name));
        self.rules.get(place.ok()?)
    }

    /// Rules that fit a pattern are not wanted any more. `*` stands for any text.
    pub fn remove_rules(&mut self, pattern: &[u8]) {
        self.rules.retain(|rule| !fits(pattern, &rule.name));
        if !self.removed.iter().any(|known| known.as_bytes() == pattern) {
            self.removed.push(Text::from(pattern));
        }
    }

    /// An event is armed.
    pub fn add_trigger(&mut self, event: u32) {
        if let Err(at) = self.triggers.binary_search(&event) {
            self.triggers.insert(at, event);
        }
    }

    /// Usage of a key is to be reported; a later grant replaces an earlier one.
    pub fn add_monitor(&mut self, monitor: Grant) {
        let place = self
            .monitors
            .binary_search_by(|known| known.key.cmp(&monitor.key));
        match place {
            Ok(at) => {
                if let Some(known) = self.monitors.get_mut(at) {
                    *known = monitor;
                }
            }
            Err(at) => self.monitors.insert(at, monitor),
        }
    }

    /// The operator is to be told.
    pub fn add_notify(&mut self, name: &[u8]) {
        let place = self
            .notify
            .binary_search_by(|known| known.as_bytes().cmp(name));
        if let Err(at) = place {
            self.notify.insert(at, Text::from(name));
        }
    }

    /// Appends the byte form: the same for the same contents, in all versions that begin with the same byte.
    pub fn encode(&self, out: &mut Vec<u8>) {
        out.push(FORM);
        form::number(out, self.rules.len() as u64);
        for rule in &self.rules {
            rule.encode(out);
        }
        form::number(out, self.removed.len() as u64);
        for pattern in &self.removed {
            form::bytes(out, pattern);
        }
        out.push(u8::from(self.qos.is_some()));
        if let Some(qos) = &self.qos {
            form::option(out, qos.qci.map(u64::from));
            form::option(out, qos.arp.map(packed));
            form::option(out, qos.ambr_dl);
            form::option(out, qos.ambr_ul);
        }
        form::number(out, self.triggers.len() as u64);
        for trigger in &self.triggers {
            form::number(out, u64::from(*trigger));
        }
        form::number(out, self.monitors.len() as u64);
        for monitor in &self.monitors {
            form::bytes(out, &monitor.key);
            form::option(out, monitor.grant);
        }
        form::option(out, self.revalidate.map(|at| at as u64));
        form::option(out, self.release.map(u64::from));
        form::number(out, self.notify.len() as u64);
        for name in &self.notify {
            form::bytes(out, name);
        }
    }

    /// Reads a byte form, and gives what follows it. `None` where it is damaged or of another version.
    pub fn decode(bytes: &[u8]) -> Option<(Self, &[u8])> {
        let mut from = Reader::new(bytes);
        if from.byte()? != FORM {
            return None;
        }
        let rules = from.list(Rule::decode_from)?;
        let removed = from.list(|from| from.bytes().map(Text::from))?;
        let qos = match from.byte()? {
            0 => None,
            _ => Some(Qos {
                qci: from.option()?.map(|qci| qci as u32),
                arp: from.option()?.map(unpacked),
                ambr_dl: from.option()?,
                ambr_ul: from.option()?,
            }),
        };
        let wanted = Self {
            rules,
            removed,
            qos,
            triggers: from.list(Reader::narrow)?,
            monitors: from.list(|from| {
                let key = Text::from(from.bytes()?);
                let grant = from.option()?;
                Some(Grant { key, grant })
            })?,
            revalidate: from.option()?.map(|at| at as i64),
            release: from.option()?.map(|cause| cause as u32),
            notify: from.list(|from| from.bytes().map(Text::from))?,
        };
        Some((wanted, from.rest()))
    }
}

/// The version of the byte form.
const FORM: u8 = 2;

impl Rule {
    /// A rule that counts at once and for ever.
    pub fn named(name: impl Into<Text>, meaning: u64) -> Self {
        Self {
            name: name.into(),
            activate: None,
            deactivate: None,
            meaning,
            definition: None,
        }
    }

    /// Appends the byte form.
    pub fn encode(&self, out: &mut Vec<u8>) {
        form::bytes(out, &self.name);
        form::fixed(out, self.meaning);
        let times = u8::from(self.activate.is_some()) | u8::from(self.deactivate.is_some()) << 1;
        out.push(times | u8::from(self.definition.is_some()) << 2);
        for at in [self.activate, self.deactivate].into_iter().flatten() {
            form::signed(out, at);
        }
        if let Some(definition) = &self.definition {
            definition.encode(out);
        }
    }

    fn decode_from(from: &mut Reader<'_>) -> Option<Self> {
        let name = Text::from(from.bytes()?);
        let meaning = from.fixed()?;
        let parts = from.byte()?;
        let mut at = |bit: u8| {
            if parts & bit == 0 {
                return Some(None);
            }
            from.signed().map(Some)
        };
        let (activate, deactivate) = (at(1)?, at(2)?);
        let definition = if parts & 4 == 0 {
            None
        } else {
            Some(Arc::new(Definition::decode(from)?))
        };
        Some(Self {
            name,
            activate,
            deactivate,
            meaning,
            definition,
        })
    }
}

/// Whether a name fits a pattern in which `*` stands for any text.
pub fn fits(pattern: &[u8], name: &[u8]) -> bool {
    // After a star the rest is tried at each later place; only the last star needs to be remembered.
    let (mut at, mut of) = (0, 0);
    let mut star = None;
    loop {
        match (pattern.get(of), name.get(at)) {
            (None, None) => return true,
            (Some(b'*'), _) => {
                star = Some((of + 1, at));
                of += 1;
            }
            (Some(a), Some(b)) if a == b => {
                of += 1;
                at += 1;
            }
            _ => match star {
                Some((behind, from)) if from < name.len() => {
                    star = Some((behind, from + 1));
                    of = behind;
                    at = from + 1;
                }
                _ => return false,
            },
        }
    }
}
