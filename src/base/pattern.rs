//! Extension patterns cut into elements, and one pattern matched against one string.
//!
//! Lives below both the loader, which orders extensions, and the matcher, which must read a pattern
//! at run time when somebody dials a string that begins with `_`. Cut by hand: the language is a
//! single pass without nesting, and a set may hold any byte. Element meanings observed with
//! Asterisk master 2026-08.

use std::borrow::Cow;
use std::fmt;

/// Longest extension that fits on a channel, in bytes. The channel cuts longer ones; the matcher does not.
pub const CHANNEL_EXTEN: usize = 79;

/// A set of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ByteSet([u64; 4]);

impl ByteSet {
    /// The bytes from `first` to `last`, both included; empty if `first > last`.
    pub const fn span(first: u8, last: u8) -> Self {
        let mut set = Self([0; 4]);
        let mut byte = first as u16;
        while byte <= last as u16 {
            set = set.with(byte as u8);
            byte += 1;
        }
        set
    }

    /// This set and one more byte.
    #[must_use]
    pub const fn with(self, byte: u8) -> Self {
        let [a, b, c, d] = self.0;
        let bit = 1u64 << (byte & 63);
        match byte >> 6 {
            0 => Self([a | bit, b, c, d]),
            1 => Self([a, b | bit, c, d]),
            2 => Self([a, b, c | bit, d]),
            _ => Self([a, b, c, d | bit]),
        }
    }

    /// Whether the byte is in the set.
    #[inline]
    pub fn contains(&self, byte: u8) -> bool {
        self.0
            .get(usize::from(byte >> 6))
            .is_some_and(|word| word >> (byte & 63) & 1 == 1)
    }

    /// How many bytes are in the set.
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.0 == [0; 4]
    }

    /// The members in ascending order.
    pub fn members(&self) -> impl Iterator<Item = u8> + '_ {
        self.0.iter().enumerate().flat_map(|(i, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let bit = rest.trailing_zeros();
                rest &= rest.checked_sub(1)?;
                Some((i as u8) << 6 | bit as u8)
            })
        })
    }
}

/// One element of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Element {
    /// This byte. A set of one byte is the same thing.
    Literal(u8),
    /// One of at least two bytes.
    Class(ByteSet),
    /// `.`: one or more of anything, and the pattern is over.
    Dot,
    /// `!`: nothing or anything, and the pattern is over.
    Bang,
    /// A `[` without its `]`: never matches.
    Broken,
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Element::Literal(byte) => write!(f, "{}", byte.escape_ascii()),
            Element::Class(set) if *set == DIGITS => f.write_str("X"),
            Element::Class(set) if *set == Z => f.write_str("Z"),
            Element::Class(set) if *set == N => f.write_str("N"),
            Element::Class(set) => {
                let members: Vec<u8> = set.members().collect();
                write!(f, "[{}]", members.escape_ascii())
            }
            Element::Dot => f.write_str("."),
            Element::Bang => f.write_str("!"),
            Element::Broken => f.write_str("["),
        }
    }
}

/// `X`.
pub const DIGITS: ByteSet = ByteSet::span(b'0', b'9');
const Z: ByteSet = ByteSet::span(b'1', b'9');
const N: ByteSet = ByteSet::span(b'2', b'9');

/// Whether an extension is a pattern.
#[inline]
pub fn is_pattern(exten: &[u8]) -> bool {
    exten.first() == Some(&b'_')
}

/// The elements of a pattern: see [`elements`].
#[derive(Debug, Clone)]
pub struct Elements<'a> {
    rest: &'a [u8],
}

/// The elements of a pattern given with its leading `_`; none for a literal extension.
pub fn elements(exten: &[u8]) -> Elements<'_> {
    Elements {
        rest: exten.strip_prefix(b"_").unwrap_or(&[]),
    }
}

impl Iterator for Elements<'_> {
    type Item = Element;

    fn next(&mut self) -> Option<Element> {
        loop {
            let (&first, rest) = self.rest.split_first()?;
            self.rest = rest;
            return Some(match first {
                b'-' => continue,
                b'/' => {
                    self.rest = &[];
                    return None;
                }
                b'X' | b'x' => Element::Class(DIGITS),
                b'Z' | b'z' => Element::Class(Z),
                b'N' | b'n' => Element::Class(N),
                b'.' => Element::Dot,
                b'!' => Element::Bang,
                b'[' => {
                    let Some(end) = rest.iter().position(|&b| b == b']') else {
                        self.rest = &[];
                        return Some(Element::Broken);
                    };
                    let (inside, after) = rest.split_at_checked(end)?;
                    self.rest = after.get(1..).unwrap_or(&[]);
                    let set = set(inside);
                    match set.len() {
                        // An empty set is no element at all.
                        0 => continue,
                        1 => Element::Literal(set.members().next()?),
                        _ => Element::Class(set),
                    }
                }
                byte => Element::Literal(byte),
            });
        }
    }
}

/// The bytes of a set's inside; a `-` that does not stand between two bytes is a member.
fn set(mut inside: &[u8]) -> ByteSet {
    let mut set = ByteSet::default();
    loop {
        match inside {
            [] => return set,
            [first, b'-', last, rest @ ..] => {
                for byte in *first..=*last {
                    set = set.with(byte);
                }
                inside = rest;
            }
            [byte, rest @ ..] => {
                set = set.with(*byte);
                inside = rest;
            }
        }
    }
}

