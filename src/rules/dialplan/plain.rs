//! The plain style: GotoIf, Set, Goto and functions that Asterisk has.
//!
//! A chain first tests all its rules, in lines that follow each other, so that they are taken in one step; what a match
//! does stands behind them. There also the rules are counted that were tested: those before it, less those that a jump
//! passed over. Texts of queries are matched in lower
//! case where the rule does not mind case. The query, the user, the schema, the client and the digest come in as
//! channel variables; nothing of them is ever part of a condition as text, only the argument of `REGEX()`.

use regex_syntax::hir::HirKind;

use super::{LINE, NUMBERS, Writer, ere, value};

use crate::diagnostic::code;
use crate::rules::rule::{Client, Matching, Rule};
use crate::rules::settings::Dialect;

/// A rule in pieces: conditions that must hold, and lines of a match.
struct Plan {
    conditions: Vec<Vec<u8>>,
    /// Whether the rule cannot match.
    never: bool,
    lines: Vec<Vec<u8>>,
}

/// Whether each closing bracket has its opening one before it, and none stays open: the end of `$[ ]` is found by
/// counting brackets, whatever stands before them.
fn brackets_pair(text: &[u8]) -> bool {
    let mut open = 0_usize;
    for byte in text {
        match byte {
            b'[' => open += 1,
            b']' => match open.checked_sub(1) {
                Some(fewer) => open = fewer,
                None => return false,
            },
            _ => {}
        }
    }
    open == 0
}

