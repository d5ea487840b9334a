//! What is probably not meant.

use std::collections::BTreeSet;

use bstr::BStr;

use crate::base::symbol::{StableMap, stable_map};
use crate::diagnostic::{Code, Diagnostic, Report, Severity, code};
use crate::rules::rule::{Matching, Rule};
use crate::rules::set::RuleSet;
use crate::rules::settings::Dialect;

/// Rules of one flag with plain texts above which a tree is suggested.
const MANY: usize = 16;

impl RuleSet {
    /// Adds warnings about rules that load and yet do not do what one would think.
    pub fn lint(&self, report: &mut Report) {
        self.lint_chains(report);
        for rule in &self.rules {
            self.lint_jumps(rule, report);
            if self.settings.dialect == Dialect::Re2 && rule.caseless && rule.replacement.is_some()
            {
                say(
                    report,
                    rule,
                    &code::CASE_LOST_IN_REPLACEMENT,
                    "the pattern matches without regard to case and replaces with regard to it"
                        .to_owned(),
                    Some("write the pattern with `(?i)`"),
                );
            }
        }
        if let Some(last) = self.rules.last()
            && last.apply
            && !self.fast.is_empty()
        {
            say(
                report,
                last,
                &code::LAST_RULE_APPLIES,
                "as the last rule, with apply=1, it keeps every query from fast routing".to_owned(),
                Some("end with a rule of apply=0, active, that matches nothing"),
            );
        }
    }

    /// Flags that a query may get to.
    fn reachable(&self) -> BTreeSet<i32> {
        let mut reached = BTreeSet::from([0]);
        let mut open = vec![0];
        while let Some(flag) = open.pop() {
            let rules = self.chain(flag).map_or(&[][..], |chain| &chain.rules);
            for rule in rules.iter().filter_map(|&at| self.rules.get(at as usize)) {
                let flags = [
                    rule.flag_out,
                    rule.numbers.next_query_flag_in,
                    rule.numbers.mirror_flag_out,
                ];
                let weighted = rule.weighted.iter().map(|&(flag, _)| flag);
                for flag in flags.into_iter().chain(weighted) {
                    if flag >= 0 && reached.insert(flag) {
                        open.push(flag);
                    }
                }
            }
        }
        reached
    }

    fn lint_chains(&self, report: &mut Report) {
        let reached = self.reachable();
        for chain in &self.chains {
            let rules: Vec<&Rule> = chain
                .rules
                .iter()
                .filter_map(|&at| self.rules.get(at as usize))
                .collect();
            let Some(first) = rules.first() else { continue };
            if !reached.contains(&chain.flag) {
                let message = match rules.len() {
                    1 => format!("nothing leads to flag {}", chain.flag),
                    n => format!("nothing leads to flag {} and its {n} rules", chain.flag),
                };
                say(report, first, &code::CHAIN_UNREACHABLE, message, None);
            }
            lint_order(&rules, report);
            let literals = rules
                .iter()
                .filter(|rule| {
                    rule.match_pattern
                        .as_ref()
                        .and_then(|matching| matching.pattern.required())
                        .is_some_and(|required| required.exact)
                })
                .count();
            if literals > MANY {
                say(
                    report,
                    first,
                    &code::MANY_LITERALS,
                    format!(
                        "{literals} rules of flag {} ask for plain texts, one after the other",
                        chain.flag
                    ),
                    Some("`strowger rules tree` writes a tree of chains for shards"),
                );
            }
        }
    }

    fn lint_jumps(&self, rule: &Rule, report: &mut Report) {
        if rule.apply || self.settings.iterations > 0 {
            return;
        }
        let mut flags: Vec<i32> = if rule.flag_out >= 0 {
            vec![rule.flag_out]
        } else {
            rule.weighted.iter().map(|&(flag, _)| flag).collect()
        };
        flags.dedup();
        for flag in flags.into_iter().filter(|&flag| flag != rule.flag_in) {
            let Some(chain) = self.chain(flag) else {
                if !self.fast.iter().any(|row| row.flag == flag) {
                    let message = format!("flagOUT {flag} has no rules");
                    say(report, rule, &code::JUMP_TO_NOTHING, message, None);
                }
                continue;
            };
            let before = chain
                .rules
                .partition_point(|&at| self.rules.get(at as usize).is_some_and(|r| r.id < rule.id));
            let help = Some(
                "give the rules of the flag larger rule_ids, or set mysql-query_processor_iterations",
            );
            if before == chain.rules.len() {
                let message = format!("all rules of flagOUT {flag} come before this one");
                say(report, rule, &code::JUMP_BACKWARDS, message, help);
            } else if before > 0 {
                let message =
                    format!("{before} of the rules of flagOUT {flag} come before this one");
                say(report, rule, &code::JUMP_INTO_MIDDLE, message, help);
            }
        }
    }
}

/// What the rules of one chain do to each other.
fn lint_order(rules: &[&Rule], report: &mut Report) {
    let mut catch_all: Option<i64> = None;
    let mut applied: StableMap<Vec<u8>, i64> = stable_map();
    for rule in rules {
        if let Some(id) = catch_all {
            let message = format!("rule {id} takes every query of flag {}", rule.flag_in);
            say(report, rule, &code::RULE_AFTER_CATCH_ALL, message, None);
            continue;
        }
        let alike = [criteria(rule, true), criteria(rule, false)]
            .iter()
            .find_map(|key| applied.get(key).copied());
        if let Some(id) = alike {
            let message = format!("rule {id} asks for the same, or less, and applies");
            say(report, rule, &code::RULE_SHADOWED, message, None);
        }
        let asks_nothing =
            rule.is_for_all() && rule.match_digest.is_none() && rule.match_pattern.is_none();
        if rule.apply && asks_nothing {
            catch_all = Some(rule.id);
        }
        if rule.apply {
            applied
                .entry(criteria(rule, !rule.is_for_all()))
                .or_insert(rule.id);
        }
    }
}

/// The criteria of a rule as a key: the patterns, and with `all` the others too.
fn criteria(rule: &Rule, all: bool) -> Vec<u8> {
    let text = |matching: &Option<Matching>| {
        matching
            .as_ref()
            .map(|matching| BStr::new(&matching.text).to_owned())
    };
    let mut key = format!(
        "{:?}{:?}{}{}",
        text(&rule.match_digest),
        text(&rule.match_pattern),
        rule.negated,
        rule.caseless
    );
    if all {
        key.push_str(&format!(
            "{:?}{:?}{:?}{:?}{}{}",
            rule.username,
            rule.schemaname,
            rule.client,
            rule.proxy_addr,
            rule.proxy_port,
            rule.digest
        ));
    }
    key.into_bytes()
}

fn say(report: &mut Report, rule: &Rule, code: &'static Code, message: String, help: Option<&str>) {
    report.push(Diagnostic {
        code,
        severity: Severity::Warning,
        place: Some(rule.place),
        message: format!("rule {}: {message}", rule.id),
        help: help.map(str::to_owned),
        logged: None,
    });
}
