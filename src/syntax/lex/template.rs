//! Cuts text with substitutions into pieces, as Asterisk's scanner does: left to right, `${` up to the
//! matching `}` counting braces, `$[` up to the matching `]` counting brackets; nothing escapes them.
//!
//! With `anglesubstitution=yes` `$<` is another spelling of `${`: it ends at the `>` that stands at the
//! same depth of parentheses, nested `$<` counted.

/// A piece of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Copied as it is.
    Literal(&'a [u8]),
    /// `${inside}`.
    Variable(Inside<'a>),
    /// `$[inside]`.
    Expression(Inside<'a>),
}

/// The inside of a substitution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inside<'a> {
    /// Between the brackets; to the end of the text when they are not closed.
    pub text: &'a [u8],
    /// Whether the closing bracket is there.
    pub closed: bool,
    /// Whether it holds further substitutions.
    pub nested: bool,
}

/// Whether a text holds a substitution at all.
pub fn has_substitution(text: &[u8], angle: bool) -> bool {
    opening(text, angle).is_some()
}

/// The first piece of a text, and the rest; `None` at the end.
pub fn next_piece(text: &[u8], angle: bool) -> Option<(Piece<'_>, &[u8])> {
    if text.is_empty() {
        return None;
    }
    let start = opening(text, angle).unwrap_or(text.len());
    if start > 0 {
        let (literal, rest) = text.split_at_checked(start)?;
        return Some((Piece::Literal(literal), rest));
    }
    let (open, inside) = text.split_at_checked(2)?;
    let (end, closed) = match open {
        b"${" => matching(inside, b'{', b'}'),
        b"$[" => matching(inside, b'[', b']'),
        _ => matching_angle(inside),
    };
    let (body, rest) = inside.split_at_checked(end)?;
    let rest = if closed { rest.get(1..)? } else { rest };
    let inside = Inside {
        text: body,
        closed,
        nested: has_substitution(body, angle),
    };
    let piece = if open == b"$[" {
        Piece::Expression(inside)
    } else {
        Piece::Variable(inside)
    };
    Some((piece, rest))
}

fn opening(text: &[u8], angle: bool) -> Option<usize> {
    let mut from = 0;
    loop {
        let at = from + text.get(from..)?.iter().position(|&byte| byte == b'$')?;
        match text.get(at + 1)? {
            b'{' | b'[' => return Some(at),
            b'<' if angle => return Some(at),
            _ => from = at + 1,
        }
    }
}

fn matching(inside: &[u8], open: u8, close: u8) -> (usize, bool) {
    let mut depth = 1usize;
    for (i, &b) in inside.iter().enumerate() {
        if b == open {
            depth += 1;
        } else if b == close {
            depth -= 1;
            if depth == 0 {
                return (i, true);
            }
        }
    }
    (inside.len(), false)
}

fn matching_angle(inside: &[u8]) -> (usize, bool) {
    // Depth of parentheses at each open `$<`.
    let mut open = vec![0i64];
    let mut parentheses = 0i64;
    let mut previous = 0u8;
    for (i, &b) in inside.iter().enumerate() {
        match b {
            b'(' => parentheses += 1,
            b')' => parentheses -= 1,
            b'<' if previous == b'$' => open.push(parentheses),
            // A surplus `)` leaves the parentheses: the `>` behind it is not inside any.
            b'>' if open.last().is_some_and(|depth| parentheses <= *depth) => {
                open.pop();
                if open.is_empty() {
                    return (i, true);
                }
            }
            _ => {}
        }
        previous = b;
    }
    (inside.len(), false)
}

/// The parts of the inside of a `${ }` after its own substitutions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reference<'a> {
    /// Name of the variable, or the whole function call.
    pub name: &'a [u8],
    /// What stands behind the first colon outside parentheses.
    pub cut: Option<&'a [u8]>,
    /// Whether the name holds a parenthesis and so calls a function.
    pub function: bool,
}

/// Splits the inside of a `${ }` at the first colon outside parentheses.
pub fn reference(inside: &[u8]) -> Reference<'_> {
    let mut depth = 0i64;
    let mut function = false;
    for (i, &b) in inside.iter().enumerate() {
        match b {
            b'(' => {
                function = true;
                depth += 1;
            }
            b')' => depth -= 1,
            b':' if depth == 0 => {
                return Reference {
                    name: inside.get(..i).unwrap_or(&[]),
                    cut: inside.get(i + 1..),
                    function,
                };
            }
            _ => {}
        }
    }
    Reference {
        name: inside,
        cut: None,
        function,
    }
}

/// Splits a function call into name and arguments; the arguments go to the last `)`.
/// The flag says whether there is a `)`.
pub fn function_call(call: &[u8]) -> (&[u8], &[u8], bool) {
    let Some(open) = call.iter().position(|&b| b == b'(') else {
        return (call, &[], true);
    };
    let name = call.get(..open).unwrap_or(&[]);
    let rest = call.get(open + 1..).unwrap_or(&[]);
    match rest.iter().rposition(|&b| b == b')') {
        Some(close) => (name, rest.get(..close).unwrap_or(&[]), true),
        None => (name, rest, false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str, angle: bool) -> Vec<String> {
        let mut rest = text.as_bytes();
        let mut all = Vec::new();
        while let Some((piece, tail)) = next_piece(rest, angle) {
            all.push(match piece {
                Piece::Literal(t) => format!("L {}", String::from_utf8_lossy(t)),
                Piece::Variable(i) => format!("V {}", String::from_utf8_lossy(i.text)),
                Piece::Expression(i) => format!("E {}", String::from_utf8_lossy(i.text)),
            });
            rest = tail;
        }
        all
    }

    #[test]
    fn braces_and_brackets_are_counted() {
        assert_eq!(
            pieces("a${b${c}}$[1+[2]]$", false),
            ["L a", "V b${c}", "E 1+[2]", "L $"]
        );
        assert_eq!(pieces("${a{b}c} ${d", false), ["V a{b}c", "L  ", "V d"]);
    }

    #[test]
    fn angles_end_at_their_own_depth_of_parentheses() {
        assert_eq!(pieces("$<a>", false), ["L $<a>"]);
        assert_eq!(
            pieces("$<IF($[$<a> > 3]?x:y)>z$<b$<c>>", true),
            ["V IF($[$<a> > 3]?x:y)", "L z", "V b$<c>"]
        );
        assert_eq!(
            pieces("$<LEN(a))>x $<s)>t", true),
            ["V LEN(a))", "L x ", "V s)", "L t"]
        );
    }
}
