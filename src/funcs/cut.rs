//! CUT and SORT.

use std::cmp::Ordering;

use crate::base::arguments::Few;
use crate::base::scan::{double, encoded, int};
use crate::diagnostic::{Level, code};
use crate::library::{Example, Function};
use crate::machine::{Answer, Cx};

/// Fields of a list.
pub static CUT: Function = Function::read(
    "CUT",
    "Fields of a variable, cut at a character.",
    "variable,delimiter,fields",
    "Fields are a number, `2-4`, `2-`, `-4`, or several of these in ascending order with `&` between them. The \
     delimiter is one character (`-` when empty) and stands between the fields of the result.",
    |cx: &mut Cx<'_>, arguments, out| {
        let arguments = Few::<3>::standard(arguments);
        if arguments.get(2).is_none() {
            return misused(cx);
        }
        Answer::of_first(cx, arguments, out, |cx, arguments, value, out| {
            let [_, delimiter, fields] = arguments.as_slice() else {
                return Answer::Failed;
            };
            let delimiter = encoded(delimiter).map_or(b'-', |(byte, _)| byte);
            cut(cx, value, delimiter, fields, out)
        })
    },
)
.pure()
.examples(&[
    Example {
        title: "The device of a channel name",
        dialplan: "Set(name=PJSIP/alice-00000001)",
        evaluate: "${CUT(name,-,1)}",
        expect: "PJSIP/alice",
    },
    Example {
        title: "Ranges",
        dialplan: "Set(list=a:b:c:d:e)",
        evaluate: "${CUT(list,:,1&3-4)}",
        expect: "a:c:d",
    },
]);

/// Keys by value.
pub static SORT: Function = Function::read(
    "SORT",
    "Keys, sorted by the numbers that belong to them.",
    "key:number[,key:number...]",
    "Gives the keys in ascending order of their numbers. An entry without `:` is left out; what is no number counts \
     as 0; equal numbers stay in order.",
    |_: &mut Cx<'_>, arguments, out| {
        let mut entries: Vec<(f64, &[u8])> = arguments
            .split(|b| *b == b',')
            .filter_map(|entry| {
                let colon = entry.iter().position(|b| *b == b':')?;
                let number = double(entry.get(colon + 1..)?).map_or(0.0, |(n, _)| n);
                Some((number, entry.get(..colon)?))
            })
            .collect();
        entries.sort_by(|a, b| a.0.partial_cmp(&b.0).unwrap_or(Ordering::Equal));
        for (i, (_, key)) in entries.iter().enumerate() {
            if i > 0 {
                out.push(b',');
            }
            out.extend_from_slice(key);
        }
        Answer::Done
    },
)
.examples(&[Example {
    title: "The cheapest first",
    dialplan: "",
    evaluate: "${SORT(west:1.25,east:0.9,north:7)}",
    expect: "east,west,north",
}]);

fn misused(cx: &mut Cx<'_>) -> Answer {
    cx.log_at(&code::BAD_ARGUMENT, Level::Error, || {
        "CUT needs variable, delimiter and fields".to_owned()
    });
    Answer::Failed
}

/// First and last field of a range; `None` where it is none.
fn range(text: &[u8]) -> Option<(i32, i32)> {
    if let Some((first, rest)) = int(text) {
        let Some(end) = rest.strip_prefix(b"-") else {
            // `-3` is the range up to 3.
            return if first < 0 && text.starts_with(b"-") {
                Some((1, first.wrapping_neg()))
            } else {
                Some((first, first))
            };
        };
        return match int(end) {
            Some((last, _)) => Some((first, last)),
            None if first < 0 && text.starts_with(b"-") => Some((1, first.wrapping_neg())),
            None => Some((first, i32::MAX)),
        };
    }
    let (last, _) = int(text.strip_prefix(b"-")?)?;
    Some((1, last))
}

fn cut(cx: &mut Cx<'_>, value: &[u8], delimiter: u8, fields: &[u8], out: &mut Vec<u8>) -> Answer {
    let mut rest = (!value.is_empty()).then_some(value);
    let mut next = 1i32;
    let mut any = false;
    for group in fields.split(|b| *b == b'&') {
        if rest.is_none() {
            break;
        }
        let Some((first, last)) = range(group) else {
            return misused(cx);
        };
        while next < first && take(&mut rest, delimiter).is_some() {
            next += 1;
        }
        if next > first {
            cx.log(&code::CUT_FIELD_ORDER, || {
                format!("CUT is past field {first} already")
            });
        }
        while next <= last {
            let Some(field) = take(&mut rest, delimiter) else {
                break;
            };
            if any {
                out.push(delimiter);
            }
            any = true;
            out.extend_from_slice(field);
            next += 1;
        }
    }
    Answer::Done
}

/// Takes one field off the front.
fn take<'a>(rest: &mut Option<&'a [u8]>, delimiter: u8) -> Option<&'a [u8]> {
    let text = (*rest)?;
    // A delimiter of zero never occurs in a value.
    if let Some(at) = text.iter().position(|b| *b == delimiter) {
        *rest = text.get(at + 1..);
        return text.get(..at);
    }
    *rest = None;
    Some(text)
}
