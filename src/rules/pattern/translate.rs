//! Patterns of PCRE and RE2 to the languages of the matchers at hand. What the original refuses is refused; what it
//! takes and nothing here can match is named.

mod escape;
mod group;
mod re2;
mod set;

use std::fmt;

use crate::rules::settings::Dialect;

use super::class::ByteSet;
use super::sink::Sink;

/// Why a pattern cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PatternFault {
    /// Offset in the pattern.
    pub(crate) at: usize,
    /// What is wrong.
    pub(crate) what: String,
    /// Whether the original would take it.
    pub(crate) ours: bool,
}

impl fmt::Display for PatternFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.what, self.at + 1)
    }
}

/// A pattern in the other languages.
#[derive(Debug)]
pub(super) struct Translation {
    pub(super) sink: Sink,
    /// Whether the pattern has a `$` or `\Z` that a newline at the end matters for.
    pub(super) minds_final_newline: bool,
}

#[derive(Debug, Clone, Copy, Default)]
struct Flags {
    caseless: bool,
    multiline: bool,
    dotall: bool,
    extended: bool,
}

/// Groups nest no deeper than this.
const DEPTH: usize = 200;

struct Reader<'p> {
    pattern: &'p [u8],
    at: usize,
    dialect: Dialect,
    flags: Flags,
    /// Flags before each open group.
    open: Vec<Flags>,
    groups: usize,
    names: Vec<(&'p [u8], usize)>,
    largest_reference: usize,
    /// Whether a quantifier may follow.
    repeatable: bool,
    minds_final_newline: bool,
    sink: Sink,
}

/// Translates a pattern.
pub(super) fn translate(
    pattern: &[u8],
    dialect: Dialect,
    caseless: bool,
) -> Result<Translation, PatternFault> {
    if dialect == Dialect::Re2 && std::str::from_utf8(pattern).is_err() {
        return Err(PatternFault {
            at: 0,
            what: "RE2 takes patterns in UTF-8 only".to_owned(),
            ours: false,
        });
    }
    let mut reader = Reader {
        pattern,
        at: 0,
        dialect,
        flags: Flags {
            caseless,
            ..Flags::default()
        },
        open: Vec::new(),
        groups: 0,
        names: Vec::new(),
        largest_reference: 0,
        repeatable: false,
        minds_final_newline: false,
        sink: Sink::default(),
    };
    reader.read()?;
    Ok(Translation {
        minds_final_newline: reader.minds_final_newline,
        sink: reader.sink,
    })
}

impl<'p> Reader<'p> {
    fn invalid<T>(&self, what: &str) -> Result<T, PatternFault> {
        Err(PatternFault {
            at: self.at.min(self.pattern.len().saturating_sub(1)),
            what: what.to_owned(),
            ours: false,
        })
    }

    fn unsupported<T>(&self, construct: &str) -> Result<T, PatternFault> {
        Err(PatternFault {
            at: self.at,
            what: format!("{construct} is not supported"),
            ours: true,
        })
    }

    fn is_pcre(&self) -> bool {
        self.dialect == Dialect::Pcre
    }

    fn rest(&self) -> &'p [u8] {
        self.pattern.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.pattern.get(self.at).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    /// Goes past a text if it comes next.
    fn takes(&mut self, text: &[u8]) -> bool {
        let found = self.rest().starts_with(text);
        if found {
            self.at += text.len();
        }
        found
    }

    fn read(&mut self) -> Result<(), PatternFault> {
        while let Some(byte) = self.next() {
            match byte {
                b'\\' => self.escape()?,
                b'[' => self.set()?,
                b'(' => self.group()?,
                b')' => {
                    let Some(flags) = self.open.pop() else {
                        self.at -= 1;
                        return self.invalid("unmatched `)`");
                    };
                    self.flags = flags;
                    self.sink.same(")");
                    self.repeatable = true;
                }
                b'|' => {
                    self.sink.same("|");
                    self.repeatable = false;
                }
                b'^' => {
                    if self.flags.multiline {
                        if self.is_pcre() {
                            self.sink.exactly("(?:\\A|(?<=\\n)(?!\\z))");
                        } else {
                            self.sink.same("(?m:^)");
                        }
                    } else {
                        self.sink.same("\\A");
                    }
                    self.repeatable = !self.is_pcre();
                }
                b'$' => {
                    if !self.is_pcre() {
                        let end = if self.flags.multiline {
                            "(?m:$)"
                        } else {
                            "\\z"
                        };
                        self.sink.same(end);
                        self.repeatable = true;
                    } else if self.flags.multiline {
                        self.sink.either("(?m:$)", "(?=\\n|\\z)");
                        self.repeatable = false;
                    } else {
                        self.final_newline();
                    }
                }
                b'.' => self.any(),
                b'*' | b'+' | b'?' => {
                    let text = match byte {
                        b'*' => "*",
                        b'+' => "+",
                        _ => "?",
                    };
                    self.quantifier(text)?;
                }
                b'{' => self.brace()?,
                b' ' | b'\t' | b'\n' | 0x0b | 0x0c | b'\r' if self.flags.extended => {}
                b'#' if self.flags.extended => {
                    while self.next().is_some_and(|byte| byte != b'\n') {}
                }
                _ => self.character(byte),
            }
        }
        if !self.open.is_empty() {
            return self.invalid("missing `)`");
        }
        if self.largest_reference > self.groups {
            return self.invalid("a reference to a group that is not there");
        }
        Ok(())
    }

