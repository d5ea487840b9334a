//! Figures of a run, and the highest rate that a server keeps up with.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use super::client::{Client, Counts, Course};
use super::population::Population;
use super::process::{Process, counters};
use super::schedule::Schedule;
use super::{Histogram, LoadError};

/// A request that leaves so long after its time is late: the client did not keep up, or its window was full.
pub const LATE: Duration = Duration::from_millis(5);
/// At the highest rate 99 of 100 answers come within that.
pub const WORST: Duration = Duration::from_millis(50);
/// At the highest rate not more than this share is sent late.
const LATE_SHARE: f64 = 0.01;
/// Clock ticks of `/proc/PID/stat` in a second, on all Linux systems of today.
const TICKS: f64 = 100.0;

/// What a process took.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Usage {
    /// Seconds of a processor, user and system.
    pub cpu: f64,
    /// Bytes in memory.
    pub resident: u64,
}

/// What a process took so far; nothing where there is no `/proc`.
pub fn usage(process: u32) -> Option<Usage> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name, in parentheses, may hold blanks.
    let (_, rest) = stat.rsplit_once(") ")?;
    let mut fields = rest.split(' ');
    let user: f64 = fields.nth(11)?.parse().ok()?;
    let system: f64 = fields.next()?.parse().ok()?;
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let resident: u64 = line.trim().trim_end_matches(" kB").parse().ok()?;
    Some(Usage {
        cpu: (user + system) / TICKS,
        resident: resident * 1024,
    })
}

/// What is measured.
#[derive(Debug, Clone)]
pub struct Bench {
    /// Requests per second.
    pub rate: u32,
    /// What is not counted, at the beginning; sessions begin to end after two seconds.
    pub warm_up: Duration,
    /// What is counted.
    pub seconds: Duration,
    /// Requests that may be unanswered.
    pub window: u32,
    /// Whose sessions.
    pub population: Population,
}

/// Where a server's own figures come from.
#[derive(Debug, Clone, Default)]
pub struct Source {
    /// Its process.
    pub process: Option<u32>,
    /// Its control socket.
    pub control: Option<PathBuf>,
}

impl From<&Process> for Source {
    fn from(process: &Process) -> Self {
        Self {
            process: Some(process.id()),
            control: Some(process.control()),
        }
    }
}

/// What a run came to.
#[derive(Debug, Clone, Default)]
pub struct Figures {
    /// Requests per second that were to be sent.
    pub rate: u32,
    /// The length of the window.
    pub seconds: f64,
    /// Requests of the window that were sent.
    pub sent: u64,
    /// Requests that were due in the window too, and not sent at all: the run took too long.
    pub left: u64,
    /// Those of both that were sent late, or not at all.
    pub late: u64,
    /// Answers by result; those of 3GPP count from 1,000,000.
    pub codes: BTreeMap<u32, u64>,
    /// From the time a request was due to its answer.
    pub latency: Histogram,
    /// Decisions that the server pushed.
    pub pushes: u64,
    /// Per cent of a processor that the server took.
    pub server_cpu: Option<f64>,
    /// Per cent of a processor that this process took.
    pub client_cpu: Option<f64>,
    /// Bytes of memory of the server at the end of the window.
    pub resident: Option<u64>,
    /// What the server's counters grew by.
    pub counters: BTreeMap<String, u64>,
}

/// Figures of the processes at one end of the window.
#[derive(Default)]
struct Mark {
    at: Option<Instant>,
    server: Option<Usage>,
    client: Option<Usage>,
    counters: Map<String, Value>,
}

impl Mark {
    fn take(source: &Source) -> Self {
        let control = source.control.as_deref();
        Self {
            at: Some(Instant::now()),
            server: source.process.and_then(usage),
            client: usage(std::process::id()),
            counters: control
                .and_then(|control| counters(control).ok())
                .unwrap_or_default(),
        }
    }
}

impl Bench {
    /// One run at the rate.
    pub fn run(&self, client: &mut Client, source: &Source) -> Result<Figures, LoadError> {
        let course = Course {
            schedule: Schedule::of_rate(self.rate),
            warm_up: self.warm_up,
            seconds: self.seconds,
            window: self.window,
            // A server that does not keep up is not waited for.
            limit: (self.warm_up + self.seconds) * 2,
        };
        self.follow(&course, client, source)
    }

    fn follow(
        &self,
        course: &Course,
        client: &mut Client,
        source: &Source,
    ) -> Result<Figures, LoadError> {
        let mut marks = [Mark::default(), Mark::default()];
        let counts = client.run(course, &self.population, |begins| {
            let [begin, end] = &mut marks;
            *(if begins { begin } else { end }) = Mark::take(source);
        })?;
        Ok(figures(course.schedule.rate, counts, &marks))
    }

