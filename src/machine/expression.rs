//! Evaluation of `$[ ]`: of texts (resumable, memoised) and of compiled expressions (at once).

mod guard;
mod lower;
mod memory;

use std::sync::Arc;

use crate::base::value::canonical_integer;
use crate::base::{Number, Text, Value};
use crate::diagnostic::{Entry, code};
use crate::machine::arithmetic::{self, Operand};
use crate::program::expression::{
    Code, Compiled, Ending, FaultResult, IntOperand, Operation, Shape,
};

pub use lower::{constant, lower};
pub use memory::Memory;

/// How far an evaluation came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// The value.
    Done(Value),
    /// The caller runs this dialplan function and resumes with its answer.
    Call {
        /// Name of the function.
        name: Text,
        /// The text between its parentheses.
        arguments: Vec<u8>,
    },
}

/// The answer of a dialplan function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallResult {
    /// Its text.
    Text(Vec<u8>),
    /// There is no such function.
    Unknown,
    /// The function cannot be read inside `$[ ]`.
    NotReadable,
    /// The function failed: Asterisk reads a buffer that was not set; here the value is 0.
    Failed,
}

/// Most bytes of a function's answer.
const ANSWER_LIMIT: usize = 511;

/// A running evaluation of a text.
#[derive(Debug, Clone)]
pub struct Evaluation {
    code: Arc<Code>,
    next: usize,
    stack: Vec<Operand>,
    called: Option<Text>,
}

impl Evaluation {
    /// Starts the evaluation of the text between `$[` and `]`, after substitution.
    pub fn text(text: &[u8], memory: &mut Memory) -> Self {
        Evaluation {
            code: memory.code(text),
            next: 0,
            stack: Vec::new(),
            called: None,
        }
    }

    /// Runs to the end or to the next dialplan function.
    pub fn run(&mut self, memory: &mut Memory, log: &mut dyn FnMut(Entry)) -> Progress {
        let code = Arc::clone(&self.code);
        while let Some(operation) = code.operations.get(self.next) {
            self.next += 1;
            if let Operation::Call { name, arguments } = operation {
                let arguments = taken(&mut self.stack, *arguments);
                if is_function_name(name) {
                    self.called = Some(name.clone());
                    return Progress::Call {
                        name: name.clone(),
                        arguments: joined(&arguments),
                    };
                }
                log(Entry::new(
                    &code::EXPR_FUNC_BAD_NAME,
                    format!("`{name}` is not possibly a function name"),
                ));
                self.stack.push(Operand::ZERO);
            } else {
                step(operation, &mut self.stack, &[], memory, log);
            }
        }
        Progress::Done(ended(&code.ending, self.stack.pop(), log))
    }

    /// Takes the answer of the function asked for; `run` goes on.
    pub fn resume(&mut self, result: CallResult, log: &mut dyn FnMut(Entry)) {
        let name = self.called.take().unwrap_or_default();
        let operand = match result {
            CallResult::Text(text) => answer(text.get(..ANSWER_LIMIT).unwrap_or(&text)),
            CallResult::Unknown => {
                log(Entry::new(
                    &code::EXPR_FUNC_UNKNOWN,
                    format!("no function `{name}`"),
                ));
                log(Entry::new(
                    &code::EXPR_FUNC_UNAVAILABLE,
                    format!("function `{name}` is not available"),
                ));
                Operand::ZERO
            }
            CallResult::NotReadable => {
                log(Entry::new(
                    &code::EXPR_FUNC_NOT_READABLE,
                    format!("function `{name}` cannot be read inside `$[ ]`"),
                ));
                Operand::ZERO
            }
            CallResult::Failed => Operand::ZERO,
        };
        self.stack.push(operand);
    }
}

/// The operand that a function's answer is.
fn answer(text: &[u8]) -> Operand {
    let number = text
        .iter()
        .all(|b| matches!(b, b'0'..=b'9' | b'-' | b'.' | b' ' | b'\t'));
    if number {
        Operand::Number(Number::read(text))
    } else {
        Operand::retyped(text)
    }
}

/// Whether a name may be that of a dialplan function inside `$[ ]`.
pub fn is_function_name(name: &[u8]) -> bool {
    name.iter()
        .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b'_')
}

fn joined(operands: &[Operand]) -> Vec<u8> {
    let mut text = Vec::new();
    for (index, operand) in operands.iter().enumerate() {
        if index > 0 {
            text.push(b',');
        }
        operand.append_to(&mut text);
    }
    text
}

fn taken(stack: &mut Vec<Operand>, count: u32) -> Vec<Operand> {
    stack.split_off(stack.len().saturating_sub(count as usize))
}

/// Pops an operand. The parser's code never pops from an empty stack.
fn top(stack: &mut Vec<Operand>) -> Operand {
    stack.pop().unwrap_or(Operand::ZERO)
}

