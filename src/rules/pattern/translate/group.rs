//! Groups: captures, flags, look-around, conditions.

use super::{DEPTH, Flags, PatternFault, Reader};

impl Reader<'_> {
    pub(super) fn group(&mut self) -> Result<(), PatternFault> {
        if self.open.len() >= DEPTH {
            return self.unsupported("a group that nests deeper than 200");
        }
        self.repeatable = false;
        let before = self.flags;
        if self.is_pcre() && self.rest().starts_with(b"*") {
            return self.unsupported("a verb such as `(*UTF8)`");
        }
        if !self.takes(b"?") {
            self.groups += 1;
            self.open.push(before);
            self.sink.same("(");
            return Ok(());
        }
        if self.is_pcre() {
            if self.takes(b"#") {
                let Some(end) = self.rest().iter().position(|&byte| byte == b')') else {
                    return self.invalid("a comment without `)`");
                };
                self.at += end + 1;
                return Ok(());
            }
            for look in ["=", "!", "<=", "<!", ">"] {
                // `(?<name>` is another thing.
                if self.takes(look.as_bytes()) {
                    self.sink.exactly(&format!("(?{look}"));
                    self.open.push(before);
                    return Ok(());
                }
            }
        }
        let close = if self.takes(b"P<") || (self.is_pcre() && self.takes(b"<")) {
            Some(b'>')
        } else if self.is_pcre() && self.takes(b"'") {
            Some(b'\'')
        } else {
            None
        };
        if let Some(close) = close {
            return self.named_group(close, before);
        }
        if self.is_pcre() {
            if self.takes(b"P=") {
                let rest = self.rest();
                let Some(end) = rest.iter().position(|&byte| byte == b')') else {
                    return self.invalid("a reference without `)`");
                };
                return self.number_or_name(rest.get(..end).unwrap_or_default(), end + 1);
            }
            if self.takes(b"(") {
                return self.condition(before);
            }
            if matches!(
                self.peek(),
                Some(b'|' | b'R' | b'&' | b'P' | b'+' | b'C' | b'0'..=b'9')
            ) {
                return self.unsupported("a group of this kind");
            }
        }
        self.flag_group(before)
    }

    fn named_group(&mut self, close: u8, before: Flags) -> Result<(), PatternFault> {
        let rest = self.rest();
        let end = rest.iter().position(|&byte| byte == close).unwrap_or(0);
        let name = rest.get(..end).unwrap_or_default();
        if name.is_empty()
            || !name
                .iter()
                .all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
            || self.named(name).is_some()
        {
            return self.invalid("the name of a group is missing, not a name, or there already");
        }
        self.at += end + 1;
        self.groups += 1;
        self.names.push((name, self.groups));
        self.open.push(before);
        self.sink.same("(");
        Ok(())
    }

    /// `(?(1)…|…)`.
    fn condition(&mut self, before: Flags) -> Result<(), PatternFault> {
        let rest = self.rest();
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let number = rest
            .get(..digits)
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| digits.parse::<usize>().ok());
        let Some(number) = number.filter(|_| rest.get(digits) == Some(&b')')) else {
            return self.unsupported("a condition that is no group number");
        };
        self.at += digits + 1;
        self.largest_reference = self.largest_reference.max(number);
        self.open.push(before);
        self.sink.exactly(&format!("(?({number})"));
        Ok(())
    }

    /// `(?flags)` and `(?flags:…)`.
    fn flag_group(&mut self, before: Flags) -> Result<(), PatternFault> {
        let mut on = true;
        loop {
            let byte = self.next();
            match byte {
                Some(b'i') => self.flags.caseless = on,
                Some(b'm') => self.flags.multiline = on,
                Some(b's') => self.flags.dotall = on,
                Some(b'x') if self.is_pcre() => self.flags.extended = on,
                Some(b'J') if self.is_pcre() => {}
                Some(b'U') => return self.unsupported("the flag `U`"),
                Some(b'-') if on => on = false,
                Some(end @ (b':' | b')')) => {
                    let caseless = if self.flags.caseless { "i" } else { "-i" };
                    if end == b':' {
                        self.open.push(before);
                        self.sink.same(&format!("(?{caseless}:"));
                    } else {
                        self.sink.same(&format!("(?{caseless})"));
                    }
                    return Ok(());
                }
                _ => {
                    self.at -= usize::from(byte.is_some());
                    return self.invalid("an unknown group `(?…`");
                }
            }
        }
    }
}
