//! Views of received bytes: frames, headers and AVPs, RFC 6733 §3 and §4.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::AvpId;
use super::dictionary::{GROUP, WIDTHS, place, unix_seconds};

/// Bytes of the header of a message.
pub const HEADER: usize = 20;
/// The longest message that is read unless told otherwise, in bytes.
pub const DEFAULT_LIMIT: usize = 64 * 1024;

/// The longest message that is read at all, in bytes.
pub const LONGEST: usize = 4 * 0xffff;

/// Command flags, RFC 6733 §3, and AVP flags, §4.1.
pub mod flag {
    /// The message is a request.
    pub const REQUEST: u8 = 0x80;
    /// The message may be proxied.
    pub const PROXIABLE: u8 = 0x40;
    /// The message reports a protocol error.
    pub const ERROR: u8 = 0x20;
    /// The message may have been sent before.
    pub const RETRANSMITTED: u8 = 0x10;
    /// Bits that have no meaning yet.
    pub const RESERVED: u8 = 0x0f;
    /// The AVP has the identifier of a vendor.
    pub const VENDOR: u8 = 0x80;
    /// The AVP must be understood.
    pub const MANDATORY: u8 = 0x40;
}

/// Command codes.
pub mod command {
    /// Capabilities-Exchange.
    pub const CAPABILITIES_EXCHANGE: u32 = 257;
    /// Re-Auth: pushed decisions.
    pub const RE_AUTH: u32 = 258;
    /// Credit-Control: decisions asked for.
    pub const CREDIT_CONTROL: u32 = 272;
    /// Abort-Session, which Gx does not use.
    pub const ABORT_SESSION: u32 = 274;
    /// Session-Termination, which Gx does not use.
    pub const SESSION_TERMINATION: u32 = 275;
    /// Device-Watchdog.
    pub const DEVICE_WATCHDOG: u32 = 280;
    /// Disconnect-Peer.
    pub const DISCONNECT_PEER: u32 = 282;
}

/// The header of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// 1.
    pub version: u8,
    /// Bytes of the message, the header included.
    pub length: u32,
    /// See [`flag`].
    pub flags: u8,
    /// See [`command`].
    pub command: u32,
    /// The application, 0 for the base protocol.
    pub application: u32,
    /// Matches an answer to its request on one connection.
    pub hop_by_hop: u32,
    /// Finds duplicates, together with Origin-Host.
    pub end_to_end: u32,
}

impl Header {
    /// Reads a header from the first 20 bytes.
    #[inline]
    pub fn read(bytes: &[u8; HEADER]) -> Header {
        let [
            version,
            l1,
            l2,
            l3,
            flags,
            c1,
            c2,
            c3,
            a0,
            a1,
            a2,
            a3,
            h0,
            h1,
            h2,
            h3,
            e0,
            e1,
            e2,
            e3,
        ] = *bytes;
        Header {
            version,
            length: u32::from_be_bytes([0, l1, l2, l3]),
            flags,
            command: u32::from_be_bytes([0, c1, c2, c3]),
            application: u32::from_be_bytes([a0, a1, a2, a3]),
            hop_by_hop: u32::from_be_bytes([h0, h1, h2, h3]),
            end_to_end: u32::from_be_bytes([e0, e1, e2, e3]),
        }
    }

    /// True for requests.
    pub fn is_request(&self) -> bool {
        self.flags & flag::REQUEST != 0
    }

    /// True where the sender may have sent the message before.
    pub fn is_retransmitted(&self) -> bool {
        self.flags & flag::RETRANSMITTED != 0
    }

    /// True for answers with a protocol error.
    pub fn is_error(&self) -> bool {
        self.flags & flag::ERROR != 0
    }
}

/// Why a stream of bytes is no stream of messages; there is no way to find the next message after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Malformed {
    /// Another version of Diameter, with a header that can be answered: 5011.
    Version(Header),
    /// A length below 20, or not a multiple of 4, or above the limit: 5015.
    Length(Header),
    /// No Diameter at all: the first byte, which tells a TLS hello (0x16) or a letter of HTTP.
    Foreign(u8),
}

