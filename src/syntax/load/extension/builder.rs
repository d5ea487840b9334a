//! Extensions while they are being filled.

use std::ops::Range;

use crate::base::symbol::{StableMap, stable_map};
use crate::base::{Symbol, Text};
use crate::syntax::ast::pattern::ExtensionKey;
use crate::syntax::ast::{Extension, Number, Priority};

/// So many labels of an extension are looked for line by line.
const FEW: u32 = 8;

/// An extension while it is being filled. Its lines stand in a list that all extensions share.
#[derive(Debug)]
pub(in crate::syntax::load) struct ExtensionBuilder {
    /// Hash of its key: the key itself is made again where it is needed, which is seldom.
    hash: u64,
    pub(in crate::syntax::load) exten: Text,
    pub(in crate::syntax::load) cid: Option<Text>,
    /// Its lines, as long as they follow each other.
    lines: Range<u32>,
    /// The highest number, as long as lines come in order.
    last: i32,
    labels: u32,
    rare: Option<Box<Rare>>,
}

/// What few extensions have.
#[derive(Debug)]
struct Rare {
    /// Its lines, where they do not follow each other.
    scattered: Vec<u32>,
    /// The line of each number; made when the first one comes out of order.
    by_number: Option<StableMap<i32, u32>>,
    /// Priorities of its labels, where there are many.
    labels: StableMap<Symbol, i32>,
    /// How lines spell the extension, where another spelling of the same pattern was first.
    aliases: StableMap<i32, Text>,
}

impl Rare {
    fn new() -> Box<Self> {
        Box::new(Self {
            scattered: Vec::new(),
            by_number: None,
            labels: stable_map(),
            aliases: stable_map(),
        })
    }
}

/// The number of a line in the order of lines: a hint comes first.
fn order(number: Number) -> i32 {
    match number {
        Number::Hint => -1,
        Number::At(number) => number as i32,
    }
}

impl ExtensionBuilder {
    pub(super) fn new(key: &ExtensionKey, exten: Text, cid: Option<Text>) -> Self {
        Self {
            hash: key.fingerprint(),
            exten,
            cid,
            lines: 0..0,
            last: i32::MIN,
            labels: 0,
            rare: None,
        }
    }

    /// Its place in Asterisk's order of trying.
    pub(in crate::syntax::load) fn key(&self) -> ExtensionKey {
        ExtensionKey::new(&self.exten, self.cid.as_deref())
    }

