//! `ResetCDR`, `ForkCDR`, `CELGenUserEvent`, `UserEvent`, `DumpChan`: what only clients and records see.

use crate::base::Text;
use crate::base::arguments;
use crate::diagnostic::code;
use crate::library::{Application, Support};
use crate::machine::{Cx, Effect, Flow};

/// Reset the call record.
pub static RESET_CDR: Application = Application::new(
    "ResetCDR",
    "Resets the Call Data Record.",
    "[options]",
    "Would reset the call record; the engine keeps none.",
    |_, _| Flow::Next,
)
.support(Support::Simulated);

/// Fork the call record.
pub static FORK_CDR: Application = Application::new(
    "ForkCDR",
    "Forks the current Call Data Record for this channel.",
    "[options]",
    "Would begin a further call record; the engine keeps none.",
    |_, _| Flow::Next,
)
.support(Support::Simulated);

/// Write an event of one's own to the event log.
pub static CEL_GEN_USER_EVENT: Application = Application::new(
    "CELGenUserEvent",
    "Generates a CEL User Defined Event.",
    "event-name[,extra]",
    "Would write an event to the event log; the engine keeps none.",
    |_, _| Flow::Next,
)
.support(Support::Simulated);

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
