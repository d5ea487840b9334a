//! `strowger pcrf bench`.

use std::net::ToSocketAddrs as _;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};

use crate::cli::{exit, ui};
use crate::measure::machine::Machine;
use crate::pcrf::load::{
    Bench, Client, Figures, LATE, LoadError, Population, Process, Source, Start, WORST, code_name,
    pin_self,
};

/// The load: sessions that begin, report what they used after a second, and end after two.
#[derive(Debug, Args)]
pub(super) struct Load {
    /// Requests per second: a third of each kind.
    #[arg(long, default_value_t = 3000, value_parser = clap::value_parser!(u32).range(3..=1_000_000))]
    tps: u32,
    /// Subscribers, taken evenly.
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1..=9_000_000))]
    subscribers: u32,
    /// APNs: 70 % of the sessions have the first.
    #[arg(long, value_delimiter = ',', default_value = "internet,ims,iot.meter", value_parser = apn)]
    apns: Vec<String>,
    /// Per cent of the sessions that are in a foreign network.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u8).range(0..=100))]
    roaming: u8,
    /// Requests that may be unanswered.
    #[arg(long, default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    window: u32,
}

/// The name of an APN.
fn apn(text: &str) -> Result<String, String> {
    let sound = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
    sound
        .then(|| text.to_owned())
        .ok_or_else(|| "an APN has a name without blanks".to_owned())
}

impl Load {
    fn population(&self) -> Population {
        Population {
            subscribers: self.subscribers,
            apns: self.apns.clone(),
            roaming: self.roaming,
        }
    }

    /// The load for so many seconds after others that are not counted.
    pub(super) fn bench(&self, warm_up: u32, seconds: u32) -> Bench {
        Bench {
            rate: self.tps,
            warm_up: Duration::from_secs(u64::from(warm_up)),
            seconds: Duration::from_secs(u64::from(seconds)),
            window: self.window,
            population: self.population(),
        }
    }
}

/// The server of our own that is measured.
#[derive(Debug, Args)]
pub(super) struct Own {
    /// The dialplan that decides; without it that of dialplans/gx.conf.
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
    /// What an answer promises: mem, relaxed, strict.
    #[arg(long, value_name = "MODE", value_parser = ["mem", "relaxed", "strict"], default_value = "mem")]
    pub(super) durability: String,
    /// The store of relaxed and strict, as `serve` takes it, instead of a new file each time. Its records stay: take a
    /// database of its own.
    #[arg(long, value_name = "STORE")]
    store: Option<String>,
    /// Folder for the server's files: its disk is the one that is waited for.
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// Give server and client no processor of their own.
    #[arg(long)]
    unpinned: bool,
}

impl Own {
    /// What its answers promise, and what keeps it where that is no file of the server's own.
    pub(super) fn promise(&self) -> String {
        let kind = |store: &String| {
            store
                .chars()
                .take_while(char::is_ascii_alphabetic)
                .collect()
        };
        let kind: Option<String> = self.store.as_ref().map(kind);
        match kind.filter(|_| self.durability != "mem") {
            Some(kind) if kind == "redb" => format!("{} in redb", self.durability),
            Some(_) => format!("{} in PostgreSQL", self.durability),
            None => self.durability.clone(),
        }
    }

    /// How it is started, and whether both ends have a processor each.
    pub(super) fn start(
        &self,
        load: &Load,
        optimise: &[String],
        log: &str,
    ) -> Result<(Start, bool), i32> {
        machine();
        let program = std::env::current_exe().map_err(|error| {
            ui::message(&error.to_string());
            exit::UNREADABLE
        })?;
        let pinned = !self.unpinned && pin_self();
        let start = Start {
            program,
            policy: self.policy.clone(),
            durability: self.durability.clone(),
            store: self.store.clone(),
            optimise: optimise.to_vec(),
            log: log.to_owned(),
            subscribers: load.population().csv(),
            folder: self.folder.clone(),
            pinned,
        };
        Ok((start, pinned))
    }
}

