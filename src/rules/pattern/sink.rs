//! Writes one pattern in the two languages that are asked: `regex-syntax` over bytes, and `fancy-regex`, which works
//! on texts and gets bytes beyond ASCII as characters of a private area that have no case and belong to no class.

use super::class::ByteSet;

/// First character of the private area: byte 0x80 is U+E080.
const PRIVATE: u32 = 0xe000;

/// A pattern under construction.
#[derive(Debug, Default)]
pub(super) struct Sink {
    /// For matching: `$` takes the newline before the end with it.
    pub(super) search: String,
    /// For spans: `$` is the end.
    pub(super) span: String,
    /// For the backtracking matcher.
    pub(super) exact: String,
    /// Whether only the backtracking matcher knows the pattern.
    pub(super) backtracks: bool,
}

impl Sink {
    /// The same text in all languages.
    pub(super) fn same(&mut self, text: &str) {
        self.search.push_str(text);
        self.span.push_str(text);
        self.exact.push_str(text);
    }

    /// A text that only the backtracking matcher knows.
    pub(super) fn exactly(&mut self, text: &str) {
        self.exact.push_str(text);
        self.backtracks = true;
    }

    /// One text for the automata, another for the backtracking matcher.
    pub(super) fn either(&mut self, automata: &str, exact: &str) {
        self.search.push_str(automata);
        self.span.push_str(automata);
        self.exact.push_str(exact);
    }

    /// A byte that stands for itself.
    pub(super) fn literal(&mut self, byte: u8) {
        if byte.is_ascii_alphanumeric() || byte == b'_' {
            let mut buffer = [0; 4];
            self.same(char::from(byte).encode_utf8(&mut buffer));
        } else {
            let automata = format!("\\x{byte:02X}");
            self.either(&automata, &private(byte));
        }
    }

    /// A set of bytes.
    pub(super) fn set(&mut self, set: &ByteSet) {
        let ranges = set.ranges();
        if ranges.is_empty() {
            self.either("[^\\x00-\\xFF]", "(?!)");
            return;
        }
        let mut automata = String::from("[");
        let mut exact = String::from("[");
        for (first, last) in ranges {
            automata.push_str(&format!("\\x{first:02X}-\\x{last:02X}"));
            if first < 0x80 {
                exact.push_str(&format!("\\x{first:02X}-\\x{:02X}", last.min(0x7f)));
            }
            if last >= 0x80 {
                let first = private(first.max(0x80));
                exact.push_str(&format!("{first}-{}", private(last)));
            }
        }
        automata.push(']');
        exact.push(']');
        self.either(&automata, &exact);
    }
}

fn private(byte: u8) -> String {
    if byte.is_ascii() {
        format!("\\x{byte:02X}")
    } else {
        format!("\\u{{{:X}}}", PRIVATE + u32::from(byte))
    }
}

/// Bytes as the backtracking matcher reads them.
pub(super) fn characters(bytes: &[u8], out: &mut String) {
    out.clear();
    for &byte in bytes {
        let code = if byte.is_ascii() {
            u32::from(byte)
        } else {
            PRIVATE + u32::from(byte)
        };
        out.push(char::from_u32(code).unwrap_or('\0'));
    }
}

/// Where the character of each byte begins, and the end.
pub(super) fn places(characters: &str) -> Vec<usize> {
    let begins = characters.char_indices().map(|(at, _)| at);
    begins.chain([characters.len()]).collect()
}
