//! The whole message as owned values, groups within groups: what a decoder does that does not know who reads what.

use std::net::IpAddr;

use super::message::{Avps, Header, Message, Raw, four_bytes, with_family};
use super::{AvpId, Kind};

/// Groups within groups that are decoded; deeper ones stay bytes.
pub const DEPTH: usize = 32;

/// A decoded value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// Unsigned32 and Enumerated.
    Unsigned32(u32),
    /// Unsigned64.
    Unsigned64(u64),
    /// Integer32.
    Integer32(i32),
    /// Integer64.
    Integer64(i64),
    /// Texts in UTF-8.
    Text(String),
    /// All that is neither a number nor a text, and values that do not fit their kind.
    Bytes(Vec<u8>),
    /// Address, and AVPs that are 4 bytes of IPv4.
    Address(IpAddr),
    /// Seconds since 1970.
    Time(i64),
    /// The AVPs of a group.
    Group(Vec<OwnedAvp>),
}

/// A decoded AVP.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnedAvp {
    /// Its place in the dictionary.
    pub id: AvpId,
    /// The code.
    pub code: u32,
    /// The vendor, 0 without one.
    pub vendor: u32,
    /// The flags.
    pub flags: u8,
    /// The value.
    pub value: Value,
}

/// A decoded message, as far as its AVPs can be walked over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnedMessage {
    /// The header.
    pub header: Header,
    /// The AVPs.
    pub avps: Vec<OwnedAvp>,
}

impl OwnedMessage {
    /// Decodes all of a message.
    pub fn decode(message: Message<'_>) -> OwnedMessage {
        OwnedMessage {
            header: message.header(),
            avps: all(message.avps(), DEPTH),
        }
    }

    /// All AVPs of a kind, in their order.
    pub fn all(&self, id: AvpId) -> impl Iterator<Item = &OwnedAvp> {
        self.avps.iter().filter(move |avp| avp.id == id)
    }

    /// The first AVP of a kind.
    pub fn first(&self, id: AvpId) -> Option<&OwnedAvp> {
        self.avps.iter().find(|avp| avp.id == id)
    }

    /// AVPs in the message and in its groups.
    pub fn count(&self) -> usize {
        fn of(avps: &[OwnedAvp]) -> usize {
            let inner = avps.iter().map(|avp| of(avp.children()));
            avps.len() + inner.sum::<usize>()
        }
        of(&self.avps)
    }
}

impl OwnedAvp {
    fn decode(avp: &Raw<'_>, depth: usize) -> OwnedAvp {
        let id = avp.id();
        let bytes = || Value::Bytes(avp.value.to_vec());
        let value = match id.avp().kind {
            Kind::Unsigned32 | Kind::Enumerated(_) => avp.u32().map(Value::Unsigned32),
            Kind::Unsigned64 => avp.u64().map(Value::Unsigned64),
            Kind::Integer32 => avp.i32().map(Value::Integer32),
            Kind::Integer64 => avp.u64().map(|value| Value::Integer64(value as i64)),
            Kind::Time => avp.time().map(Value::Time),
            Kind::Utf8 | Kind::Identity | Kind::Uri | Kind::Filter => {
                String::from_utf8(avp.value.to_vec()).ok().map(Value::Text)
            }
            Kind::Ipv4 => four_bytes(avp.value).map(Value::Address),
            Kind::Address => with_family(avp.value).map(Value::Address),
            Kind::Octets | Kind::Opaque | Kind::Ipv6Prefix => None,
            Kind::Grouped(_) => depth
                .checked_sub(1)
                .map(|depth| Value::Group(all(avp.children(), depth))),
        };
        OwnedAvp {
            id,
            code: avp.code,
            vendor: avp.vendor,
            flags: avp.flags,
            value: value.unwrap_or_else(bytes),
        }
    }

    /// A value of 4 bytes.
    pub fn u32(&self) -> Option<u32> {
        match self.value {
            Value::Unsigned32(value) => Some(value),
            _ => None,
        }
    }

    /// A value of 8 bytes.
    pub fn u64(&self) -> Option<u64> {
        match self.value {
            Value::Unsigned64(value) => Some(value),
            _ => None,
        }
    }

    /// The AVPs of a group, none of other values.
    pub fn children(&self) -> &[OwnedAvp] {
        match &self.value {
            Value::Group(avps) => avps,
            _ => &[],
        }
    }

    /// The first AVP of a kind in a group.
    pub fn child(&self, id: AvpId) -> Option<&OwnedAvp> {
        self.children().iter().find(|avp| avp.id == id)
    }

    /// Appends the value as text, the same as [`super::Avp::text`] gives for the received bytes; of groups nothing.
    pub fn text(&self, out: &mut Vec<u8>) {
        let number = |text: &str, out: &mut Vec<u8>| out.extend_from_slice(text.as_bytes());
        match &self.value {
            Value::Unsigned32(value) => number(itoa::Buffer::new().format(*value), out),
            Value::Unsigned64(value) => number(itoa::Buffer::new().format(*value), out),
            Value::Integer32(value) => number(itoa::Buffer::new().format(*value), out),
            Value::Integer64(value) | Value::Time(value) => {
                number(itoa::Buffer::new().format(*value), out);
            }
            Value::Text(text) => out.extend_from_slice(text.as_bytes()),
            Value::Bytes(bytes) => self.id.avp().text(bytes, out),
            Value::Address(address) => out.extend_from_slice(address.to_string().as_bytes()),
            Value::Group(_) => {}
        }
    }
}

fn all(avps: Avps<'_>, depth: usize) -> Vec<OwnedAvp> {
    avps.map(|avp| OwnedAvp::decode(&avp, depth)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pcrf::diameter::{GX, Writer, command, flag, id};

    #[test]
    fn all_of_a_message_is_decoded() {
        let mut writer = Writer::new();
        writer.start(command::CREDIT_CONTROL, flag::REQUEST, GX, 7, 9);
        writer.text(id::SESSION_ID, "a;1");
        writer.bytes(id::FRAMED_IP_ADDRESS, &[10, 0, 0, 1]);
        writer.group(id::USAGE_MONITORING_INFORMATION, |w| {
            w.text(id::MONITORING_KEY, "gold");
            w.group(id::USED_SERVICE_UNIT, |w| {
                w.u64(id::CC_TOTAL_OCTETS, 5_000_000_000);
            });
        });
        writer.any(9999, 0, 0, b"?");
        let bytes = writer.finish().to_vec();
        let owned = OwnedMessage::decode(Message::new(&bytes).unwrap());
        assert_eq!(owned.count(), 7);
        assert_eq!(
            owned.first(id::SESSION_ID).unwrap().value,
            Value::Text("a;1".into())
        );
        let usage = owned.first(id::USAGE_MONITORING_INFORMATION).unwrap();
        let units = usage.child(id::USED_SERVICE_UNIT).unwrap();
        assert_eq!(
            units.child(id::CC_TOTAL_OCTETS).unwrap().u64(),
            Some(5_000_000_000)
        );
        assert_eq!(owned.all(AvpId::UNKNOWN).count(), 1);
    }

    #[test]
    fn deep_groups_stay_bytes() {
        let mut writer = Writer::new();
        writer.start(command::CREDIT_CONTROL, flag::REQUEST, GX, 7, 9);
        for _ in 0..8000 {
            writer.open(id::FAILED_AVP);
        }
        let bytes = writer.finish().to_vec();
        let owned = OwnedMessage::decode(Message::new(&bytes).unwrap());
        assert_eq!(owned.count(), DEPTH + 1);
    }
}
