//! While, EndWhile, `ExitWhile`, `ContinueWhile`.
//!
//! The state of loops is in channel variables, as in Asterisk, where a dialplan can see it: the loop at a place
//! has an index in `<context>_<exten>_<priority>`; `WHILE_<index>` is where it begins and `END_WHILE_<index>`
//! where the dialplan goes on after it. A loop that is left by a jump keeps them.

use crate::base::condition::is_true;
use crate::diagnostic::code;
use crate::library::Application;
use crate::machine::{Cx, Flow, Location};
use crate::program::matcher::Want;

/// Begin a loop.
pub static WHILE: Application = Application::new(
    "While",
    "Start a while loop.",
    "condition",
    "Runs the lines up to the matching EndWhile as long as the condition is true; it is evaluated anew each time.",
    run_while,
);

/// End a loop.
pub static END_WHILE: Application = Application::new(
    "EndWhile",
    "End a while loop.",
    "",
    "Goes back to the While. Without a loop nothing happens.",
    run_end,
);

/// Leave a loop.
pub static EXIT_WHILE: Application = Application::new(
    "ExitWhile",
    "End a While loop.",
    "",
    "Goes on after the EndWhile of the innermost loop.",
    run_exit,
);

/// Go to the next round of a loop.
pub static CONTINUE_WHILE: Application = Application::new(
    "ContinueWhile",
    "Restart a While loop.",
    "",
    "Goes back to the While of the innermost loop.",
    run_continue,
);

fn run_while(cx: &mut Cx<'_>, condition: &[u8]) -> Flow {
    let index = Index::claim(cx, "WHILE");
    if !is_true(condition) {
        return finish(cx, &index);
    }
    if cx.stored_variable(&index.start()).is_none() {
        let here = place(cx.location());
        cx.set(&index.start(), &here);
    }
    Flow::Next
}

fn run_end(cx: &mut Cx<'_>, _: &[u8]) -> Flow {
    let Some(index) = Index::innermost(cx, "WHILE") else {
        return Flow::Next;
    };
    let start = cx.text_of(&index.start());
    if cx.stored_variable(&index.end()).is_none() {
        let after = place(&following(cx));
        cx.set(&index.end(), &after);
    }
    super::goto::jump_quietly(cx, &start)
}

fn run_exit(cx: &mut Cx<'_>, _: &[u8]) -> Flow {
    let index = Index::innermost(cx, "WHILE").unwrap_or_else(|| Index::none(cx, "WHILE"));
    finish(cx, &index)
}

fn run_continue(cx: &mut Cx<'_>, _: &[u8]) -> Flow {
    match Index::innermost(cx, "WHILE") {
        Some(index) => {
            let start = cx.text_of(&index.start());
            super::goto::jump_quietly(cx, &start)
        }
        None => Flow::Next,
    }
}

/// The loop is over: its variables go, and the dialplan goes on after the EndWhile.
fn finish(cx: &mut Cx<'_>, index: &Index) -> Flow {
    index.forget(cx);
    let end = index.end();
    if cx.stored_variable(&end).is_some() {
        let after = cx.text_of(&end);
        cx.remove(&end);
        return super::goto::jump_quietly(cx, &after);
    }
    if let Some(mut at) = block_end(cx, b"While", b"EndWhile", &[]) {
        at.priority += 1;
        return Flow::Jump(at);
    }
    let at = cx.location().clone();
    cx.log(&code::ENDWHILE_MISSING, || {
        format!(
            "no EndWhile for the loop at {}@{}, priority {}",
            at.exten, at.context, at.priority
        )
    });
    Flow::Next
}

/// The number of a block in progress, and the variable in which its place keeps it.
pub(super) struct Index {
    prefix: &'static str,
    number: Vec<u8>,
    here: Vec<u8>,
}

impl Index {
    fn new(cx: &Cx<'_>, prefix: &'static str, number: Vec<u8>) -> Self {
        let at = cx.location();
        let mut here = Vec::with_capacity(at.context.len() + at.exten.len() + 12);
        here.extend_from_slice(&at.context);
        here.push(b'_');
        here.extend_from_slice(&at.exten);
        here.extend_from_slice(format!("_{}", at.priority).as_bytes());
        Self {
            prefix,
            number,
            here,
        }
    }

    /// The index that this place has already, or the first free one.
    pub(super) fn claim(cx: &mut Cx<'_>, prefix: &'static str) -> Self {
        let mut index = Self::new(cx, prefix, Vec::new());
        if let Some(number) = cx.stored_variable(&index.here) {
            number.append_to(&mut index.number);
        } else {
            index.number = used(cx, prefix).to_string().into_bytes();
            cx.set(&index.here, &index.number);
        }
        index
    }

    /// The highest index in use.
    pub(super) fn innermost(cx: &Cx<'_>, prefix: &'static str) -> Option<Self> {
        let number = used(cx, prefix).checked_sub(1)?;
        Some(Self::new(cx, prefix, number.to_string().into_bytes()))
    }

    /// What stands for an index where there is none.
    pub(super) fn none(cx: &Cx<'_>, prefix: &'static str) -> Self {
        Self::new(cx, prefix, b"-1".to_vec())
    }

    /// Name of the variable with the beginning of the block.
    pub(super) fn start(&self) -> Vec<u8> {
        let mut name = self.prefix.as_bytes().to_vec();
        name.push(b'_');
        name.extend_from_slice(&self.number);
        // Asterisk builds these names in 64 bytes.
        name.truncate(63);
        name
    }

    /// Name of the variable with the place after the block.
    pub(super) fn end(&self) -> Vec<u8> {
        let mut name = b"END_".to_vec();
        name.extend_from_slice(&self.start());
        name.truncate(63);
        name
    }

    /// Removes the variables of the block; that of its end stays.
    pub(super) fn forget(&self, cx: &mut Cx<'_>) {
        cx.remove(&self.start());
        cx.remove(&self.here);
    }
}

/// How many indices from 0 on are in use without a gap.
fn used(cx: &Cx<'_>, prefix: &str) -> usize {
    let mut count = 0;
    while cx
        .stored_variable(format!("{prefix}_{count}").as_bytes())
        .is_some()
    {
        count += 1;
    }
    count
}

/// A place as these variables hold it.
pub(super) fn place(at: &Location) -> Vec<u8> {
    let mut text = at.context.to_vec();
    text.push(b',');
    text.extend_from_slice(&at.exten);
    text.extend_from_slice(format!(",{}", at.priority).as_bytes());
    text
}

/// The next priority.
pub(super) fn following(cx: &Cx<'_>) -> Location {
    let mut at = cx.location().clone();
    at.priority += 1;
    at
}

/// Scans the extension forward from the present line for the application that closes a block, or for one of
/// `others` at the block's own level.
pub(super) fn block_end(
    cx: &Cx<'_>,
    open: &[u8],
    close: &[u8],
    others: &[&[u8]],
) -> Option<Location> {
    let mut at = cx.location().clone();
    let mut level = 1usize;
    loop {
        at.priority += 1;
        let number = u32::try_from(at.priority).ok()?;
        let found = cx
            .find(&at.context, &at.exten, Want::Priority(number))
            .ok()?;
        let (application, _) = cx.line_text(found.priority)?;
        if application.eq_ignore_ascii_case(open) {
            level += 1;
        } else if application.eq_ignore_ascii_case(close) {
            level -= 1;
        }
        let other = level == 1 && others.iter().any(|o| application.eq_ignore_ascii_case(o));
        if level == 0 || other {
            return Some(at);
        }
    }
}
