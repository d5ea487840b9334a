//! What compile hooks of applications are given.

use std::cell::Cell;

use crate::base::{Interner, Value};
use crate::compile::text::Texts;
use crate::library::{LineBuilder, LineContext, Registry};
use crate::program::expression::{IntOperand, Shape};
use crate::program::instruction::{
    CodeId, Condition, Constant, Core, Direct, ExpressionId, Instruction,
};
use crate::program::slots::{Slot, Slots};
use crate::program::{PriorityId, Table};
use crate::syntax::lex::template::has_substitution;

/// Longer names come near the limit of the data of a line, in bytes.
const LONG_NAME: usize = 1000;

/// A part of another line.
pub(super) struct Inner {
    pub(super) owner: u32,
    /// `None` where it is the line itself, run the general way.
    pub(super) application: Option<Vec<u8>>,
    pub(super) direct: Option<Direct>,
}

pub(super) struct Builder<'a, 'r> {
    pub(super) texts: &'a mut Texts<'r>,
    pub(super) registry: &'r Registry,
    /// Parts of lines so far; `None` for the builder of a part, which has no parts of its own.
    pub(super) inner: Option<&'a mut Vec<Inner>>,
    pub(super) slots: &'a mut Slots,
    pub(super) table: &'a Table,
    pub(super) names: &'a Interner,
    pub(super) line: u32,
    pub(super) next: Option<u32>,
    /// Whether it was asked where the line stands: another line of the same text may get another operation.
    pub(super) placed: Cell<bool>,
}

impl LineBuilder for Builder<'_, '_> {
    fn context(&self) -> LineContext {
        self.placed.set(true);
        LineContext {
            line: self.line,
            next: self.next,
        }
    }

    fn slot(&mut self, name: &[u8]) -> Option<Slot> {
        let plain = !name.is_empty()
            && name.len() <= LONG_NAME
            && !name.starts_with(b"_")
            && !name.iter().any(|b| matches!(b, b' ' | b'(' | b')' | b'\t'))
            && !has_substitution(name, self.texts.angle())
            && Core::named(name).is_none();
        if plain { self.slots.add(name) } else { None }
    }

    fn value(&mut self, text: &[u8]) -> Option<CodeId> {
        Some(self.texts.compile_value(text, self.slots))
    }

    fn is_fixed(&self, text: &[u8]) -> bool {
        !has_substitution(text, self.texts.angle())
    }

    fn is_straight(&self, code: CodeId) -> bool {
        self.texts.is_straight(code)
    }

    fn keep(&mut self, text: &[u8]) -> Constant {
        self.texts.constant(text)
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

    fn condition(&mut self, text: &[u8]) -> Option<Condition> {
        let code = self.texts.compile_value(text, self.slots);
        Some(match self.comparison(code) {
            Some(comparison) => comparison,
            None if self.texts.is_straight(code) => Condition::Straight(code),
            None => Condition::Text(code),
        })
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

    fn inner(&mut self, application: &[u8], data: &[u8]) -> Option<u32> {
        self.inner.as_ref()?;
        self.placed.set(true);
        let known = self.registry.application(application)?;
        let mut builder = Builder {
            texts: self.texts,
            slots: self.slots,
            inner: None,
            placed: Cell::new(true),
            ..*self
        };
        let direct = known
            .compile
            .and_then(|hook| hook(&mut builder, data))
            .filter(|direct| !matches!(direct, Direct::Branch(..)));
        let inner = self.inner.as_mut()?;
        let index = u32::try_from(self.table.priorities.len() + inner.len()).ok()?;
        inner.push(Inner {
            owner: self.line,
            application: Some(application.to_vec()),
            direct,
        });
        Some(index)
    }

    fn whole(&mut self) -> Option<u32> {
        self.placed.set(true);
        let inner = self.inner.as_mut()?;
        let index = u32::try_from(self.table.priorities.len() + inner.len()).ok()?;
        inner.push(Inner {
            owner: self.line,
            application: None,
            direct: None,
        });
        Some(index)
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

impl Builder<'_, '_> {
    /// The comparison that a text consists of.
    fn comparison(&mut self, code: CodeId) -> Option<Condition> {
        let at = |i| self.texts.code().at(code.0 + i);
        let (holes, id) = match (at(0), at(1), at(2), at(3)) {
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
        let slot = |hole: u32| holes.get(hole as usize).copied().flatten();
        let number = |hole| u16::try_from(slot(hole)?.0).ok();
        match self.shape(id)? {
            Shape::Same { hole, text, equal } => {
                let constant = self.texts.constant(&text);
                Some(Condition::Same(equal, number(hole)?, constant))
            }
            Shape::Compare { op, left, right } => match (left, right) {
                (IntOperand::Hole(a), IntOperand::Hole(b)) => {
                    Some(Condition::Slots(op, number(a)?, number(b)?))
                }
                (IntOperand::Hole(a), IntOperand::Constant(b)) => {
                    Some(Condition::Constant(op, number(a)?, constant(b)?))
                }
                (IntOperand::Constant(a), IntOperand::Hole(b)) => {
                    Some(Condition::Constant(op.mirrored(), number(b)?, constant(a)?))
                }
                (IntOperand::Constant(_), IntOperand::Constant(_)) => None,
            },
            _ => None,
        }
    }

    fn shape(&self, id: ExpressionId) -> Option<Shape> {
        Some(self.texts.code().expression(id)?.compiled.shape().clone())
    }
}

/// A constant that may be one more when the way of a branch is found.
fn constant(n: i64) -> Option<i32> {
    i32::try_from(n).ok().filter(|n| *n < i32::MAX)
}
