//! POSIX extended regular expressions over bytes.

use std::ops::Range;

/// Why a pattern is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EreError {
    /// Not valid.
    Invalid(&'static str),
}

/// A match; offsets in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    /// First byte.
    pub start: usize,
    /// Byte after the last.
    pub end: usize,
    /// What the first group matched last, if it took part.
    pub group1: Option<Range<usize>>,
}

/// A compiled pattern.
#[derive(Debug)]
pub struct Ere {}

impl Ere {
    /// Compiles a pattern.
    pub fn compile(_pattern: &[u8]) -> Result<Self, EreError> {
        todo!()
    }

    /// The leftmost-longest match.
    pub fn find(&self, _subject: &[u8]) -> Option<Match> {
        todo!()
    }

    /// Whether the pattern has groups.
    pub fn has_groups(&self) -> bool {
        todo!()
    }

    /// Whether the pattern matches anywhere.
    pub fn is_match(&self, _subject: &[u8]) -> bool {
        todo!()
    }
}

/// Compiled patterns by text, bounded.
#[derive(Debug, Default)]
pub struct EreCache {}

impl EreCache {
    /// The compiled pattern.
    pub fn get(&mut self, _pattern: &[u8]) -> Result<std::sync::Arc<Ere>, EreError> {
        todo!()
    }
}
