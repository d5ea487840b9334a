//! PASSTHRU.

use crate::library::{Example, Function};
use crate::machine::{Answer, Cx};

/// The text itself.
pub static PASSTHRU: Function = Function::read(
    "PASSTHRU",
    "The text itself.",
    "text",
    "Gives its argument unchanged, commas and quotes included: a literal where the name of a variable is wanted.",
    |_: &mut Cx<'_>, text, out| {
        out.extend_from_slice(text);
        Answer::Done
    },
)
.not_in_expressions()
.examples(&[Example {
    title: "A literal for a function that takes a name",
    dialplan: "",
    evaluate: "${CUT(PASSTHRU(a-b-c),-,2)}",
    expect: "b",
}]);
