//! Where the engine meets the world: files, clocks, calls.

pub mod configuration;
pub mod dial;
mod engine;
pub mod files;
pub mod outside;
pub mod realtime;
pub mod records;
pub mod rewrite;
pub mod rules;
pub mod simulate;

pub use engine::{Engine, EngineBuilder, EngineError, Reload};
pub use files::FileReader;
#[cfg(feature = "cli")]
pub(crate) use files::read_whole;
pub use realtime::{Realtime, Tables};
pub use simulate::{RunError, RunReport, SimChannel};
