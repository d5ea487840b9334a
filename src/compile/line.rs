//! What compile hooks of applications are given.

use std::cell::Cell;

use crate::base::{Interner, Value};
use crate::compile::text::Texts;
use crate::library::{LineBuilder, LineContext};
use crate::program::expression::{Comparison, IntOperand, Shape};
use crate::program::instruction::{CodeId, Compare, Condition, Core, Instruction};
use crate::program::slots::{Slot, Slots};
use crate::program::{PriorityId, Table};
use crate::syntax::lex::template::has_substitution;

pub(super) struct Builder<'a> {
    pub(super) texts: &'a mut Texts,
    pub(super) slots: &'a mut Slots,
    pub(super) table: &'a Table,
    pub(super) names: &'a Interner,
    pub(super) line: u32,
    pub(super) next: Option<u32>,
    /// Whether it was asked where the line stands: another line of the same text may get another operation.
    pub(super) placed: Cell<bool>,
}

impl LineBuilder for Builder<'_> {
    fn context(&self) -> LineContext {
        self.placed.set(true);
        LineContext {
            line: self.line,
            next: self.next,
        }
    }

    fn slot(&mut self, name: &[u8]) -> Option<Slot> {
        let plain = !name.is_empty()
            && !name.starts_with(b"_")
            && !name.iter().any(|b| matches!(b, b' ' | b'(' | b')' | b'\t'))
            && !has_substitution(name, self.texts.angle())
            && Core::named(name).is_none();
        if plain { self.slots.add(name) } else { None }
    }

    fn value(&mut self, text: &[u8]) -> Option<CodeId> {
        Some(self.texts.compile_value(text, self.slots))
    }

    fn constant(&mut self, text: &[u8]) -> Option<Value> {
        let code = self.texts.compile_value(text, self.slots);
        self.texts.constant_value(code)
    }

    fn add_constant(&mut self, text: &[u8]) -> Option<(Slot, i32)> {
        let code = self.texts.compile_value(text, self.slots).0;
        let at = |i| self.texts.code().at(code + i);
        let (Instruction::PushSlot(slot), Instruction::ExpressionValue(id), Instruction::End) =
            (at(0), at(1), at(2))
        else {
            return None;
        };
        match self.texts.code().expression(id)?.compiled.shape() {
            Shape::AddConst { hole: 0, k } => Some((slot, i32::try_from(*k).ok()?)),
            _ => None,
        }
    }

    fn comparison(&mut self, text: &[u8]) -> Option<Condition> {
        let code = self.texts.compile_value(text, self.slots).0;
        let at = |i| self.texts.code().at(code + i);
        let (slots, id) = match (at(0), at(1), at(2), at(3)) {
            (Instruction::PushSlot(a), Instruction::ExpressionValue(id), Instruction::End, _) => {
                ([Some(a), None], id)
            }
            (
                Instruction::PushSlot(a),
                Instruction::PushSlot(b),
                Instruction::ExpressionValue(id),
                Instruction::End,
            ) => ([Some(a), Some(b)], id),
            _ => return None,
        };
        let Shape::Compare { op, left, right } =
            *self.texts.code().expression(id)?.compiled.shape()
        else {
            return None;
        };
        let slot = |hole: u32| slots.get(hole as usize).copied().flatten();
        match (left, right) {
            (IntOperand::Hole(left), IntOperand::Hole(right)) => Some(Condition::Slots(
                compare(op),
                u16::try_from(slot(left)?.0).ok()?,
                slot(right)?,
            )),
            (IntOperand::Hole(left), IntOperand::Constant(right)) => Some(Condition::Constant(
                compare(op),
                u16::try_from(slot(left)?.0).ok()?,
                i32::try_from(right).ok()?,
            )),
            (IntOperand::Constant(left), IntOperand::Hole(right)) => Some(Condition::Constant(
                compare(op).mirrored(),
                u16::try_from(slot(right)?.0).ok()?,
                i32::try_from(left).ok()?,
            )),
            (IntOperand::Constant(_), IntOperand::Constant(_)) => None,
        }
    }

    fn local_target(&mut self, text: &[u8]) -> Option<u32> {
        self.placed.set(true);
        let entry = self.table.priority(PriorityId(self.line))?;
        let extension = self.table.extension(entry.extension)?;
        let digits = !text.is_empty() && text.iter().all(u8::is_ascii_digit);
        if digits {
            let number: u32 = std::str::from_utf8(text).ok()?.parse().ok()?;
            return self.table.numbered(extension, number).map(|id| id.0);
        }
        // Signs, blanks and commas mean something else; such targets are read at run time.
        let label = text
            .first()
            .is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_')
            && text
                .iter()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'));
        if !label {
            return None;
        }
        let symbol = self.names.get(text)?;
        self.table.labelled(extension, symbol).map(|id| id.0)
    }

    fn is_quiet(&mut self, text: &[u8]) -> bool {
        let code = self.texts.compile(text, self.slots).0;
        (code..)
            .map(|pc| self.texts.code().at(pc))
            .take_while(|i| *i != Instruction::End)
            .all(|i| {
                matches!(
                    i,
                    Instruction::Literal(_)
                        | Instruction::Slot(_)
                        | Instruction::SlotCut(..)
                        | Instruction::Core(_)
                        | Instruction::CoreCut(..)
                )
            })
    }
}

fn compare(op: Comparison) -> Compare {
    match op {
        Comparison::Equal => Compare::EQUAL,
        Comparison::NotEqual => Compare::NOT_EQUAL,
        Comparison::Less => Compare::LESS_THAN,
        Comparison::LessOrEqual => Compare::LESS_OR_EQUAL,
        Comparison::Greater => Compare::GREATER_THAN,
        Comparison::GreaterOrEqual => Compare::GREATER_OR_EQUAL,
    }
}
