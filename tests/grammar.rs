//! The generated parser of `$[ ]` against an independent precedence climber, on random tokens.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::float_cmp,
    reason = "a test fails by panicking, and says what it measured"
)]

use proptest::prelude::*;
use strowger::syntax::ast::expression::{Binary, Step, Unary};
use strowger::syntax::expression_of_tokens;
use strowger::syntax::lex::expression::{Operand, Token};

const WORD: Operand<'static> = Operand {
    numeric: false,
    text: b"w",
};

/// A tree written with all its parentheses.
struct Climber<'a> {
    tokens: &'a [Token<'static>],
    at: usize,
}

fn level(token: &Token<'_>) -> Option<(u8, &'static str)> {
    Some(match token {
        Token::Question => (1, "?"),
        Token::Or => (2, "|"),
        Token::And => (3, "&"),
        Token::Equal => (4, "="),
        Token::NotEqual => (4, "!="),
        Token::Less => (4, "<"),
        Token::LessOrEqual => (4, "<="),
        Token::Greater => (4, ">"),
        Token::GreaterOrEqual => (4, ">="),
        Token::Plus => (5, "+"),
        Token::Minus => (5, "-"),
        Token::Star => (6, "*"),
        Token::Slash => (6, "/"),
        Token::Percent => (6, "%"),
        Token::Colon => (8, ":"),
        Token::EqualTilde => (8, "=~"),
        Token::TildeTilde => (8, "~~"),
        _ => return None,
    })
}

impl Climber<'_> {
    fn peek(&self) -> Option<&Token<'static>> {
        self.tokens.get(self.at)
    }

    fn take(&mut self, token: &Token<'_>) -> Option<()> {
        (self.peek()? == token).then(|| self.at += 1)
    }

    fn first(&mut self) -> Option<String> {
        let token = *self.peek()?;
        self.at += 1;
        match token {
            Token::Operand(_) if self.peek() == Some(&Token::Open) => {
                self.at += 1;
                let mut arguments = vec![self.climb(1)?];
                while self.peek() == Some(&Token::Comma) {
                    self.at += 1;
                    if matches!(self.peek(), Some(Token::Comma | Token::Close)) {
                        arguments.push("nothing".into());
                    } else {
                        arguments.push(self.climb(1)?);
                    }
                }
                self.take(&Token::Close)?;
                Some(format!("w[{}]", arguments.join(",")))
            }
            Token::Operand(_) => Some("w".into()),
            Token::Open => {
                let inner = self.climb(1)?;
                self.take(&Token::Close)?;
                Some(inner)
            }
            Token::Minus => Some(format!("(neg {})", self.climb(7)?)),
            Token::Not => Some(format!("(not {})", self.climb(7)?)),
            _ => None,
        }
    }

    fn climb(&mut self, least: u8) -> Option<String> {
        let mut left = self.first()?;
        while let Some((found, name)) = self.peek().and_then(level) {
            if found < least {
                break;
            }
            self.at += 1;
            if found == 1 {
                let middle = self.climb(1)?;
                self.take(&Token::ColonColon)?;
                let right = self.climb(2)?;
                left = format!("({left}?{middle}::{right})");
            } else {
                let right = self.climb(found + 1)?;
                left = format!("({left}{name}{right})");
            }
        }
        Some(left)
    }
}

fn climbed(tokens: &[Token<'static>]) -> Option<String> {
    let mut climber = Climber { tokens, at: 0 };
    let tree = climber.climb(1)?;
    (climber.at == tokens.len()).then_some(tree)
}

fn name(operator: Binary) -> &'static str {
    match operator {
        Binary::Or => "|",
        Binary::And => "&",
        Binary::Equal => "=",
        Binary::NotEqual => "!=",
        Binary::Less => "<",
        Binary::LessOrEqual => "<=",
        Binary::Greater => ">",
        Binary::GreaterOrEqual => ">=",
        Binary::Add => "+",
        Binary::Subtract => "-",
        Binary::Multiply => "*",
        Binary::Divide => "/",
        Binary::Remainder => "%",
        Binary::MatchStart => ":",
        Binary::MatchAnywhere => "=~",
        Binary::Concatenate => "~~",
    }
}

