//! TOUPPER and TOLOWER.

use crate::library::{Example, Function};
use crate::machine::{Answer, Cx};

/// Upper case.
pub static TOUPPER: Function = Function::read(
    "TOUPPER",
    "Text in upper case.",
    "text",
    "Letters a to z become capitals; all other bytes stay, also those of accented letters.",
    |_: &mut Cx<'_>, text, out| {
        out.extend(text.iter().map(u8::to_ascii_uppercase));
        Answer::Done
    },
)
.pure()
.examples(&[Example {
    title: "A name as a key",
    dialplan: "Set(name=Office 3)",
    evaluate: "${TOUPPER(${name})}",
    expect: "OFFICE 3",
}]);

/// Lower case.
pub static TOLOWER: Function = Function::read(
    "TOLOWER",
    "Text in lower case.",
    "text",
    "Letters A to Z become small; all other bytes stay, also those of accented letters.",
    |_: &mut Cx<'_>, text, out| {
        out.extend(text.iter().map(u8::to_ascii_lowercase));
        Answer::Done
    },
)
.pure()
.examples(&[Example {
    title: "Compare without regard to case",
    dialplan: "Set(answer=YES)",
    evaluate: "$[\"${TOLOWER(${answer})}\" = \"yes\"]",
    expect: "1",
}]);
