//! What is said about the files beside a policy.

use crate::base::Place;
use crate::diagnostic::{Code, Diagnostic, Report, Severity};

/// A line or an entry is left out.
pub(super) fn say(report: &mut Report, code: &'static Code, place: Place, message: String) {
    report.push(Diagnostic {
        code,
        severity: Severity::Error,
        place: Some(place),
        message,
        help: None,
        logged: None,
    });
}

/// Something that is good to know.
pub(super) fn note(code: &'static Code, place: Place, message: String) -> Diagnostic {
    Diagnostic {
        code,
        severity: Severity::Note,
        place: Some(place),
        message,
        help: None,
        logged: None,
    }
}
