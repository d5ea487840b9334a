//! Guarded compilation of `$[ ]`: done once, valid while the run-time values keep the token structure.

use crate::base::value::INT_LIMIT;
use crate::base::{Number, Text, Value};
use crate::machine::expression::{self as machine, Memory};
use crate::program::expression::{
    Binary, Code, Comparison, Compiled, Constant, Ending, IntOperand, Operation, Part, Shape, Slot,
    Unary,
};
use crate::syntax;
use crate::syntax::lex::expression::{Operand, Token, tokens};

/// A part of the text between `$[` and `]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Text as written.
    Literal(Vec<u8>),
    /// A `${ }` or nested `$[ ]`; holes are numbered from 0 in text order.
    Hole,
}

/// Bytes that never occur in UTF-8; one that the text does not hold stands for the holes while the
/// text is cut into tokens. All of them are word characters, as the values of most holes are.
const MARKS: [u8; 13] = [
    0xff, 0xfe, 0xc0, 0xc1, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0xfa, 0xfb, 0xfc, 0xfd,
];

/// Compiles an expression; `None` = its meaning depends on the joined text, evaluate that at run time:
/// it has a syntax error, a hole next to another operand, a hole as function name or after `$`,
/// an unpaired quote, or it calls a dialplan function.
pub fn compile(pieces: &[Piece]) -> Option<Compiled> {
    let literal = || {
        pieces.iter().flat_map(|piece| match piece {
            Piece::Literal(text) => text.as_slice(),
            Piece::Hole => &[],
        })
    };
    // With an odd count, a quote in a value would pair with the one left over.
    if literal().filter(|b| **b == b'"').count() % 2 == 1 {
        return None;
    }
    let mark = MARKS
        .into_iter()
        .find(|mark| !literal().any(|b| b == mark))?;
    let mut text = Vec::new();
    let mut holes = 0;
    for piece in pieces {
        match piece {
            Piece::Literal(literal) => text.extend_from_slice(literal),
            Piece::Hole => {
                text.push(mark);
                holes += 1;
            }
        }
    }
    // A `${` that was left in the text takes other tokens in.
    if text.windows(2).any(|pair| pair == b"${") {
        return None;
    }
    let tokens = tokens(&text);
    let Some(parsed) = syntax::expression_of_tokens(&tokens, text.len()) else {
        return Some(finished(
            machine::lower(None),
            Box::default(),
            0,
            text.len(),
        ));
    };
    if parsed.fault.is_some() {
        return None;
    }
    let slots = slots(&tokens, mark)?;
    let mut code = machine::lower(Some(&parsed));
    let mut next = 0;
    for operation in &mut code.operations {
        match operation {
            Operation::Constant(Constant::Text(text)) if text.contains(&mark) => {
                // Operand tokens are pushed in text order, so slots come in order, too.
                *operation = Operation::Slot(next);
                next += 1;
            }
            Operation::Call { .. } => return None,
            _ => {}
        }
    }
    let literal_bytes = text.len() - holes as usize;
    Some(finished(code, slots, holes, literal_bytes))
}

