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

use crate::base::symbol::{StableMap, stable_map};
use crate::base::{Place, Text};
use crate::diagnostic::{Diagnostic, Report, code};
use crate::syntax::load::{Category, Reader, categories};

use super::companion::{say, twice};
use super::definition::{Definition, RuleKind};
use super::monitoring_conf::Monitoring;
use super::wrong::{is_unknown_key, no_key, yes_or_no};

/// The rules that are known by name.
#[derive(Debug, Clone)]
pub struct Rules {
    by_name: StableMap<Text, (Arc<Definition>, u64)>,
    /// Monitoring keys that rules name, and where.
    keys: Vec<(Text, Place)>,
    /// Whether there is a file: without one the PCEF is to know all rules.
    there: bool,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            by_name: stable_map(),
            keys: Vec::new(),
            there: false,
        }
    }
}

impl Rules {
    /// Reads a file; what is wrong in it is said and left out.
    pub fn read(path: &Path, reader: &mut dyn Reader) -> (Self, Report) {
        let (categories, mut report) = categories(path, reader);
        let mut rules = Self {
            there: true,
            ..Self::default()
        };
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
        let mut known_as = None;
        let mut own = Vec::new();
        twice(category, &[b"flow"], report);
        for setting in &category.settings {
            let kind = match setting.name.to_ascii_lowercase().as_slice() {
                b"predefined" => Some(RuleKind::Predefined),
                b"base" => Some(RuleKind::Base),
                _ => None,
            };
            let set = match kind {
                None => definition
                    .define(&setting.name, &setting.value)
                    .map(|()| own.push(setting)),
                Some(kind) => match yes_or_no(&setting.value) {
                    Ok(true) if known_as.is_some_and(|known| known != kind) => {
                        Err(Some("a rule is either predefined or a base"))
                    }
                    Ok(said) => {
                        known_as = known_as.or(said.then_some(kind));
                        Ok(())
                    }
                    Err(why) => Err(Some(why)),
                },
            };
            match set {
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
        if let Some(kind) = known_as {
            for setting in own {
                let message = format!(
                    "the PCEF knows what the rule `{}` is: `{}` does not count",
                    category.name, setting.name
                );
                say(report, &code::POLICY_RULE_BOTH, setting.place, message);
            }
            definition = Definition {
                kind,
                ..Definition::default()
            };
        } else if category.settings.is_empty() {
            let message = format!(
                "nothing says what the rule `{}` is; `predefined=yes` where the PCEF knows it",
                category.name
            );
            say(report, &code::POLICY_RULE_EMPTY, category.place, message);
        }
        if let Some(key) = &definition.monitoring_key {
            let places = category.settings.iter();
            let place = places
                .filter(|setting| setting.name.eq_ignore_ascii_case(b"monitoring_key"))
                .map(|setting| setting.place)
                .next_back();
            self.keys
                .push((key.clone(), place.unwrap_or(category.place)));
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

    /// Says which monitoring keys of rules are not in monitoring.conf.
    pub(super) fn check_keys(&self, monitoring: &Monitoring, report: &mut Report) {
        for (key, place) in &self.keys {
            if is_unknown_key(monitoring, key) {
                report.push(Diagnostic::warning(
                    &code::POLICY_KEY_UNKNOWN,
                    *place,
                    no_key(key),
                    "usage of a key that is not there has no limit",
                ));
            }
        }
    }

    /// What a name means.
    pub fn definition(&self, name: &[u8]) -> Option<&Arc<Definition>> {
        self.by_name.get(name).map(|(definition, _)| definition)
    }

    /// A number that differs where the meaning differs; 0 for an unknown name.
    pub fn meaning(&self, name: &[u8]) -> u64 {
        self.by_name.get(name).map_or(0, |(_, meaning)| *meaning)
    }

    /// Whether there is a file of rules, be it empty.
    pub fn is_there(&self) -> bool {
        self.there
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
