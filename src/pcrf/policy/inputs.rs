//! What a decision may read.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;

use crate::base::Text;
use crate::base::value::append_int;
use crate::pcrf::diameter::dictionary::{Avp, AvpId};
use crate::pcrf::diameter::id;

use super::bytes::{Reader, Writer};

/// What a decision may read: the request, the subscriber, what was used, the session, and the time. Reading the same
/// thing twice in one decision gives the same.
pub trait Inputs: Any + Send {
    /// Appends the text of an AVP: numbers and enumerated values as decimal digits, texts as they are, addresses as
    /// people write them, other bytes as hexadecimal digits. False where the request does not have it.
    fn avp(&self, path: AvpPath, out: &mut Vec<u8>) -> bool;
    /// Appends a field of the subscriber. False where there is no such field, or no subscriber.
    fn subscriber(&self, field: &[u8], out: &mut Vec<u8>) -> bool;
    /// What was used of a monitoring key, with this request.
    fn quota(&self, key: &[u8]) -> Quota;
    /// Appends a field of the session. False where there is none.
    fn session(&self, field: &[u8], out: &mut Vec<u8>) -> bool;
    /// Whether the request reports this event (a value of Event-Trigger).
    fn triggered(&self, event: u32) -> bool;
    /// Seconds since 1970.
    fn now(&self) -> i64;
}

/// Which AVP of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AvpPath {
    /// The AVP at the top of the message.
    pub avp: AvpId,
    /// Which one of several, from 0.
    pub index: u16,
    /// The AVP in that group.
    pub sub: Option<AvpId>,
}

impl AvpPath {
    /// The first AVP of a kind.
    pub fn first(avp: AvpId) -> Self {
        Self {
            avp,
            index: 0,
            sub: None,
        }
    }
}

/// An AVP by the name that specifications use; `3GPP-` may stand before it or not.
pub fn avp_named(name: &[u8]) -> Option<AvpId> {
    let name = name.trim_ascii();
    Avp::by_name(name)
        .or_else(|| Avp::by_name(&[b"3GPP-", name].concat()))
        .or_else(|| Avp::by_name(name.strip_prefix(b"3GPP-")?))
}

/// What was used of a monitoring key. Bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Quota {
    /// Used in this period.
    pub used: u64,
    /// What may be used; `None` = as much as one likes, or nobody knows the key.
    pub limit: Option<u64>,
    /// Per cent of the limit from which a warning is due.
    pub warn: u32,
}

/// How far a quota is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum QuotaState {
    /// There is no limit.
    None,
    /// Below the warning.
    Ok,
    /// The warning is due.
    Warn,
    /// Nothing is left.
    Exhausted,
}

impl QuotaState {
    /// As `QUOTA_STATE()` says it.
    pub fn name(self) -> &'static str {
        match self {
            QuotaState::None => "none",
            QuotaState::Ok => "ok",
            QuotaState::Warn => "warn",
            QuotaState::Exhausted => "exhausted",
        }
    }
}

impl Quota {
    /// How far it is used.
    pub fn state(&self) -> QuotaState {
        let Some(limit) = self.limit else {
            return QuotaState::None;
        };
        let warned = u128::from(self.used) * 100 >= u128::from(limit) * u128::from(self.warn);
        if self.used >= limit {
            QuotaState::Exhausted
        } else if warned {
            QuotaState::Warn
        } else {
            QuotaState::Ok
        }
    }

    /// Bytes that are left.
    pub fn left(&self) -> Option<u64> {
        self.limit.map(|limit| limit.saturating_sub(self.used))
    }

    /// Per cent of the limit that are used, rounded down; 100 where the limit is 0.
    pub fn percent(&self) -> Option<u64> {
        let limit = self.limit?;
        if limit == 0 {
            return Some(100);
        }
        let percent = u128::from(self.used) * 100 / u128::from(limit);
        Some(u64::try_from(percent).unwrap_or(u64::MAX))
    }
}

/// What `QUOTA(key,item)` gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuotaItem {
    /// Bytes left.
    Left = 0,
    /// The limit.
    Limit = 1,
    /// Per cent used.
    Percent = 2,
}

/// One thing that a decision read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// `AVP()`
    Avp(AvpPath),
    /// `SUBSCRIBER()`
    Subscriber(Text),
    /// `QUOTA_STATE()`
    State(Text),
    /// `QUOTA()`
    Quota(Text, QuotaItem),
    /// `USAGE()`
    Usage(Text),
    /// `SESSION()`
    Session(Text),
    /// `TRIGGERED()`
    Triggered(u32),
    /// The clock, other than for a test of the time.
    Clock,
}

