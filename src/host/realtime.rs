//! Realtime families: tables that `REALTIME()` and its kind ask.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::base::Text;
use crate::base::scan::{double, strip};
use crate::host::files::regular;
use crate::machine::{RealtimeMatch, RealtimeRow};

/// Put after a table: one more row, whose only field is empty.
const END: &[u8] = b"\n\"\"";

/// What offers realtime families. Its methods may block; errors are told in the log of the call.
pub trait Realtime: Send + Sync {
    /// The rows that match, in the order of the table.
    fn load(&self, rows: &RealtimeMatch) -> Result<Vec<RealtimeRow>, String>;
    /// Changes fields of the rows that match; how many there are.
    fn update(&self, rows: &RealtimeMatch, set: &RealtimeRow) -> Result<usize, String>;
    /// Adds a row; its number.
    fn store(&self, family: &Text, row: &RealtimeRow) -> Result<usize, String>;
    /// Removes the rows that match, and gives them.
    fn destroy(&self, rows: &RealtimeMatch) -> Result<Vec<RealtimeRow>, String>;
}

/// Realtime families in memory, read from CSV files whose first line names the fields.
#[derive(Debug, Default)]
pub struct Tables {
    families: Mutex<BTreeMap<Vec<u8>, Table>>,
}

#[derive(Debug, Default, Clone)]
struct Table {
    fields: Vec<Text>,
    rows: Vec<Vec<Text>>,
    /// Where changes are kept.
    file: Option<PathBuf>,
    /// Number of the last row that was added.
    last: usize,
}

impl Tables {
    /// No family.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a family with these fields and no rows.
    #[must_use]
    pub fn family(self, name: &str, fields: &[&str]) -> Self {
        let table = Table {
            fields: fields.iter().map(|field| Text::from(*field)).collect(),
            ..Table::default()
        };
        self.families().insert(name.as_bytes().to_vec(), table);
        self
    }

    /// Adds a family from a CSV file. With `keeps` changes are written back to it. A file without names of fields,
    /// with names that are not UTF-8, or with a quote that is never closed is an error.
    pub fn csv(self, name: &str, path: &Path, keeps: bool) -> io::Result<Self> {
        let wrong = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what);
        let mut reader = csv::ReaderBuilder::new()
            .flexible(true)
            .from_reader(regular(path)?.chain(END));
        let record = |record: &csv::ByteRecord| record.iter().map(Text::from).collect::<Vec<_>>();
        let mut table = Table {
            fields: record(reader.byte_headers()?),
            file: keeps.then(|| path.to_owned()),
            ..Table::default()
        };
        if table.fields.iter().all(|field| field.is_empty()) {
            return Err(wrong("the first line names no fields"));
        }
        if table
            .fields
            .iter()
            .any(|field| std::str::from_utf8(field).is_err())
        {
            return Err(wrong("the names of the fields are not UTF-8"));
        }
        for row in reader.byte_records() {
            table.rows.push(record(&row?));
        }
        // Within an open quote the end is part of the last field.
        if !matches!(table.rows.pop().as_deref(), Some([only]) if only.is_empty()) {
            return Err(wrong("a quote is not closed"));
        }
        table.last = table.rows.len();
        self.families().insert(name.as_bytes().to_vec(), table);
        Ok(self)
    }

    fn families(&self) -> MutexGuard<'_, BTreeMap<Vec<u8>, Table>> {
        self.families.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with<T>(
        &self,
        family: &Text,
        then: impl FnOnce(&mut Table) -> Result<T, String>,
    ) -> Result<T, String> {
        match self.families().get_mut(family.as_bytes()) {
            Some(table) => then(table),
            None => Err(format!("there is no realtime family `{family}`")),
        }
    }
}

impl Clone for Tables {
    fn clone(&self) -> Self {
        Self {
            families: Mutex::new(self.families().clone()),
        }
    }
}

impl Realtime for Tables {
    fn load(&self, rows: &RealtimeMatch) -> Result<Vec<RealtimeRow>, String> {
        self.with(&rows.family, |table| {
            let condition = table.condition(rows)?;
            let fitting = table.rows.iter().filter(|row| condition.fits(row));
            Ok(fitting.map(|row| table.named(row)).collect())
        })
    }

    fn update(&self, rows: &RealtimeMatch, set: &RealtimeRow) -> Result<usize, String> {
        self.with(&rows.family, |table| {
            let condition = table.condition(rows)?;
            let places = set
                .iter()
                .map(|(field, value)| Ok((table.place(field)?, value)))
                .collect::<Result<Vec<_>, String>>()?;
            let mut changed = 0;
            for row in &mut table.rows {
                if condition.fits(row) {
                    for &(place, value) in &places {
                        put(row, place, value);
                    }
                    changed += 1;
                }
            }
            if changed > 0 {
                table.keep()?;
            }
            Ok(changed)
        })
    }

    fn store(&self, family: &Text, row: &RealtimeRow) -> Result<usize, String> {
        self.with(family, |table| {
            let mut new = vec![Text::EMPTY; table.fields.len()];
            for (field, value) in row {
                let place = table.place(field)?;
                put(&mut new, place, value);
            }
            table.rows.push(new);
            table.last += 1;
            table.keep()?;
            Ok(table.last)
        })
    }

    fn destroy(&self, rows: &RealtimeMatch) -> Result<Vec<RealtimeRow>, String> {
        self.with(&rows.family, |table| {
            let condition = table.condition(rows)?;
            let (gone, stay): (Vec<_>, Vec<_>) = std::mem::take(&mut table.rows)
                .into_iter()
                .partition(|row| condition.fits(row));
            table.rows = stay;
            if !gone.is_empty() {
                table.keep()?;
            }
            Ok(gone.iter().map(|row| table.named(row)).collect())
        })
    }
}

