//! Lexers.

pub mod config;
