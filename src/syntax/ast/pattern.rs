//! The order in which Asterisk tries the extensions of a context, and which extensions are the same for it.

use std::cmp::Reverse;

use crate::base::Text;

/// An extension and its caller-id pattern, in Asterisk's order of trying. Equal keys are one extension for
/// Asterisk: `_[1-3]XX` and `_[123]XX`, `12-3` and `123`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExtensionKey {
    exten: Key,
    cid: Cid,
}

/// Non-patterns come before patterns.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Key {
    Literal(Text),
    Pattern(Vec<Element>),
}

/// Entries for some callers come before the one for all.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Cid {
    Only(Key),
    Any,
}

/// One position: first by the number of characters and the smallest of them, then by the set itself, the one with
/// lower members first. A set without gaps is fully described by the first and precedes all others.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Element {
    rank: u32,
    set: Option<Box<Reverse<[u64; 4]>>>,
}

const ONE_OR_MORE: u32 = 0x18000;
const ZERO_OR_MORE: u32 = 0x28000;
const END: u32 = 0x30000;
const BROKEN: u32 = 0x40000;

impl ExtensionKey {
    /// The key of an extension as stored; `cid` is `None` for any caller.
    pub fn new(exten: &[u8], cid: Option<&[u8]>) -> Self {
        Self {
            exten: Key::new(exten),
            cid: cid.map_or(Cid::Any, |cid| Cid::Only(Key::new(cid))),
        }
    }
}

impl Key {
    fn new(text: &[u8]) -> Self {
        match text.strip_prefix(b"_") {
            Some(pattern) => Key::Pattern(elements(pattern)),
            None => Key::Literal(signed(text)),
        }
    }
}

/// Literals are compared as signed characters up to their NUL, as in C: bytes from 0x80 come before all others, and
/// before the end of the text.
fn signed(text: &[u8]) -> Text {
    let mut out: Vec<u8> = text
        .iter()
        .filter(|&&byte| byte != b'-')
        .map(|byte| byte ^ 0x80)
        .collect();
    out.push(0x80);
    Text::from(out)
}

fn elements(mut pattern: &[u8]) -> Vec<Element> {
    let plain = |rank| Element { rank, set: None };
    let range = |first: u8, count: u32| plain(count << 8 | u32::from(first));
    let mut out = Vec::with_capacity(pattern.len() + 1);
    while let Some((&first, rest)) = pattern.split_first() {
        pattern = rest;
        match first {
            b'-' => {}
            b'n' | b'N' => out.push(range(b'2', 8)),
            b'x' | b'X' => out.push(range(b'0', 10)),
            b'z' | b'Z' => out.push(range(b'1', 9)),
            b'.' => out.push(plain(ONE_OR_MORE)),
            b'!' => out.push(plain(ZERO_OR_MORE)),
            b'[' => {
                let Some(end) = rest.iter().position(|&b| b == b']') else {
                    out.push(plain(BROKEN));
                    break;
                };
                let inside = rest.get(..end).unwrap_or_default();
                pattern = rest.get(end + 1..).unwrap_or_default();
                out.extend(set(inside));
            }
            other => out.push(range(other, 1)),
        }
    }
    out.push(plain(END));
    out
}

/// A set of characters; nothing for an empty one.
fn set(mut inside: &[u8]) -> Option<Element> {
    // The lowest character is the highest bit, so that more low members make a larger number.
    let mut bits = [0_u64; 4];
    let mut add = |c: u8| {
        if let Some(word) = bits.get_mut(usize::from(c >> 6)) {
            *word |= 1 << (63 - (c & 63));
        }
    };
    while let Some((&first, rest)) = inside.split_first() {
        if let [b'-', last, rest @ ..] = rest {
            for c in first..=*last {
                add(c);
            }
            inside = rest;
        } else {
            add(first);
            inside = rest;
        }
    }
    let count: u32 = bits.iter().map(|word| word.count_ones()).sum();
    let has = |c: u32| {
        bits.get((c >> 6) as usize)
            .is_some_and(|word| word & 1 << (63 - (c & 63)) != 0)
    };
    let lowest = (0..256).find(|&c| has(c))?;
    let gapless = (lowest..lowest + count).all(has);
    Some(Element {
        rank: count << 8 | lowest,
        set: (!gapless).then(|| Box::new(Reverse(bits))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(exten: &str) -> ExtensionKey {
        ExtensionKey::new(exten.as_bytes(), None)
    }

    #[test]
    fn aliases_are_equal() {
        for (a, b) in [
            ("_[1-3]XX", "_[123]XX"),
            ("_NX", "_n[0-9]"),
            ("12-3", "123"),
            ("_1-X", "_1X"),
        ] {
            assert_eq!(key(a), key(b), "{a} {b}");
        }
        assert_ne!(key("_[2,3]X"), key("_[23]X"));
    }

    #[test]
    fn order() {
        let sorted = [
            "é", "#1", "1é", "1", "10", "a", "_1X", "_[23]X", "_[2,3]X", "_[1-3]X", "_[134]X",
            "_NX", "_ZX", "_X", "_X.", "_.", "_!", "_[",
        ];
        for pair in sorted.windows(2) {
            assert!(key(pair[0]) < key(pair[1]), "{pair:?}");
        }
        let with = |cid: &str| ExtensionKey::new(b"5", Some(cid.as_bytes()));
        assert!(with("") < with("1") && with("1") < with("_X") && with("_X") < key("5"));
    }
}
