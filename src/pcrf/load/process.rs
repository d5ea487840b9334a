//! A server of our own to measure: another process of the same program.

use std::ffi::OsString;
use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use super::LoadError;
use crate::pcrf::server::request;

/// The policy that is measured unless another is given.
const POLICY: [(&str, &str); 3] = [
    ("gx.conf", include_str!("../../../dialplans/gx.conf")),
    ("rules.conf", include_str!("../../../dialplans/rules.conf")),
    (
        "monitoring.conf",
        include_str!("../../../dialplans/monitoring.conf"),
    ),
];

/// How a server is started.
#[derive(Debug, Clone)]
pub struct Start {
    /// The program.
    pub program: PathBuf,
    /// The dialplan; without it that of `dialplans/gx.conf`.
    pub policy: Option<PathBuf>,
    /// What an answer promises: `mem`, `relaxed`, `strict`.
    pub durability: String,
    /// The store, as `serve` takes it, instead of a new file; its records stay there.
    pub store: Option<String>,
    /// Switches of optimisations, as `NAME=on`.
    pub optimise: Vec<String>,
    /// The log: `warning`, or `info` for three lines a transaction.
    pub log: String,
    /// The subscribers as a file has them.
    pub subscribers: String,
    /// Where the server's files are, in a folder of their own; without it the folder for temporary files. The disk there
    /// is what `relaxed` and `strict` wait for.
    pub folder: Option<PathBuf>,
    /// Whether server and client get a processor each.
    pub pinned: bool,
}

/// A running server; ended, and its files removed, when it is dropped.
#[derive(Debug)]
pub struct Process {
    child: Child,
    folder: PathBuf,
    address: SocketAddr,
}

/// Whether `taskset` is of use: it exists, and there are two processors. Asked before anything is bound.
fn has_taskset() -> bool {
    static HAS: OnceLock<bool> = OnceLock::new();
    *HAS.get_or_init(|| {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let version = Command::new("taskset").arg("--version").output();
        processors > 1 && version.is_ok_and(|output| output.status.success())
    })
}

/// Binds this process, and the threads that it starts later, to the second processor; false where that cannot be done.
pub fn pin_self() -> bool {
    let own = std::process::id().to_string();
    let pin = || {
        Command::new("taskset")
            .args(["-a", "-c", "-p", "1", &own])
            .output()
    };
    has_taskset() && pin().is_ok_and(|output| output.status.success())
}

impl Process {
    /// Starts a server on a free port and waits until it listens.
    pub fn start(start: &Start) -> Result<Self, LoadError> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let base = start.folder.clone().unwrap_or_else(std::env::temp_dir);
        let folder = base.join(format!("strowger-load-{}-{number}", std::process::id()));
        let failed = |path: &Path, error| LoadError::Io(path.display().to_string(), error);
        std::fs::create_dir_all(&folder).map_err(|error| failed(&folder, error))?;
        // From here on the folder goes when something fails.
        let remove = |error| {
            let _ = std::fs::remove_dir_all(&folder);
            error
        };
        Self::spawn(start, &folder)
            .map(|(child, address)| Self {
                child,
                folder: folder.clone(),
                address,
            })
            .map_err(remove)
    }

    fn spawn(start: &Start, folder: &Path) -> Result<(Child, SocketAddr), LoadError> {
        let write = |name: &str, text: &str| {
            let path = folder.join(name);
            let written = std::fs::write(&path, text);
            written
                .map(|()| path.clone())
                .map_err(|error| LoadError::Io(path.display().to_string(), error))
        };
        let subscribers = write("subscribers.csv", &start.subscribers)?;
        let policy = if let Some(policy) = &start.policy {
            policy.clone()
        } else {
            for (name, text) in POLICY {
                write(name, text)?;
            }
            folder.join("gx.conf")
        };
        let store = if start.durability == "mem" {
            OsString::from("mem")
        } else if let Some(store) = &start.store {
            OsString::from(store)
        } else {
            let mut store = OsString::from("redb:");
            store.push(folder.join("store.redb"));
            store
        };
        let mut command = if start.pinned && has_taskset() {
            let mut command = Command::new("taskset");
            command.args(["-c", "0"]).arg(&start.program);
            command
        } else {
            Command::new(&start.program)
        };
        command.args(["pcrf", "serve", "--listen", "127.0.0.1:0", "--policy"]);
        command.arg(policy).arg("--subscribers").arg(subscribers);
        command.arg("--store").arg(store);
        command.args(["--durability", &start.durability]);
        command.arg("--control").arg(folder.join("pcrf.sock"));
        command.args(["--set", &format!("log={}", start.log)]);
        for switch in &start.optimise {
            command.args(["--opt", switch]);
        }
        let program = start.program.display().to_string();
        let failed = |error| LoadError::Io(program.clone(), error);
        // Three lines a transaction are written to nowhere, but they are written.
        let log = folder.join("log");
        let logged = if start.log == "info" {
            Stdio::null()
        } else {
            Stdio::from(std::fs::File::create(&log).map_err(failed)?)
        };
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(logged);
        let mut child = command.spawn().map_err(failed)?;
        let address = listening(&mut child);
        if address.is_err() {
            // It may have ended by itself.
            let _ = child.kill();
            let _ = child.wait();
            let said = std::fs::read_to_string(&log).unwrap_or_default();
            return Err(LoadError::Server(said.trim().to_owned()));
        }
        address.map(|address| (child, address))
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its number.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Its control socket.
    pub fn control(&self) -> PathBuf {
        self.folder.join("pcrf.sock")
    }

    /// Its counters.
    pub fn counters(&self) -> Result<Map<String, Value>, LoadError> {
        counters(&self.control())
    }
}

/// The counters of a server by its control socket.
pub(super) fn counters(control: &Path) -> Result<Map<String, Value>, LoadError> {
    let failed = |message: String| LoadError::Control(control.to_owned(), message);
    let answer = request(control, &json!({"command": "counters"}))
        .map_err(|error| failed(error.to_string()))?;
    match answer.get("value") {
        Some(Value::Object(counters)) => Ok(counters.clone()),
        _ => Err(failed(answer.to_string())),
    }
}

/// Reads the line that says where the server listens; what it prints later is read and dropped.
fn listening(child: &mut Child) -> Result<SocketAddr, LoadError> {
    let Some(stdout) = child.stdout.take() else {
        return Err(LoadError::Server("it has no output".to_owned()));
    };
    let mut reader = BufReader::new(stdout);
    loop {
        let mut line = String::new();
        let read = reader.read_line(&mut line);
        if !matches!(read, Ok(1..)) {
            return Err(LoadError::Server("it ended".to_owned()));
        }
        let address = line
            .strip_prefix("listening on ")
            .and_then(|rest| rest.split(' ').next()?.parse().ok());
        if let Some(address) = address {
            let drain = move || {
                // Its events must not fill the pipe.
                let _ = std::io::copy(&mut reader, &mut std::io::sink());
            };
            let thread = std::thread::Builder::new().name("drain".to_owned());
            return match thread.spawn(drain) {
                Ok(_) => Ok(address),
                Err(error) => Err(LoadError::Server(error.to_string())),
            };
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // A server that cannot be asked is killed below.
        let _ = request(&self.control(), &json!({"command": "stop"}));
        let since = Instant::now();
        while since.elapsed() < Duration::from_secs(8) {
            if !matches!(self.child.try_wait(), Ok(None)) {
                break;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
