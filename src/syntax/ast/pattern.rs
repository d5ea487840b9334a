//! The order of extensions inside a context and which spellings are the same extension.
//!
//! The elements themselves are cut in [`crate::base::pattern`], by hand: one pass, no nesting.

use std::cmp::Ordering;

use crate::base::symbol::stable_hasher;

pub use crate::base::pattern::{
    ByteSet, CHANNEL_EXTEN, Element, Elements, elements, is_pattern, parting, undash,
};

const DOT: u32 = 0x1_8000;
const BANG: u32 = 0x2_8000;
const END: u32 = 0x3_0000;
const BROKEN: u32 = 0x4_0000;

/// Sorts extensions as Asterisk tries them; equal keys are one extension for Asterisk.
///
/// Non-patterns come first, by signed bytes without dashes. Patterns go position by position: fewer characters
/// first, then the lower first character, then the set with the lower members; `.`, `!`, the end of the
/// pattern and a broken set come last, in this order. Of one extension the entries with a caller-id
/// condition come first, by the same rule (observed with Asterisk master 2026-08).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ExtensionKey {
    exten: Packed,
    cid: Option<Box<Packed>>,
}

impl ExtensionKey {
    /// The key of an extension and its caller-id condition, both as listed.
    pub fn new(exten: &[u8], cid: Option<&[u8]>) -> Self {
        Self {
            exten: Packed::new(exten),
            cid: cid.map(|cid| Box::new(Packed::new(cid))),
        }
    }

    /// A hash of the key, the same in each run.
    pub fn fingerprint(&self) -> u64 {
        let head = self.exten.head;
        let product = u128::from(head as u64 ^ 0x9E37_79B9_7F4A_7C15)
            * u128::from((head >> 64) as u64 ^ 0xD6E8_FEB8_6659_FD93);
        let mut hash = product as u64 ^ (product >> 64) as u64;
        if !self.exten.rest.is_empty() || self.cid.is_some() {
            hash ^= stable_hasher().hash_one(self);
        }
        hash ^ hash >> 29
    }
}

impl Ord for ExtensionKey {
    fn cmp(&self, other: &Self) -> Ordering {
        self.exten
            .cmp(&other.exten)
            .then_with(|| match (&self.cid, &other.cid) {
                (Some(a), Some(b)) => a.cmp(b),
                (a, b) => a.is_none().cmp(&b.is_none()),
            })
    }
}

impl PartialOrd for ExtensionKey {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A byte string whose plain byte order is Asterisk's order. The first 16 bytes are kept as a number, so
/// that sorting seldom follows a pointer and short literals need no allocation.
///
/// Field order is comparison order; `len` decides only between a text and its own zero padding.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Packed {
    head: u128,
    rest: Box<[u8]>,
    len: u32,
}

impl Packed {
    fn new(exten: &[u8]) -> Self {
        if is_pattern(exten) {
            return Self::pack(&pattern_bytes(exten));
        }
        if exten.len() < 15 && !exten.contains(&b'-') {
            return Self::pack_short(exten);
        }
        let mut bytes = Vec::with_capacity(exten.len() + 2);
        bytes.push(0);
        bytes.extend(exten.iter().filter(|&&b| b != b'-').map(|&b| signed(b)));
        bytes.push(signed(0));
        Self::pack(&bytes)
    }

    /// A literal of at most 14 bytes; the first byte, 0, says literal.
    fn pack_short(exten: &[u8]) -> Self {
        let mut head = [0; 16];
        let ended = exten.iter().chain(&[0]);
        for (slot, byte) in head.iter_mut().skip(1).zip(ended) {
            *slot = signed(*byte);
        }
        Self {
            head: u128::from_be_bytes(head),
            rest: Box::default(),
            len: exten.len() as u32 + 2,
        }
    }

    fn pack(bytes: &[u8]) -> Self {
        let mut head = [0; 16];
        for (slot, byte) in head.iter_mut().zip(bytes) {
            *slot = *byte;
        }
        Self {
            head: u128::from_be_bytes(head),
            rest: bytes.get(16..).unwrap_or(&[]).into(),
            len: bytes.len() as u32,
        }
    }
}

/// Literals are compared as signed characters up to their NUL, as in C: bytes from 0x80 come before the end of a
/// text, and that before all others.
fn signed(byte: u8) -> u8 {
    byte ^ 0x80
}

fn pattern_bytes(exten: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(16 + exten.len() * 8);
    bytes.push(1);
    let put = |bytes: &mut Vec<u8>, value: u32| {
        bytes.extend(value.to_be_bytes().iter().skip(1));
    };
    for element in elements(exten) {
        match element {
            Element::Literal(byte) => put(&mut bytes, 0x100 | u32::from(byte)),
            Element::Class(set) => {
                // Sets of one size and first member have lists of one length, so the bytes stay in step.
                let mut members = set.members();
                let first = members.next().unwrap_or(0);
                put(&mut bytes, (set.len() as u32) << 8 | u32::from(first));
                bytes.extend(members);
            }
            Element::Dot => put(&mut bytes, DOT),
            Element::Bang => put(&mut bytes, BANG),
            Element::Broken => put(&mut bytes, BROKEN),
        }
    }
    put(&mut bytes, END);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asterisks_order() {
        let order = [
            "", "1", "12", "12-3", "124", "_12X", "_1X2", "_1X5X", "_1XX5", "_1XXX", "_1.",
            "_[45]XX", "_[1-3]X", "_[2-4]X", "_[2-5]XX", "_NXX", "_ZXX", "_XX", "_X.", "_X!", "_X",
            "_.", "_!", "_", "_[1",
        ];
        let mut keys: Vec<_> = order
            .iter()
            .map(|e| (ExtensionKey::new(e.as_bytes(), None), *e))
            .collect();
        keys.reverse();
        keys.sort();
        let sorted: Vec<_> = keys.iter().map(|(_, e)| *e).collect();
        assert_eq!(sorted, order);
    }

    #[test]
    fn literals_are_compared_as_signed_characters() {
        let order: [&[u8]; 6] = [
            b"\xfc",
            b"1\xfc",
            b"1",
            b"1000000000000\xfc",
            b"1000000000000",
            b"10000000000000000\xfc",
        ];
        let keys: Vec<_> = order.iter().map(|e| ExtensionKey::new(e, None)).collect();
        assert!(keys.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn aliases_are_equal_and_callers_come_first() {
        let key = |e: &str, c: Option<&str>| ExtensionKey::new(e.as_bytes(), c.map(str::as_bytes));
        for (a, b) in [
            ("_[1-3]XX", "_[123]xX"),
            ("_NX", "_nX"),
            ("_XXX", "_[0-9]X-X"),
            ("12-3", "123"),
            ("_1[]", "_[1]"),
        ] {
            assert_eq!(key(a, None), key(b, None), "{a} {b}");
        }
        assert_ne!(key("_X.a", None), key("_X.b", None));
        let mut all = [
            key("2", None),
            key("2", Some("_5.")),
            key("2", Some("_5X")),
            key("2", Some("")),
            key("2", Some("55")),
        ];
        all.sort();
        assert_eq!(
            all,
            [
                key("2", Some("")),
                key("2", Some("55")),
                key("2", Some("_5X")),
                key("2", Some("_5.")),
                key("2", None)
            ]
        );
    }
}
