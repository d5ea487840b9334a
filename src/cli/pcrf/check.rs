//! `strowger pcrf check`.

use std::path::{Path, PathBuf};

use clap::Args;

use super::source::Beside;
use crate::cli::check::{Findings, Judging};
use crate::cli::{exit, ui};
use crate::diagnostic::Report;
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
    #[command(flatten)]
    judging: Judging,
}

pub(super) fn run(args: &CheckArgs) -> i32 {
    let mut findings = Findings::new(&args.judging, true);
    for policy in &args.policy {
        let (_, reports) = args.beside.read(policy);
        for report in &reports {
            findings.take(report);
        }
        match subscribers(args.subscribers.as_deref(), policy) {
            None => {}
            Some(Ok(report)) => findings.take(&report),
            Some(Err(message)) => {
                ui::message(&message);
                findings.status = exit::UNREADABLE;
            }
        }
    }
    findings.finish()
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
