//! Evaluation of `$[ ]`: of texts (resumable, memoised) and of compiled expressions (at once).

use std::sync::Arc;

use crate::base::{EreCache, Text, Value};
use crate::diagnostic::Entry;
use crate::machine::arithmetic::Operand;
use crate::program::expression::{Code, Compiled};

/// What evaluation learns and reuses; owned by the caller, bounded.
#[derive(Debug, Default)]
pub struct Memory {
    /// Compiled patterns by text.
    pub patterns: EreCache,
    stack: Vec<Operand>,
}

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
    /// The function failed.
    Failed,
}

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
    pub fn text(_text: &[u8], _memory: &mut Memory) -> Self {
        todo!()
    }

    /// Runs to the end or to the next dialplan function.
    pub fn run(&mut self, _memory: &mut Memory, _log: &mut dyn FnMut(Entry)) -> Progress {
        todo!()
    }

    /// Takes the answer of the function asked for; `run` goes on.
    pub fn resume(&mut self, _result: CallResult, _log: &mut dyn FnMut(Entry)) {
        todo!()
    }
}

/// Evaluates a compiled expression; `None` = the values do not keep its structure:
/// join the text and use [`Evaluation::text`]. Nothing was logged in that case.
pub fn evaluate(
    _compiled: &Compiled,
    _holes: &[Value],
    _memory: &mut Memory,
    _log: &mut dyn FnMut(Entry),
) -> Option<Value> {
    None
}
