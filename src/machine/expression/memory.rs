//! What evaluation learns and reuses.

use std::collections::HashMap;
use std::sync::Arc;

use ahash::RandomState;

use crate::base::EreCache;
use crate::machine::arithmetic::Operand;
use crate::machine::expression::lower;
use crate::program::expression::Code;
use crate::syntax;

/// Texts held before the table is emptied.
const TEXTS: usize = 512;
/// Longest text that is worth holding, in bytes.
const LONGEST: usize = 512;

/// What evaluation learns and reuses; owned by the caller, bounded.
#[derive(Debug, Default)]
pub struct Memory {
    /// Compiled patterns by text.
    pub patterns: EreCache,
    texts: HashMap<Box<[u8]>, Arc<Code>, RandomState>,
    pub(super) stack: Vec<Operand>,
    pub(super) token: Vec<u8>,
    pub(super) slots: Vec<Operand>,
}

impl Memory {
    /// The code of a text.
    pub(super) fn code(&mut self, text: &[u8]) -> Arc<Code> {
        if let Some(known) = self.texts.get(text) {
            return Arc::clone(known);
        }
        let code = Arc::new(lower(syntax::expression(text).as_ref()));
        if text.len() <= LONGEST {
            if self.texts.len() >= TEXTS {
                self.texts.clear();
            }
            self.texts.insert(text.into(), Arc::clone(&code));
        }
        code
    }
}
