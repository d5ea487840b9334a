//! What the parser of the SQL gives.

use std::borrow::Cow;

/// A name and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Name<'t> {
    /// Offset in bytes.
    pub(crate) at: usize,
    /// The name, without quotes.
    pub(crate) text: Cow<'t, [u8]>,
}

/// A literal as written.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Literal<'t> {
    /// `NULL`
    Null,
    /// An integer.
    Integer(i64),
    /// A real number.
    Real(f64),
    /// A text.
    Text(Cow<'t, [u8]>),
}

/// A literal and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Datum<'t> {
    /// Offset in bytes.
    pub(crate) at: usize,
    /// The literal.
    pub(crate) literal: Literal<'t>,
}

/// The values of one row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row<'t> {
    /// Offset of its parenthesis.
    pub(crate) at: usize,
    /// The values.
    pub(crate) data: Vec<Datum<'t>>,
}

/// A comparison operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comparison {
    /// `=`
    Equal,
    /// `<>`
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

/// One step of a condition in postfix order.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Test<'t> {
    /// `column op literal`
    Compare(Name<'t>, Comparison, Datum<'t>),
    /// `column IN (…)`
    In(Name<'t>, Vec<Datum<'t>>),
    /// `column BETWEEN a AND b`
    Between(Name<'t>, Datum<'t>, Datum<'t>),
    /// `column IS literal`, for which NULL is a value like others
    Is(Name<'t>, Datum<'t>),
    /// Both of the two before.
    And,
    /// One of the two before.
    Or,
    /// The opposite of the one before.
    Not,
    /// A literal that stands alone.
    Constant(Datum<'t>),
}

/// What happens to a row that breaks a constraint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Conflict {
    /// The statement has no effect.
    Abort,
    /// The rows before stay.
    Fail,
    /// The row is left out.
    Ignore,
    /// A row of the same key gives way.
    Replace,
}

/// A statement.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Statement<'t> {
    /// `INSERT INTO table (columns) VALUES (…), (…)`
    Insert {
        /// What happens on conflict.
        conflict: Conflict,
        /// The table.
        table: Name<'t>,
        /// The columns, if named.
        columns: Option<Vec<Name<'t>>>,
        /// The rows.
        rows: Vec<Row<'t>>,
    },
    /// `DELETE FROM table WHERE …`
    Delete {
        /// The table.
        table: Name<'t>,
        /// The condition; empty for all rows.
        filter: Vec<Test<'t>>,
    },
    /// `UPDATE table SET column = literal, … WHERE …`
    Update {
        /// What happens on conflict.
        conflict: Conflict,
        /// The table.
        table: Name<'t>,
        /// The new values.
        assignments: Vec<(Name<'t>, Datum<'t>)>,
        /// The condition; empty for all rows.
        filter: Vec<Test<'t>>,
    },
    /// `SET variable = literal`
    Set {
        /// The variable.
        name: Name<'t>,
        /// The value.
        value: Datum<'t>,
    },
}
