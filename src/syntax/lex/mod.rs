//! Characters to tokens.

pub mod expression;
