//! Straight texts: evaluated at once, between two direct operations, on buffers that are kept.
//!
//! What is unusual gives up, and the line runs the general way from its beginning. That is possible because nothing
//! was seen of it: no log entry was made, no variable set, no function read but pure ones.

use crate::base::arguments::balanced;
use crate::base::substring::Cut;
use crate::base::value::canonical_integer;
use crate::base::{Text, Value};
use crate::machine::expression::{compared, evaluate, integer};
use crate::machine::image::Image;
use crate::machine::{Answer, Cx};
use crate::program::instruction::{CallId, CodeId, Constant, Core, ExpressionId, Instruction};
use crate::program::slots::Slot;
use crate::syntax::lex::template::reference;

use super::{Evaluator, MEMORY, cut_output};

/// Longer texts come near Asterisk's limits, which are a matter of the general way. In bytes.
pub(crate) const LONG: usize = 2000;

/// The result of a straight text.
pub(crate) enum Straight<'a> {
    /// A value that has its type.
    Value(Value),
    /// A text: so many bytes of a buffer that holds some more, see [`Text::set_first`].
    Text(&'a [u8], usize),
}

/// The number that a condition is. Any other text but an empty one might change where the data of the line is cut.
fn truth(text: &[u8]) -> Option<i64> {
    if text.is_empty() {
        return Some(0);
    }
    canonical_integer(text)
}

/// The priority of a line becomes the call's where it is read.
#[inline]
fn arrive(image: &Image, cx: &mut Cx<'_>, line: u32, core: Core) {
    if core == Core::Priority {
        cx.state.arrive(image, line);
    }
}

