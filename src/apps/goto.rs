//! Goto and GotoIf.

use crate::base::condition::is_true;
use crate::diagnostic::code;
use crate::library::{Application, LineBuilder};
use crate::machine::{Cx, Flow, TargetFault};
use crate::program::instruction::{Condition, Direct};
use crate::syntax::lex::template::{Piece, next_piece};

/// Go to another place.
pub static GOTO: Application = Application::new(
    "Goto",
    "Jump to a particular priority, extension, or context.",
    "[[context,]extension,]priority",
    "Goes to a priority (a number, relative with `+` or `-`, or a label). Nothing is trimmed, and a number is not \
     checked: the next lookup decides. A label that does not exist ends the call.",
    run,
)
.compile(compile);

/// Go to one of two places.
pub static GOTO_IF: Application = Application::new(
    "GotoIf",
    "Conditional goto.",
    "condition?[labeliftrue][:labeliffalse]",
    "Goes to the first place if the condition is true, else to the second; a missing place means the next priority. \
     Empty and a number equal to 0 are false, any other text is true.",
    run_if,
)
.compile(compile_if);

fn run(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    if data.is_empty() {
        cx.log(&code::GOTO_WITHOUT_ARGUMENT, || {
            "Goto needs a priority".to_owned()
        });
        return Flow::Leave;
    }
    jump(cx, data)
}

/// Goes to a place, or says why it does not exist.
pub(super) fn jump(cx: &mut Cx<'_>, target: &[u8]) -> Flow {
    match cx.parse_target(target) {
        Ok(to) => {
            if cx.is_watched() {
                let text = format!("Goto ({},{},{})", to.context, to.exten, to.priority);
                cx.verbose(3, text.as_bytes());
            }
            Flow::Jump(to)
        }
        Err(fault) => {
            complain(cx, fault);
            Flow::Leave
        }
    }
}

/// Goes to a place that an application itself noted down.
pub(super) fn jump_quietly(cx: &mut Cx<'_>, target: &[u8]) -> Flow {
    match cx.parse_target(target) {
        Ok(to) => Flow::Jump(to),
        Err(fault) => {
            complain(cx, fault);
            Flow::Next
        }
    }
}

/// Logs why a target cannot be read.
pub(super) fn complain(cx: &mut Cx<'_>, fault: TargetFault) {
    if let TargetFault::NoLabel {
        label,
        context,
        exten,
    } = fault
    {
        cx.log(&code::LABEL_NOT_FOUND, || {
            format!("no label `{label}` in extension `{exten}` of context `{context}`")
        });
        cx.log(&code::GOTO_TARGET_INVALID, || {
            format!("`{label}` is neither a priority above 0 nor a label")
        });
    }
}

fn run_if(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    if data.is_empty() {
        cx.log(&code::CONDITION_EMPTY, || {
            "GotoIf needs a condition".to_owned()
        });
        return Flow::Next;
    }
    let (condition, branches) = cut(data, b'?');
    let (yes, no) = cut(branches.unwrap_or(&[]), b':');
    let branch = if is_true(condition) {
        yes
    } else {
        no.unwrap_or(&[])
    };
    if branch.is_empty() {
        return Flow::Next;
    }
    jump(cx, branch)
}

/// The text before the first separator, and what follows it.
pub(super) fn cut(text: &[u8], at: u8) -> (&[u8], Option<&[u8]>) {
    match text.iter().position(|&b| b == at) {
        Some(i) => (text.get(..i).unwrap_or(text), text.get(i + 1..)),
        None => (text, None),
    }
}

fn compile(line: &mut dyn LineBuilder, data: &[u8]) -> Option<Direct> {
    let to = line.local_target(data)?;
    Some(Direct::Jump(to))
}

fn compile_if(line: &mut dyn LineBuilder, data: &[u8]) -> Option<Direct> {
    let (condition, branches) = leading_condition(line, data)?;
    let (yes, no) = cut(branches, b':');
    let next = line.context().next;
    let mut target = |text: &[u8]| {
        if text.is_empty() {
            next
        } else {
            line.local_target(text)
        }
    };
    let (yes, no) = (target(yes), target(no.unwrap_or(&[])));
    // One way is known: what the other needs is found when it is taken. Only of fixed targets is it certain that
    // nothing can be seen of those that are not taken.
    let general = matches!(condition, Condition::Text(_)) || !line.is_fixed(branches);
    let (yes, no) = match (yes, no) {
        (Some(yes), Some(no)) => (yes, no),
        (Some(yes), None) if !general => (yes, line.whole()?),
        (None, Some(no)) if !general => (line.whole()?, no),
        _ => return None,
    };
    Some(Direct::Branch(condition, yes, no))
}

/// A condition that is one expression, or one straight variable or function, and what follows the `?` behind it.
pub(super) fn leading_condition<'d>(
    line: &mut dyn LineBuilder,
    data: &'d [u8],
) -> Option<(Condition, &'d [u8])> {
    let (piece, rest) = next_piece(data, false)?;
    let (Piece::Expression(inside) | Piece::Variable(inside)) = &piece else {
        return None;
    };
    let text = data.get(..data.len() - rest.len())?;
    let branches = rest.strip_prefix(b"?")?;
    if !inside.closed {
        return None;
    }
    let condition = line.condition(text)?;
    // The value of an expression hardly ever holds a `?`, that of a variable may be anything.
    let straight = !matches!(condition, Condition::Text(_));
    (straight || matches!(piece, Piece::Expression(_))).then_some((condition, branches))
}
