//! `HangupCauseClear`.

use crate::library::Application;
use crate::machine::Flow;

/// Forget the causes of earlier legs.
pub static HANGUP_CAUSE_CLEAR: Application = Application::new(
    "HangupCauseClear",
    "Forget the hangup causes of earlier legs.",
    "",
    "Clears what HANGUPCAUSE() and HANGUPCAUSE_KEYS() know of channels that were dialled.",
    |cx, _| {
        cx.channel_mut().leg_causes.clear();
        Flow::Next
    },
);
