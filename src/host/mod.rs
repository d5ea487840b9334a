//! Where the engine meets the world: files, clocks, calls.

pub mod files;

pub use files::FileReader;
