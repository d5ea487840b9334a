//! The operators of `$[ ]` on three kinds of operands, with what Asterisk logs about them.

use std::cmp::Ordering;

use crate::base::number::{self, Number, functions};
use crate::base::{EreCache, Text, Value};
use crate::diagnostic::{Entry, code};
use crate::program::expression::{Binary, Constant, Maths, Unary};

/// An operand.
#[derive(Debug, Clone)]
pub enum Operand {
    /// A computed number: prints as `%.18Lg`.
    Number(Number),
    /// A text of digits and dots: prints as it is until an operator needs the number.
    Numeric(Value),
    /// Any other text; quotes belong to it.
    Text(Text),
}

/// Where log entries go.
pub type Log<'a> = &'a mut dyn FnMut(Entry);

impl From<&Constant> for Operand {
    fn from(constant: &Constant) -> Self {
        match constant {
            Constant::Numeric(value) => Operand::Numeric(value.clone()),
            Constant::Text(text) => Operand::Text(text.clone()),
        }
    }
}

impl Operand {
    /// The number 0.
    pub const ZERO: Operand = Operand::Number(Number::ZERO);

    /// An operand from a text that an operator or a function gave: digits and dots count as numeric.
    pub fn retyped(text: &[u8]) -> Self {
        let numeric = !text.is_empty() && text.iter().all(|b| b.is_ascii_digit() || *b == b'.');
        if numeric {
            Operand::Numeric(Value::from_bytes(text))
        } else {
            Operand::Text(Text::from(text))
        }
    }

    /// The number, unless it is text.
    #[inline]
    fn number(&self) -> Option<Number> {
        match self {
            Operand::Number(number) => Some(*number),
            Operand::Numeric(Value::Int(n)) => Some(Number::Int(*n)),
            Operand::Numeric(Value::Text(text)) => Some(Number::read(text)),
            Operand::Text(_) => None,
        }
    }

    /// Appends the text.
    pub fn append_to(&self, out: &mut Vec<u8>) {
        match self {
            Operand::Number(number) => number.append_to(out),
            Operand::Numeric(value) => value.append_to(out),
            Operand::Text(text) => out.extend_from_slice(text),
        }
    }

    /// The result of an expression.
    #[inline]
    pub fn into_value(self) -> Value {
        match self {
            Operand::Number(number) => number.to_value(),
            Operand::Numeric(value) => value,
            Operand::Text(text) => match crate::base::value::canonical_integer(&text) {
                Some(n) => Value::Int(n),
                None => Value::Text(text),
            },
        }
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.append_to(&mut bytes);
        bytes
    }

    /// Asterisk's test of `|` and `&`: 0 or empty. A numeric text becomes a number by it.
    fn absent(self) -> (bool, Self) {
        match self.number() {
            Some(number) => (number.is_zero(), Operand::Number(number)),
            None => match self {
                Operand::Text(ref text) => (text.is_empty(), self),
                other => (false, other),
            },
        }
    }
}

fn warn(log: Log<'_>, code: &'static code::Code, message: &str) {
    log(Entry::new(code, message));
}

fn non_numeric(log: Log<'_>) {
    warn(log, &code::EXPR_NON_NUMERIC, "non-numeric argument");
}

fn overflow(log: Log<'_>) {
    warn(log, &code::EXPR_OVERFLOW, "overflow");
}

/// Applies a prefix operator.
pub fn unary(operator: Unary, operand: &Operand, log: Log<'_>) -> Operand {
    match operator {
        Unary::Negate => {
            let Some(number) = operand.number() else {
                non_numeric(log);
                return Operand::ZERO;
            };
            let result = number.negated();
            if number::difference_overflows(Number::ZERO, number, result) {
                overflow(log);
            }
            Operand::Number(result)
        }
        Unary::Not => Operand::Number(Number::from(match operand {
            Operand::Number(number) => number.is_zero(),
            Operand::Numeric(Value::Int(n)) => *n as i32 == 0,
            Operand::Numeric(Value::Text(text)) | Operand::Text(text) => atoi(text) == 0,
        })),
    }
}

/// C's `atoi` of glibc: the text's leading integer, saturated to 64 bits, cut to 32.
fn atoi(text: &[u8]) -> i32 {
    let text = text.trim_ascii_start();
    let (sign, digits) = match text {
        [b'-', rest @ ..] => (-1, rest),
        [b'+', rest @ ..] | rest => (1, rest),
    };
    digits
        .iter()
        .take_while(|b| b.is_ascii_digit())
        .fold(0i64, |n, b| {
            n.saturating_mul(10)
                .saturating_add(sign * i64::from(b - b'0'))
        }) as i32
}

