//! Finds the AVPs that somebody reads, in one pass over the headers.

mod selected;

use std::num::NonZeroU64;

use super::dictionary::{GROUP, KNOWN, WIDTHS, place_of_known};
use super::message::{HEADER, Message, flag};
use super::{Avp, AvpId, TGPP};

pub use selected::{All, Selected};

/// Places that a mask has; one more takes what nobody wants.
const SLOTS: usize = 63;
/// The place of what nobody wants.
const SINK: u8 = SLOTS as u8;
/// Its bit.
const SINK_BIT: NonZeroU64 = bit(SLOTS);

/// The bit of a place.
const fn bit(slot: usize) -> NonZeroU64 {
    match NonZeroU64::new(1 << slot) {
        Some(bit) => bit,
        None => NonZeroU64::MIN,
    }
}

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
    /// The bit of the place.
    bit: NonZeroU64,
    /// The expected length of the AVP, or the least possible one, as [`turned`] has it.
    length: u32,
    /// Bits of what is above that length, and of the flags, that are to be clear, else the AVP is odd.
    care: u32,
}

impl Row {
    /// A row that nobody wants, with values of any length.
    fn new(vendor: u32, width: u8) -> Row {
        let header = if vendor == 0 { 8 } else { 12 };
        let (value, care) = match width {
            0 | GROUP => (0, DEFECT),
            width => (u32::from(width), turned(LENGTH)),
        };
        Row {
            bit: SINK_BIT,
            length: turned(header + value),
            care,
        }
    }

    fn slot(self) -> u8 {
        self.bit.trailing_zeros() as u8
    }
}

/// Length and flags of an AVP from the second word of its header, the length first: what is taken from the length and
/// makes it negative shows in [`DEFECT`], and nowhere else.
#[inline]
fn turned(word: u32) -> u32 {
    word.rotate_left(8)
}

/// In what is odd, that an AVP has an impossible length.
const DEFECT: u32 = 1 << 31;

impl Default for Mask {
    fn default() -> Mask {
        let mut rows = [Row {
            // Whoever wants an unknown AVP to be understood sets the M flag. It may have a vendor, or none.
            care: DEFECT | u32::from(flag::MANDATORY),
            ..Row::new(TGPP, 0)
        }; 256];
        for avp in Avp::all() {
            if let (Some(row), Some(width)) =
                (rows.get_mut(avp.id.index()), WIDTHS.get(avp.id.index()))
            {
                *row = Row::new(avp.vendor, *width);
            }
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
        row.bit = bit(self.wanted.len());
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
        let bit = self.rows.get(id.index()).map_or(SINK_BIT, |row| row.bit);
        bit.get() & !SINK_BIT.get()
    }

    #[inline]
    fn slot(&self, id: AvpId) -> u8 {
        self.rows.get(id.index()).map_or(SINK, |row| row.slot())
    }

    #[inline]
    #[expect(
        clippy::indexing_slicing,
        reason = "256 rows, one for each byte; in the loop over all AVPs"
    )]
    fn row(&self, place: u8) -> Row {
        self.rows[usize::from(place)]
    }

    /// Passes over the headers of a message. No value is looked at, no memory is taken.
    ///
    /// The loop has no branch that sound messages with AVPs of the IETF and of 3GPP take one way or the other; what
    /// is odd is only collected, and looked up when somebody asks.
    #[inline]
    pub fn select<'a, 'm>(
        &'m self,
        message: Message<'a>,
        places: &'m mut Places,
    ) -> Selected<'a, 'm> {
        let bytes = message.bytes();
        let (mut present, mut repeated, mut odd) = (0, 0, 0);
        let mut at = HEADER as u32;
        while let Some(head) = chunk(bytes, at) {
            let [code, word, vendor] = words(head);
            // The V flag is the sign of the word: all ones with a vendor, else zeros.
            let foreign = (word as i32 >> 31) as u32;
            if code >= KNOWN || (vendor ^ TGPP.to_be()) & foreign != 0 {
                break;
            }
            let row = self.row(place_of_known(code, foreign));
            odd |= turned(word).wrapping_sub(row.length) & row.care;
            if odd & DEFECT != 0 {
                break;
            }
            places.note(row, at);
            repeated |= present & row.bit.get();
            present |= row.bit.get();
            // Flags do not reach the bits of the sum. The whole is a multiple of 4, so padding fits where the AVP does.
            at = word.wrapping_add(at + 3) & LENGTH & !3;
        }
        if at as usize != bytes.len() {
            (present, repeated, odd) = self.walk(message, places);
        }
        Selected {
            message,
            mask: self,
            places,
            present,
            repeated,
            odd,
        }
    }

    /// The pass over a message that the quick one left: with AVPs of another vendor or codes that the dictionary lacks,
    /// with an impossible length, or with a last AVP so short that no vendor fits.
    #[cold]
    fn walk(&self, message: Message<'_>, places: &mut Places) -> (u64, u64, u32) {
        let (mut present, mut repeated, mut odd) = (0, 0, 0);
        let bytes = message.bytes();
        let mut avps = message.avps();
        loop {
            let at = bytes.len() - avps.rest().len();
            let Some(avp) = avps.next() else {
                break;
            };
            let row = self.row(avp.id().0 as u8);
            let unknown = avp.id() == AvpId::UNKNOWN && avp.is_mandatory();
            odd |= u32::from(unknown || avp.has_wrong_width());
            places.note(row, at as u32);
            repeated |= present & row.bit.get();
            present |= row.bit.get();
        }
        if avps.defect().is_some() {
            odd |= DEFECT;
        }
        (present, repeated, odd)
    }
}

