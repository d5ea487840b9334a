//! Where the engine meets the world: files, clocks, calls.

mod engine;
pub mod files;
pub mod rewrite;

pub use engine::{Engine, EngineBuilder, EngineError, Reload};
pub use files::{FileReader, InputReader};
