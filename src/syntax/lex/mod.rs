//! Lexers, one per language.

pub mod expression;
pub mod template;
