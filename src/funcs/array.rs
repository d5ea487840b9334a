//! ARRAY, PUSH, UNSHIFT, POP and SHIFT.

use crate::base::arguments::standard;
use crate::base::scan::encoded;
use crate::diagnostic::code;
use crate::library::{Example, Function};
use crate::machine::variables::inheritance;
use crate::machine::{Answer, Cx, Flow};

/// Several variables at once.
pub static ARRAY: Function = Function::write_only(
    "ARRAY",
    "Sets several variables at once.",
    "name1[,name2[,...]]",
    "The value is cut at commas like arguments (quotes and `\\` protect commas and are removed); names without a \
     value become empty.",
    |cx: &mut Cx<'_>, arguments, value| {
        let names = standard(arguments, 100);
        let mut values = standard(value, 100).into_iter();
        let pairs: Vec<_> = names
            .into_iter()
            .map(|name| (name, values.next().unwrap_or_default()))
            .collect();
        assign_all(cx, pairs.into_iter())
    },
)
.examples(&[Example {
    title: "A list in parts",
    dialplan: "Set(ARRAY(a,b,c)=1,\"2,3\")",
    evaluate: "[${a}][${b}][${c}]",
    expect: "[1][2,3][]",
}]);

type Pairs = std::vec::IntoIter<(Vec<u8>, Vec<u8>)>;

fn assign_all(cx: &mut Cx<'_>, mut pairs: Pairs) -> Flow {
    while let Some((name, value)) = pairs.next() {
        match cx.assign(&name, &value) {
            Flow::Next => {}
            // A function that waits: the rest follows.
            Flow::Await(effect, then) => {
                return Flow::wait_then(effect, move |cx, event| match then(cx, event) {
                    Flow::Next => assign_all(cx, pairs),
                    other => other,
                });
            }
            other => return other,
        }
    }
    Flow::Next
}

/// Appends to a list.
pub static PUSH: Function = Function::write_only(
    "PUSH",
    "Appends to a list.",
    "variable[,delimiter]",
    "The delimiter is one character, `,` by default. The variable is made if need be; `_` before its name makes it \
     inherited.",
    |cx: &mut Cx<'_>, arguments, value| add(cx, arguments, value, true),
)
.examples(&[Example {
    title: "A list of two",
    dialplan: "Set(PUSH(list)=a)\nSet(PUSH(list)=b)",
    evaluate: "${list}",
    expect: "a,b",
}]);

/// Puts before a list.
pub static UNSHIFT: Function = Function::write_only(
    "UNSHIFT",
    "Puts an entry before a list.",
    "variable[,delimiter]",
    "The delimiter is one character, `,` by default. The variable is made if need be; `_` before its name makes it \
     inherited.",
    |cx: &mut Cx<'_>, arguments, value| add(cx, arguments, value, false),
)
.examples(&[Example {
    title: "A list of two",
    dialplan: "Set(UNSHIFT(list)=a)\nSet(UNSHIFT(list)=b)",
    evaluate: "${list}",
    expect: "b,a",
}]);

fn add(cx: &mut Cx<'_>, arguments: &[u8], value: &[u8], behind: bool) -> Flow {
    let Some((name, delimiter)) = list(cx, arguments) else {
        return Flow::Next;
    };
    let value = value.to_vec();
    let (_, plain) = inheritance(&name);
    Flow::Read(
        plain.to_vec(),
        Box::new(move |cx, present| {
            let parts = if present.is_empty() {
                value
            } else if behind {
                [&present[..], &[delimiter], &value].concat()
            } else {
                [&value[..], &[delimiter], &present].concat()
            };
            cx.assign(&name, &parts)
        }),
    )
}

/// Name of the list and delimiter.
fn list(cx: &mut Cx<'_>, arguments: &[u8]) -> Option<(Vec<u8>, u8)> {
    let mut arguments = standard(arguments, 2).into_iter();
    let name = arguments.next().filter(|name| !name.is_empty());
    let Some(name) = name else {
        cx.log(&code::BAD_ARGUMENT, || "the variable is missing".to_owned());
        return None;
    };
    let delimiter = arguments
        .next()
        .and_then(|text| encoded(&text).map(|(byte, _)| byte))
        .unwrap_or(b',');
    Some((name, delimiter))
}

/// Takes the last entry.
pub static POP: Function = Function::read(
    "POP",
    "Takes the last entry off a list.",
    "variable[,delimiter]",
    "Gives the entry and leaves the rest in the variable. An empty list has no value.",
    |cx: &mut Cx<'_>, arguments, _| take(cx, arguments, true),
)
.not_in_expressions()
.examples(&[Example {
    title: "The last of three",
    dialplan: "Set(list=a,b,c)",
    evaluate: "${POP(list)} ${list}",
    expect: "c a,b",
}]);

/// Takes the first entry.
pub static SHIFT: Function = Function::read(
    "SHIFT",
    "Takes the first entry off a list.",
    "variable[,delimiter]",
    "Gives the entry and leaves the rest in the variable. An empty list has no value.",
    |cx: &mut Cx<'_>, arguments, _| take(cx, arguments, false),
)
.not_in_expressions()
.examples(&[Example {
    title: "The first of three",
    dialplan: "Set(list=a,b,c)",
    evaluate: "${SHIFT(list)} ${list}",
    expect: "a b,c",
}]);

fn take(cx: &mut Cx<'_>, arguments: &[u8], last: bool) -> Answer {
    let Some((name, delimiter)) = list(cx, arguments) else {
        return Answer::Failed;
    };
    Answer::read(&name.clone(), move |cx, list, out| {
        if list.is_empty() {
            return Answer::Failed;
        }
        let at = if last {
            list.iter().rposition(|b| *b == delimiter)
        } else {
            list.iter().position(|b| *b == delimiter)
        };
        let (entry, rest) = match at.and_then(|at| list.split_at_checked(at)) {
            Some((before, after)) => {
                let after = after.get(1..).unwrap_or(&[]);
                if last { (after, before) } else { (before, after) }
            }
            None => (list.as_slice(), &[][..]),
        };
        let flow = cx.assign(&name, rest);
        let entry = entry.to_vec();
        let then = Box::new(move |_: &mut Cx<'_>, out: &mut Vec<u8>| {
            out.extend_from_slice(&entry);
            Answer::Done
        });
        Answer::after(cx, flow, out, then)
    })
}
