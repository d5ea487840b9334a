//! What finds the first line of a chain that holds.

use std::sync::OnceLock;

use crate::base::arguments::balanced;
use crate::base::ere::{Outline, Plain};
use crate::base::operand::{is_number, is_word, trimmed};
use crate::base::search::{Finds, Search, SearchBuilder};
use crate::base::symbol::{StableMap, stable_map};
use crate::base::value::canonical_integer;
use crate::base::{Ere, Number, Text};
use crate::program::selector::{Test, Tested};
use crate::program::template::Code;

/// Longer values come near Asterisk's limits; constants and values together, in bytes.
const LONG: usize = 2000;
/// No line.
const NONE: u32 = u32::MAX;

/// The value that the lines of a chain test.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'v> {
    /// Its text.
    pub text: &'v [u8],
    /// The integer, where it is a plain one.
    pub integer: Option<i64>,
}

/// What a chain comes to, as places in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// The first line that holds.
    Hit(u32),
    /// The first line that must be asked itself; those before do not hold.
    Ask(u32),
    /// No line holds.
    Miss,
}

/// Buffers of choices, used again and again.
#[derive(Debug, Default)]
pub struct Workspace {
    finds: Finds,
}

/// The tests of a chain by what they ask.
#[derive(Debug)]
pub(super) struct Index {
    quoted: StableMap<Text, u32>,
    words: StableMap<Text, u32>,
    integers: StableMap<i64, u32>,
    /// For each line the next one with the same constant.
    again: Vec<u32>,
    /// Entries: place, and in the lowest bit whether the text alone decides.
    search: Option<Search>,
    /// Places of patterns that are tried on every value.
    always: Vec<u32>,
    /// Patterns by place.
    patterns: StableMap<u32, Pattern>,
    needs: Needs,
}

/// What must be known of a value, so that lines answer as their texts would.
#[derive(Debug, Default)]
struct Needs {
    /// No quote in it.
    quotes: bool,
    /// One operand without quotes.
    bare: bool,
    /// Parentheses in pairs.
    pairs: bool,
    /// Longest text that stands beside the value.
    beside: usize,
}

#[derive(Debug)]
enum Pattern {
    /// The line must be asked itself.
    Ask,
    Plain(Plain),
    Any {
        pattern: Text,
        compiled: OnceLock<Option<Box<Ere>>>,
    },
}

impl Index {
    pub(super) fn new(tests: &[Tested], code: &Code) -> Self {
        let mut index = Self {
            quoted: stable_map(),
            words: stable_map(),
            integers: stable_map(),
            again: vec![NONE; tests.len()],
            search: None,
            always: Vec::new(),
            patterns: stable_map(),
            needs: Needs::default(),
        };
        let mut texts = SearchBuilder::default();
        // From the last to the first, so that each constant leads to its first line.
        for (at, test) in tests.iter().enumerate().rev() {
            let place = u32::try_from(at).unwrap_or(NONE);
            let beside = match test.test {
                Test::Quoted(constant) => {
                    let text = code.constant(constant);
                    index.needs.quotes = true;
                    let later = index.quoted.insert(text.clone(), place);
                    index.then(at, later);
                    text.len()
                }
                Test::Word(constant) => {
                    let text = code.constant(constant);
                    index.needs.bare = true;
                    let later = index.words.insert(text.clone(), place);
                    index.then(at, later);
                    text.len()
                }
                Test::Integer(n) => {
                    index.needs.bare = true;
                    let later = index.integers.insert(n, place);
                    index.then(at, later);
                    20
                }
                Test::Holds(constant) => {
                    let text = code.constant(constant);
                    index.needs.quotes = true;
                    // The value of `=~` is the length of the match, or what its group matched.
                    let usable =
                        Outline::of(text).filter(|known| !known.groups && !known.may_be_empty);
                    index.pattern(place, text, usable, &mut texts);
                    text.len()
                }
                Test::Regex(constant, beside) => {
                    let text = code.constant(constant);
                    index.needs.pairs = true;
                    index.pattern(place, text, Outline::of(text), &mut texts);
                    beside as usize
                }
            };
            index.needs.beside = index.needs.beside.max(beside);
        }
        index.search = texts.build(false).unwrap_or_else(|entries| {
            index.always.extend(entries.iter().map(|entry| entry >> 1));
            None
        });
        index.always.sort_unstable();
        index.always.dedup();
        index
    }

    fn then(&mut self, at: usize, later: Option<u32>) {
        if let (Some(again), Some(later)) = (self.again.get_mut(at), later) {
            *again = later;
        }
    }

