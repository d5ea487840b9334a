//! JSON_DECODE.

use serde_json::Value;

use crate::base::arguments::{options, standard};
use crate::base::printf::general;
use crate::base::scan::before_zero;
use crate::base::value::append_int;
use crate::diagnostic::code;
use crate::library::{Example, Function};
use crate::machine::{Answer, Cx};

/// A part of a JSON text.
pub static JSON_DECODE: Function = Function::read(
    "JSON_DECODE",
    "A part of the JSON text in a variable.",
    "variable,path[,separator[,options]]",
    "The path names members of objects and numbers of array elements, from 0, with the separator (`.`) between. Objects \
     and arrays are given as JSON, true and false as 1 and 0, null and what is missing as an empty text. With option \
     `c` an array gives the number of its elements. Integers are cut to 32 bits.",
    |cx: &mut Cx<'_>, arguments, _| {
        let arguments = standard(arguments, 4);
        let argument = |i: usize| arguments.get(i).map_or(&[][..], Vec::as_slice);
        let (name, path) = (argument(0), argument(1).to_vec());
        if name.is_empty() || path.is_empty() {
            cx.log(&code::BAD_ARGUMENT, || {
                "JSON_DECODE needs a variable and a path".to_owned()
            });
            return Answer::Failed;
        }
        let options = options(argument(3));
        for (letter, _) in options.letters.iter().filter(|(letter, _)| *letter != b'c') {
            cx.log(&code::UNKNOWN_OPTION, || {
                format!("the option `{}` is not known", char::from(*letter))
            });
        }
        let separator = match argument(2) {
            [] => b'.',
            [separator] => *separator,
            _ => {
                cx.log(&code::JSON_BAD_SEPARATOR, || {
                    "the separator of JSON_DECODE is one character".to_owned()
                });
                b'.'
            }
        };
        let count = options.has(b'c');
        Answer::read(name, move |cx, text, out| {
            if text.is_empty() {
                return Answer::Failed;
            }
            let Some(document) = parse(&text) else {
                cx.log(&code::JSON_PARSE, || {
                    "the text is no JSON object or array".to_owned()
                });
                return Answer::Failed;
            };
            if let Some(found) = walk(&document, &path, separator) {
                print(found, count, out);
            }
            Answer::Done
        })
    },
)
.examples(&[Example {
    title: "A member of a member",
    dialplan: "Set(j={\"who\":{\"name\":\"Bob\",\"age\":41},\"n\":[1,2,3]})",
    evaluate: "${JSON_DECODE(j,who.name)} ${JSON_DECODE(j,n.2)} ${JSON_DECODE(j,n,,c)}",
    expect: "Bob 3 3",
}]);

/// An object or array; integers must fit 64 bits.
fn parse(text: &[u8]) -> Option<Value> {
    let document: Value = serde_json::from_slice(text).ok()?;
    let container = document.is_object() || document.is_array();
    (container && integers_fit(text)).then_some(document)
}

/// The parser reads integers that are too large as floating point, where Asterisk refuses the text.
fn integers_fit(text: &[u8]) -> bool {
    let mut rest = text;
    while let Some((&b, tail)) = rest.split_first() {
        rest = tail;
        if b == b'"' {
            while let Some((&b, tail)) = rest.split_first() {
                rest = tail;
                match b {
                    b'\\' => rest = rest.get(1..).unwrap_or(&[]),
                    b'"' => break,
                    _ => {}
                }
            }
        } else if b == b'-' || b.is_ascii_digit() {
            let length = tail
                .iter()
                .take_while(|b| b.is_ascii_digit() || b".eE+-".contains(b))
                .count();
            let (more, after) = tail.split_at_checked(length).unwrap_or((tail, &[]));
            rest = after;
            let number = [&[b], more].concat();
            let whole = !number.iter().any(|b| b".eE".contains(b));
            let fits = std::str::from_utf8(&number).is_ok_and(|n| n.parse::<i64>().is_ok());
            if whole && !fits {
                return false;
            }
        }
    }
    true
}

/// Follows a path; what is no object or array ends it early.
fn walk<'a>(document: &'a Value, path: &[u8], separator: u8) -> Option<&'a Value> {
    let mut at = document;
    for key in path.split(|b| *b == separator) {
        at = match at {
            Value::Object(members) => members.get(std::str::from_utf8(key).ok()?)?,
            Value::Array(elements) => {
                let digits = !key.is_empty() && key.iter().all(u8::is_ascii_digit);
                let index = digits.then(|| std::str::from_utf8(key).ok()?.parse().ok());
                elements.get::<usize>(index??)?
            }
            _ => return Some(at),
        };
    }
    Some(at)
}

fn print(value: &Value, count: bool, out: &mut Vec<u8>) {
    match value {
        Value::Null => {}
        Value::Bool(value) => out.push(if *value { b'1' } else { b'0' }),
        Value::String(text) => out.extend_from_slice(before_zero(text.as_bytes())),
        Value::Array(elements) if count => append_int(elements.len() as i64, out),
        Value::Array(_) | Value::Object(_) => {
            out.extend_from_slice(value.to_string().as_bytes());
        }
        Value::Number(number) => {
            if let Some(n) = number.as_i64() {
                append_int(i64::from(n as i32), out);
                return;
            }
            let n = number.as_f64().unwrap_or(0.0);
            if n.is_sign_negative() {
                out.push(b'-');
            }
            out.extend_from_slice(general(n.abs(), 17, false).as_bytes());
        }
    }
}
