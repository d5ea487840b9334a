//! RAND and UUID.

use crate::base::arguments::standard;
use crate::base::scan::int;
use crate::base::value::append_int;
use crate::library::{Example, Function};
use crate::machine::{Answer, Cx};

/// A random number.
pub static RAND: Function = Function::read(
    "RAND",
    "A random integer.",
    "[least][,most]",
    "Both ends are possible; exchanged ends are put right. Without them it is from 0 to 2147483647.",
    |cx: &mut Cx<'_>, arguments, out| {
        let arguments = standard(arguments, 2);
        let end = |i: usize, default: i32| {
            let number = arguments.get(i).and_then(|text| int(text));
            i64::from(number.map_or(default, |(n, _)| n))
        };
        let (a, b) = (end(0, 0), end(1, i32::MAX));
        let (least, most) = (a.min(b), a.max(b));
        let span = (most - least + 1).unsigned_abs();
        let number = cx.environment().random() % span;
        append_int(least + number as i64, out);
        Answer::Done
    },
)
.examples(&[Example {
    title: "No choice",
    dialplan: "",
    evaluate: "${RAND(7,7)}",
    expect: "7",
}]);

/// A random identifier.
pub static UUID: Function = Function::read(
    "UUID",
    "A new universally unique identifier.",
    "",
    "36 characters in lower case, of the random kind (version 4 of RFC 9562).",
    |cx: &mut Cx<'_>, _, out| {
        let high = cx.environment().random();
        let low = cx.environment().random();
        let high = high & !0xf000 | 0x4000;
        let low = low & !(0b11 << 62) | 0b10 << 62;
        let text = format!(
            "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
            high >> 32,
            high >> 16 & 0xffff,
            high & 0xffff,
            low >> 48,
            low & 0xffff_ffff_ffff
        );
        out.extend_from_slice(text.as_bytes());
        Answer::Done
    },
)
.examples(&[Example {
    title: "Its length",
    dialplan: "",
    evaluate: "${LEN(${UUID()})}",
    expect: "36",
}]);
