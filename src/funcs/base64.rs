//! `BASE64_ENCODE` and `BASE64_DECODE`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::base::scan::before_zero;
use crate::diagnostic::code;
use crate::library::{Example, Function};
use crate::machine::{Answer, Cx};

/// To base 64.
pub static BASE64_ENCODE: Function = Function::read(
    "BASE64_ENCODE",
    "Text in base 64.",
    "text",
    "Standard alphabet with padding, without line breaks. An empty text has no value.",
    |cx: &mut Cx<'_>, text, out| {
        if text.is_empty() {
            return empty(cx, "BASE64_ENCODE");
        }
        // Asterisk stops at the last whole group that fits.
        let text = text.get(..LONGEST).unwrap_or(text);
        out.extend_from_slice(STANDARD.encode(text).as_bytes());
        Answer::Done
    },
)
.examples(&[Example {
    title: "User and password of a header",
    dialplan: "",
    evaluate: "${BASE64_ENCODE(bob:secret)}",
    expect: "Ym9iOnNlY3JldA==",
}]);

/// From base 64.
pub static BASE64_DECODE: Function = Function::read(
    "BASE64_DECODE",
    "Text from base 64.",
    "text",
    "Reads up to the first `=`; padding may be missing. A character outside of the alphabet counts as `/`, and what \
     was encoded ends at a zero byte.",
    |cx: &mut Cx<'_>, text, out| {
        if text.is_empty() {
            return empty(cx, "BASE64_DECODE");
        }
        out.extend_from_slice(before_zero(&decoded(text)));
        Answer::Done
    },
)
.examples(&[Example {
    title: "Padding may be missing",
    dialplan: "",
    evaluate: "${BASE64_DECODE(Ym9i)} ${BASE64_DECODE(Ym8)}",
    expect: "bob bo",
}]);

/// Bytes whose encoding of 4092 bytes fits into the 4095 of a value.
const LONGEST: usize = 3069;

fn empty(cx: &mut Cx<'_>, name: &str) -> Answer {
    cx.log(&code::BAD_ARGUMENT, || format!("{name} without a text"));
    Answer::Failed
}

/// The crate refuses what Asterisk reads as six one bits, so this is done by hand.
pub(super) fn decoded(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3 + 2);
    let (mut buffer, mut bits) = (0u32, 0u32);
    for &b in text.iter().take_while(|b| **b != b'=') {
        let six = match b {
            b'A'..=b'Z' => b - b'A',
            b'a'..=b'z' => b - b'a' + 26,
            b'0'..=b'9' => b - b'0' + 52,
            b'+' => 62,
            _ => 63,
        };
        buffer = (buffer << 6 | u32::from(six)) & 0xffff;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            out.push((buffer >> bits) as u8);
        }
    }
    out
}
