//! Physical lines of a configuration file without their comments.
//!
//! Comments cannot be a regular language here: block comments nest, span lines, and a closing mark without an
//! opening one counts below zero and swallows the rest of the file. So this is a scan over bytes with a counter.

use std::borrow::Cow;

/// Asterisk reads lines into a buffer of 8192 bytes: a longer one is dropped whole.
const LONGEST_LINE: usize = 8190;
/// Block comments nest so deeply and no further.
const DEEPEST_COMMENT: i32 = 128;
/// The byte order mark that some editors write at the start of a file.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// What a physical line is after comment removal. Blank ones are not reported.
#[derive(Debug, PartialEq, Eq)]
pub enum Content<'a> {
    /// Text without comments and without blanks at both ends; `column` (from 1) is where it starts.
    Text {
        /// The text.
        text: Cow<'a, [u8]>,
        /// Column of its first byte, from 1.
        column: u32,
    },
    /// The line is longer than the buffer of Asterisk.
    TooLong(&'a [u8]),
    /// The line is lost because a `--;` without `;--` came before it.
    Lost,
    /// Block comments nest too deeply.
    CommentTooDeep,
}

/// A physical line with its number, from 1.
#[derive(Debug, PartialEq, Eq)]
pub struct PhysicalLine<'a> {
    /// Line number, from 1.
    pub number: u32,
    /// What is left of it.
    pub content: Content<'a>,
}

/// An iterator over the lines of one file.
#[derive(Debug)]
pub struct Lines<'a> {
    rest: &'a [u8],
    number: u32,
    depth: i32,
    /// Where the outermost open block comment started.
    opened: u32,
    /// Where NUL bytes cut text off.
    cuts: Vec<(u32, u32)>,
}

impl<'a> Lines<'a> {
    /// The lines of a file.
    pub fn new(file: &'a [u8]) -> Self {
        Self {
            rest: file,
            number: 0,
            depth: 0,
            opened: 0,
            cuts: Vec::new(),
        }
    }

    /// Line and column of the NUL bytes met so far after which a line has text that is lost and is no comment.
    pub fn cuts(&self) -> &[(u32, u32)] {
        &self.cuts
    }

    /// After the last line: the line where a block comment starts that is not closed, or that closes what was
    /// not open; `None` when all is balanced.
    pub fn unbalanced(&self) -> Option<u32> {
        (self.depth != 0).then_some(self.opened)
    }

    /// Whether a `--;` without `;--` was met.
    pub fn is_lost(&self) -> bool {
        self.depth < 0
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = PhysicalLine<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.rest.is_empty() {
            let line = self.cut();
            self.number += 1;
            if let Some(content) = self.content(line) {
                return Some(PhysicalLine {
                    number: self.number,
                    content,
                });
            }
        }
        None
    }
}

impl<'a> Lines<'a> {
    /// The next physical line without its end, and whether it is plain: no comment, no NUL.
    fn cut(&mut self) -> (&'a [u8], bool) {
        // One search for all three: most lines have no comment.
        let rest = self.rest;
        let special = bstr::ByteSlice::find_byteset(rest, b"\n;\0").unwrap_or(rest.len());
        let plain = rest.get(special).is_none_or(|&byte| byte == b'\n');
        let end = if plain {
            special
        } else {
            let tail = rest.get(special..).unwrap_or_default();
            bstr::ByteSlice::find_byte(tail, b'\n').map_or(rest.len(), |at| special + at)
        };
        self.rest = rest.get(end + 1..).unwrap_or_default();
        (rest.get(..end).unwrap_or_default(), plain)
    }

