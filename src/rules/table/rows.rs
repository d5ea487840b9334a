//! Rows and the constraints that hold for them.

use std::collections::BTreeMap;

use bstr::BStr;

use crate::diagnostic::code;
use crate::rules::sql::statement::{Conflict, Datum, Row};

use super::Refused;
use super::column::{self, Check, Kind, RULES, Schema};
use super::value::Value;

/// A row and where its values stand in the text.
#[derive(Debug, Clone)]
pub(crate) struct Stored {
    pub(crate) at: usize,
    pub(crate) values: Vec<Value>,
}

impl Stored {
    pub(crate) fn value(&self, column: usize) -> &Value {
        self.values.get(column).unwrap_or(&Value::Null)
    }
}

/// Keys: `rule_id`, or the three columns of fast routing as texts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Key {
    Rule(i64),
    Fast(Vec<u8>, Vec<u8>, Vec<u8>),
}

#[derive(Debug, Default)]
pub(super) struct Rows {
    pub(super) rows: BTreeMap<Key, Stored>,
    /// The largest `rule_id` ever given; it never goes back.
    pub(super) sequence: i64,
}

impl Rows {
    /// Adds a row whose values are in place, after the checks of whole rows.
    pub(super) fn add(
        &mut self,
        schema: &'static Schema,
        conflict: Conflict,
        mut stored: Stored,
        undo: &mut Vec<(Key, Option<Stored>)>,
    ) -> Result<(), Refused> {
        let is_rule = std::ptr::eq(schema, &raw const RULES);
        if is_rule && *stored.value(column::rule::RULE_ID) == Value::Null {
            let next = self.sequence.checked_add(1).ok_or_else(|| Refused {
                at: stored.at,
                code: &code::RULE_UNIQUE,
                message: "no rule_id is left".to_owned(),
            })?;
            if let Some(id) = stored.values.first_mut() {
                *id = Value::Integer(next);
            }
        }
        check(schema, &stored)?;
        let key = match stored.value(column::rule::RULE_ID) {
            Value::Integer(id) if is_rule => Key::Rule(*id),
            _ => Key::Fast(
                stored.value(column::fast::USERNAME).shown(),
                stored.value(column::fast::SCHEMANAME).shown(),
                stored.value(column::fast::FLAG_IN).shown(),
            ),
        };
        if conflict != Conflict::Replace && self.rows.contains_key(&key) {
            return Err(Refused {
                at: stored.at,
                code: &code::RULE_UNIQUE,
                message: match &key {
                    Key::Rule(id) => format!("rule {id}: there is a rule of this rule_id already"),
                    Key::Fast(user, schema, flag) => format!(
                        "there is a row for user `{}`, schema `{}`, flagIN {} already",
                        BStr::new(user),
                        BStr::new(schema),
                        BStr::new(flag)
                    ),
                },
            });
        }
        if let Key::Rule(id) = key {
            self.sequence = self.sequence.max(id);
        }
        let old = self.rows.insert(key.clone(), stored);
        undo.push((key, old));
        Ok(())
    }

    /// Takes back what a statement did.
    pub(super) fn restore(&mut self, undo: Vec<(Key, Option<Stored>)>, sequence: i64) {
        for (key, old) in undo.into_iter().rev() {
            match old {
                Some(old) => self.rows.insert(key, old),
                None => self.rows.remove(&key),
            };
        }
        self.sequence = sequence;
    }
}

/// The row that an INSERT writes.
pub(super) fn made(
    schema: &'static Schema,
    order: &[usize],
    defaults: &[Value],
    conflict: Conflict,
    row: &Row<'_>,
) -> Result<Stored, Refused> {
    if row.data.len() != order.len() {
        return Err(Refused {
            at: row.at,
            code: &code::RULE_VALUE_COUNT,
            message: format!("{} values for {} columns", row.data.len(), order.len()),
        });
    }
    let mut values = defaults.to_vec();
    // Of a column that is named twice, the first value counts, as in SQLite.
    for (&index, datum) in order.iter().zip(&row.data).rev() {
        put(schema, &mut values, index, datum, conflict)?;
    }
    Ok(Stored { at: row.at, values })
}

/// Writes a value into its column, after the checks that the value alone decides.
pub(super) fn put(
    schema: &'static Schema,
    values: &mut [Value],
    index: usize,
    datum: &Datum<'_>,
    conflict: Conflict,
) -> Result<(), Refused> {
    let (Some(column), Some(place)) = (schema.columns.get(index), values.get_mut(index)) else {
        return Ok(());
    };
    let mut value = Value::stored(&datum.literal, column.kind).ok_or_else(|| Refused {
        at: datum.at,
        code: &code::RULE_CHECK,
        message: format!("{} must be an integer", column.name),
    })?;
    // REPLACE puts the default where NULL cannot stand.
    if value == Value::Null && column.not_null && conflict == Conflict::Replace {
        value = column.default_value();
    }
    *place = value;
    Ok(())
}

/// The checks of a row, in the order of its columns.
fn check(schema: &'static Schema, row: &Stored) -> Result<(), Refused> {
    let is_rule = std::ptr::eq(schema, &raw const RULES);
    let subject = || match row.value(column::rule::RULE_ID) {
        Value::Integer(id) if is_rule => format!("rule {id}: "),
        _ => String::new(),
    };
    for (index, column) in schema.columns.iter().enumerate() {
        let value = row.value(index);
        if *value == Value::Null && column.not_null && column.kind != Kind::RowId {
            return Err(Refused {
                at: row.at,
                code: &code::RULE_NOT_NULL,
                message: format!("{}{} must not be NULL", subject(), column.name),
            });
        }
        let fine = column.takes(value)
            && (column.check != Check::NeedsPattern
                || *value == Value::Null
                || *row.value(column::rule::MATCH_PATTERN) != Value::Null);
        if !fine {
            return Err(Refused {
                at: row.at,
                code: &code::RULE_CHECK,
                message: format!("{}{} {}", subject(), column.name, column.wants()),
            });
        }
    }
    Ok(())
}
