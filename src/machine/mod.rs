//! What runs a program.

pub mod arithmetic;
pub mod expression;
