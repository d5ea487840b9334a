//! HANGUPCAUSE and `HANGUPCAUSE_KEYS`.

use crate::base::arguments::standard;
use crate::diagnostic::code;
use crate::library::{Example, Function};
use crate::machine::{Answer, Cx};

/// Why a called channel ended.
pub static HANGUPCAUSE: Function = Function::read(
    "HANGUPCAUSE",
    "Why a channel that was called ended.",
    "channel,ast|tech",
    "With `ast` the cause in words, with `tech` in the terms of the channel's protocol. Not to be confused with the \
     variable HANGUPCAUSE, a number. Empty with a warning for a channel that nothing is known of: one that was not called, or whose protocol tells \
     no cause, such as Local.",
    |cx: &mut Cx<'_>, arguments, out| {
        let arguments = standard(arguments, 3);
        let [channel, kind] = arguments.as_slice() else {
            cx.log(&code::BAD_ARGUMENT, || {
                "HANGUPCAUSE needs two arguments".to_owned()
            });
            return Answer::Failed;
        };
        let found = cx
            .channel()
            .leg_causes
            .iter()
            .rev()
            .find(|leg| leg.channel.as_bytes() == channel.as_slice());
        let Some(leg) = found else {
            cx.log(&code::NOT_FOUND, || {
                format!("nothing is known of `{}`", bstr::BStr::new(channel))
            });
            return Answer::Failed;
        };
        match kind.as_slice() {
            b"ast" => out.extend_from_slice(&leg.words),
            b"tech" => out.extend_from_slice(&leg.protocol),
            _ => {
                cx.log(&code::BAD_ARGUMENT, || {
                    "HANGUPCAUSE knows ast and tech".to_owned()
                });
                return Answer::Failed;
            }
        }
        Answer::Done
    },
)
.examples(&[Example {
    title: "Nothing was called",
    dialplan: "",
    evaluate: "[${HANGUPCAUSE(PJSIP/a-00000001,ast)}]",
    expect: "[]",
}]);

/// Channels whose end is known.
pub static HANGUPCAUSE_KEYS: Function = Function::read(
    "HANGUPCAUSE_KEYS",
    "Channels that HANGUPCAUSE knows.",
    "",
    "With commas between.",
    |cx: &mut Cx<'_>, _, out| {
        for (i, leg) in cx.channel().leg_causes.iter().enumerate() {
            if i > 0 {
                out.push(b',');
            }
            out.extend_from_slice(&leg.channel);
        }
        Answer::Done
    },
)
.examples(&[Example {
    title: "Nothing was called",
    dialplan: "",
    evaluate: "[${HANGUPCAUSE_KEYS()}]",
    expect: "[]",
}]);