    /// A byte for itself; in RE2 a whole character.
    fn character(&mut self, byte: u8) {
        if self.is_pcre() || byte.is_ascii() {
            self.sink.literal(byte);
        } else {
            let start = self.at - 1;
            while self.peek().is_some_and(|byte| byte & 0xc0 == 0x80) {
                self.at += 1;
            }
            let bytes = self.pattern.get(start..self.at).unwrap_or_default();
            let text = std::str::from_utf8(bytes).unwrap_or_default();
            self.sink.same(text);
        }
        self.repeatable = true;
    }

    fn bytes(&mut self, set: &ByteSet) {
        self.sink.set(set);
        self.repeatable = true;
    }

    fn any(&mut self) {
        if self.is_pcre() {
            let dotall = self.flags.dotall;
            self.bytes(&ByteSet::of(|byte| dotall || byte != b'\n'));
        } else {
            self.sink
                .same(if self.flags.dotall { "(?s:.)" } else { "." });
            self.repeatable = true;
        }
    }

    /// The end, or before a newline that is the last byte.
    fn final_newline(&mut self) {
        self.minds_final_newline = true;
        self.repeatable = false;
        let nothing_follows = self.nothing_follows();
        self.sink.exact.push_str("(?=\\n?\\z)");
        if nothing_follows {
            self.sink.search.push_str("(?:\\n?\\z)");
            self.sink.span.push_str("\\z");
        } else {
            self.sink.backtracks = true;
        }
    }

    /// Whether the end of every enclosing alternative comes next.
    fn nothing_follows(&self) -> bool {
        let mut rest = self.rest();
        loop {
            match rest.split_first() {
                None => return true,
                Some((b')', after)) => {
                    if matches!(after.first(), Some(b'*' | b'+' | b'?' | b'{')) {
                        return false;
                    }
                    rest = after;
                }
                // The other alternatives are passed where no bracket of any kind makes it hard to see their end.
                Some((b'|', after)) => {
                    let end = after
                        .iter()
                        .position(|byte| b")([\\".contains(byte))
                        .unwrap_or(after.len());
                    match after.get(end) {
                        None => return true,
                        Some(b')') => rest = after.get(end..).unwrap_or_default(),
                        Some(_) => return self.open.is_empty(),
                    }
                }
                Some(_) => return false,
            }
        }
    }

    fn quantifier(&mut self, text: &str) -> Result<(), PatternFault> {
        if !self.repeatable {
            self.at -= 1;
            return self.invalid("nothing to repeat");
        }
        self.repeatable = false;
        self.sink.same(text);
        if self.takes(b"?") {
            self.sink.same("?");
        } else if self.peek() == Some(b'+') {
            if !self.is_pcre() {
                return self.invalid("a repetition of a repetition");
            }
            self.at += 1;
            self.sink.exactly("+");
        }
        Ok(())
    }

    /// `{n}`, `{n,}`, `{n,m}`, or a brace for itself.
    fn brace(&mut self) -> Result<(), PatternFault> {
        let end = self.rest().iter().position(|&byte| byte == b'}');
        let inside = end.and_then(|end| self.rest().get(..end));
        let Some((least, most)) = inside.and_then(bounds) else {
            self.character(b'{');
            return Ok(());
        };
        let limit = if self.is_pcre() { 65_535 } else { 1000 };
        if least.max(most.unwrap_or(0)) > limit {
            return self.invalid("a repetition count that is too large");
        }
        if most.is_some_and(|most| most < least) {
            return self.invalid("repetition counts out of order");
        }
        let text = match most {
            Some(most) if most == least => format!("{{{least}}}"),
            Some(most) => format!("{{{least},{most}}}"),
            None => format!("{{{least},}}"),
        };
        self.at += inside.map_or(0, <[u8]>::len) + 1;
        self.quantifier(&text)
    }
}

/// The inside of a quantifier: digits, perhaps a comma and digits.
fn bounds(inside: &[u8]) -> Option<(u32, Option<u32>)> {
    let number = |digits: &[u8]| {
        if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let text = std::str::from_utf8(digits).ok()?;
        Some(text.parse().unwrap_or(u32::MAX))
    };
    match inside.iter().position(|&byte| byte == b',') {
        None => number(inside).map(|n| (n, Some(n))),
        Some(comma) => {
            let (least, most) = inside.split_at_checked(comma)?;
            let most = most.get(1..)?;
            let most = if most.is_empty() {
                None
            } else {
                Some(number(most)?)
            };
            Some((number(least)?, most))
        }
    }
}
