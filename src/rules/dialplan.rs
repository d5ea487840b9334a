//! Rules as a dialplan: one context per flag, one line per rule.

mod ere;
mod native;
mod plain;
mod value;

use std::collections::BTreeSet;

use crate::diagnostic::{Code, Diagnostic, Report, Severity};
use crate::rules::rule::Rule;
use crate::rules::set::RuleSet;

pub(crate) use value::fields;

/// Which applications the dialplan is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// One `ExecRule` per rule.
    Native,
    /// Standard applications and functions only.
    Plain,
}

/// The entry of the dialplan: `Gosub(qr,q,1)`.
pub(crate) const ENTRY: (&str, &str) = ("qr", "q");

/// Bytes of a line that Asterisk reads.
const LINE: usize = 8000;

/// The numbers of an outcome and the channel variables that hold them.
pub(crate) const NUMBERS: [(&str, &str); 15] = [
    ("hostgroup", "HOSTGROUP"),
    ("cache_ttl", "CACHE_TTL"),
    ("cache_empty_result", "CACHE_EMPTY_RESULT"),
    ("cache_timeout", "CACHE_TIMEOUT"),
    ("reconnect", "RECONNECT"),
    ("timeout", "TIMEOUT"),
    ("retries", "RETRIES"),
    ("delay", "DELAY"),
    ("next_query_flagIN", "RULES_NEXT"),
    ("mirror_flagOUT", "MIRROR_FLAGOUT"),
    ("mirror_hostgroup", "MIRROR_HOSTGROUP"),
    ("sticky_conn", "STICKY_CONN"),
    ("multiplex", "MULTIPLEX"),
    ("gtid_from_hostgroup", "GTID_FROM_HOSTGROUP"),
    ("log", "LOG"),
];

impl RuleSet {
    /// The rules as a dialplan that is entered with `Gosub(qr,q,1)`. Rules that the style cannot express are left
    /// out and named in the report.
    pub fn dialplan(&self, style: Style, report: &mut Report) -> Vec<u8> {
        let mut writer = Writer {
            set: self,
            out: Vec::new(),
            report,
        };
        match style {
            Style::Native => writer.native(),
            Style::Plain => writer.plain(),
        }
        writer.out
    }

    /// Flags that have rules, or to which rules lead.
    fn all_flags(&self) -> BTreeSet<i32> {
        let mut flags = BTreeSet::from([0]);
        for rule in &self.rules {
            flags.insert(rule.flag_in);
            flags.extend(rule.weighted.iter().map(|&(flag, _)| flag));
            flags.insert(rule.flag_out);
            flags.insert(rule.numbers.next_query_flag_in);
        }
        flags.into_iter().filter(|&flag| flag >= 0).collect()
    }

    /// How many rules of a flag do not come after a rule.
    fn rules_up_to(&self, from: usize, flag: i32) -> usize {
        self.chain(flag).map_or(0, |chain| {
            chain.rules.partition_point(|&at| (at as usize) <= from)
        })
    }

    /// Where a query goes on from a rule under a flag, without iterations: the label in the flag's context.
    fn landing(&self, from: usize, flag: i32) -> Landing {
        let next = self.rules_up_to(from, flag);
        let Some(chain) = self.chain(flag) else {
            return Landing::End;
        };
        match chain
            .rules
            .get(next)
            .and_then(|&at| self.rules.get(at as usize))
        {
            None => Landing::End,
            Some(_) if next == 0 => Landing::Top,
            Some(rule) => Landing::Rule(rule.id),
        }
    }
}

/// A place in the context of a flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Landing {
    Top,
    Rule(i64),
    End,
}

impl Landing {
    /// As the priority of a Goto.
    fn priority(self) -> String {
        match self {
            Landing::Top => "1".to_owned(),
            Landing::Rule(id) => format!("r{id}"),
            Landing::End => "end".to_owned(),
        }
    }
}

struct Writer<'w> {
    set: &'w RuleSet,
    out: Vec<u8>,
    report: &'w mut Report,
}

impl Writer<'_> {
    fn text(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    fn refuse(&mut self, code: &'static Code, rule: &Rule, why: &str) {
        self.report.push(Diagnostic {
            code,
            severity: Severity::Error,
            place: Some(rule.place),
            message: format!("rule {}: {why}", rule.id),
            help: None,
            logged: None,
        });
    }

    /// A line of an extension: the first of it, or one of the same.
    fn line(&mut self, first: &mut bool, label: Option<&str>, application: &[u8]) {
        let priority = if *first { "1" } else { "n" };
        let start = if *first { "exten => q," } else { " same => " };
        *first = false;
        let label = label.map_or(String::new(), |label| format!("({label})"));
        self.text(&format!("{start}{priority}{label},"));
        // A semicolon starts a comment, unless a backslash stands before it; that one is dropped.
        for &byte in application {
            if byte == b';' {
                self.out.push(b'\\');
            }
            self.out.push(byte);
        }
        self.out.push(b'\n');
    }
}
