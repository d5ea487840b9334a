//! Syntax trees to programs.

pub mod expression;