/// Sends a load of Gx to a server and tells how fast the answers came.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  strowger pcrf bench
  strowger pcrf bench --maximum --durability relaxed --json
  strowger pcrf bench --write-subscribers load.csv
  strowger pcrf bench --connect 127.0.0.1:3868 --control pcrf.sock --tps 5000

Without --connect it starts `strowger pcrf serve` on a free port, bound to the first processor, itself to the second.
The schedule is fixed: latency counts from the time a request was due. The first rate of --maximum is --tps, or, where
that is higher, a bit more than half of what the server does when it is asked without a pause.
Exit codes: 0 all requests were answered with 2001; 1 some were not; 2 wrong usage; 3 the server cannot be reached.")]
pub(super) struct BenchArgs {
    #[command(flatten)]
    load: Load,
    /// What is counted.
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    seconds: u32,
    /// What is not counted, at the beginning: two seconds at least, until when no sessions end.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(2..=3600))]
    warm_up: u32,
    /// Look for the highest rate: 10 % more until p99 is above 50 ms or 1 % is sent late.
    #[arg(long)]
    maximum: bool,
    /// A running server; it must know the subscribers.
    #[arg(long, value_name = "HOST:PORT")]
    connect: Option<String>,
    /// The control socket of that server, for its counters.
    #[arg(long, value_name = "FILE", requires = "connect")]
    control: Option<PathBuf>,
    /// The process of that server, for what it takes.
    #[arg(long, value_name = "PID", requires = "connect")]
    process: Option<u32>,
    /// Write the subscribers to a file, and do nothing else.
    #[arg(long, value_name = "FILE")]
    write_subscribers: Option<PathBuf>,
    #[command(flatten)]
    own: Own,
    /// An optimisation of our own server to turn on or off, or all: NAME=on|off.
    #[arg(long = "opt", value_name = "NAME=on|off")]
    optimise: Vec<String>,
    /// The log of our own server.
    #[arg(long, value_parser = ["warning", "info"], default_value = "warning")]
    log: String,
    /// Origin-Host of the client.
    #[arg(long, default_value = "load.pcef.example")]
    host: String,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// This machine as it was before this process was bound to one processor.
fn machine() -> &'static Machine {
    static MACHINE: OnceLock<Machine> = OnceLock::new();
    MACHINE.get_or_init(Machine::this)
}

/// Says why there are no figures.
pub(super) fn told(error: LoadError) -> i32 {
    ui::message(&error.to_string());
    exit::UNREADABLE
}

pub(super) fn run(args: &BenchArgs) -> Result<i32, i32> {
    if let Some(path) = &args.write_subscribers {
        let written = std::fs::write(path, args.load.population().csv());
        return written.map(|()| exit::FINE).map_err(|error| {
            ui::message(&format!("{}: {error}", path.display()));
            exit::UNREADABLE
        });
    }
    let (mut process, mut pinned) = (None, false);
    let (address, source) = if let Some(text) = &args.connect {
        let mut found = text.to_socket_addrs().map_err(|error| {
            ui::message(&format!("{text}: {error}"));
            exit::UNREADABLE
        })?;
        let address = found
            .next()
            .ok_or_else(|| ui::usage(&format!("`{text}` is no address")))?;
        let source = Source {
            process: args.process,
            control: args.control.clone(),
        };
        (address, source)
    } else {
        let (start, own) = args.own.start(&args.load, &args.optimise, &args.log)?;
        pinned = own;
        let own = process.insert(Process::start(&start).map_err(told)?);
        (own.address(), Source::from(&*own))
    };
    let bench = args.load.bench(args.warm_up, args.seconds);
    let mut client = Client::connect(address, &args.host, "example").map_err(told)?;
    let mut runs = Vec::new();
    let figures = if args.maximum {
        let each = |figures: &Figures| runs.push(figures.clone());
        bench.maximum(&mut client, &source, each).map_err(told)?
    } else {
        Some(bench.run(&mut client, &source).map_err(told)?)
    };
    client.close();
    let server = match &process {
        Some(_) => format!("own, durability {}", args.own.promise()),
        None => address.to_string(),
    };
    let title = title(&args.load, &server, pinned);
    if args.json {
        let value = json!({
            "title": title, "subscribers": args.load.subscribers, "apns": args.load.apns,
            "roaming": args.load.roaming, "window": args.load.window, "pinned": pinned,
            "durability": process.as_ref().map(|_| &args.own.durability), "maximum": args.maximum,
            "figures": figures.as_ref().map(Figures::json),
            "runs": runs.iter().map(Figures::json).collect::<Vec<Value>>(),
        });
        ui::json_document(&value);
    } else {
        ui::line(&title);
        for run in &runs {
            ui::line(&brief(run));
        }
        match &figures {
            Some(figures) => ui::print(text(figures, args.maximum).as_bytes()),
            None => ui::line("it kept up with none of these rates"),
        }
    }
    let failed = figures
        .as_ref()
        .is_none_or(|figures| figures.codes.get(&2001) != Some(&figures.sent));
    Ok(if failed { exit::FINDINGS } else { exit::FINE })
}

