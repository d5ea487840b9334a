//! Names as small numbers. Names are bytes: Asterisk does not ask for UTF-8.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, Hasher as _};

use hashbrown::HashTable;

/// An interned name; equal names have equal symbols within one [`Interner`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(pub u32);

/// The hasher of every map whose iteration or content must be the same in each run.
pub const fn stable_hasher() -> ahash::RandomState {
    ahash::RandomState::with_seeds(0x5741, 0x726f, 0x7773, 0x6765)
}

/// Hash map with the stable hasher.
pub type StableMap<K, V> = HashMap<K, V, ahash::RandomState>;

/// An empty [`StableMap`].
pub fn stable_map<K, V>() -> StableMap<K, V> {
    HashMap::with_hasher(stable_hasher())
}

/// Gives each distinct name a number, in the order of first appearance. All names stand in one buffer.
#[derive(Debug, Clone, Default)]
pub struct Interner {
    names: Names,
    symbols: HashTable<Symbol>,
}

#[derive(Debug, Clone, Default)]
struct Names {
    bytes: Vec<u8>,
    /// Where each name ends in the buffer; it begins where the one before ends.
    ends: Vec<usize>,
}

impl Names {
    #[inline]
    fn get(&self, symbol: Symbol) -> &[u8] {
        let n = symbol.0 as usize;
        let start = match n.checked_sub(1) {
            Some(before) => self.ends.get(before).copied().unwrap_or(0),
            None => 0,
        };
        let end = self.ends.get(n).copied().unwrap_or(start);
        self.bytes.get(start..end).unwrap_or(&[])
    }

    fn push(&mut self, name: &[u8]) -> Symbol {
        let symbol = Symbol(self.ends.len() as u32);
        self.bytes.extend_from_slice(name);
        self.ends.push(self.bytes.len());
        symbol
    }
}

impl Interner {
    /// An empty interner.
    pub fn new() -> Self {
        Self::default()
    }

    /// The symbol of `name`, new if need be.
    pub fn intern(&mut self, name: &[u8]) -> Symbol {
        let Self { names, symbols } = self;
        let hash = hash_of(name);
        if let Some(symbol) = symbols.find(hash, |symbol| names.get(*symbol) == name) {
            return *symbol;
        }
        let symbol = names.push(name);
        symbols.insert_unique(hash, symbol, |symbol| hash_of(names.get(*symbol)));
        symbol
    }

    /// The symbol of `name`, if it has one.
    pub fn get(&self, name: &[u8]) -> Option<Symbol> {
        self.symbols
            .find(hash_of(name), |symbol| self.names.get(*symbol) == name)
            .copied()
    }

    /// The name of a symbol of this interner; empty for a foreign one.
    #[inline]
    pub fn resolve(&self, symbol: Symbol) -> &[u8] {
        self.names.get(symbol)
    }

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.names.ends.len()
    }

    /// Whether there is no name.
    pub fn is_empty(&self) -> bool {
        self.names.ends.is_empty()
    }

    /// Gives back memory that is kept for further names.
    pub fn shrink(&mut self) {
        self.names.bytes.shrink_to_fit();
        self.names.ends.shrink_to_fit();
    }
}

fn hash_of(name: &[u8]) -> u64 {
    const HASHER: ahash::RandomState = stable_hasher();
    let mut hasher = HASHER.build_hasher();
    hasher.write(name);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_need_not_be_utf8() {
        let mut names = Interner::new();
        let all: [&[u8]; 5] = [b"Set", b"\xff", b"\0ff", b"", "\u{e9}".as_bytes()];
        let symbols: Vec<_> = all.iter().map(|name| names.intern(name)).collect();
        for (name, symbol) in all.iter().zip(&symbols) {
            assert_eq!(names.resolve(*symbol), *name);
            assert_eq!(names.get(name), Some(*symbol));
            assert_eq!(names.intern(name), *symbol);
        }
        assert_eq!(names.len(), 5);
        assert_eq!(names.get(b"no"), None);
        assert_eq!(names.resolve(Symbol(5)), b"");
        assert_eq!(Interner::new().get(b""), None);
    }

    #[test]
    fn many_names() {
        let mut names = Interner::new();
        for n in 0..10_000_u32 {
            assert_eq!(names.intern(format!("name {n}").as_bytes()), Symbol(n));
        }
        for n in 0..10_000_u32 {
            assert_eq!(names.get(format!("name {n}").as_bytes()), Some(Symbol(n)));
        }
        assert_eq!(names.get(b"name 10000"), None);
    }
}
