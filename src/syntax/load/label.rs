//! A label as priority: `exten => 5,again,...` means the priority of `again` in what 5 reaches in this context.

use super::context::ContextBuilder;
use super::extension::ExtensionBuilder;
use crate::base::pattern::{Fit, caller_fits, fit, is_pattern, same_pattern, undash};
use crate::base::symbol::{StableMap, stable_map};
use crate::base::{Symbol, Text};
use crate::syntax::ast::pattern::ExtensionKey;

/// So many contexts one lookup may have on its stack.
const STACK: u32 = 512;

/// The labels of a context. They are put in order when the first line asks for one, which is seldom.
#[derive(Debug, Default)]
pub(super) struct Labels {
    /// Labels that are not in order yet: with the index of their extension and their priority.
    added: Vec<(Symbol, usize, i32)>,
    ordered: Option<Box<Ordered>>,
}

/// Labels in order: priorities with the index of their extension.
#[derive(Debug)]
struct Ordered {
    /// By label and literal extension without dashes.
    literals: StableMap<(Symbol, Text), Vec<(usize, i32)>>,
    /// By label: all patterns.
    patterns: StableMap<Symbol, Vec<(usize, i32)>>,
    /// By label and pattern in lower case: what another spelling of the pattern may find.
    spellings: StableMap<(Symbol, ExtensionKey), Vec<(usize, i32)>>,
    /// By label: the patterns that match the text of other patterns, which starts with `_`.
    wild: StableMap<Symbol, Vec<(usize, i32)>>,
}

impl Labels {
    pub(super) fn add(&mut self, label: Symbol, extension: usize, number: i32) {
        self.added.push((label, extension, number));
    }

    /// All labels so far, in order.
    fn ordered(&mut self, extensions: &[ExtensionBuilder]) -> &Ordered {
        let ordered = self.ordered.get_or_insert_with(|| {
            Box::new(Ordered {
                literals: stable_map(),
                patterns: stable_map(),
                spellings: stable_map(),
                wild: stable_map(),
            })
        });
        for (label, extension, number) in self.added.drain(..) {
            if let Some(builder) = extensions.get(extension) {
                ordered.add(label, &builder.exten, (extension, number));
            }
        }
        ordered
    }
}

impl Ordered {
    fn add(&mut self, label: Symbol, exten: &[u8], entry: (usize, i32)) {
        if !is_pattern(exten) {
            let key = (label, Text::from(&*undash(exten)));
            self.literals.entry(key).or_default().push(entry);
            return;
        }
        let key = (label, folded(exten));
        self.spellings.entry(key).or_default().push(entry);
        if fit(exten, b"_") != Fit::Never {
            self.wild.entry(label).or_default().push(entry);
        }
        self.patterns.entry(label).or_default().push(entry);
    }

    /// The extensions that have the label and may be reached by a dialled text; the most specific first where
    /// the lists differ in that.
    fn candidates(&self, dialled: &[u8], label: Symbol) -> [&[(usize, i32)]; 2] {
        if is_pattern(dialled) {
            let wild = self.wild.get(&label).map_or(&[][..], Vec::as_slice);
            let spellings = self.spellings.get(&(label, folded(dialled)));
            return [spellings.map_or(&[][..], Vec::as_slice), wild];
        }
        let patterns = self.patterns.get(&label).map_or(&[][..], Vec::as_slice);
        let literals = self.literals.get(&(label, Text::from(&*undash(dialled))));
        [literals.map_or(&[][..], Vec::as_slice), patterns]
    }
}

fn folded(pattern: &[u8]) -> ExtensionKey {
    ExtensionKey::new(&pattern.to_ascii_lowercase(), None)
}

impl ContextBuilder {
    /// The priority of a label in the most specific extension that `exten` reaches and that has the label.
    pub(super) fn label(&mut self, exten: &[u8], cid: Option<&[u8]>, label: Symbol) -> Option<i32> {
        let extensions = &self.extensions;
        let best = |candidates: &[(usize, i32)]| {
            candidates
                .iter()
                .filter_map(|&(n, number)| Some((extensions.get(n)?, number)))
                .filter(|(extension, _)| {
                    let caller = extension.cid.as_deref();
                    caller.is_none_or(|condition| caller_fits(condition, cid))
                        && reaches(&extension.exten, exten)
                })
                .min_by_key(|(extension, _)| extension.key())
        };
        let labels = self.labels.ordered(extensions);
        let [first, second] = labels.candidates(exten, label);
        let found = best(first);
        if found.is_some() && !is_pattern(exten) {
            // Literals come before all patterns.
            return found.map(|(_, number)| number);
        }
        found
            .into_iter()
            .chain(best(second))
            .min_by_key(|(extension, _)| extension.key())
            .map(|(_, number)| number)
    }

    /// How often Asterisk complains about its stack when a label is not found here. It looks into the includes, but
    /// looks at this same context under their names, until the stack is full; after that every further include on
    /// the way back complains. Includes with times count as open: when a file is loaded must not matter.
    pub(super) fn stack_complaints(&self) -> u32 {
        let name = &self.name;
        let all = self.includes.len() as u32;
        let descends = self
            .includes
            .iter()
            .position(|include| !include.context.eq_ignore_ascii_case(name));
        match descends {
            Some(at) => (STACK - 1)
                .saturating_mul(all - 1 - at as u32)
                .saturating_add(all),
            None => 0,
        }
    }
}

/// Whether a dialled text reaches an extension: as a spelling of the same pattern, or as what the pattern matches.
pub(in crate::syntax) fn reaches(exten: &[u8], dialled: &[u8]) -> bool {
    let spelling = is_pattern(exten)
        && is_pattern(dialled)
        && (exten.eq_ignore_ascii_case(dialled) || same_pattern(exten, dialled));
    spelling || fit(exten, &undash(dialled)).is_match()
}
