//! Chains: the rules of one flag, and the index that leaves over those which a query can match.
//!
//! Every rule of a chain stands in one bucket: under texts that its pattern cannot match without, or under its
//! schema, user or client, whichever bucket is the smallest; a rule that has none of them is always looked at. The
//! texts of all rules are found in one run of an Aho-Corasick automaton over the query (and one over its digest).

use std::sync::OnceLock;

use aho_corasick::{Anchored, MatchKind, PatternID, StartKind, dfa, nfa};

use crate::base::symbol::{StableMap, stable_map};
use crate::rules::rule::{Client, Matching, Rule};

/// The rules of one flag.
#[derive(Debug)]
pub(crate) struct Chain {
    pub(crate) flag: i32,
    /// Positions among all rules, rising.
    pub(crate) rules: Vec<u32>,
    index: OnceLock<Box<Index>>,
}

/// Positions that a query leaves over, kept while the same chain is asked about the same text.
#[derive(Debug, Clone, Default)]
pub(crate) struct Candidates {
    /// Chain and version of the text that they are for.
    pub(crate) of: Option<(u32, u32)>,
    /// From the texts, rising.
    pub(crate) found: Vec<Found>,
    /// When each text of the automaton was last seen.
    seen: Vec<u32>,
    epoch: u32,
}

impl Candidates {
    /// Index of the first found rule at or after a position.
    pub(crate) fn first(&self, position: usize) -> usize {
        if position == 0 {
            return 0;
        }
        self.found
            .partition_point(|found| (found.position() as usize) < position)
    }
}

/// A rule one of whose texts was found: its position, and whether that is all that it asks. Sorts by position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Found(u32);

impl Found {
    fn new(position: u32, proven: bool) -> Self {
        Self(position << 1 | u32::from(proven))
    }

    pub(crate) fn position(self) -> u32 {
        self.0 >> 1
    }

    pub(crate) fn is_proven(self) -> bool {
        self.0 & 1 == 1
    }
}

/// The index of a chain.
#[derive(Debug, Default)]
pub(crate) struct Index {
    query: Option<Automaton>,
    digest: Option<Automaton>,
    always: Vec<u32>,
    schemas: StableMap<Vec<u8>, Vec<u32>>,
    users: StableMap<Vec<u8>, Vec<u32>>,
    clients: StableMap<Vec<u8>, Vec<u32>>,
    /// Whether every rule stands under texts of the query.
    by_text_only: bool,
}

#[derive(Debug)]
struct Automaton {
    machine: Machine,
    start: Start,
    /// The rules by text.
    rules: Vec<Vec<Found>>,
}

#[derive(Debug)]
enum Machine {
    Dense(Box<dfa::DFA>),
    Sparse(Box<nfa::contiguous::NFA>),
}

/// Bytes with which texts start, where they are few.
#[derive(Debug)]
enum Start {
    One(u8),
    Two(u8, u8),
    Three(u8, u8, u8),
    Many,
}

/// Bytes of texts up to which the automaton is a table.
const DENSE: usize = 1 << 16;

impl Chain {
    pub(crate) fn new(flag: i32) -> Self {
        Self {
            flag,
            rules: Vec::new(),
            index: OnceLock::new(),
        }
    }

    /// The index, which is made when it is first needed.
    pub(crate) fn index(&self, rules: &[Rule], has_digests: bool) -> &Index {
        self.index
            .get_or_init(|| Box::new(Index::new(&self.rules, rules, has_digests)))
    }
}

/// Where a rule may stand.
enum Place {
    Text(Vec<Vec<u8>>),
    Digest(Vec<Vec<u8>>),
    Schema(Vec<u8>),
    User(Vec<u8>),
    Client(Vec<u8>),
    Always,
}

/// The places a rule may take, and whether finding its text is all.
fn places(rule: &Rule, has_digests: bool) -> (Vec<Place>, bool) {
    let mut places = Vec::new();
    let mut proven = false;
    let required = |matching: &Option<Matching>| {
        matching
            .as_ref()
            .filter(|_| !rule.negated)
            .and_then(|matching| matching.pattern.required())
    };
    if let Some(required) = required(&rule.match_pattern) {
        proven = required.exact && rule.is_for_all() && rule.match_digest.is_none();
        places.push(Place::Text(required.texts));
    }
    places.extend(rule.schemaname.clone().map(Place::Schema));
    places.extend(rule.username.clone().map(Place::User));
    if let Client::Exactly(address) = &rule.client {
        places.push(Place::Client(address.clone()));
    }
    if has_digests && let Some(required) = required(&rule.match_digest) {
        places.push(Place::Digest(required.texts));
    }
    (places, proven)
}

