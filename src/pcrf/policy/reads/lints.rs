//! What is odd in a policy, though it loads.

use std::collections::BTreeSet;

use crate::base::pattern::{self, Element};
use crate::base::{Place, Text};
use crate::diagnostic::{Diagnostic, Report, Severity, code};
use crate::pcrf::policy::wrong::{
    arguments as arguments_of, constants, is_unknown_key, no_key, no_rule,
};
use crate::pcrf::policy::{Companions, Kind};
use crate::syntax::ast::{Context, Plan};

use super::Reads;
use super::lines::{HOLE, Line, Lines};

pub(super) fn say(
    plan: &Plan,
    reads: &Reads,
    lines: &Lines<'_>,
    companions: &Companions,
    report: &mut Report,
) {
    usage(reads, report);
    for place in &reads.all_avps {
        report.push(Diagnostic::warning(
            &code::POLICY_COMPUTED_NAME,
            *place,
            "the name of an AVP is computed, so that all AVPs of a request must be kept ready"
                .to_owned(),
            "write the names out, one line for each",
        ));
    }
    for what in reads
        .volatile
        .iter()
        .filter(|what| what.kinds != [Kind::Terminate])
    {
        for place in &what.places {
            report.push(Diagnostic::warning(
                &code::POLICY_VOLATILE,
                *place,
                format!(
                    "the decision depends on `{}`, which cannot be compared: it always runs",
                    what.input
                ),
                advice(&what.input),
            ));
        }
    }
    let all = lines.all();
    let defined = defined(&all);
    for line in &all {
        for name in &line.foreign {
            if !all.iter().any(|other| other.written.contains(name)) {
                report.push(Diagnostic::warning(
                    &code::POLICY_NOT_AN_INPUT,
                    line.place,
                    format!("a decision has no caller and no media: `{name}()` is always the same"),
                    "AVP(), SUBSCRIBER() and SESSION() say who it is about",
                ));
            }
        }
    }
    for line in all {
        arguments(line, companions, &defined, report);
    }
    for context in &plan.contexts {
        patterns(plan, context, report);
        includes(plan, context, report);
    }
}

/// What to do about something that cannot be compared, and what its value is in a decision.
fn advice(what: &[u8]) -> &'static str {
    match what {
        b"RAND()" | b"UUID()" => {
            "it is drawn from the Session-Id: a session draws the same at each decision, other sessions others"
        }
        b"DB()" | b"DB_EXISTS()" | b"DB_DELETE()" | b"DB_KEYS()" | b"DB_KEYCOUNT()"
        | b"GLOBAL()" => {
            "a policy has this for itself, and loses it at each reload: fields of subscribers are kept"
        }
        b"SHELL()" | b"ENV()" | b"CURL()" | b"FILE()" => {
            "a decision has nothing outside: such a function is empty, or refused"
        }
        what if what.starts_with(b"ODBC") => {
            "a decision has nothing outside: such a function is empty, or refused"
        }
        _ => "use the functions of policies, time tests, and what works on texts",
    }
}

/// Decisions that depend on each byte.
fn usage(reads: &Reads, report: &mut Report) {
    for reader in &reads.readers {
        let input = &reader.input;
        let each = input.starts_with(b"USAGE(")
            || input.starts_with(b"QUOTA(") && !input.ends_with(b",limit)");
        if !each || reader.kinds == [Kind::Terminate] {
            continue;
        }
        for place in &reader.places {
            report.push(Diagnostic::warning(
                &code::POLICY_READS_USAGE,
                *place,
                format!(
                    "`{input}` is another one at each report, so that the decision always runs"
                ),
                "QUOTA_STATE() changes only when a limit is crossed",
            ));
        }
    }
}

/// Arguments that no decision understands, and names that no file explains.
fn arguments(
    line: &Line,
    companions: &Companions,
    defined: &BTreeSet<Vec<u8>>,
    report: &mut Report,
) {
    let mut wrong = line.wrong.clone();
    for (application, data) in &line.applications {
        let first = arguments_of(data).next().unwrap_or_default();
        let first = first.trim_ascii();
        wrong.extend(constants(application, data, HOLE, companions));
        if first.contains(&HOLE) || first.is_empty() {
            continue;
        }
        match application.to_ascii_lowercase().as_slice() {
            b"installrule" => {
                let rules = &companions.rules;
                let unknown = rules.is_there() && rules.definition(first).is_none();
                if unknown && !first.contains(&b'&') && !defined.contains(first) {
                    report.push(Diagnostic::warning(
                        &code::POLICY_RULE_UNKNOWN,
                        line.place,
                        no_rule(first),
                        "a rule that the PCEF knows is a section with `predefined=yes`",
                    ));
                }
            }
            b"monitor" if is_unknown_key(&companions.monitoring, first) => {
                report.push(unknown_key(line.place, first));
            }
            _ => {}
        }
    }
    for key in &line.keys {
        if is_unknown_key(&companions.monitoring, key) {
            report.push(unknown_key(line.place, key));
        }
    }
    for message in wrong {
        report.push(Diagnostic {
            severity: Severity::Error,
            ..Diagnostic::warning(
                &code::DECISION_ARGUMENT,
                line.place,
                message,
                "`strowger doc` says what each application and function takes",
            )
        });
    }
}

