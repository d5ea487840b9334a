//! Hangup.

use crate::base::cause::cause_named;
use crate::base::duration::leading_number;
use crate::diagnostic::code;
use crate::library::Application;
use crate::machine::{Cx, Flow};

/// Hang up the calling channel.
pub static HANGUP: Application = Application::new(
    "Hangup",
    "Hang up the calling channel.",
    "[cause]",
    "Ends the call. The cause is a number or a name such as `CALL_REJECTED`; without one the cause already set stays, or 16.",
    run,
);

fn run(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    let cause = if data.is_empty() {
        None
    } else {
        // A number counts whatever it means, also with text after it.
        let number = || leading_number(data).map(|(n, _)| n.clamp(0.0, f64::from(i32::MAX)) as u32);
        let cause = cause_named(data).or_else(number);
        if cause.is_none() {
            let given = bstr::BStr::new(data).to_string();
            cx.log(&code::HANGUP_CAUSE_INVALID, || {
                format!("`{given}` is no hangup cause")
            });
        }
        cause
    };
    cx.leave(cause);
    Flow::Leave
}
