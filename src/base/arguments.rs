//! How application and function data is cut into arguments (Asterisk's standard parsing, observed with
//! master 2026-08): commas at depth 0; `( )` and `[ ]` nest; `"` toggles quoting; `\` protects the next byte.

/// How to split.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Split {
    /// The delimiter.
    pub delimiter: u8,
    /// How many arguments at most; the last one takes the rest unscanned.
    pub slots: usize,
    /// Whether quotes and protecting backslashes are removed from scanned arguments.
    pub remove: bool,
}

/// Splits data by commas into at most `slots` arguments; quotes and protecting backslashes are removed,
/// except from the last one when all slots are used up. Empty data gives no argument.
pub fn standard(data: &[u8], slots: usize) -> Vec<Vec<u8>> {
    split(
        data,
        Split {
            delimiter: b',',
            slots,
            remove: true,
        },
    )
}

/// Splits like [`standard`], but removes nothing.
pub fn raw(data: &[u8], slots: usize) -> Vec<Vec<u8>> {
    split(
        data,
        Split {
            delimiter: b',',
            slots,
            remove: false,
        },
    )
}

/// Splits data.
pub fn split(data: &[u8], how: Split) -> Vec<Vec<u8>> {
    let mut arguments = Vec::new();
    if data.is_empty() || how.slots == 0 {
        return arguments;
    }
    let mut rest = data;
    while arguments.len() + 1 < how.slots {
        let (argument, tail) = scan(rest, how);
        arguments.push(argument);
        match tail {
            Some(tail) => rest = tail,
            None => return arguments,
        }
    }
    arguments.push(rest.to_vec());
    arguments
}

/// One argument, and what follows its delimiter.
fn scan(text: &[u8], how: Split) -> (Vec<u8>, Option<&[u8]>) {
    let mut argument = Vec::with_capacity(text.len().min(64));
    let (mut parentheses, mut brackets) = (0usize, 0usize);
    let mut quoted = false;
    let mut bytes = text.iter().enumerate();
    while let Some((i, &b)) = bytes.next() {
        match b {
            b'\\' => {
                if !how.remove {
                    argument.push(b);
                }
                if let Some((_, &next)) = bytes.next() {
                    argument.push(next);
                }
                continue;
            }
            b'"' if how.delimiter != b'"' => {
                quoted = !quoted;
                if how.remove {
                    continue;
                }
            }
            b'(' if !quoted => parentheses += 1,
            b')' if !quoted => parentheses = parentheses.saturating_sub(1),
            b'[' if !quoted => brackets += 1,
            b']' if !quoted => brackets = brackets.saturating_sub(1),
            _ if b == how.delimiter && !quoted && parentheses == 0 && brackets == 0 => {
                return (argument, text.get(i + 1..));
            }
            _ => {}
        }
        argument.push(b);
    }
    (argument, None)
}

/// Option letters with their arguments, and what was wrong with them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// Letter and argument (`None` without parentheses), in the order written.
    pub letters: Vec<(u8, Option<Vec<u8>>)>,
    /// The letter whose argument has no `)`; parsing stopped there.
    pub not_closed: Option<u8>,
}

impl Options {
    /// Whether a letter is there.
    pub fn has(&self, letter: u8) -> bool {
        self.letters.iter().any(|(l, _)| *l == letter)
    }

    /// The argument of a letter; the last one counts.
    pub fn argument(&self, letter: u8) -> Option<&[u8]> {
        self.letters
            .iter()
            .rev()
            .find(|(l, _)| *l == letter)
            .and_then(|(_, a)| a.as_deref())
    }
}

/// Cuts an option string: letters, each perhaps followed by `(argument)`. Parentheses nest; an argument
/// that begins with `"` is quoted up to the next `"`; elsewhere `\` protects the next byte.
pub fn options(text: &[u8]) -> Options {
    let mut options = Options::default();
    let mut rest = text;
    while let Some((&letter, tail)) = rest.split_first() {
        rest = tail;
        let Some(inside) = rest.strip_prefix(b"(") else {
            options.letters.push((letter, None));
            continue;
        };
        if let Some((argument, tail)) = option_argument(inside) {
            options.letters.push((letter, Some(argument)));
            rest = tail;
        } else {
            options.not_closed = Some(letter);
            return options;
        }
    }
    options
}

fn option_argument(text: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let mut argument = Vec::new();
    let mut depth = 1usize;
    let quoting = text.first() == Some(&b'"');
    let mut quoted = false;
    let mut bytes = text.iter().enumerate();
    while let Some((i, &b)) = bytes.next() {
        match b {
            b'"' if quoting => {
                quoted = !quoted;
                continue;
            }
            b'\\' => {
                if let Some((_, &next)) = bytes.next() {
                    argument.push(next);
                }
                continue;
            }
            b'(' if !quoted => depth += 1,
            b')' if !quoted => {
                depth -= 1;
                if depth == 0 {
                    return Some((argument, text.get(i + 1..)?));
                }
            }
            _ => {}
        }
        argument.push(b);
    }
    None
}

/// Replaces `^` by `,` in a location given inside an option, except where `\` protects it.
pub fn option_location(text: &[u8]) -> Vec<u8> {
    let mut location = Vec::with_capacity(text.len());
    let mut bytes = text.iter();
    while let Some(&b) = bytes.next() {
        match b {
            b'\\' if bytes.as_slice().first() == Some(&b'^') => {
                bytes.next();
                location.push(b'^');
            }
            b'^' => location.push(b','),
            _ => location.push(b),
        }
    }
    location
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(arguments: Vec<Vec<u8>>) -> Vec<String> {
        arguments
            .into_iter()
            .map(|a| String::from_utf8(a).unwrap())
            .collect()
    }

    #[test]
    fn scanned_arguments_lose_quotes_the_last_slot_keeps_them() {
        assert_eq!(texts(standard(b"1,a,b,\"c,d\"", 2)), ["1", "a,b,\"c,d\""]);
        assert_eq!(texts(standard(b"\"quoted\"", 2)), ["quoted"]);
        assert_eq!(texts(standard(b"a\\,b", 2)), ["a,b"]);
        assert_eq!(texts(standard(b"a,", 3)), ["a", ""]);
        assert_eq!(
            texts(standard(b"f(1,2),[3,4],x", 9)),
            ["f(1,2)", "[3,4]", "x"]
        );
        assert!(standard(b"", 3).is_empty());
    }

    #[test]
    fn options_nest_and_may_be_unclosed() {
        let o = options(b"gb(ctx^s^1(a^b))U(x)");
        assert!(o.has(b'g'));
        assert_eq!(o.argument(b'b'), Some(&b"ctx^s^1(a^b)"[..]));
        assert_eq!(options(b"gL(5").not_closed, Some(b'L'));
    }
}