    /// Indices of its lines, in the order in which they came.
    fn indices(&self) -> impl Iterator<Item = u32> + '_ {
        let scattered = self.rare.as_ref().map_or(&[][..], |rare| &rare.scattered);
        let together = if scattered.is_empty() {
            self.lines.clone()
        } else {
            0..0
        };
        together.chain(scattered.iter().copied())
    }

    /// The line that has this number already.
    pub(super) fn at<'l>(&mut self, number: i32, lines: &'l [Priority]) -> Option<&'l Priority> {
        let by_number = match &mut self.rare {
            Some(rare) => rare.by_number.take(),
            None => None,
        };
        let by_number = match by_number {
            Some(by_number) => by_number,
            None if self.last < number => return None,
            None => {
                let line = |n: u32| lines.get(n as usize).map(|line| (order(line.number), n));
                let mut by_number = stable_map();
                by_number.extend(self.indices().filter_map(line));
                by_number
            }
        };
        let found = by_number.get(&number).copied();
        self.rare.get_or_insert_with(Rare::new).by_number = Some(by_number);
        lines.get(found? as usize)
    }

    /// The priority of a label, if it is in use.
    pub(super) fn labelled(&mut self, label: Symbol, lines: &[Priority]) -> Option<i32> {
        if self.labels == 0 {
            return None;
        }
        let labelled = |n: u32| {
            let line = lines.get(n as usize)?;
            Some((line.label?, order(line.number)))
        };
        if self.labels <= FEW {
            return self
                .indices()
                .filter_map(labelled)
                .find_map(|(used, number)| (used == label).then_some(number));
        }
        if self.rare.as_ref().is_none_or(|rare| rare.labels.is_empty()) {
            let labels: Vec<_> = self.indices().filter_map(labelled).collect();
            self.rare
                .get_or_insert_with(Rare::new)
                .labels
                .extend(labels);
        }
        self.rare.as_ref()?.labels.get(&label).copied()
    }

    /// How the line of a number spells the extension, if otherwise than the first one.
    pub(super) fn alias(&self, number: i32) -> Option<&Text> {
        self.rare.as_ref()?.aliases.get(&number)
    }

    /// Adds the line at the end of the list of all lines.
    pub(super) fn push(&mut self, alias: Option<Text>, line: Priority, lines: &mut Vec<Priority>) {
        let at = lines.len() as u32;
        let number = order(line.number);
        lines.push(line);
        if self.lines.is_empty() {
            self.lines = at..at + 1;
        } else if self.lines.end == at {
            self.lines.end = at + 1;
        }
        let together = self.lines.end == at + 1;
        let scattered = self
            .rare
            .as_ref()
            .is_some_and(|rare| !rare.scattered.is_empty());
        if scattered || !together {
            let before = if scattered { 0..0 } else { self.lines.clone() };
            let rare = self.rare.get_or_insert_with(Rare::new);
            rare.scattered.extend(before);
            rare.scattered.push(at);
        }
        self.last = self.last.max(number);
        if let Some(label) = line.label {
            self.labels += 1;
            if let Some(rare) = &mut self.rare
                && !rare.labels.is_empty()
            {
                rare.labels.insert(label, number);
            }
        }
        if let Some(rare) = &mut self.rare
            && let Some(by_number) = &mut rare.by_number
        {
            by_number.insert(number, at);
        }
        if let Some(alias) = alias {
            let rare = self.rare.get_or_insert_with(Rare::new);
            rare.aliases.insert(number, alias);
        }
    }

    /// The finished extension: listed under the name that its first priority was written with. Lines that are
    /// scattered or out of order are copied to the end of the list.
    pub(in crate::syntax::load) fn finish(mut self, lines: &mut Vec<Priority>) -> Extension {
        let Some(mut rare) = self.rare.take() else {
            return Extension {
                exten: self.exten,
                cid: self.cid,
                aliases: Vec::new(),
                priorities: self.lines,
            };
        };
        if !rare.scattered.is_empty() || rare.by_number.is_some() {
            let mut indices = std::mem::take(&mut rare.scattered);
            if indices.is_empty() {
                indices.extend(self.lines.clone());
            }
            indices.sort_by_key(|&n| lines.get(n as usize).map(|line| order(line.number)));
            let start = lines.len() as u32;
            for n in indices {
                if let Some(&line) = lines.get(n as usize) {
                    lines.push(line);
                }
            }
            self.lines = start..lines.len() as u32;
        }
        let own = lines
            .get(self.lines.start as usize..self.lines.end as usize)
            .unwrap_or_default();
        let alias = |line: &Priority| rare.aliases.get(&order(line.number));
        let first = own.first().and_then(alias);
        let exten = first.unwrap_or(&self.exten).clone();
        // A line without its own spelling was written as the extension was first; that differs from the listed
        // name where the first priority has another spelling.
        let aliases = own
            .iter()
            .skip(1)
            .filter_map(|line| {
                let written = alias(line).unwrap_or(&self.exten);
                (*written != exten).then(|| (line.number, written.clone()))
            })
            .collect();
        Extension {
            exten,
            cid: self.cid,
            aliases,
            priorities: self.lines,
        }
    }
}

/// Finds the extensions of a context by their keys: one after the other while there are few.
#[derive(Debug, Default)]
pub(in crate::syntax::load) struct ByKey {
    /// Indices of extensions, by hash; its length is a power of two, and less than half of it is taken.
    places: Vec<u32>,
}

/// So many extensions are compared one after the other.
const COMPARED: usize = 12;
/// A free place.
const FREE: u32 = u32::MAX;

impl ByKey {
    /// The extension of a key.
    pub(super) fn get(&self, key: &ExtensionKey, extensions: &[ExtensionBuilder]) -> Option<usize> {
        let hash = key.fingerprint();
        let is = |extension: &ExtensionBuilder| extension.hash == hash && extension.key() == *key;
        if self.places.is_empty() {
            return extensions.iter().position(is);
        }
        let mask = self.places.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let n = *self.places.get(at)?;
            if is(extensions.get(n as usize)?) {
                return Some(n as usize);
            }
            at = (at + 1) & mask;
        }
    }

    /// Notes the last one of the extensions.
    pub(super) fn added(&mut self, extensions: &[ExtensionBuilder]) {
        let count = extensions.len();
        if count <= COMPARED {
            return;
        }
        let new = if count * 2 > self.places.len() {
            self.places = vec![FREE; (count * 4).next_power_of_two()];
            0..count
        } else {
            count - 1..count
        };
        let mask = self.places.len() - 1;
        for n in new {
            let Some(extension) = extensions.get(n) else {
                continue;
            };
            let mut at = extension.hash as usize & mask;
            while let Some(place) = self.places.get_mut(at) {
                if *place == FREE {
                    *place = n as u32;
                    break;
                }
                at = (at + 1) & mask;
            }
        }
    }
}
