//! FILTER.

use crate::base::arguments::Few;
use crate::base::scan::encoded;
use crate::diagnostic::{Level, code};
use crate::library::{Example, Function};
use crate::machine::{Answer, Cx};

/// Allowed characters only.
pub static FILTER: Function = Function::read(
    "FILTER",
    "Text with the allowed characters only.",
    "allowed,text",
    "Allowed are single characters, ranges such as `a-z`, and escapes (`\\x30-\\x39`). A `-` at the start or behind \
     `\\` is itself. Nothing is unquoted: quotes count as characters. A range that goes backwards wraps around.",
    |cx: &mut Cx<'_>, arguments, out| {
        let arguments = Few::<2>::raw(arguments);
        let [allowed, text] = arguments.as_slice() else {
            cx.log_at(&code::BAD_ARGUMENT, Level::Error, || {
                "FILTER needs allowed characters and a text".to_owned()
            });
            return Answer::Failed;
        };
        let Some(set) = allowed_set(cx, allowed) else {
            return Answer::Failed;
        };
        out.extend(
            text.iter()
                .copied()
                .filter(|b| set.get(usize::from(*b)) == Some(&true)),
        );
        Answer::Done
    },
)
.pure()
.examples(&[
    Example {
        title: "Digits only",
        dialplan: "Set(dialled=+1 (555) 123-4567)",
        evaluate: "${FILTER(0-9,${dialled})}",
        expect: "15551234567",
    },
    Example {
        title: "No way out of the dial string",
        dialplan: "Set(user=alice&Zap/1)",
        evaluate: "${FILTER(a-zA-Z0-9,${user})}",
        expect: "aliceZap1",
    },
]);

fn allowed_set(cx: &mut Cx<'_>, allowed: &[u8]) -> Option<[bool; 256]> {
    let mut set = [false; 256];
    let mut warned = false;
    let mut rest = allowed;
    while !rest.is_empty() {
        if rest.starts_with(b"\"") && !warned {
            warned = true;
            cx.log(&code::FILTER_QUOTE, || {
                "a quote among FILTER's characters allows the quote".to_owned()
            });
        }
        let Some((first, tail)) = encoded(rest) else {
            cx.log_at(&code::BAD_ARGUMENT, Level::Error, || {
                "`\\x` without a hexadecimal digit".to_owned()
            });
            return None;
        };
        rest = tail;
        let mut last = first;
        if let Some(end) = rest.strip_prefix(b"-") {
            (last, rest) = encoded(end).unwrap_or((first, end));
            if last < first {
                cx.log(&code::FILTER_RANGE_WRAPS, || {
                    "a range of FILTER goes backwards and wraps around".to_owned()
                });
            }
        }
        for step in 0..=last.wrapping_sub(first) {
            if let Some(slot) = set.get_mut(usize::from(first.wrapping_add(step))) {
                *slot = true;
            }
        }
    }
    Some(set)
}
