//! The backtracking matcher, within bounds.
//!
//! A step of it may look at the whole text, where a pattern repeats without end. So that a query costs a second or
//! two at most, such patterns have the fewer steps the longer the text is.

use std::sync::OnceLock;

use fancy_regex::Regex;

use super::sink::{self, characters};
use super::{Groups, PROGRAM_LIMIT};

/// Steps before a text counts as not matching, as PCRE's own limit makes it.
const STEPS: usize = 1_000_000;
/// Steps times bytes of a text, of patterns that repeat without end.
const WORK: usize = 1_000_000_000;
/// Classes of texts by length: up to a thousand bytes, then each four times the one before.
const CLASSES: usize = 6;

/// A pattern for the backtracking matcher.
#[derive(Debug)]
pub(super) struct Backtracking {
    pattern: String,
    caseless: bool,
    /// Whether a step may look at the whole text.
    endless: bool,
    /// For each class of texts; built when they are first needed.
    matchers: [OnceLock<Option<Box<Regex>>>; CLASSES],
}

/// A text as the matcher reads it.
#[derive(Debug, Default)]
pub(super) struct Text {
    characters: String,
    /// Where each byte of the text stands among the characters, and the end; nothing for ASCII.
    places: Vec<usize>,
    /// Searches that are left.
    searches: usize,
}

impl Backtracking {
    /// A pattern, if the matcher takes it.
    pub(super) fn new(pattern: String, caseless: bool) -> Result<Self, Box<fancy_regex::Error>> {
        let endless = pattern.contains(['*', '+']) || pattern.contains(",}");
        let this = Self {
            pattern,
            caseless,
            endless,
            matchers: Default::default(),
        };
        let first = this.build(STEPS)?;
        if let Some(matcher) = this.matchers.first() {
            let _ = matcher.set(Some(first));
        }
        Ok(this)
    }

    fn build(&self, steps: usize) -> Result<Box<Regex>, Box<fancy_regex::Error>> {
        fancy_regex::RegexBuilder::new(&self.pattern)
            .case_insensitive(self.caseless)
            .backtrack_limit(steps)
            .delegate_size_limit(PROGRAM_LIMIT)
            .build()
            .map(Box::new)
            .map_err(Box::new)
    }

    /// Steps for a text of so many bytes, and the class that it is of.
    fn steps(&self, length: usize) -> (usize, usize) {
        let mut class = 0;
        let mut longest = WORK / STEPS;
        while self.endless && length > longest && class + 1 < CLASSES {
            class += 1;
            longest *= 4;
        }
        (WORK / longest, class)
    }

    fn matcher(&self, length: usize) -> Option<&Regex> {
        let (steps, class) = self.steps(length);
        self.matchers
            .get(class)?
            .get_or_init(|| self.build(steps).ok())
            .as_deref()
    }

    /// Whether the text matches somewhere.
    pub(super) fn is_match(&self, text: &[u8], scratch: &mut String) -> bool {
        characters(text, scratch);
        self.matcher(text.len())
            .is_some_and(|regex| regex.is_match(scratch).unwrap_or(false))
    }

    /// A text that is to be searched, perhaps often.
    pub(super) fn text(&self, text: &[u8]) -> Text {
        let mut read = Text::default();
        characters(text, &mut read.characters);
        if read.characters.len() != text.len() {
            read.places = sink::places(&read.characters);
        }
        read.searches = if self.endless {
            WORK / text.len().max(1)
        } else {
            usize::MAX
        };
        read
    }

    /// The leftmost match at or after an offset, or exactly there if `anchored`.
    pub(super) fn find(&self, text: &mut Text, start: usize, anchored: bool) -> Option<Groups> {
        text.searches = text.searches.checked_sub(1)?;
        let regex = self.matcher(text.characters.len())?;
        let captures = regex
            .captures_from_pos(&text.characters, text.place(start))
            .ok()??;
        let spans: Groups = (0..captures.len())
            .map(|n| {
                captures
                    .get(n)
                    .map(|span| (text.offset(span.start()), text.offset(span.end())))
            })
            .collect();
        let at_start = spans
            .first()
            .copied()
            .flatten()
            .is_some_and(|span| span.0 == start);
        (!anchored || at_start).then_some(spans)
    }
}

impl Text {
    /// Where a byte stands among the characters.
    fn place(&self, offset: usize) -> usize {
        if self.places.is_empty() {
            offset.min(self.characters.len())
        } else {
            let place = self.places.get(offset).copied();
            place.unwrap_or(self.characters.len())
        }
    }

    /// The byte that stands at a place among the characters.
    fn offset(&self, place: usize) -> usize {
        if self.places.is_empty() {
            place
        } else {
            self.places.partition_point(|&at| at < place)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::pattern::{Pattern, Replacement};
    use crate::rules::settings::Dialect;

    #[test]
    fn steps_and_bytes_are_bounded_together() {
        let endless = Backtracking::new(r"a(?=.*b)".to_owned(), true).unwrap();
        let bounded = Backtracking::new(r"a(?=b)".to_owned(), true).unwrap();
        for length in [0, 1_000, 1_001, 5_000, 100_000] {
            assert!(endless.steps(length).0 * length <= WORK);
            assert_eq!(bounded.steps(length), (STEPS, 0));
        }
        assert_eq!(endless.steps(1_000), (STEPS, 0));
    }

    #[test]
    fn long_texts_end() {
        let text = vec![b'a'; 60_000];
        let (pattern, _) = Pattern::new(b"a(?=.*b)", Dialect::Pcre, true);
        assert!(!pattern.is_match(&text, &mut String::new()));
        let (pattern, _) = Pattern::new(b"a(?=.)", Dialect::Pcre, true);
        let replacement = Replacement::new(b"b", b"a(?=.)", Dialect::Pcre, true);
        let mut out = Vec::new();
        let mut long = text.clone();
        long.push(0xe9);
        replacement.apply(&pattern, &long, &mut out);
        assert!(out.iter().take(60_000).all(|&byte| byte == b'b'));
        assert_eq!(out.last(), Some(&0xe9));
    }
}
