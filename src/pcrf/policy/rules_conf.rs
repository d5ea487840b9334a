//! rules.conf: what the names of rules mean.
//!
//! ```text
//! [gold-20m]
//! qci=8
//! arp=8
//! mbr_dl=20M
//! mbr_ul=5M
//! flow=down,permit out ip from any to assigned
//! rating_group=100
//! precedence=100
//!
//! [iot-only]
//! predefined=yes
//! ```

use std::path::Path;
use std::sync::Arc;

use crate::base::Text;
use crate::base::symbol::{StableMap, stable_map};
use crate::diagnostic::{Report, code};
use crate::syntax::load::{Category, Reader, categories};

use super::companion::say;
use super::definition::{Definition, RuleKind};

/// The rules that are known by name.
#[derive(Debug, Clone)]
pub struct Rules {
    by_name: StableMap<Text, (Arc<Definition>, u64)>,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            by_name: stable_map(),
        }
    }
}

impl Rules {
    /// Reads a file; what is wrong in it is said and left out.
    pub fn read(path: &Path, reader: &mut dyn Reader) -> (Self, Report) {
        let (categories, mut report) = categories(path, reader);
        let mut rules = Self::default();
        for category in &categories {
            rules.add(category, &mut report);
        }
        (rules, report)
    }

    fn add(&mut self, category: &Category, report: &mut Report) {
        if self.by_name.contains_key(&category.name) {
            let message = format!(
                "the rule `{}` is there twice; the first counts",
                category.name
            );
            say(report, &code::POLICY_NAME_TWICE, category.place, message);
            return;
        }
        let mut definition = Definition::default();
        for setting in &category.settings {
            match definition.set(&setting.name, &setting.value) {
                Ok(()) => {}
                Err(None) => {
                    let message = format!("a rule has no `{}`", setting.name);
                    say(report, &code::SETTING_UNKNOWN, setting.place, message);
                }
                Err(Some(wrong)) => {
                    let message =
                        format!("`{}` cannot be `{}`: {wrong}", setting.name, setting.value);
                    say(report, &code::SETTING_INVALID, setting.place, message);
                }
            }
        }
        if definition.kind == RuleKind::Defined && definition.flows.is_empty() {
            let message = format!(
                "the rule `{}` has no flow: it is about all packets",
                category.name
            );
            let diagnostic =
                super::companion::note(&code::POLICY_RULE_WITHOUT_FLOW, category.place, message);
            report.push(diagnostic);
        }
        let meaning = definition.hash();
        self.by_name
            .insert(category.name.clone(), (Arc::new(definition), meaning));
    }

    /// What a name means.
    pub fn definition(&self, name: &[u8]) -> Option<&Arc<Definition>> {
        self.by_name.get(name).map(|(definition, _)| definition)
    }

    /// A number that differs where the meaning differs; 0 for an unknown name.
    pub fn meaning(&self, name: &[u8]) -> u64 {
        self.by_name.get(name).map_or(0, |(_, meaning)| *meaning)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.by_name.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.by_name.is_empty()
    }

    /// The names, sorted.
    pub fn names(&self) -> Vec<&Text> {
        let mut names: Vec<&Text> = self.by_name.keys().collect();
        names.sort();
        names
    }
}
