//! ENV.

use crate::library::{Example, Function};
use crate::machine::{Answer, Cx, Flow};

/// The environment of the process.
pub static ENV: Function = Function::read_write(
    "ENV",
    "A variable of the environment.",
    "name",
    "What the host offers as its environment. Writing counts only where the host keeps it.",
    |cx: &mut Cx<'_>, name, out| {
        if let Some(value) = cx.environment().variable(name) {
            out.extend_from_slice(&value);
        }
        Answer::Done
    },
    |cx: &mut Cx<'_>, name, value| {
        cx.environment().set_variable(name, value);
        Flow::Next
    },
)
.examples(&[Example {
    title: "One that does not exist",
    dialplan: "",
    evaluate: "[${ENV(NO_SUCH_VARIABLE)}]",
    expect: "[]",
}]);
