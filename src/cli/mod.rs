//! The `strowger` command line.

mod eval;

use clap::{Parser, Subcommand};

#[derive(Debug, Parser)]
#[command(name = "strowger", version, about)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Evaluate texts with substitutions, or cases of the language corpora.
    Eval(eval::EvalArgs),
}

/// Runs the command line of this process; the value is the exit code.
pub fn run() -> i32 {
    match Arguments::parse().command {
        Command::Eval(arguments) => eval::run(&arguments),
    }
}
