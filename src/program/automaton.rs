//! What a lookup walks: one hash table over literal extensions and literal beginnings of patterns, and a
//! class trie behind each beginning.
//!
//! Asterisk's order makes this exact: at the first position where two matching patterns differ, a literal
//! sorts before a class, so patterns with a longer literal beginning (that fits the dialled string) come
//! before those with a shorter one; and a trie whose children stand in sort order yields the rest in order.

use std::ops::Range;

use crate::base::pattern::{self, ByteSet, Fit};
use crate::program::{ContextId, Extension, Table};

/// Longest literal beginning that is hashed, in bytes; what is literal beyond it is in the trie.
pub(crate) const BEGINNING: usize = 15;
/// Depth at which the trie stops and its entries are fitted one by one: bounds the recursion.
pub(crate) const DEPTH: usize = 128;
/// A step of a tail below this is a literal byte, else a class.
pub(crate) const CLASS: u32 = 256;
/// Step of a tail that stands for `.`.
pub(crate) const DOT: u32 = u32::MAX;
/// Step of a tail that stands for `!`.
pub(crate) const BANG: u32 = u32::MAX - 1;
/// Step of a tail that stands for a broken set.
pub(crate) const BROKEN: u32 = u32::MAX - 2;
/// An empty slot.
pub(crate) const EMPTY: u32 = u32::MAX;

/// A run of extensions (indices into [`Table::extensions`]).
pub(crate) type Run = Range<u32>;

/// One place of the hash table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slot {
    /// See [`tag`].
    pub(crate) tag: u32,
    /// Index of a literal's first extension, or of a bucket; `EMPTY` if free.
    pub(crate) at: u32,
}

/// The patterns of a context that share one literal beginning and go on without a literal.
#[derive(Debug, Clone)]
pub(crate) struct Bucket {
    /// The beginning, padded with zeros.
    pub(crate) beginning: u128,
    /// Its context.
    pub(crate) context: ContextId,
    /// Its length.
    pub(crate) len: u8,
    /// What follows.
    pub(crate) node: Node,
}

/// A state of the trie.
#[derive(Debug, Clone)]
pub(crate) enum Node {
    /// One extension is left: its remaining steps.
    Tail {
        steps: Range<u32>,
        run: Run,
        /// Whether all steps are `X`.
        digits: bool,
    },
    /// Index of a branch.
    Branch(u32),
    /// Too deep: fit the extensions one by one.
    Scan(Run),
}

/// Several ways to go on, in sort order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Branch {
    /// All extensions below.
    pub(crate) all: Run,
    /// By byte, sorted.
    pub(crate) literals: Vec<(u8, Node)>,
    /// By class, in sort order.
    pub(crate) classes: Vec<(ByteSet, Node)>,
    /// Those that go on with `.`.
    pub(crate) dots: Run,
    /// Those that go on with `!`.
    pub(crate) bangs: Run,
    /// Those that end here.
    pub(crate) ends: Run,
}

/// Where a context's entries are.
#[derive(Debug, Clone)]
pub(crate) struct Scope {
    /// Its literal extensions.
    pub(crate) literals: Run,
    /// Its patterns.
    pub(crate) patterns: Run,
    /// Bit n: there are buckets with a beginning of n bytes.
    pub(crate) lengths: u16,
    /// The bucket without a beginning.
    pub(crate) root: Option<Node>,
}

/// The match structures of a whole table.
#[derive(Debug, Clone)]
pub(crate) struct Automaton {
    pub(crate) slots: Vec<Slot>,
    pub(crate) buckets: Vec<Bucket>,
    pub(crate) branches: Vec<Branch>,
    pub(crate) steps: Vec<u32>,
    pub(crate) classes: Vec<ByteSet>,
    pub(crate) scopes: Vec<Scope>,
}

