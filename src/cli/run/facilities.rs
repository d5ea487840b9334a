//! What a simulated host offers and answers: `--config` and `--script`.

use std::path::Path;

use crate::base::{Place, SourceId};
use crate::cli::input::Input;
use crate::cli::ui;
use crate::diagnostic::{Diagnostic, Report, Severity, code};
use crate::host::configuration;
use crate::host::simulate::Scenario;
use crate::library::Registry;
use crate::machine::facilities::Facilities;
use crate::syntax::load::Reader as _;

use super::RunArgs;

/// What the simulated host of every call offers.
#[derive(Debug, Default)]
pub(super) struct Offered {
    pub(super) facilities: Facilities,
    pub(super) scenario: Scenario,
}

/// Reads what the arguments name; `None` where something cannot be read, which is told.
pub(super) fn offered(args: &RunArgs, registry: &Registry) -> Option<Offered> {
    let mut offered = Offered::default();
    if let Some(folder) = &args.config {
        if let Err(error) = std::fs::read_dir(folder) {
            ui::message(&format!("{}: {error}", folder.display()));
            return None;
        }
        let reports = configuration::read(folder, &mut Input::default(), &mut offered.facilities);
        for report in &reports {
            ui::diagnostics(report);
        }
        if reports.iter().any(Report::is_refused) {
            return None;
        }
    }
    if let Some(path) = &args.script {
        offered.scenario = scenario(path, registry)?;
    }
    Some(offered)
}

fn scenario(path: &Path, registry: &Registry) -> Option<Scenario> {
    let text = match Input::default().read(path) {
        Ok(text) => text,
        Err(error) => {
            ui::message(&format!("{}: {error}", path.display()));
            return None;
        }
    };
    let faults = match Scenario::parse(&text, registry) {
        Ok(scenario) => return Some(scenario),
        Err(faults) => faults,
    };
    let mut report = Report::new();
    let shown = path.to_string_lossy().into_owned();
    report.sources.add(shown, text);
    for fault in faults {
        report.push(Diagnostic {
            code: &code::SCRIPT_LINE_INVALID,
            severity: Severity::Error,
            place: Some(Place::line(
                SourceId(0),
                u32::try_from(fault.line).unwrap_or(u32::MAX),
            )),
            message: fault.message,
            help: None,
            logged: None,
        });
    }
    ui::diagnostics(&report);
    None
}