fn put(row: &mut Vec<Text>, place: usize, value: &Text) {
    if row.len() <= place {
        row.resize(place + 1, Text::EMPTY);
    }
    if let Some(field) = row.get_mut(place) {
        *field = value.clone();
    }
}

impl Table {
    fn place(&self, field: &[u8]) -> Result<usize, String> {
        let place = self
            .fields
            .iter()
            .position(|known| known.eq_ignore_ascii_case(field));
        place.ok_or_else(|| format!("there is no field `{}`", bstr::BStr::new(field)))
    }

    fn named(&self, row: &[Text]) -> RealtimeRow {
        let values = row.iter().cloned().chain(std::iter::repeat(Text::EMPTY));
        self.fields.iter().cloned().zip(values).collect()
    }

    fn condition(&self, rows: &RealtimeMatch) -> Result<Condition, String> {
        let mut words = rows.field.splitn(2, |b| *b == b' ');
        let field = self.place(words.next().unwrap_or(&[]))?;
        let operator = words
            .next()
            .unwrap_or(b"=")
            .trim_ascii()
            .to_ascii_uppercase();
        let comparison = match operator.as_slice() {
            b"=" | b"" => Comparison::Equal,
            b"!=" | b"<>" => Comparison::NotEqual,
            b"<" => Comparison::Less,
            b"<=" => Comparison::LessOrEqual,
            b">" => Comparison::Greater,
            b">=" => Comparison::GreaterOrEqual,
            b"LIKE" => Comparison::Like,
            b"NOT LIKE" => Comparison::NotLike,
            _ => return Err(format!("`{}` is no comparison", bstr::BStr::new(&operator))),
        };
        Ok(Condition {
            field,
            comparison,
            value: rows.value.clone(),
        })
    }

    /// Writes the table to its file, by way of a second one: a crash leaves the old or the new.
    fn keep(&self) -> Result<(), String> {
        let Some(path) = &self.file else {
            return Ok(());
        };
        let write = || -> io::Result<()> {
            let beside = path.with_extension("csv.new");
            let mut writer = csv::WriterBuilder::new()
                .flexible(true)
                .from_path(&beside)?;
            let bytes = |row: &[Text]| row.iter().map(|text| text.to_vec()).collect::<Vec<_>>();
            writer.write_record(bytes(&self.fields))?;
            for row in &self.rows {
                writer.write_record(bytes(row))?;
            }
            writer.flush()?;
            fs::rename(&beside, path)
        };
        write().map_err(|error| format!("{}: {error}", path.display()))
    }
}

/// What a row must be.
struct Condition {
    field: usize,
    comparison: Comparison,
    value: Text,
}

#[derive(Clone, Copy)]
enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Like,
    NotLike,
}

impl Condition {
    fn fits(&self, row: &[Text]) -> bool {
        let field = row.get(self.field).map_or(&[][..], Text::as_bytes);
        let order = || compare(field, &self.value);
        match self.comparison {
            Comparison::Equal => field == self.value.as_bytes(),
            Comparison::NotEqual => field != self.value.as_bytes(),
            Comparison::Less => order().is_lt(),
            Comparison::LessOrEqual => order().is_le(),
            Comparison::Greater => order().is_gt(),
            Comparison::GreaterOrEqual => order().is_ge(),
            Comparison::Like => like(field, &self.value),
            Comparison::NotLike => !like(field, &self.value),
        }
    }
}

/// As numbers where both are, else as texts.
fn compare(a: &[u8], b: &[u8]) -> std::cmp::Ordering {
    let number = |text: &[u8]| {
        let (number, rest) = double(text)?;
        strip(rest).is_empty().then_some(number)
    };
    match (number(a), number(b)) {
        (Some(x), Some(y)) => x.total_cmp(&y),
        _ => a.cmp(b),
    }
}

/// `%` stands for any text, `_` for any byte, `\` protects the next one.
fn like(text: &[u8], pattern: &[u8]) -> bool {
    let (mut at, mut rest) = (text, pattern);
    // Where the last `%` may take one byte more.
    let mut again: Option<(&[u8], &[u8])> = None;
    loop {
        let fits = match rest {
            [b'%', tail @ ..] => {
                again = Some((at, tail));
                rest = tail;
                continue;
            }
            [] if at.is_empty() => return true,
            [] => None,
            [b'\\', literal, tail @ ..] => Some((Some(*literal), tail)),
            [b'_', tail @ ..] => Some((None, tail)),
            [literal, tail @ ..] => Some((Some(*literal), tail)),
        };
        match (fits, at.split_first()) {
            (Some((wanted, tail)), Some((byte, after)))
                if wanted.is_none_or(|wanted| wanted == *byte) =>
            {
                (at, rest) = (after, tail);
            }
            _ => match again {
                Some(([_, after @ ..], tail)) => {
                    again = Some((after, tail));
                    (at, rest) = (after, tail);
                }
                _ => return false,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::like;

    #[test]
    fn like_patterns() {
        let like = |text: &str, pattern: &str| like(text.as_bytes(), pattern.as_bytes());
        assert!(like("abcabd", "%ab_"));
        assert!(like("", "%"));
        assert!(like("a%b", "a\\%b"));
        assert!(!like("axb", "a\\%b"));
        assert!(!like("abc", "ab"));
        assert!(!like("ab", "abc"));
    }
}
