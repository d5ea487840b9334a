//! What a pass found: the AVPs that a mask wants, and what was odd.

use super::{DEFECT, Mask, Places, SINK};
use crate::pcrf::diameter::AvpId;
use crate::pcrf::diameter::message::{Avps, Defect, HEADER, Message, Raw};

/// The AVPs of one message that a mask wants; values are slices of the received bytes.
#[derive(Debug, Clone)]
pub struct Selected<'a, 'm> {
    pub(super) message: Message<'a>,
    pub(super) mask: &'m Mask,
    pub(super) places: &'m Places,
    pub(super) present: u64,
    pub(super) repeated: u64,
    /// Not 0 where something may be odd.
    pub(super) odd: u32,
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
            let last = self
                .places
                .last
                .get(usize::from(slot))
                .copied()
                .unwrap_or(0);
            (last as usize, true)
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
    pub(in crate::pcrf::diameter) fn lacks(&self, bits: u64) -> bool {
        bits & !self.present != 0
    }

    /// True where the message has one of these AVPs, which must have places, more than once.
    #[inline]
    pub(in crate::pcrf::diameter) fn repeats(&self, bits: u64) -> bool {
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
