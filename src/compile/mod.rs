//! Syntax trees to a program: tables, match automata, code.

pub mod automaton;
pub mod expression;
pub mod flatten;
