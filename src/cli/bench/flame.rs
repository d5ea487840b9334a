//! Flame graphs: of a dialplan from its profile, of the engine through pprof.

use std::fs::File;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::measure::profile::Profile;

/// Samples per second that are asked for; not a round number, so that it does not run in step with the work.
const FREQUENCY: i32 = 997;

/// How long to sample at least.
const AT_LEAST: Duration = Duration::from_secs(3);

/// Draws where a dialplan spends its time.
pub(super) fn draw(path: &Path, start: &str, profile: &Profile) -> Result<(), String> {
    // A semicolon would end a frame.
    let lines: Vec<String> = profile
        .stacks
        .iter()
        .map(|(frames, weight)| {
            let frames: Vec<_> = frames.iter().map(|f| f.replace(';', ":")).collect();
            format!("{} {weight}", frames.join(";"))
        })
        .collect();
    let mut options = inferno::flamegraph::Options::default();
    start.clone_into(&mut options.title);
    options.count_name = "µs".into();
    let file = File::create(path).map_err(|error| error.to_string())?;
    let lines = lines.iter().map(String::as_str);
    inferno::flamegraph::from_lines(&mut options, lines, file).map_err(|error| error.to_string())
}

/// Repeats the work while sampling, and writes the graph.
pub(super) fn record(path: &Path, mut work: impl FnMut()) -> Result<(), String> {
    let file = File::create(path).map_err(|error| error.to_string())?;
    let guard = pprof::ProfilerGuardBuilder::default()
        .frequency(FREQUENCY)
        .blocklist(&["libc", "libgcc", "pthread", "vdso"])
        .build()
        .map_err(|error| error.to_string())?;
    let begin = Instant::now();
    while begin.elapsed() < AT_LEAST {
        work();
    }
    let report = guard.report().build().map_err(|error| error.to_string())?;
    report.flamegraph(file).map_err(|error| error.to_string())
}
