//! POSIX extended regular expressions over bytes, with the leftmost-longest rule.
//!
//! Accepted and refused patterns, and the GNU escapes, are glibc's in locale `C.UTF-8` (observed with
//! `regcomp` of glibc 2.36): characters are UTF-8 where the bytes are valid, lengths count bytes.
//! Without groups a match is found in time linear in the subject. Where the first group is read,
//! a backtracking matcher with a step limit is asked; beyond the limit the linear matcher's groups
//! are taken, as for subjects that are not UTF-8. Back-references are supported within that limit
//! and on UTF-8 only: beyond it nothing matches.

mod bracket;
mod cache;
mod outline;
mod translate;

use std::fmt;
use std::ops::Range;
use std::panic::{RefUnwindSafe, UnwindSafe};

use regex_automata::meta;
use regex_automata::nfa::thompson::{self, NFA, pikevm::PikeVM};
use regex_automata::util::pool::Pool;
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input, MatchKind, hybrid};

pub use cache::EreCache;
pub use outline::{Outline, Plain};

/// Why a pattern is refused; the text is glibc's `regerror`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EreError {
    /// `\` at the end.
    #[error("Trailing backslash")]
    TrailingBackslash,
    /// A back-reference to a group that is not complete.
    #[error("Invalid back reference")]
    BackReference,
    /// `[` without `]`.
    #[error("Unmatched [, [^, [:, [., or [=")]
    Bracket,
    /// `(` without `)`.
    #[error("Unmatched ( or \\(")]
    Parenthesis,
    /// `{` without `}`.
    #[error("Unmatched \\{{")]
    Brace,
    /// The text between `{` and `}`.
    #[error("Invalid content of \\{{\\}}")]
    BraceContent,
    /// A range in brackets that goes backwards or has no end.
    #[error("Invalid range end")]
    Range,
    /// An unknown `[:class:]`.
    #[error("Invalid character class name")]
    Class,
    /// An unknown `[.element.]`.
    #[error("Invalid collation character")]
    Collation,
    /// A repetition of nothing.
    #[error("Invalid preceding regular expression")]
    Repetition,
    /// The pattern needs more memory than allowed.
    #[error("Memory exhausted")]
    Memory,
}

/// A match; offsets in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    /// First byte.
    pub start: usize,
    /// Byte after the last.
    pub end: usize,
    /// What the first group matched last, if it took part.
    pub group1: Option<Range<usize>>,
}

/// A compiled pattern.
#[derive(Debug)]
pub struct Ere {
    groups: u32,
    engine: Engine,
}

#[derive(Debug)]
enum Engine {
    /// No back-references: the span comes from automata.
    Regular {
        /// Finds the leftmost start.
        leftmost: meta::Regex,
        /// Finds the longest end from there.
        longest: Box<Longest>,
        /// Finds the groups (only when there are some and the matcher takes the pattern).
        grouping: Option<Box<fancy_regex::Regex>>,
    },
    /// Back-references: everything comes from the backtracking matcher.
    Backtracking(Box<fancy_regex::Regex>),
}

/// The backtracking matcher reached its limit, or the subject is not for it.
struct GaveUp;

type MakeCache = Box<dyn Fn() -> hybrid::dfa::Cache + Send + Sync + UnwindSafe + RefUnwindSafe>;

struct Longest {
    lazy: hybrid::dfa::DFA,
    caches: Pool<hybrid::dfa::Cache, MakeCache>,
    /// For what the lazy automaton gives up on (Unicode word boundaries, a full cache).
    pike: PikeVM,
}

impl fmt::Debug for Longest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Longest")
    }
}

/// Bound of a compiled program, in bytes.
const PROGRAM_LIMIT: usize = 2 << 20;
/// Bound of the lazy automaton's cache, in bytes.
const CACHE_LIMIT: usize = 1 << 20;
/// Steps of the backtracking matcher before it gives up.
const STEP_LIMIT: usize = 50_000;

impl Ere {
    /// Compiles a pattern.
    pub fn compile(pattern: &[u8]) -> Result<Self, EreError> {
        let translation = translate::translate(pattern)?;
        let text = translation.text;
        let groups = translation.groups;
        let grouping = || {
            fancy_regex::RegexBuilder::new(&text)
                .leftmost_longest(true)
                .backtrack_limit(STEP_LIMIT)
                .delegate_size_limit(PROGRAM_LIMIT)
                .delegate_dfa_size_limit(CACHE_LIMIT)
                .build()
                .ok()
                .map(Box::new)
        };
        if translation.back_references {
            let engine = Engine::Backtracking(grouping().ok_or(EreError::Memory)?);
            return Ok(Ere { groups, engine });
        }
        let syntax = syntax::Config::new().utf8(false);
        let thompson = thompson::Config::new()
            .utf8(false)
            .nfa_size_limit(Some(PROGRAM_LIMIT));
        let leftmost = meta::Regex::builder()
            .syntax(syntax)
            .configure(
                meta::Config::new()
                    .utf8_empty(false)
                    .nfa_size_limit(Some(PROGRAM_LIMIT))
                    .hybrid_cache_capacity(CACHE_LIMIT),
            )
            .build(&text)
            .map_err(|_| EreError::Memory)?;
        let nfa = NFA::compiler()
            .syntax(syntax)
            .configure(thompson)
            .build(&text)
            .map_err(|_| EreError::Memory)?;
        let longest = Box::new(Longest::new(nfa)?);
        Ok(Ere {
            groups,
            engine: Engine::Regular {
                leftmost,
                longest,
                grouping: if groups > 0 { grouping() } else { None },
            },
        })
    }

