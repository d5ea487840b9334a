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
use std::time::Instant;

use serde_json::Value;

pub use alone::Alone;
pub use lookups::{Numbers, Random, find_all, fit_all};
pub use small::{LINES_AT, lines_of};

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
        super::pips::spread(self.rounds.iter().copied())
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

/// Measures everything. Files that are needed are written into a folder that is gone afterwards.
pub fn run(options: &Options<'_>) -> Result<Vec<Row>, String> {
    let scratch = Scratch::new().map_err(|error| error.to_string())?;
    let mut rows = loops::rows(options, scratch.path());
    rows.extend(lookups::rows(options));
    rows.extend(small::rows(options));
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

/// What is shorter says nothing: another process's lines may be read at once, and any interruption shows.
const SHORTEST: f64 = 0.05;

/// Rounds of a baseline's loop at most: the loops count in 32 bits.
const MOST_ROUNDS: u32 = 2_000_000_000;

/// Rounds a second of a loop, run with as many rounds as take long enough. They are kept for the next time.
fn rounds_per_second(
    rounds: &mut u32,
    mut seconds: impl FnMut(u32) -> Result<f64, String>,
) -> Result<f64, String> {
    loop {
        let taken = seconds(*rounds)?;
        if taken >= SHORTEST {
            return Ok(f64::from(*rounds) / taken);
        }
        if *rounds == MOST_ROUNDS {
            return Err("too short to be measured".into());
        }
        // A little more than what seems to be needed; a time that is nearly none says little of that.
        let wanted = (1.5 * SHORTEST / taken).clamp(2.0, 10.0);
        *rounds = (f64::from(*rounds) * wanted).min(f64::from(MOST_ROUNDS)) as u32;
    }
}

/// Nanoseconds of each of what `act` does so many of, repeated until it took long enough.
pub fn nanoseconds_each(mut act: impl FnMut() -> usize) -> Result<f64, String> {
    let begin = Instant::now();
    let mut done = 0;
    loop {
        let more = act();
        if more == 0 {
            return Err("nothing was done".into());
        }
        done += more;
        let seconds = begin.elapsed().as_secs_f64();
        if seconds >= SHORTEST {
            return Ok(seconds * 1e9 / done as f64);
        }
    }
}

type Measure<'a> = Box<dyn FnMut() -> Result<f64, String> + 'a>;

/// What is measured side by side.
pub struct Side<'a> {
    name: &'static str,
    goal: Option<f64>,
    measure: Measure<'a>,
}

impl std::fmt::Debug for Side<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Side")
            .field("name", &self.name)
            .field("goal", &self.goal)
            .finish_non_exhaustive()
    }
}

impl<'a> Side<'a> {
    /// A baseline by its name; `measure` gives its figure, or why there is none.
    pub fn new(name: &'static str, measure: impl FnMut() -> Result<f64, String> + 'a) -> Self {
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
pub fn side_by_side(
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
    fn a_loop_is_run_until_it_takes_long_enough() {
        // A billion rounds a second, whose first thousands are read in no time.
        let (mut rounds, mut tried) = (1_000, Vec::new());
        let measure = |n: u32| {
            tried.push(n);
            Ok(if n < 100_000 { 0.0 } else { f64::from(n) / 1e9 })
        };
        let rate = rounds_per_second(&mut rounds, measure).unwrap();
        assert!((rate / 1e9 - 1.0).abs() < 1e-9, "{rate}");
        assert!(f64::from(rounds) >= SHORTEST * 1e9, "{rounds}");
        assert!(tried.len() > 2 && tried.is_sorted(), "{tried:?}");
        // The next time it is long enough at once.
        let kept = rounds;
        let again = rounds_per_second(&mut rounds, |n| Ok(f64::from(n) / 1e9));
        assert!(again.is_ok() && rounds == kept);
        let never = rounds_per_second(&mut rounds, |_| Ok(0.0));
        assert_eq!(never, Err("too short to be measured".into()));
        let broken = rounds_per_second(&mut rounds, |_| Err("not installed".into()));
        assert_eq!(broken, Err("not installed".into()));
    }

    #[test]
    fn what_is_quick_is_repeated() {
        let mut times = 0;
        let each = nanoseconds_each(|| {
            times += 1;
            std::thread::sleep(std::time::Duration::from_millis(10));
            4
        });
        let each = each.unwrap();
        assert!((2..=5).contains(&times) && each >= 2.5e6, "{times} {each}");
        assert!(nanoseconds_each(|| 0).is_err());
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
