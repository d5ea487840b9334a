//! Which of many texts occur in another one: one run of an Aho-Corasick automaton, or of a table of short texts. And which texts a regular
//! expression cannot match without, so that most of many expressions are ruled out by such a run.

mod keys;
mod required;

use aho_corasick::automaton::Automaton;
use aho_corasick::{Anchored, MatchKind, StartKind, dfa, nfa};

use crate::base::symbol::{StableMap, stable_map};

use keys::Keys;

pub use required::{Required, required};

/// Texts under construction, each with the entries that it stands for.
#[derive(Debug)]
pub struct SearchBuilder {
    known: StableMap<Vec<u8>, usize>,
    texts: Vec<Vec<u8>>,
    entries: Vec<Vec<u32>>,
}

/// Finds which entries have a text that occurs.
#[derive(Debug, Clone)]
pub struct Search {
    machine: Machine,
    start: Start,
    /// Entries of all texts in a row.
    entries: Vec<u32>,
    /// Where those of a text begin; one more than there are texts.
    bounds: Vec<u32>,
}

/// What searches found, and when each text was last seen; used again and again.
#[derive(Debug, Clone, Default)]
pub struct Finds {
    /// Entries of the texts that occurred, in no order, perhaps more than once.
    pub entries: Vec<u32>,
    seen: Vec<u32>,
    epoch: u32,
}

#[derive(Debug, Clone)]
enum Machine {
    Keys(Keys),
    Dense(Box<dfa::DFA>),
    Sparse(Box<nfa::contiguous::NFA>),
}

/// Bytes with which texts start, where they are few.
#[derive(Debug, Clone)]
enum Start {
    One(u8),
    Two(u8, u8),
    Three(u8, u8, u8),
    Many,
}

/// Bytes of texts up to which the automaton is a table.
const DENSE: usize = 1 << 16;

impl Default for SearchBuilder {
    fn default() -> Self {
        Self {
            known: stable_map(),
            texts: Vec::new(),
            entries: Vec::new(),
        }
    }
}

impl SearchBuilder {
    /// An entry and the texts that it has.
    pub fn add(&mut self, texts: Vec<Vec<u8>>, entry: u32) {
        for text in texts {
            let id = if let Some(&id) = self.known.get(&text) {
                id
            } else {
                let id = self.texts.len();
                self.known.insert(text.clone(), id);
                self.texts.push(text);
                self.entries.push(Vec::new());
                id
            };
            if let Some(entries) = self.entries.get_mut(id) {
                entries.push(entry);
            }
        }
    }

    /// The search, where there is a text at all; or the entries, where no automaton takes the texts. `caseless` finds
    /// letters of ASCII in either case.
    pub fn build(self, caseless: bool) -> Result<Option<Search>, Vec<u32>> {
        if self.texts.is_empty() {
            return Ok(None);
        }
        let start = Start::of(&self.texts, caseless);
        let bytes: usize = self.texts.iter().map(Vec::len).sum();
        let keys = match start {
            Start::Many => None,
            _ => Keys::new(&self.texts, caseless),
        };
        let machine = if let Some(keys) = keys {
            Ok(Machine::Keys(keys))
        } else if bytes <= DENSE {
            dfa::Builder::new()
                .match_kind(MatchKind::Standard)
                .ascii_case_insensitive(caseless)
                .prefilter(false)
                .start_kind(StartKind::Unanchored)
                .build(&self.texts)
                .map(|dfa| Machine::Dense(Box::new(dfa)))
        } else {
            nfa::contiguous::Builder::new()
                .match_kind(MatchKind::Standard)
                .ascii_case_insensitive(caseless)
                .prefilter(false)
                .build(&self.texts)
                .map(|nfa| Machine::Sparse(Box::new(nfa)))
        };
        let Ok(machine) = machine else {
            return Err(self.entries.into_iter().flatten().collect());
        };
        let mut entries = Vec::new();
        let mut bounds = vec![0];
        for list in self.entries {
            entries.extend(list);
            bounds.push(u32::try_from(entries.len()).unwrap_or(u32::MAX));
        }
        Ok(Some(Search {
            machine,
            start,
            entries,
            bounds,
        }))
    }
}

