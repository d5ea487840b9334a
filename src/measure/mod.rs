//! Measuring: priorities per second, and what to compare them with.

pub mod baseline;
pub mod census;
pub mod machine;
pub mod pips;

pub use pips::{Load, Sample, Series};
