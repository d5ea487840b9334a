//! What an AVP is called, and how its bytes are read: RFC 6733, RFC 4006/8506, RFC 7155, 3GPP TS 29.212, 29.214, 29.229
//! and 29.061.

mod table;
mod text;
mod values;

use std::sync::LazyLock;

pub use table::{ROWS, UNKNOWN, id};
pub(super) use text::{TIME_OFFSET, unix_seconds};
pub use values::Names;

use super::TGPP;

/// The place of an AVP in the dictionary: dense, so that tables can be indexed by it. 0 is [`AvpId::UNKNOWN`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AvpId(pub(super) u16);

impl AvpId {
    /// No AVP of the dictionary.
    pub const UNKNOWN: AvpId = AvpId(0);

    /// The place as an index, below [`COUNT`].
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// True for groups.
    pub fn is_group(self) -> bool {
        WIDTHS
            .get(self.index())
            .is_some_and(|width| *width == GROUP)
    }

    /// The AVP at an index.
    pub fn from_index(index: usize) -> Option<AvpId> {
        (index > 0 && index < COUNT).then_some(AvpId(index as u16))
    }

    /// The row of the dictionary.
    pub fn avp(self) -> &'static Avp {
        ROWS.get(self.index()).unwrap_or(&UNKNOWN)
    }

    /// The name as RFC or TS spell it, without the mark of a vendor.
    pub fn name(self) -> &'static str {
        self.avp().name
    }

    /// The code of the AVP.
    pub fn code(self) -> u32 {
        self.avp().code
    }

    /// The vendor, 0 for the IETF.
    pub fn vendor(self) -> u32 {
        self.avp().vendor
    }
}

/// Number of rows, the unknown one included.
pub const COUNT: usize = ROWS.len();

/// How the bytes of a value are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// 4 bytes, unsigned.
    Unsigned32,
    /// 8 bytes, unsigned.
    Unsigned64,
    /// 4 bytes, signed.
    Integer32,
    /// 8 bytes, signed.
    Integer64,
    /// 4 bytes with named values.
    Enumerated(&'static Names),
    /// Text.
    Utf8,
    /// A host or realm name.
    Identity,
    /// `aaa://host:port`.
    Uri,
    /// A filter of RFC 6733 §4.3.1, as text.
    Filter,
    /// Bytes that are nearly always text, as names of rules are.
    Octets,
    /// Bytes that are shown in hexadecimal digits.
    Opaque,
    /// 4 bytes of an IPv4 address.
    Ipv4,
    /// A reserved byte, the length of the prefix, and up to 16 bytes.
    Ipv6Prefix,
    /// Two bytes of address family, and the address.
    Address,
    /// Seconds since 1900, 4 bytes, RFC 6733 §4.3.1.
    Time,
    /// AVPs; those that are named for it.
    Grouped(&'static [AvpId]),
}

impl Kind {
    /// The only length that a value of this kind may have, in bytes; 0 where any is possible.
    pub const fn width(self) -> u8 {
        match self {
            Kind::Unsigned32 | Kind::Integer32 | Kind::Enumerated(_) | Kind::Time => 4,
            Kind::Unsigned64 | Kind::Integer64 => 8,
            _ => 0,
        }
    }

    /// The name of a value, where values have names.
    pub fn value_name(self, value: u32) -> Option<&'static str> {
        match self {
            Kind::Enumerated(names) => names
                .iter()
                .find(|(known, _)| *known == value)
                .map(|(_, name)| *name),
            _ => None,
        }
    }

    /// The value of a name, in any case.
    pub fn value_by_name(self, name: &[u8]) -> Option<u32> {
        match self {
            Kind::Enumerated(names) => names
                .iter()
                .find(|(_, known)| known.as_bytes().eq_ignore_ascii_case(name))
                .map(|(value, _)| *value),
            _ => None,
        }
    }
}

/// The M flag when we send; received AVPs may have it or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mandatory {
    /// Set.
    Must,
    /// Not set, and we leave it out too.
    May,
    /// Not set.
    MustNot,
}

/// A row of the dictionary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Avp {
    /// Its place.
    pub id: AvpId,
    /// The name as RFC or TS spell it.
    pub name: &'static str,
    /// The code.
    pub code: u32,
    /// The vendor, 0 for the IETF.
    pub vendor: u32,
    /// How its value is read.
    pub kind: Kind,
    /// Its M flag.
    pub mandatory: Mandatory,
}

impl Avp {
    /// Finds an AVP by its name, in any case.
    pub fn by_name(name: &[u8]) -> Option<AvpId> {
        /// Names in lower case, in order.
        static NAMES: LazyLock<Vec<(Vec<u8>, AvpId)>> = LazyLock::new(|| {
            let mut names: Vec<_> = ROWS
                .iter()
                .skip(1)
                .map(|row| (row.name.as_bytes().to_ascii_lowercase(), row.id))
                .collect();
            names.sort();
            names
        });
        let name = name.to_ascii_lowercase();
        let found = NAMES.binary_search_by(|(known, _)| known.as_slice().cmp(&name));
        found
            .ok()
            .and_then(|at| NAMES.get(at))
            .map(|(_, found)| *found)
    }

