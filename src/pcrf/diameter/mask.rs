//! Finds the AVPs that somebody reads, in one pass over the headers.

use super::dictionary::{GROUP, KNOWN, WIDTHS, place, place_of_known};
use super::message::{Avps, Defect, HEADER, Message, Raw, flag};
use super::{AvpId, TGPP};

/// Places that a mask has; one more takes what nobody wants.
const SLOTS: usize = 63;
/// The place of what nobody wants.
const SINK: u8 = SLOTS as u8;

/// AVPs of messages (not of groups) that somebody reads.
///
/// The first 63 have a place of their own; others are found by walking over the message again, which is slower and
/// gives the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mask {
    /// By dictionary row.
    rows: [Row; 256],
    wanted: Vec<AvpId>,
}

/// What the pass knows of a row of the dictionary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Row {
    /// The bit of the place; 0 for what nobody wants.
    bit: u64,
    /// Bits of flags and length of the value that are to be as expected, else the AVP is odd.
    care: u32,
    /// The expected length of values.
    width: u16,
    /// The place.
    slot: u8,
}

impl Row {
    /// A row that nobody wants, with values of any length.
    const OTHER: Row = Row {
        bit: 0,
        care: 0,
        width: 0,
        slot: SINK,
    };
}

impl Default for Mask {
    fn default() -> Mask {
        let mut rows = WIDTHS.map(|width| match width {
            0 | GROUP => Row::OTHER,
            width => Row {
                care: LENGTH,
                width: u16::from(width),
                ..Row::OTHER
            },
        });
        if let Some(row) = rows.first_mut() {
            // Whoever wants an unknown AVP to be understood sets the M flag.
            row.care = u32::from(flag::MANDATORY) << 24;
        }
        Mask {
            rows,
            wanted: Vec::new(),
        }
    }
}

impl FromIterator<AvpId> for Mask {
    fn from_iter<T: IntoIterator<Item = AvpId>>(ids: T) -> Mask {
        let mut mask = Mask::default();
        for id in ids {
            mask.add(id);
        }
        mask
    }
}

impl Mask {
    /// A mask of these AVPs.
    pub fn new(ids: &[AvpId]) -> Mask {
        ids.iter().copied().collect()
    }

    /// Wants one more; false where there was no place left.
    pub fn add(&mut self, id: AvpId) -> bool {
        if id == AvpId::UNKNOWN || self.contains(id) {
            return true;
        }
        let (Some(row), true) = (self.rows.get_mut(id.index()), self.wanted.len() < SLOTS) else {
            return false;
        };
        row.slot = self.wanted.len() as u8;
        row.bit = 1 << row.slot;
        self.wanted.push(id);
        true
    }

    /// True for an AVP with a place.
    pub fn contains(&self, id: AvpId) -> bool {
        self.slot(id) != SINK
    }

    /// The AVPs with a place, in the order in which they were added.
    pub fn wanted(&self) -> &[AvpId] {
        &self.wanted
    }

    /// The bit of an AVP with a place, else 0.
    pub(super) fn bit(&self, id: AvpId) -> u64 {
        self.rows.get(id.index()).map_or(0, |row| row.bit)
    }

    #[inline]
    fn slot(&self, id: AvpId) -> u8 {
        self.rows
            .get(id.index())
            .map_or(SINK, |row| row.slot & SINK)
    }

