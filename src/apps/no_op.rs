//! NoOp.

use crate::library::{Application, LineBuilder};
use crate::machine::{Cx, Flow};
use crate::program::instruction::{Direct, Operation};

/// Do nothing.
pub static NO_OP: Application = Application::new(
    "NoOp",
    "Do nothing.",
    "[text]",
    "Does nothing. Its data is substituted and shown in a trace.",
    run,
)
.compile(compile);

fn run(_: &mut Cx<'_>, _: &[u8]) -> Flow {
    Flow::Next
}

fn compile(line: &mut dyn LineBuilder, data: &[u8]) -> Option<Direct> {
    line.is_quiet(data).then_some(Direct::Next(Operation::Nothing))
}
