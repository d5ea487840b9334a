//! Finds the AVPs that somebody reads, in one pass over the headers.

use super::AvpId;
use super::dictionary::{GROUP, WIDTHS, place};
use super::message::{Avps, Defect, HEADER, Head, Message, Raw, flag};

/// Places that a mask has; one more takes what nobody wants.
const SLOTS: usize = 63;
/// Marks the rows of groups.
const GROUP_MARK: u8 = 0x80;
/// Marks the row of what the dictionary lacks; the same bit as the M flag, which makes it an error.
const UNKNOWN_MARK: u8 = flag::MANDATORY;
/// Groups of a message that are noted while passing.
const GROUPS: usize = 32;
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

/// What the pass knows of a row of the dictionary, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Row {
    /// The place, and marks.
    marks: u8,
    /// The expected length of values.
    width: u8,
    /// All ones where the length matters.
    care: i16,
}

impl Row {
    /// A row that nobody wants, with values of any length.
    const OTHER: Row = Row {
        marks: SINK,
        width: 0,
        care: 0,
    };
}

impl Default for Mask {
    fn default() -> Mask {
        let mut rows = WIDTHS.map(|width| match width {
            0 => Row::OTHER,
            GROUP => Row {
                marks: SINK | GROUP_MARK,
                ..Row::OTHER
            },
            width => Row {
                width,
                care: -1,
                ..Row::OTHER
            },
        });
        if let Some(row) = rows.first_mut() {
            row.marks |= UNKNOWN_MARK;
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
        row.marks = (row.marks & !SINK) | self.wanted.len() as u8;
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
        (1 << (self.slot(id) & SINK)) & !(1 << SINK)
    }

    #[inline]
    fn slot(&self, id: AvpId) -> u8 {
        self.rows
            .get(id.index())
            .map_or(SINK, |row| row.marks & SINK)
    }

    /// Passes over the headers of a message. No value is looked at, no memory is taken.
    #[inline]
    pub fn select<'a>(&self, message: Message<'a>) -> Selected<'a, '_> {
        // What is counted stays in registers; only the tables are memory.
        let mut found = Found::default();
        let (mut present, mut repeated) = (0_u64, 0_u64);
        let (mut count, mut group_count) = (0_u32, 0_u32);
        let bytes = message.bytes();
        let mut at = HEADER;
        while let Some(head) = bytes.get(at..at + 12).and_then(|head| head.first_chunk()) {
            let head = Head::of(head);
            let word = (at / 4) as u16;
            // The whole is a multiple of 4, so the padding fits where the AVP does.
            let next = at + ((head.length + 3) & !3);
            if (next > bytes.len()) | (head.length < head.size) {
                found.defect = word;
                break;
            }
            at = next;
            let row = usize::from(place(head.code, head.vendor));
            let row = self.rows.get(row).copied().unwrap_or(Row::OTHER);
            // Nothing but zeros where the row cares for no width.
            let narrow = ((head.length - head.size) as u32 ^ u32::from(row.width))
                & i32::from(row.care) as u32;
            let unknown = u32::from(row.marks & head.flags & flag::MANDATORY);
            if unknown | narrow != 0 {
                found.odd(word, unknown != 0);
            }
            let slot = row.marks & SINK;
            let bit = 1_u64 << slot;
            if let Some(last) = found.last.get_mut(usize::from(slot)) {
                *last = word;
            }
            repeated |= present & bit;
            present |= bit;
            if let Some(group) = found.groups.get_mut(group_count as usize % GROUPS) {
                *group = word;
            }
            group_count += u32::from(row.marks >> 7);
            count += 1;
        }
        if at < bytes.len() && found.defect == 0 {
            // Less than 12 bytes are left: an AVP without vendor and value, or a defect.
            let word = (at / 4) as u16;
            let mut rest = Avps::new(bytes.get(at..).unwrap_or(&[]));
            match rest.next() {
                Some(avp) => {
                    let row = self
                        .rows
                        .get(avp.id().index())
                        .copied()
                        .unwrap_or(Row::OTHER);
                    let unknown = row.marks & avp.flags & flag::MANDATORY != 0;
                    if unknown || row.care != 0 {
                        found.odd(word, unknown);
                    }
                    let slot = row.marks & SINK;
                    if let Some(last) = found.last.get_mut(usize::from(slot)) {
                        *last = word;
                    }
                    repeated |= present & (1 << slot);
                    present |= 1 << slot;
                    if let Some(group) = found.groups.get_mut(group_count as usize % GROUPS) {
                        *group = word;
                    }
                    group_count += u32::from(row.marks >> 7);
                    count += 1;
                    if rest.next().is_some() || rest.defect().is_some() {
                        found.defect = word + (avp.bytes.len() / 4) as u16;
                    }
                }
                None => found.defect = word,
            }
        }
        found.present = present & !(1 << SINK);
        found.repeated = repeated & !(1 << SINK);
        found.count = count;
        found.group_count = group_count;
        Selected {
            message,
            mask: self,
            found,
        }
    }
}

