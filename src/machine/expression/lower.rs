//! Syntax to code.

use crate::base::{Text, Value};
use crate::program::expression as program;
use crate::program::expression::{Code, Comparison, Constant, Ending, FaultResult, Operation};
use crate::syntax::ast::expression::{Binary, Expression, Operand, Step, Unary};

/// The code of a parsed text; `None` stands for a text without tokens.
pub fn lower(expression: Option<&Expression<'_>>) -> Code {
    let Some(expression) = expression else {
        return Code {
            operations: Box::default(),
            ending: Ending::Nothing,
        };
    };
    let ending = match &expression.fault {
        None => Ending::Value,
        Some(fault) => Ending::Fault {
            message: fault.to_string(),
            result: match (fault.before, fault.complete) {
                (0, _) => FaultResult::Empty,
                (_, true) => FaultResult::Top,
                (_, false) => FaultResult::Zero,
            },
        },
    };
    Code {
        operations: expression.steps.iter().map(operation).collect(),
        ending,
    }
}

/// The constant that an operand token stands for.
pub fn constant(operand: &Operand<'_>) -> Constant {
    if operand.numeric {
        Constant::Numeric(Value::from_bytes(operand.text))
    } else {
        Constant::Text(Text::from(operand.text))
    }
}

fn operation(step: &Step<'_>) -> Operation {
    match step {
        Step::Operand(operand) => Operation::Constant(constant(operand)),
        Step::Omitted => Operation::Constant(Constant::Text(Text::EMPTY)),
        Step::Unary(Unary::Negate) => Operation::Unary(program::Unary::Negate),
        Step::Unary(Unary::Not) => Operation::Unary(program::Unary::Not),
        Step::Binary(operator) => Operation::Binary(binary(*operator)),
        Step::Conditional => Operation::Conditional,
        Step::Call { name, arguments } => match program::Maths::by_name(name.text) {
            Some(function) => Operation::Maths {
                function,
                arguments: *arguments,
            },
            None => Operation::Call {
                name: Text::from(name.text),
                arguments: *arguments,
            },
        },
    }
}

fn binary(operator: Binary) -> program::Binary {
    match operator {
        Binary::Or => program::Binary::Or,
        Binary::And => program::Binary::And,
        Binary::Equal => program::Binary::Compare(Comparison::Equal),
        Binary::NotEqual => program::Binary::Compare(Comparison::NotEqual),
        Binary::Less => program::Binary::Compare(Comparison::Less),
        Binary::LessOrEqual => program::Binary::Compare(Comparison::LessOrEqual),
        Binary::Greater => program::Binary::Compare(Comparison::Greater),
        Binary::GreaterOrEqual => program::Binary::Compare(Comparison::GreaterOrEqual),
        Binary::Add => program::Binary::Add,
        Binary::Subtract => program::Binary::Subtract,
        Binary::Multiply => program::Binary::Multiply,
        Binary::Divide => program::Binary::Divide,
        Binary::Remainder => program::Binary::Remainder,
        Binary::MatchStart => program::Binary::MatchStart,
        Binary::MatchAnywhere => program::Binary::MatchAnywhere,
        Binary::Concatenate => program::Binary::Concatenate,
    }
}