/// What stands first in a stream of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framed<'a> {
    /// A whole message; the stream goes on after its bytes.
    Message(Message<'a>),
    /// The message needs so many bytes in all before it can be read; at least 1 more than there are.
    More(usize),
    /// No message.
    Malformed(Malformed),
}

/// Looks for a message at the beginning of a stream, of at most `limit` bytes (and [`LONGEST`]).
#[inline]
pub fn frame(bytes: &[u8], limit: usize) -> Framed<'_> {
    let Some(head) = bytes.first_chunk::<HEADER>() else {
        return match bytes.first() {
            // Other versions wait for their header, so that they can be answered.
            None | Some(1..=9) => Framed::More(HEADER),
            Some(byte) => Framed::Malformed(Malformed::Foreign(*byte)),
        };
    };
    let header = Header::read(head);
    if header.version != 1 {
        return Framed::Malformed(if matches!(header.version, 2..=9) {
            Malformed::Version(header)
        } else {
            Malformed::Foreign(header.version)
        });
    }
    let length = header.length as usize;
    if length < HEADER || !length.is_multiple_of(4) || length > limit.min(LONGEST) {
        return Framed::Malformed(Malformed::Length(header));
    }
    match bytes.get(..length) {
        Some(bytes) => Framed::Message(Message { bytes }),
        None => Framed::More(length),
    }
}

/// A message whose frame is sound; its AVPs need not be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Message<'a> {
    bytes: &'a [u8],
}

impl<'a> Message<'a> {
    /// The message that these bytes are, none more and none less.
    #[inline]
    pub fn new(bytes: &'a [u8]) -> Option<Message<'a>> {
        match frame(bytes, usize::MAX) {
            Framed::Message(message) if message.bytes.len() == bytes.len() => Some(message),
            _ => None,
        }
    }

    /// All bytes, the header included; their number is a multiple of 4.
    #[inline]
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The header.
    #[inline]
    pub fn header(&self) -> Header {
        Header::read(self.bytes.first_chunk().unwrap_or(&[0; HEADER]))
    }

    /// Walks over the AVPs that stand directly in the message.
    #[inline]
    pub fn avps(&self) -> Avps<'a> {
        Avps::new(self.bytes.get(HEADER..).unwrap_or(&[]))
    }

    /// The first AVP of a kind, found by walking.
    pub fn find(&self, id: AvpId) -> Option<Raw<'a>> {
        self.avps().find(|avp| avp.is(id))
    }
}

/// An AVP as received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Raw<'a> {
    /// The code.
    pub code: u32,
    /// The vendor, 0 without one.
    pub vendor: u32,
    /// See [`flag`].
    pub flags: u8,
    /// The value, without padding.
    pub value: &'a [u8],
    /// Header and value, without padding.
    pub bytes: &'a [u8],
}

impl<'a> Raw<'a> {
    /// Its place in the dictionary, [`AvpId::UNKNOWN`] where the dictionary lacks it.
    #[inline]
    pub fn id(&self) -> AvpId {
        AvpId(u16::from(place(self.code, self.vendor)))
    }

    /// True where the length of the value is not the one that its kind has.
    #[inline]
    pub fn has_wrong_width(&self) -> bool {
        let width = WIDTHS.get(self.id().index()).copied().unwrap_or(0);
        width > GROUP && self.value.len() != usize::from(width)
    }

    /// True for the AVP of that row.
    #[inline]
    pub fn is(&self, id: AvpId) -> bool {
        self.code == id.code() && self.vendor == id.vendor()
    }

    /// True where the sender wants it understood.
    pub fn is_mandatory(&self) -> bool {
        self.flags & flag::MANDATORY != 0
    }

    /// A value of 4 bytes: Unsigned32, Enumerated.
    #[inline]
    pub fn u32(&self) -> Option<u32> {
        self.value.try_into().ok().map(u32::from_be_bytes)
    }

