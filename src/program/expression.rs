//! `$[ ]` as plain postfix code.

use crate::base::{Text, Value};

/// A unary operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unary {
    /// `-`
    Negate,
    /// `!`
    Not,
}

/// A binary operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Binary {
    /// `|`, `||`
    Or,
    /// `&`, `&&`
    And,
    /// `=`, `==`, `>`, `<`, `>=`, `<=`, `!=`
    Compare(Comparison),
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Remainder,
    /// `:`, a match at the start of the text
    MatchStart,
    /// `=~`, a match anywhere
    MatchAnywhere,
    /// `~~`
    Concatenate,
}

/// A comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// `=`, `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

impl Comparison {
    /// The same comparison with its sides exchanged.
    #[must_use]
    pub fn mirrored(self) -> Self {
        match self {
            Comparison::Less => Comparison::Greater,
            Comparison::LessOrEqual => Comparison::GreaterOrEqual,
            Comparison::Greater => Comparison::Less,
            Comparison::GreaterOrEqual => Comparison::LessOrEqual,
            same => same,
        }
    }

    /// Whether the comparison holds for an order of the two sides; `None` = not comparable (NaN).
    #[inline]
    pub fn holds(self, order: Option<std::cmp::Ordering>) -> bool {
        use std::cmp::Ordering;
        match self {
            Comparison::Equal => order == Some(Ordering::Equal),
            Comparison::NotEqual => order != Some(Ordering::Equal),
            Comparison::Less => order == Some(Ordering::Less),
            Comparison::LessOrEqual => matches!(order, Some(Ordering::Less | Ordering::Equal)),
            Comparison::Greater => order == Some(Ordering::Greater),
            Comparison::GreaterOrEqual => {
                matches!(order, Some(Ordering::Greater | Ordering::Equal))
            }
        }
    }
}

macro_rules! maths {
    ($($name:ident $text:literal $count:literal;)*) => {
        /// A maths function built into `$[ ]`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Maths {
            $(#[doc = concat!("`", $text, "()`")] $name,)*
        }

        impl Maths {
            /// The function of this name (case-sensitive).
            pub fn by_name(name: &[u8]) -> Option<Self> {
                $(if name == $text.as_bytes() { return Some(Maths::$name); })*
                None
            }

            /// Its name.
            pub fn name(self) -> &'static str {
                match self { $(Maths::$name => $text,)* }
            }

            /// How many arguments it takes.
            pub fn arguments(self) -> u32 {
                match self { $(Maths::$name => $count,)* }
            }
        }
    };
}

maths! {
    Cos "COS" 1;
    Sin "SIN" 1;
    Tan "TAN" 1;
    Acos "ACOS" 1;
    Asin "ASIN" 1;
    Atan "ATAN" 1;
    Atan2 "ATAN2" 2;
    Pow "POW" 2;
    Sqrt "SQRT" 1;
    Floor "FLOOR" 1;
    Ceil "CEIL" 1;
    Round "ROUND" 1;
    Rint "RINT" 1;
    Trunc "TRUNC" 1;
    Exp "EXP" 1;
    Exp2 "EXP2" 1;
    Exp10 "EXP10" 1;
    Log "LOG" 1;
    Log2 "LOG2" 1;
    Log10 "LOG10" 1;
    Remainder "REMAINDER" 2;
    Abs "ABS" 1;
}

/// An operand that stands in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Constant {
    /// A numeric string: prints as written until it is used as a number.
    Numeric(Value),
    /// Any other text; quotes belong to it.
    Text(Text),
}

/// One step of the postfix code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operation {
    /// Pushes a constant.
    Constant(Constant),
    /// Pushes an operand made from run-time values: index into [`Compiled::slots`].
    Slot(u32),
    /// Replaces the top.
    Unary(Unary),
    /// Replaces the two topmost operands.
    Binary(Binary),
    /// Replaces condition, left and right (all evaluated) by left or right.
    Conditional,
    /// Calls a built-in maths function; the count of arguments may be wrong.
    Maths {
        /// Which one.
        function: Maths,
        /// How many arguments were given.
        arguments: u32,
    },
    /// Calls a dialplan function.
    Call {
        /// Its name as written.
        name: Text,
        /// How many arguments were given.
        arguments: u32,
    },
}

/// What the expression is worth after the last step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// The top of the stack.
    Value,
    /// Nothing to evaluate: empty, without a log entry.
    Nothing,
    /// A syntax error is logged after the steps have run.
    Fault {
        /// The message.
        message: String,
        /// The value.
        result: FaultResult,
    },
}

/// The value of an expression with a syntax error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultResult {
    /// The offending token was the first: empty.
    Empty,
    /// The tokens before it are a complete expression: its value.
    Top,
    /// Anything else: `0`.
    Zero,
}

/// Postfix code of one expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Code {
    /// The steps in the order in which Asterisk's parser runs them.
    pub operations: Box<[Operation]>,
    /// What comes out.
    pub ending: Ending,
}

/// An operand made from run-time values, with the guard under which it equals the textual meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Slot {
    /// Stands alone: number, word or one quoted token; blanks around it do not count.
    Isolated {
        /// Which hole.
        hole: u32,
        /// Whether `-` and a number may stand here (not before `:`, `=~`, `~~`).
        negative: bool,
    },
    /// Touches word characters or other holes: the parts joined are one token.
    Adjacent(Box<[Part]>),
    /// Inside quotes; the quotes are part of the literal parts.
    Quoted(Box<[Part]>),
}

/// A part of a joined operand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Text that stands in the expression.
    Literal(Text),
    /// A run-time value.
    Hole(u32),
}

/// A compiled expression with holes. Never suspends: it calls no dialplan function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compiled {
    pub(crate) code: Code,
    pub(crate) slots: Box<[Slot]>,
    pub(crate) holes: u32,
    pub(crate) literal_bytes: usize,
    pub(crate) shape: Shape,
}

impl Compiled {
    /// The code.
    pub fn code(&self) -> &Code {
        &self.code
    }

    /// The operands made from holes.
    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// How many holes there are.
    pub fn holes(&self) -> u32 {
        self.holes
    }

    /// A simple shape that a later pass can fuse with its surroundings.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }
}

/// Simple shapes. Those of numbers are exact only while all their holes are `Value::Int`;
/// for other values the general way must be taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shape {
    /// `${hole} + k` (also `k + ${hole}`, and `${hole} - k` with a negative `k`); |k| < 10^18.
    AddConst {
        /// Which hole.
        hole: u32,
        /// What is added.
        k: i64,
    },
    /// A comparison of two integers; 1 or 0.
    Compare {
        /// The comparison.
        op: Comparison,
        /// Left side.
        left: IntOperand,
        /// Right side.
        right: IntOperand,
    },
    /// `"${hole}" = "text"` or `!=`; 1 or 0. Exact while the value is short and holds no quote.
    Same {
        /// Which hole.
        hole: u32,
        /// The constant, without its quotes.
        text: Text,
        /// Whether `=` or `!=`.
        equal: bool,
    },
    /// No holes and no log entries: always this value.
    Constant(Value),
    /// Anything else.
    Other,
}

/// One side of [`Shape::Compare`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IntOperand {
    /// A run-time value.
    Hole(u32),
    /// A constant.
    Constant(i64),
}
