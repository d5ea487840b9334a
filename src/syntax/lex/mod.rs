//! Lexers, one per language.

pub mod config;
pub mod expression;
pub mod template;
