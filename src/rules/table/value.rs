//! Values of tables, as SQLite stores and compares them.

use std::cmp::Ordering;

use crate::base::scan::atoi;
use crate::rules::sql::statement::Literal;
use crate::rules::table::column::Kind;

/// A stored value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Null,
    Integer(i64),
    Real(f64),
    Text(Box<[u8]>),
}

impl Value {
    /// The literal as a column of this kind stores it; `None` where it must be an integer and is none.
    pub(crate) fn stored(literal: &Literal<'_>, kind: Kind) -> Option<Self> {
        let value = match (literal, kind) {
            (Literal::Null, _) => Value::Null,
            (Literal::Integer(n), Kind::Text) => Value::Text(n.to_string().into_bytes().into()),
            (Literal::Integer(n), _) => Value::Integer(*n),
            (Literal::Real(r), Kind::Text) => Value::Text(real_text(*r).into_bytes().into()),
            (Literal::Real(r), _) => whole(*r),
            (Literal::Text(text), Kind::Text) => Value::Text(text.as_ref().into()),
            (Literal::Text(text), _) => {
                numeric(text).unwrap_or_else(|| Value::Text(text.as_ref().into()))
            }
        };
        match (kind, &value) {
            (Kind::RowId, Value::Real(_) | Value::Text(_)) => None,
            _ => Some(value),
        }
    }

    /// The order of SQLite: numbers before texts. NULL has no place in it.
    pub(crate) fn compare(&self, other: &Value) -> Option<Ordering> {
        match (self, other) {
            (Value::Null, _) | (_, Value::Null) => None,
            (Value::Integer(a), Value::Integer(b)) => Some(a.cmp(b)),
            (Value::Integer(a), Value::Real(b)) => (*a as f64).partial_cmp(b),
            (Value::Real(a), Value::Integer(b)) => a.partial_cmp(&(*b as f64)),
            (Value::Real(a), Value::Real(b)) => a.partial_cmp(b),
            (Value::Text(a), Value::Text(b)) => Some(a.cmp(b)),
            (Value::Text(_), _) => Some(Ordering::Greater),
            (_, Value::Text(_)) => Some(Ordering::Less),
        }
    }

    pub(crate) fn equals(&self, n: i64) -> bool {
        self.compare(&Value::Integer(n)) == Some(Ordering::Equal)
    }

    pub(crate) fn at_least(&self, n: i64) -> bool {
        self.compare(&Value::Integer(n))
            .is_some_and(Ordering::is_ge)
    }

    pub(crate) fn at_most(&self, n: i64) -> bool {
        self.compare(&Value::Integer(n))
            .is_some_and(Ordering::is_le)
    }

    /// The text, where there is one.
    pub(crate) fn text(&self) -> Option<&[u8]> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The number that C's `atoi` reads from the value as text; `None` for NULL.
    pub(crate) fn number(&self) -> Option<i32> {
        Some(match self {
            Value::Null => return None,
            Value::Integer(n) => *n as i32,
            Value::Real(r) => atoi(real_text(*r).as_bytes()),
            Value::Text(text) => atoi(text),
        })
    }

    /// The value as text, for keys and messages.
    pub(crate) fn shown(&self) -> Vec<u8> {
        match self {
            Value::Null => b"NULL".to_vec(),
            Value::Integer(n) => n.to_string().into_bytes(),
            Value::Real(r) => real_text(*r).into_bytes(),
            Value::Text(text) => text.to_vec(),
        }
    }
}

/// A real number that is an integer is stored as one.
fn whole(r: f64) -> Value {
    let n = r as i64;
    if r.fract().abs() <= 0.0 && n.unsigned_abs() < 1 << 53 {
        Value::Integer(n)
    } else {
        Value::Real(r)
    }
}

/// A text that is a number and nothing else, blanks around it apart.
fn numeric(text: &[u8]) -> Option<Value> {
    let text = std::str::from_utf8(text.trim_ascii()).ok()?;
    let starts = text.trim_start_matches(['+', '-']);
    if !starts.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    if let Ok(n) = text.parse::<i64>() {
        return Some(Value::Integer(n));
    }
    text.parse::<f64>().ok().map(whole)
}

fn real_text(r: f64) -> String {
    if r.fract().abs() <= 0.0 && r.abs() < 1e15 {
        format!("{r:.1}")
    } else {
        format!("{r}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::borrow::Cow;

    fn text(text: &str) -> Literal<'_> {
        Literal::Text(Cow::Borrowed(text.as_bytes()))
    }

    #[test]
    fn columns_convert() {
        let stored = Value::stored;
        assert_eq!(stored(&text("5"), Kind::Integer), Some(Value::Integer(5)));
        assert_eq!(stored(&text(" 5 "), Kind::Integer), Some(Value::Integer(5)));
        assert_eq!(stored(&text("5.0"), Kind::Integer), Some(Value::Integer(5)));
        assert_eq!(
            stored(&text("x"), Kind::Integer),
            Some(Value::Text(b"x"[..].into()))
        );
        assert_eq!(stored(&text("x"), Kind::RowId), None);
        assert_eq!(
            stored(&Literal::Integer(5), Kind::Text),
            Some(Value::Text(b"5"[..].into()))
        );
        assert!(Value::Text(b"x"[..].into()).at_least(0));
    }
}
