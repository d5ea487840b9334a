//! Subscribers of a CSV file: the first line names the fields.

use crate::base::symbol::{StableMap, stable_map};
use crate::base::{Place, Text};
use crate::diagnostic::{Diagnostic, Report, code};

use super::companion::say;

/// Subscribers by IMSI and by MSISDN.
#[derive(Debug, Clone)]
pub struct Subscribers {
    fields: Vec<Text>,
    rows: Vec<Vec<Text>>,
    by_imsi: StableMap<Text, usize>,
    by_msisdn: StableMap<Text, usize>,
}

impl Default for Subscribers {
    fn default() -> Self {
        Self {
            fields: Vec::new(),
            rows: Vec::new(),
            by_imsi: stable_map(),
            by_msisdn: stable_map(),
        }
    }
}

/// The line of the record that is read from a position on: comments and empty lines stand before it.
fn line_of(bytes: &[u8], before: &csv::Position) -> u32 {
    let start = usize::try_from(before.byte()).unwrap_or(usize::MAX);
    let rest = bytes.get(start..).unwrap_or(&[]);
    let skipped = rest
        .split(|&byte| byte == b'\n')
        .take_while(|line| matches!(*line, [] | b"\r" | [b'#', ..]));
    let line = before.line().saturating_add(skipped.count() as u64);
    u32::try_from(line).unwrap_or(u32::MAX)
}

/// What no text of a subscriber has.
fn unreadable(text: &[u8]) -> Option<&'static str> {
    if text.contains(&0) {
        Some("a NUL")
    } else if text
        .iter()
        .any(|byte| byte.is_ascii_control() && *byte != b'\t')
    {
        Some("a line break or another control character: perhaps a quote is not closed")
    } else if std::str::from_utf8(text).is_err() {
        Some("bytes that are no UTF-8")
    } else {
        None
    }
}

/// What is wrong with the names of fields.
fn wrong_header(fields: &[Text]) -> Option<String> {
    for (at, field) in fields.iter().enumerate() {
        if field.is_empty() {
            return Some(format!("the field {} has no name", at + 1));
        }
        if let Some(what) = unreadable(field) {
            return Some(format!("the name of field {} has {what}", at + 1));
        }
        let mut before = fields.iter().take(at);
        if before.any(|other| other.eq_ignore_ascii_case(field)) {
            return Some(format!("the field `{field}` is there twice"));
        }
    }
    None
}

/// Where a quote begins that is never closed, line and column, and where its row begins.
fn open_quote(bytes: &[u8]) -> Option<(u32, u32, usize)> {
    let (mut line, mut line_start, mut row) = (1u32, 0usize, 0usize);
    let (mut in_field, mut comment) = (false, false);
    let mut open: Option<(u32, u32, usize)> = None;
    let mut rest = bytes.iter().copied().enumerate().peekable();
    while let Some((at, byte)) = rest.next() {
        let new_line = byte == b'\n';
        if open.is_some() {
            if byte == b'"' && rest.next_if(|(_, next)| *next == b'"').is_none() {
                open = None;
            }
        } else if new_line {
            (in_field, comment) = (false, false);
            row = at + 1;
        } else if comment {
        } else if byte == b'#' && at == row {
            comment = true;
        } else if byte == b'"' && !in_field {
            in_field = true;
            let column = u32::try_from(at - line_start + 1).unwrap_or(u32::MAX);
            open = Some((line, column, row));
        } else {
            in_field = byte != b',';
        }
        if new_line {
            line = line.saturating_add(1);
            line_start = at + 1;
        }
    }
    open
}

/// One subscriber.
#[derive(Debug, Clone, Copy)]
pub struct Subscriber<'s> {
    fields: &'s [Text],
    row: &'s [Text],
}

impl<'s> Subscriber<'s> {
    /// A field by name, in any case.
    pub fn field(&self, name: &[u8]) -> Option<&'s Text> {
        let at = self
            .fields
            .iter()
            .position(|field| field.eq_ignore_ascii_case(name))?;
        self.row.get(at)
    }

    /// All fields with their values.
    pub fn fields(&self) -> impl Iterator<Item = (&'s Text, &'s Text)> {
        self.fields.iter().zip(self.row)
    }
}