fn unknown_key(place: Place, key: &[u8]) -> Diagnostic {
    Diagnostic::warning(
        &code::POLICY_KEY_UNKNOWN,
        place,
        no_key(key),
        "without a limit QUOTA_STATE() is `none`",
    )
}

/// Names that lines define themselves.
fn defined(lines: &[&Line]) -> BTreeSet<Vec<u8>> {
    let all = lines.iter().flat_map(|line| &line.applications);
    all.filter(|(application, _)| application.eq_ignore_ascii_case(b"DefineRule"))
        .filter_map(|(_, data)| Some(arguments_of(data).next()?.trim_ascii().to_vec()))
        .collect()
}

/// The first line of an extension.
fn place(plan: &Plan, extension: &crate::syntax::ast::Extension) -> Option<Place> {
    plan.lines(extension).first().map(|line| line.place)
}

/// `_internet.` does not match `internet.mnc001`: `n` is a digit.
fn patterns(plan: &Plan, context: &Context, report: &mut Report) {
    for extension in &context.extensions {
        let exten = extension.exten.as_bytes();
        if !pattern::is_pattern(exten) {
            continue;
        }
        let letters = pattern::elements(exten).filter(
            |element| matches!(element, Element::Literal(byte) if byte.is_ascii_lowercase()),
        );
        let classes = unbracketed(exten).filter(|byte| b"nxz".contains(byte));
        // Where a word is written out, a single class in it was hardly meant as one.
        if letters.count() == 0 || classes.count() == 0 {
            continue;
        }
        let Some(place) = place(plan, extension) else {
            continue;
        };
        let meant: String = bracketed(exten);
        report.push(Diagnostic::warning(
            &code::POLICY_PATTERN_LITERAL,
            place,
            format!(
                "`{}`: `n`, `x` and `z` are classes of digits here, in lower case too",
                extension.exten
            ),
            format!("for the letters themselves write `{meant}`").as_str(),
        ));
    }
}

/// The bytes of a pattern outside of brackets, without the `_`.
fn unbracketed(exten: &[u8]) -> impl Iterator<Item = u8> + '_ {
    let mut inside = false;
    exten.iter().skip(1).copied().filter(move |&byte| {
        match byte {
            b'[' => inside = true,
            b']' => {
                inside = false;
                return false;
            }
            _ => {}
        }
        !inside
    })
}

fn bracketed(exten: &[u8]) -> String {
    let mut inside = false;
    let mut out = String::new();
    for &byte in exten {
        match byte {
            b'[' => inside = true,
            b']' => inside = false,
            _ => {}
        }
        let shown = char::from(byte);
        if !inside && b"nxz".contains(&byte) {
            out.extend(['[', shown, ']']);
        } else {
            out.push(shown);
        }
    }
    out
}

/// A context's own extensions, and those of includes before, come before those of a timed include.
fn includes(plan: &Plan, context: &Context, report: &mut Report) {
    for (at, include) in context.includes.iter().enumerate() {
        if include.times.is_none() {
            continue;
        }
        let Some(timed) = named(plan, &include.context) else {
            continue;
        };
        for extension in &timed.extensions {
            let before = context.includes.iter().take(at);
            let mut before = before.filter(|other| other.times.is_none());
            let winner = if has(context, &extension.exten) {
                Some(format!("`{}` has it itself", context.name))
            } else {
                before
                    .find(|other| reaches(plan, &other.context, &extension.exten))
                    .map(|other| format!("the include `{}` comes before and has it", other.context))
            };
            if let Some(winner) = winner {
                report.push(Diagnostic::warning(
                    &code::POLICY_INCLUDE_NEVER_WINS,
                    include.place,
                    format!(
                        "the extension `{}` of the timed include `{}` is never found: {winner}",
                        extension.exten, include.context
                    ),
                    "put the timed include before an include that has the extension for all other times",
                ));
            }
        }
    }
}

fn named<'p>(plan: &'p Plan, name: &[u8]) -> Option<&'p Context> {
    plan.contexts
        .iter()
        .find(|context| context.name.as_bytes() == name)
}

/// Whether a context itself has an extension of that name, or a pattern that takes it.
fn has(context: &Context, exten: &Text) -> bool {
    context.extensions.iter().any(|other| {
        other.exten == *exten
            || !pattern::is_pattern(exten)
                && pattern::is_pattern(&other.exten)
                && pattern::fit(&other.exten, exten).is_match()
    })
}

/// The same with all that it includes at all times.
fn reaches(plan: &Plan, context: &Text, exten: &Text) -> bool {
    let mut seen: Vec<&Text> = Vec::new();
    let mut open = vec![context];
    while let Some(name) = open.pop() {
        if seen.contains(&name) {
            continue;
        }
        seen.push(name);
        let Some(context) = named(plan, name) else {
            continue;
        };
        if has(context, exten) {
            return true;
        }
        let always = context
            .includes
            .iter()
            .filter(|include| include.times.is_none());
        open.extend(always.map(|include| &include.context));
    }
    false
}
