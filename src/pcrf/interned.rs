//! Bytes that many sessions have alike, kept once: sessions of one plan are told the same.

use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use ahash::RandomState;
use hashbrown::HashTable;

const SHARDS: usize = 16;

/// Bytes that may be shared; none take no memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Interned(Option<Arc<[u8]>>);

impl Deref for Interned {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.0.as_deref().unwrap_or_default()
    }
}

impl From<&[u8]> for Interned {
    /// Bytes that are shared with nobody yet.
    fn from(bytes: &[u8]) -> Self {
        Self((!bytes.is_empty()).then(|| Arc::from(bytes)))
    }
}

impl Interned {
    /// This owner's part of the memory that they take beside their pointer.
    pub fn size(&self) -> usize {
        let Some(bytes) = &self.0 else {
            return 0;
        };
        // Two counts stand before them.
        (bytes.len() + 2 * size_of::<usize>()).div_ceil(Arc::strong_count(bytes))
    }
}

/// With their hash, so that a table that grows need not look at them.
type Part = HashTable<(u64, Weak<[u8]>)>;

/// What is shared.
#[derive(Debug)]
pub struct Interner {
    parts: Vec<Mutex<Part>>,
    hash: RandomState,
}

impl Default for Interner {
    fn default() -> Self {
        Self {
            parts: (0..SHARDS).map(|_| Mutex::default()).collect(),
            hash: RandomState::new(),
        }
    }
}

impl Interner {
    /// The same bytes, shared with all who have them.
    pub fn intern(&self, bytes: &[u8]) -> Interned {
        if bytes.is_empty() {
            return Interned::default();
        }
        let hash = self.hash.hash_one(bytes);
        // The table takes its place from the upper bits.
        let Some(part) = self.parts.get(hash as usize % SHARDS) else {
            return Interned::from(bytes);
        };
        let mut part = part.lock().unwrap_or_else(PoisonError::into_inner);
        let mut found = None;
        // One that nobody has any more is no match, and is swept in time.
        let _ = part.find(hash, |(own, weak)| {
            found = (*own == hash)
                .then(|| weak.upgrade())
                .flatten()
                .filter(|own| **own == *bytes);
            found.is_some()
        });
        Interned(Some(found.unwrap_or_else(|| {
            let own: Arc<[u8]> = Arc::from(bytes);
            part.insert_unique(hash, (hash, Arc::downgrade(&own)), |(hash, _)| *hash);
            own
        })))
    }

    /// Gives back what nobody has any more. For once in a while: it looks at all.
    pub fn sweep(&self) {
        for part in &self.parts {
            let mut part = part.lock().unwrap_or_else(PoisonError::into_inner);
            part.retain(|(_, weak)| weak.strong_count() > 0);
            let len = part.len();
            if part.capacity() > 4 * len {
                part.shrink_to(2 * len, |(hash, _)| *hash);
            }
        }
    }

    /// How many different ones there are, those that nobody has any more included until they are swept.
    pub fn len(&self) -> usize {
        let len = |part: &Mutex<Part>| part.lock().unwrap_or_else(PoisonError::into_inner).len();
        self.parts.iter().map(len).sum()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_bytes_are_kept_once_and_given_back() {
        let interner = Interner::default();
        let (one, two) = (interner.intern(b"gold"), interner.intern(b"gold"));
        let other = interner.intern(b"basic");
        assert_eq!(
            (&*one, &*other, &*interner.intern(b"")),
            (&b"gold"[..], &b"basic"[..], &b""[..])
        );
        assert_eq!(one, two);
        assert_eq!((one.size(), other.size(), interner.len()), (10, 21, 2));
        drop((one, two));
        // What is wanted again before it is swept is made anew.
        assert_eq!(&*interner.intern(b"gold"), b"gold");
        interner.sweep();
        assert_eq!(interner.len(), 1);
        drop(other);
        interner.sweep();
        assert!(interner.is_empty());
    }
}
