//! Builds messages.

use std::net::IpAddr;

use smallvec::SmallVec;

use super::dictionary::{TIME_OFFSET, id};
use super::message::{HEADER, Header, Raw, flag};
use super::{AvpId, ResultCode};

/// The longest message that its length field can say.
const LONGEST: usize = 0x00ff_fffc;

/// Builds one message after another in the same memory. M and V flags come from the dictionary.
///
/// What would make a message longer than its length field can say (16 MiB) is left out.
#[derive(Debug, Default)]
pub struct Writer {
    bytes: Vec<u8>,
    /// Where the message under work begins; what stands before it is finished.
    start: usize,
    /// Where the open groups begin.
    open: SmallVec<[usize; 6]>,
}

impl Writer {
    /// A writer without memory.
    pub fn new() -> Writer {
        Writer::default()
    }

    /// Begins a message; what stood in the writer is forgotten.
    pub fn start(
        &mut self,
        command: u32,
        flags: u8,
        application: u32,
        hop_by_hop: u32,
        end_to_end: u32,
    ) {
        self.bytes.clear();
        self.append(command, flags, application, hop_by_hop, end_to_end);
    }

    /// Begins a message behind the finished ones.
    pub fn append(
        &mut self,
        command: u32,
        flags: u8,
        application: u32,
        hop_by_hop: u32,
        end_to_end: u32,
    ) {
        self.start = self.bytes.len();
        self.open.clear();
        self.bytes.extend_from_slice(&[1, 0, 0, 0]);
        self.bytes
            .extend_from_slice(&(command & 0x00ff_ffff).to_be_bytes());
        if let Some(to) = self.bytes.get_mut(self.start + 4) {
            *to = flags;
        }
        for word in [application, hop_by_hop, end_to_end] {
            self.bytes.extend_from_slice(&word.to_be_bytes());
        }
    }

    /// Begins the answer to a request: its command, application and identifiers, its P bit, and the given flags.
    pub fn start_answer(&mut self, request: &Header, flags: u8) {
        self.start(
            request.command,
            (request.flags & flag::PROXIABLE) | flags,
            request.application,
            request.hop_by_hop,
            request.end_to_end,
        );
    }

    /// As [`Writer::start_answer`], behind the finished messages.
    pub fn append_answer(&mut self, request: &Header, flags: u8) {
        self.append(
            request.command,
            (request.flags & flag::PROXIABLE) | flags,
            request.application,
            request.hop_by_hop,
            request.end_to_end,
        );
    }

    /// An AVP with these bytes as its value.
    pub fn bytes(&mut self, id: AvpId, value: &[u8]) {
        let avp = id.avp();
        let size = if avp.vendor == 0 { 8 } else { 12 };
        if self.has_room(size + value.len()) {
            self.head(avp.code, avp.vendor, avp.flags(), size + value.len());
            self.bytes.extend_from_slice(value);
            self.pad();
        }
    }

    /// An AVP with a text.
    pub fn text(&mut self, id: AvpId, value: &str) {
        self.bytes(id, value.as_bytes());
    }

    /// An AVP with 4 bytes: Unsigned32 and Enumerated.
    pub fn u32(&mut self, id: AvpId, value: u32) {
        self.bytes(id, &value.to_be_bytes());
    }

    /// An AVP with 8 bytes.
    pub fn u64(&mut self, id: AvpId, value: u64) {
        self.bytes(id, &value.to_be_bytes());
    }

    /// A time, given in seconds since 1970.
    pub fn time(&mut self, id: AvpId, unix: i64) {
        let time = unix.wrapping_add(i64::from(TIME_OFFSET)) as u32;
        self.bytes(id, &time.to_be_bytes());
    }

    /// An AVP of the kind Address.
    pub fn address(&mut self, id: AvpId, address: IpAddr) {
        let mut value = SmallVec::<[u8; 18]>::new();
        match address {
            IpAddr::V4(address) => {
                value.extend_from_slice(&[0, 1]);
                value.extend_from_slice(&address.octets());
            }
            IpAddr::V6(address) => {
                value.extend_from_slice(&[0, 2]);
                value.extend_from_slice(&address.octets());
            }
        }
        self.bytes(id, &value);
    }

