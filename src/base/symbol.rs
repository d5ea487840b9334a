//! Names as small numbers. Names are bytes: Asterisk does not ask for UTF-8.

use std::collections::HashMap;

use crate::base::Text;

/// An interned name; equal names have equal symbols within one [`Interner`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(pub u32);

/// The hasher of every map whose iteration or content must be the same in each run.
pub fn stable_hasher() -> ahash::RandomState {
    ahash::RandomState::with_seeds(0x5741, 0x726f, 0x7773, 0x6765)
}

/// Hash map with the stable hasher.
pub type StableMap<K, V> = HashMap<K, V, ahash::RandomState>;

/// An empty [`StableMap`].
pub fn stable_map<K, V>() -> StableMap<K, V> {
    HashMap::with_hasher(stable_hasher())
}

/// Gives each distinct name a number, in the order of first appearance.
#[derive(Debug, Clone)]
pub struct Interner {
    names: Vec<Text>,
    numbers: StableMap<Text, Symbol>,
}

impl Default for Interner {
    fn default() -> Self {
        Self::new()
    }
}

impl Interner {
    /// An empty interner.
    pub fn new() -> Self {
        Self {
            names: Vec::new(),
            numbers: stable_map(),
        }
    }

    /// The symbol of `name`, new if need be.
    pub fn intern(&mut self, name: &[u8]) -> Symbol {
        if let Some(&symbol) = self.numbers.get(name) {
            return symbol;
        }
        let symbol = Symbol(self.names.len() as u32);
        let text = Text::from(name);
        self.names.push(text.clone());
        self.numbers.insert(text, symbol);
        symbol
    }

    /// The symbol of `name`, if it has one.
    pub fn get(&self, name: &[u8]) -> Option<Symbol> {
        self.numbers.get(name).copied()
    }

    /// The name of a symbol of this interner; empty for a foreign one.
    pub fn resolve(&self, symbol: Symbol) -> &[u8] {
        self.names
            .get(symbol.0 as usize)
            .map_or(&[][..], |t| t.as_bytes())
    }

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there is no name.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Hash of a name with this interner's hasher.
    pub fn hash(&self, name: &[u8]) -> u64 {
        self.numbers.hasher().hash_one(name)
    }
}
