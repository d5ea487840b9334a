//! Compiled texts and expressions.

use crate::base::Value;
use crate::base::arguments::balanced;
use crate::machine::Cx;
use crate::machine::expression::{CallResult, Evaluation, Progress, evaluate};
use crate::machine::image::Image;
use crate::program::instruction::{CallId, ExpressionId, Instruction};
use crate::program::slots::Slot;

use super::{
    DATA_LIMIT, Evaluator, Frame, MEMORY, Role, Status, Use, VALUE_LIMIT, cut_output, refuse,
    say_cut, shorten,
};

impl Evaluator {
    pub(super) fn run_code(&mut self, image: &Image, cx: &mut Cx<'_>) -> Option<Status> {
        let Some(&mut Frame::Code(mut pc)) = self.frames.last_mut() else {
            return None;
        };
        let code = &image.program.code;
        let depth = self.frames.len();
        loop {
            let instruction = code.at(pc);
            pc += 1;
            match instruction {
                Instruction::Literal(id) => self.out.extend_from_slice(code.constant(id)),
                Instruction::Slot(slot) => {
                    let start = self.out.len();
                    append_slot(image, cx, slot, &mut self.out);
                    shorten(&mut self.out, start + VALUE_LIMIT, cx);
                }
                Instruction::SlotCut(slot, cut) => {
                    let start = self.out.len();
                    append_slot(image, cx, slot, &mut self.out);
                    shorten(&mut self.out, start + VALUE_LIMIT, cx);
                    cut_output(&mut self.out, start, code.cut(cut));
                }
                Instruction::Core(core) => cx.append_core(core, &mut self.out),
                Instruction::CoreCut(core, cut) => {
                    let start = self.out.len();
                    cx.append_core(core, &mut self.out);
                    cut_output(&mut self.out, start, code.cut(cut));
                }
                Instruction::Open(before) => self.marks.push((self.out.len(), before)),
                Instruction::PushText => {
                    let mark = self.marks.pop().map_or(0, |(mark, _)| mark);
                    let value = Value::from_bytes(self.out.get(mark..).unwrap_or(&[]));
                    self.out.truncate(mark);
                    self.values.push(value);
                }
                Instruction::PushSlot(slot) => {
                    let value = match cx.state.variables.slot(slot) {
                        Some(Value::Text(text)) if text.len() > VALUE_LIMIT => {
                            let mut text = text.to_vec();
                            shorten(&mut text, VALUE_LIMIT, cx);
                            Value::from_bytes(&text)
                        }
                        Some(value) => value.clone(),
                        None => {
                            let mut text = Vec::new();
                            append_slot(image, cx, slot, &mut text);
                            shorten(&mut text, VALUE_LIMIT, cx);
                            Value::from_bytes(&text)
                        }
                    };
                    self.values.push(value);
                }
                Instruction::Read => {
                    self.park(pc);
                    let mark = self.marks.pop().map_or(0, |(mark, _)| mark);
                    let mut inside = cx.state.spare.pop().unwrap_or_default();
                    inside.clear();
                    inside.extend_from_slice(self.out.get(mark..).unwrap_or(&[]));
                    shorten(&mut inside, VALUE_LIMIT, cx);
                    self.out.truncate(mark);
                    let status = self.read(cx, &inside);
                    cx.state.spare.push(inside);
                    if status.is_some() || self.frames.len() != depth {
                        return status;
                    }
                }
                Instruction::Call(id) => {
                    let status = self.call(image, cx, id, pc);
                    if status.is_some() || self.frames.len() != depth {
                        return status;
                    }
                }
                Instruction::Expression(id) | Instruction::ExpressionValue(id) => {
                    let keep = matches!(instruction, Instruction::ExpressionValue(_));
                    if !self.compiled_expression(image, cx, id, keep, pc) {
                        return None;
                    }
                }
                Instruction::Textual(id) => {
                    self.park(pc);
                    self.push_text(code.constant(id).clone(), DATA_LIMIT, 0, Role::Whole);
                    return None;
                }
                Instruction::End => {
                    self.frames.pop();
                    return None;
                }
            }
            // Nothing behind the limit is evaluated any more.
            let limit = self.data_limit();
            if self.marks.is_empty() && self.out.len() >= limit && self.values.is_empty() {
                if self.out.len() == limit && code.at(pc) != Instruction::End {
                    say_cut(cx);
                }
                shorten(&mut self.out, limit, cx);
                self.frames.pop();
                return None;
            }
        }
    }

    /// Remembers where the compiled text on top goes on.
    pub(super) fn park(&mut self, pc: u32) {
        if let Some(Frame::Code(at)) = self.frames.last_mut() {
            *at = pc;
        }
    }

