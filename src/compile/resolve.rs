//! Names that a dialplan binds: what is said about applications and functions that do not exist.
//!
//! Asterisk loads such a dialplan and complains when a call gets there: these are warnings.

use std::collections::HashSet;

use bstr::BStr;

use crate::base::Place;
use crate::base::symbol::stable_hasher;
use crate::diagnostic::{Code, Diagnostic, Report, Severity, code};
use crate::library::Registry;
use crate::syntax::ast::{Number, Plan};
use crate::syntax::lex::template::{Piece, next_piece};

/// Substitutions nest at most this deep; what is deeper becomes empty.
const DEEPEST: usize = 15;

/// Adds a diagnostic for each name that the registry does not know.
pub fn resolve(plan: &Plan, registry: &Registry, report: &mut Report) {
    let angle = plan.general.anglesubstitution;
    let priorities = plan
        .contexts
        .iter()
        .flat_map(|context| &context.extensions)
        .flat_map(|extension| plan.lines(extension))
        .filter(|priority| priority.number != Number::Hint);
    // Lines that read alike are judged once, as long as there is nothing to say.
    let mut fine = HashSet::with_hasher(stable_hasher());
    for priority in priorities {
        let symbols = (priority.app, priority.data);
        if fine.contains(&symbols) {
            continue;
        }
        let said = report.diagnostics().len();
        let (app, data) = (plan.text(priority.app), plan.text(priority.data));
        if registry.application(app).is_none() {
            report.push(warning(
                &code::APPLICATION_UNKNOWN,
                priority.place,
                format!("no application `{}`", BStr::new(app)),
                "a call that gets here ends",
            ));
        }
        let mut names = Vec::new();
        functions(data, angle, &mut names);
        for name in names {
            if registry.function(name).is_none() {
                report.push(warning(
                    &code::FUNC_UNKNOWN,
                    priority.place,
                    format!("no function `{}`", BStr::new(name)),
                    "it reads as empty; function names are case-sensitive",
                ));
            }
        }
        if report.diagnostics().len() == said {
            fine.insert(symbols);
        }
    }
}

fn warning(code: &'static Code, place: Place, message: String, help: &str) -> Diagnostic {
    Diagnostic {
        code,
        severity: Severity::Warning,
        place: Some(place),
        message,
        help: Some(help.to_owned()),
        logged: None,
    }
}

/// The names in `${NAME(`, in the order written, each once.
fn functions<'a>(text: &'a [u8], angle: bool, names: &mut Vec<&'a [u8]>) {
    let mut open = vec![(text, 0)];
    while let Some((mut text, depth)) = open.pop() {
        while let Some((piece, rest)) = next_piece(text, angle) {
            text = rest;
            let (inside, variable) = match piece {
                Piece::Literal(_) => continue,
                Piece::Variable(inside) => (inside, true),
                Piece::Expression(inside) => (inside, false),
            };
            if variable
                && let Some(name) = function(inside.text)
                && !names.contains(&name)
            {
                names.push(name);
            }
            if inside.nested && depth < DEEPEST {
                open.push((inside.text, depth + 1));
            }
        }
    }
}

/// The name of a function call, where it is written out.
fn function(inside: &[u8]) -> Option<&[u8]> {
    let end = inside.iter().position(|&b| b == b'(')?;
    let name = inside.get(..end)?;
    // A colon before the parenthesis makes a substring of it.
    (!name.contains(&b'$') && !name.contains(&b':')).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_calls_are_found() {
        let mut names = Vec::new();
        functions(
            b"a${LEN(${CUT(x,-,1)})}b$[${LEN(y)}+1]${v}${a${b}(c)}${z:1}",
            false,
            &mut names,
        );
        assert_eq!(names, [&b"LEN"[..], b"CUT"]);
    }
}
