//! `Text`: an immutable byte string, 22 bytes inline or shared. Not UTF-8 by contract:
//! Asterisk values are bytes, and `${x:0:1}` may cut inside a character.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

const INLINE: usize = 22;

#[derive(Clone)]
enum Repr {
    Inline { len: u8, bytes: [u8; INLINE] },
    Shared(Arc<[u8]>),
}

/// An immutable byte string.
#[derive(Clone)]
pub struct Text(Repr);

impl Text {
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
            Repr::Shared(shared) => shared,
        }
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
            Text(Repr::Shared(Arc::from(value)))
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
}
