//! What a variable holds: text, or an integer whose text is made only when somebody reads it as text.

use crate::base::Text;

/// The value of a variable.
///
/// INVARIANT: `Int` only holds `0 <= n < 10^18`, whose decimal text lexes back to the same operand
/// of `$[ ]`. Everything else (negative numbers, `-0`, `007`, `1.10`, `1e+18`) is text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A canonical non-negative integer below 10^18.
    Int(i64),
    /// Any bytes.
    Text(Text),
}

/// First integer that `%.18Lg` prints in exponent form.
pub const INT_LIMIT: i64 = 1_000_000_000_000_000_000;

impl Value {
    /// The empty text.
    pub const EMPTY: Value = Value::Text(Text::EMPTY);

    /// The value of an integer: `Int` in range, else its decimal text as `%.18Lg` prints integers below 10^18.
    pub fn integer(n: i64) -> Self {
        if (0..INT_LIMIT).contains(&n) {
            Value::Int(n)
        } else {
            Value::Text(Text::from(n.to_string().as_str()))
        }
    }

    /// Value of a text: canonical integers become `Int`.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        match canonical_integer(bytes) {
            Some(n) => Value::Int(n),
            None => Value::Text(Text::from(bytes)),
        }
    }

    /// Becomes the value of a text, in the same place if it can.
    #[inline]
    pub fn set_bytes(&mut self, bytes: &[u8]) {
        match (canonical_integer(bytes), &mut *self) {
            (Some(n), _) => *self = Value::Int(n),
            (None, Value::Text(text)) => text.set(bytes),
            (None, Value::Int(_)) => {
                let mut text = Text::EMPTY;
                text.set(bytes);
                *self = Value::Text(text);
            }
        }
    }

    /// Becomes the value of the first bytes of a buffer; see [`Text::set_first`].
    #[inline]
    pub fn set_first(&mut self, buffer: &[u8], len: usize) {
        let bytes = buffer.get(..len).unwrap_or(buffer);
        match (canonical_integer(bytes), &mut *self) {
            (Some(n), _) => *self = Value::Int(n),
            (None, Value::Text(text)) => text.set_first(buffer, len),
            (None, Value::Int(_)) => {
                let mut text = Text::EMPTY;
                text.set_first(buffer, len);
                *self = Value::Text(text);
            }
        }
    }

    /// Becomes the value of a text, in the same place if it can.
    #[inline]
    pub fn set_text(&mut self, text: &Text) {
        if text.is_inline() && !text.first().is_some_and(u8::is_ascii_digit) {
            *self = Value::Text(text.clone());
        } else {
            self.set_bytes(text);
        }
    }

    /// Appends the text of the value.
    #[inline]
    pub fn append_to(&self, out: &mut Vec<u8>) {
        match self {
            Value::Int(n) => append_int(*n, out),
            Value::Text(text) => text.append_to(out),
        }
    }

    /// The value as text.
    pub fn to_text(&self) -> Text {
        match self {
            Value::Int(n) => {
                let mut digits = Vec::with_capacity(20);
                append_int(*n, &mut digits);
                Text::from(digits)
            }
            Value::Text(text) => text.clone(),
        }
    }

    /// Whether the text of the value is empty.
    pub fn is_empty(&self) -> bool {
        matches!(self, Value::Text(t) if t.is_empty())
    }
}

/// Appends the decimal form of an integer without allocating.
#[inline]
pub fn append_int(n: i64, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(n).as_bytes());
}

/// The integer of a text that prints back as the same text: no sign, no leading zero, below 10^18.
#[inline]
pub fn canonical_integer(bytes: &[u8]) -> Option<i64> {
    match bytes {
        [b'0'] => Some(0),
        [b'1'..=b'9', rest @ ..] if rest.len() < 18 => {
            let mut n = 0i64;
            for &b in bytes {
                if !b.is_ascii_digit() {
                    return None;
                }
                n = n * 10 + i64::from(b - b'0');
            }
            Some(n)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_canonical_integers_are_integers() {
        assert_eq!(Value::from_bytes(b"0"), Value::Int(0));
        assert_eq!(
            Value::from_bytes(b"999999999999999999"),
            Value::Int(999_999_999_999_999_999)
        );
        for text in ["", "00", "007", "-1", "1.0", " 1", "1000000000000000000"] {
            assert_eq!(
                Value::from_bytes(text.as_bytes()),
                Value::Text(Text::from(text)),
                "{text}"
            );
        }
        assert_eq!(std::mem::size_of::<Value>(), 24);
    }
}