    /// A value of 4 bytes, signed.
    pub fn i32(&self) -> Option<i32> {
        self.value.try_into().ok().map(i32::from_be_bytes)
    }

    /// A value of 8 bytes.
    #[inline]
    pub fn u64(&self) -> Option<u64> {
        self.value.try_into().ok().map(u64::from_be_bytes)
    }

    /// A time, in seconds since 1970.
    pub fn time(&self) -> Option<i64> {
        self.u32().map(unix_seconds)
    }

    /// An Address of the families IPv4 and IPv6, or 4 bytes as Framed-IP-Address has them.
    pub fn address(&self) -> Option<IpAddr> {
        with_family(self.value).or_else(|| four_bytes(self.value))
    }

    /// The AVPs of a group.
    #[inline]
    pub fn children(&self) -> Avps<'a> {
        Avps::new(self.value)
    }

    /// The first AVP of a kind in a group.
    pub fn child(&self, id: AvpId) -> Option<Raw<'a>> {
        self.children().find(|avp| avp.is(id))
    }
}

/// The value of an Address: its family, and the address.
pub(super) fn with_family(value: &[u8]) -> Option<IpAddr> {
    match value.split_first_chunk::<2>()? {
        ([0, 1], rest) => four_bytes(rest),
        ([0, 2], rest) => <[u8; 16]>::try_from(rest)
            .ok()
            .map(|bytes| Ipv6Addr::from(bytes).into()),
        _ => None,
    }
}

/// The value of Framed-IP-Address and its like.
pub(super) fn four_bytes(value: &[u8]) -> Option<IpAddr> {
    <[u8; 4]>::try_from(value)
        .ok()
        .map(|bytes| Ipv4Addr::from(bytes).into())
}

/// An AVP whose length is impossible; what follows it in its message or group cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Defect<'a> {
    /// The code, as far as there are bytes of it.
    pub code: u32,
    /// The vendor, where the header says that there is one.
    pub vendor: u32,
    /// The flags.
    pub flags: u8,
    /// All bytes from its beginning to the end of the message or group.
    pub rest: &'a [u8],
}

/// Walks over AVPs, and stops at one whose length is impossible.
#[derive(Debug, Clone)]
pub struct Avps<'a> {
    rest: &'a [u8],
    defect: Option<Defect<'a>>,
}

impl<'a> Avps<'a> {
    /// The AVPs in these bytes.
    #[inline]
    pub fn new(bytes: &'a [u8]) -> Avps<'a> {
        Avps {
            rest: bytes,
            defect: None,
        }
    }

    /// Why the walk stopped before the end, once it did.
    pub fn defect(&self) -> Option<Defect<'a>> {
        self.defect
    }

    /// What has not been walked over.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    #[cold]
    fn stop(&mut self, code: u32, vendor: u32, flags: u8) {
        self.defect = Some(Defect {
            code,
            vendor,
            flags,
            rest: self.rest,
        });
        self.rest = &[];
    }
}

impl<'a> Iterator for Avps<'a> {
    type Item = Raw<'a>;

    #[inline]
    fn next(&mut self) -> Option<Raw<'a>> {
        if self.rest.is_empty() {
            return None;
        }
        let head = Head::read(self.rest);
        let whole = self.rest.get(..head.length);
        if let Some((bytes, value)) = whole.and_then(|bytes| Some((bytes, bytes.get(head.size..)?)))
        {
            // The padding of a last AVP may lack: groups are often sent so.
            let next = head.length.next_multiple_of(4);
            self.rest = self.rest.get(next..).unwrap_or(&[]);
            Some(Raw {
                code: head.code,
                vendor: head.vendor,
                flags: head.flags,
                value,
                bytes,
            })
        } else {
            self.stop(head.code, head.vendor, head.flags);
            None
        }
    }
}