fn written(steps: &[Step<'_>]) -> String {
    let mut stack: Vec<String> = Vec::new();
    for step in steps {
        let tree = match step {
            Step::Operand(_) => "w".into(),
            Step::Omitted => "nothing".into(),
            Step::Unary(Unary::Negate) => format!("(neg {})", stack.pop().unwrap()),
            Step::Unary(Unary::Not) => format!("(not {})", stack.pop().unwrap()),
            Step::Binary(operator) => {
                let (right, left) = (stack.pop().unwrap(), stack.pop().unwrap());
                format!("({left}{}{right})", name(*operator))
            }
            Step::Conditional => {
                let (right, middle, left) = (
                    stack.pop().unwrap(),
                    stack.pop().unwrap(),
                    stack.pop().unwrap(),
                );
                format!("({left}?{middle}::{right})")
            }
            Step::Call { arguments, .. } => {
                let arguments = stack.split_off(stack.len() - *arguments as usize);
                format!("w[{}]", arguments.join(","))
            }
        };
        stack.push(tree);
    }
    assert_eq!(stack.len(), 1);
    stack.pop().unwrap()
}

fn token() -> impl Strategy<Value = Token<'static>> {
    prop_oneof![
        8 => Just(Token::Operand(WORD)),
        2 => prop::sample::select(vec![Token::Open, Token::Close]),
        6 => infix(),
        2 => prop::sample::select(vec![Token::Minus, Token::Not]),
        1 => prop::sample::select(vec![Token::Comma, Token::ColonColon]),
    ]
}

fn infix() -> impl Strategy<Value = Token<'static>> {
    prop::sample::select(vec![
        Token::Question,
        Token::Or,
        Token::And,
        Token::Equal,
        Token::NotEqual,
        Token::Less,
        Token::LessOrEqual,
        Token::Greater,
        Token::GreaterOrEqual,
        Token::Plus,
        Token::Minus,
        Token::Star,
        Token::Slash,
        Token::Percent,
        Token::Colon,
        Token::EqualTilde,
        Token::TildeTilde,
    ])
}

/// Tokens of a grammatical expression.
fn grammatical() -> impl Strategy<Value = Vec<Token<'static>>> {
    let leaf = Just(vec![Token::Operand(WORD)]);
    leaf.prop_recursive(6, 64, 3, |inner| {
        prop_oneof![
            4 => (inner.clone(), infix(), inner.clone()).prop_map(|(a, op, b)| {
                let op = if op == Token::Question { Token::Plus } else { op };
                [a, vec![op], b].concat()
            }),
            2 => (prop::sample::select(vec![Token::Minus, Token::Not]), inner.clone())
                .prop_map(|(op, a)| [vec![op], a].concat()),
            1 => inner.clone().prop_map(|a| [vec![Token::Open], a, vec![Token::Close]].concat()),
            1 => (inner.clone(), inner.clone(), inner.clone()).prop_map(|(a, b, c)| {
                [a, vec![Token::Question], b, vec![Token::ColonColon], c].concat()
            }),
            1 => (inner.clone(), inner).prop_map(|(a, b)| {
                let call = vec![Token::Operand(WORD), Token::Open];
                [call, a, vec![Token::Comma], b, vec![Token::Comma, Token::Close]].concat()
            }),
        ]
    })
}

fn check(tokens: &[Token<'static>]) {
    let numbered: Vec<_> = tokens.iter().copied().enumerate().collect();
    let Some(parsed) = expression_of_tokens(&numbered, tokens.len()) else {
        assert!(tokens.is_empty());
        return;
    };
    let expected = climbed(tokens);
    match (&parsed.fault, &expected) {
        (None, Some(tree)) => assert_eq!(&written(&parsed.steps), tree),
        (Some(fault), None) => {
            // Before the offending token all is well, and whether it is complete is known.
            let good = &tokens[..fault.before];
            let whole = climbed(good);
            assert_eq!(fault.complete, whole.is_some());
            if let Some(tree) = whole {
                assert_eq!(written(&parsed.steps), tree);
            }
        }
        _ => panic!("{tokens:?}: {parsed:?}, expected {expected:?}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn noise_parses_alike(tokens in prop::collection::vec(token(), 0..14)) {
        check(&tokens);
    }

    #[test]
    fn expressions_parse_alike(tokens in grammatical()) {
        check(&tokens);
    }
}

#[test]
fn depth_costs_no_stack() {
    for text in [
        [vec![b'('; 100_000], b"1".to_vec(), vec![b')'; 100_000]].concat(),
        vec![b'-'; 100_000],
        vec![b'('; 100_000],
        b"1?".repeat(50_000),
        b"F(".repeat(50_000),
        b"1+".repeat(50_000),
        b"a~~".repeat(50_000),
        b"\"".repeat(100_001),
        b"${".repeat(50_000),
    ] {
        let _ = strowger::syntax::expression(&text);
    }
}