    /// Passes over the headers of a message. No value is looked at, no memory is taken.
    ///
    /// The loop has no branch that sound messages with AVPs of the IETF and of 3GPP take one way or the other; what
    /// is odd is only collected, and looked up when somebody asks.
    #[inline]
    pub fn select<'a>(&self, message: Message<'a>) -> Selected<'a, '_> {
        let mut last = [0_u16; SLOTS + 1];
        let (mut present, mut repeated) = (0_u64, 0_u64);
        let mut odd = 0_u32;
        let mut rest = message.bytes().get(HEADER..).unwrap_or(&[]);
        while let Some(head) = rest.first_chunk::<12>() {
            let [code, word, vendor] = words(head);
            let length = word & LENGTH;
            // The V flag is the sign of the word: all ones with a vendor, else zeros.
            let foreign = (word as i32 >> 31) as u32;
            let size = 8 + (foreign & 4);
            // The whole is a multiple of 4, so the padding fits where the AVP does.
            let padded = (length + 3) & !3;
            let (Some(behind), true) = (rest.get(padded as usize..), length >= size) else {
                odd |= DEFECT;
                break;
            };
            let row = if (vendor ^ TGPP) & foreign | code & !(KNOWN - 1) == 0 {
                place_of_known(code, foreign)
            } else {
                other(code, word, vendor)
            };
            let row = self
                .rows
                .get(usize::from(row))
                .copied()
                .unwrap_or(Row::OTHER);
            // Flags and length of the value.
            odd |= ((word - size) ^ u32::from(row.width)) & row.care;
            if let Some(last) = last.get_mut(usize::from(row.slot & SINK)) {
                *last = (rest.len() / 4) as u16;
            }
            repeated |= present & row.bit;
            present |= row.bit;
            rest = behind;
        }
        if !rest.is_empty() && odd & DEFECT == 0 {
            // Less than 12 bytes are left: an AVP without vendor and value, or a defect.
            let mut avps = Avps::new(rest);
            for avp in avps.by_ref() {
                let row = self.rows.get(avp.id().index()).unwrap_or(&Row::OTHER);
                if let Some(last) = last.get_mut(usize::from(row.slot & SINK)) {
                    *last = (rest.len() / 4) as u16;
                }
                repeated |= present & row.bit;
                present |= row.bit;
                odd |= 1;
            }
            if avps.defect().is_some() {
                odd |= DEFECT;
            }
        }
        Selected {
            message,
            mask: self,
            last,
            present,
            repeated,
            odd,
        }
    }
}

/// The bits of an AVP's length in the second word of its header.
const LENGTH: u32 = 0x00ff_ffff;

/// In what is odd, that an AVP has an impossible length; no other oddity has this bit.
const DEFECT: u32 = 1 << 31;

/// The three words of a header.
#[inline]
fn words(head: &[u8; 12]) -> [u32; 3] {
    // The compiler sees that all three exist.
    let word = |at: usize| head.get(at..at + 4).and_then(|word| word.first_chunk());
    [0, 4, 8].map(|at| u32::from_be_bytes(*word(at).unwrap_or(&[0; 4])))
}

/// The place of an AVP of another vendor, with a vendor of 0, or with a code that the dictionary lacks.
#[cold]
fn other(code: u32, word: u32, vendor: u32) -> u8 {
    let foreign = word >> 24 & u32::from(flag::VENDOR) != 0;
    place(code, if foreign { vendor } else { 0 })
}

/// The AVPs of one message that a mask wants; values are slices of the received bytes.
#[derive(Debug, Clone)]
pub struct Selected<'a, 'm> {
    message: Message<'a>,
    mask: &'m Mask,
    /// How many words from the last AVP of each place to the end of the message.
    last: [u16; SLOTS + 1],
    present: u64,
    repeated: u64,
    /// Not 0 where something may be odd.
    odd: u32,
}

