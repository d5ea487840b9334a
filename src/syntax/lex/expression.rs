//! Operators and operands of `$[ ]`. Bytes that fit nowhere are dropped: Asterisk prints them
//! on its standard output and goes on.

use logos::Logos;

/// An operand token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operand<'t> {
    /// Whether it is a decimal number without sign and exponent.
    pub numeric: bool,
    /// The bytes, quotes included.
    pub text: &'t [u8],
}

/// A token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Logos)]
#[logos(utf8 = false, skip b"[ \t\r\n]+")]
pub enum Token<'t> {
    /// `|`, `||`
    #[token(b"|")]
    #[token(b"||")]
    Or,
    /// `&`, `&&`
    #[token(b"&")]
    #[token(b"&&")]
    And,
    /// `=`, `==`
    #[token(b"=")]
    #[token(b"==")]
    Equal,
    /// `!=`
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
    /// `+`
    #[token(b"+")]
    Plus,
    /// `-`
    #[token(b"-")]
    Minus,
    /// `*`
    #[token(b"*")]
    Star,
    /// `/`
    #[token(b"/")]
    Slash,
    /// `%`
    #[token(b"%")]
    Percent,
    /// `!`
    #[token(b"!")]
    Not,
    /// `?`
    #[token(b"?")]
    Question,
    /// `::`
    #[token(b"::")]
    ColonColon,
    /// `:`
    #[token(b":")]
    Colon,
    /// `=~`
    #[token(b"=~")]
    EqualTilde,
    /// `~~`
    #[token(b"~~")]
    TildeTilde,
    /// `,`
    #[token(b",")]
    Comma,
    /// `(`
    #[token(b"(")]
    Open,
    /// `)`
    #[token(b")")]
    Close,
    /// A number, word or quoted text.
    // Of two rules that match the same bytes, the numeric one wins.
    #[regex(br"[0-9]+(\.[0-9]+)?", |lex| Operand { numeric: true, text: lex.slice() }, priority = 100)]
    #[regex(br"(?s-u)([A-Za-z0-9.';\\_^#@\x80-\xff]|\$[^{])+", |lex| Operand { numeric: false, text: lex.slice() }, priority = 50)]
    #[regex(br#"(?s-u)"[^"]*""#, |lex| Operand { numeric: false, text: lex.slice() }, priority = 40)]
    Operand(Operand<'t>),
}

impl Token<'_> {
    /// How Asterisk's messages name the token.
    pub fn name(&self) -> &'static str {
        match self {
            Token::Or => "|",
            Token::And => "&",
            Token::Equal => "=",
            Token::NotEqual => "!=",
            Token::Less => "<",
            Token::LessOrEqual => "<=",
            Token::Greater => ">",
            Token::GreaterOrEqual => ">=",
            Token::Plus => "+",
            Token::Minus => "-",
            Token::Star => "*",
            Token::Slash => "/",
            Token::Percent => "%",
            Token::Not => "!",
            Token::Question => "?",
            Token::ColonColon => "::",
            Token::Colon => ":",
            Token::EqualTilde => "=~",
            Token::TildeTilde => "~~",
            Token::Comma => ",",
            Token::Open => "(",
            Token::Close => ")",
            Token::Operand(_) => "<token>",
        }
    }
}

/// The tokens of a text with their offsets.
pub fn tokens(text: &[u8]) -> Vec<(usize, Token<'_>)> {
    let mut found = Vec::new();
    let mut from = 0;
    // Where a word or number ended that is the last token so far.
    let mut word_end = None;
    'text: while let Some(rest) = text.get(from..) {
        let mut lexer = Token::lexer(rest);
        while let Some(token) = lexer.next() {
            let start = from + lexer.span().start;
            match token {
                Ok(token) => {
                    let is_word = matches!(token, Token::Operand(o) if !o.text.starts_with(b"\""));
                    word_end = is_word.then(|| from + lexer.span().end);
                    found.push((start, token));
                }
                Err(()) if text.get(start..).is_some_and(|t| t.starts_with(b"${")) => {
                    // A word that touches it is part of it.
                    let word = found.pop_if(|_| word_end == Some(start));
                    let begin = start;
                    let start = word.map_or(start, |(at, _)| at);
                    let Some((end, next)) = reference(text, begin) else {
                        break 'text;
                    };
                    word_end = None;
                    let text = text.get(start..end).unwrap_or(&[]);
                    found.push((
                        start,
                        Token::Operand(Operand {
                            numeric: false,
                            text,
                        }),
                    ));
                    from = next;
                    continue 'text;
                }
                // What was tried and failed may span several bytes; only the first is dropped.
                Err(()) if lexer.span().len() > 1 => {
                    from = start + 1;
                    continue 'text;
                }
                Err(()) => {}
            }
        }
        break;
    }
    found
}

