//! Texts of SQL to statements. A statement that is not understood is a fault; the next one is read all the same.

pub(crate) mod lex;
pub(crate) mod statement;

use std::borrow::Cow;

use lalrpop_util::ParseError;

use crate::syntax::generated_grammar;

use lex::Token;
use statement::{Conflict, Literal, Name, Statement};

generated_grammar!("/rules.rs");

/// Why a statement was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fault {
    /// Offset of the first token that does not fit.
    pub(crate) at: usize,
    /// Offset after it; the same as `at` where the statement ends too early.
    pub(crate) end: usize,
}

/// Reads the statements of a text one after the other.
pub(crate) fn statements(text: &[u8]) -> impl Iterator<Item = Result<Statement<'_>, Fault>> {
    let parser = grammar::StatementParser::new();
    let mut tokens = lex::tokens(text);
    let mut statement: Vec<(usize, Token<'_>, usize)> = Vec::new();
    let mut over = false;
    std::iter::from_fn(move || {
        while !over {
            statement.clear();
            loop {
                match tokens.next() {
                    Some((_, Token::Semicolon, _)) => break,
                    Some(token) => statement.push(token),
                    None => {
                        over = true;
                        break;
                    }
                }
            }
            if statement.is_empty() || changes_nothing(&statement) {
                continue;
            }
            let end = statement.last().map_or(text.len(), |&(_, _, end)| end);
            return Some(
                parser
                    .parse(statement.drain(..))
                    .map_err(|error| fault(&error, end)),
            );
        }
        None
    })
}

/// What `LOAD` and `SAVE` move.
const MODULES: [&str; 20] = [
    "admin variables",
    "clickhouse users",
    "clickhouse variables",
    "ldap mapping",
    "ldap variables",
    "mysql digest",
    "mysql firewall",
    "mysql query rules",
    "mysql servers",
    "mysql users",
    "mysql variables",
    "pgsql firewall",
    "pgsql query rules",
    "pgsql servers",
    "pgsql users",
    "pgsql variables",
    "proxysql servers",
    "restapi",
    "scheduler",
    "sqliteserver variables",
];

/// `LOAD`, `SAVE` and the brackets of transactions move rules between the places where the original keeps them.
fn changes_nothing(statement: &[(usize, Token<'_>, usize)]) -> bool {
    // No such statement has more words.
    if statement.len() > 8 {
        return false;
    }
    let words: Option<Vec<String>> = statement
        .iter()
        .map(|(_, token, _)| match token {
            Token::Name(name) => std::str::from_utf8(name).ok().map(str::to_ascii_lowercase),
            Token::From => Some("from".to_owned()),
            _ => None,
        })
        .collect();
    let words = words.unwrap_or_default();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        [
            "load" | "save",
            module @ ..,
            "to" | "from",
            "memory" | "mem" | "runtime" | "run" | "disk" | "config",
        ] => MODULES.contains(&module.join(" ").as_str()),
        ["begin" | "commit" | "end"]
        | ["begin" | "commit" | "end", "transaction"]
        | ["begin", "deferred" | "immediate" | "exclusive"]
        | [
            "begin",
            "deferred" | "immediate" | "exclusive",
            "transaction",
        ] => true,
        _ => false,
    }
}

fn fault(error: &ParseError<usize, Token<'_>, usize>, end: usize) -> Fault {
    match *error {
        ParseError::InvalidToken { location } | ParseError::User { error: location } => Fault {
            at: location,
            end: location,
        },
        ParseError::UnrecognizedEof { .. } => Fault { at: end, end },
        ParseError::UnrecognizedToken {
            token: (at, _, end),
            ..
        }
        | ParseError::ExtraToken {
            token: (at, _, end),
        } => Fault { at, end },
    }
}

fn conflict(word: &[u8]) -> Option<Conflict> {
    let known: [(&str, Conflict); 4] = [
        ("abort", Conflict::Abort),
        ("rollback", Conflict::Abort),
        ("fail", Conflict::Fail),
        ("ignore", Conflict::Ignore),
    ];
    known
        .iter()
        .find(|(name, _)| word.eq_ignore_ascii_case(name.as_bytes()))
        .map(|&(_, conflict)| conflict)
}

fn negative(number: Literal<'_>) -> Literal<'_> {
    match number {
        Literal::Integer(n) => n
            .checked_neg()
            .map_or(Literal::Real(-(n as f64)), Literal::Integer),
        // The smallest integer is written as the negative of one that is too large.
        Literal::Real(r) if r.to_bits() == (-(i64::MIN as f64)).to_bits() => {
            Literal::Integer(i64::MIN)
        }
        Literal::Real(r) => Literal::Real(-r),
        other => other,
    }
}

fn joined<'t>(name: Name<'t>, part: &Name<'t>) -> Name<'t> {
    let text = [&name.text, &b"-"[..], &part.text].concat();
    Name {
        at: name.at,
        text: Cow::Owned(text),
    }
}