impl<'a> Selected<'a, '_> {
    /// The message.
    pub fn message(&self) -> Message<'a> {
        self.message
    }

    /// The first AVP of a kind.
    #[inline]
    pub fn first(&self, id: AvpId) -> Option<Raw<'a>> {
        self.all(id).next()
    }

    /// The AVP of a kind at an index, from 0.
    pub fn nth(&self, id: AvpId, index: usize) -> Option<Raw<'a>> {
        self.all(id).nth(index)
    }

    /// All AVPs of a kind, in their order.
    #[inline]
    pub fn all(&self, id: AvpId) -> All<'a> {
        let slot = self.mask.slot(id);
        let bit = 1_u64 << (slot & SINK);
        let (from, single) = if slot == SINK || self.repeated & bit != 0 {
            (HEADER, false)
        } else if self.present & bit == 0 {
            (usize::MAX, true)
        } else {
            let last = self.last.get(usize::from(slot)).copied().unwrap_or(0);
            let end = self.message.bytes().len();
            (end.saturating_sub(4 * usize::from(last)), true)
        };
        All {
            avps: Avps::new(self.message.bytes().get(from..).unwrap_or(&[])),
            code: id.code(),
            vendor: id.vendor(),
            single,
        }
    }

    /// True where the message has such an AVP.
    #[inline]
    pub fn has(&self, id: AvpId) -> bool {
        let slot = self.mask.slot(id);
        if slot == SINK {
            self.first(id).is_some()
        } else {
            self.present & (1 << (slot & SINK)) != 0
        }
    }

    /// True where the message has such an AVP more than once.
    #[inline]
    pub fn is_repeated(&self, id: AvpId) -> bool {
        let slot = self.mask.slot(id);
        if slot == SINK {
            self.all(id).nth(1).is_some()
        } else {
            self.repeated & (1 << (slot & SINK)) != 0
        }
    }

    /// True where the message lacks one of these AVPs, which must have places.
    #[inline]
    pub(super) fn lacks(&self, bits: u64) -> bool {
        bits & !self.present != 0
    }

    /// True where the message has one of these AVPs, which must have places, more than once.
    #[inline]
    pub(super) fn repeats(&self, bits: u64) -> bool {
        bits & self.repeated != 0
    }

    /// All groups that stand directly in the message, wanted or not, in their order.
    pub fn groups(&self) -> impl Iterator<Item = Raw<'a>> {
        self.message.avps().filter(|avp| avp.id().is_group())
    }

    /// Number of AVPs, counted by walking.
    pub fn count(&self) -> u32 {
        self.message.avps().count() as u32
    }

    /// The first AVP that the dictionary lacks though its sender wants it understood.
    #[inline]
    pub fn unknown(&self) -> Option<Raw<'a>> {
        if self.odd == 0 {
            return None;
        }
        let mut avps = self.message.avps();
        avps.find(|avp| avp.is_mandatory() && avp.id() == AvpId::UNKNOWN)
    }

    /// The first AVP whose length does not fit its kind.
    #[inline]
    pub fn narrow(&self) -> Option<Raw<'a>> {
        if self.odd == 0 {
            return None;
        }
        self.message.avps().find(Raw::has_wrong_width)
    }

    /// The AVP whose length is impossible, which ended the pass.
    #[inline]
    pub fn defect(&self) -> Option<Defect<'a>> {
        if self.odd & DEFECT == 0 {
            return None;
        }
        let mut avps = self.message.avps();
        avps.by_ref().for_each(drop);
        avps.defect()
    }

    /// True where the pass met nothing odd: no defect, no wrong length, nothing unknown that must be understood.
    #[inline]
    pub fn is_sound(&self) -> bool {
        self.odd == 0
            || (self.defect().is_none() && self.narrow().is_none() && self.unknown().is_none())
    }
}

/// AVPs of one kind.
#[derive(Debug, Clone)]
pub struct All<'a> {
    avps: Avps<'a>,
    code: u32,
    vendor: u32,
    /// The next one is the last one.
    single: bool,
}

impl<'a> Iterator for All<'a> {
    type Item = Raw<'a>;

