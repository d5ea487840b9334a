//! Text to syntax trees: configuration files, extension lines, patterns, templates, expressions.

pub mod ast;
pub mod lex;
pub mod load;
pub mod print;
