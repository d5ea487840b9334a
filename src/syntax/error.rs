//! What a parser could not read.

use std::fmt;

/// A syntax error in `$[ ]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpressionFault {
    /// Offset of the offending token in the text; its length if something is missing at the end.
    pub offset: usize,
    /// The offending token as Asterisk's messages name it.
    pub unexpected: &'static str,
    /// How many tokens stand before it.
    pub before: usize,
    /// Whether those are a complete expression.
    pub complete: bool,
}

impl fmt::Display for ExpressionFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "syntax error, unexpected '{}'", self.unexpected)
    }
}

impl std::error::Error for ExpressionFault {}
