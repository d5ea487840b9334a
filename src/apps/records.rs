//! `ResetCDR`, `ForkCDR`, `CELGenUserEvent`, `UserEvent`, `DumpChan`: what only clients and records see.

use crate::base::Text;
use crate::base::arguments;
use crate::diagnostic::code;
use crate::library::{Application, Support};
use crate::machine::records::Fork;
use crate::machine::{Cx, Effect, Flow};

/// Reset the call record.
pub static RESET_CDR: Application = Application::new(
    "ResetCDR",
    "Resets the Call Data Record.",
    "[options]",
    "The record begins now; the answer of an answered call is now, too; fields that the dialplan wrote are gone. \
     v: they stay. e: a record that CDR_PROP(disable) took away is wanted again.",
    run_reset,
);

/// Fork the call record.
pub static FORK_CDR: Application = Application::new(
    "ForkCDR",
    "Forks the current Call Data Record for this channel.",
    "[options]",
    "Begins a further record of this call, a copy of the present one. a: an answered call counts as answered now. \
     e: the present record ends. r: the new record begins now, as with a. v: fields that the dialplan wrote are not \
     copied.",
    run_fork,
);

/// Write an event of one's own to the event log.
pub static CEL_GEN_USER_EVENT: Application = Application::new(
    "CELGenUserEvent",
    "Generates a CEL User Defined Event.",
    "event-name[,extra]",
    "Makes a channel event USER_DEFINED of that name, with the text as its extra field.",
    |cx, data| {
        let fields = arguments::standard(data, 2);
        let Some(name) = fields.first().filter(|name| !name.is_empty()) else {
            cx.log(&code::ARGUMENT_MISSING, || {
                "CELGenUserEvent needs the name of an event".to_owned()
            });
            return Flow::Next;
        };
        cx.user_event(name, fields.get(1).map_or(&[][..], Vec::as_slice));
        Flow::Next
    },
);

/// Send an event to clients.
pub static USER_EVENT: Application = Application::new(
    "UserEvent",
    "Send an arbitrary user-defined event to parties interested in a channel.",
    "name[,key: value[,...]]",
    "Sends an event of that name with headers to the clients of the host.",
    run_event,
)
.support(Support::Simulated);

/// Show the channel.
pub static DUMP_CHAN: Application = Application::new(
    "DumpChan",
    "Dump information about the calling channel.",
    "[level]",
    "Writes the channel and its variables as verbose messages.",
    run_dump,
);

fn run_reset(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    let options = arguments::options(data);
    let known = cx.reset_record(options.has(b'v'));
    if options.has(b'e') {
        cx.disable_records(false);
    }
    if !known {
        no_record(cx);
    }
    Flow::Next
}

fn run_fork(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    let options = arguments::options(data);
    let known = cx.fork_record(Fork {
        answer: options.has(b'a'),
        end: options.has(b'e'),
        reset: options.has(b'r'),
        bare: options.has(b'v'),
    });
    if !known {
        no_record(cx);
    }
    Flow::Next
}

fn no_record(cx: &mut Cx<'_>) {
    cx.log(&code::NOT_FOUND, || {
        "there is no record of this call".to_owned()
    });
}

fn run_event(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    let mut fields = arguments::standard(data, 100).into_iter();
    let name = fields.next().unwrap_or_default();
    if name.is_empty() {
        cx.log(&code::ARGUMENT_MISSING, || {
            "UserEvent needs a name".to_owned()
        });
        return Flow::Leave;
    }
    let effect = Effect::UserEvent {
        name: Text::from(name),
        headers: fields.map(Text::from).collect(),
    };
    Flow::wait_then(effect, |_, _| Flow::Next)
}

fn run_dump(cx: &mut Cx<'_>, _: &[u8]) -> Flow {
    let channel = cx.channel();
    let at = cx.location();
    let head = format!(
        "{} ({}) at {}@{}, priority {}, cause {}",
        channel.name,
        channel.state.name(),
        at.exten,
        at.context,
        at.priority,
        channel.cause
    );
    cx.verbose(0, head.as_bytes());
    for (name, value, _) in cx.variables() {
        cx.verbose(0, format!("{name}={value}").as_bytes());
    }
    Flow::Next
}
