//! Texts without which a regular expression cannot match.

use regex_syntax::hir::literal::{ExtractKind, Extractor, Seq};
use regex_syntax::hir::{Hir, HirKind};

/// Texts of which every match holds at least one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Required {
    /// The texts.
    pub texts: Vec<Vec<u8>>,
    /// Whether holding one of them is all that the expression asks.
    pub exact: bool,
}

/// Texts of one pattern at most.
const TEXTS: usize = 64;
/// Parts of a pattern that are looked at.
const PARTS: usize = 32;

impl Required {
    /// Texts in lower case, for a search that does not mind case; of an expression that minds it, letters are no proof.
    pub fn fold(&mut self, caseless: bool) {
        let letters = self.texts.iter().flatten().any(u8::is_ascii_alphabetic);
        self.exact &= caseless || !letters;
        for text in &mut self.texts {
            text.make_ascii_lowercase();
        }
        self.texts.sort();
        self.texts.dedup();
    }
}

/// The best set of texts of an expression that is read with case. With `unicode_case` it will match without, as
/// Unicode has it.
pub fn required(tree: &Hir, unicode_case: bool) -> Option<Required> {
    let whole = tree.properties().look_set().is_empty();
    let prefixes = extracted(tree, ExtractKind::Prefix);
    if whole
        && let Some(seq) = &prefixes
        && seq.is_exact()
        && let Some(texts) = usable(seq, unicode_case)
    {
        return Some(Required { texts, exact: true });
    }
    let mut best: Option<Vec<Vec<u8>>> = None;
    let mut consider = |seq: Option<Seq>| {
        let Some(texts) = seq.as_ref().and_then(|seq| usable(seq, unicode_case)) else {
            return;
        };
        if best.as_ref().is_none_or(|best| worth(&texts) > worth(best)) {
            best = Some(texts);
        }
    };
    consider(prefixes);
    consider(extracted(tree, ExtractKind::Suffix));
    let mut inner = tree;
    while let HirKind::Capture(capture) = inner.kind() {
        inner = &capture.sub;
    }
    if let HirKind::Concat(parts) = inner.kind() {
        for (n, part) in parts.iter().enumerate().take(PARTS) {
            consider(extracted(part, ExtractKind::Prefix));
            consider(extracted(part, ExtractKind::Suffix));
            // Parts in a row may make a longer text than each of them.
            if let Some(row) = parts.get(n..(n + 8).min(parts.len())) {
                consider(extracted(&Hir::concat(row.to_vec()), ExtractKind::Prefix));
            }
        }
    }
    best.map(|texts| Required {
        texts,
        exact: false,
    })
}

/// Long texts and few of them.
fn worth(texts: &[Vec<u8>]) -> (usize, std::cmp::Reverse<usize>) {
    let shortest = texts.iter().map(Vec::len).min().unwrap_or(0);
    (shortest, std::cmp::Reverse(texts.len()))
}

fn extracted(tree: &Hir, kind: ExtractKind) -> Option<Seq> {
    let seq = Extractor::new()
        .kind(kind)
        .limit_class(16)
        .limit_literal_len(64)
        .limit_total(TEXTS)
        .extract(tree);
    seq.is_finite().then_some(seq)
}

fn usable(seq: &Seq, unicode_case: bool) -> Option<Vec<Vec<u8>>> {
    let literals = seq.literals()?;
    if literals.is_empty() || literals.len() > TEXTS {
        return None;
    }
    literals
        .iter()
        .map(|literal| {
            let text = literal.as_bytes();
            // Beyond ASCII, and for k and s, Unicode knows more cases of a letter than two.
            let strange = unicode_case
                && text
                    .iter()
                    .any(|byte| !byte.is_ascii() || b"kKsS".contains(byte));
            (!text.is_empty() && !strange).then(|| text.to_vec())
        })
        .collect()
}
