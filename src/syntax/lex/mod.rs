//! Lexers, one per language.

pub mod config;
pub mod template;
