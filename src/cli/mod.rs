//! The command line: arguments, the commands, exit codes. Each command is one file with its arguments and a `run`.

mod args;
mod bench;
mod check;
mod completions;
mod db;
mod doc;
mod eval;
mod explain;
pub(crate) mod input;
mod lookup;
#[cfg(feature = "pcrf")]
mod pcrf;
mod rules;
mod run;
mod show;
mod store;
pub(crate) mod ui;

use std::process::ExitCode;

use clap::Parser as _;

use args::{Arguments, Command};

/// What a command tells the shell.
pub(crate) mod exit {
    /// All is well.
    pub(crate) const FINE: i32 = 0;
    /// Findings, lines that could not be answered, a call stopped by a limit.
    pub(crate) const FINDINGS: i32 = 1;
    /// Wrong usage.
    pub(crate) const USAGE: i32 = 2;
    /// Input that cannot be read or was refused as a whole.
    pub(crate) const UNREADABLE: i32 = 3;
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Nobody may be there to read it: then nothing is left to do.
            let _ = error.print();
            return code(if error.use_stderr() {
                exit::USAGE
            } else {
                exit::FINE
            });
        }
    };
    ui::set_color(arguments.color);
    code(dispatch(&arguments.command))
}

fn code(status: i32) -> ExitCode {
    ExitCode::from(u8::try_from(status).unwrap_or(u8::MAX))
}

fn dispatch(command: &Command) -> i32 {
    match command {
        Command::Show(args) => show::run(args),
        Command::Lookup(args) => lookup::run(args),
        Command::Check(args) => check::run(args),
        Command::Eval(args) => eval::run(args),
        Command::Run(args) => run::run(args),
        Command::Db(args) => db::run(args),
        Command::Bench(args) => bench::run(args),
        Command::Rules(args) => rules::run(args),
        #[cfg(feature = "pcrf")]
        Command::Pcrf(args) => pcrf::run(args),
        Command::Doc(args) => doc::run(args),
        Command::Explain(args) => explain::run(args),
        Command::Completions(args) => completions::run(args),
    }
}
