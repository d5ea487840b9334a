//! Patterns of rules: what matches, what is replaced, and which texts a match must hold.
//!
//! PCRE is asked byte by byte, as pcrecpp does without UTF. Patterns go to automata that run in linear time; what
//! only a backtracking matcher knows (look-around, references, possessive repetition) goes to one with a step limit.

mod backtrack;
mod class;
mod replace;
mod sink;
mod translate;

use std::sync::OnceLock;

use regex_automata::meta;
use regex_automata::nfa::thompson::WhichCaptures;
use regex_automata::util::syntax;
use regex_syntax::hir::Hir;

use crate::base::search::{self, Required};
use crate::rules::settings::Dialect;

use backtrack::Backtracking;

pub(crate) use replace::Replacement;
pub(crate) use translate::PatternFault;

/// Bound of a compiled program, in bytes.
const PROGRAM_LIMIT: usize = 8 << 20;

/// A pattern of a rule.
#[derive(Debug)]
pub(crate) struct Pattern {
    dialect: Dialect,
    caseless: bool,
    body: Body,
}

#[derive(Debug)]
enum Body {
    /// Refused: it never matches.
    Never,
    Known(Box<Known>),
}

#[derive(Debug)]
struct Known {
    search: String,
    span: String,
    exact: String,
    backtracks: bool,
    minds_final_newline: bool,
    finder: OnceLock<Option<meta::Regex>>,
    grouping: OnceLock<Option<meta::Regex>>,
    backtracking: OnceLock<Option<Box<Backtracking>>>,
}

/// A pattern and a text that it is searched in.
pub(crate) struct Searched<'p> {
    pattern: &'p Pattern,
    text: &'p [u8],
    by: By<'p>,
}

enum By<'p> {
    Automaton,
    Backtracking(&'p Backtracking, backtrack::Text),
    /// No matcher knows the pattern.
    Nothing,
}

impl Searched<'_> {
    /// The leftmost match at or after an offset, or exactly there if `anchored`.
    pub(crate) fn find(&mut self, start: usize, anchored: bool) -> Option<Groups> {
        match &mut self.by {
            By::Automaton => {}
            By::Backtracking(matcher, text) => return matcher.find(text, start, anchored),
            By::Nothing => return None,
        }
        let Body::Known(known) = &self.pattern.body else {
            return None;
        };
        let regex = known.grouping(self.pattern.dialect, self.pattern.caseless)?;
        let mut captures = regex.create_captures();
        let anchor = if anchored {
            regex_automata::Anchored::Yes
        } else {
            regex_automata::Anchored::No
        };
        let input = regex_automata::Input::new(self.text)
            .range(start..)
            .anchored(anchor);
        regex.search_captures(&input, &mut captures);
        if !captures.is_match() {
            return None;
        }
        Some(
            captures
                .iter()
                .map(|span| span.map(|span| (span.start, span.end)))
                .collect(),
        )
    }
}

/// Spans of the groups of a match; group 0 is the whole.
pub(crate) type Groups = Vec<Option<(usize, usize)>>;

impl Pattern {
    /// A pattern, and why it never matches if it is refused.
    pub(crate) fn new(
        pattern: &[u8],
        dialect: Dialect,
        caseless: bool,
    ) -> (Self, Option<PatternFault>) {
        // The original hands patterns on as C strings.
        let end = memchr::memchr(0, pattern).unwrap_or(pattern.len());
        let pattern = pattern.get(..end).unwrap_or(pattern);
        let (body, fault) = match translate::translate(pattern, dialect, caseless) {
            Ok(translation) => {
                let known = Known {
                    search: translation.sink.search,
                    span: translation.sink.span,
                    exact: translation.sink.exact,
                    backtracks: translation.sink.backtracks,
                    minds_final_newline: translation.minds_final_newline,
                    finder: OnceLock::new(),
                    grouping: OnceLock::new(),
                    backtracking: OnceLock::new(),
                };
                match known.check(dialect, caseless) {
                    Ok(()) => (Body::Known(Box::new(known)), None),
                    Err(what) => {
                        let fault = PatternFault {
                            at: 0,
                            what,
                            ours: true,
                        };
                        (Body::Never, Some(fault))
                    }
                }
            }
            Err(fault) => (Body::Never, Some(fault)),
        };
        let pattern = Self {
            dialect,
            caseless,
            body,
        };
        (pattern, fault)
    }

