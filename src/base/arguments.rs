//! How application and function data is cut into arguments (Asterisk's standard parsing, observed with
//! master 2026-08): commas at depth 0; `( )` and `[ ]` nest; `"` toggles quoting; `\` protects the next byte.

use std::borrow::Cow;

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
    parts(data, how).map(Cow::into_owned).collect()
}

/// Splits data, one argument after the other. They stay where they are in the data unless quotes or backslashes had
/// to be removed.
pub fn parts(data: &[u8], how: Split) -> impl Iterator<Item = Cow<'_, [u8]>> {
    let mut rest = (!data.is_empty()).then_some(data);
    (1..=how.slots).map_while(move |slot| {
        let text = rest.take()?;
        if slot == how.slots {
            return Some(Cow::Borrowed(text));
        }
        let (argument, tail) = scan(text, how);
        rest = tail;
        Some(argument)
    })
}

/// At most `N` arguments. They stay where they are in the data unless quotes or backslashes had to be removed, so
/// that cutting does not allocate.
#[derive(Debug, Clone)]
pub struct Few<'d, const N: usize> {
    parts: [Cow<'d, [u8]>; N],
    count: usize,
}

const NOTHING: &[u8] = &[];

impl<'d, const N: usize> Few<'d, N> {
    /// Splits like [`standard`].
    pub fn standard(data: &'d [u8]) -> Self {
        Self::split(data, b',', true)
    }

    /// Splits like [`raw`].
    pub fn raw(data: &'d [u8]) -> Self {
        Self::split(data, b',', false)
    }

    /// Splits like [`split`], with or without the removal of quotes and backslashes.
    pub fn split(data: &'d [u8], delimiter: u8, remove: bool) -> Self {
        let how = Split {
            delimiter,
            slots: N,
            remove,
        };
        let mut parts = [const { Cow::Borrowed(NOTHING) }; N];
        let mut count = 0;
        for (slot, part) in parts.iter_mut().zip(self::parts(data, how)) {
            *slot = part;
            count += 1;
        }
        Self { parts, count }
    }

    /// Those that are there.
    pub fn as_slice(&self) -> &[Cow<'d, [u8]>] {
        self.parts.get(..self.count).unwrap_or(&self.parts)
    }

    /// One of them.
    pub fn get(&self, n: usize) -> Option<&[u8]> {
        self.as_slice().get(n).map(Cow::as_ref)
    }

    /// The same with bytes of its own.
    pub fn into_owned(self) -> Few<'static, N> {
        Few {
            parts: self.parts.map(|part| Cow::Owned(part.into_owned())),
            count: self.count,
        }
    }
}

/// One argument, and what follows its delimiter.
fn scan(text: &[u8], how: Split) -> (Cow<'_, [u8]>, Option<&[u8]>) {
    let (mut parentheses, mut brackets) = (0usize, 0usize);
    let mut quoted = false;
    // What was kept so far, once something was removed.
    let mut kept: Option<Vec<u8>> = None;
    let mut at = 0;
    while let Some(&b) = text.get(at) {
        let before = text.get(..at).unwrap_or(text);
        at += 1;
        match b {
            b'\\' => {
                let next = text.get(at);
                at += usize::from(next.is_some());
                if how.remove {
                    kept.get_or_insert_with(|| before.to_vec()).extend(next);
                } else if let Some(kept) = &mut kept {
                    kept.push(b);
                    kept.extend(next);
                }
                continue;
            }
            b'"' if how.delimiter != b'"' => {
                quoted = !quoted;
                if how.remove {
                    kept.get_or_insert_with(|| before.to_vec());
                    continue;
                }
            }
            b'(' if !quoted => parentheses += 1,
            b')' if !quoted => parentheses = parentheses.saturating_sub(1),
            b'[' if !quoted => brackets += 1,
            b']' if !quoted => brackets = brackets.saturating_sub(1),
            _ if b == how.delimiter && !quoted && parentheses == 0 && brackets == 0 => {
                return (
                    kept.map_or(Cow::Borrowed(before), Cow::Owned),
                    text.get(at..),
                );
            }
            _ => {}
        }
        if let Some(kept) = &mut kept {
            kept.push(b);
        }
    }
    (kept.map_or(Cow::Borrowed(text), Cow::Owned), None)
}

/// Whether a call with these arguments ends at its own parenthesis: every `(` inside is closed again.
pub fn balanced(arguments: &[u8]) -> bool {
    let mut depth = 0i64;
    for &b in arguments {
        match b {
            b'(' => depth += 1,
            b')' => {
                depth -= 1;
                if depth < 0 {
                    return false;
                }
            }
            _ => {}
        }
    }
    depth == 0
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
    fn few_arguments_are_cut_like_many_and_stay_where_they_are() {
        for text in [
            "",
            "a",
            "a,",
            ",",
            "a,b,c,d",
            "\"a,b\",c",
            "a\\,b,c",
            "(a,b),[c,d]",
            "a\"b,c",
            "x\\",
        ] {
            let text = text.as_bytes();
            for remove in [true, false] {
                let (delimiter, slots) = (b',', 3);
                let many = split(
                    text,
                    Split {
                        delimiter,
                        slots,
                        remove,
                    },
                );
                let few = Few::<3>::split(text, delimiter, remove);
                let few: Vec<_> = few.as_slice().iter().map(|part| part.to_vec()).collect();
                assert_eq!(few, many);
            }
        }
        let few = Few::<3>::standard(b"a,b");
        assert!(
            few.as_slice()
                .iter()
                .all(|part| matches!(part, Cow::Borrowed(_)))
        );
    }

    #[test]
    fn options_nest_and_may_be_unclosed() {
        let o = options(b"gb(ctx^s^1(a^b))U(x)");
        assert!(o.has(b'g'));
        assert_eq!(o.argument(b'b'), Some(&b"ctx^s^1(a^b)"[..]));
        assert_eq!(options(b"gL(5").not_closed, Some(b'L'));
    }
}
