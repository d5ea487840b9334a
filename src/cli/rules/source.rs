//! The file of rules, and how it is read.

use std::fs::File;
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use crate::cli::input::Input;
use crate::cli::{exit, ui};
use crate::diagnostic::Report;
use crate::host::read_whole;
use crate::host::rules::{DialplanSession, Style};
use crate::rules::{Dialect, Overrides, RuleSet};
use crate::syntax::load::Reader as _;

/// Where rules come from.
#[derive(Debug, Args)]
pub(super) struct Source {
    /// SQL that fills `mysql_query_rules`, or `-`.
    #[arg(value_name = "FILE.sql")]
    pub(super) file: PathBuf,
    #[command(flatten)]
    pub(super) reading: Reading,
}

/// How the SQL is read.
#[derive(Debug, Args)]
pub(super) struct Reading {
    /// How often a flagOUT starts again at the first rule; else as the SQL says, or 0.
    #[arg(long, value_name = "N")]
    iterations: Option<u32>,
    /// The dialect of patterns; else as the SQL says, or pcre.
    #[arg(long, value_enum, value_name = "DIALECT")]
    regex: Option<DialectName>,
    /// `silent`: patterns that mean nothing are no findings, as in ProxySQL.
    #[arg(long, value_enum, value_name = "HOW", default_value_t = Compat::Strict)]
    compat: Compat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DialectName {
    Pcre,
    Re2,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Compat {
    Strict,
    Silent,
}

/// Rules as they were read.
pub(super) struct Loaded {
    pub(super) rules: RuleSet,
    pub(super) report: Report,
    /// 0, or 1 where something was refused.
    pub(super) status: i32,
}

impl Source {
    /// Reads the rules and says on standard error what was refused.
    pub(super) fn load(&self) -> Result<Loaded, i32> {
        let loaded = self.read()?;
        ui::diagnostics(&loaded.report);
        Ok(loaded)
    }

    /// Reads the rules and says nothing.
    pub(super) fn read(&self) -> Result<Loaded, i32> {
        read_file(&self.file).map(|sql| self.reading.load(&self.file, &sql))
    }
}

impl Loaded {
    /// Says on standard error what the report holds from its `before`th entry on: rules that were refused.
    pub(super) fn say_from(&mut self, before: usize) {
        for refused in self.report.diagnostics().iter().skip(before) {
            ui::message(&self.report.line(refused));
            self.status = exit::FINDINGS;
        }
    }

    /// The rules as a dialplan on an engine. What keeps them from it is said on standard error.
    pub(super) fn session(&mut self, style: Style) -> Result<DialplanSession, String> {
        let before = self.report.diagnostics().len();
        let session = DialplanSession::new(&self.rules, style, &mut self.report);
        if let Err(message) = &session
            && self.report.diagnostics().len() == before
        {
            ui::message(message);
            self.status = exit::FINDINGS;
        }
        self.say_from(before);
        session
    }
}

impl Reading {
    /// Reads rules from a text.
    pub(super) fn load(&self, file: &Path, sql: &[u8]) -> Loaded {
        let overrides = Overrides {
            iterations: self.iterations,
            dialect: self.regex.map(|name| match name {
                DialectName::Pcre => Dialect::Pcre,
                DialectName::Re2 => Dialect::Re2,
            }),
        };
        let (rules, report) = RuleSet::from_named_sql(&file.display().to_string(), sql, overrides);
        let refused = report.diagnostics().iter().any(|diagnostic| {
            self.compat == Compat::Strict
                || *diagnostic.code != crate::diagnostic::code::RULE_PATTERN
        });
        Loaded {
            rules,
            report,
            status: if refused { exit::FINDINGS } else { exit::FINE },
        }
    }
}

/// Reads a file, or says that it cannot be read. A pipe is read too: `<(…)` of a shell is one.
pub(super) fn read_file(file: &Path) -> Result<Vec<u8>, i32> {
    let is_pipe = std::fs::metadata(file).is_ok_and(|found| found.file_type().is_fifo());
    let sql = if is_pipe {
        File::open(file).and_then(read_whole)
    } else {
        Input::default().read(file)
    };
    sql.map_err(|error| {
        ui::message(&format!("{}: {error}", file.display()));
        exit::UNREADABLE
    })
}
