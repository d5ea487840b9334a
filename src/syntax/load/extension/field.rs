//! The texts of an extension line: field, caller id, numbers.

use bstr::ByteSlice;

use crate::base::Text;

/// An extension field after substitution, with what follows from it.
#[derive(Debug, Default)]
pub(super) struct Field {
    /// All of it: `EXTENSION/CALLERID`.
    text: Vec<u8>,
    /// Where the extension ends.
    end: usize,
    /// The extension as listed.
    pub(super) exten: Text,
    /// The caller id as listed.
    pub(super) cid: Option<Text>,
}

impl Field {
    /// Becomes another field.
    pub(super) fn set(&mut self, text: &[u8]) {
        self.text.clear();
        self.text.extend_from_slice(text);
        self.end = text.find_byte(b'/').unwrap_or(text.len());
        self.cid = text.get(self.end + 1..).map(|cid| Text::from(shrink(cid)));
        let raw = text.get(..self.end).unwrap_or_default();
        self.exten = if raw.contains(&b' ') {
            Text::from(without_blanks(raw))
        } else {
            Text::from(raw)
        };
    }

    pub(super) fn text(&self) -> &[u8] {
        &self.text
    }

    /// The extension as written.
    pub(super) fn raw(&self) -> &[u8] {
        self.text.get(..self.end).unwrap_or_default()
    }
}

/// The extension field and what follows its comma. Commas in `[...]` and after a backslash belong to the field.
pub(super) fn cut_field(value: &[u8]) -> (&[u8], &[u8]) {
    let mut depth = 0_u32;
    let mut bytes = value.iter().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'[' => depth += 1,
            b']' => depth = depth.saturating_sub(1),
            b'\\' => {
                bytes.next();
            }
            b',' if depth == 0 => {
                return (
                    value.get(..at).unwrap_or_default(),
                    value.get(at + 1..).unwrap_or_default(),
                );
            }
            _ => {}
        }
    }
    (value, b"")
}

/// A caller id without the decoration of telephone numbers.
fn shrink(number: &[u8]) -> Vec<u8> {
    let mut depth = 0_i32;
    let mut out = Vec::with_capacity(number.len());
    for (at, &byte) in number.iter().enumerate() {
        match byte {
            b'[' => depth += 1,
            b']' => depth -= 1,
            b'-' if depth == 0 => continue,
            b'.' if at + 1 < number.len() => continue,
            b'(' | b')' | b' ' => continue,
            _ => {}
        }
        out.push(byte);
    }
    out
}

/// An extension without its blanks outside sets.
fn without_blanks(exten: &[u8]) -> Vec<u8> {
    let mut inside = false;
    let mut out = exten.to_vec();
    out.retain(|&byte| {
        match byte {
            b'[' => inside = true,
            b']' => inside = false,
            _ => {}
        }
        byte != b' ' || inside
    });
    out
}

/// Whether a set in a pattern has no end.
pub(super) fn has_broken_set(exten: &[u8]) -> bool {
    let Some(mut rest) = exten.strip_prefix(b"_") else {
        return false;
    };
    while let Some(open) = rest.find_byte(b'[') {
        rest = rest.get(open..).unwrap_or_default();
        let Some(close) = rest.find_byte(b']') else {
            return true;
        };
        rest = rest.get(close + 1..).unwrap_or_default();
    }
    false
}

/// The integer a text starts with, as C reads it: blanks, a sign, digits; and what follows it.
pub(super) fn leading_number(text: &[u8]) -> Option<(i64, &[u8])> {
    let text = text.trim_ascii_start();
    let (negative, digits) = match text.split_first() {
        Some((b'-', rest)) => (true, rest),
        Some((b'+', rest)) => (false, rest),
        _ => (false, text),
    };
    let end = digits.iter().take_while(|b| b.is_ascii_digit()).count();
    let (digits, rest) = digits.split_at_checked(end)?;
    if digits.is_empty() {
        return None;
    }
    let mut number = 0_i64;
    for &digit in digits {
        let digit = i64::from(digit - b'0');
        number = number.saturating_mul(10);
        number = if negative {
            number.saturating_sub(digit)
        } else {
            number.saturating_add(digit)
        };
    }
    Some((number, rest))
}

/// Where a part of a text starts; the end of the text for an empty part that is not in it.
pub(super) fn offset(text: &[u8], part: &[u8]) -> usize {
    let offset = (part.as_ptr() as usize).wrapping_sub(text.as_ptr() as usize);
    offset.min(text.len())
}
