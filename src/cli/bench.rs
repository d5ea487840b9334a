//! `strowger bench FILE [EXTEN@CONTEXT]`.

mod console;
#[cfg(feature = "profile")]
mod flame;
mod queries;
mod report;
mod suite;

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;

use crate::diagnostic::Report;
use crate::host::Engine;
use crate::host::rewrite::set_value;
use crate::machine::Limits;
use crate::measure::baseline::{self, NAIVE_PRIORITIES};
use crate::measure::dialplans::{QUANTUM, unlimited};
use crate::measure::pips::{Place, run as measure};
use crate::measure::profile::{Profile, profile};
use crate::measure::{Load, Sample, Series};
use crate::syntax::ast::Plan;

use super::{exit, input, ui};
use console::Console;
use report::Measured;

/// Runs an extension for real and says how many priorities per second it executes.
///
/// The clock is a monotonic one around the run, whatever the dialplan itself prints. A priority is one executed
/// dialplan line; applications run inside ExecIf do not count again. Every effect is answered at once: waits cost
/// nothing, nobody answers a Dial, nobody presses a digit.
#[derive(Debug, Args)]
#[command(
    override_usage = "strowger bench [OPTIONS] <FILE> [EXTEN@CONTEXT]\n       strowger bench [OPTIONS] --suite",
    after_help = "\
Examples:
  strowger bench dialplans/murf-81.conf
  strowger bench dialplans/murf-81.conf --set iterations=100000000 --runs 3
  strowger bench dialplans/mix.conf 812125551@extension --calls 1000 --threads 2 --json
  strowger bench extensions.conf 812@phones --flamegraph out.svg
  strowger bench --suite --quick
  strowger bench --suite --markdown > docs/performance.md"
)]
pub(crate) struct BenchArgs {
    /// An extensions.conf, a folder that holds one, or `-`.
    #[arg(required_unless_present_any = ["suite", "alone"])]
    file: Option<PathBuf>,
    /// Where the call begins.
    #[arg(value_name = "EXTEN@CONTEXT", default_value = "81@extension")]
    start: String,
    /// Give the first `Set(NAME=…)` of the extension another value.
    #[arg(long, value_name = "NAME=EXPR")]
    set: Vec<String>,
    /// Measured runs; figures are medians over them [default: 5, with --quick 3].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    runs: Option<u32>,
    /// Calls at the same time, interleaved on each thread; each of them runs the whole extension, with all the rounds
    /// of its loop [default: one a thread].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    calls: Option<u32>,
    /// Threads.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: u32,
    /// Write a flame graph of the dialplan: the extension called, the lines of open Gosubs, the priority, its
    /// application, the function it reads.
    #[arg(long, value_name = "OUT.svg")]
    flamegraph: Option<PathBuf>,
    /// Write a flame graph of the engine's own code.
    #[arg(long, value_name = "OUT.svg")]
    flamegraph_engine: Option<PathBuf>,
    /// Say how often each application, extension and priority runs and how long, of one call in runs of their own:
    /// counted in one, sampled for a second in others.
    #[arg(long)]
    profile: bool,
    /// Rows of each table of the profile; 0 = all.
    #[arg(long, value_name = "N", default_value_t = 20, requires = "profile")]
    top: usize,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    /// Measure all workloads beside their baselines instead of one file: native code, the textual evaluator, and Lua,
    /// LuaJIT and Kamailio where they are installed.
    #[arg(long, conflicts_with_all = ["file", "set", "calls", "threads", "flamegraph", "flamegraph_engine", "profile"])]
    suite: bool,
    // Who names a file cannot be asked for --suite, which conflicts with it: hence the second conflict of these.
    /// With --suite: a tenth of the work.
    #[arg(long, requires = "suite", conflicts_with = "file")]
    quick: bool,
    /// With --suite: the page docs/performance.md.
    #[arg(long, requires = "suite", conflicts_with_all = ["file", "json"])]
    markdown: bool,
    /// With --suite: an Asterisk to start and to compare with, on its own configuration without a network.
    #[arg(long, requires = "suite", conflicts_with = "file", value_name = "PATH")]
    asterisk: Option<PathBuf>,
    /// Measure one thing of the suite in this process.
    #[arg(long, hide = true, value_name = "WHAT")]
    alone: Option<String>,
}

/// Measured runs, where their number is not given; of a quick suite.
const RUNS: u32 = 5;
const QUICK_RUNS: u32 = 3;

/// How long a profile samples at least.
const SAMPLED: Duration = Duration::from_secs(1);

pub(crate) fn run(args: &BenchArgs) -> i32 {
    if let Some(what) = &args.alone {
        return suite::run_alone(what);
    }
    let Some(file) = &args.file else {
        return suite::run(args);
    };
    let Some((exten, context)) = input::extension(&args.start) else {
        return ui::usage("EXTEN@CONTEXT needs an `@`");
    };
    let place = Place { context, exten };
    let calls = args.calls.unwrap_or(args.threads);
    if args.threads > calls {
        return ui::usage("there are more threads than calls");
    }
    let load = Load {
        calls: calls as usize,
        threads: args.threads as usize,
        textual: false,
    };
    let (plan, report) = input::plan(&Engine::builder().build(), file);
    ui::diagnostics(&report);
    let Some(mut plan) = plan else {
        return exit::UNREADABLE;
    };
    for set in &args.set {
        let Some((name, value)) = set.split_once('=') else {
            return ui::usage("--set takes NAME=EXPR");
        };
        if !set_value(&mut plan, context, exten, name, value) {
            return ui::usage(&format!("{} has no `Set({name}=…)`", args.start));
        }
    }
    let limits = unlimited(if calls > args.threads {
        QUANTUM
    } else {
        Limits::default().fuel
    });
    let bench = Bench {
        plan,
        report,
        place,
        load,
    };
    bench.run(args, &bench.engine(limits))
}

