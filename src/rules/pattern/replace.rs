//! Replacement, as pcrecpp and RE2 do it: `\0` to `\9` are groups, `\\` is a backslash, anything else after a
//! backslash makes the replacement invalid.

use super::{Groups, Pattern};

use crate::rules::settings::Dialect;

/// A `replace_pattern` that is ready.
#[derive(Debug)]
pub(crate) struct Replacement {
    parts: Vec<Part>,
    /// Whether the text ends in an escape that is none.
    broken: bool,
    global: bool,
    /// RE2 compiles the pattern anew, without options.
    again: Option<Pattern>,
}

#[derive(Debug)]
enum Part {
    Text(Vec<u8>),
    Group(usize),
}

/// RE2 refuses a replacement as a whole; pcrecpp notices when it gets there.
struct Broken;

impl Replacement {
    /// Reads a replacement of a pattern.
    pub(crate) fn new(text: &[u8], pattern: &[u8], dialect: Dialect, global: bool) -> Self {
        let mut parts = Vec::new();
        let mut broken = false;
        let mut plain = Vec::new();
        let mut bytes = text.iter();
        while let Some(&byte) = bytes.next() {
            if byte != b'\\' {
                plain.push(byte);
                continue;
            }
            match bytes.next() {
                Some(b'\\') => plain.push(b'\\'),
                Some(digit) if digit.is_ascii_digit() => {
                    parts.push(Part::Text(std::mem::take(&mut plain)));
                    parts.push(Part::Group(usize::from(digit - b'0')));
                }
                _ => {
                    broken = true;
                    break;
                }
            }
        }
        parts.push(Part::Text(plain));
        Self {
            parts,
            broken,
            global,
            again: (dialect == Dialect::Re2).then(|| Pattern::without_options(pattern)),
        }
    }

    /// Whether the text is taken as it is: no groups.
    pub(crate) fn plain(&self) -> Option<&[u8]> {
        match self.parts.as_slice() {
            [Part::Text(text)] if !self.broken => Some(text),
            _ => None,
        }
    }

    /// Whether every occurrence is replaced.
    pub(crate) fn is_global(&self) -> bool {
        self.global
    }

    /// Replaces in a text; `out` is empty before.
    pub(crate) fn apply(&self, pattern: &Pattern, text: &[u8], out: &mut Vec<u8>) {
        let done = match (&self.again, self.global) {
            (Some(again), true) => self.all_of_re2(again, text, out),
            (Some(again), false) => self.first(again, text, out, usize::MAX),
            (None, true) => self.all_of_pcre(pattern, text, out),
            (None, false) => self.first(pattern, text, out, 0),
        };
        if !done {
            out.clear();
            out.extend_from_slice(text);
        }
    }

    fn first(&self, pattern: &Pattern, text: &[u8], out: &mut Vec<u8>, spare: usize) -> bool {
        let Some(groups) = pattern.search(text).find(0, false) else {
            return false;
        };
        let Some((start, end)) = groups.first().copied().flatten() else {
            return false;
        };
        out.extend_from_slice(text.get(..start).unwrap_or_default());
        let known = if spare == 0 {
            taken(&groups)
        } else {
            groups.len()
        };
        if self.write(text, &groups, known, out).is_err() {
            return false;
        }
        out.extend_from_slice(text.get(end..).unwrap_or_default());
        true
    }

    /// Writes the replacement of one match.
    fn write(
        &self,
        text: &[u8],
        groups: &Groups,
        known: usize,
        out: &mut Vec<u8>,
    ) -> Result<(), Broken> {
        for part in &self.parts {
            match part {
                Part::Text(text) => out.extend_from_slice(text),
                Part::Group(n) if *n >= known => return Err(Broken),
                Part::Group(n) => {
                    if let Some((start, end)) = groups.get(*n).copied().flatten() {
                        out.extend_from_slice(text.get(start..end).unwrap_or_default());
                    }
                }
            }
        }
        if self.broken { Err(Broken) } else { Ok(()) }
    }

