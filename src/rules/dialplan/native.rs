//! The native style: `ExecRule` with what the row says.

use std::collections::BTreeSet;

use super::{LINE, Landing, NUMBERS, Writer, value};

use crate::diagnostic::code;
use crate::rules::pattern::Replacement;
use crate::rules::rule::{Client, Rule};
use crate::rules::settings::Dialect;

impl Writer<'_> {
    pub(super) fn native(&mut self) {
        let settings = self.set.settings;
        self.text("; Query rules; written by `strowger rules import`.\n[globals]\n");
        self.text(&format!("RULES_ITERATIONS={}\n", settings.iterations));
        if settings.dialect == Dialect::Re2 {
            self.text("RULES_REGEX=re2\n");
        }
        self.text("\n[qr]\n");
        let mut first = true;
        self.line(&mut first, None, b"ExecRule(start)");
        self.line(&mut first, None, b"Gosub(qr-flag-${FLAG},q,1)");
        let last_applies = self.set.rules.last().is_some_and(|rule| rule.apply);
        if !self.set.fast.is_empty() && !last_applies {
            self.line(
                &mut first,
                None,
                b"GosubIf($[\"${RULES_APPLIED}\" = \"\"]?qr-fast,q,1)",
            );
        }
        self.line(&mut first, None, b"ExecRule(end)");
        self.line(&mut first, None, b"Return()");
        let ends = self.ends();
        for flag in self.set.all_flags() {
            self.text(&format!("\n[qr-flag-{flag}]\n"));
            self.native_chain(flag, ends.contains(&flag));
        }
        if !self.set.fast.is_empty() && !last_applies {
            self.fast();
        }
    }

    /// Flags to whose end a rule leads.
    fn ends(&self) -> BTreeSet<i32> {
        let set = self.set;
        let mut ends = BTreeSet::new();
        for (at, rule) in set.rules.iter().enumerate().filter(|(_, rule)| !rule.apply) {
            let weighted = rule.weighted.iter().map(|&(flag, _)| flag);
            ends.extend(
                weighted
                    .chain([rule.flag_out])
                    .filter(|&flag| set.landing(at, flag) == Landing::End),
            );
        }
        ends
    }

    fn native_chain(&mut self, flag: i32, is_target: bool) {
        let set = self.set;
        let mut first = true;
        let rules: Vec<(usize, &Rule)> = set
            .chain(flag)
            .map_or(&[][..], |chain| &chain.rules)
            .iter()
            .filter_map(|&at| Some((at as usize, set.rules.get(at as usize)?)))
            .collect();
        for (at, rule) in rules {
            let data = self.call(at, rule);
            let label = format!("r{}", rule.id);
            if data.len() > LINE {
                self.refuse(
                    &code::NOT_IN_DIALPLAN,
                    rule,
                    "the rule is longer than a line of a dialplan",
                );
                // Jumps may lead here.
                self.line(&mut first, Some(&label), b"NoOp()");
                continue;
            }
            self.line(&mut first, Some(&label), &data);
        }
        self.line(&mut first, is_target.then_some("end"), b"Return()");
    }

    fn call(&self, at: usize, rule: &Rule) -> Vec<u8> {
        let mut out = format!("ExecRule({}", rule.id).into_bytes();
        let mut put = |name: &str, text: &[u8]| {
            out.push(b',');
            out.extend_from_slice(name.as_bytes());
            out.push(b'=');
            value::write(text, &mut out);
        };
        let texts = [
            ("username", &rule.username),
            ("schemaname", &rule.schemaname),
        ];
        for (name, text) in texts {
            if let Some(text) = text {
                put(name, text);
            }
        }
        match &rule.client {
            Client::Any => {}
            Client::Exactly(address) => put("client_addr", address),
            Client::Prefix(prefix) => put("client_addr", &[prefix, &b"%"[..]].concat()),
        }
        if let Some(address) = &rule.proxy_addr {
            put("proxy_addr", address);
        }
        if rule.proxy_port >= 0 {
            put("proxy_port", rule.proxy_port.to_string().as_bytes());
        }
        if rule.digest != 0 {
            put("digest", format!("0x{:016X}", rule.digest).as_bytes());
        }
        if let Some(matching) = &rule.match_digest {
            put("match_digest", &matching.text);
        }
        if let Some(matching) = &rule.match_pattern {
            put("match_pattern", &matching.text);
        }
        if rule.negated {
            put("negate", b"1");
        }
        let global = rule
            .replacement
            .as_ref()
            .is_some_and(Replacement::is_global);
        match (rule.caseless, global) {
            (true, false) => {}
            (true, true) => put("re_modifiers", b"CASELESS,GLOBAL"),
            (false, true) => put("re_modifiers", b"GLOBAL"),
            (false, false) => put("re_modifiers", b""),
        }
        if let Some(text) = &rule.replacement_text {
            put("replace_pattern", text);
        }
        for ((name, _), number) in NUMBERS.iter().zip(rule.numbers.listed()) {
            if number >= 0 {
                put(name, number.to_string().as_bytes());
            }
        }
        if let Some(text) = &rule.error_msg {
            put("error_msg", text);
        }
        if let Some(text) = &rule.ok_msg {
            put("OK_msg", text);
        }
        for &(flag, weight) in &rule.weighted {
            let target = self.target(at, flag);
            put("draw", format!("{weight}*{target}").as_bytes());
        }
        if rule.flag_out >= 0 {
            put("goto", self.target(at, rule.flag_out).as_bytes());
        }
        if rule.apply {
            out.extend_from_slice(b",apply");
        }
        out.push(b')');
        out
    }

    /// `context` for its top, or `context:label`.
    fn target(&self, at: usize, flag: i32) -> String {
        match self.set.landing(at, flag) {
            Landing::Top => format!("qr-flag-{flag}"),
            other => format!("qr-flag-{flag}:{}", other.priority()),
        }
    }

    fn fast(&mut self) {
        self.text("\n[qr-fast]\n");
        let mut first = true;
        let (mine, all): (Vec<_>, Vec<_>) =
            self.set.fast.iter().partition(|row| !row.user.is_empty());
        for row in mine.into_iter().chain(all) {
            let mut data = b"ExecRule(fast,".to_vec();
            if !row.user.is_empty() {
                data.extend_from_slice(b"username=");
                value::write(&row.user, &mut data);
                data.push(b',');
            }
            data.extend_from_slice(b"schemaname=");
            value::write(&row.schema, &mut data);
            data.extend_from_slice(
                format!(",flag={},hostgroup={})", row.flag, row.hostgroup).as_bytes(),
            );
            self.line(&mut first, None, &data);
        }
        self.line(&mut first, None, b"Return()");
    }
}
