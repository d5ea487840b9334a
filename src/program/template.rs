//! Compiled texts: the code of all of them, and the tables that it points into.

use crate::base::Text;
use crate::base::substring::Cut;
use crate::program::expression::Compiled;
use crate::program::instruction::{CallId, Constant, CutId, ExpressionId, Instruction};

/// A call of a dialplan function in a compiled text.
#[derive(Debug, Clone, PartialEq)]
pub struct FunctionCall {
    /// Name of the function (case-sensitive).
    pub name: Text,
    /// Its index in the image's table of functions, by order of first appearance.
    pub function: u32,
    /// Offset and length of the result.
    pub cut: Option<Cut>,
    /// The text behind the last `)`, for the textual path.
    pub tail: Text,
    /// Whether the arguments hold substitutions: then parentheses in their values change how the call is read.
    pub substituted: bool,
}

/// An expression of a compiled text.
#[derive(Debug, Clone)]
pub struct ExpressionUse {
    /// Its compiled form.
    pub compiled: Compiled,
    /// Its text around the holes: one piece more than holes.
    pub pieces: Vec<Text>,
}

/// The code of all texts of a dialplan. Equal texts are compiled once.
#[derive(Debug, Clone, Default)]
pub struct Code {
    /// Instructions of all texts.
    pub instructions: Vec<Instruction>,
    /// Constant texts.
    pub constants: Vec<Text>,
    /// Offsets and lengths.
    pub cuts: Vec<Cut>,
    /// Function calls.
    pub calls: Vec<FunctionCall>,
    /// Expressions.
    pub expressions: Vec<ExpressionUse>,
    /// Names of the functions called, by index.
    pub functions: Vec<Text>,
}

impl Code {
    /// The instruction at a place.
    #[inline]
    pub fn at(&self, pc: u32) -> Instruction {
        self.instructions
            .get(pc as usize)
            .copied()
            .unwrap_or(Instruction::End)
    }

    /// The instructions from a place on.
    #[inline]
    pub fn from(&self, pc: u32) -> &[Instruction] {
        self.instructions.get(pc as usize..).unwrap_or(&[])
    }

    /// A constant.
    #[inline]
    pub fn constant(&self, id: Constant) -> &Text {
        self.constants.get(id.0 as usize).unwrap_or(&Text::EMPTY)
    }

    /// An offset and length.
    #[inline]
    pub fn cut(&self, id: CutId) -> Cut {
        self.cuts.get(id.0 as usize).copied().unwrap_or(Cut {
            offset: 0,
            length: None,
        })
    }

    /// A function call.
    #[inline]
    pub fn call(&self, id: CallId) -> Option<&FunctionCall> {
        self.calls.get(id.0 as usize)
    }

    /// An expression.
    #[inline]
    pub fn expression(&self, id: ExpressionId) -> Option<&ExpressionUse> {
        self.expressions.get(id.0 as usize)
    }
}
