//! URIENCODE and URIDECODE.

use crate::base::scan::{before_zero, skip_blanks};
use crate::library::{Example, Function};
use crate::machine::{Answer, Cx};

/// Bytes of a value; the last character that does not fit is left out as a whole.
const LONGEST: usize = 4095;

/// To URI form.
pub static URIENCODE: Function = Function::read(
    "URIENCODE",
    "Text with all special characters as %HH.",
    "text",
    "Letters, digits and `~ ! * ' ( ) - _ .` stay; every other byte becomes `%` and two capital hexadecimal digits.",
    |_: &mut Cx<'_>, text, out| {
        let end = out.len() + LONGEST;
        for &b in text {
            let plain = b.is_ascii_alphanumeric() || b"~!*'()-_.".contains(&b);
            if out.len() + if plain { 1 } else { 3 } > end {
                break;
            }
            if plain {
                out.push(b);
            } else {
                out.extend_from_slice(format!("%{b:02X}").as_bytes());
            }
        }
        Answer::Done
    },
)
.examples(&[Example {
    title: "A text as part of a URI",
    dialplan: "",
    evaluate: "${URIENCODE(a b/c)}",
    expect: "a%20b%2Fc",
}]);

/// From URI form.
pub static URIDECODE: Function = Function::read(
    "URIDECODE",
    "Text with %HH read as characters.",
    "text",
    "`+` stays. `%` without two further characters stays; of the two, as many as are hexadecimal digits are read.",
    |_: &mut Cx<'_>, text, out| {
        out.extend_from_slice(before_zero(&decoded(text)));
        Answer::Done
    },
)
.examples(&[Example {
    title: "A name from a URI",
    dialplan: "",
    evaluate: "${URIDECODE(a%20b%2fc)}",
    expect: "a b/c",
}]);

pub(super) fn decoded(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&b, tail)) = rest.split_first() {
        rest = tail;
        if b == b'%'
            && let Some((_, after)) = tail.split_at_checked(2)
            && let Some(byte) = two_digits(tail)
        {
            out.push(byte);
            rest = after;
        } else {
            out.push(b);
        }
    }
    out
}

/// `%2x` of scanf: blanks, a sign, and digits up to two characters.
fn two_digits(text: &[u8]) -> Option<u8> {
    let text = skip_blanks(text);
    let text = text.get(..2).unwrap_or(text);
    let (negative, digits) = match text.split_first() {
        Some((b'-', rest)) => (true, rest),
        Some((b'+', rest)) => (false, rest),
        _ => (false, text),
    };
    let digits: Vec<u8> = digits
        .iter()
        .map_while(|&b| char::from(b).to_digit(16))
        .map(|d| d as u8)
        .collect();
    if digits.is_empty() {
        return None;
    }
    let value = digits.iter().fold(0u8, |n, d| n << 4 | d);
    Some(if negative { value.wrapping_neg() } else { value })
}