    /// After an empty match the same place is tried once more for one that is not empty.
    fn all_of_pcre(&self, pattern: &Pattern, text: &[u8], out: &mut Vec<u8>) -> bool {
        let mut start = 0;
        let mut after_empty = false;
        let mut count = 0;
        let mut searched = pattern.search(text);
        while start <= text.len() {
            let found = searched.find(start, after_empty);
            let span = found.as_ref().and_then(|g| g.first().copied().flatten());
            let (groups, from, to) = match (found, span) {
                (Some(groups), Some((from, to))) if !(after_empty && from == to) => {
                    (groups, from, to)
                }
                _ if after_empty => {
                    out.extend(text.get(start));
                    start += 1;
                    after_empty = false;
                    continue;
                }
                _ => break,
            };
            out.extend_from_slice(text.get(start..from).unwrap_or_default());
            // pcrecpp does not ask whether it went well, and keeps what was written.
            let _ = self.write(text, &groups, taken(&groups), out);
            start = to;
            count += 1;
            after_empty = from == to;
        }
        if count > 0 {
            out.extend_from_slice(text.get(start..).unwrap_or_default());
        }
        count > 0
    }

    /// An empty match at the end of the one before does not count.
    fn all_of_re2(&self, pattern: &Pattern, text: &[u8], out: &mut Vec<u8>) -> bool {
        let largest = self.parts.iter().filter_map(|part| match part {
            Part::Group(n) => Some(*n),
            Part::Text(_) => None,
        });
        let largest = largest.max().unwrap_or(0);
        let mut start = 0;
        let mut last_end = None;
        let mut count = 0;
        let mut searched = pattern.search(text);
        while start <= text.len() {
            let Some(groups) = searched.find(start, false) else {
                break;
            };
            if largest >= groups.len() {
                return false;
            }
            let Some((from, to)) = groups.first().copied().flatten() else {
                break;
            };
            out.extend_from_slice(text.get(start..from).unwrap_or_default());
            if from == to && last_end == Some(from) {
                let length = character_length(text.get(from..).unwrap_or_default());
                out.extend_from_slice(text.get(from..from + length).unwrap_or_default());
                start = from + length.max(1);
                continue;
            }
            let _ = self.write(text, &groups, groups.len(), out);
            start = to;
            last_end = Some(to);
            count += 1;
        }
        if count > 0 {
            out.extend_from_slice(text.get(start..).unwrap_or_default());
        }
        count > 0
    }
}

/// Groups up to the last one that took part: pcrecpp knows no others.
fn taken(groups: &Groups) -> usize {
    groups
        .iter()
        .rposition(Option::is_some)
        .map_or(0, |last| last + 1)
}

/// Bytes of the first character; one where it is not UTF-8.
fn character_length(text: &[u8]) -> usize {
    let (c, length) = bstr::decode_utf8(text);
    if c.is_some() {
        length
    } else {
        1.min(text.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replaced(pattern: &str, with: &str, text: &str, global: bool) -> String {
        let (compiled, _) = Pattern::new(pattern.as_bytes(), Dialect::Pcre, true);
        let with = Replacement::new(with.as_bytes(), pattern.as_bytes(), Dialect::Pcre, global);
        let mut out = Vec::new();
        with.apply(&compiled, text.as_bytes(), &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn replacements_are_those_of_pcrecpp() {
        assert_eq!(replaced("a", "b", "xaax", false), "xbax");
        assert_eq!(replaced("a", "b", "xaax", true), "xbbx");
        assert_eq!(replaced("a*", "-", "xay", true), "-x--y-");
        assert_eq!(replaced("(a)|(b)", r"[\2]", "a", false), "a");
        assert_eq!(replaced("(a)|(b)", r"[\1]", "b", false), "[]");
        assert_eq!(replaced("a", r"\x", "a", false), "a");
        assert_eq!(replaced("a", r"1\x", "ba", true), "b1");
        assert_eq!(replaced("t$", "x", "t\n", false), "x\n");
    }
}
