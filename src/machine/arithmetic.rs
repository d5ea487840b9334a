//! The operators of `$[ ]`.

/// An operand.
#[derive(Debug, Clone)]
pub enum Operand {}