struct Bench<'a> {
    plan: Plan,
    report: Report,
    place: Place<'a>,
    load: Load,
}

impl Bench<'_> {
    fn engine(&self, limits: Limits) -> Engine {
        let engine = Engine::builder().limits(limits).build();
        engine.swap(&self.plan, &self.report);
        engine
    }

    fn run(&self, args: &BenchArgs, engine: &Engine) -> i32 {
        let series = self.series(engine, args.runs.unwrap_or(RUNS));
        if series.priorities() == 0 {
            return ui::usage(&format!("no extension {} with a priority 1", args.start));
        }
        let wanted = args.profile || args.flamegraph.is_some();
        let profile = wanted.then(|| profile(engine, &self.place, SAMPLED));
        let drawn = [
            (&args.flamegraph, profile.as_ref()),
            (&args.flamegraph_engine, None),
        ];
        for (path, profile) in drawn {
            if let Some(path) = path
                && let Err(error) = self.flame(engine, path, &args.start, profile)
            {
                ui::message(&format!("{}: {error}", path.display()));
                return exit::UNREADABLE;
            }
        }
        let measured = Measured {
            series,
            native: baseline::native(),
            naive: self.naive(),
            load: self.load,
            profile: profile.filter(|_| args.profile),
            top: if args.top == 0 { usize::MAX } else { args.top },
        };
        if args.json {
            ui::json_document(&measured.json());
        } else {
            ui::print(measured.text(&args.start).as_bytes());
        }
        exit::FINE
    }

    fn series(&self, engine: &Engine, runs: u32) -> Series {
        let mut series = Series::default();
        let bar = ui::progress(u64::from(runs), "measuring");
        for n in 0..runs {
            // What the dialplan prints is shown once, on a terminal.
            let console = (n == 0 && ui::err_is_terminal()).then(Console::default);
            let observer = console.clone().map(|c| Box::new(c) as Box<_>);
            let load = self.load;
            series
                .runs
                .push(measure(engine, &self.place, load, observer));
            bar.inc(1);
            if let Some(console) = console {
                bar.suspend(|| console.show());
            }
        }
        bar.finish_and_clear();
        series
    }

    /// One call through the textual evaluator: every text is scanned, every expression lexed and parsed each time.
    fn naive(&self) -> Sample {
        let engine = self.engine(Limits {
            max_priorities: NAIVE_PRIORITIES,
            ..Limits::default()
        });
        measure(&engine, &self.place, Load::TEXTUAL, None)
    }

    #[cfg(feature = "profile")]
    fn flame(
        &self,
        engine: &Engine,
        path: &Path,
        start: &str,
        profile: Option<&Profile>,
    ) -> Result<(), String> {
        if let Some(profile) = profile {
            return flame::draw(path, start, profile);
        }
        flame::record(path, || {
            measure(engine, &self.place, self.load, None);
        })
    }

    #[cfg(not(feature = "profile"))]
    fn flame(&self, _: &Engine, _: &Path, _: &str, _: Option<&Profile>) -> Result<(), String> {
        Err("this build has no profiler (feature `profile`)".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{FromArgMatches, error::ErrorKind};

    fn parsed(arguments: &[&str]) -> Result<BenchArgs, ErrorKind> {
        let command = BenchArgs::augment_args(clap::Command::new("bench"));
        let matches = command
            .try_get_matches_from(["bench"].iter().chain(arguments))
            .map_err(|error| error.kind())?;
        Ok(BenchArgs::from_arg_matches(&matches).unwrap())
    }

    #[test]
    fn options_of_the_suite_need_it() {
        for option in [
            &["--quick"][..],
            &["--markdown"],
            &["--asterisk", "/usr/sbin/asterisk"],
        ] {
            let with = |more: &[&'static str]| parsed(&[option, more].concat()).map(|_| ());
            assert_eq!(with(&["--suite"]), Ok(()), "{option:?}");
            assert_eq!(with(&["e.conf"]), Err(ErrorKind::ArgumentConflict));
            assert_eq!(with(&[]), Err(ErrorKind::MissingRequiredArgument));
        }
    }

    #[test]
    fn the_suite_takes_no_options_of_one_file() {
        for option in [
            &["e.conf"][..],
            &["--set", "i=1"],
            &["--calls", "2"],
            &["--threads", "2"],
            &["--profile"],
        ] {
            let arguments = [&["--suite"], option].concat();
            let error = parsed(&arguments).unwrap_err();
            assert_eq!(error, ErrorKind::ArgumentConflict, "{option:?}");
        }
    }
}