    /// Finds an AVP by code and vendor, where vendor 0 is the IETF.
    #[inline]
    pub fn by_code(code: u32, vendor: u32) -> Option<AvpId> {
        let found = place(code, vendor);
        (found != 0).then_some(AvpId(u16::from(found)))
    }

    /// All AVPs, in the order of their places.
    pub fn all() -> impl Iterator<Item = &'static Avp> {
        ROWS.iter().skip(1)
    }

    /// The flags with which we send it.
    pub const fn flags(&self) -> u8 {
        let vendor = if self.vendor == 0 { 0 } else { 0x80 };
        let mandatory = if matches!(self.mandatory, Mandatory::Must) {
            0x40
        } else {
            0
        };
        vendor | mandatory
    }
}

/// Codes of one vendor that the dense table has room for.
const ROOM: usize = 4096;

/// Places by code: the codes of the IETF, those of 3GPP, and nothing for other vendors.
static PLACES: [u8; 4 * ROOM] = places();

/// In [`WIDTHS`], the mark of groups; no value has one byte.
pub(super) const GROUP: u8 = 1;

/// Expected length by place; the unknown AVP and those of any length have 0, groups have [`GROUP`].
pub(super) static WIDTHS: [u8; 256] = widths();

#[expect(
    clippy::indexing_slicing,
    reason = "evaluated by the compiler, where a wrong index is an error"
)]
const fn places() -> [u8; 4 * ROOM] {
    const { assert!(COUNT <= 256, "places are bytes") };
    let mut places = [0; 4 * ROOM];
    let mut row = 1;
    while row < COUNT {
        let avp = &ROWS[row];
        assert!((avp.code as usize) < ROOM - 1, "a code beyond the table");
        assert!(avp.vendor == 0 || avp.vendor == TGPP, "one foreign vendor");
        let at = avp.code as usize + if avp.vendor == 0 { 0 } else { ROOM };
        assert!(places[at] == 0, "an AVP twice");
        places[at] = row as u8;
        row += 1;
    }
    places
}

#[expect(
    clippy::indexing_slicing,
    reason = "evaluated by the compiler, where a wrong index is an error"
)]
const fn widths() -> [u8; 256] {
    let mut widths = [0; 256];
    let mut row = 0;
    while row < COUNT {
        widths[row] = match ROWS[row].kind {
            Kind::Grouped(_) => GROUP,
            kind => kind.width(),
        };
        row += 1;
    }
    widths
}

/// Codes below this are found by [`place_of_known`].
pub(super) const KNOWN: u32 = ROOM as u32;

/// As [`place`], for a code below [`KNOWN`] without vendor (`foreign` is 0) or of 3GPP (all ones).
#[inline]
pub(super) fn place_of_known(code: u32, foreign: u32) -> u8 {
    let at = (foreign & KNOWN) as usize + code as usize;
    PLACES.get(at).copied().unwrap_or(0)
}

/// The place of an AVP, 0 for one that the dictionary lacks; without a branch.
#[inline]
pub(super) fn place(code: u32, vendor: u32) -> u8 {
    let base = (2 - 2 * usize::from(vendor == 0) - usize::from(vendor == TGPP)) * ROOM;
    // The last code of each range is nobody's.
    let at = base + (code as usize).min(ROOM - 1);
    PLACES.get(at & (4 * ROOM - 1)).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found_by_name_and_by_code() {
        for avp in Avp::all() {
            assert_eq!(Avp::by_code(avp.code, avp.vendor), Some(avp.id));
            assert_eq!(
                Avp::by_name(avp.name.as_bytes()),
                Some(avp.id),
                "{}",
                avp.name
            );
            assert_eq!(AvpId::from_index(avp.id.index()), Some(avp.id));
        }
        assert_eq!(Avp::by_name(b"event-trigger"), Some(id::EVENT_TRIGGER));
        assert_eq!(Avp::by_code(1006, 0), None);
        assert_eq!(Avp::by_code(263, TGPP), None);
        assert_eq!(Avp::by_code(263, 9), None);
        assert_eq!(Avp::by_code(u32::MAX, 0), None);
        assert_eq!(Avp::by_code(263 + 4096, 0), None);
    }

    #[test]
    fn values_have_names() {
        let trigger = id::EVENT_TRIGGER.avp().kind;
        assert_eq!(trigger.value_name(33), Some("USAGE_REPORT"));
        assert_eq!(trigger.value_by_name(b"usage_report"), Some(33));
        assert_eq!(trigger.value_name(9999), None);
        assert_eq!(id::RAT_TYPE.avp().kind.value_name(1004), Some("EUTRAN"));
    }
}
