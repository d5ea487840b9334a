//! Patterns of PCRE and RE2 to the languages of the matchers at hand. What the original refuses is refused; what it
//! takes and nothing here can match is named.

mod group;
mod re2;
mod set;

use std::fmt;

use crate::rules::settings::Dialect;

use super::class::{self, ByteSet};
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

    fn reference(&mut self, group: usize) -> Result<(), PatternFault> {
        if group == 0 {
            return self.invalid("a reference to group 0");
        }
        self.largest_reference = self.largest_reference.max(group);
        self.sink.exactly(&format!("(?:\\{group})"));
        self.repeatable = true;
        Ok(())
    }

    fn named(&self, name: &[u8]) -> Option<usize> {
        self.names
            .iter()
            .find(|(known, _)| *known == name)
            .map(|&(_, group)| group)
    }

    fn escape(&mut self) -> Result<(), PatternFault> {
        let Some(byte) = self.next() else {
            return self.invalid("`\\` at the end");
        };
        if !self.is_pcre() {
            return self.escape_of_re2(byte);
        }
        match byte {
            b'Q' => {
                let rest = self.rest();
                let end = memchr::memmem::find(rest, b"\\E").unwrap_or(rest.len());
                for &byte in rest.get(..end).unwrap_or_default() {
                    self.character(byte);
                }
                self.at += (end + 2).min(rest.len());
            }
            b'E' => {}
            b'A' | b'G' => self.position("\\A"),
            b'z' => self.position("\\z"),
            b'Z' => self.final_newline(),
            b'b' => {
                self.sink.either("(?-u:\\b)", "\\b");
                self.repeatable = false;
            }
            b'B' => {
                self.sink.either("(?-u:\\B)", "\\B");
                self.repeatable = false;
            }
            b'K' => {
                self.sink.exactly("\\K");
                self.repeatable = false;
            }
            b'N' => self.bytes(&ByteSet::of(|byte| byte != b'\n')),
            b'C' => self.bytes(&ByteSet::of(|_| true)),
            b'R' => {
                self.sink.exactly("(?>\\r\\n|[\\n\\x0B\\x0C\\r\\u{E085}])");
                self.repeatable = true;
            }
            b'g' | b'k' => self.reference_by_name(byte)?,
            b'X' | b'p' | b'P' | b'o' => {
                self.at -= 1;
                return self.unsupported(&format!("`\\{}`", char::from(byte)));
            }
            b'L' | b'U' | b'l' | b'u' => {
                self.at -= 1;
                return self.invalid("`\\L`, `\\U`, `\\l`, `\\u` are not known to PCRE");
            }
            b'1'..=b'9' => self.digits(byte)?,
            _ => {
                if let Some(set) = class::escape(byte) {
                    self.bytes(&set);
                } else {
                    let byte = self.escaped_byte(byte)?;
                    self.character(byte);
                }
            }
        }
        Ok(())
    }

    fn position(&mut self, text: &str) {
        self.sink.same(text);
        self.repeatable = !self.is_pcre();
    }

    /// `\1`, or an octal number.
    fn digits(&mut self, first: u8) -> Result<(), PatternFault> {
        let start = self.at - 1;
        let digits = self
            .pattern
            .get(start..)
            .unwrap_or_default()
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .take(5)
            .fold((0usize, 0usize), |(value, length), byte| {
                (value * 10 + usize::from(byte - b'0'), length + 1)
            });
        let (value, length) = digits;
        if value < 10 || value <= self.groups {
            self.at = start + length;
            return self.reference(value);
        }
        if first >= b'8' {
            self.character(first);
            return Ok(());
        }
        self.at = start;
        let byte = self.octal(3);
        self.character(byte);
        Ok(())
    }

    fn octal(&mut self, most: usize) -> u8 {
        let mut value = 0u32;
        for _ in 0..most {
            match self.peek() {
                Some(digit @ b'0'..=b'7') => {
                    value = value * 8 + u32::from(digit - b'0');
                    self.at += 1;
                }
                _ => break,
            }
        }
        value as u8
    }

    /// The byte of an escape that means one byte in PCRE; the letter is behind.
    fn escaped_byte(&mut self, byte: u8) -> Result<u8, PatternFault> {
        Ok(match byte {
            b'a' => 7,
            b'e' => 0x1b,
            b'f' => 0x0c,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'0' => self.octal(2),
            b'x' => {
                if self.peek() == Some(b'{') {
                    let rest = self.rest().get(1..).unwrap_or_default();
                    let end = rest.iter().position(|&byte| byte == b'}');
                    let value = end
                        .and_then(|end| rest.get(..end))
                        .and_then(|digits| std::str::from_utf8(digits).ok())
                        .and_then(|digits| u32::from_str_radix(digits, 16).ok());
                    let (Some(end), Some(value)) = (end, value) else {
                        return self.invalid("`\\x{` without a number");
                    };
                    self.at += end + 2;
                    return u8::try_from(value).or_else(|_| self.invalid("a character above 255"));
                }
                let mut value = 0u8;
                for _ in 0..2 {
                    let Some(digit) = self.peek().and_then(|byte| char::from(byte).to_digit(16))
                    else {
                        break;
                    };
                    value = value.wrapping_mul(16).wrapping_add(digit as u8);
                    self.at += 1;
                }
                value
            }
            b'c' => match self.next() {
                Some(control) if control.is_ascii() => control.to_ascii_uppercase() ^ 0x40,
                _ => return self.invalid("`\\c` needs an ASCII character"),
            },
            other => other,
        })
    }

    /// `\g{n}`, `\gn`, `\g{-n}`, `\g{name}`, `\k<name>`, `\k{name}`, `\k'name'`.
    fn reference_by_name(&mut self, letter: u8) -> Result<(), PatternFault> {
        let close = match self.peek() {
            Some(b'{') => b'}',
            Some(b'<') => b'>',
            Some(b'\'') => b'\'',
            _ if letter == b'g' => {
                let length = self
                    .rest()
                    .iter()
                    .enumerate()
                    .take_while(|&(n, byte)| byte.is_ascii_digit() || (n == 0 && *byte == b'-'))
                    .count();
                let number = self.rest().get(..length).unwrap_or_default();
                return self.number_or_name(number, length);
            }
            _ => return self.invalid("`\\k` without a name"),
        };
        if letter == b'g' && close != b'}' {
            return self.unsupported("a pattern that calls its own groups");
        }
        let inside = self.rest().get(1..).unwrap_or_default();
        let Some(end) = inside.iter().position(|&byte| byte == close) else {
            return self.invalid("a reference that is not closed");
        };
        let name = inside.get(..end).unwrap_or_default();
        self.number_or_name(name, end + 2)
    }

    fn number_or_name(&mut self, name: &[u8], length: usize) -> Result<(), PatternFault> {
        let text = std::str::from_utf8(name).unwrap_or_default();
        let group = match text.parse::<i64>() {
            Ok(back) if back < 0 => usize::try_from(self.groups as i64 + 1 + back).ok(),
            Ok(group) => usize::try_from(group).ok(),
            Err(_) => self.named(name),
        };
        match group {
            Some(group) if group > 0 && group < 1000 => {
                self.at += length;
                self.reference(group)
            }
            _ => self.invalid("a reference to a group that is not there"),
        }
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
