//! `strowger rules import`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::source::Source;
use crate::cli::{exit, ui};
use crate::rules::dialplan::Style;

/// Writes the rules as a dialplan with one context per flag.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  strowger rules import rules.sql -o rules.conf
  strowger rules import rules.sql --style plain | strowger check -

The dialplan is entered with Gosub(qr,q,1). QUERY, USER, SCHEMA and CLIENT go in (plain style also takes DIGEST),
HOSTGROUP, RULES_MATCHED and the like come out.")]
pub(crate) struct ImportArgs {
    #[command(flatten)]
    source: Source,
    /// Where to write; else standard output.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// `native` with ExecRule, or `plain` with standard applications only.
    #[arg(long, value_enum, default_value_t = StyleName::Native)]
    style: StyleName,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum StyleName {
    Native,
    Plain,
}

pub(super) fn run(args: &ImportArgs) -> Result<i32, i32> {
    let mut loaded = args.source.load()?;
    let style = match args.style {
        StyleName::Native => Style::Native,
        StyleName::Plain => Style::Plain,
    };
    let before = loaded.report.diagnostics().len();
    let text = loaded.rules.dialplan(style, &mut loaded.report);
    loaded.say_from(before);
    match &args.output {
        None => ui::print(&text),
        Some(path) => {
            if let Err(error) = std::fs::write(path, &text) {
                ui::message(&format!("{}: {error}", path.display()));
                return Err(exit::UNREADABLE);
            }
        }
    }
    Ok(loaded.status)
}
