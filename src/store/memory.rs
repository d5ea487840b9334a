//! A store in memory.

use std::collections::BTreeMap;
use std::ops::Bound;

use crate::base::Text;
use crate::store::Store;

/// A store in memory; gone with the engine.
#[derive(Debug, Clone, Default)]
pub struct Memory {
    values: BTreeMap<Vec<u8>, Text>,
}

impl Memory {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }
}

fn path(family: &[u8], key: &[u8]) -> Vec<u8> {
    let mut path = Vec::with_capacity(family.len() + key.len() + 1);
    path.extend_from_slice(family);
    path.push(b'/');
    path.extend_from_slice(key);
    path
}

impl Store for Memory {
    fn get(&self, family: &[u8], key: &[u8]) -> Option<Text> {
        self.values.get(&path(family, key)).cloned()
    }

    fn put(&mut self, family: &[u8], key: &[u8], value: &[u8]) {
        self.values.insert(path(family, key), Text::from(value));
    }

    fn remove(&mut self, family: &[u8], key: &[u8]) -> bool {
        self.values.remove(&path(family, key)).is_some()
    }

    fn remove_tree(&mut self, family: &[u8], keytree: &[u8]) -> usize {
        let root = if keytree.is_empty() {
            family.to_vec()
        } else {
            path(family, keytree)
        };
        let below = path(&root, b"");
        let before = self.values.len();
        self.values
            .retain(|key, _| *key != root && !key.starts_with(&below));
        before - self.values.len()
    }

    fn scan(&self, prefix: &[u8]) -> Vec<(Text, Text)> {
        self.values
            .range::<[u8], _>((Bound::Included(prefix), Bound::Unbounded))
            .take_while(|(key, _)| key.starts_with(prefix))
            .map(|(key, value)| (Text::from(key.as_slice()), value.clone()))
            .collect()
    }
}
