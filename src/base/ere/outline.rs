//! What is known of a pattern without building its matchers.

use regex_automata::util::syntax;
use regex_syntax::hir::{Hir, HirKind, Look};

use crate::base::ere::{Ere, translate::translate};
use crate::base::search::{Required, required};

/// What is known of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outline {
    /// The pattern, where it is no more than a text and perhaps the ends of the subject.
    pub plain: Option<Plain>,
    /// Texts without which nothing matches.
    pub required: Option<Required>,
    /// Whether there are groups.
    pub groups: bool,
    /// Whether the empty text may match somewhere.
    pub may_be_empty: bool,
}

/// A text, and where it must stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plain {
    /// The text.
    pub text: Box<[u8]>,
    /// Whether the subject begins with it.
    pub at_start: bool,
    /// Whether the subject ends with it.
    pub at_end: bool,
}

/// Patterns that are longer, or repeat by number, are compiled to see whether that is allowed.
const SHORT: usize = 256;

impl Outline {
    /// The outline of a pattern; `None` where it is refused, or only a backtracking matcher knows it.
    pub fn of(pattern: &[u8]) -> Option<Self> {
        let translation = translate(pattern).ok()?;
        if translation.back_references {
            return None;
        }
        let tree =
            syntax::parse_with(&translation.text, &syntax::Config::new().utf8(false)).ok()?;
        let heavy = pattern.len() > SHORT || pattern.iter().any(|byte| b"{\\[".contains(byte));
        if heavy && Ere::compile(pattern).is_err() {
            return None;
        }
        Some(Self {
            plain: Plain::of(&tree),
            required: required(&tree, false),
            groups: translation.groups > 0,
            may_be_empty: tree.properties().minimum_len() == Some(0),
        })
    }
}

impl Plain {
    fn of(tree: &Hir) -> Option<Self> {
        let mut parts = match tree.kind() {
            HirKind::Concat(parts) => parts.as_slice(),
            _ => std::slice::from_ref(tree),
        };
        let is = |part: &Hir, look| *part.kind() == HirKind::Look(look);
        let (mut at_start, mut at_end) = (false, false);
        if let [first, rest @ ..] = parts
            && is(first, Look::Start)
        {
            (parts, at_start) = (rest, true);
        }
        if let [rest @ .., last] = parts
            && is(last, Look::End)
        {
            (parts, at_end) = (rest, true);
        }
        match parts {
            [one] => match one.kind() {
                HirKind::Literal(literal) => Some(Self {
                    text: literal.0.clone(),
                    at_start,
                    at_end,
                }),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether a subject has the text where it must stand.
    pub fn stands(&self, subject: &[u8]) -> bool {
        match (self.at_start, self.at_end) {
            (true, true) => *subject == *self.text,
            (true, false) => subject.starts_with(&self.text),
            (false, true) => subject.ends_with(&self.text),
            (false, false) => memchr::memmem::find(subject, &self.text).is_some(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outlines_agree_with_the_matchers() {
        for pattern in [
            "abc", "^abc", "abc$", "^abc$", "a.c", "^0[1-3]", "a|b", "(a|b)c", "x*", "^$", "",
            "a{2}", "é", "\\*[0-9]",
        ] {
            let ere = Ere::compile(pattern.as_bytes()).unwrap();
            let outline = Outline::of(pattern.as_bytes()).unwrap();
            assert_eq!(outline.groups, ere.has_groups(), "{pattern}");
            for subject in [
                "", "abc", "xabc", "abcx", "a", "ac", "bc", "01", "001", "aa", "é", "*5", "abcabc",
            ] {
                let matches = ere.is_match(subject.as_bytes());
                let holds =
                    |text: &Vec<u8>| memchr::memmem::find(subject.as_bytes(), text).is_some();
                if let Some(required) = &outline.required {
                    let held = required.texts.iter().any(holds);
                    assert!(held || !matches, "{pattern} {subject}");
                    assert!(!required.exact || held == matches, "{pattern} {subject}");
                }
                if let Some(plain) = &outline.plain {
                    assert_eq!(
                        plain.stands(subject.as_bytes()),
                        matches,
                        "{pattern} {subject}"
                    );
                }
            }
        }
        for pattern in ["(", "(a)\\1", "[a", "*"] {
            assert_eq!(Outline::of(pattern.as_bytes()), None, "{pattern}");
        }
    }
}
