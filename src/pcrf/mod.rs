//! A PCRF whose policies are dialplans.

pub(crate) mod form;
pub mod optimise;
pub mod perf;
pub mod session;
pub mod sessions;
pub mod settings;
pub mod store;
pub mod usage;
