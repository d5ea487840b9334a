//! `Text`: a byte string, 22 bytes inline or shared. Not UTF-8 by contract: Asterisk values are bytes, and
//! `${x:0:1}` may cut inside a character.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

const INLINE: usize = 22;
/// Texts that are set again get room in steps of this many bytes.
const ROOM: usize = 32;

#[derive(Clone)]
enum Repr {
    Inline {
        len: u8,
        bytes: [u8; INLINE],
    },
    /// The first `len` bytes count, or all of them where there are fewer: what is behind them is room for
    /// [`Text::set`].
    Shared {
        len: u32,
        bytes: Arc<[u8]>,
    },
}

/// A byte string. Copies of a long one share its bytes.
#[derive(Clone)]
pub struct Text(Repr);

impl Text {
    /// Texts of up to so many bytes are kept where they are named.
    pub const INLINE: usize = INLINE;
    /// The empty text.
    pub const EMPTY: Text = Text(Repr::Inline {
        len: 0,
        bytes: [0; INLINE],
    });

    /// The bytes.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            // INVARIANT: len <= INLINE, kept by the only constructor.
            Repr::Inline { len, bytes } => bytes.get(..usize::from(*len)).unwrap_or(&[]),
            Repr::Shared { len, bytes } => bytes.get(..*len as usize).unwrap_or(bytes),
        }
    }

    /// Appends the bytes to a buffer.
    #[inline]
    pub fn append_to(&self, out: &mut Vec<u8>) {
        match &self.0 {
            // A copy of fixed size is a few instructions, one of a length that is only known here a call: the whole
            // place is copied, and what is behind the text cut off again.
            Repr::Inline { len, bytes } => {
                let end = out.len() + usize::from(*len);
                out.extend_from_slice(bytes);
                out.truncate(end);
            }
            Repr::Shared { .. } => out.extend_from_slice(self.as_bytes()),
        }
    }

    /// Becomes the first bytes of a buffer. Where the buffer holds at least [`Text::INLINE`] bytes, a short text is
    /// copied without a call.
    #[inline]
    pub fn set_first(&mut self, buffer: &[u8], len: usize) {
        match buffer.first_chunk() {
            Some(bytes) if len <= INLINE => {
                *self = Text(Repr::Inline {
                    len: len as u8,
                    bytes: *bytes,
                });
            }
            _ => self.set(buffer.get(..len).unwrap_or(buffer)),
        }
    }

    /// Whether copies share nothing.
    #[inline]
    pub fn is_inline(&self) -> bool {
        matches!(self.0, Repr::Inline { .. })
    }

    /// Becomes another text. A long one takes the place of the present bytes where nobody else holds them and
    /// they suffice: a variable that is set again and again does not allocate.
    #[inline]
    pub fn set(&mut self, text: &[u8]) {
        if text.len() <= INLINE {
            *self = Text::from(text);
        } else {
            self.set_long(text);
        }
    }

    fn set_long(&mut self, text: &[u8]) {
        let Some(len) = u32::try_from(text.len()).ok().filter(|n| *n < u32::MAX) else {
            *self = Text::from(text);
            return;
        };
        if let Repr::Shared { len: old, bytes } = &mut self.0
            && let Some(room) = Arc::get_mut(bytes)
            && let Some(head) = room.get_mut(..text.len())
        {
            head.copy_from_slice(text);
            *old = len;
            return;
        }
        let room = text.len().next_multiple_of(ROOM) - text.len();
        let bytes = text.iter().copied().chain(std::iter::repeat_n(0, room));
        self.0 = Repr::Shared {
            len,
            bytes: bytes.collect::<Vec<u8>>().into(),
        };
    }

    /// The text with invalid UTF-8 replaced, for messages.
    pub fn lossy(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(self.as_bytes())
    }
}

