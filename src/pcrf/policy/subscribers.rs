//! Subscribers of a CSV file: the first line names the fields.

use crate::base::symbol::{StableMap, stable_map};
use crate::base::{Place, Text};
use crate::diagnostic::{Report, code};

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
                if imsi.is_none() && msisdn.is_none() {
                    let message = "the first line names neither `imsi` nor `msisdn`".to_owned();
                    say(&mut report, &code::SUBSCRIBER_HEADER, place, message);
                    break;
                }
                continue;
            }
            if let Err(message) = read.add(&record, imsi, msisdn) {
                say(&mut report, &code::SUBSCRIBER_ROW, place, message);
            }
        }
        (read, report)
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
