//! EXCEPTION.

use crate::base::value::append_int;
use crate::library::{Example, Function};
use crate::machine::{Answer, Cx};

/// Why the extension `e` runs.
pub static EXCEPTION: Function = Function::read(
    "EXCEPTION",
    "Why the extension `e` runs, and where it happened.",
    "reason|context|exten|priority",
    "The reason is INVALID, RESPONSETIMEOUT, ABSOLUTETIMEOUT, ERROR, or the text of RaiseException. Without an \
     exception there is no value.",
    |cx: &mut Cx<'_>, what, out| {
        let Some((reason, at)) = cx.exception() else {
            return Answer::Failed;
        };
        match what.to_ascii_lowercase().as_slice() {
            b"reason" => out.extend_from_slice(reason),
            b"context" => out.extend_from_slice(&at.context),
            b"exten" => out.extend_from_slice(&at.exten),
            b"priority" => append_int(at.priority, out),
            _ => return Answer::Failed,
        }
        Answer::Done
    },
)
.examples(&[Example {
    title: "None",
    dialplan: "",
    evaluate: "[${EXCEPTION(reason)}]",
    expect: "[]",
}]);