/// Where things are in one message, in words of 4 bytes; 0 is nowhere, because a header stands there.
#[derive(Debug, Clone)]
struct Found {
    /// The last AVP of each place.
    last: [u16; SLOTS + 1],
    /// The first groups, whether wanted or not; behind them, rubbish.
    groups: [u16; GROUPS],
    group_count: u32,
    count: u32,
    present: u64,
    repeated: u64,
    defect: u16,
    unknown: u16,
    narrow: u16,
}

impl Default for Found {
    #[inline]
    fn default() -> Found {
        Found {
            last: [0; SLOTS + 1],
            groups: [0; GROUPS],
            group_count: 0,
            count: 0,
            present: 0,
            repeated: 0,
            defect: 0,
            unknown: 0,
            narrow: 0,
        }
    }
}

impl Found {
    #[cold]
    fn odd(&mut self, at: u16, unknown: bool) {
        let place = if unknown {
            &mut self.unknown
        } else {
            &mut self.narrow
        };
        if *place == 0 {
            *place = at;
        }
    }
}

/// The AVPs of one message that a mask wants; values are slices of the received bytes.
#[derive(Debug, Clone)]
pub struct Selected<'a, 'm> {
    message: Message<'a>,
    mask: &'m Mask,
    found: Found,
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
        let (from, single) = if slot == SINK || self.found.repeated & bit != 0 {
            (HEADER, false)
        } else if self.found.present & bit == 0 {
            (usize::MAX, true)
        } else {
            let last = self.found.last.get(usize::from(slot));
            (last.map_or(HEADER, |word| usize::from(*word) * 4), true)
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
            self.found.present & (1 << (slot & SINK)) != 0
        }
    }

    /// True where the message has such an AVP more than once.
    #[inline]
    pub fn is_repeated(&self, id: AvpId) -> bool {
        let slot = self.mask.slot(id);
        if slot == SINK {
            self.all(id).nth(1).is_some()
        } else {
            self.found.repeated & (1 << (slot & SINK)) != 0
        }
    }

    /// True where the message lacks one of these AVPs, which must have places.
    #[inline]
    pub(super) fn lacks(&self, bits: u64) -> bool {
        bits & !self.found.present != 0
    }

    /// True where the message has one of these AVPs, which must have places, more than once.
    #[inline]
    pub(super) fn repeats(&self, bits: u64) -> bool {
        bits & self.found.repeated != 0
    }

    /// All groups that stand directly in the message, wanted or not, in their order.
    pub fn groups(&self) -> impl Iterator<Item = Raw<'a>> {
        let noted = self.found.groups.get(..self.found.group_count as usize);
        // A message with very many groups is walked over again.
        let walked = noted.is_none().then(|| self.message.avps());
        let noted = noted.unwrap_or(&[]).iter().filter_map(|at| self.at(*at));
        noted.chain(
            walked
                .into_iter()
                .flatten()
                .filter(|avp| avp.id().is_group()),
        )
    }

    /// AVPs passed over.
    pub fn count(&self) -> u32 {
        self.found.count
    }

    /// The first AVP that the dictionary lacks though its sender wants it understood.
    #[inline]
    pub fn unknown(&self) -> Option<Raw<'a>> {
        self.at(self.found.unknown)
    }

    /// The first AVP whose length does not fit its kind.
    #[inline]
    pub fn narrow(&self) -> Option<Raw<'a>> {
        self.at(self.found.narrow)
    }

    /// The AVP whose length is impossible, which ended the pass.
    #[inline]
    pub fn defect(&self) -> Option<Defect<'a>> {
        if self.found.defect == 0 {
            return None;
        }
        let rest = self
            .message
            .bytes()
            .get(usize::from(self.found.defect) * 4..)?;
        let mut avps = Avps::new(rest);
        avps.next();
        avps.defect()
    }

    /// True where the pass met nothing odd: no defect, no wrong length, nothing unknown that must be understood.
    #[inline]
    pub fn is_sound(&self) -> bool {
        self.found.defect | self.found.unknown | self.found.narrow == 0
    }

    fn at(&self, word: u16) -> Option<Raw<'a>> {
        if word == 0 {
            return None;
        }
        Avps::new(self.message.bytes().get(usize::from(word) * 4..)?).next()
    }
}

/// AVPs of one kind.
#[derive(Debug, Clone, Copy)]
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
        assert_eq!(found.count(), 5);
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
        assert_eq!(found.count(), 4);
    }

    #[test]
    fn a_mask_has_places() {
        let all = Mask::from_iter((1..=100).filter_map(AvpId::from_index));
        assert_eq!(all.wanted().len(), SLOTS);
        assert!(all.contains(AvpId(63)) && !all.contains(AvpId(64)));
    }
}
