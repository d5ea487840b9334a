//! Names that a dialplan binds: what is said about applications and functions that do not exist.
//!
//! Asterisk loads such a dialplan and complains when a call gets there: these are warnings. Only names that are
//! written out are judged; what a substitution makes of a name is known when a call gets there.

use std::collections::HashSet;

use bstr::BStr;

use crate::base::Place;
use crate::base::symbol::stable_hasher;
use crate::diagnostic::{Diagnostic, Report, code};
use crate::library::{Named, Registry};
use crate::machine::expression::{is_function_name, lower};
use crate::program::expression::Operation;
use crate::program::instruction::Core;
use crate::syntax::ast::{Number, Plan};
use crate::syntax::expression_of_tokens;
use crate::syntax::lex::expression::tokens;
use crate::syntax::lex::template::{Piece, next_piece};

/// Substitutions nest at most this deep; what is deeper becomes empty. Applications that run others are followed
/// as far.
const DEEPEST: usize = 15;

/// Stands for a substitution where the text around it is looked at.
const HOLE: u8 = b'$';

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
        let mut found = Names::default();
        functions(data, angle, &mut found);
        lines(app, data, angle, registry, &mut found);
        for name in &found.applications {
            if registry.application(name).is_none() {
                report.push(unknown_application(name, priority.place, registry));
            }
        }
        for name in &found.functions {
            if registry.function(name).is_none() {
                report.push(unknown_function(name, priority.place, registry));
            }
        }
        if report.diagnostics().len() == said {
            fine.insert(symbols);
        }
    }
}

fn unknown_application(name: &[u8], place: Place, registry: &Registry) -> Diagnostic {
    let near = registry.nearest_application(name);
    let message = format!("no application `{}`{}", BStr::new(name), question(near));
    let help = "a call that gets here ends";
    Diagnostic::warning(&code::APPLICATION_UNKNOWN, place, message, help)
}

fn unknown_function(name: &[u8], place: Place, registry: &Registry) -> Diagnostic {
    let shown = BStr::new(name);
    if Core::named(name).is_some() {
        let message = format!("no function `{shown}`; the variable is `${{{shown}}}`");
        let help = "a variable takes no parentheses; with them it reads as empty";
        return Diagnostic::warning(&code::FUNC_UNKNOWN, place, message, help);
    }
    let near = registry.nearest_function(name);
    let message = format!("no function `{shown}`{}", question(near));
    let help = "it reads as empty; function names are case-sensitive";
    Diagnostic::warning(&code::FUNC_UNKNOWN, place, message, help)
}

/// The nearest spelling, as the end of a sentence.
fn question(near: Option<&str>) -> String {
    near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"))
}

/// Names in the order in which they were found, each once.
#[derive(Debug, Default)]
struct Names {
    applications: Vec<Vec<u8>>,
    functions: Vec<Vec<u8>>,
}

fn add(names: &mut Vec<Vec<u8>>, name: &[u8]) {
    if !name.is_empty() && !name.contains(&HOLE) && !names.iter().any(|known| known == name) {
        names.push(name.to_vec());
    }
}

/// An application, and what it says of its data.
fn lines(application: &[u8], data: &[u8], angle: bool, registry: &Registry, names: &mut Names) {
    // An application at the start of a line is taken as it is written, whatever is in its name.
    names.applications.push(application.to_vec());
    let Some(list) = registry.application(application).and_then(|a| a.names) else {
        return;
    };
    let mut open = vec![(list, holes(data, angle))];
    for _ in 0..DEEPEST {
        let Some((list, data)) = open.pop() else {
            return;
        };
        for named in list(&data) {
            match named {
                Named::Application { name, data } => {
                    add(&mut names.applications, &name);
                    if let Some(list) = registry.application(&name).and_then(|a| a.names) {
                        open.push((list, data));
                    }
                }
                Named::Written(call) => {
                    let name = call.split(|&b| b == b'(').next().unwrap_or(&[]);
                    add(&mut names.functions, name);
                }
            }
        }
    }
}

/// The text with one byte in place of each substitution.
fn holes(mut text: &[u8], angle: bool) -> Vec<u8> {
    let mut out = Vec::new();
    while let Some((piece, rest)) = next_piece(text, angle) {
        text = rest;
        match piece {
            Piece::Literal(literal) => out.extend_from_slice(literal),
            Piece::Variable(_) | Piece::Expression(_) => out.push(HOLE),
        }
    }
    out
}

