//! The suite: every workload beside what it is compared with, measured in turn in the same run.
//!
//! One round measures ours, then each baseline, then the next round begins: what disturbs a machine for a while
//! disturbs all of them. A figure is the median over the rounds, its spread the distance of the extremes as a part of
//! it. All times are wall-clock times of this process.

mod alone;
mod asterisk;
mod lookups;
mod loops;
mod programs;
mod small;

use std::path::{Path, PathBuf};

use serde_json::Value;

pub use alone::Alone;
pub use lookups::numbers_and_blocks;
pub use small::lines_of;

/// What a figure counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Executed dialplan lines, or what stands for them, a second.
    PerSecond,
    /// Nanoseconds.
    Nanoseconds,
    /// Seconds.
    Seconds,
    /// Bytes.
    Bytes,
    /// How many times as much.
    Times,
}

impl Unit {
    /// Whether more is better.
    pub fn more_is_better(self) -> bool {
        matches!(self, Self::PerSecond | Self::Times)
    }

    /// How it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::PerSecond => "priorities/s",
            Self::Nanoseconds => "ns",
            Self::Seconds => "s",
            Self::Bytes => "bytes",
            Self::Times => "times",
        }
    }
}

/// One figure of each round.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Figure {
    /// In the order of the rounds.
    pub rounds: Vec<f64>,
}

impl Figure {
    /// Median over the rounds.
    pub fn median(&self) -> f64 {
        super::pips::median(self.rounds.iter().copied())
    }

    /// Distance of the least to the most, as a part of the median.
    pub fn spread(&self) -> f64 {
        let least = self.rounds.iter().copied().fold(f64::INFINITY, f64::min);
        let most = self.rounds.iter().copied().fold(0.0, f64::max);
        let median = self.median();
        if median > 0.0 {
            (most - least) / median
        } else {
            0.0
        }
    }
}

/// What a workload is compared with.
#[derive(Debug, Clone, PartialEq)]
pub struct Baseline {
    /// Its name.
    pub name: String,
    /// Its figure, in the workload's unit; else why there is none.
    pub figure: Result<Figure, String>,
    /// What the ratio should at least be.
    pub goal: Option<f64>,
}

/// A workload.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// What is measured.
    pub workload: String,
    /// In what.
    pub unit: Unit,
    /// Ours; else why there is none.
    pub ours: Result<Figure, String>,
    /// What ours should reach: at least where more is better, else at most.
    pub goal: Option<f64>,
    /// What it is compared with.
    pub baselines: Vec<Baseline>,
}

impl Row {
    /// How many times better ours is than a baseline, whatever the unit.
    pub fn ratio(&self, baseline: &Baseline) -> Option<f64> {
        let (ours, other) = (self.ours.as_ref().ok()?, baseline.figure.as_ref().ok()?);
        let (ours, other) = (ours.median(), other.median());
        let (upper, lower) = if self.unit.more_is_better() {
            (ours, other)
        } else {
            (other, ours)
        };
        (lower > 0.0).then(|| upper / lower)
    }

    /// Whether the goal of ours is met, where there is one.
    pub fn met(&self) -> Option<bool> {
        let (goal, ours) = (self.goal?, self.ours.as_ref().ok()?.median());
        Some(if self.unit.more_is_better() {
            ours >= goal
        } else {
            ours <= goal
        })
    }
}

/// What to measure, and with whose help.
pub struct Options<'a> {
    /// Rounds of each workload.
    pub rounds: u32,
    /// A tenth of the work: figures that show whether something is badly wrong, no more.
    pub quick: bool,
    /// The program of an Asterisk.
    pub asterisk: Option<PathBuf>,
    /// Runs [`Alone::measure`] in a process of its own, where memory tells something.
    pub alone: &'a dyn Fn(&Alone) -> Result<Value, String>,
    /// Is told what is measured next.
    pub next: &'a dyn Fn(&str),
}

impl std::fmt::Debug for Options<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options")
            .field("rounds", &self.rounds)
            .field("quick", &self.quick)
            .field("asterisk", &self.asterisk)
            .finish_non_exhaustive()
    }
}

impl Options<'_> {
    /// A size, or a tenth of it.
    fn size(&self, whole: u32) -> u32 {
        if self.quick { whole / 10 } else { whole }
    }
}

/// How many workloads there are parts of.
pub const PARTS: u64 = 5;

