//! Chains: the rules of one flag, and the index that leaves over those which a query can match.
//!
//! Every rule of a chain stands in one bucket: under texts that its pattern cannot match without, or under its
//! schema, user or client, whichever bucket is the smallest; a rule that has none of them is always looked at. The
//! texts of all rules are found in one run of an Aho-Corasick automaton over the query (and one over its digest).

use std::sync::OnceLock;

use crate::base::search::{Finds, Search, SearchBuilder};
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
    finds: Finds,
}

impl Candidates {
    /// Index of the first found rule at or after a position.
    pub(crate) fn first(&self, position: usize) -> usize {
        if position == 0 {
            return 0;
        }
        self.finds
            .entries
            .partition_point(|&entry| (Found(entry).position() as usize) < position)
    }

    /// A found rule.
    #[inline]
    pub(crate) fn found(&self, n: usize) -> Option<Found> {
        self.finds.entries.get(n).copied().map(Found)
    }
}

/// A rule one of whose texts was found: its position, and whether that is all that it asks. Sorts by position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
    query: Option<Search>,
    digest: Option<Search>,
    always: Vec<u32>,
    schemas: StableMap<Vec<u8>, Vec<u32>>,
    users: StableMap<Vec<u8>, Vec<u32>>,
    clients: StableMap<Vec<u8>, Vec<u32>>,
    /// Whether every rule stands under texts of the query.
    by_text_only: bool,
}

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
        let mut texts = SearchBuilder::default();
        let mut digests = SearchBuilder::default();
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
                Place::Text(list) => texts.add(list, Found::new(position, proven).0),
                Place::Digest(list) => digests.add(list, Found::new(position, false).0),
                Place::Schema(name) => index.schemas.entry(name).or_default().push(position),
                Place::User(name) => index.users.entry(name).or_default().push(position),
                Place::Client(name) => index.clients.entry(name).or_default().push(position),
                Place::Always => index.always.push(position),
            }
        }
        index.query = search(texts, &mut index.always);
        index.digest = search(digests, &mut index.always);
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
        let finds = &mut out.finds;
        finds.entries.clear();
        let mut runs = 0;
        for (search, text) in [(&self.query, text), (&self.digest, digest)] {
            if let Some(search) = search {
                search.run(text, finds);
                runs += 1;
            }
        }
        if finds.entries.len() > 1 {
            finds.entries.sort_unstable();
            finds.entries.dedup();
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

/// The automaton; rules that no automaton takes are always looked at.
fn search(texts: SearchBuilder, always: &mut Vec<u32>) -> Option<Search> {
    texts.build(true).unwrap_or_else(|rules| {
        always.extend(rules.into_iter().map(|entry| Found(entry).position()));
        None
    })
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