    /// Whether the pattern has groups.
    pub fn has_groups(&self) -> bool {
        self.groups > 0
    }

    /// Whether the pattern matches anywhere.
    pub fn is_match(&self, subject: &[u8]) -> bool {
        match &self.engine {
            Engine::Regular { leftmost, .. } => leftmost.is_match(subject),
            Engine::Backtracking(regex) => matches!(captured(regex, subject, 0), Ok(Some(_))),
        }
    }

    /// The leftmost of all matches, and the longest of those.
    pub fn find(&self, subject: &[u8]) -> Option<Match> {
        match &self.engine {
            Engine::Backtracking(regex) => captured(regex, subject, 0).ok().flatten(),
            Engine::Regular {
                leftmost,
                longest,
                grouping,
            } => {
                let start = leftmost.find(subject)?.start();
                let end = longest.end(subject, start)?;
                let group1 = if self.groups == 0 {
                    None
                } else {
                    let exact = grouping
                        .as_deref()
                        .and_then(|regex| captured(regex, subject, start).ok())
                        .flatten()
                        .filter(|found| found.start == start && found.end == end);
                    match exact {
                        Some(found) => found.group1,
                        None => first_group(leftmost, subject, start, end),
                    }
                };
                Some(Match { start, end, group1 })
            }
        }
    }
}

/// What each group matched; group 0 is the whole match.
pub type Groups = Vec<Option<Range<usize>>>;

impl Ere {
    /// What the whole pattern and each of its groups match, in the leftmost and longest match.
    pub fn groups(&self, subject: &[u8]) -> Option<Groups> {
        let whole = self.find(subject)?;
        let regex = match &self.engine {
            Engine::Backtracking(regex) => Some(regex),
            Engine::Regular { grouping, .. } => grouping.as_ref(),
        };
        let captured = regex.and_then(|regex| {
            let text = std::str::from_utf8(subject).ok()?;
            let captures = regex.captures_from_pos(text, whole.start).ok().flatten()?;
            let groups: Groups = captures
                .iter()
                .map(|group| group.map(|group| group.start()..group.end()))
                .collect();
            (groups.first() == Some(&Some(whole.start..whole.end))).then_some(groups)
        });
        if captured.is_some() {
            return captured;
        }
        let mut groups = vec![Some(whole.start..whole.end)];
        if let Engine::Regular { leftmost, .. } = &self.engine {
            let mut captures = leftmost.create_captures();
            let input = Input::new(subject)
                .span(whole.start..whole.end)
                .anchored(Anchored::Yes);
            leftmost.search_captures(&input, &mut captures);
            groups.extend(
                (1..=self.groups as usize)
                    .map(|n| captures.get_group(n).map(|group| group.start..group.end)),
            );
        }
        Some(groups)
    }
}

/// What the backtracking matcher finds from an offset on.
fn captured(
    regex: &fancy_regex::Regex,
    subject: &[u8],
    from: usize,
) -> Result<Option<Match>, GaveUp> {
    // It trusts the lengths that lead bytes promise, so other bytes than UTF-8 are not for it.
    let subject = std::str::from_utf8(subject).map_err(|_| GaveUp)?;
    let captures = regex.captures_from_pos(subject, from).map_err(|_| GaveUp)?;
    Ok(captures.and_then(|captures| {
        let whole = captures.get(0)?;
        Some(Match {
            start: whole.start(),
            end: whole.end(),
            group1: captures.get(1).map(|group| group.start()..group.end()),
        })
    }))
}

/// The first group by the linear matcher, which prefers the first alternative instead of the longest.
fn first_group(
    regex: &meta::Regex,
    subject: &[u8],
    start: usize,
    end: usize,
) -> Option<Range<usize>> {
    let mut captures = regex.create_captures();
    let input = Input::new(subject).span(start..end).anchored(Anchored::Yes);
    regex.search_captures(&input, &mut captures);
    captures.get_group(1).map(|group| group.start..group.end)
}

