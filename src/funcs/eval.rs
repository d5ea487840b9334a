//! EVAL, `EVAL_EXTEN` and `EVAL_SUB`.

use crate::base::Text;
use crate::base::arguments::standard;
use crate::base::scan::int;
use crate::diagnostic::code;
use crate::library::{Example, Function};
use crate::machine::{Answer, Cx, Location};
use crate::program::matcher::Want;

/// A text substituted once more.
pub static EVAL: Function = Function::read(
    "EVAL",
    "Substitutes a text once more.",
    "text",
    "For texts that come from variables or the store and hold substitutions themselves. An empty text has no value.",
    |cx: &mut Cx<'_>, text, _| {
        if text.is_empty() {
            cx.log(&code::BAD_ARGUMENT, || "EVAL without a text".to_owned());
            return Answer::Failed;
        }
        Answer::Substitute(
            text.to_vec(),
            Box::new(|_, text, out| {
                out.extend_from_slice(&text);
                Answer::Done
            }),
        )
    },
)
.examples(&[Example {
    title: "A template from a variable",
    dialplan: "Set(d=$)\nSet(name=Bob)\nSet(template=Hello ${d}{name})",
    evaluate: "${template}: ${EVAL(${template})}",
    expect: "Hello ${name}: Hello Bob",
}]);

/// The data of a line.
pub static EVAL_EXTEN: Function = Function::read(
    "EVAL_EXTEN",
    "The arguments of a line of the dialplan, substituted.",
    "[[context,]extension,]priority",
    "The line is not run. EXTEN, CONTEXT and PRIORITY are those of the line. Meant for lines such as `Return(text)`.",
    |cx: &mut Cx<'_>, arguments, _| {
        let mut arguments = standard(arguments, 3);
        let Some(priority) = arguments.pop().filter(|p| !p.is_empty()) else {
            cx.log(&code::BAD_ARGUMENT, || "EVAL_EXTEN without a place".to_owned());
            return Answer::Failed;
        };
        let here = cx.location().clone();
        let exten = arguments.pop().map_or(here.exten, Text::from);
        let context = arguments.pop().map_or(here.context, Text::from);
        let number = match int(&priority) {
            Some((n, _)) => i64::from(n),
            None => match cx.label(&context, &exten, &priority) {
                Some(number) => number,
                None => return Answer::Failed,
            },
        };
        let found = u32::try_from(number)
            .ok()
            .filter(|n| *n > 0)
            .and_then(|n| cx.find(&context, &exten, Want::Priority(n)).ok());
        let Some(data) = found.and_then(|found| cx.line_text(found.priority)) else {
            return Answer::Failed;
        };
        let text = data.1.to_vec();
        let before = cx.replace_location(Location {
            context,
            exten,
            priority: number,
        });
        Answer::Substitute(
            text,
            Box::new(move |cx, text, out| {
                cx.replace_location(before);
                out.extend_from_slice(&text);
                Answer::Done
            }),
        )
    },
)
.examples(&[Example {
    title: "The data of a line elsewhere",
    dialplan: "Set(n=4)\nNoOp(n is ${n})",
    evaluate: "${EVAL_EXTEN(2)}",
    expect: "n is 4",
}]);

/// The value of a subroutine.
pub static EVAL_SUB: Function = Function::read(
    "EVAL_SUB",
    "Runs a subroutine and gives what it returns.",
    "[[context,]extension,]priority[(argument[,...])]",
    "The subroutine runs to its Return in the middle of the line that asks.",
    |cx: &mut Cx<'_>, target, _| {
        if target.is_empty() {
            cx.log(&code::BAD_ARGUMENT, || "EVAL_SUB without a place".to_owned());
            return Answer::Failed;
        }
        Answer::Subroutine(
            target.to_vec(),
            Box::new(|_, value, out| {
                out.extend_from_slice(&value);
                Answer::Done
            }),
        )
    },
)
.examples(&[Example {
    title: "A subroutine in an expression",
    dialplan: "Goto(3)\nReturn($[${ARG1} * 2])\nNoOp()",
    evaluate: "${EVAL_SUB(2(21))}",
    expect: "42",
}]);
