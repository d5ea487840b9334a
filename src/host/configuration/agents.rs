//! agents.conf.

use super::{is, unknown};
use crate::diagnostic::Report;
use crate::machine::facilities::{Agent, Facilities};
use crate::syntax::load::Category;

/// Settings that say nothing to the engine.
const OTHER: &[&str] = &[
    "ackcall",
    "acceptdtmf",
    "autologoff",
    "wrapuptime",
    "recordagentcalls",
    "custom_beep",
];

pub(super) fn read(categories: &[Category], facilities: &mut Facilities, report: &mut Report) {
    for category in categories {
        if is(&category.name, "general") {
            continue;
        }
        let mut agent = Agent::default();
        for setting in &category.settings {
            match () {
                () if is(&setting.name, "fullname") => agent.name = setting.value.clone(),
                () if is(&setting.name, "musiconhold") => agent.music = setting.value.clone(),
                () if OTHER.iter().any(|other| is(&setting.name, other)) => {}
                () => unknown(report, setting),
            }
        }
        facilities.agents.add(&category.name, agent);
    }
}