    pub(super) fn call(
        &mut self,
        image: &Image,
        cx: &mut Cx<'_>,
        id: CallId,
        pc: u32,
    ) -> Option<Status> {
        self.park(pc);
        let call = image.program.code.call(id)?;
        let mark = self.marks.pop().map_or(0, |(mark, _)| mark);
        let arguments = self.out.get(mark..).unwrap_or(&[]);
        let long = call.name.len() + arguments.len() + call.tail.len() + 2 > VALUE_LIMIT;
        if long || (call.substituted && !balanced(arguments)) {
            // The values change how the call is read: read it as Asterisk does, from its text.
            let mut inside = call.name.to_vec();
            inside.push(b'(');
            inside.extend_from_slice(arguments);
            inside.push(b')');
            inside.extend_from_slice(&call.tail);
            shorten(&mut inside, VALUE_LIMIT, cx);
            self.out.truncate(mark);
            return self.read(cx, &inside);
        }
        let usage = Use {
            mark,
            cut: call.cut,
            operand: false,
        };
        let linked = image.functions.get(call.function as usize)?;
        let Some(read) = linked.as_ref().and_then(|f| f.read.as_ref()) else {
            self.out.truncate(mark);
            refuse(cx, &call.name, linked.is_some());
            return None;
        };
        let arguments = std::mem::take(&mut self.out);
        let mut out = cx.state.spare.pop().unwrap_or_default();
        out.clear();
        cx.reads(Some(call.function));
        let answer = read.read(cx, arguments.get(mark..).unwrap_or(&[]), &mut out);
        cx.reads(None);
        self.out = arguments;
        self.out.truncate(mark);
        self.out.extend_from_slice(&out);
        cx.state.spare.push(out);
        self.answered(cx, answer, usage)
    }

    /// Evaluates a compiled expression; false when the text on top must wait for the textual way.
    pub(super) fn compiled_expression(
        &mut self,
        image: &Image,
        cx: &mut Cx<'_>,
        id: ExpressionId,
        keep: bool,
        pc: u32,
    ) -> bool {
        let Some(usage) = image.program.code.expression(id) else {
            return true;
        };
        let holes = usage.compiled.holes() as usize;
        let first = self.values.len().saturating_sub(holes);
        let values = self.values.get(first..).unwrap_or(&[]);
        let result = MEMORY.with_borrow_mut(|memory| {
            evaluate(&usage.compiled, values, memory, &mut |entry| {
                cx.state.log(entry);
            })
        });
        if let Some(value) = result {
            self.values.truncate(first);
            self.keep(value, keep);
            return true;
        }
        let mut text = Vec::new();
        for (i, piece) in usage.pieces.iter().enumerate() {
            text.extend_from_slice(piece);
            if let Some(value) = values.get(i) {
                value.append_to(&mut text);
            }
        }
        shorten(&mut text, VALUE_LIMIT, cx);
        self.values.truncate(first);
        self.park(pc);
        self.start_expression(&text, keep);
        false
    }

    pub(super) fn keep(&mut self, value: Value, keep: bool) {
        if keep {
            self.values.push(value);
        } else {
            let start = self.out.len();
            let room = self.room();
            value.append_to(&mut self.out);
            self.out.truncate(start + VALUE_LIMIT.min(room));
        }
    }

    /// How long the text may be.
    fn data_limit(&self) -> usize {
        DATA_LIMIT.saturating_sub(usize::from(self.before))
    }

    /// How long the result of an expression may be here: it is written to the buffer itself, with a zero byte
    /// behind it.
    pub(super) fn room(&self) -> usize {
        let (mark, limit) = match self.frames.last() {
            Some(Frame::Text(frame)) => (frame.mark, frame.limit),
            _ => match self.marks.last() {
                Some(&(mark, before)) => (mark, VALUE_LIMIT - usize::from(before).min(VALUE_LIMIT)),
                None => (0, self.data_limit()),
            },
        };
        (mark + limit)
            .saturating_sub(self.out.len())
            .saturating_sub(1)
    }

    pub(super) fn start_expression(&mut self, text: &[u8], keep: bool) {
        let evaluation = MEMORY.with_borrow_mut(|memory| Evaluation::text(text, memory));
        self.frames
            .push(Frame::Expression(Box::new(evaluation), keep));
    }

    pub(super) fn run_expression(&mut self, cx: &mut Cx<'_>) -> Option<Status> {
        let Some(Frame::Expression(evaluation, keep)) = self.frames.last_mut() else {
            return None;
        };
        let keep = *keep;
        let progress = MEMORY
            .with_borrow_mut(|memory| evaluation.run(memory, &mut |entry| cx.state.log(entry)));
        match progress {
            Progress::Done(value) => {
                self.frames.pop();
                self.keep(value, keep);
                None
            }
            Progress::Call { name, arguments } => {
                let usage = Use {
                    mark: self.out.len(),
                    cut: None,
                    operand: true,
                };
                match cx.function(&name) {
                    None => {
                        self.operand(cx, CallResult::Unknown);
                        None
                    }
                    Some(function) => match &function.read {
                        Some(read) if function.in_expressions => {
                            let answer = read.read(cx, &arguments, &mut self.out);
                            self.answered(cx, answer, usage)
                        }
                        _ => {
                            self.operand(cx, CallResult::NotReadable);
                            None
                        }
                    },
                }
            }
        }
    }

    pub(super) fn operand(&mut self, cx: &mut Cx<'_>, result: CallResult) {
        if let Some(Frame::Expression(evaluation, _)) = self.frames.last_mut() {
            evaluation.resume(result, &mut |entry| cx.state.log(entry));
        }
    }
}

fn append_slot(image: &Image, cx: &mut Cx<'_>, slot: Slot, out: &mut Vec<u8>) {
    if let Some(value) = cx.state.slot(image, slot) {
        value.append_to(out);
    }
}