/// The header of an AVP, read from as many bytes as there are; missing ones count as 0, which no length survives.
#[derive(Debug, Clone, Copy)]
pub(super) struct Head {
    pub(super) code: u32,
    pub(super) vendor: u32,
    pub(super) flags: u8,
    /// Header and value, in bytes, as the header says.
    pub(super) length: usize,
    /// Bytes of the header.
    pub(super) size: usize,
}

impl Head {
    #[inline]
    pub(super) fn read(bytes: &[u8]) -> Head {
        match bytes.first_chunk::<12>() {
            Some(head) => Head::of(head),
            None => Head::of_few(bytes),
        }
    }

    #[inline]
    pub(super) fn of(bytes: &[u8; 12]) -> Head {
        // Two loads; the compiler sees that both exist.
        let first = u64::from_be_bytes(*bytes.first_chunk().unwrap_or(&[0; 8]));
        let vendor = u32::from_be_bytes(*bytes.last_chunk().unwrap_or(&[0; 4]));
        // The V flag is the sign of the second word: all ones with a vendor, else zeros.
        let foreign = (first as i32 >> 31) as u32;
        Head {
            code: (first >> 32) as u32,
            vendor: vendor & foreign,
            flags: (first >> 24) as u8,
            length: first as usize & 0x00ff_ffff,
            size: 8 + (foreign & 4) as usize,
        }
    }

    #[cold]
    fn of_few(bytes: &[u8]) -> Head {
        let mut head = [0; 12];
        for (to, from) in head.iter_mut().zip(bytes) {
            *to = *from;
        }
        Head::of(&head)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pcrf::diameter::id;

    fn header(version: u8, length: u32) -> Vec<u8> {
        let mut bytes = vec![0; 20];
        bytes[..4].copy_from_slice(&length.to_be_bytes());
        bytes[0] = version;
        bytes
    }

    #[test]
    fn frames_are_found() {
        assert_eq!(frame(&[], 100), Framed::More(20));
        assert_eq!(frame(&[1, 0, 0], 100), Framed::More(20));
        assert_eq!(
            frame(b"G", 100),
            Framed::Malformed(Malformed::Foreign(b'G'))
        );
        assert_eq!(
            frame(&[22, 3, 1], 100),
            Framed::Malformed(Malformed::Foreign(22))
        );
        assert!(matches!(
            frame(&header(2, 20), 100),
            Framed::Malformed(Malformed::Version(_))
        ));
        for bad in [0, 16, 19, 21, 22, 104, 0xff_ffff] {
            assert!(
                matches!(
                    frame(&header(1, bad), 100),
                    Framed::Malformed(Malformed::Length(_))
                ),
                "{bad}"
            );
        }
        assert_eq!(frame(&header(1, 100), 100), Framed::More(100));
        let mut two = header(1, 20);
        two.extend(header(1, 20));
        match frame(&two, 100) {
            Framed::Message(message) => assert_eq!(message.bytes().len(), 20),
            other => panic!("{other:?}"),
        }
        assert!(Message::new(&two).is_none());
    }

    #[test]
    fn walks_stop_at_defects() {
        // User-Name "ab" without its padding.
        let whole = [0, 0, 0, 1, 0x40, 0, 0, 10, b'a', b'b'];
        let mut avps = Avps::new(&whole);
        let avp = avps.next().unwrap();
        assert_eq!((avp.id(), avp.value), (id::USER_NAME, &b"ab"[..]));
        assert!(avps.next().is_none() && avps.defect().is_none());
        for length in [0, 7, 11, 255] {
            let mut bytes = whole;
            bytes[7] = length;
            let mut avps = Avps::new(&bytes);
            assert!(avps.next().is_none());
            let defect = avps.defect().unwrap();
            assert_eq!((defect.code, defect.rest), (1, &bytes[..]));
        }
        // A vendor without its bytes.
        let mut avps = Avps::new(&[0, 0, 0, 1, 0x80, 0, 0, 8]);
        assert!(avps.next().is_none() && avps.defect().is_some());
        let mut avps = Avps::new(&[0, 0, 0]);
        assert!(avps.next().is_none() && avps.defect().is_some());
    }
}
