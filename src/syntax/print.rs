//! Plans as text.

pub mod json;
pub mod listing;

pub use listing::{Missing, Show, show};