impl Longest {
    fn new(nfa: NFA) -> Result<Self, EreError> {
        let lazy = hybrid::dfa::DFA::builder()
            .configure(
                hybrid::dfa::Config::new()
                    .match_kind(MatchKind::All)
                    .unicode_word_boundary(true)
                    .cache_capacity(CACHE_LIMIT)
                    .skip_cache_capacity_check(true)
                    .minimum_cache_clear_count(Some(4)),
            )
            .build_from_nfa(nfa.clone())
            .map_err(|_| EreError::Memory)?;
        let pike = PikeVM::builder()
            .configure(PikeVM::config().match_kind(MatchKind::All))
            .build_from_nfa(nfa)
            .map_err(|_| EreError::Memory)?;
        let template = lazy.clone();
        let make: MakeCache = Box::new(move || template.create_cache());
        Ok(Longest {
            lazy,
            caches: Pool::new(make),
            pike,
        })
    }

    /// End of the longest match that starts here.
    fn end(&self, subject: &[u8], start: usize) -> Option<usize> {
        let input = Input::new(subject).range(start..).anchored(Anchored::Yes);
        let mut cache = self.caches.get();
        if let Ok(found) = self.lazy.try_search_fwd(&mut cache, &input) {
            return found.map(|half| half.offset());
        }
        let mut cache = self.pike.create_cache();
        self.pike
            .find_iter(&mut cache, input)
            .next()
            .map(|found| found.end())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(pattern: &str, subject: &[u8]) -> Option<(usize, usize, Option<(usize, usize)>)> {
        let ere = Ere::compile(pattern.as_bytes()).unwrap();
        let found = ere.find(subject);
        assert_eq!(ere.is_match(subject), found.is_some());
        found.map(|m| (m.start, m.end, m.group1.map(|g| (g.start, g.end))))
    }

    #[test]
    fn the_longest_of_the_leftmost_matches_is_found() {
        assert_eq!(found("a|ab|abc", b"xabcd"), Some((1, 4, None)));
        assert_eq!(found("(a|ab)(c|bcd)", b"abcd"), Some((0, 4, Some((0, 1)))));
        assert_eq!(found("x*", b"aaa"), Some((0, 0, None)));
        assert_eq!(found("(x)?abc", b"abc"), Some((0, 3, None)));
        assert_eq!(found("(.)\\1", b"abba"), Some((1, 3, Some((1, 2)))));
        assert_eq!(found("([a-z])*", b"abc"), Some((0, 3, Some((2, 3)))));
    }

    #[test]
    fn characters_are_utf_8_where_valid() {
        assert_eq!(found("^.....$", "naïve".as_bytes()), Some((0, 6, None)));
        assert_eq!(found(".+", b"\xff\xfeab"), Some((2, 4, None)));
        assert_eq!(found("[[:alpha:]]{2}", "àb".as_bytes()), Some((0, 3, None)));
        assert_eq!(found("\\bb", "é b".as_bytes()), Some((3, 4, None)));
    }

    #[test]
    fn bad_patterns_are_refused_as_glibc_does() {
        for (pattern, error) in [
            ("(", EreError::Parenthesis),
            ("(a", EreError::Parenthesis),
            ("*", EreError::Repetition),
            ("a|*b", EreError::Repetition),
            ("(*a)", EreError::Repetition),
            ("^*", EreError::Repetition),
            ("{1}", EreError::Repetition),
            ("a{", EreError::Brace),
            ("a{1", EreError::Brace),
            ("a{x}", EreError::BraceContent),
            ("a{2,1}", EreError::BraceContent),
            ("\\", EreError::TrailingBackslash),
            ("[a", EreError::Bracket),
            ("[z-a]", EreError::Range),
            ("[[:foo:]]", EreError::Class),
            ("\\1(a)", EreError::BackReference),
        ] {
            assert_eq!(
                Ere::compile(pattern.as_bytes()).err(),
                Some(error),
                "{pattern}"
            );
        }
        for pattern in [
            ")", "|", "a||b", "()", "(|a)", "a**", "a+?", "}", "[]a]", "[^]a]", "[a-]",
        ] {
            assert!(Ere::compile(pattern.as_bytes()).is_ok(), "{pattern}");
        }
    }

    #[test]
    fn hostile_patterns_are_bounded() {
        let subject = "a".repeat(2000);
        for pattern in ["(a*)*b", "(a|aa)+$", "((a?)*)*x", "(.*)(.*)(.*)(.*)(.*)z"] {
            let ere = Ere::compile(pattern.as_bytes()).unwrap();
            let _ = ere.find(subject.as_bytes());
        }
        assert!(Ere::compile(b"((((a{255}){255}){255}){255})").is_err());
        assert!(Ere::compile("(".repeat(5000).as_bytes()).is_err());
        let _ = Ere::compile("a*".repeat(4000).as_bytes());
        let _ = Ere::compile(format!("a{}", "*".repeat(4000)).as_bytes());
    }
}
