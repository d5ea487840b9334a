//! `strowger rules lint`.

use clap::Args;
use serde_json::{Value, json};

use super::source::Source;
use crate::cli::{exit, ui};

/// Names rules that load and yet do not do what one would think.
#[derive(Debug, Args)]
#[command(after_help = "\
Exit codes: 0 nothing found; 1 findings; 3 a file that cannot be read.
`strowger explain P622` says what a code means.")]
pub(crate) struct LintArgs {
    #[command(flatten)]
    source: Source,
    /// Prints a JSON array.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &LintArgs) -> Result<i32, i32> {
    let mut loaded = args.source.read()?;
    loaded.rules.lint(&mut loaded.report);
    let report = &loaded.report;
    if args.json {
        let findings: Vec<Value> = report
            .diagnostics()
            .iter()
            .map(|finding| {
                json!({
                    "code": finding.code.id,
                    "kind": finding.code.kind,
                    "severity": finding.severity.name(),
                    "file": finding.place.and_then(|p| report.sources.get(p.source)).map(|s| &s.path),
                    "line": finding.place.map(|p| p.line),
                    "column": finding.place.map(|p| p.column),
                    "message": finding.message,
                    "help": finding.help,
                })
            })
            .collect();
        ui::json_document(&Value::Array(findings));
    } else {
        for finding in report.diagnostics() {
            ui::line(&report.line(finding));
            if let Some(help) = &finding.help {
                ui::line(&format!("  {help}"));
            }
        }
    }
    Ok(if report.diagnostics().is_empty() {
        exit::FINE
    } else {
        exit::FINDINGS
    })
}