/// The functions that the substitutions of a text call.
fn functions(text: &[u8], angle: bool, names: &mut Names) {
    let mut open = vec![(text, 0)];
    while let Some((mut text, depth)) = open.pop() {
        while let Some((piece, rest)) = next_piece(text, angle) {
            text = rest;
            let inside = match piece {
                Piece::Literal(_) => continue,
                Piece::Variable(inside) => {
                    if let Some(name) = function(inside.text) {
                        add(&mut names.functions, name);
                    }
                    inside
                }
                Piece::Expression(inside) => {
                    calls(&holes(inside.text, angle), names);
                    inside
                }
            };
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
    (!name.contains(&b':')).then_some(name)
}

/// The functions that an expression calls without `${ }`, where `$` stands for what is substituted in it.
#[cfg(feature = "pcrf")]
pub(crate) fn called_in_expression(text: &[u8]) -> Vec<Vec<u8>> {
    let mut names = Names::default();
    calls(text, &mut names);
    names.functions
}

/// The functions that an expression calls without `${ }`.
fn calls(text: &[u8], names: &mut Names) {
    if !text.contains(&b'(') {
        return;
    }
    let tokens = tokens(text);
    let Some(parsed) = expression_of_tokens(&tokens, text.len()) else {
        return;
    };
    // Where it is no expression as written, its substitutions may make one of it.
    if parsed.fault.is_some() {
        return;
    }
    for operation in &lower(Some(&parsed)).operations {
        if let Operation::Call { name, .. } = operation
            && is_function_name(name)
        {
            add(&mut names.functions, name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(application: &str, data: &str) -> (Vec<String>, Vec<String>) {
        let mut names = Names::default();
        let registry = crate::standard_registry();
        functions(data.as_bytes(), false, &mut names);
        lines(
            application.as_bytes(),
            data.as_bytes(),
            false,
            &registry,
            &mut names,
        );
        let texts = |names: &[Vec<u8>]| -> Vec<String> {
            let text = |name: &Vec<u8>| String::from_utf8_lossy(name).into_owned();
            names.iter().map(text).collect()
        };
        (texts(&names.applications), texts(&names.functions))
    }

    #[test]
    fn nested_calls_are_found() {
        let data = "a${LEN(${CUT(x,-,1)})}b$[${LEN(y)}+1]${v}${a${b}(c)}${z:1}${x:${Q(1)}(2)}";
        assert_eq!(found("NoOp", data).1, ["LEN", "Q", "CUT"]);
    }

    #[test]
    fn calls_in_expressions() {
        assert_eq!(found("NoOp", "$[FOO(1) + sin(${x}) + ${y}(2)]").1, ["FOO"]);
        assert!(found("NoOp", "$[\"FOO(1)\" = ${x} ${y}]").1.is_empty());
        assert!(found("NoOp", "$[${x} FOO(1)]").1.is_empty());
    }

    #[test]
    fn applications_in_data() {
        let (applications, _) = found("ExecIf", "$[\"${x}\"=\"a?b\"]?Foo(a):Exec(Bar(${y}))");
        assert_eq!(applications, ["ExecIf", "Foo", "Exec", "Bar"]);
        let (applications, _) = found("ExecIf", "${c}?${app}(x):${app}Two(y)");
        assert_eq!(applications, ["ExecIf"]);
        let (applications, _) = found("ExecIf", "1,Old,x");
        assert_eq!(applications, ["ExecIf", "Old"]);
        let (applications, _) = found("ExecIfTime", "9:00-17:00,mon-fri,*,*?Day");
        assert_eq!(applications, ["ExecIfTime", "Day"]);
        let (applications, _) = found("Originate", "PJSIP/${x},app,MyApp,a");
        assert_eq!(applications, ["Originate", "MyApp"]);
        let (applications, _) = found("Originate", "PJSIP/${x},exten,ctx,1,1");
        assert_eq!(applications, ["Originate"]);
    }

    #[test]
    fn functions_that_are_written() {
        assert_eq!(found("Set", "NEW(${x},y)=${OLD(1)}").1, ["OLD", "NEW"]);
        assert_eq!(found("MSet", "a=1,B(x)=2").1, ["B"]);
        assert_eq!(found("ExecIf", "1?Set(C(1)=2)").1, ["C"]);
        assert!(found("Set", "${f}(x)=1").1.is_empty());
        assert!(found("Set", "x(1)y=1").1.is_empty());
    }
}
