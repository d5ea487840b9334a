//! A store in memory.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::base::Text;
use crate::store::{Store, path, tree};

/// A store in memory; gone with the engine.
#[derive(Debug, Default)]
pub struct Memory {
    values: RwLock<BTreeMap<Vec<u8>, Text>>,
}

impl Memory {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    // A panic elsewhere leaves whole values: each change is one operation on the map.

    fn values(&self) -> RwLockReadGuard<'_, BTreeMap<Vec<u8>, Text>> {
        self.values.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn values_mut(&self) -> RwLockWriteGuard<'_, BTreeMap<Vec<u8>, Text>> {
        self.values.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for Memory {
    fn get(&self, family: &[u8], key: &[u8]) -> Option<Text> {
        self.values().get(&path(family, key)).cloned()
    }

    fn put(&self, family: &[u8], key: &[u8], value: &[u8]) {
        self.values_mut()
            .insert(path(family, key), Text::from(value));
    }

    fn remove(&self, family: &[u8], key: &[u8]) -> Option<Text> {
        self.values_mut().remove(&path(family, key))
    }

    fn remove_tree(&self, family: &[u8], keytree: &[u8]) -> u64 {
        let (root, below) = tree(family, keytree);
        let mut values = self.values_mut();
        let own = u64::from(values.remove(&root).is_some());
        let paths: Vec<Vec<u8>> = values
            .range::<[u8], _>((Bound::Included(below.as_slice()), Bound::Unbounded))
            .take_while(|(path, _)| path.starts_with(&below))
            .map(|(path, _)| path.clone())
            .collect();
        for path in &paths {
            values.remove(path);
        }
        own + paths.len() as u64
    }

    fn scan(&self, prefix: &[u8]) -> Vec<(Text, Text)> {
        self.values()
            .range::<[u8], _>((Bound::Included(prefix), Bound::Unbounded))
            .take_while(|(path, _)| path.starts_with(prefix))
            .map(|(path, value)| (Text::from(path.as_slice()), value.clone()))
            .collect()
    }
}
