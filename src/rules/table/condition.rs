//! The condition of a statement: which rows it is about.

use std::cmp::Ordering;

use crate::rules::sql::statement::{Comparison, Datum, Literal, Name, Test};

use super::column::{Kind, RULES, Schema};
use super::value::Value;
use super::{Refused, Stored, unknown_column};

/// A step of a condition with its column found and its literals as the column compares them.
pub(super) enum Step {
    Compare(usize, Comparison, Value),
    In(usize, Vec<Value>),
    Between(usize, Value, Value),
    Is(usize, Value),
    And,
    Or,
    Not,
    Constant(bool),
}

pub(super) fn resolve(schema: &'static Schema, test: &Test<'_>) -> Result<Step, Refused> {
    let column = |name: &Name<'_>| {
        // Every name of the key is the key.
        if std::ptr::eq(schema, &raw const RULES)
            && [&b"rowid"[..], b"oid", b"_rowid_"]
                .iter()
                .any(|alias| name.text.eq_ignore_ascii_case(alias))
        {
            return Ok(0);
        }
        schema
            .find(&name.text)
            .ok_or_else(|| unknown_column(name, schema.name))
    };
    let value = |index: usize, datum: &Datum<'_>| {
        let kind = match schema.columns.get(index) {
            Some(column) if column.kind == Kind::Text => Kind::Text,
            _ => Kind::Integer,
        };
        Value::stored(&datum.literal, kind).unwrap_or(Value::Null)
    };
    Ok(match test {
        Test::Compare(name, op, datum) => {
            let index = column(name)?;
            Step::Compare(index, *op, value(index, datum))
        }
        Test::In(name, data) => {
            let index = column(name)?;
            Step::In(
                index,
                data.iter().map(|datum| value(index, datum)).collect(),
            )
        }
        Test::Between(name, a, b) => {
            let index = column(name)?;
            Step::Between(index, value(index, a), value(index, b))
        }
        Test::Is(name, datum) => {
            let index = column(name)?;
            Step::Is(index, value(index, datum))
        }
        Test::And => Step::And,
        Test::Or => Step::Or,
        Test::Not => Step::Not,
        Test::Constant(datum) => Step::Constant(!matches!(
            datum.literal,
            Literal::Integer(0) | Literal::Null
        )),
    })
}

/// Whether a row fulfils a condition, in the three values of SQL.
pub(super) fn holds(steps: &[Step], row: &Stored) -> bool {
    let mut stack: Vec<Option<bool>> = Vec::new();
    for step in steps {
        let truth = match step {
            Step::Compare(index, op, value) => {
                row.value(*index).compare(value).map(|order| match op {
                    Comparison::Equal => order == Ordering::Equal,
                    Comparison::NotEqual => order != Ordering::Equal,
                    Comparison::Less => order == Ordering::Less,
                    Comparison::LessOrEqual => order != Ordering::Greater,
                    Comparison::Greater => order == Ordering::Greater,
                    Comparison::GreaterOrEqual => order != Ordering::Less,
                })
            }
            Step::In(index, list) => {
                let value = row.value(*index);
                let found = list
                    .iter()
                    .any(|item| value.compare(item) == Some(Ordering::Equal));
                let unknown = *value == Value::Null || list.contains(&Value::Null);
                if found {
                    Some(true)
                } else {
                    (!unknown).then_some(false)
                }
            }
            Step::Between(index, a, b) => {
                let value = row.value(*index);
                let above = value.compare(a).map(Ordering::is_ge);
                let below = value.compare(b).map(Ordering::is_le);
                and(above, below)
            }
            Step::Is(index, value) => {
                let stored = row.value(*index);
                Some(stored == value || stored.compare(value) == Some(Ordering::Equal))
            }
            Step::And => {
                let (b, a) = (stack.pop().flatten(), stack.pop().flatten());
                and(a, b)
            }
            Step::Or => {
                let (b, a) = (stack.pop().flatten(), stack.pop().flatten());
                and(a.map(|a| !a), b.map(|b| !b)).map(|neither| !neither)
            }
            Step::Not => stack.pop().flatten().map(|a| !a),
            Step::Constant(truth) => Some(*truth),
        };
        stack.push(truth);
    }
    stack.pop().flatten() == Some(true)
}

fn and(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a, b) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}
