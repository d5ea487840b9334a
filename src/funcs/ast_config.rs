//! `AST_CONFIG`.

use crate::base::Text;
use crate::base::arguments::standard;
use crate::base::scan::int;
use crate::diagnostic::{Level, code};
use crate::library::{Example, Function};
use crate::machine::{Answer, Cx, Effect, Event, OutsideRequest};

/// A value of a configuration file.
pub static AST_CONFIG: Function = Function::read(
    "AST_CONFIG",
    "A value of a configuration file.",
    "file,category,variable[,index]",
    "Of several values of one name the first, or that of the index, which begins at 0 and counts from the end when it \
     is below 0: `-1` is the last. Templates, `#include` and `+=` count as in every configuration file; `#exec` runs \
     nothing. Of several categories of one name the first counts. A relative path begins in the folder of the \
     configuration, `/etc/asterisk`.",
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
        let variable = variable.clone();
        let request = OutsideRequest::Configuration {
            file: Text::from(file.as_slice()),
            category: Text::from(category.as_slice()),
            variable: Text::from(variable.as_slice()),
        };
        Answer::Await(
            Effect::Outside(request),
            Box::new(move |cx, event, out| {
                let Event::Values(values) = event else {
                    cx.log_at(&code::NOT_FOUND, Level::Error, || {
                        "the configuration file cannot be read".to_owned()
                    });
                    return Answer::Failed;
                };
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
