//! `strowger check FILE`.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};

use crate::compile::resolve::resolve;
use crate::diagnostic::render::Renderer;
use crate::diagnostic::{Report, Severity};
use crate::host::Engine;

use super::{exit, input, ui};

/// Loads, compiles and links FILE and prints what was found.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  strowger check extensions.conf
  strowger check --deny warnings /etc/asterisk
  strowger check --json - < extensions.conf

Exit codes: 0 fine; 1 an error, or a warning with --deny warnings; 3 refused as a whole.")]
pub(crate) struct CheckArgs {
    /// An extensions.conf, a folder that holds one, or `-`; several are checked one by one.
    #[arg(required = true, num_args = 1..)]
    file: Vec<PathBuf>,
    #[command(flatten)]
    judging: Judging,
}

/// What commands that check files do with what they find.
#[derive(Debug, Args)]
pub(crate) struct Judging {
    /// Print nothing; the exit code says it.
    #[arg(long, short)]
    quiet: bool,
    /// Let warnings fail too.
    #[arg(long, value_name = "WHAT", value_parser = ["warnings"])]
    deny: Option<String>,
    /// Print a JSON array.
    #[arg(long)]
    json: bool,
}

/// Findings as they come.
#[derive(Debug)]
pub(crate) struct Findings<'j> {
    how: &'j Judging,
    /// Whether each finding has a kind, and not only those that calls log.
    kinds: bool,
    list: Vec<Value>,
    /// The exit code so far.
    pub(crate) status: i32,
}

impl<'j> Findings<'j> {
    pub(crate) fn new(how: &'j Judging, kinds: bool) -> Self {
        Self {
            how,
            kinds,
            list: Vec::new(),
            status: exit::FINE,
        }
    }

    /// Takes what was found in a file.
    pub(crate) fn take(&mut self, report: &Report) {
        self.status = self.status.max(judge(report, self.how.deny.is_some()));
        if self.how.json {
            self.list.extend(objects(report, self.kinds));
        } else if !self.how.quiet {
            print(report);
        }
    }

    /// The end: the exit code.
    pub(crate) fn finish(self) -> i32 {
        if self.how.json {
            ui::json_document(&Value::Array(self.list));
        }
        self.status
    }
}

pub(crate) fn run(args: &CheckArgs) -> i32 {
    let mut findings = Findings::new(&args.judging, false);
    for file in &args.file {
        findings.take(&check(file));
    }
    findings.finish()
}

fn check(file: &Path) -> Report {
    let engine = Engine::builder().build();
    let (plan, mut report) = input::plan(&engine, file);
    if let Some(plan) = plan {
        resolve(&plan, engine.registry(), &mut report);
    }
    report
}

fn judge(report: &Report, deny: bool) -> i32 {
    if report.is_refused() {
        return exit::UNREADABLE;
    }
    let fails = if deny {
        Severity::Warning
    } else {
        Severity::Error
    };
    if report.worst().is_some_and(|worst| worst >= fails) {
        exit::FINDINGS
    } else {
        exit::FINE
    }
}

/// `file:line:column: CODE: text`, and on a terminal the source below it.
fn print(report: &Report) {
    let excerpts = ui::err_is_terminal().then(|| Renderer::new(ui::err_is_colored()));
    for diagnostic in report.diagnostics() {
        ui::message(&report.line(diagnostic));
        if let Some(renderer) = &excerpts {
            ui::message(&renderer.excerpt(diagnostic, &report.sources));
        }
    }
}

fn objects(report: &Report, kinds: bool) -> Vec<Value> {
    report
        .with_logged()
        .map(|(d, logged)| {
            let place = d.place;
            let kind = kinds || logged.is_some() || d.code.is_of_calls();
            json!({
                "code": d.code.id,
                "kind": kind.then_some(d.code.kind),
                "severity": d.severity.name(),
                "file": place.and_then(|p| report.sources.get(p.source)).map(|s| &s.path),
                "line": place.map(|p| p.line),
                "column": place.map(|p| p.column.max(1)),
                "message": d.message,
                "help": d.help,
            })
        })
        .collect()
}
