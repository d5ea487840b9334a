//! The key-value store behind `DB()`.

mod memory;

pub use memory::Memory;

use crate::base::Text;

/// Families of keys with values. Keys are `family/key`, and a key may hold further slashes.
pub trait Store: Send + std::fmt::Debug {
    /// The value of a key.
    fn get(&self, family: &[u8], key: &[u8]) -> Option<Text>;
    /// Writes a value.
    fn put(&mut self, family: &[u8], key: &[u8], value: &[u8]);
    /// Removes a key; says whether it was there.
    fn remove(&mut self, family: &[u8], key: &[u8]) -> bool;
    /// Removes a family, or what lies below `family/keytree`; says how many keys.
    fn remove_tree(&mut self, family: &[u8], keytree: &[u8]) -> usize;
    /// All `family/key` paths with their values, in byte order, that begin with `prefix`.
    fn scan(&self, prefix: &[u8]) -> Vec<(Text, Text)>;
}
