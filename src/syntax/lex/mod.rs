//! Lexers, one per language.

pub mod template;