/// What was dialled, without dashes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Typed<'a> {
    /// The bytes.
    pub(crate) text: &'a [u8],
    /// See [`head`].
    pub(crate) head: u128,
    /// Whether entries that only a longer string could match are wanted too.
    pub(crate) longer: bool,
}

/// Whether a walk goes on after a candidate.
pub(crate) type Walk<B> = std::ops::ControlFlow<B>;

/// The first 16 bytes of a string as a number, padded with zeros.
#[inline]
pub(crate) fn head(text: &[u8]) -> u128 {
    if let Some(chunk) = text.first_chunk::<16>() {
        return u128::from_le_bytes(*chunk);
    }
    let len = text.len();
    // Two overlapping reads instead of a copy of variable length.
    if let (Some(low), Some(high)) = (text.first_chunk::<8>(), text.last_chunk::<8>()) {
        let low = u128::from(u64::from_le_bytes(*low));
        let high = u128::from(u64::from_le_bytes(*high));
        return low | high << (8 * (len - 8));
    }
    if let (Some(low), Some(high)) = (text.first_chunk::<4>(), text.last_chunk::<4>()) {
        let low = u128::from(u32::from_le_bytes(*low));
        let high = u128::from(u32::from_le_bytes(*high));
        return low | high << (8 * (len - 4));
    }
    text.iter()
        .rev()
        .fold(0, |word, &byte| word << 8 | u128::from(byte))
}

/// Whether a string has neither dashes nor a leading `_`: it is matched as it stands.
#[inline]
pub(crate) fn is_plain(text: &[u8], head: u128) -> bool {
    const ONES: u128 = u128::MAX / 255;
    let dashes = head ^ (ONES * 0x2d);
    let found = dashes.wrapping_sub(ONES) & !dashes & (ONES << 7);
    found == 0 && head as u8 != b'_' && (text.len() <= 16 || !text.contains(&b'-'))
}

/// The first `len` (at most 15) bytes of a head.
#[inline]
pub(crate) fn cut(head: u128, len: usize) -> u128 {
    head & ((1u128 << (8 * len)) - 1)
}

/// Hash of a beginning of `len` bytes; a literal extension has `len` 255.
#[inline]
pub(crate) fn hash(context: ContextId, len: u8, head: u128) -> u64 {
    fold(
        head as u64 ^ 0x9E37_79B9_7F4A_7C15 ^ u64::from(context.0),
        (head >> 64) as u64 ^ 0xD6E8_FEB8_6659_FD93 ^ u64::from(len) << 56,
    )
}

/// Hash of a literal extension without dashes.
#[inline]
pub(crate) fn hash_literal(context: ContextId, text: &[u8], head: u128) -> u64 {
    let mut hash = hash(context, 255, head);
    if text.len() > 16 {
        for chunk in text.chunks(16).skip(1) {
            let more = self::head(chunk);
            hash = fold(
                hash ^ more as u64,
                (more >> 64) as u64 ^ 0xA076_1D64_78BD_642F,
            );
        }
    }
    hash
}

#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    // A second round spreads the low bits, which choose the slot.
    let once = product as u64 ^ (product >> 64) as u64;
    once ^ once >> 29
}

/// Upper half of the hash; its lowest bit says whether the slot is a literal's.
#[inline]
pub(crate) fn tag(hash: u64, literal: bool) -> u32 {
    (hash >> 32) as u32 & !1 | u32::from(literal)
}

impl Automaton {
    /// The first extension of a literal of a context, if listed. `text` has no dashes.
    #[inline]
    pub(crate) fn literal(
        &self,
        table: &Table,
        context: ContextId,
        text: &[u8],
        head: u128,
    ) -> Option<u32> {
        let hash = hash_literal(context, text, head);
        self.probe(hash, true, |at| {
            table.extensions.get(at as usize).is_some_and(|extension| {
                let listed = extension.exten.as_bytes();
                extension.context == context
                    && if listed.len() == text.len() && text.len() <= 16 {
                        self::head(listed) == head
                    } else {
                        pattern::same_literal(listed, text)
                    }
            })
        })
    }