    /// Result-Code, or Experimental-Result with its vendor.
    pub fn result(&mut self, result: ResultCode) {
        if result.is_experimental() {
            self.group(id::EXPERIMENTAL_RESULT, |w| {
                w.u32(id::VENDOR_ID, result.vendor);
                w.u32(id::EXPERIMENTAL_RESULT_CODE, result.value);
            });
        } else {
            self.u32(id::RESULT_CODE, result.value);
        }
    }

    /// A group with what the function writes.
    pub fn group(&mut self, id: AvpId, children: impl FnOnce(&mut Writer)) {
        self.open(id);
        children(self);
        self.close();
    }

    /// Begins a group.
    pub fn open(&mut self, id: AvpId) {
        let avp = id.avp();
        self.open_any(avp.code, avp.vendor, avp.flags());
    }

    /// Begins a group of any code; the V flag is set for a vendor that is not 0.
    pub fn open_any(&mut self, code: u32, vendor: u32, flags: u8) {
        self.open.push(self.bytes.len());
        self.head(code, vendor, flags, 0);
    }

    /// Ends the innermost group.
    pub fn close(&mut self) {
        if let Some(start) = self.open.pop() {
            let length = self.bytes.len() - start;
            self.set_length(start + 5, length);
        }
    }

    /// An AVP of any code; the V flag is set for a vendor that is not 0.
    pub fn any(&mut self, code: u32, vendor: u32, flags: u8, value: &[u8]) {
        let size = if vendor == 0 { 8 } else { 12 };
        if self.has_room(size + value.len()) {
            self.head(code, vendor, flags, size + value.len());
            self.bytes.extend_from_slice(value);
            self.pad();
        }
    }

    /// An AVP as it was received.
    pub fn copy(&mut self, avp: &Raw<'_>) {
        self.copy_bytes(avp.bytes);
    }

    /// An AVP that says it has a vendor, and whose vendor is 0.
    pub(super) fn any_with_vendor(&mut self, code: u32, flags: u8, value: &[u8]) {
        if self.has_room(12 + value.len()) {
            self.head(code, 0, flags, 12 + value.len());
            let to = self.bytes.len().saturating_sub(4);
            if let Some(byte) = self.bytes.get_mut(to) {
                *byte |= flag::VENDOR;
            }
            self.bytes.extend_from_slice(&[0; 4]);
            self.bytes.extend_from_slice(value);
            self.pad();
        }
    }

    /// AVPs that are bytes already, of which the last may lack its padding.
    pub fn copy_bytes(&mut self, avps: &[u8]) {
        if self.has_room(avps.len()) {
            self.bytes.extend_from_slice(avps);
            self.pad();
        }
    }

    /// Closes what is open, and gives the message.
    pub fn finish(&mut self) -> &[u8] {
        while !self.open.is_empty() {
            self.close();
        }
        let length = self.bytes.len() - self.start;
        self.set_length(self.start + 1, length);
        self.bytes.get(self.start..).unwrap_or(&[])
    }

    /// All messages that stand in the writer: the one under work must be finished.
    pub fn all(&self) -> &[u8] {
        &self.bytes
    }

    /// Takes out the messages from a place on, which all must be finished.
    pub fn split_off(&mut self, from: usize) -> Vec<u8> {
        let from = from.min(self.bytes.len());
        self.start = self.start.min(from);
        self.bytes.split_off(from)
    }

