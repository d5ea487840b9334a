//! Gosub, GosubIf, Return, `StackPop`.

use crate::base::Text;
use crate::base::arguments::{Split, split};
use crate::base::condition::is_true;
use crate::diagnostic::code;
use crate::library::Application;
use crate::machine::{Cx, Flow, Location, gosub_arguments};

/// Call a subroutine.
pub static GOSUB: Application = Application::new(
    "Gosub",
    "Jump to label, saving return address.",
    "[[context,]exten,]priority[(arg1[,...])]",
    "Goes to a place and remembers the next priority for Return. Arguments become ARG1, ARG2 …, their number ARGC; \
     quotes, backslashes and blanks stay in them, and arguments of an outer subroutine are hidden. A place that does \
     not exist ends the call.",
    run,
);

/// Call one of two subroutines.
pub static GOSUB_IF: Application = Application::new(
    "GosubIf",
    "Conditionally jump to label, saving return address.",
    "condition?[place_if_true[(arg1[,...])]][:place_if_false[(arg1[,...])]]",
    "Calls the first subroutine if the condition is true, else the second; a missing one means the next priority. \
     `?` and `:` inside parentheses, brackets or quotes do not separate.",
    run_if,
);

/// Return from a subroutine.
pub static RETURN: Application = Application::new(
    "Return",
    "Return from gosub routine.",
    "[value]",
    "Goes on after the Gosub; GOSUB_RETVAL is the value, taken as it stands. Without a Gosub the call ends.",
    run_return,
);

/// Forget the innermost Gosub.
pub static STACK_POP: Application = Application::new(
    "StackPop",
    "Remove one address from gosub stack.",
    "",
    "Drops the innermost return address with its arguments and local variables, and goes on at the next priority.",
    run_pop,
);

fn run(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    if data.is_empty() {
        cx.log(&code::GOSUB_WITHOUT_ARGUMENT, || {
            "Gosub needs a place".to_owned()
        });
        return Flow::Leave;
    }
    let (place, arguments) = gosub_arguments(data);
    let to = match cx.parse_target(place) {
        Ok(to) => to,
        Err(fault) => {
            super::goto::complain(cx, fault);
            let target = Text::from(data);
            cx.log(&code::GOSUB_TARGET_INVALID, || {
                format!("`{target}` is no place for a subroutine")
            });
            return Flow::Leave;
        }
    };
    if !cx.exists(&to.context, &to.exten, to.priority) {
        cx.log(&code::GOSUB_TARGET_MISSING, || {
            format!(
                "no priority {} of {}@{} for a subroutine",
                to.priority, to.exten, to.context
            )
        });
        return Flow::Leave;
    }
    let here = cx.location();
    let back = Location {
        priority: here.priority + 1,
        ..here.clone()
    };
    if !cx.push_frame(back, arguments, false) {
        return Flow::Leave;
    }
    Flow::Jump(to)
}

fn run_if(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    let halves = split_pair(data, b'?');
    let [condition, places] = halves.as_slice() else {
        cx.log(&code::GOSUBIF_USAGE, || {
            "GosubIf needs condition?place:place".to_owned()
        });
        return Flow::Next;
    };
    let places = split_pair(places, b':');
    let place = places.get(usize::from(!is_true(condition)));
    match place {
        Some(place) if !place.is_empty() => run(cx, place),
        _ => Flow::Next,
    }
}

/// The text before and after a separator outside of parentheses, brackets and quotes.
pub(super) fn split_pair(text: &[u8], delimiter: u8) -> Vec<Vec<u8>> {
    split(
        text,
        Split {
            delimiter,
            slots: 2,
            remove: false,
        },
    )
}

fn run_return(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    let Some(frame) = cx.pop_frame() else {
        cx.log(&code::RETURN_WITHOUT_GOSUB, || {
            "Return without Gosub".to_owned()
        });
        return Flow::Leave;
    };
    cx.set(b"GOSUB_RETVAL", data);
    if frame.internal {
        return cx.leave_subroutine(frame.back);
    }
    Flow::Jump(frame.back)
}

fn run_pop(cx: &mut Cx<'_>, _: &[u8]) -> Flow {
    // The frame of a subroutine that the machine itself waits for stays.
    let inside = cx.frames().last().is_some_and(|frame| frame.internal);
    if !inside && cx.pop_frame().is_none() {
        cx.log(&code::STACKPOP_WITHOUT_GOSUB, || {
            "StackPop on an empty stack".to_owned()
        });
    }
    Flow::Next
}
