//! Texts of `$[ ]` to postfix steps.

use lalrpop_util::ParseError;

use crate::syntax::ast::expression::{Expression, Step};
use crate::syntax::error::ExpressionFault;
use crate::syntax::lex::expression::{Token, tokens};

generated_grammar!("/expression.rs");

/// Parses the text between `$[` and `]`; `None` when it has no tokens.
pub fn expression(text: &[u8]) -> Option<Expression<'_>> {
    expression_of_tokens(&tokens(text), text.len())
}

/// Parses tokens with their offsets.
pub fn expression_of_tokens<'t>(
    tokens: &[(usize, Token<'t>)],
    length: usize,
) -> Option<Expression<'t>> {
    if tokens.is_empty() {
        return None;
    }
    let mut steps = Vec::with_capacity(tokens.len());
    let Some(before) = stopped_at(tokens, None, &mut steps) else {
        return Some(Expression { steps, fault: None });
    };
    let mut complete = false;
    let good = tokens.get(..before).unwrap_or(tokens);
    if ends_operand(good) {
        // Asterisk's parser reduces what it can before it looks at the offending token. The token
        // that could close the innermost open construct makes ours do the same.
        steps.clear();
        complete = stopped_at(good, None, &mut steps).is_none();
        if !complete && let Some(closing) = innermost(good) {
            steps.clear();
            stopped_at(good, Some(closing), &mut steps);
        }
    }
    let offending = tokens.get(before);
    Some(Expression {
        steps,
        fault: Some(ExpressionFault {
            offset: offending.map_or(length, |&(offset, _)| offset),
            unexpected: offending.map_or("$end", |(_, token)| token.name()),
            before,
            complete,
        }),
    })
}

/// Parses and gives the index of the offending token (the count of tokens if more were expected).
fn stopped_at<'t>(
    tokens: &[(usize, Token<'t>)],
    closing: Option<Token<'t>>,
    steps: &mut Vec<Step<'t>>,
) -> Option<usize> {
    let numbered = tokens
        .iter()
        .map(|&(_, token)| token)
        .chain(closing)
        .enumerate()
        .map(|(index, token)| Ok((index, token, index + 1)));
    match grammar::ExpressionParser::new().parse(steps, numbered) {
        Ok(()) => None,
        Err(
            ParseError::UnrecognizedToken {
                token: (index, ..), ..
            }
            | ParseError::ExtraToken { token: (index, ..) },
        ) => Some(index),
        Err(ParseError::UnrecognizedEof { .. } | ParseError::InvalidToken { .. }) => {
            Some(tokens.len())
        }
        Err(ParseError::User { error }) => match error {},
    }
}

fn ends_operand(tokens: &[(usize, Token<'_>)]) -> bool {
    matches!(tokens.last(), Some((_, Token::Operand(_) | Token::Close)))
}

/// A token that ends the expression inside the innermost open construct and starts no evaluation itself.
fn innermost<'t>(tokens: &[(usize, Token<'t>)]) -> Option<Token<'t>> {
    let mut open = Vec::new();
    let mut name_before = false;
    for (_, token) in tokens {
        match token {
            // Between the parentheses of a call a comma ends an argument without the call.
            Token::Open if name_before => open.push(Token::Comma),
            Token::Open => open.push(Token::Close),
            Token::Question => open.push(Token::ColonColon),
            Token::Close | Token::ColonColon => {
                open.pop();
            }
            _ => {}
        }
        name_before = matches!(token, Token::Operand(_));
    }
    open.pop()
}
