//! Sets in brackets.

use super::super::class::{self, ByteSet};
use super::{PatternFault, Reader};

impl Reader<'_> {
    pub(super) fn set(&mut self) -> Result<(), PatternFault> {
        if self.is_pcre() {
            let set = self.set_of_pcre()?;
            self.bytes(&set);
            return Ok(());
        }
        let start = self.at;
        let text = self.set_of_re2(start)?;
        self.sink.same(&text);
        self.repeatable = true;
        Ok(())
    }

    fn set_of_pcre(&mut self) -> Result<ByteSet, PatternFault> {
        // `[[:<:]]` and `[[:>:]]` are the starts and ends of words, and nothing else.
        let negated = self.takes(b"^");
        let mut set = ByteSet::EMPTY;
        let mut first = true;
        let mut literally = false;
        loop {
            let Some(byte) = self.next() else {
                return self.invalid("missing `]`");
            };
            if literally && byte == b'\\' && self.peek() == Some(b'E') {
                self.at += 1;
                literally = false;
                continue;
            }
            if byte == b']' && !first && !literally {
                break;
            }
            first = false;
            let low = if literally {
                byte
            } else if byte == b'[' && matches!(self.peek(), Some(b':' | b'.' | b'=')) {
                match self.posix_class()? {
                    Some(class) => {
                        set.add_all(&class);
                        continue;
                    }
                    None => byte,
                }
            } else if byte == b'\\' {
                match self.next() {
                    None => return self.invalid("missing `]`"),
                    Some(b'Q') => {
                        literally = true;
                        continue;
                    }
                    Some(b'E') => continue,
                    Some(letter) => match self.in_set(letter)? {
                        Member::Set(class) => {
                            set.add_all(&class);
                            continue;
                        }
                        Member::Byte(byte) => byte,
                    },
                }
            } else {
                byte
            };
            // A range, unless `-` is the last of the set.
            let is_range = !literally
                && self.peek() == Some(b'-')
                && !matches!(self.rest().get(1), None | Some(b']'));
            if !is_range {
                set.add(low);
                continue;
            }
            let back = self.at;
            self.at += 1;
            let high = match self.next() {
                Some(b'\\') => {
                    let letter = self.next().unwrap_or(b'\\');
                    match self.in_set(letter)? {
                        Member::Byte(byte) => Some(byte),
                        Member::Set(_) => None,
                    }
                }
                Some(b'[') if matches!(self.peek(), Some(b':' | b'.' | b'=')) => None,
                other => other,
            };
            match high {
                Some(high) if high < low => return self.invalid("a range out of order"),
                Some(high) => (low..=high).for_each(|byte| set.add(byte)),
                None => {
                    // `a-\d` is `a`, `-` and the digits.
                    set.add(low);
                    set.add(b'-');
                    self.at = back + 1;
                }
            }
        }
        if self.flags.caseless {
            set = set.caseless();
        }
        Ok(if negated { set.negated() } else { set })
    }

    /// `[:name:]`; `None` where the text is no such thing.
    fn posix_class(&mut self) -> Result<Option<ByteSet>, PatternFault> {
        let Some(kind) = self.peek() else {
            return Ok(None);
        };
        let inside = self.rest().get(1..).unwrap_or_default();
        let Some(end) = inside
            .windows(2)
            .position(|pair| pair == [kind, b']'])
            .filter(|&end| {
                inside
                    .get(..end)
                    .is_some_and(|name| name.iter().all(|b| b.is_ascii_alphabetic() || *b == b'^'))
            })
        else {
            return Ok(None);
        };
        let name = inside.get(..end).unwrap_or_default();
        if kind != b':' {
            return self.invalid("collating elements are not known to PCRE");
        }
        let Some(set) = class::posix(name, self.flags.caseless) else {
            return self.invalid("unknown `[:class:]`");
        };
        self.at += end + 3;
        Ok(Some(set))
    }

    fn in_set(&mut self, letter: u8) -> Result<Member, PatternFault> {
        Ok(match letter {
            b'b' => Member::Byte(8),
            b'B' | b'R' | b'X' => return self.invalid("`\\B`, `\\R` or `\\X` in a set"),
            b'p' | b'P' | b'o' => {
                return self.unsupported(&format!("`\\{}`", char::from(letter)));
            }
            b'N' | b'L' | b'U' | b'l' | b'u' => {
                return self.invalid("an escape that is not known to PCRE");
            }
            b'1'..=b'7' => {
                self.at -= 1;
                Member::Byte(self.octal(3))
            }
            _ => match class::escape(letter) {
                Some(set) => Member::Set(set),
                None => Member::Byte(self.escaped_byte(letter)?),
            },
        })
    }
}

#[expect(clippy::large_enum_variant, reason = "it lives for one step of a loop")]
enum Member {
    Byte(u8),
    Set(ByteSet),
}
