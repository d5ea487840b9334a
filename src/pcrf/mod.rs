//! A policy server of LTE networks (PCRF) whose policies are dialplans: the Gx interface of 3GPP TS 29.212.
//!
//! Everything in here is free of input and output: bytes and the time come from outside.

pub mod counters;
pub mod diameter;
pub mod directory;
pub(crate) mod form;
pub mod hosts;
pub mod log;
pub mod optimise;
pub mod perf;
pub mod session;
pub mod sessions;
pub mod settings;
pub mod store;
pub mod usage;
pub mod policy;

pub use policy::{APPLICATIONS, FUNCTIONS};
