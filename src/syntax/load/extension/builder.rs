//! Extensions while they are being filled.

use crate::base::Text;
use crate::base::symbol::{StableMap, stable_map};
use crate::syntax::ast::pattern::ExtensionKey;
use crate::syntax::ast::{Extension, Priority};

/// An extension while it is being filled.
#[derive(Debug)]
pub(in crate::syntax::load) struct ExtensionBuilder {
    pub(in crate::syntax::load) key: ExtensionKey,
    pub(in crate::syntax::load) exten: Text,
    pub(in crate::syntax::load) cid: Option<Text>,
    priorities: Vec<Numbered>,
    pub(super) labels: StableMap<Text, i32>,
    /// Index of each number; made when the first line comes out of order.
    by_number: Option<StableMap<i32, usize>>,
}

/// A line with its number, which is -1 for a hint.
#[derive(Debug)]
pub(super) struct Numbered {
    pub(super) number: i32,
    /// How this line spells the extension, where another spelling of the same pattern was first.
    pub(super) alias: Option<Text>,
    pub(super) priority: Priority,
}

impl ExtensionBuilder {
    pub(super) fn new(key: ExtensionKey, exten: Text, cid: Option<Text>) -> Self {
        Self {
            key,
            exten,
            cid,
            priorities: Vec::new(),
            labels: stable_map(),
            by_number: None,
        }
    }

    /// The line that has this number already.
    pub(super) fn at(&mut self, number: i32) -> Option<&Numbered> {
        if self.by_number.is_none() {
            if self
                .priorities
                .last()
                .is_none_or(|last| last.number < number)
            {
                return None;
            }
            let numbers = self.priorities.iter().enumerate();
            let mut by_number = stable_map();
            by_number.extend(numbers.map(|(n, numbered)| (numbered.number, n)));
            self.by_number = Some(by_number);
        }
        let n = *self.by_number.as_ref()?.get(&number)?;
        self.priorities.get(n)
    }

    pub(super) fn push(&mut self, numbered: Numbered) {
        if let Some(by_number) = &mut self.by_number {
            by_number.insert(numbered.number, self.priorities.len());
        }
        self.priorities.push(numbered);
    }

    /// The finished extension: listed under the name that its first priority was written with.
    pub(in crate::syntax::load) fn finish(mut self) -> Extension {
        if self.by_number.is_some() {
            self.priorities.sort_by_key(|numbered| numbered.number);
        }
        let first = self.priorities.first_mut().and_then(|n| n.alias.take());
        let exten = first.unwrap_or_else(|| self.exten.clone());
        // A line without its own spelling was written as the extension was first; that differs from the listed
        // name where the first priority has another spelling.
        let aliases = self
            .priorities
            .iter()
            .skip(1)
            .filter_map(|n| {
                let written = n.alias.as_ref().unwrap_or(&self.exten);
                (*written != exten).then(|| (n.priority.number, written.clone()))
            })
            .collect();
        Extension {
            exten,
            cid: self.cid,
            aliases,
            priorities: self.priorities.into_iter().map(|n| n.priority).collect(),
        }
    }
}