    /// Forgets all messages, and keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.open.clear();
        self.start = 0;
    }

    /// The AVPs of the message under work so far, without its header.
    pub fn avps(&self) -> &[u8] {
        self.bytes.get(self.start + HEADER..).unwrap_or(&[])
    }

    fn has_room(&self, more: usize) -> bool {
        // Padding and the headers of groups are small against what is kept free.
        self.bytes.len() - self.start + more + 4096 <= LONGEST
    }

    fn head(&mut self, code: u32, vendor: u32, flags: u8, length: usize) {
        let length = (length as u32).to_be_bytes();
        let [_, l1, l2, l3] = length;
        let [c0, c1, c2, c3] = code.to_be_bytes();
        if vendor == 0 {
            let head = [c0, c1, c2, c3, flags & !flag::VENDOR, l1, l2, l3];
            self.bytes.extend_from_slice(&head);
        } else {
            let [v0, v1, v2, v3] = vendor.to_be_bytes();
            let head = [
                c0,
                c1,
                c2,
                c3,
                flags | flag::VENDOR,
                l1,
                l2,
                l3,
                v0,
                v1,
                v2,
                v3,
            ];
            self.bytes.extend_from_slice(&head);
        }
    }

    fn pad(&mut self) {
        // The beginning of a message need not be at a multiple of 4 when foreign bytes stand before it.
        let length = self.bytes.len() - self.start;
        let zeros = length.next_multiple_of(4) - length;
        self.bytes
            .extend_from_slice([0; 3].get(..zeros).unwrap_or(&[]));
    }

    fn set_length(&mut self, at: usize, length: usize) {
        let [_, bytes @ ..] = (length as u32).to_be_bytes();
        if let Some(to) = self.bytes.get_mut(at..at + 3) {
            to.copy_from_slice(&bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pcrf::diameter::{GX, Message, command};

    #[test]
    fn messages_are_built() {
        let mut writer = Writer::new();
        writer.start(command::CREDIT_CONTROL, flag::REQUEST, GX, 7, 9);
        writer.text(id::SESSION_ID, "a;1");
        writer.text(id::PRODUCT_NAME, "x");
        writer.group(id::DEFAULT_EPS_BEARER_QOS, |w| {
            w.u32(id::QOS_CLASS_IDENTIFIER, 9);
            w.group(id::ALLOCATION_RETENTION_PRIORITY, |w| {
                w.u32(id::PRIORITY_LEVEL, 10);
            });
        });
        writer.time(id::REVALIDATION_TIME, 1_767_225_600);
        writer.address(id::AN_GW_ADDRESS, "127.0.0.1".parse().unwrap());
        writer.result(ResultCode::ERROR_INITIAL_PARAMETERS);
        let bytes = writer.finish().to_vec();
        let message = Message::new(&bytes).unwrap();
        assert_eq!(message.header().command, 272);
        assert_eq!(
            (message.header().hop_by_hop, message.header().end_to_end),
            (7, 9)
        );
        assert!(message.header().is_request());
        let avps: Vec<_> = message.avps().collect();
        assert_eq!(avps.len(), 6);
        assert_eq!((avps[0].flags, avps[0].value), (0x40, &b"a;1"[..]));
        assert_eq!(avps[1].flags, 0);
        assert_eq!(avps[2].flags, 0x80);
        assert_eq!(
            avps[2].child(id::QOS_CLASS_IDENTIFIER).unwrap().u32(),
            Some(9)
        );
        let arp = avps[2].child(id::ALLOCATION_RETENTION_PRIORITY).unwrap();
        assert_eq!(arp.child(id::PRIORITY_LEVEL).unwrap().u32(), Some(10));
        assert_eq!(avps[3].time(), Some(1_767_225_600));
        assert_eq!(avps[4].address(), Some("127.0.0.1".parse().unwrap()));
        assert_eq!(
            avps[5].child(id::EXPERIMENTAL_RESULT_CODE).unwrap().u32(),
            Some(5140)
        );
        let header = message.header();
        writer.start_answer(&header, 0);
        assert_eq!(Message::new(writer.finish()).unwrap().header().flags, 0);
        writer.append_answer(&header, flag::ERROR);
        assert_eq!(writer.finish().len(), 20);
        assert_eq!(writer.all().len(), 40);
    }

    #[test]
    fn too_long_a_message_is_cut() {
        let mut writer = Writer::new();
        writer.start(1, 0, 0, 0, 0);
        let long = vec![0; 10_000_000];
        writer.bytes(id::CLASS, &long);
        writer.bytes(id::CLASS, &long);
        assert_eq!(writer.finish().len(), 10_000_028);
    }
}
