//! A policy server of LTE networks (PCRF) whose policies are dialplans: the Gx interface of 3GPP TS 29.212.
//!
//! Everything in here is free of input and output: bytes and the time come from outside.

pub mod diameter;
pub mod policy;

pub use policy::{APPLICATIONS, FUNCTIONS};