/// A `${ }` that a value brought along is one operand with what touches it: where its text ends, and
/// where the next token starts. The two differ when a blank or operator follows the brace: Asterisk's
/// lexer then hands over everything up to the end of the text, and still reads on behind the brace.
/// Without the closing brace the text ends there.
fn reference(text: &[u8], start: usize) -> Option<(usize, usize)> {
    let mut at = start + 2;
    let mut depth = 0u32;
    loop {
        let brace = text
            .get(at..)?
            .iter()
            .position(|b| matches!(b, b'{' | b'}'))?;
        at += brace + 1;
        if text.get(at - 1) == Some(&b'{') {
            depth += 1;
            continue;
        }
        if depth > 0 {
            depth -= 1;
            continue;
        }
        let trail = text.get(at..)?;
        if trail.starts_with(b"${") {
            at += 2;
            continue;
        }
        let touching = trail
            .iter()
            .position(|b| b"-\t\r\n $():?%/+=*<>!|&".contains(b))
            .unwrap_or(trail.len());
        return Some(if touching == 0 {
            (text.len(), at)
        } else {
            (at + touching, at + touching)
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &[u8]) -> String {
        let shown: Vec<String> = tokens(text)
            .iter()
            .map(|(_, token)| match token {
                Token::Operand(o) => {
                    let kind = if o.numeric { 'n' } else { 'w' };
                    format!("{kind}{}", String::from_utf8_lossy(o.text))
                }
                other => other.name().to_owned(),
            })
            .collect();
        shown.join(" ")
    }

    #[test]
    fn the_longest_match_wins_and_the_number_on_a_tie() {
        assert_eq!(
            shown(b"08 1.5 1.5.2 5. .5 1e3 5abc"),
            "n08 n1.5 w1.5.2 w5. w.5 w1e3 w5abc"
        );
        assert_eq!(
            shown(b"a||b&&c==d=~e~~f::g!=h!==i"),
            "wa | wb & wc = wd =~ we ~~ wf :: wg != wh != = wi"
        );
        assert_eq!(shown(b"$x$ y ${"), "w$x$ y");
        assert_eq!(shown(b"'a b' \\+"), "w'a wb' w\\ +");
    }

    #[test]
    fn bytes_that_fit_nowhere_are_dropped_and_separate() {
        assert_eq!(shown(b"\"abc"), "wabc");
        assert_eq!(shown(b"\"a b\"c\" + 1"), "w\"a b\" wc + n1");
        assert_eq!(shown(b"[5]{6}~`\x01 7~"), "n5 n6 n7");
        assert_eq!(shown(b"1 + 1$"), "n1 + n1");
        assert_eq!(shown(b"\xff\xe9"), "w\u{fffd}\u{fffd}");
        assert_eq!(shown(b"\""), "");
        assert_eq!(shown(b"5 + ${x"), "n5 +");
        assert_eq!(shown(b"1 + x${ + 1"), "n1 +");
        assert_eq!(shown(b"\"a\"${b}c"), "w\"a\" w${b}c");
        assert_eq!(shown(b"x${b}y + 5 ${c}"), "wx${b}y + n5 w${c}");
        assert_eq!(shown(b"${b}x${c}y + 1"), "w${b}x w${c}y + n1");
        assert_eq!(shown(b"${b}+1"), "w${b}+1 + n1");
    }
}
