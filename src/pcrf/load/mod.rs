//! A load of Gx: sessions on a fixed schedule, whatever the server does, and what came back when.
//!
//! The schedule is open: each request has its time from the beginning, and latency counts from that time, so that a
//! server that falls behind cannot slow the questions down. One connection; one thread sends, one receives.

pub mod ablation;
mod client;
mod histogram;
mod measure;
mod population;
mod process;
mod requests;
mod schedule;

pub use client::Client;
pub use histogram::Histogram;
pub(crate) use measure::code_name;
pub use measure::{Bench, Figures, LATE, Source, Usage, WORST, usage};
pub use population::{Population, Session};
pub use process::{Process, Start, pin_self};
pub use schedule::{Kind, Schedule};

use std::io;
use std::path::PathBuf;

/// Why there are no figures.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The network, or a file of the server that is measured.
    #[error("{0}: {1}")]
    Io(String, io::Error),
    /// The connection ended.
    #[error("the connection ended: {0}")]
    Closed(String),
    /// The server that was to be measured did not start.
    #[error("the server does not start: {0}")]
    Server(String),
    /// The control socket said no.
    #[error("{0}: {1}")]
    Control(PathBuf, String),
}
