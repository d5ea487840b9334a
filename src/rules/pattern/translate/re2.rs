//! What RE2 writes otherwise: escapes and sets of characters.

use super::super::class;
use super::{PatternFault, Reader};

impl Reader<'_> {
    pub(super) fn escape_of_re2(&mut self, byte: u8) -> Result<(), PatternFault> {
        match byte {
            b'Q' => {
                let rest = self.rest();
                let end = memchr::memmem::find(rest, b"\\E").unwrap_or(rest.len());
                let stop = self.at + end;
                while self.at < stop {
                    let Some(byte) = self.next() else { break };
                    self.character(byte);
                }
                self.at += 2.min(rest.len() - end);
            }
            b'E' => {}
            b'A' => self.position("\\A"),
            b'z' => self.position("\\z"),
            b'b' => self.position("(?-u:\\b)"),
            b'B' => self.position("(?-u:\\B)"),
            b'C' => {
                self.sink.same("(?s-u:.)");
                self.repeatable = true;
            }
            b'p' | b'P' => {
                let name = self.unicode_name()?;
                self.sink.same(&format!("\\{}{name}", char::from(byte)));
                self.repeatable = true;
            }
            _ => {
                if let Some(set) = class_of_re2(byte) {
                    self.sink.same(&format!("[{set}]"));
                } else {
                    let c = self.escaped_of_re2(byte)?;
                    self.sink.same(&format!("\\x{{{:X}}}", u32::from(c)));
                }
                self.repeatable = true;
            }
        }
        Ok(())
    }

    /// The name after `\p`, as it was written.
    fn unicode_name(&mut self) -> Result<String, PatternFault> {
        let start = self.at;
        match self.next() {
            Some(b'{') => {
                let Some(end) = self.rest().iter().position(|&byte| byte == b'}') else {
                    return self.invalid("`\\p{` without `}`");
                };
                self.at += end + 1;
            }
            Some(_) => {}
            None => return self.invalid("`\\p` without a name"),
        }
        let name = self.pattern.get(start..self.at).unwrap_or_default();
        Ok(String::from_utf8_lossy(name).into_owned())
    }

    fn escaped_of_re2(&mut self, byte: u8) -> Result<char, PatternFault> {
        let value = match byte {
            b'a' => 7,
            b'f' => 0x0c,
            b'n' => 10,
            b'r' => 13,
            b't' => 9,
            b'v' => 0x0b,
            b'0' => u32::from(self.octal(2)),
            b'1'..=b'7' if matches!(self.peek(), Some(b'0'..=b'7')) => {
                self.at -= 1;
                u32::from(self.octal(3))
            }
            b'x' => {
                let rest = self.rest();
                let (digits, length) = if rest.first() == Some(&b'{') {
                    let end = rest.iter().position(|&byte| byte == b'}').unwrap_or(0);
                    (rest.get(1..end).unwrap_or_default(), end + 1)
                } else {
                    (rest.get(..2).unwrap_or_default(), 2)
                };
                let value = std::str::from_utf8(digits)
                    .ok()
                    .filter(|digits| !digits.starts_with('+'))
                    .and_then(|digits| u32::from_str_radix(digits, 16).ok());
                let Some(value) = value else {
                    return self.invalid("`\\x` without a number");
                };
                self.at += length;
                value
            }
            _ if byte.is_ascii() && !byte.is_ascii_alphanumeric() => u32::from(byte),
            _ => {
                self.at -= 1;
                return self.invalid(&format!("`\\{}` is not known to RE2", char::from(byte)));
            }
        };
        char::from_u32(value).map_or_else(|| self.invalid("no such character"), Ok)
    }

    /// A set of RE2, written anew with everything escaped.
    pub(super) fn set_of_re2(&mut self, start: usize) -> Result<String, PatternFault> {
        let mut text = String::from(if self.takes(b"^") { "[^" } else { "[" });
        let mut first = true;
        loop {
            let Some(byte) = self.next() else {
                self.at = start;
                return self.invalid("missing `]`");
            };
            if byte == b']' && !first {
                break;
            }
            first = false;
            if byte == b'[' && self.peek() == Some(b':') {
                let inside = self.rest().get(1..).unwrap_or_default();
                if let Some(end) = memchr::memmem::find(inside, b":]") {
                    let name = inside.get(..end).unwrap_or_default();
                    let known = class::posix(name, false).is_some();
                    if !known {
                        return self.invalid("unknown `[:class:]`");
                    }
                    text.push_str(&format!("[:{}:]", String::from_utf8_lossy(name)));
                    self.at += end + 3;
                    continue;
                }
            }
            if byte == b'\\' {
                match self.peek() {
                    Some(letter @ (b'p' | b'P')) => {
                        self.at += 1;
                        let name = self.unicode_name()?;
                        text.push_str(&format!("\\{}{name}", char::from(letter)));
                        continue;
                    }
                    Some(letter) if class_of_re2(letter).is_some() => {
                        self.at += 1;
                        let set = class_of_re2(letter).unwrap_or_default();
                        if set.starts_with('^') {
                            text.push_str(&format!("[{set}]"));
                        } else {
                            text.push_str(set);
                        }
                        continue;
                    }
                    _ => {}
                }
            }
            self.at -= 1;
            let low = self.member_of_re2()?;
            text.push_str(&format!("\\x{{{:X}}}", u32::from(low)));
            if self.peek() == Some(b'-') && !matches!(self.rest().get(1), None | Some(b']')) {
                self.at += 1;
                let high = self.member_of_re2()?;
                if high < low {
                    return self.invalid("a range out of order");
                }
                text.push_str(&format!("-\\x{{{:X}}}", u32::from(high)));
            }
        }
        text.push(']');
        Ok(text)
    }

    fn member_of_re2(&mut self) -> Result<char, PatternFault> {
        if self.takes(b"\\") {
            let Some(letter) = self.next() else {
                return self.invalid("`\\` at the end");
            };
            return self.escaped_of_re2(letter);
        }
        let rest = std::str::from_utf8(self.rest()).unwrap_or_default();
        match rest.chars().next() {
            Some(c) => {
                self.at += c.len_utf8();
                Ok(c)
            }
            None => self.invalid("missing `]`"),
        }
    }
}

/// The inside of a set for `\d`, `\w`, `\s` of RE2 and their opposites.
fn class_of_re2(letter: u8) -> Option<&'static str> {
    Some(match letter {
        b'd' => "0-9",
        b'D' => "^0-9",
        b'w' => "0-9A-Za-z_",
        b'W' => "^0-9A-Za-z_",
        b's' => "\\t\\n\\x0C\\r\\x20",
        b'S' => "^\\t\\n\\x0C\\r\\x20",
        _ => return None,
    })
}
