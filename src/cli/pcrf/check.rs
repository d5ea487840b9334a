//! `strowger pcrf check`.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};

use super::source::Beside;
use crate::cli::{exit, ui};
use crate::diagnostic::{Report, Severity};
use crate::pcrf::policy::Subscribers;
use crate::syntax::load::Reader as _;

/// Reads a policy with the files beside it and prints what was found.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  strowger pcrf check dialplans/gx.conf
  strowger pcrf check --deny warnings --json gx.conf

Exit codes: 0 fine; 1 an error, or a warning with --deny warnings; 3 refused as a whole.
`strowger explain P725` says what a code means.")]
pub(super) struct CheckArgs {
    /// A dialplan; several are checked one by one.
    #[arg(required = true, num_args = 1.., value_name = "POLICY")]
    policy: Vec<PathBuf>,
    #[command(flatten)]
    beside: Beside,
    /// Subscribers to check too; without it those beside the policy.
    #[arg(long, value_name = "FILE")]
    subscribers: Option<PathBuf>,
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

pub(super) fn run(args: &CheckArgs) -> i32 {
    let mut status = exit::FINE;
    let mut findings = Vec::new();
    for policy in &args.policy {
        let (_, mut reports) = args.beside.read(policy);
        if let Some(report) = subscribers(args.subscribers.as_deref(), policy) {
            match report {
                Ok(report) => reports.push(report),
                Err(message) => {
                    ui::message(&message);
                    status = exit::UNREADABLE;
                }
            }
        }
        for report in &reports {
            status = status.max(judge(report, args.deny.is_some()));
            if args.json {
                findings.extend(report.diagnostics().iter().map(|d| object(report, d)));
            } else if !args.quiet {
                ui::diagnostics(report);
            }
        }
    }
    if args.json {
        ui::json_document(&Value::Array(findings));
    }
    status
}

fn subscribers(named: Option<&Path>, policy: &Path) -> Option<Result<Report, String>> {
    let usual = policy.parent().map(|folder| folder.join("subscribers.csv"));
    let usual = usual.filter(|path| path.is_file());
    let path = named.map(Path::to_owned).or(usual)?;
    let bytes = match crate::cli::input::Input::default().read(&path) {
        Ok(bytes) => bytes,
        Err(error) => return Some(Err(format!("{}: {error}", path.display()))),
    };
    Some(Ok(Subscribers::read(&path.display().to_string(), bytes).1))
}

fn judge(report: &Report, deny: bool) -> i32 {
    let fails = if deny {
        Severity::Warning
    } else {
        Severity::Error
    };
    if report.is_refused() {
        exit::UNREADABLE
    } else if report.worst().is_some_and(|worst| worst >= fails) {
        exit::FINDINGS
    } else {
        exit::FINE
    }
}

fn object(report: &Report, finding: &crate::diagnostic::Diagnostic) -> Value {
    json!({
        "code": finding.code.id,
        "kind": finding.code.kind,
        "severity": finding.severity.name(),
        "file": finding.place.and_then(|p| report.sources.get(p.source)).map(|s| &s.path),
        "line": finding.place.map(|p| p.line),
        "column": finding.place.map(|p| p.column.max(1)),
        "message": finding.message,
        "help": finding.help,
    })
}
