//! What a call asks of a store that it cannot ask itself, and the answers.

use crate::base::Text;
use crate::store::{Kept, Store};

/// One operation on a store.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum StoreRequest {
    /// The value of a key: [`StoreAnswer::Value`].
    Get {
        /// Family.
        family: Text,
        /// Key; it may hold slashes.
        key: Text,
    },
    /// Write a value: [`StoreAnswer::Written`].
    Put {
        /// Family.
        family: Text,
        /// Key.
        key: Text,
        /// Value.
        value: Text,
    },
    /// Remove a key, give its value: [`StoreAnswer::Value`].
    Remove {
        /// Family.
        family: Text,
        /// Key.
        key: Text,
    },
    /// Remove a family, or what lies below `family/keytree`: [`StoreAnswer::Removed`].
    RemoveTree {
        /// Family.
        family: Text,
        /// What lies below this part; all of the family where it is empty.
        keytree: Text,
    },
    /// All `family/key` paths that begin with a text, with their values, in byte order: [`StoreAnswer::Entries`].
    Scan {
        /// The text.
        prefix: Text,
    },
    /// Wait until all that was written before is kept: [`StoreAnswer::Kept`].
    Flush,
}

/// What a store answers.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum StoreAnswer {
    /// The value of a key, or none.
    Value(Option<Text>),
    /// The value is written; every reader sees it.
    Written,
    /// How many keys were removed.
    Removed(u64),
    /// Paths with values.
    Entries(Vec<(Text, Text)>),
    /// Where what was written is kept.
    Kept(Kept),
    /// There is no answer, for the reason named.
    Failed(String),
}

impl StoreAnswer {
    /// The value of a key; none, too, where there is no answer.
    pub fn value(self) -> Option<Text> {
        match self {
            StoreAnswer::Value(value) => value,
            _ => None,
        }
    }

    /// Paths with values; empty, too, where there is no answer.
    pub fn entries(self) -> Vec<(Text, Text)> {
        match self {
            StoreAnswer::Entries(entries) => entries,
            _ => Vec::new(),
        }
    }

    /// Whether this can be the answer to a request.
    pub fn fits(&self, request: &StoreRequest) -> bool {
        matches!(
            (self, request),
            (StoreAnswer::Failed(_), _)
                | (
                    StoreAnswer::Value(_),
                    StoreRequest::Get { .. } | StoreRequest::Remove { .. }
                )
                | (StoreAnswer::Written, StoreRequest::Put { .. })
                | (StoreAnswer::Removed(_), StoreRequest::RemoveTree { .. })
                | (StoreAnswer::Entries(_), StoreRequest::Scan { .. })
                | (StoreAnswer::Kept(_), StoreRequest::Flush)
        )
    }
}

/// Carries a request out on a store. [`StoreRequest::Flush`] blocks until the answer is there, nothing else does.
pub fn answer(store: &dyn Store, request: &StoreRequest) -> StoreAnswer {
    match request {
        StoreRequest::Get { family, key } => StoreAnswer::Value(store.get(family, key)),
        StoreRequest::Put { family, key, value } => {
            store.put(family, key, value);
            StoreAnswer::Written
        }
        StoreRequest::Remove { family, key } => StoreAnswer::Value(store.remove(family, key)),
        StoreRequest::RemoveTree { family, keytree } => {
            StoreAnswer::Removed(store.remove_tree(family, keytree))
        }
        StoreRequest::Scan { prefix } => StoreAnswer::Entries(store.scan(prefix)),
        StoreRequest::Flush => match store.flush() {
            Ok(kept) => StoreAnswer::Kept(kept),
            Err(fault) => StoreAnswer::Failed(fault.message),
        },
    }
}
