//! `strowger completions SHELL`.

use clap::{Args, CommandFactory as _};
use clap_complete::Shell;

use super::args::Arguments;
use super::{exit, ui};

/// Prints the script; source it, or put it where the shell looks for completions.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  strowger completions bash > ~/.local/share/bash-completion/completions/strowger"
)]
pub(crate) struct CompletionsArgs {
    /// The shell.
    shell: Shell,
}

pub(crate) fn run(args: &CompletionsArgs) -> i32 {
    let mut script = Vec::new();
    clap_complete::generate(
        args.shell,
        &mut Arguments::command(),
        "strowger",
        &mut script,
    );
    ui::print(&script);
    exit::FINE
}
