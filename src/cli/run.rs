//! `strowger run FILE EXTEN@CONTEXT`.

mod console;
mod facilities;
mod json;
mod records;
mod start;

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::diagnostic::Report;
use crate::host::rewrite::set_value;
use crate::host::simulate::{Mode, Peer, RunReport, Script, SimChannel, Sounds};
use crate::host::{Engine, RunError, Tables};
use crate::machine::{Allow, Channel, Environment, Limits, Location, Start as CallStart, System};
use crate::store::Store;
use crate::syntax::ast::Plan;

use super::{exit, input, store, ui};
use facilities::Offered;
use records::{Files, RecordArgs};
use start::Start;

/// Runs one simulated call to its end, with all the calls that it makes.
///
/// Time is virtual: waits cost nothing. `Local/EXTEN@CONTEXT` really runs as a second call. PJSIP, SIP, IAX2,
/// DAHDI and Zap exist and do not answer unless --dial says so; any other technology is unknown.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  strowger run extensions.conf 812@phones
  strowger run extensions.conf 100@ivr --press 42 --dial 'PJSIP/bob=BUSY'
  strowger run extensions.conf s@night --at 2026-12-24T18:00 --callerid '\"Bob\" <812>' --json
  strowger run extensions.conf 300@ivr --config /etc/asterisk --dial 'PJSIP/anna=ANSWER,after=8'
  strowger run extensions.conf 204@phones --db calls.db
  strowger run extensions.conf 812@phones --cdr Master.csv --cel events.jsonl
  strowger run extensions.conf --jsonl < calls.jsonl")]
pub(crate) struct RunArgs {
    /// An extensions.conf, a folder that holds one, or `-`.
    file: PathBuf,
    /// Where the call begins.
    #[arg(value_name = "EXTEN@CONTEXT", required_unless_present = "jsonl")]
    start: Option<String>,
    /// Begin at this priority or label.
    #[arg(long, value_name = "N|LABEL", default_value = "1")]
    priority: String,
    /// Whether the channel is answered already, or rings.
    #[arg(long, value_enum, default_value_t = ModeName::Up)]
    mode: ModeName,
    /// What the far side does: `idle`, `d-XYZ` presses digits, `bye-T` hangs up after T seconds.
    #[arg(long, default_value = "idle", value_parser = peer)]
    peer: Peer,
    /// Digits that the caller presses as the dialplan listens for them.
    #[arg(long, default_value = "", value_parser = press)]
    press: String,
    /// Caller, as `"Name" <number>`.
    #[arg(long, value_name = "CALLER")]
    callerid: Option<String>,
    /// Set a channel variable before the call begins; a function such as CALLERID(num) can be written, too.
    #[arg(long, value_name = "NAME=VALUE")]
    var: Vec<OsString>,
    /// What comes of dialling TARGET, which may end in `*`:
    /// ANSWER, BUSY, NOANSWER, CONGESTION or CHANUNAVAIL, perhaps with `,after=SECONDS`.
    #[arg(long, value_name = "TARGET=OUTCOME", value_parser = script)]
    dial: Vec<Script>,
    /// Queues, mailboxes, conferences, agents and parking lots: a folder with queues.conf, voicemail.conf, minivm.conf,
    /// confbridge.conf, agents.conf, res_parking.conf, as far as they are there.
    #[arg(long, value_name = "DIR")]
    config: Option<PathBuf>,
    /// What applications that need a device are answered: lines `APPLICATION [ARGUMENT]: OUTCOME[, NAME=VALUE]...
    /// [after TIME] [once]`. The outcome is a status such as TIMEOUT, or done, fail, timeout, hangup, digit N, "text".
    #[arg(long, value_name = "FILE")]
    script: Option<PathBuf>,
    /// Give the first `Set(NAME=…)` of the extension another value.
    #[arg(long, value_name = "NAME=EXPR")]
    set: Vec<String>,
    /// When the call begins: seconds since 1970 or YYYY-MM-DD[THH:MM[:SS]] [default: now].
    #[arg(long, value_name = "TIME", value_parser = time)]
    at: Option<i64>,
    /// Seed of all chance.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Let waits take as long as they say.
    #[arg(long)]
    real_time: bool,
    /// Which sound files exist: `any`, `none`, or those of a folder.
    #[arg(long, value_name = "any|none|DIR", default_value = "any")]
    sounds: String,
    /// What the dialplan may do outside of the engine: system, file, net.
    #[arg(long, value_enum, value_delimiter = ',')]
    allow: Vec<Allowed>,
    /// Keep DB() in this file, which is made when it is missing [default: in memory, anew for each call].
    #[arg(long, value_name = "FILE")]
    db: Option<PathBuf>,
    /// Offer a realtime family for REALTIME() from a CSV file; with --allow file changes are written back.
    #[arg(long, value_name = "FAMILY=FILE.csv", value_parser = family)]
    realtime: Vec<(String, PathBuf)>,
    /// The name server for ENUMLOOKUP(), SRVQUERY() and TXTCIDNAME() [default: that of /etc/resolv.conf].
    #[arg(long, value_name = "ADDRESS[:PORT]", value_parser = resolver)]
    resolver: Option<SocketAddr>,
    /// End a call that executes more priorities than this.
    #[arg(long, value_name = "N", default_value_t = 10_000_000)]
    max_priorities: u64,
    /// Variables to report: names, or `all`.
    #[arg(long, value_name = "NAME,...|all", value_delimiter = ',')]
    vars: Vec<String>,
    #[command(flatten)]
    records: RecordArgs,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    /// Read one call a line from standard input, as JSON objects, and answer each with one line.
    #[arg(long, conflicts_with_all = ["json", "real_time"])]
    jsonl: bool,
}

