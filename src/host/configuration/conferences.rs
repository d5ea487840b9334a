//! confbridge.conf.

use std::collections::BTreeMap;

use super::{invalid, is};
use crate::base::Text;
use crate::diagnostic::Report;
use crate::machine::facilities::Facilities;
use crate::syntax::load::Category;

pub(super) fn read(categories: &[Category], facilities: &mut Facilities, report: &mut Report) {
    let conferences = &mut facilities.conferences;
    for category in categories {
        if is(&category.name, "general") {
            continue;
        }
        let kind = category.settings.iter().find(|s| is(&s.name, "type"));
        let Some(kind) = kind else {
            continue;
        };
        let profiles = match kind.value.to_ascii_lowercase().as_slice() {
            b"bridge" => &mut conferences.bridges,
            b"user" => &mut conferences.users,
            b"menu" => &mut conferences.menus,
            _ => {
                invalid(report, kind);
                continue;
            }
        };
        let settings = category
            .settings
            .iter()
            .filter(|s| !is(&s.name, "type"))
            .map(|s| (Text::from(s.name.to_ascii_lowercase()), s.value.clone()));
        let profile: BTreeMap<Text, Text> = settings.collect();
        profiles.insert(category.name.clone(), profile);
    }
}