impl Writer<'_> {
    pub(super) fn plain(&mut self) {
        let set = self.set;
        self.text("; Query rules; written by `strowger rules import --style plain`.\n[globals]\n");
        self.text(&format!(
            "RULES_ITERATIONS={}\n\n[qr]\n",
            set.settings.iterations
        ));
        let mut first = true;
        let mut lines: Vec<String> = vec![
            "Set(NL=${SPRINTF(%c,10)})".to_owned(),
            "Set(OB=${SPRINTF(%c,123)})".to_owned(),
            "Set(CB=${SPRINTF(%c,125)})".to_owned(),
            "Set(LQUERY=${TOLOWER(${QUERY})})".to_owned(),
            "Set(LDIGEST=${TOLOWER(${DIGEST})})".to_owned(),
            "Set(RULES_LEFT=${RULES_ITERATIONS})".to_owned(),
        ];
        for (_, variable) in NUMBERS {
            lines.push(format!("Set({variable}=-1)"));
        }
        for variable in ["ERROR_MSG", "OK_MSG", "QUERY_REWRITTEN", "RULES_MATCHED"] {
            lines.push(format!("Set({variable}=)"));
        }
        lines.extend(
            [
                "Set(RULES_TESTED=0)",
                "Set(FLAG=0)",
                "ExecIf($[${LEN(${NEXT_QUERY_FLAGIN})} > 0 & 0${NEXT_QUERY_FLAGIN} > 0]?Set(FLAG=${NEXT_QUERY_FLAGIN}))",
                "Goto(qr-flag-${FLAG},q,1)",
            ]
            .map(str::to_owned),
        );
        for line in lines {
            self.line(&mut first, None, line.as_bytes());
        }
        for flag in set.all_flags() {
            self.text(&format!("\n[qr-flag-{flag}]\n"));
            self.plain_chain(flag);
        }
        self.text("\n[qr-again]\n");
        first = true;
        self.line(&mut first, None, b"Set(RULES_LEFT=$[${RULES_LEFT} - 1])");
        self.line(&mut first, None, b"Goto(qr-flag-${FLAG},q,1)");
        self.plain_end();
    }

    fn plain_chain(&mut self, flag: i32) {
        let set = self.set;
        let mut first = true;
        let mut bodies = Vec::new();
        let positions = set.chain(flag).map_or(&[][..], |chain| &chain.rules);
        for (tested, &at) in (1..).zip(positions) {
            let at = at as usize;
            let Some(rule) = set.rules.get(at) else {
                continue;
            };
            let label = format!("r{}", rule.id);
            let plan = match plan(rule, set.settings.dialect, set.settings.digest.enabled) {
                Ok(plan) => plan,
                Err(why) => {
                    self.refuse(&code::NOT_IN_PLAIN_STYLE, rule, &why);
                    continue;
                }
            };
            if plan.never {
                self.line(&mut first, Some(&label), b"NoOp()");
                continue;
            }
            if !plan.conditions.iter().all(|text| brackets_pair(text)) {
                let why = "a bracket without its partner, which would end an expression early";
                self.refuse(&code::NOT_IN_PLAIN_STYLE, rule, why);
                continue;
            }
            let jump = match plan.conditions.as_slice() {
                [] => format!("Goto(m{})", rule.id).into_bytes(),
                conditions => {
                    let mut line = b"GotoIf($[".to_vec();
                    line.extend_from_slice(&conditions.join(&b" & "[..]));
                    line.extend_from_slice(format!("]?m{})", rule.id).as_bytes());
                    line
                }
            };
            if jump.len() > LINE {
                self.refuse(
                    &code::NOT_IN_PLAIN_STYLE,
                    rule,
                    "the rule is longer than a line of a dialplan",
                );
                continue;
            }
            self.line(&mut first, Some(&label), &jump);
            bodies.push((at, tested, rule, plan.lines));
        }
        let all = i64::try_from(positions.len()).unwrap_or(i64::MAX);
        let mut label = Some("end".to_owned());
        self.tested(&mut first, &mut label, all);
        self.line(&mut first, label.as_deref(), b"Goto(qr-end,q,1)");
        for (at, tested, rule, lines) in bodies {
            let mut label = Some(format!("m{}", rule.id));
            for line in lines {
                self.line(&mut first, label.take().as_deref(), &line);
            }
            if rule.flag_out >= 0 {
                let flag = format!("Set(FLAG={})", rule.flag_out);
                self.line(&mut first, label.take().as_deref(), flag.as_bytes());
            }
            let last = if rule.apply {
                self.tested(&mut first, &mut label, tested);
                b"Goto(qr-done,q,1)".to_vec()
            } else {
                self.onward(&mut first, &mut label, (at, tested), rule)
            };
            self.line(&mut first, label.take().as_deref(), &last);
        }
    }

    /// Adds to the rules that were tested.
    fn tested(&mut self, first: &mut bool, label: &mut Option<String>, more: i64) {
        let (sign, more) = (if more < 0 { '-' } else { '+' }, more.unsigned_abs());
        if more > 0 {
            let line = format!("Set(RULES_TESTED=$[${{RULES_TESTED}} {sign} {more}])");
            self.line(first, label.take().as_deref(), line.as_bytes());
        }
    }

    /// The jump after a match that does not apply.
    fn onward(
        &mut self,
        first: &mut bool,
        label: &mut Option<String>,
        (at, mut tested): (usize, i64),
        rule: &Rule,
    ) -> Vec<u8> {
        let flag = if rule.flag_out >= 0 {
            self.tested(first, label, tested);
            tested = 0;
            self.line(
                first,
                label.take().as_deref(),
                b"GotoIf($[${RULES_LEFT} > 0]?qr-again,q,1)",
            );
            rule.flag_out
        } else {
            rule.flag_in
        };
        let passed = self.set.rules_up_to(at, flag);
        self.tested(first, label, tested - i64::try_from(passed).unwrap_or(0));
        let priority = self.set.landing(at, flag).priority();
        format!("Goto(qr-flag-{flag},q,{priority})").into_bytes()
    }

    /// What follows the walk: fast routing, and the flag of the next query.
    fn plain_end(&mut self) {
        let set = self.set;
        self.text("\n[qr-end]\n");
        let mut first = true;
        let mut flags: Vec<i32> = set.fast.iter().map(|row| row.flag).collect();
        flags.sort_unstable();
        flags.dedup();
        if set.rules.last().is_some_and(|rule| rule.apply) {
            flags.clear();
        }
        for &flag in &flags {
            let line = format!("GotoIf($[${{FLAG}} = {flag}]?qr-fast-{flag},q,1)");
            self.line(&mut first, None, line.as_bytes());
        }
        self.line(&mut first, None, b"Goto(qr-done,q,1)");
        for &flag in &flags {
            self.text(&format!("\n[qr-fast-{flag}]\n"));
            first = true;
            let (mine, all): (Vec<_>, Vec<_>) = set
                .fast
                .iter()
                .filter(|row| row.flag == flag)
                .partition(|row| !row.user.is_empty());
            for row in mine.into_iter().chain(all) {
                let user = if row.user.is_empty() {
                    Ok(None)
                } else {
                    is(&row.user, true, "USER").map(Some)
                };
                let (Ok(user), Ok(schema)) = (user, is(&row.schema, true, "SCHEMA")) else {
                    continue;
                };
                let mut line = b"ExecIf($[".to_vec();
                if let Some(user) = user {
                    line.extend_from_slice(&user);
                    line.extend_from_slice(b" & ");
                }
                line.extend_from_slice(&schema);
                line.extend_from_slice(
                    format!(
                        " & ${{HOSTGROUP_FOUND}}0 = 0]?Set(HOSTGROUP_FOUND={}1))",
                        row.hostgroup
                    )
                    .as_bytes(),
                );
                self.line(&mut first, None, &line);
            }
            self.line(
                &mut first,
                None,
                b"ExecIf($[0${HOSTGROUP_FOUND} > 0]?Set(HOSTGROUP=${HOSTGROUP_FOUND:0:-1}))",
            );
            self.line(&mut first, None, b"Set(HOSTGROUP_FOUND=)");
            self.line(&mut first, None, b"Goto(qr-done,q,1)");
        }
        self.text("\n[qr-done]\n");
        first = true;
        self.line(&mut first, None, b"Set(RULES_MATCHED=${RULES_MATCHED:1})");
        self.line(&mut first, None, b"Set(RULES_WALKED=${RULES_TESTED})");
        self.line(
            &mut first,
            None,
            b"ExecIf($[${RULES_NEXT} >= 0 & ${LEN(${ERROR_MSG})} = 0 & ${LEN(${OK_MSG})} = 0]?Set(NEXT_QUERY_FLAGIN=${RULES_NEXT}))",
        );
        self.line(&mut first, None, b"Return()");
    }
}