impl Input {
    /// Appends the value; false where there is none.
    pub fn read(&self, inputs: &dyn Inputs, out: &mut Vec<u8>) -> bool {
        let number = |n: Option<u64>, out: &mut Vec<u8>| {
            let digits = n.map(|n| i64::try_from(n).unwrap_or(i64::MAX));
            digits.inspect(|n| append_int(*n, out)).is_some()
        };
        match self {
            Input::Avp(path) => inputs.avp(*path, out),
            Input::Subscriber(field) => inputs.subscriber(field, out),
            Input::State(key) => {
                out.extend_from_slice(inputs.quota(key).state().name().as_bytes());
                true
            }
            Input::Quota(key, item) => {
                let quota = inputs.quota(key);
                let value = match item {
                    QuotaItem::Left => quota.left(),
                    QuotaItem::Limit => quota.limit,
                    QuotaItem::Percent => quota.percent(),
                };
                number(value, out)
            }
            Input::Usage(key) => number(Some(inputs.quota(key).used), out),
            Input::Session(field) => inputs.session(field, out),
            Input::Triggered(event) => {
                out.push(if inputs.triggered(*event) { b'1' } else { b'0' });
                true
            }
            Input::Clock => {
                append_int(inputs.now(), out);
                true
            }
        }
    }

    /// A number that differs, as good as surely, where the values differ. The scratch is for the text.
    #[inline]
    pub(super) fn hash(&self, inputs: &dyn Inputs, scratch: &mut Vec<u8>) -> u64 {
        if let Input::State(key) = self {
            return value_hash(inputs.quota(key).state().name().as_bytes(), true);
        }
        scratch.clear();
        let present = self.read(inputs, scratch);
        value_hash(scratch, present)
    }

    pub(super) fn encode(&self, out: &mut Writer<'_>) {
        match self {
            Input::Avp(path) => {
                out.u8(0);
                out.u32(path.avp.code());
                out.u32(path.avp.vendor());
                out.u32(u32::from(path.index));
                out.option(
                    path.sub
                        .map(|sub| u64::from(sub.vendor()) << 32 | u64::from(sub.code())),
                );
            }
            Input::Subscriber(text) => {
                out.u8(1);
                out.text(text);
            }
            Input::State(text) => {
                out.u8(2);
                out.text(text);
            }
            Input::Quota(text, item) => {
                out.u8(3);
                out.text(text);
                out.u8(*item as u8);
            }
            Input::Usage(text) => {
                out.u8(4);
                out.text(text);
            }
            Input::Session(text) => {
                out.u8(5);
                out.text(text);
            }
            Input::Triggered(event) => {
                out.u8(6);
                out.u32(*event);
            }
            Input::Clock => out.u8(7),
        }
    }

    pub(super) fn decode(from: &mut Reader<'_>) -> Option<Self> {
        Some(match from.u8()? {
            0 => {
                let (code, vendor) = (from.u32()?, from.u32()?);
                let index = u16::try_from(from.u32()?).ok()?;
                let sub = match from.option()? {
                    None => None,
                    Some(sub) => Some(Avp::by_code(sub as u32, (sub >> 32) as u32)?),
                };
                Input::Avp(AvpPath {
                    avp: Avp::by_code(code, vendor)?,
                    index,
                    sub,
                })
            }
            1 => Input::Subscriber(from.text()?),
            2 => Input::State(from.text()?),
            3 => {
                let key = from.text()?;
                let item = match from.u8()? {
                    0 => QuotaItem::Left,
                    1 => QuotaItem::Limit,
                    2 => QuotaItem::Percent,
                    _ => return None,
                };
                Input::Quota(key, item)
            }
            4 => Input::Usage(from.text()?),
            5 => Input::Session(from.text()?),
            6 => Input::Triggered(from.u32()?),
            7 => Input::Clock,
            _ => return None,
        })
    }
}

/// The hash of a value; one that is not there differs from an empty one.
#[inline]
pub(super) fn value_hash(value: &[u8], present: bool) -> u64 {
    if present {
        xxhash_rust::xxh3::xxh3_64(value)
    } else {
        0
    }
}

