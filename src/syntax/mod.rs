//! Text to syntax trees: configuration files, extension lines, patterns, templates, expressions.

pub mod ast;
pub mod error;
mod expression;
pub mod lex;
pub mod load;
pub mod print;

pub use expression::{expression, expression_of_tokens};
