//! Names as small numbers. Names are bytes: Asterisk does not ask for UTF-8.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, Hasher as _};

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

/// Gives each distinct name a number, in the order of first appearance.
///
/// All names stand in one buffer. A name is found by its hash in a table of places, of which at most half are taken.
#[derive(Debug, Clone, Default)]
pub struct Interner {
    bytes: Vec<u8>,
    /// Where each name ends in the buffer; it begins where the one before ends.
    ends: Vec<usize>,
    /// Hash and symbol; the number of places is a power of two.
    places: Vec<Place>,
}

#[derive(Debug, Clone, Copy)]
struct Place {
    /// The upper half of the hash; the lower half chooses the place.
    tag: u32,
    symbol: u32,
}

/// A place that is not taken.
const FREE: Place = Place {
    tag: 0,
    symbol: u32::MAX,
};

impl Interner {
    /// An empty interner.
    pub fn new() -> Self {
        Self::default()
    }

    /// The symbol of `name`, new if need be.
    pub fn intern(&mut self, name: &[u8]) -> Symbol {
        let hash = hash(name);
        if let Some(symbol) = self.find(hash, name) {
            return symbol;
        }
        let symbol = Symbol(self.ends.len() as u32);
        self.bytes.extend_from_slice(name);
        self.ends.push(self.bytes.len());
        if self.ends.len() * 2 > self.places.len() {
            self.grow();
        } else {
            put(&mut self.places, hash, symbol);
        }
        symbol
    }

    /// The symbol of `name`, if it has one.
    pub fn get(&self, name: &[u8]) -> Option<Symbol> {
        self.find(hash(name), name)
    }

    #[inline]
    fn find(&self, hash: u64, name: &[u8]) -> Option<Symbol> {
        let mask = self.places.len().wrapping_sub(1);
        let mut at = hash as usize & mask;
        loop {
            let place = *self.places.get(at)?;
            if place.symbol == FREE.symbol {
                return None;
            }
            if place.tag == tag(hash) && self.resolve(Symbol(place.symbol)) == name {
                return Some(Symbol(place.symbol));
            }
            at = (at + 1) & mask;
        }
    }

    /// Makes room for as many names again, and puts all in their places.
    #[cold]
    fn grow(&mut self) {
        let mut places = vec![FREE; (self.ends.len() * 4).next_power_of_two().max(16)];
        for n in 0..self.ends.len() {
            let symbol = Symbol(n as u32);
            put(&mut places, hash(self.resolve(symbol)), symbol);
        }
        self.places = places;
    }

    /// The name of a symbol of this interner; empty for a foreign one.
    #[inline]
    pub fn resolve(&self, symbol: Symbol) -> &[u8] {
        let n = symbol.0 as usize;
        let start = match n.checked_sub(1) {
            Some(before) => self.ends.get(before).copied().unwrap_or(0),
            None => 0,
        };
        let end = self.ends.get(n).copied().unwrap_or(start);
        self.bytes.get(start..end).unwrap_or(&[])
    }

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no name.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Gives back memory that is kept for further names.
    pub fn shrink(&mut self) {
        self.bytes.shrink_to_fit();
        self.ends.shrink_to_fit();
    }
}

fn hash(name: &[u8]) -> u64 {
    const HASHER: ahash::RandomState = stable_hasher();
    let mut hasher = HASHER.build_hasher();
    hasher.write(name);
    hasher.finish()
}

fn tag(hash: u64) -> u32 {
    (hash >> 32) as u32
}

fn put(places: &mut [Place], hash: u64, symbol: Symbol) {
    let mask = places.len().wrapping_sub(1);
    let mut at = hash as usize & mask;
    while let Some(place) = places.get_mut(at) {
        if place.symbol == FREE.symbol {
            *place = Place {
                tag: tag(hash),
                symbol: symbol.0,
            };
            return;
        }
        at = (at + 1) & mask;
    }
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
