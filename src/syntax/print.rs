//! Plans as text.

#[cfg(feature = "cli")]
pub mod json;
pub mod listing;

pub use listing::{Missing, Show, show};