impl Start {
    fn of(texts: &[Vec<u8>], caseless: bool) -> Self {
        let mut bytes: Vec<u8> = texts
            .iter()
            .filter_map(|text| text.first().copied())
            .flat_map(|byte| {
                if caseless {
                    [byte.to_ascii_lowercase(), byte.to_ascii_uppercase()]
                } else {
                    [byte, byte]
                }
            })
            .collect();
        bytes.sort_unstable();
        bytes.dedup();
        match *bytes.as_slice() {
            [a] => Start::One(a),
            [a, b] => Start::Two(a, b),
            [a, b, c] => Start::Three(a, b, c),
            _ => Start::Many,
        }
    }

    #[inline]
    fn find(&self, text: &[u8]) -> Option<usize> {
        match *self {
            Start::One(a) => memchr::memchr(a, text),
            Start::Two(a, b) => memchr::memchr2(a, b, text),
            Start::Three(a, b, c) => memchr::memchr3(a, b, c, text),
            Start::Many => Some(0),
        }
    }
}

impl Search {
    /// Adds the entries of all texts that occur.
    pub fn run(&self, text: &[u8], out: &mut Finds) {
        out.epoch = out.epoch.wrapping_add(1);
        if out.epoch == 0 || out.seen.len() < self.bounds.len() {
            out.seen.clear();
            out.seen.resize(self.bounds.len(), 0);
            out.epoch = 1;
        }
        match &self.machine {
            Machine::Keys(keys) => self.look(keys, text, out),
            Machine::Dense(dfa) => self.walk(dfa.as_ref(), text, out),
            Machine::Sparse(nfa) => self.walk(nfa.as_ref(), text, out),
        }
    }

    fn look(&self, keys: &Keys, text: &[u8], out: &mut Finds) {
        let mut rest = text;
        while let Some(at) = self.start.find(rest) {
            let place = rest.get(at..).unwrap_or_default();
            keys.at(place, |number| self.note(number as usize, out));
            rest = place.get(1..).unwrap_or_default();
        }
    }

    // A function of its own, so that the state stays in a register.
    #[inline(never)]
    fn walk<A: Automaton>(&self, automaton: &A, text: &[u8], out: &mut Finds) {
        let Ok(start) = automaton.start_state(Anchored::No) else {
            return;
        };
        let mut rest = text;
        while let Some(at) = self.start.find(rest) {
            let mut state = start;
            let mut bytes = rest.get(at..).unwrap_or_default().iter();
            loop {
                let Some(&byte) = bytes.next() else {
                    return;
                };
                state = automaton.next_state(Anchored::No, state, byte);
                if automaton.is_special(state) && automaton.is_match(state) {
                    for n in 0..automaton.match_len(state) {
                        self.note(automaton.match_pattern(state, n).as_usize(), out);
                    }
                }
                if state == start {
                    break;
                }
            }
            rest = bytes.as_slice();
        }
    }

    #[inline]
    fn note(&self, at: usize, out: &mut Finds) {
        let epoch = out.epoch;
        match out.seen.get_mut(at) {
            Some(seen) if *seen != epoch => *seen = epoch,
            _ => return,
        }
        let bound = |at: usize| self.bounds.get(at).map_or(0, |&bound| bound as usize);
        // Mostly one: pushing costs less than a copy.
        for &entry in self
            .entries
            .get(bound(at)..bound(at + 1))
            .unwrap_or_default()
        {
            out.entries.push(entry);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_texts_that_occur_are_found() {
        for caseless in [false, true] {
            let mut builder = SearchBuilder::default();
            builder.add(vec![b"ab".to_vec(), b"bc".to_vec()], 7);
            builder.add(vec![b"bc".to_vec()], 3);
            builder.add(vec![b"x".to_vec()], 1);
            let search = builder.build(caseless).unwrap().unwrap();
            let mut finds = Finds::default();
            let mut found = |text: &str| {
                finds.entries.clear();
                search.run(text.as_bytes(), &mut finds);
                finds.entries.sort_unstable();
                finds.entries.dedup();
                finds.entries.clone()
            };
            assert_eq!(found("zabz"), [7]);
            assert_eq!(found("abcbc"), [3, 7]);
            assert_eq!(found("X ab"), if caseless { vec![1, 7] } else { vec![7] });
            assert_eq!(found(""), Vec::<u32>::new());
        }
    }
}
