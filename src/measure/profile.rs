//! Where a dialplan spends its time: exact counts from one run, times by sampling from others.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::base::Text;
use crate::diagnostic::Entry;
use crate::host::Engine;
use crate::machine::sampler::{Sampler, Spent, Spot};
use crate::machine::{Location, Note, Observer};
use crate::measure::pips::{Load, Place, Sample, median, run};
use crate::program::{PriorityId, Program};

/// Shortest time between two samples; drawn out by up to as much again, so that it does not run in step with a loop.
const PAUSE: Duration = Duration::from_micros(300);

/// Runs without a sampler, whose median time is shared out.
const PLAIN_RUNS: usize = 3;

/// One application, extension or priority.
#[derive(Debug, Clone, PartialEq)]
pub struct Entrant {
    /// The application's name, `exten@context`, or `context,exten,priority`.
    pub name: String,
    /// Of a priority: file and line.
    pub source: Option<(String, u32)>,
    /// Of a priority: its application.
    pub application: Option<String>,
    /// How often it ran.
    pub calls: u64,
    /// Its part of the time, from 0 to 1, without what it called by Gosub.
    pub share: f64,
    /// Samples that hit it.
    pub samples: u64,
}

/// A profile of one call.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// The call as it runs when nobody looks: its time is what is shared out.
    pub plain: Sample,
    /// All sampled calls together.
    pub sampled: Sample,
    /// Samples taken.
    pub samples: u64,
    /// By application, the largest share first.
    pub applications: Vec<Entrant>,
    /// By extension.
    pub extensions: Vec<Entrant>,
    /// By priority.
    pub priorities: Vec<Entrant>,
    /// Stacks with their microseconds, as flame graphs are made of: the extension that was called, the lines of open
    /// Gosubs, the priority, its application, the function that it reads.
    pub stacks: Vec<(Vec<String>, u64)>,
}

impl Profile {
    /// How much longer a sampled call takes, as a part of the plain one.
    pub fn overhead(&self) -> f64 {
        match self.sampled.pips() {
            pips if pips > 0.0 => self.plain.pips() / pips - 1.0,
            _ => 0.0,
        }
    }
}

/// Profiles one call: it is run some times as it is, once counted, and then sampled for at least so long.
pub fn profile(engine: &Engine, place: &Place<'_>, at_least: Duration) -> Profile {
    let runs: Vec<_> = (0..PLAIN_RUNS)
        .map(|_| run(engine, place, Load::ONE, None))
        .collect();
    let plain = Sample {
        priorities: runs.first().map_or(0, |run| run.priorities),
        seconds: median(runs.iter().map(|run| run.seconds)),
    };
    let taken = Arc::default();
    let watch = |counts, clock: &Arc<AtomicU64>| {
        Some(Box::new(Watcher {
            sampler: Sampler::new(clock.clone()),
            counts,
            taken: Arc::clone(&taken),
        }) as Box<dyn Observer>)
    };
    run(engine, place, Load::ONE, watch(true, &Arc::default()));
    let mut sampled = Sample {
        priorities: 0,
        seconds: 0.0,
    };
    let clock = Clock::start();
    let begin = Instant::now();
    while begin.elapsed() < at_least {
        let one = run(engine, place, Load::ONE, watch(false, &clock.now));
        sampled.priorities += one.priorities;
        sampled.seconds += one.seconds;
    }
    drop(clock);
    let mut taken = taken.lock().unwrap_or_else(PoisonError::into_inner);
    let Taken { counts, spent } = std::mem::take(&mut *taken);
    drop(taken);
    let image = engine.image();
    let root = format!("{}@{}", place.exten, place.context);
    let tables = Tables::new(&image.program, &counts, &spent);
    Profile {
        plain,
        sampled,
        samples: spent.values().map(|spent| spent.samples).sum(),
        applications: tables.by(|line| line.application.clone()),
        extensions: tables.by(|line| line.extension.clone()),
        priorities: tables.priorities(),
        stacks: stacks(&image.program, &root, &spent),
    }
}

/// A clock that a thread of its own turns.
struct Clock {
    now: Arc<AtomicU64>,
    stop: Arc<AtomicBool>,
    thread: Option<thread::JoinHandle<()>>,
}

