//! The tables that the SQL fills, with the constraints that SQLite enforces. A statement that breaks one has no
//! effect, as in SQLite, and is named; the next one goes on.

pub(crate) mod column;
pub(crate) mod value;

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BTreeMap;

use bstr::BStr;

use crate::base::{Place, SourceId};
use crate::diagnostic::{Code, Diagnostic, Report, Severity, code};
use crate::rules::settings::Settings;
use crate::rules::sql;
use crate::rules::sql::statement::{
    Comparison, Conflict, Datum, Literal, Name, Row, Statement, Test,
};
use column::{Check, FAST_ROUTING, Kind, RULES, Schema};
use value::Value;

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
struct Rows {
    rows: BTreeMap<Key, Stored>,
    /// The largest `rule_id` ever given; it never goes back.
    sequence: i64,
}

/// What the statements made.
#[derive(Debug)]
pub(crate) struct Tables<'t> {
    text: &'t [u8],
    source: SourceId,
    /// Offsets of the starts of lines.
    lines: Vec<usize>,
    rules: Rows,
    fast: Rows,
    pub(crate) settings: Settings,
}

/// Why a row was refused.
struct Refused {
    at: usize,
    code: &'static Code,
    message: String,
}

impl<'t> Tables<'t> {
    /// Carries out all statements of a text.
    pub(crate) fn read(text: &'t [u8], source: SourceId, report: &mut Report) -> Self {
        let mut lines = vec![0];
        lines.extend(memchr::memchr_iter(b'\n', text).map(|at| at + 1));
        let mut tables = Self {
            text,
            source,
            lines,
            rules: Rows::default(),
            fast: Rows::default(),
            settings: Settings::default(),
        };
        for statement in sql::statements(text) {
            let outcome = match statement {
                Ok(statement) => tables.execute(statement),
                Err(fault) => Err(tables.unreadable(fault)),
            };
            if let Err(refused) = outcome {
                tables.say(report, refused.at, refused.code, refused.message);
            }
        }
        tables
    }

    /// Rows of the rules in the order of their `rule_id`.
    pub(crate) fn rules(&self) -> impl Iterator<Item = (i64, &Stored)> {
        self.rules.rows.iter().filter_map(|(key, row)| match key {
            Key::Rule(id) => Some((*id, row)),
            Key::Fast(..) => None,
        })
    }

    /// Rows of fast routing.
    pub(crate) fn fast(&self) -> impl Iterator<Item = &Stored> {
        self.fast.rows.values()
    }

    /// Adds an error at an offset.
    pub(crate) fn say(&self, report: &mut Report, at: usize, code: &'static Code, message: String) {
        report.push(Diagnostic {
            code,
            severity: Severity::Error,
            place: Some(self.place(at)),
            message,
            help: None,
            logged: None,
        });
    }

    /// Line and column of an offset.
    pub(crate) fn place(&self, at: usize) -> Place {
        let line = self.lines.partition_point(|&start| start <= at);
        let start = self.lines.get(line.saturating_sub(1)).copied().unwrap_or(0);
        Place {
            source: self.source,
            line: u32::try_from(line).unwrap_or(u32::MAX),
            column: u32::try_from(at - start + 1).unwrap_or(u32::MAX),
        }
    }

    fn unreadable(&self, fault: sql::Fault) -> Refused {
        let token = self.text.get(fault.at..fault.end).unwrap_or_default();
        let message = if token.is_empty() {
            "the statement ends too early".to_owned()
        } else if token.starts_with(b"/*") {
            "`/*` is not closed".to_owned()
        } else if let [quote @ (b'\'' | b'"' | b'`' | b'['), rest @ ..] = token
            && !rest.ends_with(if *quote == b'[' {
                b"]"
            } else {
                std::slice::from_ref(quote)
            })
        {
            format!("`{}` is not closed", char::from(*quote))
        } else {
            let shown = token.get(..40).unwrap_or(token);
            format!("`{}` is not understood here", BStr::new(shown))
        };
        Refused {
            at: fault.at,
            code: &code::RULE_SYNTAX,
            message,
        }
    }

