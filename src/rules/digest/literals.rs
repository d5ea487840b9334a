//! The first stage: literals become `?`, comments go, blanks are folded.

use super::{FIRST_COMMENT, is_blank, is_name};

use crate::rules::settings::DigestSettings;

struct Reader<'q> {
    query: &'q [u8],
    at: usize,
    /// The byte before, as the original remembers it: at the edges of literals and comments another one.
    before: u8,
    lowercase: bool,
}

impl Reader<'_> {
    fn byte(&self, offset: usize) -> u8 {
        self.query.get(self.at + offset).copied().unwrap_or(0)
    }

    fn left(&self) -> usize {
        self.query.len().saturating_sub(self.at)
    }

    fn step(&mut self) {
        self.before = self.byte(0);
        self.at += 1;
    }

    fn copy(&mut self, out: &mut Vec<u8>) {
        let byte = self.byte(0);
        out.push(if is_blank(byte) {
            b' '
        } else if self.lowercase {
            byte.to_ascii_lowercase()
        } else {
            byte
        });
        self.step();
    }
}

/// Writes the first stage; the value says whether there was a first comment.
pub(super) fn replace(
    query: &[u8],
    settings: &DigestSettings,
    out: &mut Vec<u8>,
    comment: &mut Vec<u8>,
) -> bool {
    out.clear();
    let mut reader = Reader {
        query,
        at: 0,
        before: 0,
        lowercase: settings.lowercase,
    };
    let mut has_comment = false;
    while reader.at < query.len() {
        let (byte, next) = (reader.byte(0), reader.byte(1));
        let after_name = is_name(reader.before);
        if reader.left() > 2 && byte == b'/' && next == b'*' {
            let first = (!has_comment).then_some(&mut *comment);
            has_comment |= block_comment(&mut reader, out, first);
        } else if byte == b'#' {
            line_comment(&mut reader, b"#");
        } else if reader.left() > 2
            && byte == b'-'
            && next == b'-'
            && is_blank(reader.byte(2))
            && (reader.before != b'-' || reader.at == 0)
        {
            line_comment(&mut reader, b"--");
        } else if byte == b'\'' || byte == b'"' {
            text(&mut reader, out);
        } else if !after_name && byte.is_ascii_digit() {
            number(&mut reader, out);
        } else if !after_name && settings.replace_null && is_null(&reader) {
            out.push(b'?');
            reader.before = b'?';
            reader.at += 4;
        } else if out.is_empty() && is_blank(byte) {
            reader.at += 1;
        } else if is_blank(reader.before) && is_blank(byte) {
            if out.last().is_some_and(|&last| !is_blank(last)) {
                out.push(b' ');
            }
            reader.before = b' ';
            reader.at += 1;
        } else {
            reader.copy(out);
        }
    }
    has_comment
}

/// `/* … */`. The inside of `/*! … */` stays, without its version.
fn block_comment(
    reader: &mut Reader<'_>,
    out: &mut Vec<u8>,
    mut first: Option<&mut Vec<u8>>,
) -> bool {
    let mut is_command = false;
    let mut start = reader.at;
    while reader.at < reader.query.len() {
        // A mark inside of a comment counts like the first one.
        if reader.left() >= 2 && reader.byte(0) == b'/' && reader.byte(1) == b'*' {
            is_command |= reader.byte(2) == b'!';
            reader.at += 2 + usize::from(is_command);
            start = reader.at;
            if reader.left() <= 1 {
                return false;
            }
        }
        let byte = reader.byte(0);
        if let Some(comment) = &mut first
            && comment.len() < FIRST_COMMENT - 1
        {
            comment.push(if is_blank(byte) { b' ' } else { byte });
        }
        if reader.before == b'*' && byte == b'/' {
            if let Some(comment) = first {
                comment.truncate(comment.len().saturating_sub(2));
            }
            if is_command {
                command(reader, start, out);
            }
            if out.last().is_some_and(|&last| last != b' ') {
                out.push(b' ');
            }
            reader.before = b' ';
            reader.at += 1;
            return true;
        }
        reader.step();
    }
    // Never closed: what there is counts.
    true
}

