//! `DIALPLAN_EXISTS`.

use crate::base::arguments::standard;
use crate::base::scan::int;
use crate::diagnostic::{Level, code};
use crate::library::{Example, Function};
use crate::machine::{Answer, Cx};

/// Whether a place exists.
pub static DIALPLAN_EXISTS: Function = Function::read(
    "DIALPLAN_EXISTS",
    "Whether a context, extension or priority exists.",
    "context[,extension[,priority]]",
    "1 or 0. The extension is looked up as a call would, with includes, patterns and caller number; the priority is \
     a number or label, 1 by default.",
    |cx: &mut Cx<'_>, arguments, out| {
        let arguments = standard(arguments, 3);
        let there = match arguments.as_slice() {
            [] => {
                cx.log_at(&code::BAD_ARGUMENT, Level::Error, || {
                    "DIALPLAN_EXISTS needs a context".to_owned()
                });
                return Answer::Failed;
            }
            [context] => cx.image().context(context).is_some(),
            [context, exten] => cx.exists(context, exten, 1),
            [context, exten, priority, ..] => {
                match int(priority).map(|(n, _)| i64::from(n)).filter(|n| *n > 0) {
                    Some(number) => cx.exists(context, exten, number),
                    None => label_exists(cx, context, exten, priority),
                }
            }
        };
        out.push(if there { b'1' } else { b'0' });
        Answer::Done
    },
)
.examples(&[Example {
    title: "No such context",
    dialplan: "",
    evaluate: "${DIALPLAN_EXISTS(nowhere,s,1)}",
    expect: "0",
}]);

fn label_exists(cx: &mut Cx<'_>, context: &[u8], exten: &[u8], label: &[u8]) -> bool {
    let there = cx.label(context, exten, label).is_some();
    if !there {
        cx.log(&code::LABEL_NOT_FOUND, || {
            format!("no label `{}`", bstr::BStr::new(label))
        });
    }
    there
}
