//! Exec, `TryExec`, ExecIf.

use super::gosub::split_pair;
use super::goto::leading_condition;
use crate::base::arguments;
use crate::base::condition::is_true;
use crate::diagnostic::code;
use crate::library::{Application, LineBuilder, Named};
use crate::machine::{Cx, Flow};
use crate::program::instruction::{Condition, Direct};
use crate::program::line::NONE;
use crate::syntax::lex::template::has_substitution;

/// Run an application whose name and data are computed.
pub static EXEC: Application = Application::new(
    "Exec",
    "Executes dialplan application.",
    "application(arguments)",
    "Runs an application; the arguments are substituted a second time. An unknown one ends the call.",
    run_exec,
)
.names(|data| vec![named(data)]);

/// Run an application and survive its failure.
pub static TRY_EXEC: Application = Application::new(
    "TryExec",
    "Executes dialplan application, always returning.",
    "application(arguments)",
    "Like Exec, but the call goes on whatever happens. TRYSTATUS is SUCCESS, FAILED or NOAPP.",
    run_try,
)
.names(|data| vec![named(data)]);

/// Run one of two applications.
pub static EXEC_IF: Application = Application::new(
    "ExecIf",
    "Executes dialplan application, conditionally.",
    "condition?application(arguments)[:application(arguments)]",
    "Runs the first application if the condition is true, else the second. `?` and `:` inside parentheses, brackets \
     or quotes do not separate; names are not trimmed. The whole data is substituted before the choice.",
    run_if,
)
.compile(compile_if)
.names(branches);

fn run_exec(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    if data.is_empty() {
        return Flow::Next;
    }
    let (application, inside) = call(data);
    if !cx.knows_application(application) {
        return unknown(cx, application);
    }
    substituted(application, inside)
}

fn run_try(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    if data.is_empty() {
        return Flow::Next;
    }
    let (application, inside) = call(data);
    if !cx.knows_application(application) {
        unknown(cx, application);
        cx.set(b"TRYSTATUS", b"NOAPP");
        return Flow::Next;
    }
    let application = application.to_vec();
    Flow::Substitute(
        inside.to_vec(),
        Box::new(|_, data| Flow::Exec {
            application,
            data,
            then: Some(Box::new(|cx, flow| {
                let fine = matches!(flow, Flow::Next | Flow::Jump(_));
                cx.set(b"TRYSTATUS", if fine { b"SUCCESS" } else { b"FAILED" });
                if fine { flow } else { Flow::Next }
            })),
        }),
    )
}

fn substituted(application: &[u8], inside: &[u8]) -> Flow {
    let application = application.to_vec();
    Flow::Substitute(
        inside.to_vec(),
        Box::new(|_, data| Flow::Exec {
            application,
            data,
            // Waits for its outcome, so that texts which run themselves reach the limit of nesting.
            then: Some(Box::new(|_, flow| flow)),
        }),
    )
}

/// The application of `name(arguments)`.
pub(super) fn named(text: &[u8]) -> Named {
    let (name, data) = call(text);
    Named::Application {
        name: name.to_vec(),
        data: data.to_vec(),
    }
}

/// The applications of both branches.
fn branches(data: &[u8]) -> Vec<Named> {
    if is_old_form(data) {
        let mut fields = arguments::standard(data, 3).into_iter().skip(1);
        let name = fields.next().unwrap_or_default();
        let data = fields.next().unwrap_or_default();
        return vec![Named::Application { name, data }];
    }
    let halves = split_pair(data, b'?');
    let applications = halves.get(1).map_or(&[][..], Vec::as_slice);
    let chosen = split_pair(applications, b':');
    chosen.iter().map(|text| named(text)).collect()
}

/// Whether a comma stands before the first `?`.
fn is_old_form(data: &[u8]) -> bool {
    let position = |byte| data.iter().position(|&b| b == byte);
    match (position(b'?'), position(b',')) {
        (None, _) => true,
        (Some(question), Some(comma)) => comma < question,
        (Some(_), None) => false,
    }
}

fn run_if(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    if is_old_form(data) {
        return run_old_form(cx, data);
    }
    let halves = split_pair(data, b'?');
    let [condition, applications] = halves.as_slice() else {
        return usage(cx);
    };
    if applications.is_empty() {
        return usage(cx);
    }
    let applications = split_pair(applications, b':');
    match applications.get(usize::from(!is_true(condition))) {
        Some(chosen) if !chosen.is_empty() => {
            let (application, inside) = call(chosen);
            start(cx, application, inside)
        }
        _ => Flow::Next,
    }
}

/// Applications whose data is fixed become parts of the line: then the values of a call cannot change where the
/// data is cut.
fn compile_if(line: &mut dyn LineBuilder, data: &[u8]) -> Option<Direct> {
    let (condition, applications) = leading_condition(line, data)?;
    if applications.is_empty()
        || has_substitution(applications, true)
        || matches!(condition, Condition::Text(_))
    {
        return None;
    }
    let applications = split_pair(applications, b':');
    let mut way = |chosen: usize| match applications.get(chosen) {
        Some(text) if !text.is_empty() => {
            let (application, inside) = call(text);
            line.inner(application, inside)
        }
        _ => Some(line.context().next.unwrap_or(NONE)),
    };
    Some(Direct::Branch(condition, way(0)?, way(1)?))
}

/// `condition,application,arguments`, the form of old dialplans.
fn run_old_form(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    let fields = arguments::standard(data, 3);
    let (Some(condition), Some(application)) = (fields.first(), fields.get(1)) else {
        return usage(cx);
    };
    if is_true(condition) && !application.is_empty() {
        let inside = fields.get(2).map_or(&[][..], Vec::as_slice);
        return start(cx, application, inside);
    }
    Flow::Next
}

/// Runs an application with data that is already substituted.
pub(super) fn start(cx: &mut Cx<'_>, application: &[u8], data: &[u8]) -> Flow {
    if !cx.knows_application(application) {
        return unknown(cx, application);
    }
    Flow::Exec {
        application: application.to_vec(),
        data: data.to_vec(),
        then: None,
    }
}

fn usage(cx: &mut Cx<'_>) -> Flow {
    cx.log(&code::EXEC_USAGE, || {
        "ExecIf needs condition?application(arguments)".to_owned()
    });
    Flow::Leave
}

fn unknown(cx: &mut Cx<'_>, application: &[u8]) -> Flow {
    let name = bstr::BStr::new(application).to_string();
    cx.log(&code::APPLICATION_UNKNOWN, || {
        format!("no application `{name}`")
    });
    Flow::Leave
}

/// Name and arguments of `name(arguments)`: up to the last `)`, which may be missing.
pub(super) fn call(text: &[u8]) -> (&[u8], &[u8]) {
    let Some(open) = text.iter().position(|&b| b == b'(') else {
        return (text, &[]);
    };
    let (name, rest) = text.split_at_checked(open).unwrap_or((text, &[]));
    let inside = rest.get(1..).unwrap_or(&[]);
    let end = inside
        .iter()
        .rposition(|&b| b == b')')
        .unwrap_or(inside.len());
    (name, inside.get(..end).unwrap_or(inside))
}
