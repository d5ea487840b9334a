//! Policies from files: at the start, when a file changes, when somebody asks.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::Shared;
use crate::diagnostic::Report;
use crate::host::FileReader;
use crate::pcrf::engine::lock;
use crate::pcrf::policy::{Files, Kind, Policy, Subscribers};
use crate::pcrf::settings::Settings;
use crate::syntax::load::Reader;

/// How often files are looked at.
const PERIOD: Duration = Duration::from_secs(1);

/// Time of change and length of a file; nothing where it is not there.
type State = Option<(SystemTime, u64)>;

fn state(path: &Path) -> State {
    let data = std::fs::metadata(path).ok()?;
    Some((data.modified().ok()?, data.len()))
}

/// Files that something was read from, or would have been, had they been there; and folders that were searched. Each as
/// it was just before.
#[derive(Debug, Default, Clone)]
pub(in crate::pcrf) struct Watched(BTreeMap<PathBuf, State>);

impl Watched {
    fn note(&mut self, path: &Path) {
        if !self.0.contains_key(path) {
            self.0.insert(path.to_owned(), state(path));
        }
    }

    /// The bytes of a file that is watched from now on.
    pub(super) fn bytes(&mut self, path: &Path) -> io::Result<Vec<u8>> {
        self.note(path);
        std::fs::read(path)
    }

    /// All of them as they are now.
    fn now(&self) -> Vec<State> {
        self.0.keys().map(|path| state(path)).collect()
    }
}

impl Reader for Watched {
    fn read(&mut self, path: &Path) -> io::Result<Vec<u8>> {
        self.note(path);
        FileReader.read(path)
    }

    fn is_folder(&mut self, path: &Path) -> bool {
        FileReader.is_folder(path)
    }

    fn glob(&mut self, pattern: &Path) -> Vec<PathBuf> {
        // A file that comes or goes changes its folder.
        let shell = pattern
            .as_os_str()
            .as_encoded_bytes()
            .iter()
            .any(|byte| b"*?[".contains(byte));
        match pattern.parent() {
            Some(folder) if shell => {
                let folder = if folder.as_os_str().is_empty() {
                    Path::new(".")
                } else {
                    folder
                };
                self.note(folder);
            }
            _ => {
                self.note(pattern);
            }
        }
        FileReader.glob(pattern)
    }

    fn exec(&mut self, command: &OsStr) -> io::Result<Vec<u8>> {
        FileReader.exec(command)
    }
}

/// Reads the policy of the settings.
pub(super) fn load(settings: &Settings, files: &mut Watched) -> (Option<Policy>, Vec<Report>) {
    let named = Files {
        rules: settings.rules.clone(),
        monitoring: settings.monitoring.clone(),
        ..Files::default()
    };
    Policy::load(&settings.policy, &named, files)
}

/// Whether `strowger pcrf check` would fail for what it says: such a file is not put in force.
pub(super) fn is_faulty(report: &Report) -> bool {
    report.has_errors()
}

/// What came of a reload.
#[derive(Debug, Default)]
pub(super) struct Reloaded {
    /// What was done, one line each.
    pub(super) lines: Vec<String>,
    /// What was found in the files, as `file:line:column: CODE: text`.
    pub(super) findings: Vec<String>,
    /// Why something stays as it was.
    pub(super) failures: Vec<String>,
}

impl Reloaded {
    fn find(&mut self, report: &Report) {
        let findings = report.diagnostics().iter();
        self.findings
            .extend(findings.map(|finding| report.line(finding)));
    }
}

/// Reads everything anew; sessions go on. All of it is told in the log.
pub(super) fn reload(shared: &Shared) -> Reloaded {
    // One after another.
    let mut watched = lock(&shared.files);
    let mut files = Watched::default();
    let mut done = Reloaded::default();
    policy(shared, &mut files, &mut done);
    subscribers(shared, &mut files, &mut done);
    if !done.failures.is_empty() {
        // What was not reached this time is watched on.
        for path in watched.0.keys() {
            files.note(path);
        }
    }
    *watched = files;
    for line in done
        .findings
        .iter()
        .chain(&done.failures)
        .chain(&done.lines)
    {
        shared.sink.line(format!("{line}\n").as_bytes());
    }
    done
}

