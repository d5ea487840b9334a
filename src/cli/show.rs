//! `strowger show FILE [EXTEN@CONTEXT | CONTEXT]`.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use clap::Args;

use bstr::ByteSlice as _;

use crate::host::Engine;
use crate::syntax::print::json;
use crate::syntax::print::listing::{Show, show};

use super::{exit, input, ui};

/// Lists contexts, extensions and priorities as Asterisk holds them after loading FILE.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  strowger show extensions.conf
  strowger show /etc/asterisk phones
  strowger show extensions.conf 812@phones
  strowger show extensions.conf --json | jq '.contexts[].name'")]
pub(crate) struct ShowArgs {
    /// An extensions.conf, a folder that holds one, or `-`.
    file: PathBuf,
    /// Show only this context, or what a dialled text reaches in a context.
    #[arg(value_name = "CONTEXT | EXTEN@CONTEXT")]
    what: Option<OsString>,
    /// Print one JSON object.
    #[arg(long, conflicts_with = "what")]
    json: bool,
}

pub(crate) fn run(args: &ShowArgs) -> i32 {
    let engine = Engine::builder().build();
    let (plan, report) = input::plan(&engine, &args.file);
    ui::diagnostics(&report);
    if args.json {
        ui::json_document(&json::plan(plan.as_ref(), &report));
    }
    let Some(plan) = plan else {
        return exit::UNREADABLE;
    };
    if args.json {
        return exit::FINE;
    }
    let what = args
        .what
        .as_deref()
        .map(|what| match what.as_bytes().rsplit_once_str(b"@") {
            Some((exten, context)) => Show::Extension { exten, context },
            None => Show::Context(what.as_bytes()),
        });
    match show(&plan, &report.sources, what) {
        Ok(listing) => {
            ui::print(&listing);
            exit::FINE
        }
        Err(missing) => {
            // The answer of `dialplan show` itself, so a result.
            ui::line(&missing.to_string());
            exit::FINDINGS
        }
    }
}