impl RunArgs {
    fn sounds(&self) -> Sounds {
        match self.sounds.as_str() {
            "any" => Sounds::Any,
            "none" => Sounds::None,
            folder => Sounds::Folder(folder.into()),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ModeName {
    Up,
    Ring,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Allowed {
    System,
    File,
    Net,
}

fn peer(text: &str) -> Result<Peer, String> {
    start::peer(text).ok_or_else(|| {
        "neither `idle` nor `d-DIGITS` (0-9, A-D, * and #) nor `bye-SECONDS`".to_owned()
    })
}

fn press(text: &str) -> Result<String, String> {
    start::digits(text).ok_or_else(|| "digits are 0-9, A-D, * and #".to_owned())
}

fn time(text: &str) -> Result<i64, String> {
    input::time(text).ok_or_else(|| "no time".to_owned())
}

fn family(text: &str) -> Result<(String, PathBuf), String> {
    let (family, file) = text.split_once('=').ok_or("FAMILY=FILE.csv needs an `=`")?;
    Ok((family.to_owned(), file.into()))
}

fn resolver(text: &str) -> Result<SocketAddr, String> {
    let address = text.parse().ok();
    let usual_port = || Some(SocketAddr::new(text.parse().ok()?, 53));
    address
        .or_else(usual_port)
        .ok_or_else(|| "neither an address nor ADDRESS:PORT".to_owned())
}

fn script(text: &str) -> Result<Script, String> {
    let (target, outcome) =
        start::target_and_outcome(text).ok_or_else(|| "TARGET=OUTCOME needs an `=`".to_owned())?;
    Script::parse(target, outcome)
        .ok_or_else(|| RunError::UnknownOutcome(outcome.to_owned()).to_string())
}

pub(crate) fn run(args: &RunArgs) -> i32 {
    match store::given(args.db.as_deref()) {
        Ok(store) => store::keep(args.db.as_deref(), run_on(args, store)),
        Err(status) => status,
    }
}

fn run_on(args: &RunArgs, store: Option<Arc<dyn Store>>) -> i32 {
    let loading = Engine::builder()
        .allow(allowed(args))
        .store(store::or_memory(store.as_ref()))
        .build();
    let (plan, report) = input::plan(&loading, &args.file);
    ui::diagnostics(&report);
    let Some(plan) = plan else {
        return exit::UNREADABLE;
    };
    if let Sounds::Folder(folder) = args.sounds()
        && let Err(error) = std::fs::read_dir(&folder)
    {
        ui::message(&format!("{}: {error}", folder.display()));
        return exit::UNREADABLE;
    }
    let Some(offered) = facilities::offered(args, loading.registry()) else {
        return exit::UNREADABLE;
    };
    let tables = match tables(args) {
        Ok(tables) => Arc::new(tables),
        Err(text) => {
            ui::message(&text);
            return exit::UNREADABLE;
        }
    };
    let world = World {
        args,
        plan,
        report,
        offered,
        store,
        tables,
    };
    let start = match world.start() {
        Ok(start) => start,
        Err(text) => return ui::usage(&text),
    };
    let mut files = match args.records.open() {
        Ok(files) => files,
        Err(status) => return status,
    };
    if args.jsonl {
        return world.lines(&start, &mut files);
    }
    let mut channel = world.channel(&start);
    if !args.json {
        channel = channel.traceless().watch(console::show);
    }
    if args.real_time {
        channel = channel.pace(std::thread::sleep);
    }
    match world.call(&start, channel) {
        Ok(mut report) => {
            let limited = report.limited();
            let written = files.write(&report);
            if args.json {
                ui::stream_document(&json::Answer::new(None, &mut report, &args.vars));
            }
            match written {
                Err(status) => status,
                Ok(()) if limited => exit::FINDINGS,
                Ok(()) => exit::FINE,
            }
        }
        Err(text) => ui::usage(&text),
    }
}

/// The dialplan, and how calls on it are made.
struct World<'a> {
    args: &'a RunArgs,
    plan: Plan,
    report: Report,
    offered: Offered,
    /// The store of `--db`.
    store: Option<Arc<dyn Store>>,
    /// The realtime families, as the files hold them.
    tables: Arc<Tables>,
}

impl World<'_> {
    /// The call that the arguments describe.
    fn start(&self) -> Result<Start, String> {
        let args = self.args;
        let (exten, context) = match &args.start {
            None => ("s", "default"),
            Some(text) => input::extension(text).ok_or("EXTEN@CONTEXT needs an `@`")?,
        };
        let pair = |text: &String, what: &str| match text.split_once('=') {
            Some((name, value)) => Ok((name.as_bytes().to_vec(), value.as_bytes().to_vec())),
            None => Err(format!("--{what} takes NAME=VALUE")),
        };
        let pairs = |texts: &[String], what: &str| {
            texts
                .iter()
                .map(|text| pair(text, what))
                .collect::<Result<Vec<_>, String>>()
        };
        Ok(Start {
            placed: args.start.is_some(),
            context: context.as_bytes().to_vec(),
            exten: exten.as_bytes().to_vec(),
            priority: args.priority.as_bytes().to_vec(),
            mode: match args.mode {
                ModeName::Up => Mode::Up,
                ModeName::Ring => Mode::Ring,
            },
            peer: args.peer.clone(),
            callerid: args.callerid.as_ref().map(|c| c.as_bytes().to_vec()),
            variables: args
                .var
                .iter()
                .map(|text| input::pair(text).ok_or_else(|| "--var takes NAME=VALUE".to_owned()))
                .collect::<Result<_, String>>()?,
            press: args.press.clone(),
            dial: args.dial.clone(),
            set: pairs(&args.set, "set")?,
        })
    }

    fn channel(&self, start: &Start) -> SimChannel {
        let mut channel = SimChannel::new()
            .mode(start.mode)
            .peer(start.peer.clone())
            .press(&start.press)
            .sounds(self.args.sounds())
            .scenario(self.offered.scenario.clone())
            .seed(self.args.seed);
        if self.args.records.wants_events() {
            channel = channel.events();
        }
        if let Some(at) = self.args.at {
            channel = channel.at(Duration::from_secs(u64::try_from(at).unwrap_or(0)));
        }
        for script in &start.dial {
            channel = channel.script(script.clone());
        }
        channel
    }

    /// Runs a call on an engine of its own.
    fn call(&self, start: &Start, mut channel: SimChannel) -> Result<RunReport, String> {
        let args = self.args;
        let environment: Arc<dyn Environment> = Arc::new(System::default());
        let mut builder = Engine::builder();
        if let Some(server) = args.resolver {
            builder = builder.resolver(server);
        }
        // What a call changes is there for the next one only if it is in the file, too.
        let tables = if allowed(args).file {
            Arc::clone(&self.tables)
        } else {
            Arc::new(Tables::clone(&self.tables))
        };
        let engine = builder
            .realtime(tables)
            .environment(environment)
            .store(store::or_memory(self.store.as_ref()))
            .limits(Limits {
                max_priorities: args.max_priorities,
                ..Limits::default()
            })
            .allow(allowed(args))
            .records(args.records.options())
            .build();
        *engine.shared().facilities() = self.offered.facilities.clone();
        if start.set.is_empty() {
            engine.swap(&self.plan, &self.report);
        } else {
            let mut plan = self.plan.clone();
            for (name, value) in &start.set {
                let [context, exten, name, value] =
                    [&start.context, &start.exten, name, value].map(|b| String::from_utf8_lossy(b));
                if !set_value(&mut plan, &context, &exten, &name, &value) {
                    return Err(format!("{exten}@{context} has no `Set({name}=…)`"));
                }
            }
            engine.swap(&plan, &self.report);
        }
        let mut own = Channel::new(json::OWN_NAME);
        if let Some(callerid) = &start.callerid {
            own.caller = start::party(callerid);
        }
        let at = Location {
            context: start.context.as_slice().into(),
            exten: start.exten.as_slice().into(),
            priority: 1,
        };
        let mut call = engine.call_on(own, CallStart::Extension(at));
        let at = call.cx().parse_target(&start.priority).map_err(|_| {
            let [priority, exten, context] =
                [&start.priority, &start.exten, &start.context].map(|b| String::from_utf8_lossy(b));
            format!("{exten}@{context} has no priority `{priority}`")
        })?;
        call.restart(CallStart::Extension(at));
        for (name, value) in &start.variables {
            call.set(name, value);
        }
        engine
            .run(call, &mut channel)
            .map_err(|error| error.to_string())
    }

    /// One call for each line of standard input.
    fn lines(&self, defaults: &Start, files: &mut Files) -> i32 {
        let mut status = exit::FINE;
        for line in input::lines() {
            let line = match line {
                Ok(line) => line,
                Err(error) => {
                    ui::message(&format!("standard input: {error}"));
                    return exit::UNREADABLE;
                }
            };
            if line.trim_ascii().is_empty() {
                continue;
            }
            let (id, start) = Start::of_line(&line, defaults);
            let answer = start.and_then(|start| {
                let channel = self.channel(&start);
                self.call(&start, channel)
            });
            match answer {
                Ok(mut report) => {
                    if report.limited() {
                        status = exit::FINDINGS;
                    }
                    if let Err(failed) = files.write(&report) {
                        return failed;
                    }
                    ui::stream_line(&json::Answer::new(id, &mut report, &self.args.vars));
                }
                Err(error) => {
                    status = exit::FINDINGS;
                    ui::json_line(&json::refused(id, &error));
                }
            }
        }
        status
    }
}

/// The realtime families.
fn tables(args: &RunArgs) -> Result<Tables, String> {
    let mut tables = Tables::new();
    for (family, file) in &args.realtime {
        tables = tables
            .csv(family, file, allowed(args).file)
            .map_err(|error| format!("{}: {error}", file.display()))?;
    }
    Ok(tables)
}

/// What the call may do outside of the engine.
fn allowed(args: &RunArgs) -> Allow {
    Allow {
        system: args.allow.contains(&Allowed::System),
        file: args.allow.contains(&Allowed::File),
        net: args.allow.contains(&Allowed::Net),
    }
}