/// A comparison of a variable with a constant.
fn is(text: &[u8], whole: bool, variable: &str) -> Result<Vec<u8>, String> {
    let expression = ere::constant(text, whole)?;
    Ok(regex(&expression, variable))
}

fn regex(expression: &[u8], variable: &str) -> Vec<u8> {
    let mut out = b"${REGEX(\"".to_vec();
    out.extend_from_slice(expression);
    out.extend_from_slice(format!("\" ${{{variable}}})}}").as_bytes());
    out
}

fn plan(rule: &Rule, dialect: Dialect, has_digests: bool) -> Result<Plan, String> {
    if rule.digest != 0 {
        return Err("a dialplan is not told the hash of the digest".to_owned());
    }
    if rule.proxy_addr.is_some() || rule.proxy_port >= 0 {
        return Err("a dialplan is not told the address of the proxy".to_owned());
    }
    if rule.weights_total > 0 {
        return Err("a draw among weighted flags".to_owned());
    }
    let mut plan = Plan {
        conditions: Vec::new(),
        never: false,
        lines: Vec::new(),
    };
    for (text, variable) in [(&rule.username, "USER"), (&rule.schemaname, "SCHEMA")] {
        if let Some(text) = text {
            plan.conditions.push(is(text, true, variable)?);
        }
    }
    match &rule.client {
        Client::Any => {}
        Client::Exactly(address) => plan.client(address, true)?,
        Client::Prefix(prefix) => plan.client(prefix, false)?,
    }
    if let Some(matching) = &rule.match_digest
        && has_digests
    {
        plan.matching(rule, matching, "DIGEST")?;
    }
    if let Some(matching) = &rule.match_pattern {
        plan.matching(rule, matching, "QUERY")?;
    }
    plan.matched(rule, dialect)?;
    Ok(plan)
}

impl Plan {
    /// A client that is not known is not asked.
    fn client(&mut self, address: &[u8], whole: bool) -> Result<(), String> {
        let same = is(address, whole, "CLIENT")?;
        let condition = [&b"(${LEN(${CLIENT})} = 0 | "[..], &same, b")"].concat();
        self.conditions.push(condition);
        Ok(())
    }