    /// Whether the pattern was refused.
    pub(crate) fn never_matches(&self) -> bool {
        matches!(self.body, Body::Never)
    }

    /// Whether the text matches somewhere. `scratch` is for the backtracking matcher.
    pub(crate) fn is_match(&self, text: &[u8], scratch: &mut String) -> bool {
        let Body::Known(known) = &self.body else {
            return false;
        };
        if !known.backtracks {
            return known
                .finder(self.dialect, self.caseless)
                .is_some_and(|regex| regex.is_match(text));
        }
        known
            .backtracking(self.caseless)
            .is_some_and(|matcher| matcher.is_match(text, scratch))
    }

    /// A text that is to be searched, perhaps often.
    pub(crate) fn search<'p>(&'p self, text: &'p [u8]) -> Searched<'p> {
        let by_automaton = Searched {
            pattern: self,
            text,
            by: By::Automaton,
        };
        let Body::Known(known) = &self.body else {
            return by_automaton;
        };
        let newline_counts = known.minds_final_newline && text.ends_with(b"\n");
        if !known.backtracks && !newline_counts {
            return by_automaton;
        }
        Searched {
            by: known
                .backtracking(self.caseless)
                .map_or(By::Nothing, |matcher| {
                    By::Backtracking(matcher, matcher.text(text))
                }),
            ..by_automaton
        }
    }

    /// The same pattern as RE2's replacement compiles it anew: without options.
    pub(crate) fn without_options(pattern: &[u8]) -> Self {
        Self::new(pattern, Dialect::Re2, false).0
    }

    /// The pattern as a tree; `None` where no automaton knows it. With `folded`, letters of a caseless pattern stand
    /// for both cases.
    pub(crate) fn tree(&self, folded: bool) -> Option<Hir> {
        match &self.body {
            Body::Known(known) if !known.backtracks => {
                let syntax = Known::syntax(self.dialect, self.caseless && folded);
                syntax::parse_with(&known.search, &syntax).ok()
            }
            _ => None,
        }
    }

    /// Whether a part of a caseless pattern may mind case after all: `(?-i)` stands in it, or what looks like it.
    fn minds_case_inside(&self) -> bool {
        matches!(&self.body, Body::Known(known) if known.search.contains("-i"))
    }

    /// Texts of which a match holds one.
    pub(crate) fn required(&self) -> Option<Required> {
        let tree = self.tree(false)?;
        let unicode_case = self.dialect == Dialect::Re2 && self.caseless;
        let mut required = search::required(&tree, unicode_case)?;
        required.fold(self.caseless && !self.minds_case_inside());
        Some(required)
    }
}

impl Known {
    /// Whether the matchers take the pattern, without building them.
    fn check(&self, dialect: Dialect, caseless: bool) -> Result<(), String> {
        if self.backtracks {
            return Backtracking::new(self.exact.clone(), caseless)
                .map(|matcher| {
                    let _ = self.backtracking.set(Some(Box::new(matcher)));
                })
                .map_err(|error| reason(&error.to_string()));
        }
        let tree = syntax::parse_with(&self.search, &Self::syntax(dialect, caseless))
            .map_err(|error| reason(&error.to_string()))?;
        // Large repetitions are tried at once; others are built when they are first asked.
        if tree.properties().minimum_len().unwrap_or(0) > 1000 || self.search.contains('{') {
            Self::build(&self.search, dialect, caseless, WhichCaptures::None)
                .map_err(|error| reason(&error.to_string()))?;
        }
        Ok(())
    }

    fn syntax(dialect: Dialect, caseless: bool) -> syntax::Config {
        syntax::Config::new()
            .utf8(false)
            .unicode(dialect == Dialect::Re2)
            .case_insensitive(caseless)
    }

    fn build(
        text: &str,
        dialect: Dialect,
        caseless: bool,
        captures: WhichCaptures,
    ) -> Result<meta::Regex, Box<meta::BuildError>> {
        meta::Regex::builder()
            .syntax(Self::syntax(dialect, caseless))
            .configure(
                meta::Config::new()
                    .utf8_empty(false)
                    .which_captures(captures)
                    .nfa_size_limit(Some(PROGRAM_LIMIT)),
            )
            .build(text)
            .map_err(Box::new)
    }

