//! Reads a policy and the files beside it.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use xxhash_rust::xxh3::Xxh3;

use crate::diagnostic::{Diagnostic, Report, Severity, code};
use crate::host::Engine;
use crate::machine::Limits;
use crate::program::{PriorityId, Table};
use crate::syntax::load::Reader;

use super::reads::{self, Reads};
use super::{
    CONTEXT, Companions, Kind, MAX_PRIORITIES, MOST_PRIORITIES, Monitoring, Policy, Rules,
};

/// Where the files beside a policy are, and its limits.
#[derive(Debug, Clone, Default)]
pub struct Files {
    /// rules.conf; `None` = the one beside the dialplan, if there is one.
    pub rules: Option<PathBuf>,
    /// monitoring.conf; `None` = the one beside the dialplan, if there is one.
    pub monitoring: Option<PathBuf>,
    /// Lines that a decision may run, [`MOST_PRIORITIES`] at most; `None` = [`MAX_PRIORITIES`].
    pub max_priorities: Option<u64>,
}

/// Policies read by this process.
static POLICIES: AtomicU64 = AtomicU64::new(1);

impl Policy {
    /// Reads a dialplan (or a folder that holds an extensions.conf) and the files beside it. There is one report for each
    /// file that was read; where one of them is refused as a whole there is no policy.
    pub fn load(
        path: impl AsRef<Path>,
        files: &Files,
        reader: &mut dyn Reader,
    ) -> (Option<Self>, Vec<Report>) {
        let path = path.as_ref();
        let mut reader = Summing {
            reader,
            sum: Xxh3::new(),
        };
        let max_priorities = files.max_priorities.unwrap_or(MAX_PRIORITIES);
        let max_priorities = max_priorities.min(MOST_PRIORITIES);
        let limits = Limits {
            max_priorities,
            max_gosub_depth: 64,
            max_memory: 1 << 20,
            ..Limits::default()
        };
        let engine = Engine::builder().limits(limits).build();
        let (plan, mut report) = engine.read_plan(path, &mut reader);
        let folder = if reader.is_folder(path) {
            path
        } else {
            path.parent().unwrap_or(Path::new(""))
        };
        let mut companions = Companions::default();
        let mut reports = Vec::new();
        let rules = beside(files.rules.as_deref(), folder, "rules.conf", &mut reader);
        if let Some(rules) = rules {
            reader.sum.update(b"\0rules");
            let (read, report) = Rules::read(&rules, &mut reader);
            companions.rules = read;
            reports.push(report);
        }
        let monitoring = files.monitoring.as_deref();
        let monitoring = beside(monitoring, folder, "monitoring.conf", &mut reader);
        if let Some(monitoring) = monitoring {
            reader.sum.update(b"\0monitoring");
            let (read, report) = Monitoring::read(&monitoring, &mut reader);
            companions.monitoring = read;
            reports.push(report);
        }
        if let Some(report) = reports.first_mut() {
            companions.rules.check_keys(&companions.monitoring, report);
        }
        reader.sum.update(&max_priorities.to_be_bytes());
        reader.sum.update(env!("CARGO_PKG_VERSION").as_bytes());
        let stamp = reader.sum.digest();
        let usable = !reports.iter().any(Report::is_refused);
        let policy = plan.filter(|_| usable).map(|plan| {
            engine.swap(&plan, &report);
            let image = engine.image();
            let table = &image.program.table;
            let entries = Kind::ALL.map(|kind| entry(&engine, table, kind));
            for (kind, entry) in Kind::ALL.into_iter().zip(entries) {
                if entry.is_none() && kind != Kind::Terminate {
                    report.push(missing(kind));
                }
            }
            let reads = Reads::find(&plan, &engine, &companions, &mut report);
            Policy {
                companions: Arc::new(companions),
                id: POLICIES.fetch_add(1, Ordering::Relaxed),
                stamp,
                max_priorities,
                entries,
                reads,
                engine,
            }
        });
        reports.insert(0, report);
        (policy, reports)
    }
}

/// The file that is named, else the one of the usual name, if it is there.
fn beside(
    named: Option<&Path>,
    folder: &Path,
    usual: &str,
    reader: &mut dyn Reader,
) -> Option<PathBuf> {
    if let Some(named) = named {
        return Some(named.to_owned());
    }
    let path = folder.join(usual);
    (!reader.glob(&path).is_empty()).then_some(path)
}

fn missing(kind: Kind) -> Diagnostic {
    Diagnostic {
        code: &code::POLICY_ENTRY_MISSING,
        severity: if kind == Kind::Initial {
            Severity::Error
        } else {
            Severity::Warning
        },
        place: None,
        message: format!(
            "there is no extension `{}` in the context `{CONTEXT}`",
            kind.name()
        ),
        help: Some("such requests are refused with 5012".to_owned()),
        logged: None,
    }
}

/// The kind whose extension really decides: one whose only line goes to priority 1 of another one shares its decisions.
fn entry(engine: &Engine, table: &Table, kind: Kind) -> Option<Kind> {
    let image = engine.image();
    let mut kind = kind;
    for _ in Kind::ALL {
        let found = image.find(
            CONTEXT.as_bytes(),
            kind.name().as_bytes(),
            crate::program::Want::Priority(1),
            None,
            0,
        );
        let found = found.ok()?;
        match other(&image, table, found.priority) {
            Some(other) if found.steady => kind = other,
            _ => return Some(kind),
        }
    }
    Some(kind)
}

/// Where `Goto(initial,1)` goes, if the line is one.
fn other(image: &crate::machine::Image, table: &Table, priority: PriorityId) -> Option<Kind> {
    let line = table.priority(priority)?;
    let names = &image.program.names;
    if !names.resolve(line.app).eq_ignore_ascii_case(b"Goto") {
        return None;
    }
    let (context, exten, priority) = reads::target(names.resolve(line.data));
    let here = context.is_none_or(|context| context == CONTEXT.as_bytes());
    let kind = Kind::named(std::str::from_utf8(exten?).ok()?)?;
    (here && priority == b"1").then_some(kind)
}

/// A reader that sums up what it reads.
struct Summing<'r> {
    reader: &'r mut dyn Reader,
    sum: Xxh3,
}

impl Reader for Summing<'_> {
    fn read(&mut self, path: &Path) -> io::Result<Vec<u8>> {
        let bytes = self.reader.read(path)?;
        self.sum.update(&(bytes.len() as u64).to_be_bytes());
        self.sum.update(&bytes);
        Ok(bytes)
    }

    fn is_folder(&mut self, path: &Path) -> bool {
        self.reader.is_folder(path)
    }

    fn glob(&mut self, pattern: &Path) -> Vec<PathBuf> {
        self.reader.glob(pattern)
    }

    fn exec(&mut self, command: &OsStr) -> io::Result<Vec<u8>> {
        self.reader.exec(command)
    }
}
