//! Guarded compilation of `$[ ]`: done once, valid while the run-time values keep the token structure.

use crate::program::expression::Compiled;

/// A part of the text between `$[` and `]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Text as written.
    Literal(Vec<u8>),
    /// A `${ }` or nested `$[ ]`; holes are numbered from 0 in text order.
    Hole,
}

/// Compiles an expression; `None` = its meaning depends on the joined text, evaluate that at run time.
pub fn compile(_pieces: &[Piece]) -> Option<Compiled> {
    None
}
