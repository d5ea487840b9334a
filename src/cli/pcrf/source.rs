//! The policy of a command, and the files beside it.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::cli::input::Input;
use crate::cli::{exit, ui};
use crate::diagnostic::{Report, Severity};
use crate::pcrf::policy::{Files, MOST_PRIORITIES, Policy, Subscribers};
use crate::syntax::load::Reader as _;

/// Where the files beside a policy are.
#[derive(Debug, Args)]
pub(super) struct Beside {
    /// rules.conf; without it the one beside the policy.
    #[arg(long, value_name = "FILE")]
    rules: Option<PathBuf>,
    /// monitoring.conf; without it the one beside the policy.
    #[arg(long, value_name = "FILE")]
    monitoring: Option<PathBuf>,
    /// Lines that a decision may run.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=MOST_PRIORITIES))]
    max_priorities: Option<u64>,
}

impl Beside {
    /// Reads a policy.
    pub(super) fn read(&self, policy: &Path) -> (Option<Policy>, Vec<Report>) {
        let files = Files {
            rules: self.rules.clone(),
            monitoring: self.monitoring.clone(),
            max_priorities: self.max_priorities,
        };
        Policy::load(policy, &files, &mut Input::default())
    }

    /// Reads a policy to run it: errors are said, and what is refused as a whole is the end.
    pub(super) fn load(&self, policy: &Path) -> Result<Policy, i32> {
        let (policy, reports) = self.read(policy);
        for report in &reports {
            for diagnostic in report.diagnostics() {
                if policy.is_none() || diagnostic.severity == Severity::Error {
                    ui::message(&report.line(diagnostic));
                }
            }
        }
        // What the server would not put in force decides nothing here either.
        let faulty = reports.iter().any(Report::has_errors);
        policy.filter(|_| !faulty).ok_or(exit::UNREADABLE)
    }
}

/// Reads subscribers: the file that is named, else the one beside the policy, if it is there.
pub(super) fn subscribers(named: Option<&Path>, policy: &Path) -> Result<Option<Subscribers>, i32> {
    let usual = policy.parent().map(|folder| folder.join("subscribers.csv"));
    let usual = usual.filter(|path| path.is_file());
    let Some(path) = named.or(usual.as_deref()) else {
        return Ok(None);
    };
    let bytes = Input::default().read(path).map_err(|error| {
        ui::message(&format!("{}: {error}", path.display()));
        exit::UNREADABLE
    })?;
    let (subscribers, report) = Subscribers::read(&path.display().to_string(), bytes);
    ui::diagnostics(&report);
    Ok(Some(subscribers))
}
