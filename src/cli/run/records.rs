//! Call records and channel events of simulated calls, appended to files.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum};
use serde_json::Value;

use super::json::shown;
use crate::base::Text;
use crate::cli::{exit, ui};
use crate::host::RunReport;
use crate::host::records::{call_csv, call_json, event_csv, event_json};
use crate::machine::RecordOptions;

/// The options of `run` that are about records.
#[derive(Debug, Args)]
pub(super) struct RecordArgs {
    /// Append call records (CDR) to this file, one a line; `-` is standard output.
    #[arg(long, value_name = "FILE")]
    cdr: Option<PathBuf>,
    /// Append channel events (CEL) to this file, one a line; `-` is standard output.
    #[arg(long, value_name = "FILE")]
    cel: Option<PathBuf>,
    /// Form of --cdr and --cel [default: jsonl for a name that ends in .jsonl, else csv].
    #[arg(long, value_enum, value_name = "csv|jsonl")]
    records_as: Option<Form>,
    /// Settings of call records as in cdr.conf, NAME=yes|no: enable, unanswered, congestion, endbeforehexten,
    /// initiatedseconds.
    #[arg(long, value_name = "NAME=yes|no,...", value_delimiter = ',', value_parser = setting)]
    cdr_set: Vec<(Setting, bool)>,
    /// Applications whose start and end are channel events.
    #[arg(
        long,
        value_name = "NAME,...",
        value_delimiter = ',',
        default_value = "dial,park"
    )]
    cel_apps: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    Csv,
    Jsonl,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Setting {
    Enable,
    Unanswered,
    Congestion,
    EndBeforeH,
    InitiatedSeconds,
}

fn setting(text: &str) -> Result<(Setting, bool), String> {
    let (name, value) = text.split_once('=').ok_or("NAME=yes|no needs an `=`")?;
    let name = match name.trim() {
        "enable" => Setting::Enable,
        "unanswered" => Setting::Unanswered,
        "congestion" => Setting::Congestion,
        "endbeforehexten" => Setting::EndBeforeH,
        "initiatedseconds" => Setting::InitiatedSeconds,
        _ => return Err(format!("no setting `{name}`")),
    };
    match value.trim() {
        "yes" => Ok((name, true)),
        "no" => Ok((name, false)),
        _ => Err(format!("`{value}` is neither yes nor no")),
    }
}

impl RecordArgs {
    /// How records are made.
    pub(super) fn options(&self) -> RecordOptions {
        let mut options = RecordOptions {
            apps: self
                .cel_apps
                .iter()
                .map(|name| Text::from(name.trim()))
                .collect::<Arc<[Text]>>(),
            ..RecordOptions::default()
        };
        for (setting, on) in &self.cdr_set {
            let setting = match setting {
                Setting::Enable => &mut options.enable,
                Setting::Unanswered => &mut options.unanswered,
                Setting::Congestion => &mut options.congestion,
                Setting::EndBeforeH => &mut options.end_before_h,
                Setting::InitiatedSeconds => &mut options.initiated_seconds,
            };
            *setting = *on;
        }
        options
    }

    /// Whether channel events are asked for.
    pub(super) fn wants_events(&self) -> bool {
        self.cel.is_some()
    }

    /// Opens the files; the error is the exit code, its message is written.
    pub(super) fn open(&self) -> Result<Files, i32> {
        let open = |path: &Option<PathBuf>| {
            path.as_ref()
                .map(|path| Sink::open(path, self.records_as))
                .transpose()
        };
        Ok(Files {
            calls: open(&self.cdr)?,
            events: open(&self.cel)?,
        })
    }
}

/// Where records go.
#[derive(Debug)]
pub(super) struct Files {
    calls: Option<Sink>,
    events: Option<Sink>,
}

impl Files {
    /// Writes the records of a call; the error is the exit code, its message is written.
    pub(super) fn write(&mut self, report: &RunReport) -> Result<(), i32> {
        if let Some(sink) = &mut self.calls {
            sink.write(report.records(), call_csv, call_json)?;
        }
        if let Some(sink) = &mut self.events {
            sink.write(report.events(), event_csv, event_json)?;
        }
        Ok(())
    }
}

#[derive(Debug)]
struct Sink {
    /// `None` = standard output.
    file: Option<File>,
    path: PathBuf,
    form: Form,
}

impl Sink {
    fn open(path: &Path, form: Option<Form>) -> Result<Self, i32> {
        let jsonl = path.extension().is_some_and(|suffix| suffix == "jsonl");
        let form = form.unwrap_or(if jsonl { Form::Jsonl } else { Form::Csv });
        let file = if path == Path::new("-") {
            None
        } else {
            let opened = OpenOptions::new().append(true).create(true).open(path);
            Some(opened.map_err(|error| Self::failed(path, &error))?)
        };
        Ok(Self {
            file,
            path: path.to_owned(),
            form,
        })
    }

    fn failed(path: &Path, error: &std::io::Error) -> i32 {
        ui::message(&format!("{}: {error}", path.display()));
        exit::UNREADABLE
    }

    fn write<T>(
        &mut self,
        records: &[T],
        csv: impl Fn(&T) -> Vec<u8>,
        json: impl Fn(&T) -> Value,
    ) -> Result<(), i32> {
        let mut lines = Vec::new();
        for record in records {
            let line = match self.form {
                Form::Csv => csv(record),
                Form::Jsonl => json(record).to_string().into_bytes(),
            };
            lines.extend_from_slice(&shown(&line));
            lines.push(b'\n');
        }
        match &mut self.file {
            None => ui::print(&lines),
            // One piece, so that lines of several writers do not mix.
            Some(file) => file
                .write_all(&lines)
                .map_err(|error| Self::failed(&self.path, &error))?,
        }
        Ok(())
    }
}
