//! What each of the seven optimisations is worth: the same load with some of them off.

use serde_json::{Value, json};

use super::measure::{Bench, Figures, Source};
use super::process::{Process, Start};
use super::{Client, LoadError};
use crate::pcrf::optimise::NAMES;

/// Load of a processor that the article tells for its version without the seven, with some, and with all of them, in
/// relation to the first (80, 35, 27 %). Machine, store and load are others: only the ratios can be compared.
pub const ARTICLE: [f64; 3] = [1.0, 0.44, 0.34];

/// Which optimisations are on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// What it is called.
    pub name: String,
    /// In the order of [`NAMES`].
    pub on: [bool; 7],
}

impl Row {
    /// As the server's options have it.
    pub fn optimise(&self) -> Vec<String> {
        let value = |on| if on { "on" } else { "off" };
        NAMES
            .iter()
            .zip(self.on)
            .map(|(name, on)| format!("{name}={}", value(on)))
            .collect()
    }

    /// The article's ratio for it, where there is one.
    pub fn article(&self) -> Option<f64> {
        let [without, _, with] = ARTICLE;
        match self.on {
            [false, false, false, false, false, false, false] => Some(without),
            [true, true, true, true, true, true, true] => Some(with),
            _ => None,
        }
    }
}

/// All off; each one alone; one after another in the article's order; all but one; all.
pub fn rows() -> Vec<Row> {
    let row = |name: String, on: &dyn Fn(usize) -> bool| Row {
        name,
        on: std::array::from_fn(on),
    };
    let mut rows = vec![row("all off".to_owned(), &|_| false)];
    let numbered = || NAMES.iter().enumerate();
    rows.extend(numbered().map(|(own, name)| row(format!("only {name}"), &|at| at == own)));
    // The first and the last of these are rows already.
    let between = numbered().skip(1).take(5);
    rows.extend(
        between.map(|(own, name)| row(format!("1 to {}: up to {name}", own + 1), &|at| at <= own)),
    );
    rows.extend(numbered().map(|(own, name)| row(format!("all but {name}"), &|at| at != own)));
    rows.push(row("all on".to_owned(), &|_| true));
    rows
}

/// What a row came to.
#[derive(Debug, Clone)]
pub struct Line {
    /// The row.
    pub row: Row,
    /// One for each run at the fixed rate.
    pub runs: Vec<Figures>,
    /// The highest rate.
    pub maximum: Option<f64>,
}

/// The one in the middle.
fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

impl Line {
    fn all(&self, value: impl Fn(&Figures) -> Option<f64>) -> Vec<f64> {
        self.runs.iter().filter_map(value).collect()
    }

    /// The median over the runs.
    pub fn middle(&self, value: impl Fn(&Figures) -> Option<f64>) -> Option<f64> {
        median(self.all(value))
    }

    /// Per cent of a processor that the server took: median, least, most.
    pub fn cpu(&self) -> Option<(f64, f64, f64)> {
        let all = self.all(|figures| figures.server_cpu);
        let least = all.iter().copied().min_by(f64::total_cmp)?;
        let most = all.iter().copied().max_by(f64::total_cmp)?;
        Some((median(all)?, least, most))
    }

    /// Transactions of the store for each request.
    pub fn commits(&self) -> f64 {
        let each = |figures: &Figures| {
            figures.commits() as f64 / (figures.counter("requests") as f64).max(1.0)
        };
        self.middle(|figures| Some(each(figures))).unwrap_or(0.0)
    }

    /// A counter of the server for each request.
    pub fn per_request(&self, name: &str) -> f64 {
        self.middle(|figures| Some(figures.per_request(name)))
            .unwrap_or(0.0)
    }

    /// A counter of the server in a second.
    pub fn per_second(&self, name: &str) -> f64 {
        self.middle(|figures| Some(figures.per_second(name)))
            .unwrap_or(0.0)
    }

    /// Requests that were not answered with success, or not at all, in all runs.
    pub fn failures(&self) -> u64 {
        let failed = |figures: &Figures| {
            let success = figures.codes.get(&2001).copied().unwrap_or(0);
            figures.sent.saturating_sub(success)
        };
        self.runs.iter().map(failed).sum()
    }

    /// A stable form.
    pub fn json(&self) -> Value {
        let cpu = self.cpu();
        json!({
            "row": self.row.name, "optimise": self.row.optimise(),
            "cpu": cpu.map(|(median, _, _)| median),
            "cpu_least": cpu.map(|(_, least, _)| least), "cpu_most": cpu.map(|(_, _, most)| most),
            "maximum": self.maximum, "failures": self.failures(), "article_ratio": self.row.article(),
            "p99_ms": self.middle(|figures| Some(figures.milliseconds(0.99))),
            "commits_per_request": self.commits(),
            "lock_wait_us_per_request": self.per_request("lock-wait-ns") / 1e3,
            "store_reads_per_request": self.per_request("store-reads"),
            "dialplan_runs_per_request": self.per_request("dialplan-runs"),
            "avps_decoded_per_request": self.per_request("avps-decoded"),
            "bytes_copied_per_request": self.per_request("bytes-copied"),
            "time_stamps_per_second": self.per_second("time-stamps"),
            "runs": self.runs.iter().map(Figures::json).collect::<Vec<_>>(),
        })
    }
}

/// How the highest rate is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Maximum {
    /// Not at all.
    Skipped,
    /// Answers per second to a client that sends as soon as its window allows.
    Saturated,
    /// The rate is raised by a tenth until the server does not keep up.
    Raised,
}

/// How rows are measured.
#[derive(Debug, Clone)]
pub struct Ablation {
    /// The server; its switches are set by the rows.
    pub start: Start,
    /// The load.
    pub bench: Bench,
    /// Runs for each row.
    pub runs: u32,
    /// How the highest rate is found.
    pub maximum: Maximum,
}

impl Ablation {
    /// Measures one row with a server of its own.
    pub fn measure(&self, row: &Row) -> Result<Line, LoadError> {
        let mut start = self.start.clone();
        start.optimise = row.optimise();
        let process = Process::start(&start)?;
        let source = Source::from(&process);
        let mut client = Client::connect(process.address(), "load.pcef.example", "example")?;
        let mut runs = Vec::new();
        for _ in 0..self.runs {
            runs.push(self.bench.run(&mut client, &source)?);
        }
        let raise = Bench {
            warm_up: self.bench.warm_up.min(std::time::Duration::from_secs(3)),
            seconds: self.bench.seconds.min(std::time::Duration::from_secs(5)),
            ..self.bench.clone()
        };
        let maximum = match self.maximum {
            Maximum::Skipped => None,
            Maximum::Saturated => Some(f64::from(raise.saturated(&mut client, &source)?)),
            Maximum::Raised => raise
                .maximum(&mut client, &source, |_| ())?
                .map(|figures| figures.throughput()),
        };
        client.close();
        Ok(Line {
            row: row.clone(),
            runs,
            maximum,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rows_of_the_table() {
        let rows = rows();
        assert_eq!(rows.len(), 1 + 7 + 5 + 7 + 1);
        let mut on: Vec<[bool; 7]> = rows.iter().map(|row| row.on).collect();
        on.sort_unstable();
        on.dedup();
        // Six together and all but the last are the same, and stand in both of their sequences.
        assert_eq!(on.len(), 20);
        assert_eq!(
            rows.iter().filter_map(Row::article).collect::<Vec<_>>(),
            [1.0, 0.34]
        );
        assert_eq!(rows[1].optimise()[..2], ["commit=on", "upsert=off"]);
    }
}