    fn matching(&mut self, rule: &Rule, matching: &Matching, variable: &str) -> Result<(), String> {
        if matching.pattern.never_matches() {
            self.never |= !rule.negated;
            return Ok(());
        }
        // Flags inside of a pattern make some of its letters mind case and others not.
        let lower = rule.caseless && !matching.text.windows(2).any(|pair| pair == b"(?");
        let tree = matching
            .pattern
            .tree(!lower)
            .ok_or_else(|| "a pattern that only a backtracking matcher knows".to_owned())?;
        let expression = ere::expression(&tree, lower)?;
        let variable = if lower {
            format!("L{variable}")
        } else {
            variable.to_owned()
        };
        let mut condition = regex(&expression, &variable);
        if rule.negated {
            condition = [&b"("[..], &condition, b" = 0)"].concat();
        }
        self.conditions.push(condition);
        Ok(())
    }

    /// The lines of a match.
    fn matched(&mut self, rule: &Rule, dialect: Dialect) -> Result<(), String> {
        let mut push = |line: String| self.lines.push(line.into_bytes());
        push(format!("Set(RULES_MATCHED=${{RULES_MATCHED}},{})", rule.id));
        for ((_, variable), number) in NUMBERS.iter().zip(rule.numbers.listed()) {
            if number >= 0 {
                push(format!("Set({variable}={number})"));
            }
        }
        for (variable, text) in [("ERROR_MSG", &rule.error_msg), ("OK_MSG", &rule.ok_msg)] {
            if let Some(text) = text {
                let mut line = format!("Set({variable}=").into_bytes();
                line.extend_from_slice(message(text)?);
                line.push(b')');
                self.lines.push(line);
            }
        }
        if let Some(text) = &rule.replacement_text {
            self.replacement(rule, text, dialect)?;
        }
        Ok(())
    }

    fn replacement(&mut self, rule: &Rule, text: &[u8], dialect: Dialect) -> Result<(), String> {
        self.lines.push(b"Set(QUERY_REWRITTEN=1)".to_vec());
        let (Some(matching), Some(replacement)) = (&rule.match_pattern, &rule.replacement) else {
            return Ok(());
        };
        // A negated rule matches where there is nothing to replace.
        if rule.negated || matching.pattern.never_matches() {
            return Ok(());
        }
        if dialect == Dialect::Re2 {
            return Err("a replacement of RE2, which minds case".to_owned());
        }
        let tree = matching.pattern.tree(true);
        let find = match tree.as_ref().map(regex_syntax::hir::Hir::kind) {
            Some(HirKind::Literal(literal)) => literal.0.to_vec(),
            _ => return Err("a replacement of something else than a plain text".to_owned()),
        };
        let Some(plain) = replacement.plain() else {
            return Err("a replacement with references to groups".to_owned());
        };
        let usable = |text: &[u8]| {
            text.trim_ascii().len() == text.len()
                && text.iter().all(|byte| {
                    byte.is_ascii_alphanumeric() || b" _-./*=<>:@#%+!&'|~^".contains(byte)
                })
        };
        if !usable(&find) || !usable(plain) || find.is_empty() {
            return Err(format!(
                "a replacement whose texts STRREPLACE() cannot be given: `{}`",
                bstr::BStr::new(text)
            ));
        }
        let most = if replacement.is_global() { "" } else { ",1" };
        let mut line = b"Set(QUERY=${STRREPLACE(QUERY,".to_vec();
        line.extend_from_slice(&find);
        line.push(b',');
        line.extend_from_slice(plain);
        line.extend_from_slice(format!("{most})}})").as_bytes());
        self.lines.push(line);
        self.lines
            .push(b"Set(LQUERY=${TOLOWER(${QUERY})})".to_vec());
        Ok(())
    }
}

/// A message as `Set` takes it.
fn message(text: &[u8]) -> Result<&[u8], String> {
    let held = !text.is_empty()
        && text.trim_ascii().len() == text.len()
        && !text.iter().any(u8::is_ascii_control)
        && !text.windows(2).any(value::is_substitution);
    if held {
        Ok(text)
    } else {
        Err("a message that is empty, starts or ends with a blank, or holds `${`, `$[` or control bytes".to_owned())
    }
}
