//! KEYPADHASH and `DIGIT_SUM`.

use crate::base::value::append_int;
use crate::library::{Example, Function};
use crate::machine::{Answer, Cx};

/// Letters as keys of a telephone.
pub static KEYPADHASH: Function = Function::read(
    "KEYPADHASH",
    "Text as the keys of a telephone keypad.",
    "text",
    "Letters become the digit whose key shows them, digits stay, everything else is dropped.",
    |_: &mut Cx<'_>, text, out| {
        for b in text {
            let key = match b.to_ascii_lowercase() {
                b'a'..=b'c' => b'2',
                b'd'..=b'f' => b'3',
                b'g'..=b'i' => b'4',
                b'j'..=b'l' => b'5',
                b'm'..=b'o' => b'6',
                b'p'..=b's' => b'7',
                b't'..=b'v' => b'8',
                b'w'..=b'z' => b'9',
                digit @ b'0'..=b'9' => digit,
                _ => continue,
            };
            out.push(key);
        }
        Answer::Done
    },
)
.examples(&[Example {
    title: "Dial by name",
    dialplan: "",
    evaluate: "${KEYPADHASH(Smith-2)}",
    expect: "764842",
}]);

/// Sum of digits.
pub static DIGIT_SUM: Function = Function::read(
    "DIGIT_SUM",
    "Sum of the digits in a text.",
    "text",
    "Other characters are ignored.",
    |_: &mut Cx<'_>, text, out| {
        let digits = text.iter().filter(|b| b.is_ascii_digit());
        append_int(digits.map(|b| i64::from(b - b'0')).sum(), out);
        Answer::Done
    },
)
.examples(&[Example {
    title: "Sum of four digits",
    dialplan: "",
    evaluate: "${DIGIT_SUM(12-34)}",
    expect: "10",
}]);
