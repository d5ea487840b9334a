//! `HangupCauseClear`.

use crate::library::{Application, Support};
use crate::machine::Flow;

/// Forget the causes of earlier legs.
pub static HANGUP_CAUSE_CLEAR: Application = Application::new(
    "HangupCauseClear",
    "Forget the hangup causes of earlier legs.",
    "",
    "Clears what HANGUPCAUSE() and HANGUPCAUSE_KEYS() know of channels that were dialled.",
    |_, _| Flow::Next,
)
.support(Support::Partial(
    "no causes of dialled channels are kept, so there is nothing to clear",
));
