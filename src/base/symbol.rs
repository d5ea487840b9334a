//! Names as small numbers. Names are bytes: Asterisk does not ask for UTF-8.

use std::collections::HashMap;
use std::fmt::Write;

use string_interner::backend::StringBackend;
use string_interner::symbol::SymbolU32;
use string_interner::{StringInterner, Symbol as _};

use crate::base::Text;

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

type Names = StringInterner<StringBackend<SymbolU32>, ahash::RandomState>;

/// Gives each distinct name a number, in the order of first appearance.
///
/// The interner beneath holds UTF-8; a name that is not UTF-8 stands there as NUL and its bytes in hex,
/// and so does a name that itself begins with NUL, so that no two names share a symbol.
#[derive(Debug, Clone)]
pub struct Interner {
    names: Names,
    /// The bytes of names that stand in hex.
    encoded: StableMap<Symbol, Text>,
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
            names: StringInterner::with_hasher(stable_hasher()),
            encoded: stable_map(),
        }
    }

    /// The symbol of `name`, new if need be.
    pub fn intern(&mut self, name: &[u8]) -> Symbol {
        if let Some(plain) = plain(name) {
            return symbol(self.names.get_or_intern(plain));
        }
        let symbol = symbol(self.names.get_or_intern(hex(name)));
        self.encoded.insert(symbol, Text::from(name));
        symbol
    }

    /// The symbol of `name`, if it has one.
    pub fn get(&self, name: &[u8]) -> Option<Symbol> {
        let found = match plain(name) {
            Some(plain) => self.names.get(plain),
            None => self.names.get(hex(name)),
        };
        found.map(symbol)
    }

    /// The name of a symbol of this interner; empty for a foreign one.
    pub fn resolve(&self, symbol: Symbol) -> &[u8] {
        if let Some(bytes) = self.encoded.get(&symbol) {
            return bytes;
        }
        SymbolU32::try_from_usize(symbol.0 as usize)
            .and_then(|symbol| self.names.resolve(symbol))
            .map_or(&[], str::as_bytes)
    }

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there is no name.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }
}

fn symbol(symbol: SymbolU32) -> Symbol {
    Symbol(symbol.to_usize() as u32)
}

/// A name as the interner can hold it directly.
fn plain(name: &[u8]) -> Option<&str> {
    std::str::from_utf8(name)
        .ok()
        .filter(|name| !name.starts_with('\0'))
}

fn hex(name: &[u8]) -> String {
    let mut text = String::from("\0");
    for byte in name {
        // Writing into a String cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
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
    }
}
