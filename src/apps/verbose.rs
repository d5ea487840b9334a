//! Verbose, Log.

use crate::base::arguments;
use crate::diagnostic::code;
use crate::library::Application;
use crate::machine::{Cx, Flow};

/// Write a verbose message.
pub static VERBOSE: Application = Application::new(
    "Verbose",
    "Send arbitrary text to verbose output.",
    "[level,]message",
    "Writes a message at a verbose level from 0 to 4. One argument is a message of level 0. The message keeps its \
     commas and quotes.",
    run,
);

/// Write a log message.
pub static LOG: Application = Application::new(
    "Log",
    "Send arbitrary text to a selected log level.",
    "level,message",
    "Writes a message at the level ERROR, WARNING, NOTICE, DEBUG, VERBOSE or DTMF.",
    run_log,
);

fn run(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    let fields = arguments::standard(data, 2);
    match fields.as_slice() {
        [message] => cx.verbose(0, message),
        [level, message] => {
            let level = level_of(level).unwrap_or_else(|| {
                cx.log(&code::VERBOSE_LEVEL_INVALID, || {
                    "the level of Verbose is not a number".to_owned()
                });
                0
            });
            cx.verbose(level, message);
        }
        _ => {}
    }
    Flow::Next
}

/// A level, clipped to 0 … 4.
fn level_of(text: &[u8]) -> Option<u8> {
    let (number, _) = crate::base::duration::leading_number(text)?;
    Some(number.clamp(0.0, 4.0) as u8)
}

fn run_log(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    let mut fields = arguments::standard(data, 2).into_iter();
    let Some(level) = fields.next() else {
        return Flow::Next;
    };
    let level = level.to_ascii_uppercase();
    let known: [&[u8]; 6] = [
        b"ERROR", b"WARNING", b"NOTICE", b"DEBUG", b"VERBOSE", b"DTMF",
    ];
    if !known.contains(&level.as_slice()) {
        cx.log(&code::LOG_LEVEL_UNKNOWN, || {
            format!("no log level `{}`", bstr::BStr::new(&level))
        });
        return Flow::Next;
    }
    let mut text = level;
    text.extend_from_slice(b": ");
    text.extend_from_slice(&fields.next().unwrap_or_default());
    cx.verbose(0, &text);
    Flow::Next
}
