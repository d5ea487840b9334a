//! REGEX.

use std::cell::RefCell;

use crate::base::EreCache;
use crate::base::arguments::Few;
use crate::diagnostic::{Level, code};
use crate::library::{Example, Function};
use crate::machine::{Answer, Cx};

thread_local! {
    // The same for every call, and bounded.
    static PATTERNS: RefCell<EreCache> = RefCell::new(EreCache::default());
}

/// Whether a text matches.
pub static REGEX: Function = Function::read(
    "REGEX",
    "Whether a text matches a regular expression.",
    "\"expression\" text",
    "1 or 0. The expression is POSIX extended and stands in quotes; one blank behind them is dropped. Brackets and \
     parentheses in it must be balanced, and a backslash is read twice.",
    |cx: &mut Cx<'_>, arguments, out| {
        let parts = Few::<3>::split(arguments, b'"', true);
        let [_, expression, text] = parts.as_slice() else {
            cx.log_at(&code::BAD_ARGUMENT, Level::Error, || {
                "REGEX needs an expression in quotes".to_owned()
            });
            return Answer::Failed;
        };
        let text = match text.split_first() {
            Some((b' ' | b'\t', rest)) => rest,
            _ => text.as_ref(),
        };
        match PATTERNS.with_borrow_mut(|patterns| patterns.get(expression)) {
            Ok(regex) => {
                out.push(if regex.is_match(text) { b'1' } else { b'0' });
                Answer::Done
            }
            Err(error) => {
                cx.log(&code::BAD_REGEX, || error.to_string());
                Answer::Failed
            }
        }
    },
)
.pure()
.matches()
.examples(&[Example {
    title: "Three digits",
    dialplan: "Set(n=204)",
    evaluate: "${REGEX(\"^[0-9]{3}$\" ${n})}",
    expect: "1",
}]);
