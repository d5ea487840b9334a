//! `res_parking.conf`.

use super::{invalid, is, seconds, switch, unknown};
use crate::diagnostic::Report;
use crate::machine::facilities::{Facilities, Lot};
use crate::syntax::load::{Category, Setting};

/// Settings that say nothing to the engine.
const OTHER: &[&str] = &[
    "parkinghints",
    "parkedmusicclass",
    "parkedplay",
    "courtesytone",
    "parkedcalltransfers",
    "parkedcallreparking",
    "parkedcallhangup",
    "parkedcallrecording",
    "parkext_exclusive",
];

pub(super) fn read(categories: &[Category], facilities: &mut Facilities, report: &mut Report) {
    for category in categories {
        if is(&category.name, "general") {
            continue;
        }
        let mut lot = Lot::new(&category.name);
        for setting in &category.settings {
            let name = setting.name.to_ascii_lowercase();
            match name.as_slice() {
                b"parkext" => lot.exten = setting.value.clone(),
                b"parkpos" => match spaces(setting) {
                    Some(spaces) => lot.spaces = spaces,
                    None => invalid(report, setting),
                },
                b"context" => lot.context = setting.value.clone(),
                b"parkingtime" => lot.time = seconds(report, setting).unwrap_or(lot.time),
                b"comebackdialtime" => {
                    lot.back_time = seconds(report, setting).unwrap_or(lot.back_time);
                }
                b"comebacktoorigin" => lot.to_origin = switch(setting),
                b"comebackcontext" => lot.back_context = setting.value.clone(),
                b"findslot" => lot.next = setting.value.eq_ignore_ascii_case(b"next"),
                _ if OTHER.iter().any(|other| is(&setting.name, other)) => {}
                _ => unknown(report, setting),
            }
        }
        facilities.parking.add(lot);
    }
}

/// `701-720`
fn spaces(setting: &Setting) -> Option<(u32, u32)> {
    let text = std::str::from_utf8(&setting.value).ok()?;
    let (first, last) = text.split_once('-')?;
    let (first, last) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
    (first <= last).then_some((first, last))
}
