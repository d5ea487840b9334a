//! Measuring: priorities per second, and what to compare them with.

pub mod baseline;
pub mod calls;
pub mod dialplans;
pub mod loading;
pub mod machine;
pub mod memory;
pub mod pips;
pub mod profile;
pub mod suite;

pub use pips::{Load, Sample, Series};
