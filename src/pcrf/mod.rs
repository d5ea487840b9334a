//! A PCRF whose policies are dialplans.

pub(crate) mod form;
pub mod store;