impl Default for Text {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl From<&[u8]> for Text {
    #[inline]
    fn from(value: &[u8]) -> Self {
        let mut bytes = [0; INLINE];
        if let Some(head) = bytes.get_mut(..value.len()) {
            head.copy_from_slice(value);
            Text(Repr::Inline {
                len: value.len() as u8,
                bytes,
            })
        } else {
            Text(Repr::Shared {
                len: u32::MAX,
                bytes: Arc::from(value),
            })
        }
    }
}

impl From<&str> for Text {
    fn from(value: &str) -> Self {
        Text::from(value.as_bytes())
    }
}

impl From<Vec<u8>> for Text {
    fn from(value: Vec<u8>) -> Self {
        Text::from(value.as_slice())
    }
}

impl<const N: usize> From<&[u8; N]> for Text {
    fn from(value: &[u8; N]) -> Self {
        Text::from(value.as_slice())
    }
}

impl Deref for Text {
    type Target = [u8];
    #[inline]
    fn deref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl Borrow<[u8]> for Text {
    fn borrow(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl AsRef<[u8]> for Text {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl Eq for Text {}

impl PartialEq<[u8]> for Text {
    fn eq(&self, other: &[u8]) -> bool {
        self.as_bytes() == other
    }
}

impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl PartialOrd for Text {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Text {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_bytes().cmp(other.as_bytes())
    }
}

impl Hash for Text {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_bytes().hash(state);
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(bstr::BStr::new(self.as_bytes()), f)
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.lossy())
    }
}

/// A string, or `{"hex": "…"}` where the bytes are not UTF-8.
#[cfg(feature = "serde")]
mod form {
    use serde::de::{Deserialize, Deserializer, Error};
    use std::fmt::Write as _;

    use serde::ser::{Serialize, SerializeMap, Serializer};

    use super::Text;

    #[derive(serde::Deserialize)]
    #[serde(untagged)]
    enum Form {
        Plain(String),
        Hex { hex: String },
    }

    impl Serialize for Text {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            if let Ok(text) = std::str::from_utf8(self) {
                return serializer.serialize_str(text);
            }
            let mut hex = String::with_capacity(self.len() * 2);
            for byte in self.iter() {
                let _ = write!(hex, "{byte:02x}");
            }
            let mut map = serializer.serialize_map(Some(1))?;
            map.serialize_entry("hex", &hex)?;
            map.end()
        }
    }

    impl<'de> Deserialize<'de> for Text {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            match Form::deserialize(deserializer)? {
                Form::Plain(text) => Ok(Text::from(text.as_str())),
                Form::Hex { hex } => bytes(&hex)
                    .map(Text::from)
                    .ok_or_else(|| D::Error::custom("not a hex string")),
            }
        }
    }

    fn bytes(hex: &str) -> Option<Vec<u8>> {
        if !hex.len().is_multiple_of(2) || !hex.is_ascii() {
            return None;
        }
        (0..hex.len())
            .step_by(2)
            .map(|i| u8::from_str_radix(hex.get(i..i + 2)?, 16).ok())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_is_inline_long_is_shared_and_both_compare_as_bytes() {
        let short = Text::from("1234567890123456789012");
        let long = Text::from("12345678901234567890123");
        assert_eq!(short.len(), 22);
        assert_eq!(long.len(), 23);
        assert!(short < long);
        assert_eq!(long.clone(), long);
        assert_eq!(std::mem::size_of::<Text>(), 24);
        assert_eq!(std::mem::size_of::<Option<Text>>(), 24);
    }

    #[test]
    fn a_text_that_is_set_again_keeps_its_bytes_unless_they_are_shared() {
        let mut text = Text::from("short");
        for length in [40, 64, 23, 50, 3, 22, 70] {
            let wanted = vec![b'x'; length];
            text.set(&wanted);
            assert_eq!(text.as_bytes(), wanted);
        }
        let copy = text.clone();
        text.set(&[b'y'; 30]);
        assert_eq!(copy.as_bytes(), [b'x'; 70]);
        assert_eq!(text.as_bytes(), [b'y'; 30]);
        let place = text.as_ptr();
        text.set(&[b'z'; 31]);
        assert_eq!(text.as_ptr(), place);
    }

    #[test]
    fn what_stands_behind_a_text_is_not_part_of_it() {
        let buffer: Vec<u8> = (0..100).collect();
        let mut text = Text::EMPTY;
        for length in [0, 1, 22, 23, 40] {
            text.set_first(&buffer, length);
            assert_eq!(text.as_bytes(), &buffer[..length]);
            let mut out = b"before".to_vec();
            text.append_to(&mut out);
            assert_eq!(out, [b"before", &buffer[..length]].concat());
        }
        text.set_first(b"short", 3);
        assert_eq!(text, Text::from("sho"));
    }
}
