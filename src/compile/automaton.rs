//! Builds the match structures of a table: linear in the number of extensions, each context on its own.

use std::ops::Range;

use crate::base::pattern::{self, ByteSet, Element};
use crate::base::symbol::{StableMap, stable_map};
use crate::program::automaton::{
    Automaton, BANG, BEGINNING, BROKEN, Branch, Bucket, CLASS, DEPTH, DOT, EMPTY, Node, Run, Scope,
    Slot, hash, hash_literal, head, tag,
};
use crate::program::{ContextId, Matcher, Table};

/// Builds the matcher of a table.
pub fn build(table: &Table) -> Matcher {
    let mut build = Build {
        buckets: Vec::new(),
        branches: Vec::new(),
        steps: Vec::new(),
        tails: stable_map(),
        classes: Vec::new(),
        numbers: stable_map(),
        scopes: Vec::with_capacity(table.contexts.len()),
    };
    let mut literals = Vec::new();
    for (id, context) in (0..).zip(&table.contexts) {
        build.context(table, ContextId(id), &context.extensions, &mut literals);
    }
    Matcher::over(build.finish(&literals))
}

struct Build {
    buckets: Vec<Bucket>,
    branches: Vec<Branch>,
    steps: Vec<u32>,
    tails: StableMap<Vec<u32>, Range<u32>>,
    classes: Vec<ByteSet>,
    numbers: StableMap<ByteSet, u32>,
    scopes: Vec<Scope>,
}

/// An extension's pattern as steps.
struct Entry {
    at: u32,
    steps: Vec<u32>,
}

impl Build {
    fn context(
        &mut self,
        table: &Table,
        id: ContextId,
        range: &Range<u32>,
        literals: &mut Vec<(u64, u32)>,
    ) {
        let extensions = table
            .extensions
            .get(range.start as usize..range.end as usize)
            .unwrap_or(&[]);
        let first_pattern =
            extensions.partition_point(|e| !pattern::is_pattern(&e.exten)) as u32 + range.start;
        let mut previous: Option<&[u8]> = None;
        let mut entries = Vec::new();
        for (at, extension) in (range.start..).zip(extensions) {
            if at < first_pattern {
                let text = pattern::undash(&extension.exten);
                // Caller-id variants of one extension follow each other: the first one stands for all.
                if previous.is_none_or(|p| !pattern::same_literal(p, &text)) {
                    literals.push((hash_literal(id, &text, head(&text)), at));
                }
                previous = Some(&extension.exten);
            } else {
                let steps = pattern::elements(&extension.exten)
                    .map(|e| self.step(e))
                    .collect();
                entries.push(Entry { at, steps });
            }
        }
        let mut scope = Scope {
            literals: range.start..first_pattern,
            patterns: first_pattern..range.end,
            lengths: 0,
            root: None,
        };
        for chunk in entries.chunk_by(|a, b| beginning(&a.steps) == beginning(&b.steps)) {
            let Some(first) = chunk.first() else { continue };
            let (len, word) = beginning(&first.steps);
            let node = self.node(chunk, len);
            if len == 0 {
                scope.root = Some(node);
            } else {
                scope.lengths |= 1 << len;
                self.buckets.push(Bucket {
                    beginning: word,
                    context: id,
                    len: len as u8,
                    node,
                });
            }
        }
        self.scopes.push(scope);
    }

    fn step(&mut self, element: Element) -> u32 {
        match element {
            Element::Literal(byte) => u32::from(byte),
            Element::Class(set) => {
                let classes = &mut self.classes;
                CLASS
                    + *self.numbers.entry(set).or_insert_with(|| {
                        classes.push(set);
                        classes.len() as u32 - 1
                    })
            }
            Element::Dot => DOT,
            Element::Bang => BANG,
            Element::Broken => BROKEN,
        }
    }