impl Clock {
    fn start() -> Self {
        let now = Arc::new(AtomicU64::new(0));
        let stop = Arc::new(AtomicBool::new(false));
        let (turned, ended) = (Arc::clone(&now), Arc::clone(&stop));
        let thread = thread::spawn(move || {
            let begin = Instant::now();
            let mut drawn = 0_u32;
            while !ended.load(Ordering::Relaxed) {
                // A Weyl sequence: spread evenly, and not in step with anything.
                drawn = drawn.wrapping_add(0x9e37_79b9);
                let part = f64::from(drawn) / f64::from(u32::MAX);
                thread::sleep(PAUSE + PAUSE.mul_f64(part));
                turned.store(begin.elapsed().as_nanos() as u64, Ordering::Relaxed);
            }
        });
        Self {
            now,
            stop,
            thread: Some(thread),
        }
    }
}

impl Drop for Clock {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

#[derive(Debug, Default)]
struct Taken {
    counts: BTreeMap<u32, u64>,
    spent: BTreeMap<Spot, Spent>,
}

/// Lends a call its sampler, and keeps what that took when the call is gone.
struct Watcher {
    sampler: Sampler,
    counts: bool,
    taken: Arc<Mutex<Taken>>,
}

impl Observer for Watcher {
    fn sees_priorities(&self) -> bool {
        self.counts
    }
    fn hears(&self) -> bool {
        false
    }
    fn sampler(&mut self) -> Option<&mut Sampler> {
        Some(&mut self.sampler)
    }
    fn priority(&mut self, _: &Text, _: &Location, _: &[u8], _: &[u8]) {}
    fn log(&mut self, _: &Text, _: Entry) {}
    fn verbose(&mut self, _: &Text, _: u8, _: &[u8]) {}
    fn note(&mut self, _: &Text, _: Note) {}
}

impl Drop for Watcher {
    fn drop(&mut self) {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if self.counts {
            taken.counts.clone_from(self.sampler.counts());
            return;
        }
        for (spot, spent) in self.sampler.spent() {
            let sum = taken.spent.entry(spot.clone()).or_default();
            sum.samples += spent.samples;
            sum.nanoseconds += spent.nanoseconds;
        }
    }
}

/// What is known of one line.
struct Line {
    extension: String,
    place: String,
    application: String,
    source: Option<(String, u32)>,
    calls: u64,
    spent: Spent,
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

impl Line {
    fn new(program: &Program, line: u32) -> Self {
        let table = &program.table;
        let entry = table.priority(PriorityId(program.whole_line(line)));
        let extension = entry.and_then(|entry| table.extension(entry.extension));
        let context = extension.and_then(|extension| table.context(extension.context));
        let exten = extension.map_or(String::new(), |e| text(&e.exten));
        let context = context.map_or(String::new(), |c| text(&c.name));
        let number = entry.map_or(0, |entry| entry.number);
        let spelled = entry.map_or(&[][..], |entry| program.names.resolve(entry.app));
        // As registered, whatever the line's spelling, so that one application is one row.
        let registered = program
            .applications
            .iter()
            .find(|name| name.eq_ignore_ascii_case(spelled));
        Self {
            extension: format!("{exten}@{context}"),
            place: format!("{context},{exten},{number}"),
            application: text(registered.map_or(spelled, |name| name.as_bytes())),
            source: entry.map(|entry| {
                let (file, line) = program.sources.listed(entry.place);
                (file.into_owned(), line)
            }),
            calls: 0,
            spent: Spent::default(),
        }
    }
}

struct Tables {
    lines: BTreeMap<u32, Line>,
    total: u64,
}

impl Tables {
    fn new(program: &Program, counts: &BTreeMap<u32, u64>, spent: &BTreeMap<Spot, Spent>) -> Self {
        let mut lines = BTreeMap::new();
        let mut total = 0;
        let of = |lines: &mut BTreeMap<u32, Line>, line, change: &dyn Fn(&mut Line)| {
            let whole = program.whole_line(line);
            change(
                lines
                    .entry(whole)
                    .or_insert_with(|| Line::new(program, whole)),
            );
        };
        for (&line, &calls) in counts {
            of(&mut lines, line, &|line| line.calls += calls);
        }
        for (spot, spent) in spent {
            total += spent.nanoseconds;
            of(&mut lines, spot.line, &|line| {
                line.spent.samples += spent.samples;
                line.spent.nanoseconds += spent.nanoseconds;
            });
        }
        Self { lines, total }
    }

