//! Measuring: priorities per second, and what to compare them with.

pub mod baseline;
pub mod calls;
pub mod census;
pub mod loading;
pub mod machine;
pub mod memory;
pub mod pips;

pub use pips::{Load, Sample, Series};
