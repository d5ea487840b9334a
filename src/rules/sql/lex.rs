//! Tokens of the SQL in which rules are written: SQLite's, as far as rows of tables need it.

use std::borrow::Cow;

use logos::{Lexer, Logos};

/// A token.
#[derive(Debug, Clone, PartialEq, Logos)]
#[logos(utf8 = false)]
#[logos(skip br"[ \t\r\n\x0C]+")]
#[logos(skip(br"(--|#)[^\n]*", allow_greedy = true))]
pub(crate) enum Token<'t> {
    /// `INSERT`
    #[token(b"insert", ignore(case))]
    Insert,
    /// `REPLACE`
    #[token(b"replace", ignore(case))]
    Replace,
    /// `INTO`
    #[token(b"into", ignore(case))]
    Into,
    /// `VALUES`
    #[token(b"values", ignore(case))]
    Values,
    /// `DELETE`
    #[token(b"delete", ignore(case))]
    Delete,
    /// `FROM`
    #[token(b"from", ignore(case))]
    From,
    /// `WHERE`
    #[token(b"where", ignore(case))]
    Where,
    /// `UPDATE`
    #[token(b"update", ignore(case))]
    Update,
    /// `SET`
    #[token(b"set", ignore(case))]
    Set,
    /// `AND`
    #[token(b"and", ignore(case))]
    And,
    /// `OR`
    #[token(b"or", ignore(case))]
    Or,
    /// `NOT`
    #[token(b"not", ignore(case))]
    Not,
    /// `IN`
    #[token(b"in", ignore(case))]
    In,
    /// `IS`
    #[token(b"is", ignore(case))]
    Is,
    /// `BETWEEN`
    #[token(b"between", ignore(case))]
    Between,
    /// `NULL`
    #[token(b"null", ignore(case))]
    Null,
    /// `TRUE`
    #[token(b"true", ignore(case))]
    True,
    /// `FALSE`
    #[token(b"false", ignore(case))]
    False,
    /// `(`
    #[token(b"(")]
    Open,
    /// `)`
    #[token(b")")]
    Close,
    /// `,`
    #[token(b",")]
    Comma,
    /// `;`
    #[token(b";")]
    Semicolon,
    /// `.`
    #[token(b".")]
    Dot,
    /// `-`
    #[token(b"-")]
    Minus,
    /// `+`
    #[token(b"+")]
    Plus,
    /// `=`, `==`
    #[token(b"=")]
    #[token(b"==")]
    Equal,
    /// `<>`, `!=`
    #[token(b"<>")]
    #[token(b"!=")]
    NotEqual,
    /// `<`
    #[token(b"<")]
    Less,
    /// `<=`
    #[token(b"<=")]
    LessOrEqual,
    /// `>`
    #[token(b">")]
    Greater,
    /// `>=`
    #[token(b">=")]
    GreaterOrEqual,
    /// An integer; one beyond 64 bits is a real number, as in SQLite.
    #[regex(br"[0-9]+", integer)]
    #[regex(br"0[xX][0-9a-fA-F]+", hexadecimal)]
    Integer(Number),
    /// A number with a point or an exponent.
    #[regex(
        br"([0-9]+\.[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?|[0-9]+[eE][-+]?[0-9]+",
        real
    )]
    Real(f64),
    /// `'text'`, in which `''` is a quote and a backslash is a backslash.
    #[regex(br"(?s-u)'([^']|'')*'", |lex| unquoted(lex.slice(), b'\''))]
    Text(Cow<'t, [u8]>),
    /// A name.
    #[regex(br"(?s-u)[A-Za-z_\x80-\xff][A-Za-z0-9_$\x80-\xff]*", |lex| Cow::Borrowed(lex.slice()))]
    #[regex(br"(?s-u)`([^`]|``)*`", |lex| unquoted(lex.slice(), b'`'))]
    #[regex(br"(?s-u)\[[^\]]*\]", |lex| Cow::Borrowed(inside(lex.slice())))]
    Name(Cow<'t, [u8]>),
    /// `"name"`; a text where no name can stand, as in SQLite.
    #[regex(br#"(?s-u)"([^"]|"")*""#, |lex| unquoted(lex.slice(), b'"'))]
    Quoted(Cow<'t, [u8]>),
    /// `/* a comment */`, never handed on.
    #[token(b"/*", comment)]
    Comment,
    /// A byte that starts no token, or a quote or comment that is not closed.
    Fault,
}

/// An integer literal as it counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Number {
    /// Within 64 bits.
    Integer(i64),
    /// Beyond.
    Real(f64),
}

fn integer<'t>(lex: &mut Lexer<'t, Token<'t>>) -> Number {
    let digits = lex.slice();
    let value = digits.iter().try_fold(0i64, |value, digit| {
        value
            .checked_mul(10)?
            .checked_add(i64::from(digit.wrapping_sub(b'0')))
    });
    value.map_or_else(|| Number::Real(float(digits)), Number::Integer)
}

fn hexadecimal<'t>(lex: &mut Lexer<'t, Token<'t>>) -> Option<Number> {
    let digits = std::str::from_utf8(lex.slice().get(2..)?).ok()?;
    // SQLite reads 64 bits as two's complement.
    u64::from_str_radix(digits, 16)
        .ok()
        .map(|value| Number::Integer(value.cast_signed()))
}

fn real<'t>(lex: &mut Lexer<'t, Token<'t>>) -> f64 {
    float(lex.slice())
}

fn float(digits: &[u8]) -> f64 {
    std::str::from_utf8(digits)
        .ok()
        .and_then(|digits| digits.parse().ok())
        .unwrap_or(f64::INFINITY)
}

fn comment<'t>(lex: &mut Lexer<'t, Token<'t>>) -> Result<logos::Skip, ()> {
    let rest = lex.remainder();
    let end = memchr::memmem::find(rest, b"*/");
    lex.bump(end.map_or(rest.len(), |at| at + 2));
    end.map(|_| logos::Skip).ok_or(())
}

fn inside(quoted: &[u8]) -> &[u8] {
    quoted
        .get(1..quoted.len().saturating_sub(1))
        .unwrap_or_default()
}

fn unquoted(quoted: &[u8], quote: u8) -> Cow<'_, [u8]> {
    let text = inside(quoted);
    if memchr::memchr(quote, text).is_none() {
        return Cow::Borrowed(text);
    }
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.iter();
    while let Some(&byte) = bytes.next() {
        out.push(byte);
        if byte == quote {
            // The second of the pair.
            bytes.next();
        }
    }
    Cow::Owned(out)
}

/// The tokens of a text with their offsets and ends.
pub(super) fn tokens(text: &[u8]) -> impl Iterator<Item = (usize, Token<'_>, usize)> {
    Token::lexer(text)
        .spanned()
        .map(|(token, span)| (span.start, token.unwrap_or(Token::Fault), span.end))
}
