//! LOCAL, `LOCAL_PEEK` and `STACK_PEEK`.

use crate::base::Value;
use crate::base::arguments::standard;
use crate::base::scan::{atoi, int};
use crate::base::value::append_int;
use crate::diagnostic::{Level, code};
use crate::library::{Example, Function};
use crate::machine::variables::inheritance;
use crate::machine::{Answer, Cx, Flow};

/// Variables of a Gosub frame.
pub static LOCAL: Function = Function::read_write(
    "LOCAL",
    "A variable of the present Gosub.",
    "name",
    "Writing makes a variable that Return removes again; read it as `${name}`. Reading gives the value only if the \
     variable belongs to the present Gosub.",
    |cx: &mut Cx<'_>, name, out| {
        let own = cx
            .frames()
            .last()
            .is_some_and(|frame| frame.locals.contains(name));
        if own && let Some(value) = cx.channel_variable(name) {
            value.append_to(out);
        }
        Answer::Done
    },
    |cx: &mut Cx<'_>, name, value| {
        let (_, name) = inheritance(name);
        if !cx.set_local(name, Value::from_bytes(value)) {
            cx.log(&code::LOCAL_OUTSIDE_GOSUB, || {
                format!("`{}` cannot be local outside a Gosub", bstr::BStr::new(name))
            });
        }
        Flow::Next
    },
)
.examples(&[Example {
    title: "Gone after the subroutine",
    dialplan: "Gosub(3)\nGoto(5)\nSet(LOCAL(x)=1)\nReturn()\nNoOp()",
    evaluate: "[${x}]",
    expect: "[]",
}]);

/// Entries of a variable.
pub static LOCAL_PEEK: Function = Function::read(
    "LOCAL_PEEK",
    "A variable as an outer Gosub sees it.",
    "n,name",
    "0 is the present value, 1 the one that it hides, and so on.",
    |cx: &mut Cx<'_>, arguments, out| {
        let arguments = standard(arguments, 2);
        let [n, name] = arguments.as_slice() else {
            cx.log_at(&code::BAD_ARGUMENT, Level::Error, || {
                "LOCAL_PEEK needs a number and a name".to_owned()
            });
            return Answer::Failed;
        };
        let Ok(n) = usize::try_from(atoi(n)) else {
            return Answer::Done;
        };
        if let Some(value) = cx.entry(name, n) {
            value.append_to(out);
        }
        Answer::Done
    },
)
.examples(&[Example {
    title: "The variable of the frame below",
    dialplan: "Set(x=outer)\nGosub(4)\nGoto(7)\nSet(LOCAL(x)=inner)\nSet(seen=${LOCAL_PEEK(1,x)})\nReturn()\nNoOp()",
    evaluate: "${seen}",
    expect: "outer",
}]);

/// Where a Gosub was.
pub static STACK_PEEK: Function = Function::read(
    "STACK_PEEK",
    "Where a Gosub on the stack was called.",
    "n,what[,quiet]",
    "1 is the innermost Gosub. What is `c` for the context, `e` for the extension, `p` for the priority, `l` for all \
     three. With a third argument a missing frame is not logged.",
    |cx: &mut Cx<'_>, arguments, out| {
        let arguments = standard(arguments, 3);
        let (Some(n), Some(what)) = (arguments.first(), arguments.get(1)) else {
            return refused(cx, "STACK_PEEK needs a number and what to give");
        };
        let depth = int(n).map_or(0, |(n, _)| n);
        let Some(below) = usize::try_from(depth).ok().and_then(|n| n.checked_sub(1)) else {
            return refused(cx, "STACK_PEEK needs a number from 1");
        };
        let Some(frame) = cx.frames().iter().rev().nth(below).cloned() else {
            let quiet = arguments.get(2).is_some_and(|text| !text.is_empty());
            if !quiet {
                cx.log_at(&code::NOT_FOUND, Level::Error, || {
                    format!("there are fewer than {depth} Gosubs on the stack")
                });
            }
            return Answer::Failed;
        };
        let at = frame.back;
        let priority = at.priority - 1;
        match what.first().map(u8::to_ascii_lowercase) {
            Some(b'c') => out.extend_from_slice(&at.context),
            Some(b'e') => out.extend_from_slice(&at.exten),
            Some(b'p') => append_int(priority, out),
            Some(b'l') => {
                out.extend_from_slice(&[&at.context[..], b",", &at.exten, b","].concat());
                append_int(priority, out);
            }
            _ => return refused(cx, "STACK_PEEK gives c, e, p or l"),
        }
        Answer::Done
    },
)
.not_in_expressions()
.examples(&[Example {
    title: "Nobody called",
    dialplan: "",
    evaluate: "[${STACK_PEEK(1,c,1)}]",
    expect: "[]",
}]);

fn refused(cx: &mut Cx<'_>, message: &'static str) -> Answer {
    cx.log_at(&code::BAD_ARGUMENT, Level::Error, || message.to_owned());
    Answer::Failed
}
