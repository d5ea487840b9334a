//! Text to syntax trees: configuration files, extension lines, patterns, templates, expressions.

pub mod ast;
pub mod error;
pub mod grammar;
pub mod lex;
pub mod load;
pub mod print;