impl Index {
    fn new(chain: &[u32], rules: &[Rule], has_digests: bool) -> Self {
        let mut options = Vec::with_capacity(chain.len());
        let mut counts: StableMap<(u8, Vec<u8>), usize> = stable_map();
        for &position in chain {
            let Some(rule) = rules.get(position as usize) else {
                continue;
            };
            let (places, proven) = places(rule, has_digests);
            for place in &places {
                for key in keys(place) {
                    *counts.entry(key).or_default() += 1;
                }
            }
            options.push((position, places, proven));
        }
        let mut index = Self {
            schemas: stable_map(),
            users: stable_map(),
            clients: stable_map(),
            ..Self::default()
        };
        let mut texts = Texts::default();
        let mut digests = Texts::default();
        for (position, places, proven) in options {
            let crowd = |place: &Place| {
                keys(place)
                    .iter()
                    .map(|key| counts.get(key).copied().unwrap_or(0))
                    .sum::<usize>()
            };
            // Of equal buckets the first; it saves most.
            let best = places
                .into_iter()
                .min_by_key(crowd)
                .unwrap_or(Place::Always);
            match best {
                Place::Text(list) => texts.add(list, Found::new(position, proven)),
                Place::Digest(list) => digests.add(list, Found::new(position, false)),
                Place::Schema(name) => index.schemas.entry(name).or_default().push(position),
                Place::User(name) => index.users.entry(name).or_default().push(position),
                Place::Client(name) => index.clients.entry(name).or_default().push(position),
                Place::Always => index.always.push(position),
            }
        }
        index.query = texts.automaton(&mut index.always);
        index.digest = digests.automaton(&mut index.always);
        index.always.sort_unstable();
        index.always.dedup();
        index.by_text_only = index.always.is_empty()
            && index.schemas.is_empty()
            && index.users.is_empty()
            && index.clients.is_empty();
        index
    }

    /// Whether the found rules are all candidates.
    pub(crate) fn is_by_text_only(&self) -> bool {
        self.by_text_only
    }

    /// Whether the digest of a query is needed.
    pub(crate) fn wants_digest(&self) -> bool {
        self.digest.is_some()
    }

    /// Runs the automata; the value is how many ran.
    pub(crate) fn search(&self, text: &[u8], digest: &[u8], out: &mut Candidates) -> u64 {
        out.found.clear();
        let mut runs = 0;
        for (automaton, text) in [(&self.query, text), (&self.digest, digest)] {
            if let Some(automaton) = automaton {
                automaton.search(text, out);
                runs += 1;
            }
        }
        if out.found.len() > 1 {
            out.found.sort_unstable();
            out.found.dedup();
        }
        runs
    }

    /// The lists in which candidates stand besides those that were found.
    pub(crate) fn lists(&self, schema: &[u8], user: &[u8], client: Option<&[u8]>) -> [&[u32]; 4] {
        [
            &self.always,
            bucket(&self.schemas, schema),
            bucket(&self.users, user),
            client.map_or(&[][..], |client| bucket(&self.clients, client)),
        ]
    }

    /// Whether rules stand under an exact client, which an unknown client does not rule out.
    pub(crate) fn has_clients(&self) -> bool {
        !self.clients.is_empty()
    }
}

fn bucket<'m>(map: &'m StableMap<Vec<u8>, Vec<u32>>, name: &[u8]) -> &'m [u32] {
    if map.is_empty() {
        return &[];
    }
    map.get(name).map_or(&[], Vec::as_slice)
}

/// The buckets of a place, for counting.
fn keys(place: &Place) -> Vec<(u8, Vec<u8>)> {
    match place {
        Place::Text(list) => list.iter().map(|text| (0, text.clone())).collect(),
        Place::Digest(list) => list.iter().map(|text| (1, text.clone())).collect(),
        Place::Schema(name) => vec![(2, name.clone())],
        Place::User(name) => vec![(3, name.clone())],
        Place::Client(name) => vec![(4, name.clone())],
        Place::Always => Vec::new(),
    }
}