fn command(reader: &Reader<'_>, start: usize, out: &mut Vec<u8>) {
    let inside = reader
        .query
        .get(start..reader.at.saturating_sub(1).max(start))
        .unwrap_or_default();
    let inside = inside.get(..FIRST_COMMENT - 3).unwrap_or(inside);
    let mark = inside
        .iter()
        .position(|byte| !b"/*! ".contains(byte) && !byte.is_ascii_digit());
    if let Some(mark) = mark {
        out.extend_from_slice(inside.get(mark..).unwrap_or_default());
    }
}

/// A comment to the end of the line, which goes with it.
fn line_comment(reader: &mut Reader<'_>, mark: &[u8]) {
    while reader.at < reader.query.len() {
        let here = reader.query.get(reader.at..).unwrap_or_default();
        if mark == b"#" {
            if here.starts_with(mark) && here.len() >= 2 {
                reader.at += 1;
            }
        } else if here.starts_with(mark) && here.len() >= 4 && is_blank(reader.byte(2)) {
            reader.at += 3;
        }
        if matches!(reader.byte(0), b'\n' | b'\r') || reader.left() <= 1 {
            reader.before = b' ';
            reader.at += 1;
            return;
        }
        reader.step();
    }
}

/// A text in quotes. One that is not closed leaves nothing.
fn text(reader: &mut Reader<'_>, out: &mut Vec<u8>) {
    let start = reader.at;
    let quote = reader.byte(0);
    reader.step();
    while reader.at < reader.query.len() {
        let byte = reader.byte(0);
        if reader.at > start + 1
            && ((reader.before == b'\\' && (byte == b'\\' || byte == quote))
                || (reader.before == quote && byte == quote))
        {
            reader.before = b'X';
            reader.at += 1;
            continue;
        }
        let last = reader.left() == 1;
        if byte == quote && (last || reader.byte(1) != quote) {
            out.push(b'?');
            reader.before = 0;
            reader.at += 1;
            return;
        }
        reader.step();
    }
}

fn number(reader: &mut Reader<'_>, out: &mut Vec<u8>) {
    let start = out.len();
    loop {
        let byte = reader.byte(0);
        let last = reader.left() <= 1;
        let exponent = matches!(reader.before, b'e' | b'E') && matches!(byte, b'+' | b'-');
        let ends = !is_name(byte) && byte != b'.' && !exponent;
        if ends || last {
            let written = out.get(start..).unwrap_or_default();
            let is_number = if written.is_empty() {
                byte.is_ascii_digit()
            } else {
                is_number(written)
            };
            if is_number {
                out.truncate(start);
                out.push(b'?');
                reader.before = b'?';
                if is_name(byte) && last {
                    // The last byte goes with the number, whatever it is.
                    reader.at += 1;
                    return;
                }
            }
            // The byte that ended it is read again.
            return;
        }
        reader.copy(out);
    }
}

/// Digits, a point, an exponent, or hexadecimal digits after `0x`.
fn is_number(text: &[u8]) -> bool {
    let mut hexadecimal = false;
    let mut before = 0u8;
    for (n, &byte) in text.iter().enumerate() {
        if n == 1 && before == b'0' && matches!(byte, b'x' | b'X') {
            hexadecimal = true;
        } else if hexadecimal {
            if !byte.is_ascii_hexdigit() {
                return false;
            }
        } else {
            let exponent = matches!(before, b'e' | b'E') && matches!(byte, b'+' | b'-');
            if !byte.is_ascii_digit() && !matches!(byte, b'.' | b'e' | b'E') && !exponent {
                return false;
            }
        }
        before = byte;
    }
    true
}

fn is_null(reader: &Reader<'_>) -> bool {
    let word = reader.query.get(reader.at..reader.at + 4);
    word.is_some_and(|word| word.eq_ignore_ascii_case(b"null"))
        && (reader.left() == 4 || !is_name(reader.byte(4)))
}