impl Evaluator {
    /// Evaluates a straight text of a line; `None` = the general way must.
    #[inline]
    pub(crate) fn straight(
        &mut self,
        image: &Image,
        cx: &mut Cx<'_>,
        line: u32,
        text: CodeId,
    ) -> Option<Straight<'_>> {
        self.run_straight(image, cx, line, text)?;
        Some(match self.values.pop() {
            Some(Value::Text(text)) if text.len() > LONG => return None,
            Some(value) => Straight::Value(value),
            None => {
                let length = self.out.len();
                self.out.extend_from_slice(&[0; Text::INLINE]);
                Straight::Text(&self.out, length)
            }
        })
    }

    /// The number that a straight condition of a line is; `None` = the general way must.
    #[inline]
    pub(crate) fn straight_truth(
        &mut self,
        image: &Image,
        cx: &mut Cx<'_>,
        line: u32,
        text: CodeId,
    ) -> Option<i64> {
        self.run_straight(image, cx, line, text)?;
        match self.values.last() {
            Some(Value::Int(n)) => Some(*n),
            Some(Value::Text(text)) => truth(text),
            None => truth(&self.out),
        }
    }

    /// Leaves a value, or else a text in the buffer.
    fn run_straight(
        &mut self,
        image: &Image,
        cx: &mut Cx<'_>,
        line: u32,
        text: CodeId,
    ) -> Option<()> {
        self.out.clear();
        self.marks.clear();
        self.values.clear();
        let code = &image.program.code;
        let mut instructions = code.from(text.0).iter();
        while let Some(&instruction) = instructions.next() {
            match instruction {
                Instruction::Literal(id) => self.literal(image, id),
                Instruction::Slot(slot) => {
                    if let Some(value) = cx.state.slot(image, slot) {
                        value.append_to(&mut self.out);
                    }
                }
                Instruction::SlotCut(slot, cut) => {
                    let cut = code.cut(cut);
                    match cx.state.slot(image, slot) {
                        Some(Value::Text(text)) if text.len() > LONG => return None,
                        Some(Value::Text(text)) => self.out.extend_from_slice(cut.apply(text)),
                        Some(Value::Int(n)) => {
                            let mut digits = itoa::Buffer::new();
                            let digits = digits.format(*n).as_bytes();
                            self.out.extend_from_slice(cut.apply(digits));
                        }
                        None => {}
                    }
                }
                Instruction::Core(core) => {
                    arrive(image, cx, line, core);
                    cx.append_core(core, &mut self.out);
                }
                Instruction::CoreCut(core, cut) => {
                    arrive(image, cx, line, core);
                    let start = self.out.len();
                    cx.append_core(core, &mut self.out);
                    self.short()?;
                    cut_output(&mut self.out, start, code.cut(cut));
                }
                Instruction::Open(before) => self.marks.push((self.out.len(), before)),
                Instruction::Call(id) => {
                    cx.state.arrive(image, line);
                    self.straight_call(image, cx, id)?;
                }
                Instruction::Read => {
                    cx.state.arrive(image, line);
                    self.straight_read(cx)?;
                }
                Instruction::PushSlot(slot) => self.push_slot(image, cx, slot)?,
                Instruction::PushText => {
                    let mark = self.marks.pop()?.0;
                    let value = self.out.get(mark..)?;
                    // A text that is compared with another one, and is nothing else, needs no value of its own.
                    if let [Instruction::ExpressionValue(id), ..] = instructions.as_slice()
                        && let Some(usage) = code.expression(*id)
                        && let Some(n) = compared(&usage.compiled, value)
                    {
                        self.values.push(Value::Int(n));
                        instructions.next();
                    } else {
                        self.values.push(Value::from_bytes(value));
                    }
                    self.out.truncate(mark);
                }
                Instruction::Expression(id) => {
                    self.straight_expression(image, cx, id)?;
                    if let Some(value) = self.values.pop() {
                        value.append_to(&mut self.out);
                    }
                }
                Instruction::ExpressionValue(id) => self.straight_expression(image, cx, id)?,
                Instruction::Textual(_) => return None,
                Instruction::End => break,
            }
            self.short()?;
        }
        Some(())
    }

    #[inline]
    fn short(&self) -> Option<()> {
        (self.out.len() <= LONG).then_some(())
    }

    #[inline]
    fn literal(&mut self, image: &Image, id: Constant) {
        self.out.extend_from_slice(image.program.code.constant(id));
    }

    #[inline]
    fn push_slot(&mut self, image: &Image, cx: &mut Cx<'_>, slot: Slot) -> Option<()> {
        let value = match cx.state.slot(image, slot) {
            Some(Value::Text(text)) if text.len() > LONG => return None,
            Some(value) => value.clone(),
            None => Value::EMPTY,
        };
        self.values.push(value);
        Some(())
    }

    /// Puts the value of an expression in the place of its operands.
    fn straight_expression(
        &mut self,
        image: &Image,
        cx: &mut Cx<'_>,
        id: ExpressionId,
    ) -> Option<()> {
        let usage = image.program.code.expression(id)?;
        let holes = usage.compiled.holes() as usize;
        let first = self.values.len().checked_sub(holes)?;
        let values = self.values.get(first..)?;
        // The usual results, without a value that is moved about.
        if let Some(n) = integer(&usage.compiled.shape, values) {
            self.values.truncate(first);
            self.values.push(Value::Int(n));
            return Some(());
        }
        let mut silent = true;
        let value = MEMORY.with_borrow_mut(|memory| {
            evaluate(&usage.compiled, values, memory, &mut |_| silent = false)
        })?;
        self.values.truncate(first);
        self.values.push(value);
        (silent || !cx.is_logged()).then_some(())
    }

    /// The inside of a `${ }` that is a name, perhaps with an offset.
    fn straight_read(&mut self, cx: &mut Cx<'_>) -> Option<()> {
        let mark = self.marks.pop()?.0;
        let parts = reference(self.out.get(mark..)?);
        if parts.function {
            return None;
        }
        self.answer.clear();
        cx.append_variable(parts.name, &mut self.answer);
        let cut = parts.cut.map(Cut::parse);
        self.out.truncate(mark);
        self.take_answer(cut)
    }

    /// Appends what a function or a variable gave.
    fn take_answer(&mut self, cut: Option<Cut>) -> Option<()> {
        if self.answer.len() > LONG {
            return None;
        }
        let kept = match cut {
            Some(cut) => cut.apply(&self.answer),
            None => &self.answer,
        };
        self.out.extend_from_slice(kept);
        Some(())
    }

    fn straight_call(&mut self, image: &Image, cx: &mut Cx<'_>, id: CallId) -> Option<()> {
        let call = image.program.code.call(id)?;
        let function = image.functions.get(call.function as usize)?.as_ref()?;
        // A pure function may still complain.
        if !function.pure || cx.is_watched() {
            return None;
        }
        let mark = self.marks.pop()?.0;
        let arguments = self.out.get(mark..)?;
        if call.substituted && !balanced(arguments) {
            return None;
        }
        self.answer.clear();
        let read = function.read.as_ref()?;
        cx.reads(Some(call.function));
        let answer = read.read(cx, arguments, &mut self.answer);
        cx.reads(None);
        match answer {
            Answer::Done => {}
            Answer::Failed => self.answer.clear(),
            _ => return None,
        }
        self.out.truncate(mark);
        self.take_answer(call.cut)
    }
}
