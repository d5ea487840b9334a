//! Configuration files other than the dialplan, read by the same rules: categories of `name = value` lines.

use std::path::Path;
use std::rc::Rc;

use super::{LoadOptions, Reader, section};
use crate::base::{Place, Text};
use crate::diagnostic::Report;

/// `name = value`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// Its name, as written.
    pub name: Text,
    /// Its value.
    pub value: Text,
    /// Where it stands.
    pub place: Place,
}

/// `[name]` and its settings, with those inherited from templates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Category {
    /// Its name.
    pub name: Text,
    /// Where it stands.
    pub place: Place,
    /// Its settings in their order.
    pub settings: Vec<Setting>,
}

/// Reads a configuration file and all that it includes. Templates are left out. The report names the faults of the
/// file itself; where it is refused as a whole, there are no categories.
pub fn categories(path: impl AsRef<Path>, reader: &mut dyn Reader) -> (Vec<Category>, Report) {
    let mut report = Report::new();
    let options = LoadOptions::default();
    let config = section::read(path.as_ref(), reader, &options, &mut report);
    let sections = config.sections.iter().filter(|section| !section.template);
    let mut categories: Vec<Category> = sections
        .map(|section| Category {
            name: section.name.clone(),
            place: section.place,
            settings: section
                .lines
                .iter()
                .map(|line| Setting {
                    name: Text::from(config.name(line)),
                    value: Text::from(config.value(line)),
                    place: line.place(),
                })
                .collect(),
        })
        .collect();
    for file in config.files {
        let bytes = Rc::try_unwrap(file.bytes).unwrap_or_else(|shared| (*shared).clone());
        report
            .sources
            .add_included(file.path, bytes, file.lines_before, file.mark);
    }
    if report.is_refused() {
        categories.clear();
    }
    (categories, report)
}
