//! What is said about a dialplan and about running calls: collected values with place and stable code.

pub mod code;
#[cfg(feature = "cli")]
pub mod render;

use std::fmt;

use crate::base::{Place, SourceMap};

pub use code::{Code, Level};

/// How bad a diagnostic is: error = Asterisk refuses the file or drops the line,
/// warning = Asterisk accepts it and misbehaves or complains at run time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Good to know.
    Note,
    /// Accepted, but probably not what was meant.
    Warning,
    /// A line is lost, or the whole file is refused.
    Error,
}

impl Severity {
    /// Lower-case name.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// Something about the text of a dialplan.
#[derive(Debug, Clone)]
pub struct Diagnostic {
    /// The entry of the register.
    pub code: &'static Code,
    /// How bad it is.
    pub severity: Severity,
    /// Where; `None` when it concerns the load as a whole.
    pub place: Option<Place>,
    /// What was wrong, in dialplan words: lower case, no final period, user text in backticks.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
    /// How Asterisk would have logged it, if it would.
    pub logged: Option<Logged>,
}

impl Diagnostic {
    /// A warning that Asterisk would not log.
    pub fn warning<'h>(
        code: &'static Code,
        place: Place,
        message: String,
        help: impl Into<Option<&'h str>>,
    ) -> Self {
        Self {
            code,
            severity: Severity::Warning,
            place: Some(place),
            message,
            help: help.into().map(str::to_owned),
            logged: None,
        }
    }
}

/// The log entry that Asterisk writes for a diagnostic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Logged {
    /// Level of the entry.
    pub level: Level,
    /// Whether Asterisk's message names file and line.
    pub placed: bool,
    /// How many times in a row Asterisk writes it.
    pub times: u32,
}

/// Diagnostics in the order in which they were found, and the files they speak of.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// The files read.
    pub sources: SourceMap,
    diagnostics: Vec<Diagnostic>,
    refused: bool,
    /// Number of diagnostics when the file was refused: later ones are ours, not Asterisk's.
    refused_at: Option<usize>,
}

impl Report {
    /// An empty report.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a diagnostic.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Marks the load as refused; the last diagnostic pushed is the one that refuses it.
    /// Only the first call counts.
    pub fn refuse(&mut self) {
        if !self.refused {
            self.refused = true;
            self.refused_at = Some(self.diagnostics.len());
        }
    }

    /// Whether the whole file was refused: the previous dialplan stays in force.
    pub fn is_refused(&self) -> bool {
        self.refused
    }

    /// All diagnostics in order.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// What Asterisk itself would have logged, in its order; ends at the entry that refuses a file.
    pub fn logged(&self) -> impl Iterator<Item = (&Diagnostic, Logged)> {
        self.with_logged()
            .filter_map(|(d, logged)| logged.map(|l| (d, l)))
    }

    /// All diagnostics in order, each with the entry that Asterisk itself would have logged.
    pub fn with_logged(&self) -> impl Iterator<Item = (&Diagnostic, Option<Logged>)> {
        let end = self.refused_at.unwrap_or(self.diagnostics.len());
        self.diagnostics
            .iter()
            .enumerate()
            .map(move |(n, d)| (d, d.logged.filter(|_| n < end)))
    }

    /// The worst severity present.
    pub fn worst(&self) -> Option<Severity> {
        self.diagnostics.iter().map(|d| d.severity).max()
    }

    /// Whether it was refused, or something in it is an error.
    pub fn has_errors(&self) -> bool {
        self.refused || self.worst() == Some(Severity::Error)
    }

    /// A diagnostic as `file:line:column: CODE: text`.
    pub fn line(&self, diagnostic: &Diagnostic) -> String {
        let code = diagnostic.code.id;
        match diagnostic.place {
            Some(place) => format!(
                "{}: {code}: {}",
                self.sources.describe(place),
                diagnostic.message
            ),
            None => format!("{code}: {}", diagnostic.message),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for diagnostic in &self.diagnostics {
            writeln!(f, "{}", self.line(diagnostic))?;
        }
        Ok(())
    }
}

/// One entry of the log of a running call or of a load-time substitution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The entry of the register.
    pub code: &'static Code,
    /// Level of the entry.
    pub level: Level,
    /// What happened, in dialplan words.
    pub message: String,
}

impl Entry {
    /// An entry at the register's own level.
    pub fn new(code: &'static Code, message: impl Into<String>) -> Self {
        Self {
            code,
            level: code.level,
            message: message.into(),
        }
    }

    /// An entry at another level than the register's.
    pub fn at(code: &'static Code, level: Level, message: impl Into<String>) -> Self {
        Self {
            code,
            level,
            message: message.into(),
        }
    }
}
