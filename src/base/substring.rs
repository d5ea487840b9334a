//! Offsets and lengths of `${name:offset:length}`, in bytes.

use crate::base::scan::int;

/// The offset and length behind the first colon of a `${ }`, as `scanf("%d:%d")` reads them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// From the start, or from the end when negative.
    pub offset: i32,
    /// At most that many bytes; negative drops bytes at the end; `None` = all.
    pub length: Option<i32>,
}

impl Cut {
    /// Reads `offset[:length]`. What cannot be read is offset 0 or the whole length.
    pub fn parse(text: &[u8]) -> Self {
        let Some((offset, rest)) = int(text) else {
            return Self {
                offset: 0,
                length: None,
            };
        };
        let length = rest
            .strip_prefix(b":")
            .and_then(int)
            .map(|(length, _)| length);
        Self { offset, length }
    }

    /// Cuts a value.
    pub fn apply<'a>(&self, value: &'a [u8]) -> &'a [u8] {
        let size = value.len() as i64;
        let offset = i64::from(self.offset);
        let start = if offset < 0 {
            (size + offset).max(0)
        } else {
            offset.min(size)
        };
        let rest = value.get(start as usize..).unwrap_or(&[]);
        match self.length {
            None => rest,
            Some(length) if length >= 0 => rest.get(..length as usize).unwrap_or(rest),
            Some(length) => {
                let keep = rest.len() as i64 + i64::from(length);
                usize::try_from(keep)
                    .ok()
                    .and_then(|keep| rest.get(..keep))
                    .unwrap_or(&[])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(value: &str, text: &str) -> String {
        String::from_utf8(Cut::parse(text.as_bytes()).apply(value.as_bytes()).to_vec()).unwrap()
    }

    #[test]
    fn offsets_and_lengths() {
        for (text, expected) in [
            ("2:-2", "cdef"),
            ("-4:-1", "efg"),
            ("5:-8", ""),
            (":3", "abcdefgh"),
            ("2 :3", "cdefgh"),
            ("0:3", "abc"),
            ("-20:3", "abc"),
            ("9", ""),
            (" +1:2", "bc"),
        ] {
            assert_eq!(cut("abcdefgh", text), expected, "{text}");
        }
    }
}