/// The conditions in one line.
pub(super) fn title(load: &Load, server: &str, pinned: bool) -> String {
    let machine = machine();
    let profile = if cfg!(debug_assertions) {
        "debug build"
    } else {
        "release build"
    };
    let pinned = if pinned {
        "server on processor 0, client on 1"
    } else {
        "not pinned"
    };
    format!(
        "{}, {} cores; {profile}; server: {server}; {pinned}; {} subscribers taken evenly, one connection, window {}",
        machine.cpu, machine.cores, load.subscribers, load.window
    )
}

fn brief(figures: &Figures) -> String {
    format!(
        "{:>7} TPS: p99 {:.2} ms, {:.2} % late, server {}",
        figures.rate,
        figures.milliseconds(0.99),
        figures.late_share() * 100.0,
        per_cent(figures.server_cpu),
    )
}

fn per_cent(share: Option<f64>) -> String {
    share.map_or_else(|| "?".to_owned(), |share| format!("{share:.1} %"))
}

fn text(figures: &Figures, maximum: bool) -> String {
    let mut rows = Vec::new();
    let mut row = |name: &str, value: String| rows.push(vec![name.to_owned(), value]);
    let what = if maximum { "highest rate" } else { "rate" };
    row(what, format!("{} requests/s", figures.rate));
    row(
        "answered",
        format!(
            "{:.0} per second over {:.1} s",
            figures.throughput(),
            figures.seconds
        ),
    );
    for (code, count) in &figures.codes {
        row(&format!("answers {}", code_name(*code)), count.to_string());
    }
    row("unanswered", figures.unanswered().to_string());
    row(
        "late sends",
        format!(
            "{} ({:.3} %), more than {} ms",
            figures.late,
            figures.late_share() * 100.0,
            LATE.as_millis()
        ),
    );
    row(
        "latency",
        format!(
            "p50 {:.3} ms, p99 {:.3} ms, p99.9 {:.3} ms, longest {:.3} ms, from the time due",
            figures.milliseconds(0.5),
            figures.milliseconds(0.99),
            figures.milliseconds(0.999),
            figures.milliseconds(1.0)
        ),
    );
    row("pushed", figures.pushes.to_string());
    row(
        "server",
        format!("{} of a core", per_cent(figures.server_cpu)),
    );
    row(
        "client",
        format!("{} of a core", per_cent(figures.client_cpu)),
    );
    if let Some(resident) = figures.resident {
        row("server memory", format!("{:.1} MB", resident as f64 / 1e6));
    }
    if !figures.counters.is_empty() {
        row(
            "commits",
            format!(
                "{:.1}/s",
                figures.commits() as f64 / figures.seconds.max(1e-9)
            ),
        );
        row(
            "dialplan runs",
            format!("{:.1}/s", figures.per_second("dialplan-runs")),
        );
        row(
            "memo hits",
            format!("{:.1}/s", figures.per_second("memo-hits")),
        );
    }
    if maximum {
        let limit = format!("p99 above {} ms or 1 % late", WORST.as_millis());
        row("it ends at", limit);
    }
    ui::table(&rows, &[])
}