    fn execute(&mut self, statement: Statement<'_>) -> Result<(), Refused> {
        match statement {
            Statement::Insert {
                conflict,
                table,
                columns,
                rows,
            } => {
                let schema = schema(&table)?;
                self.insert(schema, conflict, columns.as_deref(), &rows)
            }
            Statement::Delete { table, filter } => {
                let schema = schema(&table)?;
                let keys = self.selected(schema, &filter)?;
                let rows = self.rows(schema);
                for key in keys {
                    rows.rows.remove(&key);
                }
                Ok(())
            }
            Statement::Update {
                table,
                assignments,
                filter,
                ..
            } if table.text.eq_ignore_ascii_case(b"global_variables") => {
                self.update_variables(&assignments, &filter)
            }
            Statement::Update {
                conflict,
                table,
                assignments,
                filter,
            } => {
                let schema = schema(&table)?;
                self.update(schema, conflict, &assignments, &filter)
            }
            Statement::Set { name, value } => self.set(&name, &value),
        }
    }

    fn set(&mut self, name: &Name<'_>, value: &Datum<'_>) -> Result<(), Refused> {
        let shown = shown(&value.literal);
        self.settings
            .set(&name.text, &shown)
            .map_err(|message| Refused {
                at: name.at,
                code: &code::RULE_VARIABLE,
                message,
            })
    }

