//! `strowger rules`: routing rules of ProxySQL as chains.

mod bench;
mod compare;
mod import;
mod lint;
mod query;
mod run;
mod source;
mod stats;
mod tree;

use clap::{Args, Subcommand};

/// Query rules of ProxySQL as chains: imports them, runs them in several modes, counts and compares.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  strowger rules run rules.sql --query 'SELECT 1' --user app --trace
  strowger rules import rules.sql -o rules.conf
  strowger rules bench
  strowger rules lint rules.sql

Exit codes: 0 fine; 1 statements or rules that were refused, findings, differences; 2 wrong usage; 3 a file that
cannot be read.")]
pub(crate) struct RulesArgs {
    #[command(subcommand)]
    command: RulesCommand,
}

#[derive(Debug, Subcommand)]
enum RulesCommand {
    Run(run::RunArgs),
    Import(import::ImportArgs),
    Bench(bench::BenchArgs),
    Stats(stats::StatsArgs),
    Tree(tree::TreeArgs),
    Lint(lint::LintArgs),
    Compare(compare::CompareArgs),
}

pub(crate) fn run(args: &RulesArgs) -> i32 {
    let done = match &args.command {
        RulesCommand::Run(args) => run::run(args),
        RulesCommand::Import(args) => import::run(args),
        RulesCommand::Bench(args) => bench::run(args),
        RulesCommand::Stats(args) => stats::run(args),
        RulesCommand::Tree(args) => Ok(tree::run(args)),
        RulesCommand::Lint(args) => lint::run(args),
        RulesCommand::Compare(args) => compare::run(args),
    };
    // The code of what could not be done stands in for the answer; the message is printed.
    done.unwrap_or_else(|code| code)
}