impl Subscribers {
    /// Reads a file from its bytes. What is wrong in a row is said, and the row left out; without a column `imsi` or
    /// `msisdn` there are no subscribers.
    pub fn read(path: &str, bytes: Vec<u8>) -> (Self, Report) {
        let mut report = Report::new();
        let mut read = Self::default();
        let source = report.sources.add(path, bytes.clone());
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
        // What stands behind it would be taken for part of it.
        let bytes = match open_quote(bytes) {
            None => bytes,
            Some((line, column, start)) => {
                let place = Place {
                    source,
                    line,
                    column,
                };
                let message = "a quote that is not closed: nothing from here on is read".to_owned();
                say(&mut report, &code::SUBSCRIBER_ROW, place, message);
                bytes.get(..start).unwrap_or(bytes)
            }
        };
        let mut rows = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .comment(Some(b'#'))
            .trim(csv::Trim::All)
            .from_reader(bytes);
        let mut record = csv::ByteRecord::new();
        let (mut imsi, mut msisdn) = (None, None);
        loop {
            let before = rows.position().clone();
            let more = rows.read_byte_record(&mut record);
            let place = Place::line(source, line_of(bytes, &before));
            match more {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => {
                    say(&mut report, &code::SUBSCRIBER_ROW, place, error.to_string());
                    break;
                }
            }
            if read.fields.is_empty() {
                read.fields = record.iter().map(Text::from).collect();
                let column = |name: &str| {
                    let mut fields = read.fields.iter();
                    fields.position(|field| field.eq_ignore_ascii_case(name.as_bytes()))
                };
                (imsi, msisdn) = (column("imsi"), column("msisdn"));
                if let Some(message) = wrong_header(&read.fields) {
                    say(&mut report, &code::SUBSCRIBER_HEADER, place, message);
                    read.fields.clear();
                    return (read, report);
                }
                if imsi.is_none() && msisdn.is_none() {
                    let message = "the first line names neither `imsi` nor `msisdn`".to_owned();
                    say(&mut report, &code::SUBSCRIBER_HEADER, place, message);
                    read.fields.clear();
                    return (read, report);
                }
                continue;
            }
            if let Err(message) = read.add(&record, imsi, msisdn) {
                say(&mut report, &code::SUBSCRIBER_ROW, place, message);
            }
        }
        let place = Place::line(source, 1);
        if read.fields.is_empty() {
            let message = "no line names the fields".to_owned();
            say(&mut report, &code::SUBSCRIBER_HEADER, place, message);
        } else if read.rows.is_empty() {
            report.push(Diagnostic::warning(
                &code::SUBSCRIBER_NONE,
                place,
                "there are no subscribers".to_owned(),
                "a file without rows is not taken for the end of all subscriptions",
            ));
        }
        (read, report)
    }

    /// Whether the file named its fields; one that does not is no file of subscribers.
    pub fn has_fields(&self) -> bool {
        !self.fields.is_empty()
    }

    /// The names of the fields.
    pub fn fields(&self) -> &[Text] {
        &self.fields
    }

    fn add(
        &mut self,
        record: &csv::ByteRecord,
        imsi: Option<usize>,
        msisdn: Option<usize>,
    ) -> Result<(), String> {
        if record.len() != self.fields.len() {
            return Err(format!(
                "{} fields, and the first line names {}",
                record.len(),
                self.fields.len()
            ));
        }
        for (name, value) in self.fields.iter().zip(record) {
            if let Some(what) = unreadable(value) {
                return Err(format!("the field `{name}` has {what}"));
            }
        }
        let id = |column: Option<usize>| {
            let value = record.get(column?)?;
            (!value.is_empty()).then(|| Text::from(value))
        };
        let (imsi, msisdn) = (id(imsi), id(msisdn));
        if imsi.is_none() && msisdn.is_none() {
            return Err("neither an IMSI nor an MSISDN".to_owned());
        }
        let ids = [("IMSI", &imsi), ("MSISDN", &msisdn)];
        for (what, id) in ids {
            let digits = |id: &Text| id.len() <= 15 && id.iter().all(u8::is_ascii_digit);
            if id.as_ref().is_some_and(|id| !digits(id)) {
                return Err(format!("an {what} has at most 15 digits, and nothing else"));
            }
        }
        for (what, id, known) in [
            ("IMSI", &imsi, &self.by_imsi),
            ("MSISDN", &msisdn, &self.by_msisdn),
        ] {
            if let Some(id) = id
                && known.contains_key(id)
            {
                return Err(format!("the {what} {id} is there already"));
            }
        }
        let at = self.rows.len();
        self.rows.push(record.iter().map(Text::from).collect());
        if let Some(imsi) = imsi {
            self.by_imsi.insert(imsi, at);
        }
        if let Some(msisdn) = msisdn {
            self.by_msisdn.insert(msisdn, at);
        }
        Ok(())
    }

    fn row(&self, at: usize) -> Option<Subscriber<'_>> {
        Some(Subscriber {
            fields: &self.fields,
            row: self.rows.get(at)?,
        })
    }

    /// The subscriber of an IMSI.
    pub fn by_imsi(&self, imsi: &[u8]) -> Option<Subscriber<'_>> {
        self.row(*self.by_imsi.get(imsi)?)
    }

    /// The subscriber of an MSISDN.
    pub fn by_msisdn(&self, msisdn: &[u8]) -> Option<Subscriber<'_>> {
        self.row(*self.by_msisdn.get(msisdn)?)
    }

    /// All, in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = Subscriber<'_>> {
        self.rows.iter().map(|row| Subscriber {
            fields: &self.fields,
            row,
        })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}