/// Texts under construction.
#[derive(Default)]
struct Texts {
    known: StableMap<Vec<u8>, usize>,
    list: Vec<Vec<u8>>,
    rules: Vec<Vec<Found>>,
}

impl Texts {
    fn add(&mut self, list: Vec<Vec<u8>>, rule: Found) {
        for text in list {
            let id = if let Some(&id) = self.known.get(&text) {
                id
            } else {
                let id = self.list.len();
                self.known.insert(text.clone(), id);
                self.list.push(text);
                self.rules.push(Vec::new());
                id
            };
            if let Some(rules) = self.rules.get_mut(id) {
                rules.push(rule);
            }
        }
    }

    /// The automaton; rules that no automaton takes are always looked at.
    fn automaton(self, always: &mut Vec<u32>) -> Option<Automaton> {
        if self.list.is_empty() {
            return None;
        }
        let bytes: usize = self.list.iter().map(Vec::len).sum();
        let machine = if bytes <= DENSE {
            dfa::Builder::new()
                .match_kind(MatchKind::Standard)
                .ascii_case_insensitive(true)
                .prefilter(false)
                .start_kind(StartKind::Unanchored)
                .build(&self.list)
                .map(|dfa| Machine::Dense(Box::new(dfa)))
        } else {
            nfa::contiguous::Builder::new()
                .match_kind(MatchKind::Standard)
                .ascii_case_insensitive(true)
                .prefilter(false)
                .build(&self.list)
                .map(|nfa| Machine::Sparse(Box::new(nfa)))
        };
        if let Ok(machine) = machine {
            Some(Automaton {
                machine,
                start: Start::of(&self.list),
                rules: self.rules,
            })
        } else {
            always.extend(self.rules.into_iter().flatten().map(Found::position));
            None
        }
    }
}

impl Start {
    fn of(texts: &[Vec<u8>]) -> Self {
        let mut bytes: Vec<u8> = texts
            .iter()
            .filter_map(|text| text.first())
            .flat_map(|byte| [byte.to_ascii_lowercase(), byte.to_ascii_uppercase()])
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

    fn find(&self, text: &[u8]) -> Option<usize> {
        match *self {
            Start::One(a) => memchr::memchr(a, text),
            Start::Two(a, b) => memchr::memchr2(a, b, text),
            Start::Three(a, b, c) => memchr::memchr3(a, b, c, text),
            Start::Many => Some(0),
        }
    }
}

impl Automaton {
    fn search(&self, text: &[u8], out: &mut Candidates) {
        out.epoch = out.epoch.wrapping_add(1);
        if out.epoch == 0 || out.seen.len() < self.rules.len() {
            out.seen.clear();
            out.seen.resize(self.rules.len(), 0);
            out.epoch = 1;
        }
        match &self.machine {
            Machine::Dense(dfa) => self.run(dfa.as_ref(), text, out),
            Machine::Sparse(nfa) => self.run(nfa.as_ref(), text, out),
        }
    }

    #[inline]
    fn run<A: aho_corasick::automaton::Automaton>(
        &self,
        automaton: &A,
        text: &[u8],
        out: &mut Candidates,
    ) {
        let Ok(start) = automaton.start_state(Anchored::No) else {
            return;
        };
        let mut state = start;
        let mut rest = text;
        loop {
            if state == start {
                match self.start.find(rest) {
                    Some(at) => rest = rest.get(at..).unwrap_or_default(),
                    None => return,
                }
            }
            let Some((&byte, after)) = rest.split_first() else {
                return;
            };
            rest = after;
            state = automaton.next_state(Anchored::No, state, byte);
            if automaton.is_special(state) && automaton.is_match(state) {
                for n in 0..automaton.match_len(state) {
                    self.note(automaton.match_pattern(state, n), out);
                }
            }
        }
    }

    fn note(&self, text: PatternID, out: &mut Candidates) {
        let epoch = out.epoch;
        match out.seen.get_mut(text.as_usize()) {
            Some(seen) if *seen != epoch => *seen = epoch,
            _ => return,
        }
        if let Some(rules) = self.rules.get(text.as_usize()) {
            out.found.extend_from_slice(rules);
        }
    }
}