    fn pattern(
        &mut self,
        place: u32,
        text: &Text,
        known: Option<Outline>,
        texts: &mut SearchBuilder,
    ) {
        let Some(known) = known else {
            self.always.push(place);
            self.patterns.insert(place, Pattern::Ask);
            return;
        };
        let exact = known
            .required
            .as_ref()
            .is_some_and(|required| required.exact);
        match known.required {
            Some(required) => texts.add(required.texts, place << 1 | u32::from(exact)),
            None => self.always.push(place),
        }
        if !exact {
            let pattern = match known.plain {
                Some(plain) => Pattern::Plain(plain),
                None => Pattern::Any {
                    pattern: text.clone(),
                    compiled: OnceLock::new(),
                },
            };
            self.patterns.insert(place, pattern);
        }
    }

    pub(super) fn choose(
        &self,
        from: u32,
        subject: &Subject<'_>,
        space: &mut Workspace,
    ) -> Option<Choice> {
        let bare = self.meets(subject)?;
        let mut first = NONE;
        if !self.quoted.is_empty() {
            first = first.min(self.from(from, self.quoted.get(subject.text)));
        }
        if !self.words.is_empty() {
            first = first.min(self.from(from, self.words.get(bare)));
        }
        if !self.integers.is_empty()
            && let Some(n) = subject.integer.or_else(|| integer(bare))
        {
            first = first.min(self.from(from, self.integers.get(&n)));
        }
        if self.patterns.is_empty() && self.search.is_none() {
            return Some(if first == NONE {
                Choice::Miss
            } else {
                Choice::Hit(first)
            });
        }
        Some(self.among_patterns(from, first, subject.text, &mut space.finds))
    }

    /// The value as one operand without quotes; empty where nobody asks for that.
    fn meets<'v>(&self, subject: &Subject<'v>) -> Option<&'v [u8]> {
        let text = subject.text;
        if text.len() + self.needs.beside > LONG {
            return None;
        }
        if subject.integer.is_some() {
            return Some(text);
        }
        if self.needs.quotes && memchr::memchr(b'"', text).is_some()
            || self.needs.pairs && !balanced(text)
        {
            return None;
        }
        if self.needs.bare {
            bare(text)
        } else {
            Some(&[])
        }
    }

    /// The first place from one on, of those with the same constant.
    fn from(&self, from: u32, first: Option<&u32>) -> u32 {
        let mut at = first.copied().unwrap_or(NONE);
        while at < from {
            at = self.again.get(at as usize).copied().unwrap_or(NONE);
        }
        at
    }

    /// The first pattern before a place that matches, or else that place.
    fn among_patterns(&self, from: u32, first: u32, text: &[u8], finds: &mut Finds) -> Choice {
        finds.entries.clear();
        if let Some(search) = &self.search {
            search.run(text, finds);
        }
        finds
            .entries
            .extend(self.always.iter().map(|place| place << 1));
        if finds.entries.len() > 1 {
            finds.entries.sort_unstable();
        }
        for entry in &finds.entries {
            let place = entry >> 1;
            if place < from {
                continue;
            }
            if place > first {
                break;
            }
            if entry & 1 == 1 {
                return Choice::Hit(place);
            }
            match self.patterns.get(&place) {
                Some(Pattern::Plain(plain)) if plain.stands(text) => return Choice::Hit(place),
                Some(Pattern::Plain(_)) => {}
                Some(Pattern::Any { pattern, compiled }) => {
                    let compiled =
                        compiled.get_or_init(|| Ere::compile(pattern).ok().map(Box::new));
                    match compiled {
                        Some(ere) if ere.is_match(text) => return Choice::Hit(place),
                        Some(_) => {}
                        None => return Choice::Ask(place),
                    }
                }
                Some(Pattern::Ask) | None => return Choice::Ask(place),
            }
        }
        if first == NONE {
            Choice::Miss
        } else {
            Choice::Hit(first)
        }
    }
}

/// The operand that a value without quotes is: a number, perhaps with `-`, or a word.
fn bare(text: &[u8]) -> Option<&[u8]> {
    let text = trimmed(text)?;
    let number = is_number(text.strip_prefix(b"-").unwrap_or(text));
    (number || text.iter().copied().all(is_word)).then_some(text)
}

/// The integer that an operand is.
fn integer(operand: &[u8]) -> Option<i64> {
    if let Some(n) = canonical_integer(operand) {
        return Some(n);
    }
    let (negative, digits) = match operand.strip_prefix(b"-") {
        Some(digits) => (true, digits),
        None => (false, operand),
    };
    if !is_number(digits) {
        return None;
    }
    let n = Number::read(digits).to_integer()?;
    Some(if negative { -n } else { n })
}
