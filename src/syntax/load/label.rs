//! A label as priority: `exten => 5,again,...` means the priority of `again` in what 5 reaches in this context.

use std::borrow::Cow;

use super::context::ContextBuilder;
use crate::base::Text;
use crate::base::symbol::StableMap;
use crate::syntax::ast::pattern::ExtensionKey;

/// So many contexts one lookup may have on its stack.
const STACK: u32 = 512;

/// The labels of a context.
#[derive(Debug)]
pub(super) struct Labels {
    /// By label and extension without dashes.
    literals: StableMap<(Text, Text), Vec<(usize, i32)>>,
    /// By label: patterns.
    patterns: StableMap<Text, Vec<(usize, i32)>>,
}

impl Default for Labels {
    fn default() -> Self {
        Self {
            literals: crate::base::symbol::stable_map(),
            patterns: crate::base::symbol::stable_map(),
        }
    }
}

impl Labels {
    pub(super) fn add(&mut self, label: &Text, exten: &[u8], extension: usize, number: i32) {
        let entry = if exten.starts_with(b"_") {
            self.patterns.entry(label.clone()).or_default()
        } else {
            let exten = Text::from(&*without_dashes(exten));
            self.literals.entry((label.clone(), exten)).or_default()
        };
        entry.push((extension, number));
    }
}

impl ContextBuilder {
    /// The priority of a label in the most specific extension that `exten` reaches and that has the label.
    pub(super) fn label(&self, exten: &[u8], cid: Option<&[u8]>, label: &[u8]) -> Option<i32> {
        let label = Text::from(label);
        let as_pattern = exten
            .starts_with(b"_")
            .then(|| ExtensionKey::new(exten, None));
        let literal = (label, Text::from(&*without_dashes(exten)));
        let literals = self.labels.literals.get(&literal).into_iter().flatten();
        let patterns = self.labels.patterns.get(&literal.0).into_iter().flatten();
        literals
            .chain(patterns)
            .filter_map(|&(n, number)| Some((self.extensions.get(n)?, number)))
            .filter(|(extension, _)| {
                let same = as_pattern.as_ref().is_some_and(|key| {
                    *key == ExtensionKey::new(&extension.exten, None)
                        || extension.exten.eq_ignore_ascii_case(exten)
                });
                let called = match (extension.cid.as_deref(), cid.unwrap_or_default()) {
                    (None, _) => true,
                    (Some(pattern), b"") => pattern.is_empty(),
                    (Some(pattern), number) => reaches(pattern, number),
                };
                called && (same || reaches(&extension.exten, exten))
            })
            .min_by(|(a, _), (b, _)| a.key.cmp(&b.key))
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

fn without_dashes(text: &[u8]) -> Cow<'_, [u8]> {
    if text.contains(&b'-') {
        Cow::Owned(text.iter().copied().filter(|&b| b != b'-').collect())
    } else {
        Cow::Borrowed(text)
    }
}

/// Whether a dialled text reaches an extension or pattern.
fn reaches(exten: &[u8], dialled: &[u8]) -> bool {
    let dialled = without_dashes(dialled);
    let Some(mut pattern) = exten.strip_prefix(b"_") else {
        return without_dashes(exten) == dialled;
    };
    let mut dialled: &[u8] = &dialled;
    while let Some((&element, rest)) = pattern.split_first() {
        pattern = rest;
        let mut inside: &[u8] = &[];
        match element {
            b'-' => continue,
            b'!' => return true,
            b'.' => return !dialled.is_empty(),
            b'[' => {
                let Some(end) = rest.iter().position(|&b| b == b']') else {
                    return false;
                };
                inside = rest.get(..end).unwrap_or_default();
                pattern = rest.get(end + 1..).unwrap_or_default();
                if inside.is_empty() {
                    continue;
                }
            }
            _ => {}
        }
        let Some((&digit, after)) = dialled.split_first() else {
            return false;
        };
        dialled = after;
        let fits = match element {
            b'x' | b'X' => digit.is_ascii_digit(),
            b'z' | b'Z' => matches!(digit, b'1'..=b'9'),
            b'n' | b'N' => matches!(digit, b'2'..=b'9'),
            b'[' => in_set(inside, digit),
            other => other == digit,
        };
        if !fits {
            return false;
        }
    }
    dialled.is_empty()
}

fn in_set(mut inside: &[u8], digit: u8) -> bool {
    while let Some((&first, rest)) = inside.split_first() {
        if let [b'-', last, after @ ..] = rest {
            if (first..=*last).contains(&digit) {
                return true;
            }
            inside = after;
        } else if first == digit {
            return true;
        } else {
            inside = rest;
        }
    }
    false
}