fn policy(shared: &Shared, files: &mut Watched, done: &mut Reloaded) {
    let pcrf = &shared.pcrf;
    let (policy, reports) = load(pcrf.settings(), files);
    for report in &reports {
        done.find(report);
    }
    let mut keep = |why: &str| {
        let line = format!("the policy cannot be used, the one before stays: {why}");
        done.failures.push(line);
    };
    let Some(policy) = policy else {
        return keep("it is refused as a whole");
    };
    if reports.iter().any(is_faulty) {
        return keep("there are errors in it");
    }
    let before = pcrf.policy();
    // An empty file is no policy, nor is the first half of one.
    let lost = |kind: &Kind| before.has(*kind) && !policy.has(*kind);
    if let Some(kind) = Kind::ALL.into_iter().find(lost) {
        let why = format!("context `gx` has no extension `{}` any more", kind.name());
        return keep(&why);
    }
    if !before.rules().is_empty() && policy.rules().is_empty() {
        return keep("rules.conf has no rules any more");
    }
    if !before.monitoring().names().is_empty() && policy.monitoring().names().is_empty() {
        return keep("monitoring.conf has no keys any more");
    }
    let (old, new) = (before.stamp(), policy.stamp());
    if old == new {
        done.lines
            .push(format!("policy unchanged: checksum {new:016x}"));
        return;
    }
    match pcrf.reload(policy) {
        Ok(()) => done.lines.push(format!(
            "policy reloaded: checksum {old:016x} -> {new:016x}"
        )),
        Err(fault) => keep(&fault.to_string()),
    }
}

fn subscribers(shared: &Shared, files: &mut Watched, done: &mut Reloaded) {
    let pcrf = &shared.pcrf;
    let Some(path) = &pcrf.settings().subscribers else {
        return;
    };
    let stay = |why: &str| format!("{}: the subscribers before stay: {why}", path.display());
    let bytes = match files.bytes(path) {
        Ok(bytes) => bytes,
        Err(error) => return done.failures.push(stay(&error.to_string())),
    };
    let (subscribers, report) = Subscribers::read(&path.to_string_lossy(), bytes);
    done.find(&report);
    if !subscribers.has_fields() {
        return done.failures.push(stay("the fields are not named"));
    }
    if subscribers.is_empty() {
        return done.failures.push(stay("there are none in it"));
    }
    let whole = !is_faulty(&report);
    if !whole {
        let line = format!(
            "{}: rows cannot be used: nobody is removed until all can",
            path.display()
        );
        done.failures.push(line);
    }
    match pcrf.import_list(&subscribers, whole) {
        Ok(came) if (came.changed, came.removed) == (0, 0) => done
            .lines
            .push(format!("subscribers unchanged: {}", came.count)),
        Ok(came) => done.lines.push(format!(
            "subscribers reloaded: {}, {} new or changed, {} removed",
            came.count, came.changed, came.removed
        )),
        Err(fault) => done.failures.push(fault.to_string()),
    }
}

/// Starts the thread that looks at the files.
pub(super) fn start(shared: &Arc<Shared>) -> io::Result<()> {
    let shared = Arc::downgrade(shared);
    let watch = move || {
        // As the files were when they were looked at last.
        let mut seen = Vec::new();
        loop {
            std::thread::sleep(PERIOD);
            let Some(shared) = shared.upgrade() else {
                return;
            };
            if *shared.stop.borrow() {
                return;
            }
            let (now, changed) = {
                let files = lock(&shared.files);
                let now = files.now();
                let changed = now.iter().ne(files.0.values());
                (now, changed)
            };
            // A file that is being written is not read before it rests.
            if changed && now == seen {
                reload(&shared);
            }
            seen = now;
        }
    };
    std::thread::Builder::new()
        .name("reload".to_owned())
        .spawn(watch)
        .map(|_| ())
}