/// Runs one operation that calls no dialplan function.
#[inline]
fn step(
    operation: &Operation,
    stack: &mut Vec<Operand>,
    slots: &[Operand],
    memory: &mut Memory,
    log: &mut dyn FnMut(Entry),
) {
    let operand = match operation {
        Operation::Constant(constant) => Operand::from(constant),
        Operation::Slot(index) => slots.get(*index as usize).cloned().unwrap_or(Operand::ZERO),
        Operation::Unary(operator) => arithmetic::unary(*operator, &top(stack), log),
        Operation::Binary(operator) => {
            let right = top(stack);
            let left = top(stack);
            arithmetic::binary(*operator, left, right, &mut memory.patterns, log)
        }
        Operation::Conditional => {
            let right = top(stack);
            let left = top(stack);
            arithmetic::conditional(&top(stack), left, right)
        }
        Operation::Maths {
            function,
            arguments,
        } => {
            let first = stack.len().saturating_sub(*arguments as usize);
            let result = arithmetic::maths(*function, stack.get(first..).unwrap_or(&[]), log);
            stack.truncate(first);
            result
        }
        Operation::Call { .. } => Operand::ZERO,
    };
    stack.push(operand);
}

fn ended(ending: &Ending, top: Option<Operand>, log: &mut dyn FnMut(Entry)) -> Value {
    let top = match ending {
        Ending::Value => top,
        Ending::Nothing => None,
        Ending::Fault { message, result } => {
            log(Entry::new(&code::EXPR_SYNTAX, message.as_str()));
            match result {
                FaultResult::Empty => None,
                FaultResult::Top => top,
                FaultResult::Zero => Some(Operand::ZERO),
            }
        }
    };
    top.map_or(Value::EMPTY, Operand::into_value)
}

/// Evaluates a compiled expression; `None` = the values do not keep its structure:
/// join the text and use [`Evaluation::text`]. Nothing was logged in that case.
#[inline]
pub fn evaluate(
    compiled: &Compiled,
    holes: &[Value],
    memory: &mut Memory,
    log: &mut dyn FnMut(Entry),
) -> Option<Value> {
    if let Some(value) = fused(&compiled.shape, holes) {
        return Some(value);
    }
    general(compiled, holes, memory, log)
}

/// Simple shapes, without a stack.
#[inline]
fn fused(shape: &Shape, holes: &[Value]) -> Option<Value> {
    match shape {
        Shape::AddConst { hole, k } => match holes.get(*hole as usize) {
            // Both are below 10^18, so the sum fits.
            Some(Value::Int(n)) => Some(Number::Int(n + k).to_value()),
            _ => None,
        },
        Shape::Constant(value) => Some(value.clone()),
        _ => integer(shape, holes).map(Value::Int),
    }
}

/// Shapes whose value is 1 or 0.
#[inline]
pub(crate) fn integer(shape: &Shape, holes: &[Value]) -> Option<i64> {
    match shape {
        Shape::Compare { op, left, right } => {
            let side = |operand: &IntOperand| match operand {
                IntOperand::Hole(hole) => match holes.get(*hole as usize) {
                    Some(Value::Int(n)) => Some(*n),
                    _ => None,
                },
                IntOperand::Constant(n) => Some(*n),
            };
            let order = side(left)?.cmp(&side(right)?);
            Some(i64::from(op.holds(Some(order))))
        }
        Shape::Same { hole, text, equal } => {
            let same = same(holes.get(*hole as usize)?, text)?;
            Some(i64::from(same == *equal))
        }
        Shape::AddConst { .. } | Shape::Constant(_) | Shape::Other => None,
    }
}

/// Whether `"value"` and `"text"` are the same operand; `None` = the value is not one operand between quotes.
#[inline]
pub(crate) fn same(value: &Value, text: &Text) -> Option<bool> {
    match value {
        Value::Int(n) => Some(canonical_integer(text) == Some(*n)),
        Value::Text(value) => same_text(value, text),
    }
}

/// As [`same`]; the text of an integer is the same as another one exactly where it has the same bytes.
#[inline]
fn same_text(value: &[u8], text: &Text) -> Option<bool> {
    /// Longer ones come near the limit of an expression, in bytes.
    const LONG: usize = 2000;
    if value.len() + text.len() > LONG || value.contains(&b'"') {
        return None;
    }
    Some(value == &**text)
}

/// The value of an expression whose only operand that is not constant is this text, where it compares it with another.
#[inline]
pub(crate) fn compared(compiled: &Compiled, value: &[u8]) -> Option<i64> {
    match &compiled.shape {
        Shape::Same {
            hole: 0,
            text,
            equal,
        } if compiled.holes == 1 => Some(i64::from(same_text(value, text)? == *equal)),
        _ => None,
    }
}

fn general(
    compiled: &Compiled,
    holes: &[Value],
    memory: &mut Memory,
    log: &mut dyn FnMut(Entry),
) -> Option<Value> {
    let mut slots = std::mem::take(&mut memory.slots);
    let mut stack = std::mem::take(&mut memory.stack);
    let kept = guard::operands(compiled, holes, &mut memory.token, &mut slots);
    let value = kept.then(|| {
        for operation in &compiled.code.operations {
            step(operation, &mut stack, &slots, memory, log);
        }
        ended(&compiled.code.ending, stack.pop(), log)
    });
    slots.clear();
    stack.clear();
    memory.slots = slots;
    memory.stack = stack;
    value
}
