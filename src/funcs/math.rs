//! MATH, INC and DEC, MIN, MAX and ABS.

use crate::base::Value;
use crate::base::arguments::standard;
use crate::base::scan::{double, fixed, int, to_int};
use crate::base::value::append_int;
use crate::diagnostic::{Level, code};
use crate::library::{Example, Function};
use crate::machine::{Answer, Cx};

/// One operation.
pub static MATH: Function = Function::read(
    "MATH",
    "One arithmetic operation.",
    "a op b[,type]",
    "The operator is the first of this order that occurs: `*`, `/`, `%`, `^`, `AND`, `XOR`, `OR`, `>` `>=` `>>`, `<` \
     `<=` `<<`, `==`, `+`, `-`. What follows the second number is not read. Types are `float` (six decimals, the \
     default), `int`, `hex` and `char`. Division by zero or by a negative number gives 0; comparisons give TRUE or \
     FALSE. For more than one operation use `$[ ]`.",
    math,
)
.examples(&[
    Example {
        title: "A quotient",
        dialplan: "",
        evaluate: "${MATH(10/4)} ${MATH(10/4,int)}",
        expect: "2.500000 2",
    },
    Example {
        title: "A comparison",
        dialplan: "",
        evaluate: "${MATH(2>1)}",
        expect: "TRUE",
    },
]);

#[derive(Clone, Copy)]
enum Op {
    Times,
    Over,
    Remainder,
    Power,
    And,
    Xor,
    Or,
    Greater,
    GreaterEqual,
    ShiftRight,
    Less,
    LessEqual,
    ShiftLeft,
    Equal,
    Plus,
    Minus,
}

#[derive(Clone, Copy)]
enum Kind {
    Float,
    Int,
    Hex,
    Char,
}

fn math(cx: &mut Cx<'_>, arguments: &[u8], out: &mut Vec<u8>) -> Answer {
    let arguments = standard(arguments, 2);
    let first = arguments.first().map_or(&[][..], Vec::as_slice);
    let (negative, text) = match first.strip_prefix(b"-") {
        Some(rest) => (true, rest),
        None => (false, first),
    };
    let Some((left, op, right)) = operation(text) else {
        cx.log(&code::MATH_MISSING_OPERAND, || {
            "MATH needs two numbers and an operator".to_owned()
        });
        return Answer::Failed;
    };
    let kind = match arguments.get(1) {
        None => Some(Kind::Float),
        Some(name) => match name.to_ascii_lowercase().as_slice() {
            b"float" | b"f" => Some(Kind::Float),
            b"int" | b"i" => Some(Kind::Int),
            b"hex" | b"h" => Some(Kind::Hex),
            b"char" | b"c" => Some(Kind::Char),
            _ => None,
        },
    };
    let Some(kind) = kind else {
        cx.log(&code::MATH_UNKNOWN_TYPE, || {
            "the type is none of float, int, hex and char".to_owned()
        });
        return Answer::Failed;
    };
    let (Some((a, _)), Some((b, _))) = (double(left), double(right)) else {
        cx.log(&code::NOT_A_NUMBER, || {
            "MATH needs numbers on both sides".to_owned()
        });
        return Answer::Failed;
    };
    match compute(if negative { -a } else { a }, op, b) {
        Err(holds) => out.extend_from_slice(if holds { b"TRUE" } else { b"FALSE" }),
        Ok(number) => print(number, kind, out),
    }
    Answer::Done
}

fn print(number: f64, kind: Kind, out: &mut Vec<u8>) {
    match kind {
        Kind::Float => out.extend_from_slice(fixed(number, 6).as_bytes()),
        Kind::Int => append_int(i64::from(to_int(number)), out),
        Kind::Hex => {
            // Converted by way of a long, as x86-64 does.
            let long = if number.abs() < 9.2e18 { number as i64 } else { i64::MIN };
            out.extend_from_slice(format!("{:x}", long as u32).as_bytes());
        }
        Kind::Char => {
            let byte = to_int(number) as u8;
            if byte != 0 {
                out.push(byte);
            }
        }
    }
}