/// Applies an infix operator.
#[inline]
pub fn binary(
    operator: Binary,
    left: Operand,
    right: Operand,
    patterns: &mut EreCache,
    log: Log<'_>,
) -> Operand {
    match operator {
        Binary::Or => match left.absent() {
            (true, _) => right,
            (false, left) => left,
        },
        Binary::And => match left.absent() {
            (true, _) => Operand::ZERO,
            (false, left) => match right.absent() {
                (true, _) => Operand::ZERO,
                (false, _) => left,
            },
        },
        Binary::Compare(comparison) => {
            Operand::Number(Number::from(comparison.holds(order(&left, &right))))
        }
        Binary::Add => add(&left, &right, log),
        Binary::Subtract => subtract(&left, &right, log),
        Binary::Multiply => multiply(&left, &right, log),
        Binary::Divide => divide(&left, &right, log),
        Binary::Remainder => remainder(&left, &right, log),
        Binary::Concatenate => {
            let mut joined = unquoted(left.bytes());
            joined.extend_from_slice(&unquoted(right.bytes()));
            Operand::retyped(&joined)
        }
        Binary::MatchStart => matched(&left, &right, true, patterns, log),
        Binary::MatchAnywhere => matched(&left, &right, false, patterns, log),
    }
}

/// Numbers compare as numbers, anything else as text by byte order.
fn order(left: &Operand, right: &Operand) -> Option<Ordering> {
    match (left.number(), right.number()) {
        (Some(a), Some(b)) => a.compared(b),
        _ => match (left, right) {
            (Operand::Text(a), Operand::Text(b)) => Some(a.cmp(b)),
            _ => Some(left.bytes().cmp(&right.bytes())),
        },
    }
}

fn add(left: &Operand, right: &Operand, log: Log<'_>) -> Operand {
    Operand::Number(match (left.number(), right.number()) {
        (Some(a), Some(b)) => {
            let sum = a.plus(b);
            if number::sum_overflows(a, b, sum) {
                overflow(log);
            }
            sum
        }
        // The other way round Asterisk does not complain.
        (Some(a), None) => a,
        (None, b) => {
            non_numeric(log);
            b.unwrap_or(Number::ZERO)
        }
    })
}

fn subtract(left: &Operand, right: &Operand, log: Log<'_>) -> Operand {
    Operand::Number(match (left.number(), right.number()) {
        (Some(a), Some(b)) => {
            let difference = a.minus(b);
            if number::difference_overflows(a, b, difference) {
                overflow(log);
            }
            difference
        }
        (Some(a), None) => {
            non_numeric(log);
            a
        }
        (None, b) => {
            non_numeric(log);
            b.map_or(Number::ZERO, |b| Number::ZERO.minus(b))
        }
    })
}

fn multiply(left: &Operand, right: &Operand, log: Log<'_>) -> Operand {
    let (Some(a), Some(b)) = (left.number(), right.number()) else {
        non_numeric(log);
        return Operand::ZERO;
    };
    let product = a.times(b);
    if number::product_overflows(a, b, product) {
        overflow(log);
    }
    Operand::Number(product)
}

/// What a division by zero or by text gives: C's `INT_MAX`.
const UNDIVIDED: Number = Number::Int(2_147_483_647);

fn divide(left: &Operand, right: &Operand, log: Log<'_>) -> Operand {
    let Some(a) = left.number() else {
        non_numeric(log);
        return Operand::ZERO;
    };
    let Some(b) = right.number() else {
        non_numeric(log);
        return Operand::Number(UNDIVIDED);
    };
    if b.is_zero() {
        warn(log, &code::EXPR_DIVISION_BY_ZERO, "division by zero");
        return Operand::Number(UNDIVIDED);
    }
    if number::quotient_overflows(a, b) {
        overflow(log);
    }
    Operand::Number(a.over(b))
}

fn remainder(left: &Operand, right: &Operand, log: Log<'_>) -> Operand {
    let (Some(a), Some(b)) = (left.number(), right.number()) else {
        non_numeric(log);
        return Operand::ZERO;
    };
    if b.is_zero() {
        warn(log, &code::EXPR_MODULO_BY_ZERO, "div by zero");
        return Operand::Number(b);
    }
    Operand::Number(a.fmod(b))
}

/// A text that starts and ends with a quote loses all its quotes.
fn unquoted(mut text: Vec<u8>) -> Vec<u8> {
    if text.first() == Some(&b'"') && text.last() == Some(&b'"') {
        text.retain(|&b| b != b'"');
    }
    text
}

fn matched(
    left: &Operand,
    right: &Operand,
    from_start: bool,
    patterns: &mut EreCache,
    log: Log<'_>,
) -> Operand {
    let (subject, pattern) = (unquoted(left.bytes()), unquoted(right.bytes()));
    let ere = match patterns.get(&pattern) {
        Ok(ere) => ere,
        Err(error) => {
            warn(
                log,
                &code::EXPR_BAD_REGEX,
                &format!("regcomp() error : {error}"),
            );
            return Operand::Text(Text::EMPTY);
        }
    };
    match ere
        .find(&subject)
        .filter(|found| !from_start || found.start == 0)
    {
        Some(found) => match found.group1.and_then(|range| subject.get(range)) {
            Some(group) => Operand::retyped(group),
            None => Operand::Number(Number::Int((found.end - found.start) as i64)),
        },
        None if ere.has_groups() => Operand::Text(Text::EMPTY),
        None => Operand::ZERO,
    }
}

