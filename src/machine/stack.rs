//! Gosub frames.

use crate::base::arguments::raw as raw_arguments;
use crate::base::{Text, Value};
use crate::machine::{Cx, Location};

/// A frame of Gosub.
#[derive(Debug, Clone)]
pub struct Frame {
    /// Where Return goes to: the priority after the Gosub.
    pub back: Location,
    /// Variables pushed, to be removed by Return.
    pub locals: Vec<Text>,
    /// How many arguments it shows (an inner call hides outer ones).
    pub arguments: usize,
    /// Whether Return ends a subroutine that the machine itself started.
    pub internal: bool,
}

/// Most arguments of a Gosub: the rest stays in the last one.
pub(super) const MAX_ARGUMENTS: usize = 99;

impl Cx<'_> {
    /// Pushes a frame with its arguments. Returns false when the stack is full.
    pub fn push_frame(&mut self, back: Location, arguments: Vec<Vec<u8>>, internal: bool) -> bool {
        if self.state.stack.len() >= self.state.settings.limits.max_gosub_depth {
            self.state.limit(
                &crate::diagnostic::code::LIMIT_GOSUB_DEPTH,
                "more Gosubs on the stack than allowed",
            );
            return false;
        }
        let outer = self.state.stack.last().map_or(0, |f| f.arguments);
        let count = arguments.len();
        let mut frame = Frame {
            back,
            locals: Vec::with_capacity(count + 1),
            arguments: count.max(outer),
            internal,
        };
        // Arguments of an outer frame are hidden by empty ones.
        let hidden = (count..outer).map(|_| Vec::new());
        for (i, argument) in arguments.into_iter().chain(hidden).enumerate() {
            let name = Text::from(format!("ARG{}", i + 1).as_str());
            self.push_local(&mut frame, &name, Value::from_bytes(&argument));
        }
        let argc = Text::from("ARGC");
        self.push_local(&mut frame, &argc, Value::integer(count as i64));
        self.state.stack.push(frame);
        true
    }

    fn push_local(&mut self, frame: &mut Frame, name: &Text, value: Value) {
        let slots = &self.state.image.program.slots;
        self.state.variables.push(slots, name, value);
        frame.locals.push(name.clone());
    }

    /// Pops the top frame and the variables it pushed.
    pub fn pop_frame(&mut self) -> Option<Frame> {
        let frame = self.state.stack.pop()?;
        for name in frame.locals.iter().rev() {
            let slots = &self.state.image.program.slots;
            self.state.variables.remove(slots, name);
        }
        Some(frame)
    }

    /// Gosub frames, outermost first.
    pub fn frames(&self) -> &[Frame] {
        &self.state.stack
    }

    /// Makes a variable local to the top frame. Returns false outside a Gosub.
    pub fn set_local(&mut self, name: &[u8], value: Value) -> bool {
        let Some(frame) = self.state.stack.last_mut() else {
            return false;
        };
        let slots = &self.state.image.program.slots;
        if frame.locals.iter().any(|n| n.as_bytes() == name) {
            self.state
                .variables
                .set(slots, name, value, crate::machine::variables::Inherit::No);
        } else {
            frame.locals.push(Text::from(name));
            self.state.variables.push(slots, name, value);
        }
        true
    }
}

/// Splits `place(arguments)` as Gosub does: the place up to the first `(`, the arguments up to the last `)`,
/// cut at commas outside quotes and brackets, nothing removed.
pub fn gosub_arguments(text: &[u8]) -> (&[u8], Vec<Vec<u8>>) {
    let Some(open) = text.iter().position(|&b| b == b'(') else {
        return (text, Vec::new());
    };
    let place = text.get(..open).unwrap_or(text);
    let inside = text.get(open + 1..).unwrap_or(&[]);
    let inside = match inside.iter().rposition(|&b| b == b')') {
        Some(close) => inside.get(..close).unwrap_or(inside),
        None => inside,
    };
    let arguments = raw_arguments(inside, MAX_ARGUMENTS + 1);
    (place, arguments)
}
