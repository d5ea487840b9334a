//! Gosub frames.

use crate::base::arguments::{Split, parts};
use crate::base::symbol::StableMap;
use crate::base::{Rare, Text, Value};
use crate::machine::{Cx, Location};

/// Names that a frame pushed, in order. Where there are many, they are found by an index.
#[derive(Debug, Clone, Default)]
pub struct Locals {
    names: Vec<Text>,
    /// Where each name stands; empty as long as there are few.
    index: Rare<StableMap<Text, usize>>,
}

/// So many names are looked through as fast as an index is asked.
const FEW: usize = 16;

impl Locals {
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

    fn clear(&mut self) {
        self.names.clear();
        self.index = Rare::absent();
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
    /// Variables pushed, to be removed by Return; empty once they are.
    pub locals: Locals,
    /// How many arguments it shows (an inner call hides outer ones).
    pub arguments: usize,
    /// Whether Return ends a subroutine that the machine itself started.
    pub internal: bool,
}

/// Most arguments of a Gosub: the rest stays in the last one.
const MAX_ARGUMENTS: usize = 99;
const CUT: Split = Split {
    delimiter: b',',
    slots: MAX_ARGUMENTS + 1,
    remove: false,
};

impl Cx<'_> {
    /// Pushes a frame with its arguments: the text between the parentheses of a target. Returns false when the stack
    /// is full.
    pub fn push_frame(&mut self, back: Location, arguments: &[u8], internal: bool) -> bool {
        if self.state.stack.len() >= self.state.settings.limits.max_gosub_depth {
            self.state.limit(
                &crate::diagnostic::code::LIMIT_GOSUB_DEPTH,
                "more Gosubs on the stack than allowed",
            );
            return false;
        }
        let outer = self.state.stack.last().map_or(0, |f| f.arguments);
        let mut locals = self.state.spare_locals.pop().unwrap_or_default();
        let mut count = 0;
        for argument in parts(arguments, CUT) {
            count += 1;
            self.push_local(
                &mut locals,
                argument_name(count),
                Value::from_bytes(&argument),
            );
        }
        // Arguments of an outer frame are hidden by empty ones.
        for hidden in count + 1..=outer {
            self.push_local(&mut locals, argument_name(hidden), Value::EMPTY);
        }
        let argc = Value::integer(count as i64);
        self.push_local(&mut locals, Text::from("ARGC"), argc);
        self.state.stack.push(Frame {
            back,
            locals,
            arguments: count.max(outer),
            internal,
        });
        true
    }

    fn push_local(&mut self, locals: &mut Locals, name: Text, value: Value) {
        let slots = &self.state.image.program.slots;
        self.state.variables.push(slots, &name, value);
        locals.push(name);
    }

    /// Pops the top frame and the variables it pushed.
    pub fn pop_frame(&mut self) -> Option<Frame> {
        let mut frame = self.state.stack.pop()?;
        for name in frame.locals.names().iter().rev() {
            let slots = &self.state.image.program.slots;
            self.state.variables.remove(slots, name);
        }
        let mut locals = std::mem::take(&mut frame.locals);
        locals.clear();
        self.state.spare_locals.push(locals);
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

/// The name of an argument, from 1.
fn argument_name(n: usize) -> Text {
    let mut digits = itoa::Buffer::new();
    let mut name = [0; 24];
    let parts = [b"ARG", digits.format(n).as_bytes()];
    let mut length = 0;
    for (to, &from) in name.iter_mut().zip(parts.into_iter().flatten()) {
        *to = from;
        length += 1;
    }
    Text::from(name.get(..length).unwrap_or(&name))
}

/// Splits `place(arguments)` as Gosub does: the place up to the first `(`, the arguments up to the last `)`. They are
/// cut at commas outside quotes and brackets when a frame is pushed; nothing is removed.
pub fn gosub_arguments(text: &[u8]) -> (&[u8], &[u8]) {
    let Some(open) = text.iter().position(|&b| b == b'(') else {
        return (text, &[]);
    };
    let place = text.get(..open).unwrap_or(text);
    let inside = text.get(open + 1..).unwrap_or(&[]);
    let inside = match inside.iter().rposition(|&b| b == b')') {
        Some(close) => inside.get(..close).unwrap_or(inside),
        None => inside,
    };
    (place, inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_and_many_names_are_found() {
        let mut locals = Locals::default();
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