/// The slots of the tokens with holes, in order.
fn slots(tokens: &[(usize, Token<'_>)], mark: u8) -> Option<Box<[Slot]>> {
    let mut slots = Vec::new();
    let mut hole = 0;
    for (index, (_, token)) in tokens.iter().enumerate() {
        let Token::Operand(Operand { text, .. }) = token else {
            continue;
        };
        if !text.contains(&mark) {
            continue;
        }
        let next = tokens.get(index + 1).map(|(_, token)| token);
        if next == Some(&Token::Open) {
            return None;
        }
        slots.push(if *text == [mark] {
            let negative = !matches!(
                next,
                Some(Token::Colon | Token::EqualTilde | Token::TildeTilde)
            );
            hole += 1;
            Slot::Isolated {
                hole: hole - 1,
                negative,
            }
        } else if text.first() == Some(&b'"') {
            Slot::Quoted(parts(text, mark, &mut hole))
        } else if text.contains(&b'$') {
            // `$` pairs with the next byte, whatever that will be.
            return None;
        } else {
            Slot::Adjacent(parts(text, mark, &mut hole))
        });
    }
    Some(slots.into())
}

fn parts(text: &[u8], mark: u8, hole: &mut u32) -> Box<[Part]> {
    let mut parts = Vec::new();
    for (index, literal) in text.split(|&b| b == mark).enumerate() {
        if index > 0 {
            parts.push(Part::Hole(*hole));
            *hole += 1;
        }
        if !literal.is_empty() {
            parts.push(Part::Literal(Text::from(literal)));
        }
    }
    parts.into()
}

fn finished(code: Code, slots: Box<[Slot]>, holes: u32, literal_bytes: usize) -> Compiled {
    let shape = shape(&code, &slots);
    let mut compiled = Compiled {
        code,
        slots,
        holes,
        literal_bytes,
        shape,
    };
    if holes == 0 && compiled.shape == Shape::Other {
        let mut silent = true;
        let value = machine::evaluate(&compiled, &[], &mut Memory::default(), &mut |_| {
            silent = false;
        });
        if let (true, Some(value)) = (silent, value) {
            compiled.shape = Shape::Constant(value);
        }
    }
    compiled
}

/// The integer operand that the operations begin with, and the operations after it.
fn integer<'c>(
    operations: &'c [Operation],
    slots: &[Slot],
) -> Option<(IntOperand, &'c [Operation])> {
    let (first, rest) = operations.split_first()?;
    let n = match first {
        Operation::Slot(index) => match slots.get(*index as usize)? {
            Slot::Isolated { hole, .. } => return Some((IntOperand::Hole(*hole), rest)),
            _ => return None,
        },
        Operation::Constant(Constant::Numeric(Value::Int(n))) => *n,
        Operation::Constant(Constant::Numeric(Value::Text(text))) => {
            Number::read(text).to_integer()?
        }
        _ => return None,
    };
    if n.unsigned_abs() >= INT_LIMIT.unsigned_abs() {
        return None;
    }
    Some(match rest {
        [Operation::Unary(Unary::Negate), rest @ ..] => (IntOperand::Constant(-n), rest),
        rest => (IntOperand::Constant(n), rest),
    })
}

/// A hole and a constant, both between quotes, on either side.
fn quoted(operands: &[Operation], slots: &[Slot]) -> Option<(u32, Text)> {
    let ([
        Operation::Slot(index),
        Operation::Constant(Constant::Text(text)),
    ]
    | [
        Operation::Constant(Constant::Text(text)),
        Operation::Slot(index),
    ]) = operands
    else {
        return None;
    };
    let Slot::Quoted(parts) = slots.get(*index as usize)? else {
        return None;
    };
    let [Part::Literal(open), Part::Hole(hole), Part::Literal(close)] = &**parts else {
        return None;
    };
    let inside = |text: &Text| match text.as_bytes() {
        [b'"', inside @ .., b'"'] if !inside.contains(&b'"') => Some(Text::from(inside)),
        _ => None,
    };
    (open.as_bytes() == b"\"" && close.as_bytes() == b"\"")
        .then(|| inside(text))?
        .map(|text| (*hole, text))
}

fn shape(code: &Code, slots: &[Slot]) -> Shape {
    if code.ending != Ending::Value {
        return Shape::Other;
    }
    let [operands @ .., Operation::Binary(operator)] = &*code.operations else {
        return Shape::Other;
    };
    if let Binary::Compare(op @ (Comparison::Equal | Comparison::NotEqual)) = operator
        && let Some((hole, text)) = quoted(operands, slots)
    {
        return Shape::Same {
            hole,
            text,
            equal: *op == Comparison::Equal,
        };
    }
    let Some((left, rest)) = integer(operands, slots) else {
        return Shape::Other;
    };
    let Some((right, [])) = integer(rest, slots) else {
        return Shape::Other;
    };
    match (operator, left, right) {
        (_, IntOperand::Constant(_), IntOperand::Constant(_)) => Shape::Other,
        (Binary::Add, IntOperand::Hole(hole), IntOperand::Constant(k))
        | (Binary::Add, IntOperand::Constant(k), IntOperand::Hole(hole)) => {
            Shape::AddConst { hole, k }
        }
        (Binary::Subtract, IntOperand::Hole(hole), IntOperand::Constant(k)) => {
            Shape::AddConst { hole, k: -k }
        }
        (Binary::Compare(op), left, right) => Shape::Compare {
            op: *op,
            left,
            right,
        },
        _ => Shape::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `^` stands for a hole.
    fn compiled(template: &str) -> Option<Compiled> {
        let mut pieces = Vec::new();
        for (index, literal) in template.split('^').enumerate() {
            if index > 0 {
                pieces.push(Piece::Hole);
            }
            if !literal.is_empty() {
                pieces.push(Piece::Literal(literal.into()));
            }
        }
        compile(&pieces)
    }

    fn value(template: &str, values: &[&str]) -> Option<String> {
        let holes: Vec<Value> = values
            .iter()
            .map(|v| Value::from_bytes(v.as_bytes()))
            .collect();
        let value = machine::evaluate(
            &compiled(template)?,
            &holes,
            &mut Memory::default(),
            &mut |_| {},
        )?;
        Some(value.to_text().lossy().into_owned())
    }

    #[test]
    fn shapes_are_recognised() {
        let shape = |template| compiled(template).unwrap().shape().clone();
        assert_eq!(shape("^+1"), Shape::AddConst { hole: 0, k: 1 });
        assert_eq!(shape("^ - 10"), Shape::AddConst { hole: 0, k: -10 });
        assert_eq!(shape("-1 + ^"), Shape::AddConst { hole: 0, k: -1 });
        assert_eq!(
            shape("^ > -05.0"),
            Shape::Compare {
                op: Comparison::Greater,
                left: IntOperand::Hole(0),
                right: IntOperand::Constant(-5)
            }
        );
        assert_eq!(
            shape("^<^"),
            Shape::Compare {
                op: Comparison::Less,
                left: IntOperand::Hole(0),
                right: IntOperand::Hole(1)
            }
        );
        assert_eq!(shape("2*3+1"), Shape::Constant(Value::Int(7)));
        for (template, text, equal) in [
            ("\"^\" = \"a b\"", "a b", true),
            ("\"\" != \"^\"", "", false),
        ] {
            let text = Text::from(text);
            assert_eq!(
                shape(template),
                Shape::Same {
                    hole: 0,
                    text,
                    equal
                }
            );
        }
        assert_eq!(shape("\"x^\" = \"a\""), Shape::Other);
        assert_eq!(shape("\"^\" = a"), Shape::Other);
        assert_eq!(shape("\"^\" < \"a\""), Shape::Other);
        assert_eq!(shape("1/0"), Shape::Other);
        assert_eq!(shape("1^ < 5"), Shape::Other);
    }

    #[test]
    fn what_depends_on_the_text_is_not_compiled() {
        for template in [
            "3 ^",
            "^(1)",
            "^ (1)",
            "$^",
            "a$^",
            "\"^",
            "^\"y\"",
            "LEN(^)",
            "^ +",
            "^ ? 1 : 2",
            "a b",
        ] {
            assert_eq!(compiled(template), None, "{template}");
        }
    }

    #[test]
    fn guards_let_single_operands_pass() {
        assert_eq!(value("^+1", &["41"]).as_deref(), Some("42"));
        assert_eq!(value("^+1", &[" 41 "]).as_deref(), Some("42"));
        assert_eq!(value("^+1", &["-41"]).as_deref(), Some("-40"));
        assert_eq!(value("^", &["007"]).as_deref(), Some("007"));
        assert_eq!(value("\"^\" = \"a b\"", &["a b"]).as_deref(), Some("1"));
        assert_eq!(value("0^ + 1", &["5"]).as_deref(), Some("6"));
        assert_eq!(value("^^ = ab", &["a", "b"]).as_deref(), Some("1"));
        for (template, text) in [
            ("^+1", ""),
            ("^+1", "+5"),
            ("^+1", "a b"),
            ("^", "a-b"),
            ("^ : 5", "-5"),
            ("0^", "-5"),
            ("0^", " 5"),
            ("\"^\"", "a\"b"),
            ("^", "$x"),
            ("^", "- 5"),
            ("^", "\""),
        ] {
            assert_eq!(value(template, &[text]), None, "{template} {text}");
        }
    }
}
