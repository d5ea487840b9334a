//! What a measurement says, as text and as JSON.

use serde_json::{Value, json};

use crate::measure::census::Census;
use crate::measure::machine::{Machine, commit, rustc};
use crate::measure::{Load, Sample, Series};

use super::super::ui::{self, Style};

/// A finished measurement.
pub(super) struct Measured {
    pub(super) series: Series,
    pub(super) native: Sample,
    pub(super) naive: Sample,
    pub(super) load: Load,
    pub(super) census: Option<Census>,
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
        if let (Some(census), Some(object)) = (&self.census, object.as_object_mut()) {
            let counts = |rows: Vec<(String, u64)>| -> Vec<Value> {
                rows.into_iter()
                    .map(|(name, priorities)| json!({"name": name, "priorities": priorities}))
                    .collect()
            };
            object.insert(
                "profile".into(),
                json!({
                    "applications": counts(census.applications()),
                    "extensions": counts(census.extensions()),
                }),
            );
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
        if let Some(census) = &self.census {
            for (title, counts) in [
                ("priorities by application", census.applications()),
                ("priorities by extension", census.extensions()),
            ] {
                out.push_str(&format!("\n{}\n", ui::paint(Style::Bold, title)));
                let rows: Vec<Vec<String>> = counts
                    .into_iter()
                    .map(|(name, n)| vec![String::new(), count(n as f64), name])
                    .collect();
                out.push_str(&ui::table(&rows, &[1]));
            }
        }
        out
    }
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
fn count(n: f64) -> String {
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
