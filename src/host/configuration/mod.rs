//! What a host offers, from the familiar files: queues.conf, queuerules.conf, voicemail.conf, confbridge.conf,
//! agents.conf, `res_parking.conf`, minivm.conf.

mod agents;
mod conferences;
mod mailboxes;
mod parking;
mod queue_rules;
mod queues;

use std::path::Path;
use std::time::Duration;

use crate::base::Text;
use crate::base::condition::is_yes;
use crate::diagnostic::{Code, Diagnostic, Report, code};
use crate::machine::facilities::Facilities;
use crate::syntax::load::{Category, Reader, Setting, categories};

/// What reads one file.
type ReadFile = fn(&[Category], &mut Facilities, &mut Report);

/// The files, and what reads each.
const FILES: &[(&str, ReadFile)] = &[
    ("queues.conf", queues::read),
    ("queuerules.conf", queue_rules::read),
    ("voicemail.conf", mailboxes::read),
    ("minivm.conf", mailboxes::read_accounts),
    ("confbridge.conf", conferences::read),
    ("agents.conf", agents::read),
    ("res_parking.conf", parking::read),
];

/// Reads those of the files that are in a folder; what they say is added to the facilities. Gives one report for each
/// file that is there: a file that is refused as a whole adds nothing.
pub fn read(folder: &Path, reader: &mut dyn Reader, facilities: &mut Facilities) -> Vec<Report> {
    let mut reports = Vec::new();
    for (name, read) in FILES {
        let path = folder.join(name);
        if reader.glob(&path).is_empty() {
            continue;
        }
        let (categories, mut report) = categories(&path, reader);
        read(&categories, facilities, &mut report);
        reports.push(report);
    }
    reports
}

fn is(name: &Text, known: &str) -> bool {
    name.eq_ignore_ascii_case(known.as_bytes())
}

/// Says something about a setting.
fn say(report: &mut Report, code: &'static Code, setting: &Setting, message: String) {
    report.push(Diagnostic::warning(
        code,
        setting.place,
        message,
        None::<&str>,
    ));
}

fn unknown(report: &mut Report, setting: &Setting) {
    let message = format!("there is no setting `{}` here", setting.name);
    say(report, &code::SETTING_UNKNOWN, setting, message);
}

fn invalid(report: &mut Report, setting: &Setting) {
    let message = format!("`{}` cannot be `{}`", setting.name, setting.value);
    say(report, &code::SETTING_INVALID, setting, message);
}

/// A whole number from 0; another value is told and passed over.
fn number(report: &mut Report, setting: &Setting) -> Option<u32> {
    let text = std::str::from_utf8(setting.value.trim_ascii()).ok();
    let number = text.and_then(|text| text.parse().ok());
    if number.is_none() {
        invalid(report, setting);
    }
    number
}

/// Whole seconds from 0.
fn seconds(report: &mut Report, setting: &Setting) -> Option<Duration> {
    number(report, setting).map(|n| Duration::from_secs(n.into()))
}

fn switch(setting: &Setting) -> bool {
    is_yes(&setting.value)
}
