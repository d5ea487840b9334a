//! Compiled patterns by text.

use std::collections::HashMap;
use std::sync::Arc;

use ahash::RandomState;

use crate::base::ere::{Ere, EreError};

/// Patterns held before the table is emptied.
const PATTERNS: usize = 256;
/// Longest pattern that is worth holding, in bytes.
const LONGEST: usize = 1024;

/// Compiled patterns by text, bounded.
#[derive(Debug, Default)]
pub struct EreCache {
    patterns: HashMap<Box<[u8]>, Result<Arc<Ere>, EreError>, RandomState>,
}

impl EreCache {
    /// The compiled pattern.
    pub fn get(&mut self, pattern: &[u8]) -> Result<Arc<Ere>, EreError> {
        if let Some(known) = self.patterns.get(pattern) {
            return known.clone();
        }
        let compiled = Ere::compile(pattern).map(Arc::new);
        if pattern.len() <= LONGEST {
            if self.patterns.len() >= PATTERNS {
                self.patterns.clear();
            }
            self.patterns.insert(pattern.into(), compiled.clone());
        }
        compiled
    }
}