    fn share(&self, spent: Spent) -> f64 {
        spent.nanoseconds as f64 / self.total.max(1) as f64
    }

    fn by(&self, name: impl Fn(&Line) -> String) -> Vec<Entrant> {
        let mut sums: BTreeMap<String, Entrant> = BTreeMap::new();
        for line in self.lines.values() {
            let name = name(line);
            let sum = sums.entry(name.clone()).or_insert(Entrant {
                name,
                source: None,
                application: None,
                calls: 0,
                share: 0.0,
                samples: 0,
            });
            sum.calls += line.calls;
            sum.share += self.share(line.spent);
            sum.samples += line.spent.samples;
        }
        sorted(sums.into_values().collect())
    }

    fn priorities(&self) -> Vec<Entrant> {
        let rows = self.lines.values().map(|line| Entrant {
            name: line.place.clone(),
            source: line.source.clone(),
            application: Some(line.application.clone()),
            calls: line.calls,
            share: self.share(line.spent),
            samples: line.spent.samples,
        });
        sorted(rows.collect())
    }
}

/// The largest share first, then the most calls; equal ones as they stand.
fn sorted(mut rows: Vec<Entrant>) -> Vec<Entrant> {
    rows.sort_by(|a, b| b.share.total_cmp(&a.share).then(b.calls.cmp(&a.calls)));
    rows
}

fn stacks(program: &Program, root: &str, spent: &BTreeMap<Spot, Spent>) -> Vec<(Vec<String>, u64)> {
    spent
        .iter()
        .map(|(spot, spent)| {
            let line = Line::new(program, spot.line);
            let mut frames = vec![root.to_owned()];
            frames.extend(spot.stack.iter().map(|&line| {
                let line = Line::new(program, line);
                format!("{} {}", line.place, line.application)
            }));
            frames.push(line.place);
            frames.push(line.application);
            let function = spot
                .function
                .and_then(|at| program.code.functions.get(at as usize));
            frames.extend(function.map(|name| format!("{}()", text(name))));
            (frames, spent.nanoseconds.div_ceil(1000))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::load::MemoryReader;

    #[test]
    fn counts_are_exact_and_shares_add_up() {
        let engine = Engine::builder().build();
        let plan = "[a]\nexten => 1,1,Set(i=0)\n same => n(top),Gosub(sub,s,1(${i}))\n \
                    same => n,Set(i=$[${i}+1])\n same => n,GotoIf($[${i}<500]?top)\n\
                    [sub]\nexten => s,1,Set(LOCAL(x)=${LEN(${ARG1})})\n same => n,NoOp(${x})\n \
                    same => n,Return()\n";
        engine
            .load_from("e.conf", &mut MemoryReader::new().with("e.conf", plan))
            .unwrap();
        let place = Place {
            context: "a",
            exten: "1",
        };
        let profile = profile(&engine, &place, Duration::from_millis(100));
        let calls =
            |rows: &[Entrant], name: &str| rows.iter().find(|r| r.name == name).unwrap().calls;
        assert_eq!(calls(&profile.applications, "Gosub"), 500);
        assert_eq!(calls(&profile.applications, "Set"), 1 + 500 + 500);
        assert_eq!(calls(&profile.extensions, "s@sub"), 1500);
        assert_eq!(calls(&profile.priorities, "a,1,4"), 500);
        let lines: u64 = profile.priorities.iter().map(|row| row.calls).sum();
        assert_eq!(lines, profile.plain.priorities);
        assert!(profile.samples > 10, "{}", profile.samples);
        for rows in [
            &profile.applications,
            &profile.extensions,
            &profile.priorities,
        ] {
            let shares: f64 = rows.iter().map(|row| row.share).sum();
            assert!((shares - 1.0).abs() < 1e-6, "{shares}");
        }
        let inner: Vec<_> = profile
            .stacks
            .iter()
            .filter(|(frames, _)| frames.get(1).is_some_and(|f| f == "a,1,2 Gosub"))
            .collect();
        assert!(
            inner
                .iter()
                .any(|(frames, _)| frames[2].starts_with("sub,s,"))
        );
        let row = profile
            .priorities
            .iter()
            .find(|r| r.name == "sub,s,1")
            .unwrap();
        assert_eq!(row.source, Some(("e.conf".into(), 7)));
    }
}
