//! The syntax of `$[ ]` in postfix order: the order in which Asterisk's parser evaluates,
//! and a form whose depth costs no stack.

pub use crate::syntax::lex::expression::Operand;

/// One reduction of the parser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step<'t> {
    /// An operand token.
    Operand(Operand<'t>),
    /// The omitted argument in `F(a,)`.
    Omitted,
    /// `-` or `!` before an operand.
    Unary(Unary),
    /// An operator between two operands.
    Binary(Binary),
    /// `a ? b :: c`
    Conditional,
    /// `NAME(a,b)`
    Call {
        /// The operand token before the parenthesis.
        name: Operand<'t>,
        /// How many arguments stand between the parentheses.
        arguments: u32,
    },
}

/// A prefix operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unary {
    /// `-`
    Negate,
    /// `!`
    Not,
}

/// An infix operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Binary {
    /// `|`
    Or,
    /// `&`
    And,
    /// `=`
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
    /// `:`
    MatchStart,
    /// `=~`
    MatchAnywhere,
    /// `~~`
    Concatenate,
}

/// What the parser made of a text: the steps it ran, and where it stopped, if it did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expression<'t> {
    /// The steps, in order. After a fault: those that were complete before it.
    pub steps: Vec<Step<'t>>,
    /// The syntax error.
    pub fault: Option<crate::syntax::error::ExpressionFault>,
}
