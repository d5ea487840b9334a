//! Contexts while they are being filled.

use std::collections::HashSet;

use super::build::Loading;
use super::extension::{ByKey, ExtensionBuilder};
use super::fault::{Log, quoted};
use super::label::Labels;
use crate::base::symbol::{StableMap, stable_hasher, stable_map};
use crate::base::{Place, Text};
use crate::diagnostic::code;
use crate::syntax::ast::pattern::ExtensionKey;
use crate::syntax::ast::{Context, Include, Priority, Switch};

/// All contexts, in the order of their first appearance.
pub(super) struct Contexts {
    list: Vec<ContextBuilder>,
    by_name: StableMap<Text, usize>,
}

/// One context.
pub(super) struct ContextBuilder {
    pub(super) name: Text,
    place: Place,
    pub(super) extensions: Vec<ExtensionBuilder>,
    pub(super) by_key: ByKey,
    pub(super) labels: Labels,
    pub(super) includes: Vec<Include>,
    pub(super) switches: Vec<Switch>,
    pub(super) ignorepats: Vec<Text>,
    /// Texts of includes, switches and ignorepats in lower case: duplicates are found without regard to case.
    seen: HashSet<(Kind, Vec<u8>), ahash::RandomState>,
}

/// What may not stand twice in a context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Include,
    Switch,
    Ignorepat,
}

impl ContextBuilder {
    /// Notes a text; false when it was there before.
    pub(super) fn is_new(&mut self, kind: Kind, text: &[u8]) -> bool {
        self.seen.insert((kind, text.to_ascii_lowercase()))
    }
}

impl Contexts {
    pub(super) fn new() -> Self {
        Self {
            list: Vec::new(),
            by_name: stable_map(),
        }
    }

    /// The context of this name, new if need be.
    pub(super) fn open(&mut self, name: &Text, place: Place) -> &mut ContextBuilder {
        let n = *self
            .by_name
            .entry(name.clone())
            .or_insert_with(|| self.list.len());
        if n == self.list.len() {
            self.list.push(ContextBuilder {
                name: name.clone(),
                place,
                extensions: Vec::new(),
                by_key: ByKey::default(),
                labels: Labels::default(),
                includes: Vec::new(),
                switches: Vec::new(),
                ignorepats: Vec::new(),
                seen: HashSet::with_hasher(stable_hasher()),
            });
        }
        #[expect(
            clippy::indexing_slicing,
            reason = "n is the index of an element, or of the one just pushed"
        )]
        &mut self.list[n]
    }

    /// Says which included contexts do not exist. Asterisk names the first one of each context, the context
    /// defined last first.
    pub(super) fn verify_includes(&self, loading: &mut Loading<'_>) {
        for context in self.list.iter().rev() {
            let mut log = Log::Bare;
            for include in &context.includes {
                if self.by_name.contains_key(&include.context) {
                    continue;
                }
                loading.warning(
                    &code::INCLUDE_CONTEXT_MISSING,
                    include.place,
                    log,
                    format!(
                        "{} includes {}, which does not exist",
                        quoted(&context.name),
                        quoted(&include.context)
                    ),
                    "it behaves as an empty context",
                );
                log = Log::Silent;
            }
        }
    }

    pub(super) fn finish(self, lines: &mut Vec<Priority>) -> Vec<Context> {
        self.list
            .into_iter()
            .map(|context| Context {
                name: context.name,
                place: context.place,
                extensions: sorted(context.extensions)
                    .into_iter()
                    .map(|extension| extension.finish(lines))
                    .collect(),
                includes: context.includes,
                switches: context.switches,
                ignorepats: context.ignorepats,
            })
            .collect()
    }
}

/// Extensions in Asterisk's order of trying.
fn sorted(extensions: Vec<ExtensionBuilder>) -> Vec<ExtensionBuilder> {
    let mut order: Vec<(ExtensionKey, u32)> = (0..)
        .zip(&extensions)
        .map(|(n, extension)| (extension.key(), n))
        .collect();
    if order.is_sorted() {
        return extensions;
    }
    order.sort_unstable();
    let mut extensions: Vec<Option<ExtensionBuilder>> = extensions.into_iter().map(Some).collect();
    order
        .into_iter()
        .filter_map(|(_, n)| extensions.get_mut(n as usize)?.take())
        .collect()
}
