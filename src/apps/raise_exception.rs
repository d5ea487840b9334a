//! `RaiseException`.

use crate::base::Text;
use crate::library::Application;
use crate::machine::{Cx, Flow, Location};

/// Go to the exception extension.
pub static RAISE_EXCEPTION: Application = Application::new(
    "RaiseException",
    "Handle an exceptional condition.",
    "reason",
    "Goes to the extension `e` of the present context; EXCEPTION() tells the reason and the place of this line.",
    run,
);

fn run(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    cx.raise(data);
    Flow::Jump(Location {
        exten: Text::from("e"),
        priority: 1,
        ..cx.location().clone()
    })
}