/// A string without the dashes that matching ignores: all of them, except inside the sets of a string
/// that begins with `_`.
pub fn undash(text: &[u8]) -> Cow<'_, [u8]> {
    if !text.contains(&b'-') {
        return Cow::Borrowed(text);
    }
    let sets = is_pattern(text);
    let mut inside = false;
    Cow::Owned(
        text.iter()
            .copied()
            .filter(|&byte| {
                match byte {
                    b'[' if sets => inside = true,
                    b']' => inside = false,
                    b'-' => return inside,
                    _ => {}
                }
                true
            })
            .collect(),
    )
}

/// Whether two literal extensions are equal when dashes are ignored.
#[inline]
pub fn same_literal(listed: &[u8], undashed: &[u8]) -> bool {
    listed == undashed
        || (listed.len() > undashed.len()
            && listed.iter().filter(|&&b| b != b'-').eq(undashed.iter()))
}

/// Whether two patterns are the same extension.
pub fn same_pattern(a: &[u8], b: &[u8]) -> bool {
    elements(a).eq(elements(b))
}

/// Position (from 1, counted in elements) and elements at which two patterns part; `None` element = end.
/// `None` if they are the same extension.
pub fn parting(a: &[u8], b: &[u8]) -> Option<(usize, Option<Element>, Option<Element>)> {
    let (mut a, mut b) = (elements(a), elements(b));
    for position in 1.. {
        match (a.next(), b.next()) {
            (None, None) => return None,
            (x, y) if x == y => {}
            (x, y) => return Some((position, x, y)),
        }
    }
    None
}

/// How far a string satisfies an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fit {
    /// It cannot be or become a match.
    Never,
    /// It is a match and no longer string is looked for.
    Exact,
    /// It is a match through `.`: longer strings match too.
    Open,
    /// It is a match through `!`: an early one that ends waiting for digits.
    Early,
    /// Only a longer string can match.
    Longer,
}

impl Fit {
    /// Whether it is a match now.
    #[inline]
    pub fn is_match(self) -> bool {
        matches!(self, Fit::Exact | Fit::Open | Fit::Early)
    }
}

/// Fits a string (without dashes) to the elements that are left.
pub fn fit_elements(mut elements: impl Iterator<Item = Element>, dialled: &[u8]) -> Fit {
    let mut rest = dialled;
    loop {
        let Some((&byte, after)) = rest.split_first() else {
            return match elements.next() {
                None => Fit::Exact,
                Some(Element::Bang) => Fit::Early,
                Some(_) => Fit::Longer,
            };
        };
        match elements.next() {
            Some(Element::Literal(b)) if b == byte => {}
            Some(Element::Class(set)) if set.contains(byte) => {}
            Some(Element::Dot) => return Fit::Open,
            Some(Element::Bang) => return Fit::Early,
            _ => return Fit::Never,
        }
        rest = after;
    }
}

/// Fits a string (without dashes, see [`undash`]) to an extension as listed.
pub fn fit(exten: &[u8], dialled: &[u8]) -> Fit {
    if is_pattern(exten) {
        return fit_elements(elements(exten), dialled);
    }
    let mut listed = exten.iter().filter(|&&b| b != b'-');
    for byte in dialled {
        if listed.next() != Some(byte) {
            return Fit::Never;
        }
    }
    if listed.next().is_none() {
        Fit::Exact
    } else {
        Fit::Longer
    }
}

/// Whether a caller number satisfies a caller-id condition. An empty condition wants an absent or empty
/// number; no other condition accepts one, not even `_!`.
pub fn caller_fits(condition: &[u8], number: Option<&[u8]>) -> bool {
    match number {
        None | Some([]) => condition.is_empty(),
        Some(_) if condition.is_empty() => false,
        Some(number) => {
            (is_pattern(number) && is_pattern(condition) && same_pattern(condition, number))
                || fit(condition, &undash(number)).is_match()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_ranges_dashes_and_ends() {
        let all: Vec<_> = elements(b"_1-[a-c-][5][]N.").collect();
        assert_eq!(
            all,
            [
                Element::Literal(b'1'),
                Element::Class(ByteSet::span(b'a', b'c').with(b'-')),
                Element::Literal(b'5'),
                Element::Class(N),
                Element::Dot
            ]
        );
        assert_eq!(elements(b"_1[2").last(), Some(Element::Broken));
        assert_eq!(fit(b"_1[2", b"1"), Fit::Longer);
        assert_eq!(fit(b"_1[2", b"12"), Fit::Never);
        assert_eq!(fit(b"_1!", b"1"), Fit::Early);
        assert_eq!(fit(b"_1.", b"1"), Fit::Longer);
        assert_eq!(fit(b"5-5", b"55"), Fit::Exact);
        assert_eq!(&*undash(b"_1-[2-3]-"), b"_1[2-3]");
        assert_eq!(&*undash(b"1-[2-3]"), b"1[23]");
    }

    #[test]
    fn callers_without_a_number_satisfy_only_the_empty_condition() {
        assert!(caller_fits(b"", None) && caller_fits(b"", Some(b"")));
        assert!(!caller_fits(b"_!", None) && !caller_fits(b"_!", Some(b"")));
        assert!(!caller_fits(b"", Some(b"1")) && caller_fits(b"12", Some(b"1-2")));
    }
}
