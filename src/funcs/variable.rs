//! SET, `VARIABLE_EXISTS` and DELETE.

use crate::base::scan::strip;
use crate::diagnostic::code;
use crate::library::{Example, Function};
use crate::machine::{Answer, Cx, Flow};

/// Sets a variable in passing.
pub static SET: Function = Function::read(
    "SET",
    "Sets a variable and gives its value.",
    "name=value",
    "Blanks around name and value are dropped. The name may be a function that can be written.",
    |cx: &mut Cx<'_>, arguments, out| {
        let at = arguments.iter().position(|b| *b == b'=');
        let (name, value) = match at.and_then(|at| arguments.split_at_checked(at)) {
            Some((name, value)) => (strip(name), strip(value.get(1..).unwrap_or(&[]))),
            None => (&[][..], &[][..]),
        };
        if name.is_empty() {
            cx.log(&code::BAD_ARGUMENT, || "SET needs name=value".to_owned());
            return Answer::Failed;
        }
        let flow = cx.assign(name, value);
        let value = value.to_vec();
        let then = Box::new(move |_: &mut Cx<'_>, out: &mut Vec<u8>| {
            out.extend_from_slice(&value);
            Answer::Done
        });
        Answer::after(cx, flow, out, then)
    },
)
.examples(&[Example {
    title: "Set and use",
    dialplan: "",
    evaluate: "${SET(a=5)}${a}",
    expect: "55",
}]);

/// Whether a variable was set.
pub static VARIABLE_EXISTS: Function = Function::read(
    "VARIABLE_EXISTS",
    "Whether a variable was set.",
    "name",
    "1 if a channel or global variable of this name was set, be it to an empty value; else 0. The names that are \
     computed, such as EXTEN, do not count.",
    |cx: &mut Cx<'_>, name, out| {
        let there = cx.stored_variable(name).is_some();
        out.push(if there { b'1' } else { b'0' });
        Answer::Done
    },
)
.examples(&[Example {
    title: "Set to nothing",
    dialplan: "Set(a=)",
    evaluate: "${VARIABLE_EXISTS(a)}${VARIABLE_EXISTS(b)}",
    expect: "10",
}]);

/// Removes a variable.
pub static DELETE: Function = Function::write_only(
    "DELETE",
    "Removes a variable.",
    "name",
    "What is written does not matter. A global of the same name, or the variable of an outer Gosub, shows again.",
    |cx: &mut Cx<'_>, name, _| {
        cx.remove(name);
        Flow::Next
    },
)
.examples(&[Example {
    title: "Gone",
    dialplan: "Set(a=1)\nSet(DELETE(a)=)",
    evaluate: "${VARIABLE_EXISTS(a)}",
    expect: "0",
}]);