/// Measures everything. Files that are needed are written into a folder that is gone afterwards.
pub fn run(options: &Options<'_>) -> Result<Vec<Row>, String> {
    let scratch = Scratch::new().map_err(|error| error.to_string())?;
    let mut rows = loops::rows(options, scratch.path());
    rows.extend(lookups::rows(options, scratch.path()));
    rows.extend(small::rows(options, scratch.path()));
    rows.extend(alone::rows(options, scratch.path()));
    Ok(rows)
}

/// A folder that is gone when this is.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> std::io::Result<Self> {
        let path = std::env::temp_dir().join(format!("strowger-suite-{}", std::process::id()));
        std::fs::create_dir_all(&path)?;
        Ok(Self(path))
    }

    fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

type Measure<'a> = Box<dyn FnMut() -> Result<f64, String> + 'a>;

/// What is measured side by side.
struct Side<'a> {
    name: &'static str,
    goal: Option<f64>,
    measure: Measure<'a>,
}

impl<'a> Side<'a> {
    fn new(name: &'static str, measure: impl FnMut() -> Result<f64, String> + 'a) -> Self {
        Self {
            name,
            goal: None,
            measure: Box::new(measure),
        }
    }

    fn at_least(mut self, ratio: f64) -> Self {
        self.goal = Some(ratio);
        self
    }
}

/// Measures ours and its baselines in turn, so many rounds. What failed once is not tried again.
fn side_by_side(
    options: &Options<'_>,
    workload: impl Into<String>,
    unit: Unit,
    goal: Option<f64>,
    ours: impl FnMut() -> Result<f64, String>,
    mut sides: Vec<Side<'_>>,
) -> Row {
    let workload = workload.into();
    (options.next)(&workload);
    let mut ours = Side::new("", ours);
    let mut figure: Result<Figure, String> = Ok(Figure::default());
    let mut figures: Vec<_> = sides.iter().map(|_| Ok(Figure::default())).collect();
    for _ in 0..options.rounds {
        take(&mut figure, &mut ours);
        for (figure, side) in figures.iter_mut().zip(&mut sides) {
            take(figure, side);
        }
    }
    let baselines = sides
        .into_iter()
        .zip(figures)
        .map(|(side, figure)| Baseline {
            name: side.name.to_owned(),
            figure,
            goal: side.goal,
        })
        .collect();
    Row {
        workload,
        unit,
        ours: figure,
        goal,
        baselines,
    }
}

fn take(figure: &mut Result<Figure, String>, side: &mut Side<'_>) {
    if let Ok(rounds) = figure {
        match (side.measure)() {
            Ok(value) => rounds.rounds.push(value),
            Err(reason) => *figure = Err(reason),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(
        clippy::unnecessary_wraps,
        reason = "what a baseline gives is a result"
    )]
    fn figure(rounds: &[f64]) -> Result<Figure, String> {
        Ok(Figure {
            rounds: rounds.to_vec(),
        })
    }

    #[test]
    fn a_ratio_says_how_many_times_better_ours_is() {
        let baseline = Baseline {
            name: "other".into(),
            figure: figure(&[1.0, 2.0, 9.0]),
            goal: None,
        };
        let mut row = Row {
            workload: "work".into(),
            unit: Unit::PerSecond,
            ours: figure(&[8.0]),
            goal: Some(8.0),
            baselines: Vec::new(),
        };
        assert_eq!(row.ratio(&baseline), Some(4.0));
        assert_eq!(row.met(), Some(true));
        row.unit = Unit::Nanoseconds;
        assert_eq!(row.ratio(&baseline), Some(0.25));
        row.goal = Some(7.0);
        assert_eq!(row.met(), Some(false));
        row.ours = Err("not there".into());
        assert_eq!((row.ratio(&baseline), row.met()), (None, None));
    }

    #[test]
    fn sides_take_turns_and_a_failure_ends_only_its_own() {
        let order = std::cell::RefCell::new(String::new());
        let options = Options {
            rounds: 3,
            quick: true,
            asterisk: None,
            alone: &|_| Err("no".into()),
            next: &|_| {},
        };
        let step = |name: char, value| {
            order.borrow_mut().push(name);
            value
        };
        let row = side_by_side(
            &options,
            "work",
            Unit::Seconds,
            None,
            || step('o', Ok(1.0)),
            vec![
                Side::new("a", || step('a', Ok(2.0))),
                Side::new("b", || step('b', Err("not installed".into()))),
            ],
        );
        assert_eq!(*order.borrow(), "oaboaoa");
        assert_eq!(row.ours.as_ref().unwrap().rounds.len(), 3);
        assert_eq!(row.baselines[1].figure, Err("not installed".into()));
        assert_eq!(row.ratio(&row.baselines[0]), Some(2.0));
    }
}