    fn content(&mut self, (line, plain): (&'a [u8], bool)) -> Option<Content<'a>> {
        if line.len() > LONGEST_LINE {
            return Some(Content::TooLong(line));
        }
        if plain && self.depth == 0 && self.number > 1 {
            return borrowed(line, line);
        }
        // C strings end at the first NUL.
        let mut visible = match bstr::ByteSlice::find_byte(line, 0) {
            Some(end) => {
                let (visible, lost) = line.split_at_checked(end).unwrap_or((line, b""));
                if self.depth == 0 && !has_comment(visible) && !strip(lost).is_empty() {
                    self.cuts.push((self.number, end as u32 + 1));
                }
                visible
            }
            None => line,
        };
        if self.number == 1 {
            visible = visible.strip_prefix(BYTE_ORDER_MARK).unwrap_or(visible);
        }
        let Some(semicolon) = bstr::ByteSlice::find_byte(visible, b';') else {
            return match self.depth {
                0 => borrowed(line, visible),
                // A comment: nothing to say. Below zero the text is lost against all expectation.
                1.. => None,
                _ => (!strip(visible).is_empty()).then_some(Content::Lost),
            };
        };
        let was_lost = self.depth < 0;
        let (text, too_deep) = self.uncomment(visible);
        if too_deep {
            return Some(Content::CommentTooDeep);
        }
        if was_lost && self.depth < 0 {
            let before = visible.get(..semicolon).unwrap_or_default();
            return (!strip(before).is_empty()).then_some(Content::Lost);
        }
        let stripped = strip(&text);
        if stripped.is_empty() {
            return None;
        }
        Some(Content::Text {
            column: (line.len() - strip_front(line).len()) as u32 + 1,
            text: Cow::Owned(stripped.to_vec()),
        })
    }

    /// Removes the comments of a line that has a semicolon; says whether a comment opened too deeply.
    fn uncomment(&mut self, line: &[u8]) -> (Vec<u8>, bool) {
        let mut kept = Vec::with_capacity(line.len());
        let mut too_deep = false;
        // Whether the bytes at the scan position belong to the text that is kept.
        let mut keeping = self.depth == 0;
        // Start of the part not yet looked at.
        let mut start = 0;
        while let Some(found) =
            bstr::ByteSlice::find_byte(line.get(start..).unwrap_or_default(), b';')
        {
            let at = start + found;
            let before = line.get(start..at).unwrap_or_default();
            let after = line.get(at + 1..).unwrap_or_default();
            if let Some(unescaped) = before.strip_suffix(b"\\") {
                if keeping {
                    kept.extend_from_slice(unescaped);
                    kept.push(b';');
                }
                start = at + 1;
            } else if after.starts_with(b"--") && after.get(2) != Some(&b'-') {
                if keeping {
                    kept.extend_from_slice(before);
                }
                if self.depth < DEEPEST_COMMENT {
                    if self.depth == 0 {
                        self.opened = self.number;
                    }
                    self.depth += 1;
                } else {
                    too_deep = true;
                }
                keeping = false;
                start = at + 3;
            } else if before.ends_with(b"--") {
                if keeping {
                    // Closes nothing: the text stays, but the counter is below zero from here on.
                    kept.extend_from_slice(before);
                    kept.push(b';');
                }
                self.depth -= 1;
                if self.depth == -1 {
                    self.opened = self.number;
                }
                if self.depth == 0 {
                    keeping = true;
                }
                start = at + 1;
            } else if self.depth == 0 {
                if keeping {
                    kept.extend_from_slice(before);
                }
                return (kept, too_deep);
            } else {
                if keeping {
                    kept.extend_from_slice(before);
                    kept.push(b';');
                }
                start = at + 1;
            }
        }
        if keeping {
            kept.extend_from_slice(line.get(start..).unwrap_or_default());
        }
        (kept, too_deep)
    }
}

/// Whether a comment begins in a line.
fn has_comment(line: &[u8]) -> bool {
    line.iter().enumerate().any(|(at, &byte)| {
        let before = at.checked_sub(1).and_then(|before| line.get(before));
        byte == b';' && before != Some(&b'\\')
    })
}

fn borrowed<'a>(line: &'a [u8], visible: &'a [u8]) -> Option<Content<'a>> {
    let text = strip(visible);
    if text.is_empty() {
        return None;
    }
    // Where `text`, a part of `line`, starts.
    let column = (text.as_ptr() as usize).wrapping_sub(line.as_ptr() as usize);
    Some(Content::Text {
        text: Cow::Borrowed(text),
        column: column as u32 + 1,
    })
}

/// Without blanks and control characters at the start.
pub fn strip_front(text: &[u8]) -> &[u8] {
    let lead = text.iter().take_while(|&&b| b <= b' ').count();
    text.get(lead..).unwrap_or_default()
}

/// What stands before and after the first `byte`. A plain search: building a substring searcher costs more than
/// reading a line.
pub fn split_once(text: &[u8], byte: u8) -> Option<(&[u8], &[u8])> {
    let at = bstr::ByteSlice::find_byte(text, byte)?;
    Some((text.get(..at)?, text.get(at + 1..)?))
}

/// Without blanks and control characters at both ends.
pub fn strip(text: &[u8]) -> &[u8] {
    let text = strip_front(text);
    let tail = text.iter().rev().take_while(|&&b| b <= b' ').count();
    text.get(..text.len() - tail).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(file: &str) -> (Vec<(u32, String)>, Option<u32>) {
        let mut lines = Lines::new(file.as_bytes());
        let mut out = Vec::new();
        for line in lines.by_ref() {
            let text = match line.content {
                Content::Text { text, .. } => String::from_utf8_lossy(&text).into_owned(),
                Content::TooLong(_) => "<too long>".into(),
                Content::Lost => "<lost>".into(),
                Content::CommentTooDeep => "<too deep>".into(),
            };
            out.push((line.number, text));
        }
        (out, lines.unbalanced())
    }

    fn one(line: &str) -> String {
        texts(line)
            .0
            .first()
            .map(|l| l.1.clone())
            .unwrap_or_default()
    }

    #[test]
    fn line_comments_and_escapes() {
        assert_eq!(one("a ; b"), "a");
        assert_eq!(one(r"a\;b\\;c ;d"), r"a;b\;c");
        assert_eq!(one("a;---b"), "a");
        assert_eq!(one("\u{feff}x"), "x");
        assert_eq!(one("x\r\n"), "x");
        assert_eq!(one("\x0c"), "");
    }

    #[test]
    fn block_comments_nest_and_span_lines() {
        assert_eq!(one("x;-- c --;y"), "xy");
        assert_eq!(
            texts("a;-- b\nc ;-- d\n--; e --; f\ng"),
            (
                vec![(1, "a".into()), (3, "f".into()), (4, "g".into())],
                None
            )
        );
        assert_eq!(texts("a\n;-- b\nc").1, Some(2));
    }

    #[test]
    fn a_stray_end_swallows_the_rest() {
        let (lines, unbalanced) = texts("a --; b ; c\nd\n\n;x\n");
        assert_eq!(lines, vec![(1, "a --; b ; c".into()), (2, "<lost>".into())]);
        assert!(unbalanced.is_some());
    }

    #[test]
    fn nul_bytes_cut_lines() {
        let mut lines = Lines::new(b"a\0b\n\0c\nd\0\0\r\n; e\0f\ng\\;\0h\n;--\n\0i\n--;\n");
        assert_eq!(lines.by_ref().count(), 3);
        assert_eq!(lines.cuts(), [(1, 2), (2, 1), (5, 4)]);
    }

    #[test]
    fn long_lines() {
        let fits = "x".repeat(8190);
        assert_eq!(one(&fits).len(), 8190);
        assert_eq!(one(&format!("{fits}x\n")), "<too long>");
    }
}