    /// The node of entries that agree in their first `depth` steps.
    fn node(&mut self, entries: &[Entry], depth: usize) -> Node {
        let run = run_of(entries);
        let rest = entries.first().and_then(|e| e.steps.get(depth..));
        if entries.iter().all(|e| {
            e.steps
                .get(depth..)
                .is_some_and(|steps| Some(steps) == rest)
        }) {
            let rest = rest.unwrap_or(&[]);
            let digits = rest.iter().all(|&step| {
                step.checked_sub(CLASS)
                    .and_then(|class| self.classes.get(class as usize))
                    .is_some_and(|set| *set == pattern::DIGITS)
            });
            let steps = self.tail(rest);
            return Node::Tail { steps, run, digits };
        }
        if depth >= DEPTH {
            return Node::Scan(run);
        }
        let mut branch = Branch {
            all: run,
            ..Branch::default()
        };
        for chunk in entries.chunk_by(|a, b| a.steps.get(depth) == b.steps.get(depth)) {
            let step = chunk.first().and_then(|e| e.steps.get(depth)).copied();
            match step {
                None => branch.ends = run_of(chunk),
                Some(DOT) => branch.dots = run_of(chunk),
                Some(BANG) => branch.bangs = run_of(chunk),
                // Never matches, but is in `all`: a string that ends here could become longer.
                Some(BROKEN) => {}
                Some(step) if step < CLASS => {
                    let node = self.node(chunk, depth + 1);
                    branch.literals.push((step as u8, node));
                }
                Some(step) => {
                    let node = self.node(chunk, depth + 1);
                    if let Some(set) = self.classes.get((step - CLASS) as usize) {
                        branch.classes.push((*set, node));
                    }
                }
            }
        }
        self.branches.push(branch);
        Node::Branch(self.branches.len() as u32 - 1)
    }

    /// Tails are shared: blocks of numbers differ in their beginnings only.
    fn tail(&mut self, steps: &[u32]) -> Range<u32> {
        if let Some(range) = self.tails.get(steps) {
            return range.clone();
        }
        let start = self.steps.len() as u32;
        self.steps.extend_from_slice(steps);
        let range = start..self.steps.len() as u32;
        self.tails.insert(steps.to_vec(), range.clone());
        range
    }

    fn finish(self, literals: &[(u64, u32)]) -> Automaton {
        let count = literals.len() + self.buckets.len();
        let size = (count * 2).next_power_of_two().max(2);
        let mut slots = vec![Slot { tag: 0, at: EMPTY }; size];
        let mut put = |hash: u64, literal: bool, at: u32| {
            let mut place = hash as usize & (size - 1);
            while let Some(slot) = slots.get_mut(place) {
                if slot.at == EMPTY {
                    *slot = Slot {
                        tag: tag(hash, literal),
                        at,
                    };
                    return;
                }
                place = (place + 1) & (size - 1);
            }
        };
        for &(hash, at) in literals {
            put(hash, true, at);
        }
        for (at, bucket) in (0..).zip(&self.buckets) {
            put(
                hash(bucket.context, bucket.len, bucket.beginning),
                false,
                at,
            );
        }
        Automaton {
            slots,
            buckets: self.buckets,
            branches: self.branches,
            steps: self.steps,
            classes: self.classes,
            scopes: self.scopes,
        }
    }
}

fn run_of(entries: &[Entry]) -> Run {
    match (entries.first(), entries.last()) {
        (Some(first), Some(last)) => first.at..last.at + 1,
        _ => 0..0,
    }
}

/// The literal beginning of a pattern, at most [`BEGINNING`] bytes, and its length.
fn beginning(steps: &[u32]) -> (usize, u128) {
    let mut bytes = [0; BEGINNING];
    let mut len = 0;
    for (slot, &step) in bytes.iter_mut().zip(steps) {
        if step >= CLASS {
            break;
        }
        *slot = step as u8;
        len += 1;
    }
    (len, head(bytes.get(..len).unwrap_or(&[])))
}
