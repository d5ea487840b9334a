//! `strowger pcrf`: policies of LTE networks as dialplans.

mod check;
mod decide;
mod outcome;
mod reads;
mod source;
mod table;

use clap::{Args, Subcommand};

/// Policies of LTE sessions (Gx) as dialplans: checks them, decides without a network, tells what they read.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  strowger pcrf check dialplans/gx.conf
  strowger pcrf decide dialplans/gx.conf --apn internet --imsi 001010000000001 --plmn 00101 --used mk-gold=9G --trace
  strowger pcrf reads dialplans/gx.conf

Exit codes: 0 fine; 1 findings, a decision stopped by a limit; 2 wrong usage; 3 a file that cannot be read.")]
pub(crate) struct PcrfArgs {
    #[command(subcommand)]
    command: PcrfCommand,
}

#[derive(Debug, Subcommand)]
enum PcrfCommand {
    Check(check::CheckArgs),
    Decide(Box<decide::DecideArgs>),
    Reads(reads::ReadsArgs),
}

pub(crate) fn run(args: &PcrfArgs) -> i32 {
    let done = match &args.command {
        PcrfCommand::Check(args) => Ok(check::run(args)),
        PcrfCommand::Decide(args) => decide::run(args),
        PcrfCommand::Reads(args) => reads::run(args),
    };
    // The code of what could not be done stands in for the answer; the message is printed.
    done.unwrap_or_else(|code| code)
}
