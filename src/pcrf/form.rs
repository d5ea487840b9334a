//! The byte form of records: numbers in LEB128, hashes in 8 bytes, byte strings behind their length.

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

/// Appends a number of which all bits count, as those of hashes do.
pub(crate) fn fixed(out: &mut Vec<u8>, value: u64) {
    out.extend_from_slice(&value.to_le_bytes());
}

/// Appends a number that need not be there.
pub(crate) fn option(out: &mut Vec<u8>, value: Option<u64>) {
    out.push(u8::from(value.is_some()));
    if let Some(value) = value {
        number(out, value);
    }
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

    #[inline]
    pub(crate) fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    #[inline]
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

    pub(crate) fn narrow(&mut self) -> Option<u32> {
        u32::try_from(self.number()?).ok()
    }

    pub(crate) fn fixed(&mut self) -> Option<u64> {
        let (head, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*head))
    }

    #[expect(
        clippy::option_option,
        reason = "the outer one says that the form is damaged"
    )]
    pub(crate) fn option(&mut self) -> Option<Option<u64>> {
        match self.byte()? {
            0 => Some(None),
            1 => self.number().map(Some),
            _ => None,
        }
    }

    pub(crate) fn signed(&mut self) -> Option<i64> {
        let raw = self.number()?;
        Some((raw >> 1) as i64 ^ -((raw & 1) as i64))
    }

    #[inline]
    pub(crate) fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        let (value, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(value)
    }

    /// A list behind its length, whose entries are read one by one.
    pub(crate) fn list<T>(
        &mut self,
        mut entry: impl FnMut(&mut Self) -> Option<T>,
    ) -> Option<Vec<T>> {
        let count = usize::try_from(self.number()?).ok()?;
        // The length may lie: room is made for what can really be there.
        let mut list = Vec::with_capacity(count.min(self.0.len()));
        for _ in 0..count {
            list.push(entry(self)?);
        }
        Some(list)
    }

    /// What was not read yet.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.0
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
        option(&mut out, None);
        option(&mut out, Some(300));
        fixed(&mut out, 1 << 63);
        let mut reader = Reader::new(&out);
        for value in [0, 127, 128, u64::MAX] {
            assert_eq!(reader.number(), Some(value));
        }
        for value in [0, -1, 1, i64::MIN, i64::MAX] {
            assert_eq!(reader.signed(), Some(value));
        }
        assert_eq!(reader.bytes(), Some(&b"mk-gold"[..]));
        assert_eq!(reader.option(), Some(None));
        assert_eq!(reader.option(), Some(Some(300)));
        assert_eq!(reader.fixed(), Some(1 << 63));
        assert!(reader.is_empty());
        assert_eq!(reader.number(), None);
    }

    #[test]
    fn cut_bytes_are_none() {
        assert_eq!(Reader::new(&[5, 1, 2]).bytes(), None);
        assert_eq!(Reader::new(&[0xff; 11]).number(), None);
        assert_eq!(Reader::new(&[0; 7]).fixed(), None);
        assert_eq!(Reader::new(&[2, 1]).option(), None);
        // A length that lies takes no memory.
        let lie = [0xff, 0xff, 0xff, 0xff, 0x7f, 1];
        assert_eq!(Reader::new(&lie).list(Reader::byte), None);
    }
}
