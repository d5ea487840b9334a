//! Gosub frames.

use crate::base::arguments::raw as raw_arguments;
use crate::base::symbol::StableMap;
use crate::base::{Rare, Text, Value};
use crate::machine::{Cx, Location};

/// Names that a frame pushed, in order. Where there are many, they are found by an index.
#[derive(Debug, Clone)]
pub struct Locals {
    names: Vec<Text>,
    /// Where each name stands; empty as long as there are few.
    index: Rare<StableMap<Text, usize>>,
}

/// So many names are looked through as fast as an index is asked.
const FEW: usize = 16;

impl Locals {
    fn with_capacity(names: usize) -> Self {
        Self {
            names: Vec::with_capacity(names),
            index: Rare::absent(),
        }
    }

    /// Whether the frame pushed this name.
    pub fn contains(&self, name: &[u8]) -> bool {
        if self.index.is_empty() {
            self.names.iter().any(|n| n.as_bytes() == name)
        } else {
            self.index.contains_key(name)
        }
    }

    fn push(&mut self, name: Text) {
        let at = self.names.len();
        if at == FEW {
            let few = self.names.iter().cloned().enumerate();
            self.index.extend(few.map(|(at, name)| (name, at)));
        }
        if at >= FEW {
            self.index.insert(name.clone(), at);
        }
        self.names.push(name);
    }

    /// The names, in the order in which they were pushed.
    pub fn names(&self) -> &[Text] {
        &self.names
    }
}

/// A frame of Gosub.
#[derive(Debug, Clone)]
pub struct Frame {
    /// Where Return goes to: the priority after the Gosub.
    pub back: Location,
    /// Variables pushed, to be removed by Return.
    pub locals: Locals,
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
            locals: Locals::with_capacity(count + 1),
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
        for name in frame.locals.names().iter().rev() {
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
        if frame.locals.contains(name) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_and_many_names_are_found() {
        let mut locals = Locals::with_capacity(0);
        for n in 0..100 {
            let name = Text::from(format!("v{n}").as_str());
            assert!(!locals.contains(&name));
            locals.push(name.clone());
            assert!(locals.contains(&name) && locals.contains(b"v0"));
        }
        assert_eq!(locals.names().len(), 100);
        assert_eq!(locals.names().last(), Some(&Text::from("v99")));
    }
}
