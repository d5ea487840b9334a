//! What a decision may read.

use std::any::Any;
use std::fmt;

use crate::base::Text;
use crate::base::value::append_int;
use crate::pcrf::diameter::dictionary::{Avp, AvpId};
use crate::pcrf::diameter::id;
use crate::pcrf::form::{self, Reader};

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

/// One thing that a decision read, with names of its own or borrowed ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input<N = Text> {
    /// `AVP()`
    Avp(AvpPath),
    /// `SUBSCRIBER()`
    Subscriber(N),
    /// `QUOTA_STATE()`
    State(N),
    /// `QUOTA()`
    Quota(N, QuotaItem),
    /// `USAGE()`
    Usage(N),
    /// `SESSION()`
    Session(N),
    /// `TRIGGERED()`
    Triggered(u32),
    /// The clock, other than for a test of the time.
    Clock,
}

impl<N: AsRef<[u8]>> Input<N> {
    /// Appends the value; false where there is none.
    pub fn read(&self, inputs: &dyn Inputs, out: &mut Vec<u8>) -> bool {
        let number = |n: Option<u64>, out: &mut Vec<u8>| {
            let digits = n.map(|n| i64::try_from(n).unwrap_or(i64::MAX));
            digits.inspect(|n| append_int(*n, out)).is_some()
        };
        match self {
            Input::Avp(path) => inputs.avp(*path, out),
            Input::Subscriber(field) => inputs.subscriber(field.as_ref(), out),
            Input::State(key) => {
                out.extend_from_slice(inputs.quota(key.as_ref()).state().name().as_bytes());
                true
            }
            Input::Quota(key, item) => {
                let quota = inputs.quota(key.as_ref());
                let value = match item {
                    QuotaItem::Left => quota.left(),
                    QuotaItem::Limit => quota.limit,
                    QuotaItem::Percent => quota.percent(),
                };
                number(value, out)
            }
            Input::Usage(key) => number(Some(inputs.quota(key.as_ref()).used), out),
            Input::Session(field) => inputs.session(field.as_ref(), out),
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
            return value_hash(inputs.quota(key.as_ref()).state().name().as_bytes(), true);
        }
        scratch.clear();
        let present = self.read(inputs, scratch);
        value_hash(scratch, present)
    }

    /// Appends the byte form.
    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        let named = |tag: u8, name: &N, out: &mut Vec<u8>| {
            out.push(tag);
            form::bytes(out, name.as_ref());
        };
        let avp = |id: AvpId, out: &mut Vec<u8>| {
            form::number(out, u64::from(id.code()));
            form::number(out, u64::from(id.vendor()));
        };
        match self {
            Input::Avp(path) => {
                let first = path.index == 0 && path.sub.is_none();
                out.push(if first { FIRST } else { ANY });
                avp(path.avp, out);
                if !first {
                    form::number(out, u64::from(path.index));
                    out.push(u8::from(path.sub.is_some()));
                    path.sub.into_iter().for_each(|sub| avp(sub, out));
                }
            }
            Input::Subscriber(field) => named(SUBSCRIBER, field, out),
            Input::State(key) => named(STATE, key, out),
            Input::Quota(key, item) => {
                named(QUOTA, key, out);
                out.push(*item as u8);
            }
            Input::Usage(key) => named(USAGE, key, out),
            Input::Session(field) => named(SESSION, field, out),
            Input::Triggered(event) => {
                out.push(TRIGGERED);
                form::number(out, u64::from(*event));
            }
            Input::Clock => out.push(CLOCK),
        }
    }
}

/// First bytes of the byte forms.
const FIRST: u8 = 0;
const ANY: u8 = 1;
const SUBSCRIBER: u8 = 2;
const STATE: u8 = 3;
const QUOTA: u8 = 4;
const USAGE: u8 = 5;
const SESSION: u8 = 6;
const TRIGGERED: u8 = 7;
const CLOCK: u8 = 8;

impl<'a> Input<&'a [u8]> {
    /// Reads the byte form; names stay where they are.
    #[inline]
    pub(super) fn decode(from: &mut Reader<'a>) -> Option<Self> {
        let avp = |from: &mut Reader<'a>| Avp::by_code(from.narrow()?, from.narrow()?);
        Some(match from.byte()? {
            FIRST => Input::Avp(AvpPath::first(avp(from)?)),
            ANY => Input::Avp(AvpPath {
                avp: avp(from)?,
                index: u16::try_from(from.number()?).ok()?,
                sub: match from.byte()? {
                    0 => None,
                    _ => Some(avp(from)?),
                },
            }),
            SUBSCRIBER => Input::Subscriber(from.bytes()?),
            STATE => Input::State(from.bytes()?),
            QUOTA => {
                let key = from.bytes()?;
                let item = match from.byte()? {
                    0 => QuotaItem::Left,
                    1 => QuotaItem::Limit,
                    2 => QuotaItem::Percent,
                    _ => return None,
                };
                Input::Quota(key, item)
            }
            USAGE => Input::Usage(from.bytes()?),
            SESSION => Input::Session(from.bytes()?),
            TRIGGERED => Input::Triggered(from.narrow()?),
            CLOCK => Input::Clock,
            _ => return None,
        })
    }

    /// With names of its own.
    pub(super) fn to_owned(&self) -> Input {
        match *self {
            Input::Avp(path) => Input::Avp(path),
            Input::Subscriber(field) => Input::Subscriber(Text::from(field)),
            Input::State(key) => Input::State(Text::from(key)),
            Input::Quota(key, item) => Input::Quota(Text::from(key), item),
            Input::Usage(key) => Input::Usage(Text::from(key)),
            Input::Session(field) => Input::Session(Text::from(field)),
            Input::Triggered(event) => Input::Triggered(event),
            Input::Clock => Input::Clock,
        }
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

/// A few values by name.
#[derive(Debug, Clone)]
struct Fields<V>(Vec<(Text, V)>);

impl<V> Default for Fields<V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<V> Fields<V> {
    fn get(&self, name: &[u8]) -> Option<&V> {
        let found = self.0.iter().find(|(known, _)| known.as_bytes() == name);
        found.map(|(_, value)| value)
    }

    fn set(&mut self, name: &[u8], value: V) -> &mut V {
        self.0.retain(|(known, _)| known.as_bytes() != name);
        &mut self.0.push_mut((Text::from(name), value)).1
    }
}

/// Inputs of their own, for decisions without a network.
#[derive(Debug, Clone, Default)]
pub struct Given {
    /// AVPs by name as [`AvpPath`] displays it, with their texts.
    avps: Vec<(AvpPath, Text)>,
    subscriber: Fields<Text>,
    quotas: Fields<Quota>,
    session: Fields<Text>,
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
        self.subscriber
            .set(&field.to_ascii_lowercase(), Text::from(value));
    }

    /// Says what was used of a key.
    pub fn set_quota(&mut self, key: &[u8], quota: Quota) {
        self.quotas.set(key, quota);
    }

    /// The quota of a key, to change it.
    pub fn quota_mut(&mut self, key: &[u8]) -> &mut Quota {
        let quota = self.quotas.get(key).copied().unwrap_or_default();
        self.quotas.set(key, quota)
    }

    /// Gives the session a field.
    pub fn set_session(&mut self, field: &[u8], value: &[u8]) {
        self.session.set(field, Text::from(value));
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
            self.subscriber.get(&field.to_ascii_lowercase())
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
