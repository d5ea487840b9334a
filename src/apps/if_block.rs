//! If, `ElseIf`, Else, `EndIf`, `ExitIf`.
//!
//! The state is in channel variables as with While: `<context>_<exten>_<priority>`, `IF_<index>`.

use super::while_loop::{Index, block_end, place};
use crate::base::condition::is_true;
use crate::diagnostic::code;
use crate::library::Application;
use crate::machine::{Cx, Flow, Location};

/// Begin a block.
pub static IF: Application = Application::new(
    "If",
    "Start an if branch.",
    "condition",
    "Runs the next lines if the condition is true; else goes to the first ElseIf of the block, or after its Else, \
     or after its EndIf.",
    run_if,
);

/// A further condition.
pub static ELSE_IF: Application = Application::new(
    "ElseIf",
    "Start an else if branch.",
    "condition",
    "Runs the next lines if the condition is true. It is evaluated also when a branch before it was taken, as in \
     Asterisk.",
    run_if,
);

/// The other branch.
pub static ELSE: Application = Application::new(
    "Else",
    "Define an optional else branch.",
    "",
    "Begins the branch for a false condition; reached from the branch before, it goes to the EndIf.",
    run_skip,
);

/// End a block.
pub static END_IF: Application = Application::new(
    "EndIf",
    "End an if branch.",
    "",
    "Ends the block.",
    run_end,
);

/// Leave a block.
pub static EXIT_IF: Application = Application::new(
    "ExitIf",
    "End an If branch.",
    "",
    "Goes to the EndIf of the block.",
    run_skip,
);

fn run_if(cx: &mut Cx<'_>, condition: &[u8]) -> Flow {
    let index = Index::claim(cx, "IF");
    if is_true(condition) {
        if cx.stored_variable(&index.start()).is_none() {
            let here = place(cx.location());
            cx.set(&index.start(), &here);
        }
        return Flow::Next;
    }
    index.forget(cx);
    if let Some(at) = find_at_level(cx, b"ElseIf") {
        return Flow::Jump(at);
    }
    let end = find_at_level(cx, b"Else").or_else(|| find_end(cx));
    match end {
        Some(at) => Flow::Jump(Location {
            priority: at.priority + 1,
            ..at
        }),
        None => missing(cx),
    }
}

fn run_skip(cx: &mut Cx<'_>, _: &[u8]) -> Flow {
    match find_end(cx) {
        Some(at) => Flow::Jump(at),
        None => missing(cx),
    }
}

fn run_end(cx: &mut Cx<'_>, _: &[u8]) -> Flow {
    if let Some(index) = Index::innermost(cx, "IF") {
        // The place that holds the index is where the block began.
        let start = cx.text_of(&index.start());
        index.forget(cx);
        let mut name = start;
        for byte in name.iter_mut().filter(|b| **b == b',') {
            *byte = b'_';
        }
        cx.remove(&name);
    }
    Flow::Next
}

/// An application of this block, before its `EndIf`.
fn find_at_level(cx: &Cx<'_>, application: &[u8]) -> Option<Location> {
    let at = block_end(cx, b"If", b"EndIf", &[application])?;
    let end = find_end(cx)?;
    (at != end).then_some(at)
}

fn find_end(cx: &Cx<'_>) -> Option<Location> {
    block_end(cx, b"If", b"EndIf", &[])
}

fn missing(cx: &mut Cx<'_>) -> Flow {
    let at = cx.location().clone();
    cx.log(&code::ENDIF_MISSING, || {
        format!(
            "no EndIf for the block at {}@{}, priority {}",
            at.exten, at.context, at.priority
        )
    });
    Flow::Next
}