/// `condition ? left :: right`; both sides are evaluated already.
pub fn conditional(condition: &Operand, left: Operand, right: Operand) -> Operand {
    let truth = match condition {
        Operand::Text(text) => !matches!(text.as_bytes(), b"" | b"0" | b"\"\""),
        other => !other.number().is_some_and(Number::is_zero),
    };
    if truth { left } else { right }
}

/// Calls a built-in maths function.
pub fn maths(function: Maths, arguments: &[Operand], log: Log<'_>) -> Operand {
    // A text is read as 0: Asterisk reads memory that is no number, in practice a tiny one.
    let number = |operand: &Operand| operand.number().unwrap_or(Number::ZERO);
    let result = match arguments {
        [x] if function.arguments() == 1 => {
            let x = number(x);
            match function {
                Maths::Cos => functions::cos(x),
                Maths::Sin => functions::sin(x),
                Maths::Tan => functions::tan(x),
                Maths::Acos => functions::acos(x),
                Maths::Asin => functions::asin(x),
                Maths::Atan => functions::atan(x),
                Maths::Sqrt => functions::sqrt(x),
                Maths::Floor => functions::floor(x),
                Maths::Ceil => functions::ceil(x),
                Maths::Round => functions::round(x),
                Maths::Rint => functions::rint(x),
                Maths::Trunc => functions::trunc(x),
                Maths::Exp => functions::exp(x),
                Maths::Exp2 => functions::exp2(x),
                Maths::Exp10 => functions::exp10(x),
                Maths::Log => functions::log(x),
                Maths::Log2 => functions::log2(x),
                Maths::Log10 => functions::log10(x),
                Maths::Abs => functions::abs(x),
                Maths::Atan2 | Maths::Pow | Maths::Remainder => Number::ZERO,
            }
        }
        [x, y] if function.arguments() == 2 => {
            let (x, y) = (number(x), number(y));
            match function {
                Maths::Atan2 => functions::atan2(x, y),
                Maths::Pow => functions::pow(x, y),
                Maths::Remainder => functions::remainder(x, y),
                _ => Number::ZERO,
            }
        }
        _ => {
            let message = format!("Wrong args to {}() function", function.name());
            warn(log, &code::EXPR_FUNC_WRONG_ARG_COUNT, &message);
            Number::ZERO
        }
    };
    Operand::Number(result)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::expression::Comparison;

    fn text(text: &str) -> Operand {
        Operand::Text(Text::from(text))
    }

    fn numeric(text: &str) -> Operand {
        Operand::Numeric(Value::from_bytes(text.as_bytes()))
    }

    fn applied(operator: Binary, left: Operand, right: Operand) -> (String, Vec<&'static str>) {
        let mut kinds = Vec::new();
        let result = binary(
            operator,
            left,
            right,
            &mut EreCache::default(),
            &mut |entry| {
                kinds.push(entry.code.kind);
            },
        );
        (String::from_utf8(result.bytes()).unwrap(), kinds)
    }

    #[test]
    fn or_and_and_test_for_zero_or_empty() {
        assert_eq!(applied(Binary::Or, numeric("007"), numeric("3")).0, "7");
        assert_eq!(applied(Binary::Or, numeric("0"), numeric("007")).0, "007");
        assert_eq!(applied(Binary::Or, text("\"0\""), numeric("3")).0, "\"0\"");
        assert_eq!(applied(Binary::And, text("a"), numeric("0.0")).0, "0");
        assert_eq!(applied(Binary::And, text("a"), text("b")).0, "a");
    }

    #[test]
    fn quotes_count_in_comparisons() {
        let equal = Binary::Compare(Comparison::Equal);
        assert_eq!(applied(equal, text("\"1\""), numeric("1")).0, "0");
        assert_eq!(applied(equal, numeric("05"), numeric("5.0")).0, "1");
        assert_eq!(
            applied(Binary::Compare(Comparison::Less), numeric("10"), text("9a")).0,
            "1"
        );
    }

    #[test]
    fn text_in_arithmetic_is_logged_once_and_not_always() {
        let warned = vec!["expr-non-numeric"];
        assert_eq!(
            applied(Binary::Add, text("a"), numeric("3")),
            ("3".into(), warned.clone())
        );
        assert_eq!(
            applied(Binary::Add, numeric("3"), text("a")),
            ("3".into(), vec![])
        );
        assert_eq!(
            applied(Binary::Divide, numeric("1"), text("a")),
            ("2147483647".into(), warned)
        );
    }

    #[test]
    fn not_reads_texts_like_atoi() {
        let not = |operand| matches!(unary(Unary::Not, &operand, &mut |_| {}), Operand::Number(n) if !n.is_zero());
        assert!(
            not(text("abc")) && not(numeric("0.5")) && not(text("")) && not(numeric("4294967296"))
        );
        assert!(!not(text("5abc")) && !not(numeric("1")));
    }
}