    /// The first candidate of a context, where one glance at each beginning tells; `None` says nothing.
    /// This is the way of most lookups, so it takes no closures and keeps no state.
    #[inline]
    pub(crate) fn first(
        &self,
        table: &Table,
        context: ContextId,
        text: &[u8],
        head: u128,
    ) -> Option<u32> {
        if let Some(at) = self.literal(table, context, text, head) {
            return Some(at);
        }
        let scope = self.scopes.get(context.0 as usize)?;
        let mut lengths = u32::from(scope.lengths) & ((2u32 << text.len().min(BEGINNING)) - 1);
        while lengths != 0 {
            let len = lengths.ilog2();
            lengths ^= 1 << len;
            let Some(bucket) = self.bucket(context, len as u8, cut(head, len as usize)) else {
                continue;
            };
            let Node::Tail { steps, run, digits } = &bucket.node else {
                return None;
            };
            let rest = text.get(len as usize..)?;
            let fits = if *digits {
                rest.len() == steps.len() && rest.iter().all(u8::is_ascii_digit)
            } else {
                let steps = self.steps.get(steps.start as usize..steps.end as usize)?;
                self.tail(steps, rest).is_match()
            };
            if fits {
                return Some(run.start);
            }
        }
        None
    }

    #[inline]
    fn bucket(&self, context: ContextId, len: u8, beginning: u128) -> Option<&Bucket> {
        let at = self.probe(hash(context, len, beginning), false, |at| {
            self.buckets.get(at as usize).is_some_and(|bucket| {
                bucket.beginning == beginning && bucket.len == len && bucket.context == context
            })
        })?;
        self.buckets.get(at as usize)
    }

    #[inline]
    fn probe(&self, hash: u64, literal: bool, is: impl Fn(u32) -> bool) -> Option<u32> {
        let mask = self.slots.len().wrapping_sub(1);
        let tag = tag(hash, literal);
        let mut place = hash as usize & mask;
        loop {
            let slot = self.slots.get(place)?;
            if slot.at == EMPTY {
                return None;
            }
            if slot.tag == tag && is(slot.at) {
                return Some(slot.at);
            }
            place = (place + 1) & mask;
        }
    }

    /// Visits the patterns of a context that fit, in order. With [`Typed::longer`], also those that only a longer
    /// string could match, among the buckets whose beginning is shorter than the dialled string.
    #[inline]
    pub(crate) fn patterns<B>(
        &self,
        table: &Table,
        scope: &Scope,
        context: ContextId,
        typed: Typed<'_>,
        visit: &mut impl FnMut(Run, Fit) -> Walk<B>,
    ) -> Walk<B> {
        let text = typed.text;
        let longest = text
            .len()
            .saturating_sub(usize::from(typed.longer))
            .min(BEGINNING);
        let mut lengths = u32::from(scope.lengths) & ((2u32 << longest) - 1) & !1;
        while lengths != 0 {
            let len = lengths.ilog2();
            lengths ^= 1 << len;
            let beginning = cut(typed.head, len as usize);
            if let Some(bucket) = self.bucket(context, len as u8, beginning) {
                let rest = text.get(len as usize..).unwrap_or(&[]);
                self.node(table, &bucket.node, rest, typed, visit)?;
            }
        }
        if let Some(root) = &scope.root
            && !(typed.longer && text.is_empty())
        {
            self.node(table, root, text, typed, visit)?;
        }
        Walk::Continue(())
    }

