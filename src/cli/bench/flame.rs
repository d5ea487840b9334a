//! Flame graphs through pprof.

use std::fs::File;
use std::path::Path;
use std::time::{Duration, Instant};

/// Samples per second that are asked for; not a round number, so that it does not run in step with the work.
const FREQUENCY: i32 = 997;

/// How long to sample at least.
const AT_LEAST: Duration = Duration::from_secs(3);

/// Repeats the work while sampling, and writes the graph.
pub(super) fn record(path: &Path, mut work: impl FnMut()) -> Result<(), String> {
    let text = |error: &dyn std::fmt::Display| error.to_string();
    let file = File::create(path).map_err(|e| text(&e))?;
    let guard = pprof::ProfilerGuardBuilder::default()
        .frequency(FREQUENCY)
        .blocklist(&["libc", "libgcc", "pthread", "vdso"])
        .build()
        .map_err(|e| text(&e))?;
    let begin = Instant::now();
    while begin.elapsed() < AT_LEAST {
        work();
    }
    let report = guard.report().build().map_err(|e| text(&e))?;
    report.flamegraph(file).map_err(|e| text(&e))
}