    #[inline]
    fn next(&mut self) -> Option<Raw<'a>> {
        let (code, vendor) = (self.code, self.vendor);
        let found = self
            .avps
            .find(|avp| avp.code == code && avp.vendor == vendor);
        if self.single {
            self.avps = Avps::new(&[]);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pcrf::diameter::{GX, Writer, command, id};

    #[test]
    fn wanted_avps_are_found() {
        let mut writer = Writer::new();
        writer.start(command::CREDIT_CONTROL, flag::REQUEST, GX, 7, 9);
        writer.text(id::SESSION_ID, "a;1");
        writer.u32(id::EVENT_TRIGGER, 2);
        writer.u32(id::RAT_TYPE, 1004);
        writer.u32(id::EVENT_TRIGGER, 33);
        writer.text(id::CALLED_STATION_ID, "internet");
        let message = Message::new(writer.finish()).unwrap();
        let mask = Mask::new(&[id::SESSION_ID, id::EVENT_TRIGGER, id::CC_REQUEST_TYPE]);
        let found = mask.select(message);
        assert!(found.is_sound());
        assert_eq!(found.first(id::SESSION_ID).unwrap().value, b"a;1");
        let triggers: Vec<_> = found
            .all(id::EVENT_TRIGGER)
            .filter_map(|a| a.u32())
            .collect();
        assert_eq!(triggers, [2, 33]);
        assert_eq!(found.nth(id::EVENT_TRIGGER, 1).unwrap().u32(), Some(33));
        assert!(found.is_repeated(id::EVENT_TRIGGER));
        assert!(!found.is_repeated(id::SESSION_ID));
        assert!(!found.has(id::CC_REQUEST_TYPE) && found.first(id::CC_REQUEST_TYPE).is_none());
        // What has no place is found all the same.
        assert_eq!(
            found.first(id::CALLED_STATION_ID).unwrap().value,
            b"internet"
        );
        assert!(found.has(id::RAT_TYPE) && !found.has(id::CC_TIME));
    }

    #[test]
    fn odd_avps_are_noticed() {
        let mut writer = Writer::new();
        writer.start(command::CREDIT_CONTROL, flag::REQUEST, GX, 7, 9);
        writer.any(7777, 0, 0, b"optional");
        writer.any(1001, 4711, 0xc0, b"foreign");
        writer.bytes(id::CC_REQUEST_TYPE, &[0, 0, 1]);
        writer.any(8888, 0, 0x40, b"later");
        writer.copy_bytes(&[0, 0, 1, 8, 0x40, 0, 1, 0]);
        let message = Message::new(writer.finish()).unwrap();
        let mask = Mask::default();
        let found = mask.select(message);
        assert!(!found.is_sound());
        assert_eq!(found.unknown().unwrap().vendor, 4711);
        assert_eq!(found.narrow().unwrap().value, [0, 0, 1]);
        assert_eq!(found.defect().unwrap().code, 264);
    }

    #[test]
    fn any_length_ends_the_pass() {
        let mask = Mask::new(&[id::SESSION_ID]);
        for flags in [0_u8, 0x80, 0xc0] {
            for length in [
                0_u32, 7, 8, 11, 12, 13, 24, 25, 28, 29, 0xff_fffc, 0xff_ffff,
            ] {
                let mut bytes = [0_u8; 48];
                bytes[..4].copy_from_slice(&(0x0100_0000_u32 + 48).to_be_bytes());
                bytes[20..24].copy_from_slice(&263_u32.to_be_bytes());
                bytes[24..28].copy_from_slice(&length.to_be_bytes());
                bytes[24] = flags;
                // What follows an AVP of 12 or 24 bytes is one of 16 or 4.
                for at in [32, 44] {
                    bytes[at..at + 4].copy_from_slice(&263_u32.to_be_bytes());
                }
                bytes[39] = 16;
                let message = Message::new(&bytes).unwrap();
                let mut avps = message.avps();
                let walked: Vec<_> = avps.by_ref().collect();
                let found = mask.select(message);
                assert_eq!(found.defect(), avps.defect(), "{flags} {length}");
                let last = walked.iter().rfind(|avp| avp.is(id::SESSION_ID));
                assert_eq!(found.has(id::SESSION_ID), last.is_some());
            }
        }
    }

    #[test]
    fn a_mask_has_places() {
        let all = (1..=100).filter_map(AvpId::from_index).collect::<Mask>();
        assert_eq!(all.wanted().len(), SLOTS);
        assert!(all.contains(AvpId(63)) && !all.contains(AvpId(64)));
    }
}
