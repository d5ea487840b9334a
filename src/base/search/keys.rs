//! Short texts that start alike: a look into a table at each place where one may start, where an automaton would take
//! a step, and wait for memory, for each byte.

/// Texts of at most eight bytes, of two lengths at most.
#[derive(Debug, Clone)]
pub(super) struct Keys {
    tables: Vec<Table>,
    caseless: bool,
}

/// Texts of one length.
#[derive(Debug, Clone)]
struct Table {
    length: usize,
    mask: u64,
    /// Text and its number, or [`NONE`]; at most half of the places are taken.
    slots: Vec<(u64, u32)>,
    shift: u32,
}

const NONE: u32 = u32::MAX;
/// Bytes of a key.
const LONGEST: usize = 8;
/// Lengths that are looked up at each place.
const LENGTHS: usize = 2;

impl Keys {
    /// A table of texts, all different; `None` where they are too long, or of too many lengths.
    pub(super) fn new(texts: &[Vec<u8>], caseless: bool) -> Option<Self> {
        let mut lengths: Vec<usize> = texts.iter().map(Vec::len).collect();
        lengths.sort_unstable();
        lengths.dedup();
        let fits =
            lengths.len() <= LENGTHS && lengths.iter().all(|length| (1..=LONGEST).contains(length));
        if !fits {
            return None;
        }
        let mut tables: Vec<Table> = lengths
            .into_iter()
            .map(|length| {
                let count = texts.iter().filter(|text| text.len() == length).count();
                let bits = (2 * count).next_power_of_two().trailing_zeros().max(1);
                Table {
                    length,
                    mask: u64::MAX >> (8 * (LONGEST - length)),
                    slots: vec![(0, NONE); 1 << bits],
                    shift: u64::BITS - bits,
                }
            })
            .collect();
        for (number, text) in (0..).zip(texts) {
            let key = window(text, caseless);
            let table = tables.iter_mut().find(|table| table.length == text.len())?;
            table.insert(key, number)?;
        }
        Some(Self { tables, caseless })
    }

    /// The texts with which another one begins.
    #[inline]
    pub(super) fn at(&self, text: &[u8], mut found: impl FnMut(u32)) {
        let window = window(text, self.caseless);
        for table in &self.tables {
            if text.len() >= table.length
                && let Some(number) = table.get(window & table.mask)
            {
                found(number);
            }
        }
    }
}

impl Table {
    #[inline]
    fn place(&self, key: u64) -> usize {
        (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift) as usize
    }

    /// `None` where the text is there already, but for the case of its letters.
    fn insert(&mut self, key: u64, number: u32) -> Option<()> {
        let mut place = self.place(key);
        loop {
            let slot = self.slots.get_mut(place)?;
            if slot.1 == NONE {
                *slot = (key, number);
                return Some(());
            }
            if slot.0 == key {
                return None;
            }
            place = (place + 1) % self.slots.len();
        }
    }

    #[inline]
    fn get(&self, key: u64) -> Option<u32> {
        let mut place = self.place(key);
        loop {
            let &(known, number) = self.slots.get(place)?;
            if number == NONE {
                return None;
            }
            if known == key {
                return Some(number);
            }
            place = (place + 1) % self.slots.len();
        }
    }
}

/// The first eight bytes of a text, zeroes behind its end.
#[inline]
fn window(text: &[u8], caseless: bool) -> u64 {
    let bytes = if let Some(chunk) = text.first_chunk() {
        *chunk
    } else {
        let mut chunk = [0; LONGEST];
        for (place, byte) in chunk.iter_mut().zip(text) {
            *place = *byte;
        }
        chunk
    };
    let window = u64::from_le_bytes(bytes);
    if caseless { lower(window) } else { window }
}

/// Eight bytes with letters of ASCII in lower case.
#[inline]
fn lower(bytes: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x80 * ONES;
    let low = bytes & !HIGH;
    // The high bit of each byte says whether that is at least `A`, and above `Z`.
    let from_a = low + (0x80 - 0x41) * ONES;
    let above_z = low + (0x7f - 0x5a) * ONES;
    let upper = from_a & !above_z & !bytes & HIGH;
    bytes | upper >> 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_lowered_as_by_the_standard_library() {
        for byte in 0..=255_u8 {
            let word = [byte, b'A', 0xff, byte, b'Z', b'@', b'[', byte];
            let lowered = lower(u64::from_le_bytes(word)).to_le_bytes();
            assert_eq!(lowered, word.map(|byte| byte.to_ascii_lowercase()));
        }
    }

    #[test]
    fn texts_are_found_by_how_another_begins() {
        let texts: Vec<Vec<u8>> = (0..300)
            .map(|n| format!("/* {n:03}").into_bytes())
            .collect();
        let keys = Keys::new(&texts, true).unwrap();
        for (number, text) in (0..).zip(&texts) {
            for tail in ["", " */", "x"] {
                let whole = [text.as_slice(), tail.as_bytes()].concat();
                let mut found = Vec::new();
                keys.at(&whole, |number| found.push(number));
                assert_eq!(found, [number]);
            }
            keys.at(text.get(1..).unwrap(), |_| unreachable!());
        }
        let mixed = [b"ab".to_vec(), b"abc".to_vec(), b"xy\0".to_vec()];
        let keys = Keys::new(&mixed, false).unwrap();
        for (text, expected) in [
            ("abcd", vec![0, 1]),
            ("ab", vec![0]),
            ("xy", vec![]),
            ("Abc", vec![]),
        ] {
            let mut found = Vec::new();
            keys.at(text.as_bytes(), |number| found.push(number));
            assert_eq!(found, expected, "{text}");
        }
        let long = [b"123456789".to_vec()];
        assert!(Keys::new(&long, false).is_none());
    }
}
