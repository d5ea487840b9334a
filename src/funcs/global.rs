//! GLOBAL, `GLOBAL_EXISTS` and `GLOBAL_DELETE`.

use crate::base::Value;
use crate::library::{Example, Function};
use crate::machine::variables::inheritance;
use crate::machine::{Answer, Cx, Flow};

/// Global variables.
pub static GLOBAL: Function = Function::read_write(
    "GLOBAL",
    "A global variable.",
    "name",
    "Reads and sets a variable that all channels share, past a channel variable of the same name.",
    |cx: &mut Cx<'_>, name, out| {
        if let Some(value) = cx.shared().global(name) {
            value.append_to(out);
        }
        Answer::Done
    },
    |cx: &mut Cx<'_>, name, value| {
        let (_, name) = inheritance(name);
        cx.shared().set_global(name, Value::from_bytes(value));
        Flow::Next
    },
)
.examples(&[Example {
    title: "Past a channel variable",
    dialplan: "Set(GLOBAL(a)=1)\nSet(a=2)",
    evaluate: "${GLOBAL(a)}${a}",
    expect: "12",
}]);

/// Whether a global was set.
pub static GLOBAL_EXISTS: Function = Function::read(
    "GLOBAL_EXISTS",
    "Whether a global variable was set.",
    "name",
    "1 or 0; one that was set to an empty value is there.",
    |cx: &mut Cx<'_>, name, out| {
        let there = cx.shared().global(name).is_some();
        out.push(if there { b'1' } else { b'0' });
        Answer::Done
    },
)
.examples(&[Example {
    title: "There and not there",
    dialplan: "Set(GLOBAL(a)=)",
    evaluate: "${GLOBAL_EXISTS(a)}${GLOBAL_EXISTS(b)}",
    expect: "10",
}]);

/// Removes a global.
pub static GLOBAL_DELETE: Function = Function::write_only(
    "GLOBAL_DELETE",
    "Removes a global variable.",
    "name",
    "What is written does not matter.",
    |cx: &mut Cx<'_>, name, _| {
        let (_, name) = inheritance(name);
        cx.shared().remove_global(name);
        Flow::Next
    },
)
.examples(&[Example {
    title: "Gone",
    dialplan: "Set(GLOBAL(night)=1)\nSet(GLOBAL_DELETE(night)=)",
    evaluate: "[${night}]",
    expect: "[]",
}]);
