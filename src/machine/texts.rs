//! Direct operations on texts.

use crate::base::Value;
use crate::base::value::canonical_integer;
use crate::machine::Cx;
use crate::machine::call::Call;
use crate::machine::evaluate::Straight;
use crate::machine::expression::same;
use crate::machine::image::Image;
use crate::program::instruction::Operation;
use crate::program::line::Step;
use crate::program::slots::Slot;

impl Call {
    /// Runs the direct operation on texts of the present line. `None` = a guard does not hold or the fuel does not
    /// suffice; then nothing was done.
    pub(super) fn run_straight(&mut self, image: &Image, fuel: u32) -> Option<Step> {
        let line = image.program.lines.get(self.line as usize)?;
        match line.operation {
            Operation::SetConstant { slot, constant } => {
                affordable(line.onward, fuel)?;
                let text = image.program.code.constant(constant);
                self.state.variables.slot_value(slot).set_text(text);
                Some(line.onward)
            }
            Operation::SetStraight { slot, code } => {
                affordable(line.onward, fuel)?;
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
                Some(line.onward)
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
                let value = match self.evaluator.straight(image, &mut cx, self.line, code)? {
                    Straight::Value(Value::Int(n)) => n,
                    Straight::Value(Value::Text(text)) => truth(&text)?,
                    Straight::Text(buffer, length) => truth(buffer.get(..length)?)?,
                };
                Some(if value as i32 != 0 { yes } else { no })
            }
            _ => None,
        }
    }
}

/// The number that a condition is. Any other text but an empty one might change where the data of the line is cut.
fn truth(text: &[u8]) -> Option<i64> {
    if text.is_empty() {
        return Some(0);
    }
    canonical_integer(text)
}

/// A step is not taken in part.
fn affordable(step: Step, fuel: u32) -> Option<()> {
    (fuel >= step.count()).then_some(())
}