/// Splits at the operator.
fn operation(text: &[u8]) -> Option<(&[u8], Op, &[u8])> {
    let split = |at: usize, length: usize, op: Op| Some((text.get(..at)?, op, text.get(at + length..)?));
    for (byte, op) in [
        (b'*', Op::Times),
        (b'/', Op::Over),
        (b'%', Op::Remainder),
        (b'^', Op::Power),
    ] {
        if let Some(at) = text.iter().position(|b| *b == byte) {
            return split(at, 1, op);
        }
    }
    for (word, op) in [(&b"AND"[..], Op::And), (b"XOR", Op::Xor), (b"OR", Op::Or)] {
        if let Some(at) = bstr::ByteSlice::find(text, word) {
            return split(at, word.len(), op);
        }
    }
    let position = |byte: u8| text.iter().position(|b| *b == byte);
    if let Some(at) = position(b'>') {
        return match text.get(at + 1) {
            Some(b'=') => split(at, 2, Op::GreaterEqual),
            Some(b'>') => split(at, 2, Op::ShiftRight),
            _ => split(at, 1, Op::Greater),
        };
    }
    if let Some(at) = position(b'<') {
        return match text.get(at + 1) {
            Some(b'=') => split(at, 2, Op::LessEqual),
            Some(b'<') => split(at, 2, Op::ShiftLeft),
            _ => split(at, 1, Op::Less),
        };
    }
    if let Some(at) = position(b'=') {
        return match text.get(at + 1) {
            Some(b'=') => split(at, 2, Op::Equal),
            _ => None,
        };
    }
    if let Some(at) = position(b'+') {
        return split(at, 1, Op::Plus);
    }
    split(position(b'-')?, 1, Op::Minus)
}

/// A number, or the truth of a comparison.
#[expect(clippy::float_cmp, reason = "MATH compares exactly")]
fn compute(a: f64, op: Op, b: f64) -> Result<f64, bool> {
    let (m, n) = (to_int(a), to_int(b));
    let whole = |n: i32| Ok(f64::from(n));
    match op {
        Op::Times => Ok(a * b),
        Op::Over => Ok(if b <= 0.0 { 0.0 } else { a / b }),
        Op::Remainder => whole(if n == 0 { 0 } else { m.wrapping_rem(n) }),
        Op::Power => Ok(power(a, b)),
        Op::And => whole(m & n),
        Op::Xor => whole(m ^ n),
        Op::Or => whole(m | n),
        Op::ShiftRight => whole(m.wrapping_shr(n as u32)),
        Op::ShiftLeft => whole(m.wrapping_shl(n as u32)),
        Op::Plus => Ok(a + b),
        Op::Minus => Ok(a - b),
        Op::Greater => Err(a > b),
        Op::GreaterEqual => Err(a >= b),
        Op::Less => Err(a < b),
        Op::LessEqual => Err(a <= b),
        Op::Equal => Err(a == b),
    }
}

/// `pow` of C; x86 makes the result of an invalid operation a negative NaN.
fn power(a: f64, b: f64) -> f64 {
    let result = a.powf(b);
    if result.is_nan() && !a.is_nan() && !b.is_nan() {
        return -f64::NAN.abs();
    }
    result
}

/// Adds 1.
pub static INC: Function = Function::read(
    "INC",
    "Adds 1 to a variable and gives the result.",
    "variable",
    "The variable must hold an integer; anything else stays unchanged and has no value.",
    |cx: &mut Cx<'_>, name, out| step(cx, name, 1, out),
)
.examples(&[Example {
    title: "Count",
    dialplan: "Set(n=9)",
    evaluate: "${INC(n)} ${n}",
    expect: "10 10",
}]);

