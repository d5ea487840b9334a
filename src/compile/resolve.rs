//! Names that a dialplan binds: what is said about applications and functions that do not exist.
//!
//! Asterisk loads such a dialplan and complains when a call gets there: these are warnings.

use bstr::BStr;

use crate::base::Place;
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
        .flat_map(|extension| &extension.priorities)
        .filter(|priority| priority.number != Number::Hint);
    for priority in priorities {
        if registry.application(&priority.app).is_none() {
            report.push(warning(
                &code::APPLICATION_UNKNOWN,
                priority.place,
                format!("no application `{}`", BStr::new(&*priority.app)),
                "a call that gets here ends",
            ));
        }
        let mut names = Vec::new();
        functions(&priority.data, angle, &mut names);
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
