//! `AST_CONFIG`.

use crate::base::Text;
use crate::base::arguments::standard;
use crate::base::scan::{int, strip};
use crate::diagnostic::{Level, code};
use crate::library::{Example, Function, Support};
use crate::machine::{Answer, Cx, Effect, Event, OutsideRequest};

/// A value of a configuration file.
pub static AST_CONFIG: Function = Function::read(
    "AST_CONFIG",
    "A value of a configuration file.",
    "file,category,variable[,index]",
    "Of several values of one name the first, or that of the index, which begins at 0 and counts from the end when it \
     is below 0. A relative path begins in the folder of the configuration.",
    |cx: &mut Cx<'_>, arguments, _| {
        let arguments = standard(arguments, 4);
        let [file, category, variable, index @ ..] = arguments.as_slice() else {
            return misused(cx);
        };
        if file.is_empty() || category.is_empty() || variable.is_empty() {
            return misused(cx);
        }
        let index = match index.first().map(Vec::as_slice) {
            None | Some([]) => 0,
            Some(text) => match int(text) {
                Some((index, _)) => index,
                None => return misused(cx),
            },
        };
        let (category, variable) = (category.clone(), variable.clone());
        let request = OutsideRequest::ReadConfiguration(Text::from(file.as_slice()));
        Answer::Await(
            Effect::Outside(request),
            Box::new(move |cx, event, out| {
                let Event::Value(text) = event else {
                    cx.log_at(&code::NOT_FOUND, Level::Error, || {
                        "the configuration file cannot be read".to_owned()
                    });
                    return Answer::Failed;
                };
                let values = values(&text, &category, &variable);
                let index = if index < 0 {
                    values.len().checked_sub(index.unsigned_abs() as usize)
                } else {
                    usize::try_from(index).ok()
                };
                let Some(value) = index.and_then(|index| values.get(index)) else {
                    cx.log(&code::NOT_FOUND, || {
                        format!("no `{}` there", bstr::BStr::new(&variable))
                    });
                    return Answer::Failed;
                };
                out.extend_from_slice(value);
                Answer::Done
            }),
        )
    },
)
.support(Support::Partial("`#include` and templates are not followed"))
.examples(&[Example {
    title: "A file that is not there",
    dialplan: "",
    evaluate: "[${AST_CONFIG(/no/such.conf,general,language)}]",
    expect: "[]",
}]);

fn misused(cx: &mut Cx<'_>) -> Answer {
    cx.log_at(&code::BAD_ARGUMENT, Level::Error, || {
        "AST_CONFIG needs a file, a category and a variable".to_owned()
    });
    Answer::Failed
}

/// All values of a name in a category. Categories and names count without regard to case.
fn values(text: &[u8], category: &[u8], variable: &[u8]) -> Vec<Vec<u8>> {
    let mut here = false;
    let mut found = Vec::new();
    let mut comment = false;
    for line in text.split(|b| *b == b'\n') {
        if comment || line.starts_with(b";--") && !line.starts_with(b";---") {
            comment = !bstr::ByteSlice::contains_str(line, b"--;");
            continue;
        }
        let line = without_comment(line);
        let line = strip(&line);
        if let Some(rest) = line.strip_prefix(b"[") {
            let name = rest.split(|b| *b == b']').next().unwrap_or(&[]);
            here = name.eq_ignore_ascii_case(category);
            continue;
        }
        let Some(at) = line.iter().position(|b| *b == b'=').filter(|_| here) else {
            continue;
        };
        let (name, value) = line.split_at_checked(at).unwrap_or((line, &[]));
        let value = value.get(1..).unwrap_or(&[]);
        let value = value.strip_prefix(b">").unwrap_or(value);
        if strip(name).eq_ignore_ascii_case(variable) {
            found.push(strip(value).to_vec());
        }
    }
    found
}

/// A line up to its comment; `\;` is a semicolon.
fn without_comment(line: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for b in line {
        if *b == b';' {
            if out.last() != Some(&b'\\') {
                break;
            }
            out.pop();
        }
        out.push(*b);
    }
    out
}