    fn finder(&self, dialect: Dialect, caseless: bool) -> Option<&meta::Regex> {
        self.finder
            .get_or_init(|| Self::build(&self.search, dialect, caseless, WhichCaptures::None).ok())
            .as_ref()
    }

    fn grouping(&self, dialect: Dialect, caseless: bool) -> Option<&meta::Regex> {
        self.grouping
            .get_or_init(|| Self::build(&self.span, dialect, caseless, WhichCaptures::All).ok())
            .as_ref()
    }

    fn backtracking(&self, caseless: bool) -> Option<&Backtracking> {
        self.backtracking
            .get_or_init(|| {
                Backtracking::new(self.exact.clone(), caseless)
                    .ok()
                    .map(Box::new)
            })
            .as_deref()
    }
}

/// The last line of a message about a pattern, which says what is wrong.
fn reason(message: &str) -> String {
    let last = message.lines().last().unwrap_or(message);
    last.strip_prefix("error: ").unwrap_or(last).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pcre(pattern: &str, text: &[u8]) -> bool {
        let (pattern, fault) = Pattern::new(pattern.as_bytes(), Dialect::Pcre, true);
        assert_eq!(fault, None);
        pattern.is_match(text, &mut String::new())
    }

    #[test]
    fn patterns_match_as_in_pcre() {
        assert!(pcre(r"\/\* [0-1]", b"/* 0 */"));
        assert!(pcre("^select", b"SELECT"));
        assert!(pcre("dual$", b"from dual\n"));
        assert!(!pcre("dual$", b"from dual\n\n"));
        assert!(pcre("a$\n", b"a\n"));
        assert!(!pcre("a.b", b"a\nb"));
        assert!(pcre("^.{2}$", "é".as_bytes()));
        assert!(!pcre(r"^\d$", "٣".as_bytes()));
        assert!(pcre(r"\Qa.b\E", b"xA.B"));
        assert!(pcre(r"^SELECT(?!.*FOR UPDATE)", b"select 1"));
        assert!(!pcre(r"^SELECT(?!.*FOR UPDATE)", b"select 1 for update"));
        assert!(pcre(r"(a)\1", b"aA"));
        assert!(pcre(r"[^a]{3}(?=b)", b"\xff\xfe\xfdb"));
        assert!(pcre(r"\x{ff}", b"\xff"));
        assert!(pcre(r"a{,2}", b"a{,2}"));
        assert!(pcre(r"\<b\>", b"<b>"));
        assert!(pcre(r"[]a]+$", b"]a"));
        assert!(pcre("(?x) a b # c\n c", b"abc"));
        assert!(pcre(r"a++b", b"aab"));
    }

    #[test]
    fn patterns_are_refused_as_in_pcre() {
        for pattern in [
            "(", "*a", "a**", "[b-a]", r"\", "a)", "(?z)", "a{2}{3}", r"\2(a)", "[a",
        ] {
            let (_, fault) = Pattern::new(pattern.as_bytes(), Dialect::Pcre, true);
            assert!(fault.is_some_and(|fault| !fault.ours), "{pattern}");
        }
        for pattern in ["(?=a)", "a++", r"\1", r"\h", "(?<n>a)", r"\Z"] {
            let (_, fault) = Pattern::new(pattern.as_bytes(), Dialect::Re2, true);
            assert!(fault.is_some_and(|fault| !fault.ours), "{pattern}");
        }
    }

    fn texts(pattern: &str) -> (Vec<String>, bool) {
        let (pattern, _) = Pattern::new(pattern.as_bytes(), Dialect::Pcre, true);
        let required = pattern.required().unwrap();
        let texts = required
            .texts
            .iter()
            .map(|text| String::from_utf8_lossy(text).into_owned())
            .collect();
        (texts, required.exact)
    }

    #[test]
    fn texts_are_found() {
        assert_eq!(texts(r"\/\* 00"), (vec!["/* 00".to_owned()], true));
        assert_eq!(
            texts("0[1-2]"),
            (vec!["01".to_owned(), "02".to_owned()], true)
        );
        assert_eq!(texts("^SELECT"), (vec!["select".to_owned()], false));
        assert_eq!(texts("^SELECT.*FOR UPDATE$").0, ["for update".to_owned()]);
        assert_eq!(texts("x.*FROM t .*y"), (vec!["from t ".to_owned()], false));
    }
}
