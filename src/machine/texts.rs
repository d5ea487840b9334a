//! Direct operations on texts.

use std::cell::RefCell;

use crate::base::Value;
use crate::base::value::canonical_integer;
use crate::machine::Cx;
use crate::machine::call::Call;
use crate::machine::evaluate::{LONG, Straight, cut_output};
use crate::machine::expression::same;
use crate::machine::image::Image;
use crate::program::instruction::{Instruction, Operation};
use crate::program::line::Step;
use crate::program::selector::{Choice, Subject, Workspace};
use crate::program::slots::Slot;

/// A way to a line, and how many executed lines it stands for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Way {
    pub(super) to: u32,
    pub(super) count: u32,
}

impl From<Step> for Way {
    fn from(step: Step) -> Self {
        Self {
            to: step.to(),
            count: step.count(),
        }
    }
}

thread_local! {
    /// The text of a value, and buffers of the choice among the lines of a chain.
    static CHOICE: RefCell<(Vec<u8>, Workspace)> = RefCell::default();
}

impl Call {
    /// Runs the direct operation on texts of the present line. `None` = a guard does not hold or the fuel does not
    /// suffice; then nothing was done.
    pub(super) fn run_straight(&mut self, image: &Image, fuel: u32) -> Option<Way> {
        let line = image.program.lines.get(self.line as usize)?;
        let Operation::Select { selector, place } = line.operation else {
            return self.run_operation(image, line.operation, line.onward, fuel);
        };
        if let Some(way) = self.select(image, selector, place, fuel) {
            return Some(way);
        }
        // The line asks for itself.
        let selector = image.program.selectors.get(selector as usize)?;
        let own = selector.tests.get(place as usize)?.operation;
        self.run_operation(image, own, line.onward, fuel)
    }

    fn run_operation(
        &mut self,
        image: &Image,
        operation: Operation,
        onward: Step,
        fuel: u32,
    ) -> Option<Way> {
        let step = match operation {
            Operation::SetConstant { slot, constant } => {
                affordable(onward, fuel)?;
                let text = image.program.code.constant(constant);
                self.state.variables.slot_value(slot).set_text(text);
                Some(onward)
            }
            Operation::SetStraight { slot, code } => {
                affordable(onward, fuel)?;
                let mut cx = Cx {
                    state: &mut self.state,
                };
                match self.evaluator.straight(image, &mut cx, self.line, code)? {
                    Straight::Value(Value::Int(n)) => {
                        self.state.variables.set_slot(slot, Value::Int(n));
                    }
                    // A copy, so that each variable keeps bytes of its own to be set again.
                    Straight::Value(Value::Text(text)) => {
                        self.state.variables.slot_value(slot).set_bytes(&text);
                    }
                    Straight::Text(buffer, length) => {
                        self.state
                            .variables
                            .slot_value(slot)
                            .set_first(buffer, length);
                    }
                }
                Some(onward)
            }
            Operation::BranchSame {
                slot,
                constant,
                yes,
                no,
            } => {
                let text = image.program.code.constant(constant);
                let holds = match self.state.slot(image, Slot(u32::from(slot))) {
                    Some(value) => same(value, text)?,
                    None => text.is_empty(),
                };
                Some(if holds { yes } else { no })
            }
            Operation::BranchStraight { code, yes, no } => {
                let mut cx = Cx {
                    state: &mut self.state,
                };
                let value = self
                    .evaluator
                    .straight_truth(image, &mut cx, self.line, code)?;
                Some(if value as i32 != 0 { yes } else { no })
            }
            Operation::BranchEqualTo {
                left,
                right,
                yes,
                no,
            } => match self.state.slot(image, Slot(u32::from(left))) {
                Some(Value::Int(n)) => Some(if *n == i64::from(right) { yes } else { no }),
                _ => None,
            },
            _ => None,
        };
        step.map(Way::from)
    }

    /// The way to the first line of a chain that holds, as far as the fuel suffices; `None` = the present line must be
    /// asked itself.
    fn select(&mut self, image: &Image, selector: u32, place: u32, fuel: u32) -> Option<Way> {
        let selector = image.program.selectors.get(selector as usize)?;
        let code = &image.program.code;
        let line = self.line;
        let choice = CHOICE.with_borrow_mut(|(text, space)| {
            text.clear();
            let cx = Cx {
                state: &mut self.state,
            };
            let value = match selector.subject {
                Instruction::Slot(slot) => cx.state.slot(image, slot),
                Instruction::Core(core) => {
                    cx.state.arrive(image, line);
                    cx.append_core(core, text);
                    None
                }
                Instruction::SlotCut(slot, cut) => {
                    match cx.state.slot(image, slot) {
                        Some(Value::Text(value)) if value.len() > LONG => return None,
                        Some(value) => value.append_to(text),
                        None => {}
                    }
                    cut_output(text, 0, code.cut(cut));
                    None
                }
                Instruction::CoreCut(core, cut) => {
                    cx.state.arrive(image, line);
                    cx.append_core(core, text);
                    cut_output(text, 0, code.cut(cut));
                    None
                }
                _ => return None,
            };
            let mut digits = itoa::Buffer::new();
            let subject = match value {
                Some(Value::Int(n)) => Subject {
                    text: digits.format(*n).as_bytes(),
                    integer: Some(*n),
                },
                Some(Value::Text(value)) => Subject {
                    text: value,
                    integer: None,
                },
                None => Subject {
                    text,
                    integer: canonical_integer(text),
                },
            };
            selector.choose(code, place, &subject, space)
        })?;
        let (to, step) = match choice {
            Choice::Hit(to) => (to, Some(selector.tests.get(to as usize)?.hit)),
            Choice::Ask(to) => (to, None),
            Choice::Miss => (
                u32::try_from(selector.tests.len()).ok()?.checked_sub(1)?,
                Some(selector.end),
            ),
        };
        let passed = |at: u32| Some(selector.tests.get(at as usize)?.passed);
        if let Some(step) = step {
            let count = passed(to)? - passed(place)? + step.count();
            if count <= fuel {
                return Some(Way {
                    to: step.to(),
                    count,
                });
            }
        }
        let (count, to) = selector.advance(place, to, fuel)?;
        Some(Way { to, count })
    }
}

/// A step is not taken in part.
fn affordable(step: Step, fuel: u32) -> Option<()> {
    (fuel >= step.count()).then_some(())
}
