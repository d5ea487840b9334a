//! Short ways to write diagnostics of the loader.

use crate::base::Place;
use crate::diagnostic::{Code, Diagnostic, Entry, Logged, Report, Severity};

/// Whether and how Asterisk logs a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Log {
    /// It does not.
    Silent,
    /// Without file and line.
    Bare,
    /// With file and line.
    Placed,
    /// Without file and line, so many times in a row.
    Repeated(u32),
}

/// Adds a diagnostic.
pub(super) fn add(
    report: &mut Report,
    (severity, code): (Severity, &'static Code),
    place: Option<Place>,
    log: Log,
    message: String,
    help: &str,
) {
    let (placed, times) = match log {
        Log::Silent => (false, 0),
        Log::Bare => (false, 1),
        Log::Placed => (true, 1),
        Log::Repeated(times) => (false, times),
    };
    report.push(Diagnostic {
        code,
        severity,
        place,
        message,
        help: (!help.is_empty()).then(|| help.to_owned()),
        logged: (times > 0).then_some(Logged {
            level: code.level,
            placed,
            times,
        }),
    });
}

/// Adds what an evaluation at load time logged.
pub(super) fn entries(report: &mut Report, log: &mut Vec<Entry>, place: Place) {
    for entry in log.drain(..) {
        report.push(Diagnostic {
            code: entry.code,
            severity: Severity::Warning,
            place: Some(place),
            message: entry.message,
            help: Some("this is evaluated while the dialplan loads, without a channel".into()),
            logged: Some(Logged {
                level: entry.level,
                placed: false,
                times: 1,
            }),
        });
    }
}

/// User text in a message: in backticks, not longer than a line needs.
pub(super) fn quoted(text: &[u8]) -> String {
    const LONGEST: usize = 60;
    let cut = text.get(..LONGEST).unwrap_or(text);
    let dots = if cut.len() < text.len() { "…" } else { "" };
    let mut out = String::with_capacity(cut.len() + 5);
    out.push('`');
    for c in String::from_utf8_lossy(cut).chars() {
        out.push(if c.is_control() { '\u{fffd}' } else { c });
    }
    out.push_str(dots);
    out.push('`');
    out
}
