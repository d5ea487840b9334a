//! How often each application and each extension runs.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::base::Text;
use crate::diagnostic::Entry;
use crate::machine::{Location, Note, Observer};

/// Counts of executed priorities.
#[derive(Debug, Default, Clone)]
pub struct Census {
    applications: BTreeMap<Vec<u8>, u64>,
    extensions: BTreeMap<(Text, Text), u64>,
}

/// An observer that counts, and what it counted so far.
#[derive(Debug, Default, Clone)]
pub struct Counter(Arc<Mutex<Census>>);

impl Counter {
    /// What was counted.
    pub fn census(&self) -> Census {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

impl Observer for Counter {
    fn priority(&mut self, _: &Text, at: &Location, application: &[u8], _: &[u8]) {
        let mut census = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = census.applications.get_mut(application) {
            *count += 1;
        } else {
            census.applications.insert(application.to_vec(), 1);
        }
        *census
            .extensions
            .entry((at.context.clone(), at.exten.clone()))
            .or_default() += 1;
    }
    fn log(&mut self, _: &Text, _: Entry) {}
    fn verbose(&mut self, _: &Text, _: u8, _: &[u8]) {}
    fn note(&mut self, _: &Text, _: Note) {}
}

impl Census {
    /// Applications, the most frequent first.
    pub fn applications(&self) -> Vec<(String, u64)> {
        let name = |name: &Vec<u8>| String::from_utf8_lossy(name).into_owned();
        sorted(self.applications.iter().map(|(n, &count)| (name(n), count)))
    }

    /// Extensions as `exten@context`, the most frequent first.
    pub fn extensions(&self) -> Vec<(String, u64)> {
        sorted(
            self.extensions
                .iter()
                .map(|((context, exten), &count)| (format!("{exten}@{context}"), count)),
        )
    }
}

fn sorted(rows: impl Iterator<Item = (String, u64)>) -> Vec<(String, u64)> {
    let mut rows: Vec<_> = rows.collect();
    rows.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    rows
}
