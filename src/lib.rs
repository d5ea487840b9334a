//! strowger: an Asterisk-compatible dialplan engine.

pub mod base;
pub mod compile;
pub mod diagnostic;
pub mod host;
pub mod program;
pub mod syntax;