/// Subtracts 1.
pub static DEC: Function = Function::read(
    "DEC",
    "Subtracts 1 from a variable and gives the result.",
    "variable",
    "The variable must hold an integer; anything else stays unchanged and has no value.",
    |cx: &mut Cx<'_>, name, out| step(cx, name, -1, out),
)
.examples(&[Example {
    title: "Count down",
    dialplan: "Set(n=0)",
    evaluate: "${DEC(n)} ${n}",
    expect: "-1 -1",
}]);

fn step(cx: &mut Cx<'_>, name: &[u8], by: i32, out: &mut Vec<u8>) -> Answer {
    if name.is_empty() {
        cx.log(&code::BAD_ARGUMENT, || "INC or DEC without a variable".to_owned());
        return Answer::Failed;
    }
    let value = cx.stored_variable(name).map(|v| v.to_text()).unwrap_or_default();
    if value.is_empty() {
        cx.log(&code::VARIABLE_MISSING, || {
            format!("the variable `{}` has no value", bstr::BStr::new(name))
        });
        return Answer::Failed;
    }
    let Some((number, [])) = int(&value) else {
        cx.log_at(&code::NOT_A_NUMBER, Level::Notice, || {
            format!("`{value}` is no integer")
        });
        return Answer::Failed;
    };
    let number = Value::integer(i64::from(number.wrapping_add(by)));
    number.append_to(out);
    cx.set_value(name, number);
    Answer::Done
}

/// The smallest.
pub static MIN: Function = Function::read(
    "MIN",
    "The smaller of two numbers.",
    "number,number",
    "An integer is printed as such, anything else with six decimals.",
    |cx: &mut Cx<'_>, arguments, out| extreme(cx, arguments, out, |a, b| if a < b { a } else { b }),
)
.examples(&[Example {
    title: "Of two",
    dialplan: "",
    evaluate: "${MIN(3,-2)}",
    expect: "-2",
}]);

/// The largest.
pub static MAX: Function = Function::read(
    "MAX",
    "The larger of two numbers.",
    "number,number",
    "An integer is printed as such, anything else with six decimals.",
    |cx: &mut Cx<'_>, arguments, out| extreme(cx, arguments, out, |a, b| if a > b { a } else { b }),
)
.examples(&[Example {
    title: "Of two",
    dialplan: "",
    evaluate: "${MAX(3,4.5)}",
    expect: "4.500000",
}]);

fn extreme(cx: &mut Cx<'_>, arguments: &[u8], out: &mut Vec<u8>, pick: fn(f64, f64) -> f64) -> Answer {
    let arguments = standard(arguments, 2);
    let number = |i: usize| {
        arguments
            .get(i)
            .and_then(|text| double(text))
            .map(|(n, _)| n)
    };
    let (Some(a), Some(b)) = (number(0), number(1)) else {
        return refused(cx);
    };
    plain(pick(a, b), out);
    Answer::Done
}

/// Without its sign.
pub static ABS: Function = Function::read(
    "ABS",
    "A number without its sign.",
    "number",
    "An integer is printed as such, anything else with six decimals.",
    |cx: &mut Cx<'_>, text, out| {
        let Some((number, _)) = double(text) else {
            return refused(cx);
        };
        plain(number.abs(), out);
        Answer::Done
    },
)
.examples(&[Example {
    title: "Both ways",
    dialplan: "",
    evaluate: "${ABS(-5)} ${ABS(-0.5)}",
    expect: "5 0.500000",
}]);

fn refused(cx: &mut Cx<'_>) -> Answer {
    cx.log(&code::NOT_A_NUMBER, || "a number is missing".to_owned());
    Answer::Failed
}

/// What fits an int is printed without decimals.
#[expect(clippy::float_cmp, reason = "asks whether the number is whole")]
fn plain(number: f64, out: &mut Vec<u8>) {
    let whole = to_int(number);
    if f64::from(whole) == number {
        append_int(i64::from(whole), out);
    } else {
        out.extend_from_slice(fixed(number, 6).as_bytes());
    }
}
