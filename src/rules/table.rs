//! The tables that the SQL fills, with the constraints that SQLite enforces. A statement that breaks one has no
//! effect, as in SQLite, and is named; the next one goes on.

pub(crate) mod column;
mod condition;
mod rows;
pub(crate) mod value;

use std::borrow::Cow;

use bstr::BStr;

use crate::base::{Place, SourceId};
use crate::diagnostic::{Code, Diagnostic, Report, Severity, code};
use crate::rules::settings::Settings;
use crate::rules::sql;
use crate::rules::sql::statement::{
    Comparison, Conflict, Datum, Literal, Name, Row, Statement, Test,
};
use column::{FAST_ROUTING, Kind, RULES, Schema};
use condition::{Step, holds, resolve};
pub(crate) use rows::{Key, Stored};
use rows::{Rows, made, put};
use value::Value;

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

fn shown(literal: &Literal<'_>) -> Vec<u8> {
    Value::stored(literal, Kind::Integer).map_or_else(Vec::new, |value| value.shown())
}
