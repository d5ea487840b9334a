//! A policy server of LTE networks (PCRF) whose policies are dialplans: the Gx interface of 3GPP TS 29.212.
//!
//! Everything beside [`store`] and `server` is free of input and output: bytes and the time come from outside.

mod answer;
pub mod counters;
mod counting;
pub mod diameter;
pub mod directory;
mod ending;
mod engine;
pub(crate) mod form;
pub mod hosts;
mod inputs;
pub mod interned;
mod leftover;
#[cfg(feature = "serve")]
pub mod load;
pub mod log;
pub mod optimise;
pub mod perf;
pub mod policy;
mod push;
mod request;
mod roster;
#[cfg(feature = "serve")]
pub mod server;
pub mod session;
pub mod sessions;
pub mod settings;
pub mod store;
pub mod tables;
pub mod usage;
mod view;
mod worker;

pub use engine::{Journal, Nothing, Pcrf};
pub use push::Outgoing;
pub use roster::Imported;
pub use view::View;
pub use worker::Worker;

pub use policy::{APPLICATIONS, FUNCTIONS};
