//! LEN.

use crate::base::value::append_int;
use crate::library::{Example, Function};
use crate::machine::{Answer, Cx};

/// Length of a text.
pub static LEN: Function = Function::read(
    "LEN",
    "Return the length of the string given.",
    "string",
    "The length in bytes; blanks, quotes and commas count.",
    |_: &mut Cx<'_>, text, out| {
        append_int(text.len() as i64, out);
        Answer::Done
    },
)
.pure()
.examples(&[Example {
    title: "Bytes",
    dialplan: "",
    evaluate: "${LEN(hello, world)}",
    expect: "12",
}]);
