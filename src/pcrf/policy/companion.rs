//! What is said about the files beside a policy.

use crate::base::Place;
use crate::diagnostic::{Code, Diagnostic, Report, Severity, code};
use crate::syntax::load::Category;

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

/// Says which settings a section itself has twice; what stands in its templates may be replaced, and some names may stand
/// several times.
pub(super) fn twice(category: &Category, several: &[&[u8]], report: &mut Report) {
    let own =
        |place: Place| place.source == category.place.source && place.line > category.place.line;
    let mut known: Vec<Vec<u8>> = Vec::new();
    for setting in category
        .settings
        .iter()
        .filter(|setting| own(setting.place))
    {
        let name = setting.name.to_ascii_lowercase();
        if several.contains(&name.as_slice()) {
            continue;
        }
        if known.contains(&name) {
            let message = format!("`{}` is there twice; the last counts", setting.name);
            say(report, &code::POLICY_SETTING_TWICE, setting.place, message);
        } else {
            known.push(name);
        }
    }
}
