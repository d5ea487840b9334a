//! QUOTE and `CSV_QUOTE`.

use crate::diagnostic::code;
use crate::library::{Example, Function};
use crate::machine::{Answer, Cx};

/// Quoted for the dialplan.
pub static QUOTE: Function = Function::read(
    "QUOTE",
    "Text in double quotes, safe as one argument.",
    "text",
    "Quotes and backslashes inside are protected by a backslash. An empty text gives two quotes and a warning.",
    |cx: &mut Cx<'_>, text, out| {
        if text.is_empty() {
            cx.log(&code::BAD_ARGUMENT, || "QUOTE without a text".to_owned());
        }
        out.push(b'"');
        for &b in text {
            if matches!(b, b'"' | b'\\') {
                out.push(b'\\');
            }
            out.push(b);
        }
        out.push(b'"');
        Answer::Done
    },
)
.examples(&[Example {
    title: "A value with a quote in it",
    dialplan: "Set(said=a \"b\")",
    evaluate: "${QUOTE(${said})}",
    expect: "\"a \\\"b\\\"\"",
}]);

/// Quoted for a CSV file.
pub static CSV_QUOTE: Function = Function::read(
    "CSV_QUOTE",
    "Text in double quotes, as a field of a CSV file.",
    "text",
    "Quotes inside are doubled.",
    |_: &mut Cx<'_>, text, out| {
        out.push(b'"');
        for &b in text {
            if b == b'"' {
                out.push(b'"');
            }
            out.push(b);
        }
        out.push(b'"');
        Answer::Done
    },
)
.examples(&[Example {
    title: "A field with quotes",
    dialplan: "Set(said=a \"b\" c)",
    evaluate: "${CSV_QUOTE(${said})}",
    expect: "\"a \"\"b\"\" c\"",
}]);
