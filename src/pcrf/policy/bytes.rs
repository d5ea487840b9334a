//! The byte forms of what a session keeps: numbers big-endian, texts behind their length.

use crate::base::Text;

/// Appends to a byte form.
pub(super) struct Writer<'o>(pub(super) &'o mut Vec<u8>);

impl Writer<'_> {
    pub(super) fn u8(&mut self, value: u8) {
        self.0.push(value);
    }

    pub(super) fn u32(&mut self, value: u32) {
        self.0.extend_from_slice(&value.to_be_bytes());
    }

    pub(super) fn u64(&mut self, value: u64) {
        self.0.extend_from_slice(&value.to_be_bytes());
    }

    /// A length below 255 takes one byte.
    pub(super) fn count(&mut self, count: usize) {
        match u8::try_from(count) {
            Ok(count) if count < u8::MAX => self.u8(count),
            _ => {
                self.u8(u8::MAX);
                self.u32(u32::try_from(count).unwrap_or(u32::MAX));
            }
        }
    }

    pub(super) fn text(&mut self, text: &[u8]) {
        self.count(text.len());
        self.0.extend_from_slice(text);
    }

    pub(super) fn option(&mut self, value: Option<u64>) {
        self.u8(u8::from(value.is_some()));
        if let Some(value) = value {
            self.u64(value);
        }
    }
}

/// Takes a byte form apart; `None` at its end or where it is damaged.
pub(super) struct Reader<'b>(pub(super) &'b [u8]);

impl Reader<'_> {
    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (head, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*head)
    }

    pub(super) fn u8(&mut self) -> Option<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_be_bytes)
    }

    pub(super) fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_be_bytes)
    }

    pub(super) fn count(&mut self) -> Option<usize> {
        match self.u8()? {
            u8::MAX => usize::try_from(self.u32()?).ok(),
            count => Some(usize::from(count)),
        }
    }

    pub(super) fn text(&mut self) -> Option<Text> {
        let count = self.count()?;
        let (text, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(Text::from(text))
    }

    #[expect(
        clippy::option_option,
        reason = "the outer one says that the form is damaged"
    )]
    pub(super) fn option(&mut self) -> Option<Option<u64>> {
        match self.u8()? {
            0 => Some(None),
            1 => self.u64().map(Some),
            _ => None,
        }
    }

    /// A list whose entries are read one by one.
    pub(super) fn list<T>(
        &mut self,
        mut entry: impl FnMut(&mut Self) -> Option<T>,
    ) -> Option<Vec<T>> {
        let count = self.count()?;
        // The length may lie: room is made for what is really there.
        let mut list = Vec::with_capacity(count.min(self.0.len()));
        for _ in 0..count {
            list.push(entry(self)?);
        }
        Some(list)
    }
}
