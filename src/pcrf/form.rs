//! The byte form of records: numbers in LEB128, byte strings behind their length.

/// Appends a number.
pub(crate) fn number(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Appends a number that may be negative: small ones of either sign are short.
pub(crate) fn signed(out: &mut Vec<u8>, value: i64) {
    number(out, ((value << 1) ^ (value >> 63)) as u64);
}

/// Appends a byte string.
pub(crate) fn bytes(out: &mut Vec<u8>, value: &[u8]) {
    number(out, value.len() as u64);
    out.extend_from_slice(value);
}

/// Reads what the functions above wrote; every method gives `None` where the bytes end too early or are none of ours.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    pub(crate) fn number(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    pub(crate) fn signed(&mut self) -> Option<i64> {
        let raw = self.number()?;
        Some((raw >> 1) as i64 ^ -((raw & 1) as i64))
    }

    pub(crate) fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        let (value, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut out = Vec::new();
        for value in [0, 127, 128, u64::MAX] {
            number(&mut out, value);
        }
        for value in [0, -1, 1, i64::MIN, i64::MAX] {
            signed(&mut out, value);
        }
        bytes(&mut out, b"mk-gold");
        let mut reader = Reader::new(&out);
        for value in [0, 127, 128, u64::MAX] {
            assert_eq!(reader.number(), Some(value));
        }
        for value in [0, -1, 1, i64::MIN, i64::MAX] {
            assert_eq!(reader.signed(), Some(value));
        }
        assert_eq!(reader.bytes(), Some(&b"mk-gold"[..]));
        assert!(reader.is_empty());
        assert_eq!(reader.number(), None);
    }

    #[test]
    fn cut_bytes_are_none() {
        assert_eq!(Reader::new(&[5, 1, 2]).bytes(), None);
        assert_eq!(Reader::new(&[0xff; 11]).number(), None);
    }
}
