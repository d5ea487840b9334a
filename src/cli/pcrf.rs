//! `strowger pcrf`: policies of LTE networks as dialplans.

#[cfg(feature = "serve")]
mod ablate;
#[cfg(feature = "serve")]
mod bench;
mod check;
#[cfg(feature = "serve")]
mod control;
mod decide;
mod outcome;
mod reads;
#[cfg(feature = "serve")]
mod serve;
mod source;
mod table;

use clap::{Args, Subcommand};

/// Policies of LTE sessions (Gx) as dialplans: checks them, decides without a network, tells what they
/// read, and serves PCEFs.
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
    #[cfg(feature = "serve")]
    Serve(Box<serve::ServeArgs>),
    #[cfg(feature = "serve")]
    Sessions(control::SessionsArgs),
    #[cfg(feature = "serve")]
    Session(control::SessionArgs),
    #[cfg(feature = "serve")]
    Topup(control::TopupArgs),
    #[cfg(feature = "serve")]
    Release(control::ReleaseArgs),
    #[cfg(feature = "serve")]
    Reload(control::ReloadArgs),
    #[cfg(feature = "serve")]
    Perf(control::PerfArgs),
    #[cfg(feature = "serve")]
    Opt(control::OptArgs),
    #[cfg(feature = "serve")]
    Counters(control::CountersArgs),
    #[cfg(feature = "serve")]
    Bench(Box<bench::BenchArgs>),
    #[cfg(feature = "serve")]
    Ablate(Box<ablate::AblateArgs>),
}

pub(crate) fn run(args: &PcrfArgs) -> i32 {
    let done = match &args.command {
        PcrfCommand::Check(args) => Ok(check::run(args)),
        PcrfCommand::Decide(args) => decide::run(args),
        PcrfCommand::Reads(args) => reads::run(args),
        #[cfg(feature = "serve")]
        PcrfCommand::Serve(args) => serve::run(args),
        #[cfg(feature = "serve")]
        PcrfCommand::Sessions(args) => control::sessions(args),
        #[cfg(feature = "serve")]
        PcrfCommand::Session(args) => control::session(args),
        #[cfg(feature = "serve")]
        PcrfCommand::Topup(args) => control::topup(args),
        #[cfg(feature = "serve")]
        PcrfCommand::Release(args) => control::release(args),
        #[cfg(feature = "serve")]
        PcrfCommand::Reload(args) => control::reload(args),
        #[cfg(feature = "serve")]
        PcrfCommand::Perf(args) => control::perf(args),
        #[cfg(feature = "serve")]
        PcrfCommand::Opt(args) => control::opt(args),
        #[cfg(feature = "serve")]
        PcrfCommand::Counters(args) => control::counters(args),
        #[cfg(feature = "serve")]
        PcrfCommand::Bench(args) => bench::run(args),
        #[cfg(feature = "serve")]
        PcrfCommand::Ablate(args) => ablate::run(args),
    };
    // The code of what could not be done stands in for the answer; the message is printed.
    done.unwrap_or_else(|code| code)
}
