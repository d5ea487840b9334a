//! queuerules.conf.

use super::{invalid, is, unknown};
use crate::diagnostic::Report;
use crate::machine::facilities::{Facilities, PenaltyChange};
use crate::syntax::load::Category;

pub(super) fn read(categories: &[Category], facilities: &mut Facilities, report: &mut Report) {
    for category in categories.iter().filter(|c| !is(&c.name, "general")) {
        let mut lines = Vec::new();
        for setting in &category.settings {
            if !is(&setting.name, "penaltychange") {
                unknown(report, setting);
            } else if let Some(line) = PenaltyChange::read(&setting.value) {
                lines.push(line);
            } else {
                invalid(report, setting);
            }
        }
        facilities.queues.add_rule(&category.name, lines);
    }
}
