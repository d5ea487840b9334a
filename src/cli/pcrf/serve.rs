//! `strowger pcrf serve`.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;

use crate::cli::{exit, ui};
use crate::host::FileReader;
use crate::pcrf::log::Sink;
use crate::pcrf::server::{Server, StartError};
use crate::pcrf::settings::{Backend, Settings};
use crate::pcrf::store::Durability;

/// Answers PCEFs over Gx (Diameter on TCP), until SIGTERM.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  strowger pcrf serve --policy dialplans/gx.conf --subscribers dialplans/subscribers.csv
  strowger pcrf serve pcrf.conf --opt memo=off
  strowger pcrf serve --policy gx.conf --store redb:sessions.redb --durability relaxed
  PGPASSWORD=… strowger pcrf serve --policy gx.conf --store postgres://pcrf@127.0.0.1:5432/pcrf

It prints one line with the address when it listens, log lines to standard error, events (Notify) to standard output
as JSON. Exit codes: 0 stopped; 1 what was answered could not be written; 2 wrong usage; 3 it cannot start.")]
pub(super) struct ServeArgs {
    /// The configuration; options count more than what it says.
    #[arg(value_name = "PCRF.CONF")]
    configuration: Option<PathBuf>,
    /// The dialplan that decides.
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
    /// Subscribers to import.
    #[arg(long, value_name = "FILE")]
    subscribers: Option<PathBuf>,
    /// Where to listen [default: 127.0.0.1:3868]; port 0 takes a free one.
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<SocketAddr>,
    /// Origin-Host.
    #[arg(long)]
    host: Option<String>,
    /// Origin-Realm.
    #[arg(long)]
    realm: Option<String>,
    /// The store: `mem`, `redb:FILE`, `postgres://USER@HOST:PORT/DATABASE`, or `host=… dbname=…`.
    #[arg(long)]
    store: Option<String>,
    /// What an answer promises: strict, relaxed or mem.
    #[arg(long, value_name = "MODE", value_parser = ["strict", "relaxed", "mem"])]
    durability: Option<String>,
    /// The control socket [default: pcrf.sock beside the configuration].
    #[arg(long, value_name = "FILE")]
    control: Option<PathBuf>,
    /// Threads that answer.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=256))]
    workers: Option<u16>,
    /// An optimisation to turn on or off, or all: NAME=on|off.
    #[arg(long = "opt", value_name = "NAME=on|off")]
    optimise: Vec<String>,
    /// Any other setting of `[general]`: NAME=VALUE.
    #[arg(long = "set", value_name = "NAME=VALUE")]
    set: Vec<String>,
}

/// Lines go to standard error, events to standard output.
struct Console;

impl Sink for Console {
    fn line(&self, line: &[u8]) {
        use std::io::Write as _;
        // A log that cannot be written must not end the server.
        let _ = std::io::stderr().lock().write_all(line);
    }

    fn event(&self, line: &[u8]) {
        ui::print(line);
    }
}

fn settings(args: &ServeArgs) -> Result<Settings, i32> {
    let (mut settings, report) = match &args.configuration {
        Some(path) => {
            let (settings, report) = Settings::load(path, &mut FileReader);
            (settings, Some(report))
        }
        None => (Settings::default(), None),
    };
    if let Some(report) = report {
        ui::diagnostics(&report);
        if report.has_errors() {
            ui::message("the configuration has errors");
            return Err(exit::UNREADABLE);
        }
    }
    let own = |path: &PathBuf| Some(path.clone());
    if let Some(policy) = &args.policy {
        settings.policy.clone_from(policy);
    }
    if let Some(path) = &args.subscribers {
        settings.subscribers = own(path);
    }
    if let Some(listen) = args.listen {
        settings.listen = listen;
    }
    if let Some(control) = &args.control {
        settings.control.clone_from(control);
    }
    if let Some(workers) = args.workers {
        settings.workers = usize::from(workers);
    }
    let given = [
        ("host", &args.host),
        ("realm", &args.realm),
        ("store", &args.store),
        ("durability", &args.durability),
    ];
    for (name, value) in given {
        if let Some(value) = value {
            set(&mut settings, name, value)?;
        }
    }
    for setting in &args.set {
        let (name, value) = setting
            .split_once('=')
            .ok_or_else(|| ui::usage(&format!("`{setting}` is not NAME=VALUE")))?;
        set(&mut settings, name, value)?;
    }
    let switches = crate::pcrf::optimise::Switches::default();
    for setting in &args.optimise {
        switches
            .apply(setting)
            .map_err(|message| ui::usage(&message))?;
        settings.optimise.push(setting.clone());
    }
    Ok(settings)
}

fn set(settings: &mut Settings, name: &str, value: &str) -> Result<(), i32> {
    settings
        .set(name.as_bytes(), value.as_bytes(), Path::new(""))
        .map_err(|message| ui::usage(&message))
}

pub(super) fn run(args: &ServeArgs) -> Result<i32, i32> {
    let settings = settings(args)?;
    let (durability, interval) = (settings.rhythm.durability, settings.rhythm.interval);
    let in_memory = settings.store == Backend::Mem;
    let networked = matches!(settings.store, Backend::Postgres(_));
    let server = match Server::start(settings, Arc::new(Console)) {
        Ok(server) => server,
        Err(error) => {
            if let StartError::Policy(reports) = &error {
                for report in reports {
                    ui::diagnostics(report);
                }
            }
            ui::message(&error.to_string());
            return Ok(exit::UNREADABLE);
        }
    };
    for report in server.reports() {
        ui::diagnostics(report);
    }
    let promise = match durability {
        Durability::Mem => "nothing is kept: durability is mem".to_owned(),
        // Nothing of it could be on a disk.
        _ if in_memory => "nothing is kept: the store is mem, whatever the durability".to_owned(),
        Durability::Strict => "answers wait for the disk".to_owned(),
        Durability::Relaxed if networked => format!(
            "a crash loses {} ms at most, one of the database a bit more",
            interval.as_millis()
        ),
        Durability::Relaxed => format!("a crash loses {} ms at most", interval.as_millis()),
    };
    ui::line(&format!(
        "listening on {} ({} sessions, {promise})",
        server.address(),
        server.pcrf().tables().sessions.len(),
    ));
    match server.wait() {
        Ok(()) => Ok(exit::FINE),
        Err(fault) => {
            ui::message(&fault.to_string());
            Ok(exit::FINDINGS)
        }
    }
}