/// Room for what a pass finds; may be used again for another message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// Where the last AVP of each place begins; means something only where there is one.
    last: [u32; SLOTS + 1],
}

impl Default for Places {
    fn default() -> Places {
        Places {
            last: [0; SLOTS + 1],
        }
    }
}

impl Places {
    #[inline]
    fn note(&mut self, row: Row, at: u32) {
        if let Some(last) = self.last.get_mut(row.bit.trailing_zeros() as usize) {
            *last = at;
        }
    }
}

/// The 12 bytes at a place: a header with or without a vendor.
#[inline]
fn chunk(bytes: &[u8], at: u32) -> Option<&[u8; 12]> {
    let at = at as usize;
    bytes.get(at..at + 12)?.first_chunk()
}

/// The bits of an AVP's length in the second word of its header.
const LENGTH: u32 = 0x00ff_ffff;

/// The three words of a header, the last one as it stands in memory.
#[inline]
fn words(head: &[u8; 12]) -> [u32; 3] {
    // The compiler sees that all three exist.
    let word = |at: usize| head.get(at..at + 4).and_then(|word| word.first_chunk());
    let [code, word, vendor] = [0, 4, 8].map(|at| u32::from_ne_bytes(*word(at).unwrap_or(&[0; 4])));
    [u32::from_be(code), u32::from_be(word), vendor]
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
        let mut places = Places::default();
        let found = mask.select(message, &mut places);
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
        let mut places = Places::default();
        let found = mask.select(message, &mut places);
        assert!(!found.is_sound());
        assert_eq!(found.unknown().unwrap().vendor, 4711);
        assert_eq!(found.narrow().unwrap().value, [0, 0, 1]);
        assert_eq!(found.defect().unwrap().code, 264);
    }

    #[test]
    fn unknown_avps_may_be_short_or_of_any_vendor() {
        let mask = Mask::new(&[id::SESSION_ID]);
        for vendor in [0, TGPP, 4711] {
            for value in [&b""[..], b"abc", b"abcdefg"] {
                for flags in [0, flag::MANDATORY] {
                    let mut writer = Writer::new();
                    writer.start(command::CREDIT_CONTROL, flag::REQUEST, GX, 7, 9);
                    let foreign = if vendor == 0 { 0 } else { flag::VENDOR };
                    writer.any(3999, vendor, flags | foreign, value);
                    writer.text(id::SESSION_ID, "a;1");
                    let message = Message::new(writer.finish()).unwrap();
                    let mut places = Places::default();
                    let found = mask.select(message, &mut places);
                    assert_eq!(found.defect(), None);
                    assert_eq!(found.unknown().is_some(), flags != 0, "{vendor} {value:?}");
                    assert_eq!(found.first(id::SESSION_ID).unwrap().value, b"a;1");
                }
            }
        }
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
                let mut places = Places::default();
                let found = mask.select(message, &mut places);
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
