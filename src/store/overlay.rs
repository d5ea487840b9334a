//! Changes that are not on disk yet, over what is.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use crate::base::Text;

/// New values by path; `None` = the path is removed.
pub(super) type Batch = BTreeMap<Vec<u8>, Option<Text>>;

/// What a change takes in memory besides its path and value, roughly.
const ENTRY: usize = 64;

/// The changes since the last commit, and those that a commit is writing.
#[derive(Debug, Default)]
pub(super) struct Overlay {
    open: Batch,
    committing: Arc<Batch>,
    /// Bytes that the open batch holds, roughly.
    bytes: usize,
}

impl Overlay {
    /// What is known of a path; the outer `None` = the disk knows.
    pub(super) fn get(&self, path: &[u8]) -> Option<&Option<Text>> {
        self.open.get(path).or_else(|| self.committing.get(path))
    }

    /// Notes a change.
    pub(super) fn change(&mut self, path: Vec<u8>, value: Option<Text>) {
        let (key, size) = (path.len(), size(value.as_ref()));
        match self.open.insert(path, value) {
            Some(before) => {
                self.bytes = (self.bytes + size).saturating_sub(self::size(before.as_ref()));
            }
            None => self.bytes += ENTRY + key + size,
        }
    }

    /// The changes below a prefix, newer ones over older ones.
    pub(super) fn below(&self, prefix: &[u8]) -> Batch {
        let mut found = Batch::new();
        for batch in [&*self.committing, &self.open] {
            let range = batch
                .range::<[u8], _>((Bound::Included(prefix), Bound::Unbounded))
                .take_while(|(path, _)| path.starts_with(prefix));
            for (path, value) in range {
                found.insert(path.clone(), value.clone());
            }
        }
        found
    }

    /// Changes that wait for a commit.
    pub(super) fn len(&self) -> usize {
        self.open.len()
    }

    /// Bytes of the changes that wait for a commit, roughly.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Hands the open batch to a commit. Readers see it until [`committed`](Self::committed) is called.
    pub(super) fn start(&mut self) -> Arc<Batch> {
        self.committing = Arc::new(std::mem::take(&mut self.open));
        self.bytes = 0;
        self.committing.clone()
    }

    /// The batch is on disk.
    pub(super) fn committed(&mut self) {
        self.committing = Arc::default();
    }

    /// The commit failed: its changes wait again, under those made since.
    pub(super) fn failed(&mut self) {
        let batch = std::mem::take(&mut self.committing);
        for (path, value) in batch.iter() {
            if !self.open.contains_key(path) {
                self.change(path.clone(), value.clone());
            }
        }
    }
}

fn size(value: Option<&Text>) -> usize {
    value.map_or(0, |value| value.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(
        clippy::unnecessary_wraps,
        reason = "what the overlay keeps of a key is an option"
    )]
    fn text(value: &str) -> Option<Text> {
        Some(Text::from(value))
    }

    #[test]
    fn newer_changes_hide_older_ones() {
        let mut overlay = Overlay::default();
        overlay.change(b"a/1".to_vec(), text("old"));
        overlay.change(b"a/2".to_vec(), text("kept"));
        overlay.start();
        overlay.change(b"a/1".to_vec(), None);
        assert_eq!(overlay.get(b"a/1"), Some(&None));
        assert_eq!(overlay.get(b"a/2"), Some(&text("kept")));
        assert_eq!(overlay.get(b"a/3"), None);
        let below: Vec<_> = overlay.below(b"a/").into_iter().collect();
        assert_eq!(
            below,
            [(b"a/1".to_vec(), None), (b"a/2".to_vec(), text("kept"))]
        );
    }

    #[test]
    fn a_failed_commit_waits_under_what_came_since() {
        let mut overlay = Overlay::default();
        overlay.change(b"a/1".to_vec(), text("old"));
        overlay.change(b"a/2".to_vec(), text("kept"));
        overlay.start();
        overlay.change(b"a/1".to_vec(), text("new"));
        overlay.failed();
        assert_eq!(overlay.len(), 2);
        assert_eq!(overlay.get(b"a/1"), Some(&text("new")));
        overlay.start();
        overlay.committed();
        assert_eq!(overlay.get(b"a/1"), None);
    }
}