    fn update_variables(
        &mut self,
        assignments: &[(Name<'_>, Datum<'_>)],
        filter: &[Test<'_>],
    ) -> Result<(), Refused> {
        for (column, value) in assignments {
            if !column.text.eq_ignore_ascii_case(b"variable_value") {
                return Err(unknown_column(column, "global_variables"));
            }
            let [Test::Compare(name, Comparison::Equal, variable)] = filter else {
                return Err(Refused {
                    at: column.at,
                    code: &code::RULE_SYNTAX,
                    message: "a variable is set with `WHERE variable_name='…'`".to_owned(),
                });
            };
            if !name.text.eq_ignore_ascii_case(b"variable_name") {
                return Err(unknown_column(name, "global_variables"));
            }
            let name = Name {
                at: variable.at,
                text: Cow::Owned(shown(&variable.literal)),
            };
            self.set(&name, value)?;
        }
        Ok(())
    }

    fn rows(&mut self, schema: &Schema) -> &mut Rows {
        if std::ptr::eq(schema, &raw const FAST_ROUTING) {
            &mut self.fast
        } else {
            &mut self.rules
        }
    }

    fn insert(
        &mut self,
        schema: &'static Schema,
        conflict: Conflict,
        columns: Option<&[Name<'_>]>,
        rows: &[Row<'_>],
    ) -> Result<(), Refused> {
        let order = match columns {
            Some(names) => names
                .iter()
                .map(|name| {
                    schema
                        .find(&name.text)
                        .ok_or_else(|| unknown_column(name, schema.name))
                })
                .collect::<Result<Vec<_>, _>>()?,
            None => (0..schema.columns.len()).collect(),
        };
        let defaults: Vec<Value> = schema
            .columns
            .iter()
            .map(column::Column::default_value)
            .collect();
        let target = self.rows(schema);
        let sequence = target.sequence;
        let mut undo: Vec<(Key, Option<Stored>)> = Vec::new();
        for row in rows {
            let made = made(schema, &order, &defaults, conflict, row)
                .and_then(|stored| target.add(schema, conflict, stored, &mut undo));
            match (made, conflict) {
                (Err(refused), Conflict::Ignore) if refused.code != &code::RULE_VALUE_COUNT => {}
                (Err(refused), Conflict::Fail) => return Err(refused),
                (Err(mut refused), _) => {
                    target.restore(undo, sequence);
                    if rows.len() > 1 {
                        let others = rows.len() - 1;
                        let s = if others == 1 { "" } else { "s" };
                        refused.message.push_str(&format!(
                            "; the statement has no effect, its {others} other row{s} neither"
                        ));
                    }
                    return Err(refused);
                }
                (Ok(()), _) => {}
            }
        }
        Ok(())
    }

    fn update(
        &mut self,
        schema: &'static Schema,
        conflict: Conflict,
        assignments: &[(Name<'_>, Datum<'_>)],
        filter: &[Test<'_>],
    ) -> Result<(), Refused> {
        let mut changes = Vec::new();
        for (name, datum) in assignments {
            let index = schema
                .find(&name.text)
                .ok_or_else(|| unknown_column(name, schema.name))?;
            changes.push((index, datum));
        }
        let keys = self.selected(schema, filter)?;
        let target = self.rows(schema);
        let sequence = target.sequence;
        let mut undo = Vec::new();
        for key in keys {
            let Some(old) = target.rows.get(&key) else {
                continue;
            };
            let mut stored = old.clone();
            let outcome = changes
                .iter()
                .try_for_each(|&(index, datum)| {
                    put(schema, &mut stored.values, index, datum, conflict)?;
                    stored.at = datum.at;
                    Ok(())
                })
                .and_then(|()| {
                    let old = target.rows.remove(&key);
                    undo.push((key, old));
                    target.add(schema, conflict, stored, &mut undo)
                });
            if let Err(refused) = outcome {
                target.restore(undo, sequence);
                return Err(refused);
            }
        }
        Ok(())
    }

    /// The keys of the rows that a condition chooses.
    fn selected(
        &mut self,
        schema: &'static Schema,
        filter: &[Test<'_>],
    ) -> Result<Vec<Key>, Refused> {
        let mut steps = Vec::with_capacity(filter.len());
        for test in filter {
            steps.push(resolve(schema, test)?);
        }
        let rows = &self.rows(schema).rows;
        // The usual condition names one rule.
        if let [Step::Compare(0, Comparison::Equal, Value::Integer(id))] = steps.as_slice()
            && std::ptr::eq(schema, &raw const RULES)
        {
            let key = Key::Rule(*id);
            return Ok(if rows.contains_key(&key) {
                vec![key]
            } else {
                Vec::new()
            });
        }
        Ok(rows
            .iter()
            .filter(|(_, row)| steps.is_empty() || holds(&steps, row))
            .map(|(key, _)| key.clone())
            .collect())
    }
}

impl Rows {
    /// Adds a row whose values are in place, after the checks of whole rows.
    fn add(
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
    fn restore(&mut self, undo: Vec<(Key, Option<Stored>)>, sequence: i64) {
        for (key, old) in undo.into_iter().rev() {
            match old {
                Some(old) => self.rows.insert(key, old),
                None => self.rows.remove(&key),
            };
        }
        self.sequence = sequence;
    }
}

fn schema(table: &Name<'_>) -> Result<&'static Schema, Refused> {
    [&RULES, &FAST_ROUTING]
        .into_iter()
        .find(|schema| table.text.eq_ignore_ascii_case(schema.name.as_bytes()))
        .ok_or_else(|| Refused {
            at: table.at,
            code: &code::RULE_TABLE_UNKNOWN,
            message: format!("table `{}` holds no query rules", BStr::new(&table.text)),
        })
}

fn unknown_column(name: &Name<'_>, table: &str) -> Refused {
    Refused {
        at: name.at,
        code: &code::RULE_COLUMN_UNKNOWN,
        message: format!("no column `{}` in {table}", BStr::new(&name.text)),
    }
}

/// The row that an INSERT writes.
fn made(
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
fn put(
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

/// A step of a condition with its column found and its literals as the column compares them.
enum Step {
    Compare(usize, Comparison, Value),
    In(usize, Vec<Value>),
    Between(usize, Value, Value),
    Is(usize, Value),
    And,
    Or,
    Not,
    Constant(bool),
}

fn resolve(schema: &'static Schema, test: &Test<'_>) -> Result<Step, Refused> {
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
fn holds(steps: &[Step], row: &Stored) -> bool {
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

fn shown(literal: &Literal<'_>) -> Vec<u8> {
    Value::stored(literal, Kind::Integer).map_or_else(Vec::new, |value| value.shown())
}
