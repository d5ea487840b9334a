//! Policies from files: at the start, when a file changes, when somebody asks.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::{Shared, policy_line};
use crate::diagnostic::Report;
use crate::host::FileReader;
use crate::pcrf::policy::{Files, Kind, Policy, Subscribers};
use crate::pcrf::settings::Settings;

/// How often files are looked at.
const PERIOD: Duration = Duration::from_secs(1);

/// Reads the policy of the settings.
pub(super) fn load(settings: &Settings) -> (Option<Policy>, Vec<Report>) {
    let files = Files {
        rules: settings.rules.clone(),
        monitoring: settings.monitoring.clone(),
        ..Files::default()
    };
    Policy::load(&settings.policy, &files, &mut FileReader)
}

/// Reads everything anew; sessions go on. Gives a line that says what happened.
pub(super) fn reload(shared: &Shared) -> Result<String, String> {
    let pcrf = &shared.pcrf;
    let settings = pcrf.settings();
    let (policy, reports) = load(settings);
    let policy = policy.ok_or_else(|| {
        let findings = reports.iter().flat_map(Report::diagnostics);
        let first = findings.map(|finding| finding.message.clone()).next();
        format!(
            "the policy cannot be used, the one before stays: {}",
            first.unwrap_or_default()
        )
    })?;
    let before = pcrf.policy();
    // An empty file is no policy, nor is the first half of one.
    let lost = |kind: &Kind| before.has(*kind) && !policy.has(*kind);
    if let Some(kind) = Kind::ALL.into_iter().find(lost) {
        return Err(format!(
            "the policy cannot be used, the one before stays: context `gx` has no extension `{}` any more",
            kind.name()
        ));
    }
    let line = policy_line(&before, &policy);
    if let Some(path) = &settings.subscribers {
        let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let (subscribers, _) = Subscribers::read(&path.to_string_lossy(), bytes);
        pcrf.import(&subscribers)
            .map_err(|fault| fault.to_string())?;
    }
    if policy.stamp() != before.stamp() {
        pcrf.reload(policy).map_err(|fault| fault.to_string())?;
    }
    shared.sink.line(line.as_bytes());
    Ok(line.trim_end().to_owned())
}

/// Times of change.
pub(super) type Times = Vec<Option<SystemTime>>;

/// Times of change of the files that are named; files that they include are read when somebody asks.
pub(super) fn times(settings: &Settings) -> Times {
    let beside = |name: &str| settings.policy.with_file_name(name);
    let files: [PathBuf; 4] = [
        settings.policy.clone(),
        settings
            .rules
            .clone()
            .unwrap_or_else(|| beside("rules.conf")),
        settings
            .monitoring
            .clone()
            .unwrap_or_else(|| beside("monitoring.conf")),
        settings.subscribers.clone().unwrap_or_default(),
    ];
    files
        .iter()
        .map(|path| {
            std::fs::metadata(path)
                .and_then(|data| data.modified())
                .ok()
        })
        .collect()
}

/// Starts the thread that looks at the files, which were read when they had these times of change.
pub(super) fn start(shared: &Arc<Shared>, mut known: Times) -> io::Result<()> {
    let shared = Arc::downgrade(shared);
    let watch = move || {
        // As the files were when they were looked at last.
        let mut seen = known.clone();
        loop {
            std::thread::sleep(PERIOD);
            let Some(shared) = shared.upgrade() else {
                return;
            };
            if *shared.stop.borrow() {
                return;
            }
            let now = times(shared.pcrf.settings());
            // A file that is being written is not read before it rests.
            if now != known && now == seen {
                if let Err(message) = reload(&shared) {
                    shared.sink.line(format!("{message}\n").as_bytes());
                }
                known.clone_from(&now);
            }
            seen = now;
        }
    };
    std::thread::Builder::new()
        .name("reload".to_owned())
        .spawn(watch)
        .map(|_| ())
}
