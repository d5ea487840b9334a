//! What a backslash begins: positions, sets, bytes, references to groups.

use super::super::class::{self, ByteSet};
use super::{PatternFault, Reader};

impl Reader<'_> {
    pub(super) fn reference(&mut self, group: usize) -> Result<(), PatternFault> {
        if group == 0 {
            return self.invalid("a reference to group 0");
        }
        self.largest_reference = self.largest_reference.max(group);
        self.sink.exactly(&format!("(?:\\{group})"));
        self.repeatable = true;
        Ok(())
    }

    pub(super) fn named(&self, name: &[u8]) -> Option<usize> {
        self.names
            .iter()
            .find(|(known, _)| *known == name)
            .map(|&(_, group)| group)
    }

    pub(super) fn escape(&mut self) -> Result<(), PatternFault> {
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

    pub(super) fn position(&mut self, text: &str) {
        self.sink.same(text);
        self.repeatable = !self.is_pcre();
    }

    /// `\1`, or an octal number.
    pub(super) fn digits(&mut self, first: u8) -> Result<(), PatternFault> {
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

    pub(super) fn octal(&mut self, most: usize) -> u8 {
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
    pub(super) fn escaped_byte(&mut self, byte: u8) -> Result<u8, PatternFault> {
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
    pub(super) fn reference_by_name(&mut self, letter: u8) -> Result<(), PatternFault> {
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

    pub(super) fn number_or_name(
        &mut self,
        name: &[u8],
        length: usize,
    ) -> Result<(), PatternFault> {
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
