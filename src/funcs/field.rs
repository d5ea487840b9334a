//! FIELDQTY, FIELDNUM and LISTFILTER.

use crate::base::arguments::{Few, standard};
use crate::base::scan::{decoded, encoded};
use crate::base::value::append_int;
use crate::diagnostic::{Level, code};
use crate::library::{Example, Function};
use crate::machine::{Answer, Cx};

/// Number of fields.
pub static FIELDQTY: Function = Function::read(
    "FIELDQTY",
    "Number of fields of a variable.",
    "variable,delimiter",
    "Counts the fields that the delimiter, one character, cuts the value into; an empty value has none. Without a \
     delimiter the answer is 1.",
    |cx: &mut Cx<'_>, arguments, out| {
        let arguments = Few::<2>::standard(arguments);
        if arguments.get(1).is_none() {
            append_int(1, out);
            return Answer::Done;
        }
        Answer::of_first(cx, arguments, out, |_, arguments, value, out| {
            let delimiter = arguments.get(1).and_then(encoded).map(|(byte, _)| byte);
            append_int(fields(value, delimiter).count() as i64, out);
            Answer::Done
        })
    },
)
.pure()
.examples(&[Example {
    title: "How many members",
    dialplan: "Set(members=alice,bob,carol)",
    evaluate: "${FIELDQTY(members,\\,)}",
    expect: "3",
}]);

/// Place of a field.
pub static FIELDNUM: Function = Function::read(
    "FIELDNUM",
    "Place of a field in a variable.",
    "variable,delimiter,value",
    "The number of the first field that equals the value without regard to case, from 1; 0 when there is none.",
    |cx: &mut Cx<'_>, arguments, out| {
        let arguments = Few::<3>::standard(arguments);
        if arguments.get(2).is_none() {
            cx.log_at(&code::BAD_ARGUMENT, Level::Error, || {
                "FIELDNUM needs variable, delimiter and value".to_owned()
            });
            return Answer::Failed;
        }
        Answer::of_first(cx, arguments, out, |_, arguments, value, out| {
            let delimiter = arguments.get(1).and_then(encoded).map(|(byte, _)| byte);
            let wanted = arguments.get(2).unwrap_or(&[]);
            let at = fields(value, delimiter).position(|f| f.eq_ignore_ascii_case(wanted));
            append_int(at.map_or(0, |i| i as i64 + 1), out);
            Answer::Done
        })
    },
)
.pure()
.examples(&[Example {
    title: "Which one is Bob",
    dialplan: "Set(members=alice-bob-carol)",
    evaluate: "${FIELDNUM(members,-,BOB)}",
    expect: "2",
}]);

/// A list without some fields.
pub static LISTFILTER: Function = Function::read(
    "LISTFILTER",
    "A list without the fields that equal a value.",
    "variable,delimiter,value",
    "The delimiter may have several characters (`,` when empty). Case matters. An empty list has no value.",
    |cx: &mut Cx<'_>, arguments, _| {
        let arguments = standard(arguments, 3);
        let [name, delimiter, unwanted] = arguments.as_slice() else {
            cx.log_at(&code::BAD_ARGUMENT, Level::Error, || {
                "LISTFILTER needs variable, delimiter and value".to_owned()
            });
            return Answer::Failed;
        };
        let mut delimiter = decoded(delimiter);
        if delimiter.is_empty() {
            delimiter.push(b',');
        }
        let unwanted = unwanted.clone();
        Answer::read(name, move |cx, value, out| {
            if value.is_empty() {
                cx.log_at(&code::NOT_FOUND, Level::Error, || {
                    "LISTFILTER of an empty list".to_owned()
                });
                return Answer::Failed;
            }
            let mut any = false;
            for field in bstr::ByteSlice::split_str(value.as_slice(), &delimiter) {
                if field == unwanted {
                    continue;
                }
                if any {
                    out.extend_from_slice(&delimiter);
                }
                any = true;
                out.extend_from_slice(field);
            }
            Answer::Done
        })
    },
)
.examples(&[Example {
    title: "Take a member out",
    dialplan: "Set(members=alice&bob&carol)",
    evaluate: "${LISTFILTER(members,&,bob)}",
    expect: "alice&carol",
}]);

/// The fields of a value; an empty one has none.
fn fields(value: &[u8], delimiter: Option<u8>) -> impl Iterator<Item = &[u8]> {
    value
        .split(move |b| Some(*b) == delimiter)
        .take(if value.is_empty() { 0 } else { usize::MAX })
}
