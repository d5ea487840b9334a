//! The top level of the arguments.

use clap::builder::styling::{AnsiColor, Styles};
use clap::{Parser, Subcommand, ValueEnum};

#[cfg(feature = "pcrf")]
use super::pcrf;
use super::{bench, check, completions, db, doc, eval, explain, lookup, rules, run, show};

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

const AFTER: &str = "\
Examples:
  strowger show extensions.conf              the whole dialplan, as `dialplan show` lists it
  strowger lookup extensions.conf 812@phones which extension takes a dialled number, and why
  strowger run extensions.conf 812@phones    a simulated call, priority by priority
  strowger check extensions.conf             what is wrong with it
  strowger bench dialplans/murf-81.conf      priorities per second of the 2007 test dialplan

Exit codes: 0 fine; 1 findings; 2 wrong usage; 3 input that cannot be read or is refused as a whole.
FILE is an extensions.conf, a folder that holds one, or `-` for standard input.";

/// An Asterisk-compatible dialplan engine.
#[derive(Debug, Parser)]
#[command(name = "strowger", version, styles = STYLES, after_help = AFTER, max_term_width = 100)]
pub(crate) struct Arguments {
    /// When to use colour; `NO_COLOR` counts too.
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t = Color::Auto)]
    pub(crate) color: Color,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// When to use colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal.
    Auto,
    Always,
    Never,
}

#[expect(clippy::large_enum_variant, reason = "there is one, parsed once")]
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Show(show::ShowArgs),
    Lookup(lookup::LookupArgs),
    Check(check::CheckArgs),
    Eval(eval::EvalArgs),
    Run(run::RunArgs),
    Db(db::DbArgs),
    Bench(bench::BenchArgs),
    Rules(rules::RulesArgs),
    #[cfg(feature = "pcrf")]
    Pcrf(pcrf::PcrfArgs),
    Doc(doc::DocArgs),
    Explain(explain::ExplainArgs),
    Completions(completions::CompletionsArgs),
}
