//! `QUEUE_EXISTS`, `QUEUE_MEMBER` and the others about call queues, which the engine does not have: they answer as
//! Asterisk does when the queue asked for does not exist.

use crate::base::arguments::standard;
use crate::diagnostic::{Level, code};
use crate::library::{Example, Function, Support};
use crate::machine::{Answer, Cx, Flow};

const LACKS: &str = "there are no queues: every name is that of one that does not exist";

macro_rules! queue {
    ($($name:ident $syntax:literal $wanted:literal $answer:literal $synopsis:literal $doc:literal;)*) => {$(
        #[doc = $synopsis]
        pub static $name: Function = Function::read(
            stringify!($name),
            $synopsis,
            $syntax,
            $doc,
            |cx, arguments, out| missing(cx, stringify!($name), $wanted, $answer, arguments, out),
        )
        .support(Support::Partial(LACKS))
        .examples(&[Example {
            title: "No such queue",
            dialplan: "",
            evaluate: concat!("[${", stringify!($name), "(sales,1)}]"),
            expect: concat!("[", $answer, "]"),
        }]);
    )*};
}

queue! {
    QUEUE_GET_CHANNEL "queue[,position]" 1 "" "The channel at a position of a queue."
        "Empty with a warning when the queue does not exist.";
    QUEUE_MEMBER "queue,option[,interface]" 2 "0" "How many members a queue has, or a value of one of them."
        "Options are logged, free, ready, count, penalty, paused and ringinuse. 0 with a warning when the queue does \
         not exist.";
    QUEUE_MEMBER_LIST "queue" 1 "" "The members of a queue."
        "Interfaces with commas between; empty with a warning when the queue does not exist.";
    QUEUE_VARIABLES "queue" 1 "-1" "Sets variables about a queue."
        "0 when they were set, -1 with a warning when the queue does not exist.";
    QUEUE_WAITING_COUNT "queue" 1 "0" "How many callers wait in a queue."
        "0 with a warning when the queue does not exist.";
}

/// Whether a queue exists.
pub static QUEUE_EXISTS: Function = Function::read(
    "QUEUE_EXISTS",
    "Whether a queue exists.",
    "queue",
    "1 or 0.",
    |cx: &mut Cx<'_>, queue, out| {
        if queue.is_empty() {
            return misused(cx, "QUEUE_EXISTS");
        }
        out.push(b'0');
        Answer::Done
    },
)
.support(Support::Partial(LACKS))
.examples(&[Example {
    title: "No such queue",
    dialplan: "",
    evaluate: "${QUEUE_EXISTS(sales)}",
    expect: "0",
}]);

/// The penalty of a member.
pub static QUEUE_MEMBER_PENALTY: Function = Function::read_write(
    "QUEUE_MEMBER_PENALTY",
    "The penalty of a member of a queue.",
    "queue,interface",
    "-1 when there is no such queue or member. Writing changes it.",
    |cx: &mut Cx<'_>, arguments, out| {
        missing(cx, "QUEUE_MEMBER_PENALTY", 2, "-1", arguments, out)
    },
    |cx: &mut Cx<'_>, arguments, _| {
        missing(
            cx,
            "QUEUE_MEMBER_PENALTY",
            2,
            "",
            arguments,
            &mut Vec::new(),
        );
        Flow::Next
    },
)
.support(Support::Partial(LACKS))
.examples(&[Example {
    title: "No such queue",
    dialplan: "",
    evaluate: "${QUEUE_MEMBER_PENALTY(sales,PJSIP/a)}",
    expect: "-1",
}]);

fn misused(cx: &mut Cx<'_>, function: &str) -> Answer {
    cx.log_at(&code::BAD_ARGUMENT, Level::Error, || {
        format!("{function} lacks an argument")
    });
    Answer::Failed
}

fn missing(
    cx: &mut Cx<'_>,
    function: &str,
    wanted: usize,
    answer: &str,
    arguments: &[u8],
    out: &mut Vec<u8>,
) -> Answer {
    let arguments = standard(arguments, 3);
    let given = arguments.iter().take(wanted).filter(|a| !a.is_empty());
    if given.count() < wanted {
        return misused(cx, function);
    }
    if let Some(queue) = arguments.first() {
        cx.log(&code::NOT_FOUND, || {
            format!("no queue `{}`", bstr::BStr::new(queue))
        });
    }
    out.extend_from_slice(answer.as_bytes());
    Answer::Done
}
