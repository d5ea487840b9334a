//! Incomplete.

use super::answer::answered;
use crate::library::Application;
use crate::machine::{Cx, Flow};

/// Wait for more digits of the extension.
pub static INCOMPLETE: Application = Application::new(
    "Incomplete",
    "Ask for more digits of the extension.",
    "[n]",
    "Waits for further digits if a longer extension could match, else the extension is invalid. Answers the call \
     unless the option `n` is given.",
    run,
);

fn run(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    if data.contains(&b'n') {
        return Flow::Incomplete;
    }
    answered(cx, |_| Flow::Incomplete)
}