/// As the dialplan writes it.
impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Input::Avp(path) => {
                write!(f, "AVP({}", path.avp.name())?;
                if path.index > 0 {
                    write!(f, ",{}", path.index)?;
                }
                if let Some(sub) = path.sub {
                    write!(f, ",{}", sub.name())?;
                }
                f.write_str(")")
            }
            Input::Subscriber(field) => write!(f, "SUBSCRIBER({field})"),
            Input::State(key) => write!(f, "QUOTA_STATE({key})"),
            Input::Quota(key, item) => {
                let item = match item {
                    QuotaItem::Left => "left",
                    QuotaItem::Limit => "limit",
                    QuotaItem::Percent => "percent",
                };
                write!(f, "QUOTA({key},{item})")
            }
            Input::Usage(key) => write!(f, "USAGE({key})"),
            Input::Session(field) => write!(f, "SESSION({field})"),
            Input::Triggered(event) => match id::EVENT_TRIGGER.avp().kind.value_name(*event) {
                Some(name) => write!(f, "TRIGGERED({name})"),
                None => write!(f, "TRIGGERED({event})"),
            },
            Input::Clock => f.write_str("EPOCH"),
        }
    }
}

/// Inputs of their own, for decisions without a network.
#[derive(Debug, Clone, Default)]
pub struct Given {
    /// AVPs by name as [`AvpPath`] displays it, with their texts.
    avps: Vec<(AvpPath, Text)>,
    subscriber: BTreeMap<Text, Text>,
    quotas: BTreeMap<Text, Quota>,
    session: BTreeMap<Text, Text>,
    triggered: Vec<u32>,
    now: i64,
}

impl Given {
    /// Nothing but the time, seconds since 1970.
    pub fn at(now: i64) -> Self {
        Self {
            now,
            ..Self::default()
        }
    }

    /// Another time.
    pub fn set_now(&mut self, now: i64) {
        self.now = now;
    }

    /// Gives an AVP its text; `None` takes it away.
    pub fn set_avp(&mut self, path: AvpPath, value: Option<&[u8]>) {
        self.avps.retain(|(known, _)| *known != path);
        if let Some(value) = value {
            self.avps.push((path, Text::from(value)));
        }
    }

    /// Gives the subscriber a field; its name is read in any case.
    pub fn set_subscriber(&mut self, field: &[u8], value: &[u8]) {
        let field = Text::from(field.to_ascii_lowercase());
        self.subscriber.insert(field, Text::from(value));
    }

    /// Takes all that is known of the subscriber away.
    pub fn clear_subscriber(&mut self) {
        self.subscriber.clear();
    }

    /// Says what was used of a key.
    pub fn set_quota(&mut self, key: &[u8], quota: Quota) {
        self.quotas.insert(Text::from(key), quota);
    }

    /// The quota of a key, to change it.
    pub fn quota_mut(&mut self, key: &[u8]) -> &mut Quota {
        self.quotas.entry(Text::from(key)).or_default()
    }

    /// Gives the session a field.
    pub fn set_session(&mut self, field: &[u8], value: &[u8]) {
        self.session.insert(Text::from(field), Text::from(value));
    }

    /// The request reports an event, or does not.
    pub fn set_triggered(&mut self, event: u32, reported: bool) {
        self.triggered.retain(|known| *known != event);
        if reported {
            self.triggered.push(event);
        }
    }
}

impl Inputs for Given {
    fn avp(&self, path: AvpPath, out: &mut Vec<u8>) -> bool {
        let found = self.avps.iter().find(|(known, _)| *known == path);
        found
            .inspect(|(_, value)| out.extend_from_slice(value))
            .is_some()
    }

    fn subscriber(&self, field: &[u8], out: &mut Vec<u8>) -> bool {
        let found = if field.iter().any(u8::is_ascii_uppercase) {
            self.subscriber.get(field.to_ascii_lowercase().as_slice())
        } else {
            self.subscriber.get(field)
        };
        found
            .inspect(|value| out.extend_from_slice(value))
            .is_some()
    }

    fn quota(&self, key: &[u8]) -> Quota {
        self.quotas.get(key).copied().unwrap_or_default()
    }

    fn session(&self, field: &[u8], out: &mut Vec<u8>) -> bool {
        let found = self.session.get(field);
        found
            .inspect(|value| out.extend_from_slice(value))
            .is_some()
    }

    fn triggered(&self, event: u32) -> bool {
        self.triggered.contains(&event)
    }

    fn now(&self) -> i64 {
        self.now
    }
}
