//! TRIM, LTRIM and RTRIM.

use crate::base::scan::{strip, strip_end, strip_start};
use crate::library::{Example, Function};
use crate::machine::{Answer, Cx};

/// Both ends.
pub static TRIM: Function = Function::read(
    "TRIM",
    "Text without blanks at both ends.",
    "text",
    "Blanks, tabs and other control characters are taken off the start and the end.",
    |_: &mut Cx<'_>, text, out| {
        out.extend_from_slice(strip(text));
        Answer::Done
    },
)
.examples(&[Example {
    title: "A number with blanks around it",
    dialplan: "Set(n= 42 )",
    evaluate: "[${TRIM(${n})}]",
    expect: "[42]",
}]);

/// The start.
pub static LTRIM: Function = Function::read(
    "LTRIM",
    "Text without blanks at its start.",
    "text",
    "Blanks, tabs and other control characters are taken off the start.",
    |_: &mut Cx<'_>, text, out| {
        out.extend_from_slice(strip_start(text));
        Answer::Done
    },
)
.examples(&[Example {
    title: "Blanks at the start",
    dialplan: "",
    evaluate: "[${LTRIM(  a b )}]",
    expect: "[a b ]",
}]);

/// The end.
pub static RTRIM: Function = Function::read(
    "RTRIM",
    "Text without blanks at its end.",
    "text",
    "Blanks, tabs and other control characters are taken off the end.",
    |_: &mut Cx<'_>, text, out| {
        out.extend_from_slice(strip_end(text));
        Answer::Done
    },
)
.examples(&[Example {
    title: "Blanks at the end",
    dialplan: "",
    evaluate: "[${RTRIM(  a b )}]",
    expect: "[  a b]",
}]);