    #[inline]
    fn node<B>(
        &self,
        table: &Table,
        node: &Node,
        rest: &[u8],
        typed: Typed<'_>,
        visit: &mut impl FnMut(Run, Fit) -> Walk<B>,
    ) -> Walk<B> {
        match node {
            Node::Tail { steps, run, .. } => {
                let steps = self
                    .steps
                    .get(steps.start as usize..steps.end as usize)
                    .unwrap_or(&[]);
                match self.tail(steps, rest) {
                    Fit::Never => Walk::Continue(()),
                    Fit::Longer if !typed.longer => Walk::Continue(()),
                    fit => visit(run.clone(), fit),
                }
            }
            Node::Branch(at) => match self.branches.get(*at as usize) {
                Some(branch) => self.branch(table, branch, rest, typed, visit),
                None => Walk::Continue(()),
            },
            Node::Scan(run) => scan(table, run.clone(), typed, visit),
        }
    }

    fn branch<B>(
        &self,
        table: &Table,
        branch: &Branch,
        rest: &[u8],
        typed: Typed<'_>,
        visit: &mut impl FnMut(Run, Fit) -> Walk<B>,
    ) -> Walk<B> {
        let Some((&byte, after)) = rest.split_first() else {
            if typed.longer {
                return scan(table, branch.all.clone(), typed, visit);
            }
            for (run, fit) in [(&branch.bangs, Fit::Early), (&branch.ends, Fit::Exact)] {
                if !run.is_empty() {
                    visit(run.clone(), fit)?;
                }
            }
            return Walk::Continue(());
        };
        if let Ok(at) = branch.literals.binary_search_by_key(&byte, |(b, _)| *b)
            && let Some((_, node)) = branch.literals.get(at)
        {
            self.node(table, node, after, typed, visit)?;
        }
        for (set, node) in &branch.classes {
            if set.contains(byte) {
                self.node(table, node, after, typed, visit)?;
            }
        }
        for (run, fit) in [(&branch.dots, Fit::Open), (&branch.bangs, Fit::Early)] {
            if !run.is_empty() {
                visit(run.clone(), fit)?;
            }
        }
        Walk::Continue(())
    }

    /// Fits a string to the steps that are left.
    #[inline]
    fn tail(&self, steps: &[u32], rest: &[u8]) -> Fit {
        let mut steps = steps.iter();
        for &byte in rest {
            match steps.next() {
                Some(&step) if step < CLASS => {
                    if step != u32::from(byte) {
                        return Fit::Never;
                    }
                }
                None | Some(&BROKEN) => return Fit::Never,
                Some(&DOT) => return Fit::Open,
                Some(&BANG) => return Fit::Early,
                Some(&step) => {
                    let class = self.classes.get((step - CLASS) as usize);
                    if !class.is_some_and(|set| set.contains(byte)) {
                        return Fit::Never;
                    }
                }
            }
        }
        match steps.next() {
            None => Fit::Exact,
            Some(&BANG) => Fit::Early,
            Some(_) => Fit::Longer,
        }
    }
}

/// Fits the extensions of a run one by one.
pub(crate) fn scan<B>(
    table: &Table,
    run: Run,
    typed: Typed<'_>,
    visit: &mut impl FnMut(Run, Fit) -> Walk<B>,
) -> Walk<B> {
    for at in run {
        let Some(extension) = table.extensions.get(at as usize) else {
            continue;
        };
        let fit = pattern::fit(&extension.exten, typed.text);
        if fit.is_match() || typed.longer && fit == Fit::Longer {
            visit(at..at + 1, fit)?;
        }
    }
    Walk::Continue(())
}

/// The part of a sorted run whose extensions begin with `dialled`, element for element.
pub(crate) fn beginning_with(
    extensions: &[Extension],
    run: &Run,
    compare: impl Fn(&Extension) -> std::cmp::Ordering,
) -> Run {
    let slice = extensions
        .get(run.start as usize..run.end as usize)
        .unwrap_or(&[]);
    let low = slice.partition_point(|e| compare(e).is_lt());
    let high = slice.partition_point(|e| compare(e).is_le());
    run.start + low as u32..run.start + high as u32
}
