//! What a measurement says, as text and as JSON.

use serde_json::{Value, json};

use crate::measure::machine::{Machine, commit, rustc};
use crate::measure::profile::{Entrant, Profile};
use crate::measure::{Load, Sample, Series};

use super::super::ui::{self, Style};

/// A finished measurement.
pub(super) struct Measured {
    pub(super) series: Series,
    pub(super) native: Sample,
    pub(super) naive: Sample,
    pub(super) load: Load,
    pub(super) profile: Option<Profile>,
    /// Rows of each table of the profile.
    pub(super) top: usize,
}

impl Measured {
    fn baselines(&self) -> [(&'static str, f64); 2] {
        [("native", self.native.pips()), ("naive", self.naive.pips())]
    }

    fn ratio(&self, baseline: f64) -> f64 {
        if baseline > 0.0 {
            self.series.pips() / baseline
        } else {
            0.0
        }
    }

    pub(super) fn json(&self) -> Value {
        let machine = Machine::this();
        let runs: Vec<Value> = self
            .series
            .runs
            .iter()
            .map(|run| {
                json!({
                    "priorities": run.priorities,
                    "seconds": run.seconds,
                    "pips": run.pips(),
                })
            })
            .collect();
        let baselines: Vec<Value> = self
            .baselines()
            .iter()
            .map(|&(name, pips)| json!({"name": name, "pips": pips, "ratio": self.ratio(pips)}))
            .collect();
        let mut object = json!({
            "priorities": self.series.priorities(),
            "seconds": self.series.seconds(),
            "pips": self.series.pips(),
            "spread": self.series.spread(),
            "runs": runs,
            "baselines": baselines,
            "calls": self.load.calls,
            "threads": self.load.threads,
            "machine": {"cpu": machine.cpu, "cores": machine.cores},
            "rustc": rustc(),
            "commit": commit(),
        });
        if let (Some(profile), Some(object)) = (&self.profile, object.as_object_mut()) {
            object.insert("profile".into(), profile_json(profile, self.top));
        }
        object
    }

    pub(super) fn text(&self, start: &str) -> String {
        let series = &self.series;
        let machine = Machine::this();
        let mut out = format!(
            "{} priorities per second  {start}\n",
            ui::paint(Style::Bold, &count(series.pips()))
        );
        let mut rows = vec![
            row("priorities", &count(series.priorities() as f64)),
            row("seconds", &format!("{:.6}", series.seconds())),
            row("per priority", &format!("{:.2} ns", per_priority(series))),
            row(
                "runs",
                &format!(
                    "{} (median; fastest to slowest {:.1} %)",
                    series.runs.len(),
                    series.spread() * 100.0
                ),
            ),
            row(
                "load",
                &format!(
                    "{} on {}",
                    plural(self.load.calls, "call"),
                    plural(self.load.threads, "thread")
                ),
            ),
        ];
        for (name, pips) in self.baselines() {
            let what = match name {
                "native" => "native Rust loop",
                _ => "textual evaluation",
            };
            rows.push(row(
                what,
                &format!(
                    "{} (this is {:.3} times that)",
                    count(pips),
                    self.ratio(pips)
                ),
            ));
        }
        rows.push(row(
            "machine",
            &format!("{}, {} cores", machine.cpu, machine.cores),
        ));
        rows.push(row(
            "built",
            &format!("{}, commit {}", rustc(), commit().unwrap_or("unknown")),
        ));
        out.push_str(&ui::table(&rows, &[]));
        if let Some(profile) = &self.profile {
            out.push_str(&profile_text(profile, self.top));
        }
        out
    }
}

/// How the figures of a profile were taken.
fn method(profile: &Profile) -> String {
    format!(
        "Calls are exact: one call was run line by line and counted. Times are {} samples of further calls, \
         whose own time differs by {:+.0} % from that of unwatched ones, shared out over the {:.6} seconds of an unwatched call. A NoOp or \
         Goto of which nothing can be seen is run by the line before it, which has its time.",
        count(profile.samples as f64),
        profile.overhead() * 100.0,
        profile.plain.seconds
    )
}

/// Nanoseconds of one time that something ran.
fn nanoseconds(profile: &Profile, entrant: &Entrant) -> f64 {
    entrant.share * profile.plain.seconds * 1e9 / entrant.calls.max(1) as f64
}

fn profile_json(profile: &Profile, top: usize) -> Value {
    let rows = |rows: &[Entrant]| -> Vec<Value> {
        rows.iter()
            .take(top)
            .map(|row| {
                let mut object = json!({
                    "name": row.name,
                    "calls": row.calls,
                    "seconds": row.share * profile.plain.seconds,
                    "share": row.share,
                    "samples": row.samples,
                });
                if let (Some((file, line)), Some(object)) = (&row.source, object.as_object_mut()) {
                    object.insert("application".into(), json!(row.application));
                    object.insert("file".into(), json!(file));
                    object.insert("line".into(), json!(line));
                }
                object
            })
            .collect()
    };
    json!({
        "method": method(profile),
        "samples": profile.samples,
        "overhead": profile.overhead(),
        "seconds": profile.plain.seconds,
        "applications": rows(&profile.applications),
        "extensions": rows(&profile.extensions),
        "priorities": rows(&profile.priorities),
    })
}

fn profile_text(profile: &Profile, top: usize) -> String {
    let mut out = String::new();
    for (title, entrants) in [
        ("application", &profile.applications),
        ("extension", &profile.extensions),
        ("priority", &profile.priorities),
    ] {
        let mut rows = vec![
            ["", "share", "self ms", "calls", "ns each", title]
                .map(str::to_owned)
                .to_vec(),
        ];
        for entrant in entrants.iter().take(top) {
            let mut row = vec![
                String::new(),
                format!("{:.1} %", entrant.share * 100.0),
                format!("{:.3}", entrant.share * profile.plain.seconds * 1e3),
                count(entrant.calls as f64),
                format!("{:.1}", nanoseconds(profile, entrant)),
                entrant.name.clone(),
            ];
            row.extend(entrant.application.clone());
            row.extend(
                entrant
                    .source
                    .as_ref()
                    .map(|(file, line)| format!("{file}:{line}")),
            );
            rows.push(row);
        }
        out.push('\n');
        for (n, line) in ui::table(&rows, &[1, 2, 3, 4]).lines().enumerate() {
            let heading = (n == 0).then(|| ui::paint(Style::Bold, line));
            out.push_str(heading.as_deref().unwrap_or(line));
            out.push('\n');
        }
        if entrants.len() > top {
            out.push_str(&format!("  and {} more (--top)\n", entrants.len() - top));
        }
    }
    out.push_str(&format!("\n{}\n", method(profile)));
    out
}

fn per_priority(series: &Series) -> f64 {
    let pips = series.pips();
    if pips > 0.0 { 1e9 / pips } else { 0.0 }
}

fn row(name: &str, value: &str) -> Vec<String> {
    vec![String::new(), name.to_owned(), value.to_owned()]
}

fn plural(n: usize, what: &str) -> String {
    let end = if n == 1 { "" } else { "s" };
    format!("{} {what}{end}", count(n as f64))
}

/// A whole number with its thousands apart.
pub(super) fn count(n: f64) -> String {
    let digits = format!("{n:.0}");
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::count;

    #[test]
    fn thousands_are_apart() {
        assert_eq!(count(0.0), "0");
        assert_eq!(count(999.4), "999");
        assert_eq!(count(1000.0), "1,000");
        assert_eq!(count(1_234_567.0), "1,234,567");
    }
}