    /// Raises the rate by a tenth until the server does not keep up; gives the last run that it kept up with, and how
    /// many runs there were. The first rate is this bench's, or, where it is higher, a bit more than half of what
    /// the server does when it is asked without a pause.
    pub fn maximum(
        &self,
        client: &mut Client,
        source: &Source,
        mut each: impl FnMut(&Figures),
    ) -> Result<Option<Figures>, LoadError> {
        let without_pause = self.saturated(client, source)?;
        let mut bench = self.clone();
        bench.rate = bench.rate.max((f64::from(without_pause) * 0.55) as u32);
        let mut best = None;
        loop {
            let figures = bench.run(client, source)?;
            each(&figures);
            if !figures.keeps_up() {
                if best.is_some() || bench.rate < 100 {
                    return Ok(best);
                }
                // The beginning was too high.
                bench.rate = bench.rate * 3 / 4;
                continue;
            }
            best = Some(figures);
            bench.rate += bench.rate.div_ceil(10);
        }
    }

    /// Answers per second to a client that sends as soon as its window allows.
    pub fn saturated(&self, client: &mut Client, source: &Source) -> Result<u32, LoadError> {
        let course = Course {
            schedule: Schedule::without_pause(),
            warm_up: Duration::ZERO,
            seconds: Duration::from_secs(2),
            window: self.window,
            limit: Duration::from_secs(2),
        };
        let figures = self.follow(&course, client, source)?;
        Ok(figures.throughput() as u32)
    }
}

fn figures(rate: u32, counts: Counts, marks: &[Mark; 2]) -> Figures {
    let [begin, end] = marks;
    let seconds = match (begin.at, end.at) {
        (Some(begin), Some(end)) => end.duration_since(begin).as_secs_f64(),
        _ => 0.0,
    };
    let share = |begin: Option<Usage>, end: Option<Usage>| {
        let (begin, end) = (begin?, end?);
        (seconds > 0.0).then(|| (end.cpu - begin.cpu) * 100.0 / seconds)
    };
    let count = |counters: &Map<String, Value>, name: &str| {
        counters.get(name).and_then(Value::as_u64).unwrap_or(0)
    };
    let grown = end.counters.keys().map(|name| {
        let more = count(&end.counters, name).saturating_sub(count(&begin.counters, name));
        (name.clone(), more)
    });
    Figures {
        rate,
        seconds,
        sent: counts.sent,
        left: counts.left,
        late: counts.late,
        codes: counts.codes,
        latency: counts.latency,
        pushes: counts.pushes,
        server_cpu: share(begin.server, end.server),
        client_cpu: share(begin.client, end.client),
        resident: end.server.map(|usage| usage.resident),
        counters: grown.collect(),
    }
}

impl Figures {
    /// Answers to the requests of the window per second of it.
    pub fn throughput(&self) -> f64 {
        self.latency.total() as f64 / self.seconds.max(1e-9)
    }

    /// Milliseconds within which this share of the answers came.
    pub fn milliseconds(&self, share: f64) -> f64 {
        self.latency.at(share) as f64 / 1e6
    }

    /// The share of requests that were sent late.
    pub fn late_share(&self) -> f64 {
        self.late as f64 / ((self.sent + self.left) as f64).max(1.0)
    }

    /// Requests of the window without an answer.
    pub fn unanswered(&self) -> u64 {
        self.sent.saturating_sub(self.latency.total())
    }

    /// Whether server and client kept up with the rate.
    pub fn keeps_up(&self) -> bool {
        self.milliseconds(0.99) <= WORST.as_secs_f64() * 1e3
            && self.late_share() <= LATE_SHARE
            && self.unanswered() == 0
    }

    /// How much a counter of the server grew by.
    pub fn counter(&self, name: &str) -> u64 {
        self.counters.get(name).copied().unwrap_or(0)
    }

    /// A counter of the server in a second.
    pub fn per_second(&self, name: &str) -> f64 {
        self.counter(name) as f64 / self.seconds.max(1e-9)
    }

    /// A counter of the server for each of its requests.
    pub fn per_request(&self, name: &str) -> f64 {
        self.counter(name) as f64 / (self.counter("requests") as f64).max(1.0)
    }

    /// Transactions of the store. Those of the naive way are told twice where there is a committer, as it counts all.
    pub fn commits(&self) -> u64 {
        self.counter("commits").max(self.counter("group-commits"))
    }

    /// A stable form.
    pub fn json(&self) -> Value {
        let codes: Map<String, Value> = self
            .codes
            .iter()
            .map(|(code, count)| (code_name(*code), json!(count)))
            .collect();
        json!({
            "rate": self.rate, "seconds": self.seconds, "sent": self.sent, "left": self.left, "late": self.late,
            "unanswered": self.unanswered(), "per_second": self.throughput(), "answers": codes,
            "p50_ms": self.milliseconds(0.5), "p99_ms": self.milliseconds(0.99),
            "p999_ms": self.milliseconds(0.999), "longest_ms": self.milliseconds(1.0), "pushes": self.pushes,
            "server_cpu": self.server_cpu, "client_cpu": self.client_cpu, "resident": self.resident,
            "counters": self.counters,
        })
    }
}

/// A result as it is shown: those of 3GPP with their vendor.
pub(crate) fn code_name(code: u32) -> String {
    match code {
        0 => "none".to_owned(),
        1_000_000.. => format!("3GPP {}", code - 1_000_000),
        _ => code.to_string(),
    }
}
