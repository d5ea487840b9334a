//! `strowger show FILE [EXTEN@CONTEXT | CONTEXT]`.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use clap::Args;

use bstr::ByteSlice as _;

use crate::host::Engine;
use crate::syntax::print::json;
use crate::syntax::print::listing::{Show, part, show};

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
    /// Print one JSON object, with only the contexts that were asked for.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &ShowArgs) -> i32 {
    let engine = Engine::builder().build();
    let (plan, report) = input::plan(&engine, &args.file);
    ui::diagnostics(&report);
    let Some(plan) = plan else {
        if args.json {
            ui::json_document(&json::plan(None, &report));
        }
        return exit::UNREADABLE;
    };
    let what = args
        .what
        .as_deref()
        .map(|what| match what.as_bytes().rsplit_once_str(b"@") {
            Some((exten, context)) => Show::Extension { exten, context },
            None => Show::Context(what.as_bytes()),
        });
    if args.json {
        let part = match what {
            Some(what) => part(&plan, what),
            None => Ok(plan),
        };
        return match part {
            Ok(part) => {
                ui::json_document(&json::plan(Some(&part), &report));
                exit::FINE
            }
            Err(missing) => {
                ui::message(&missing.to_string());
                exit::FINDINGS
            }
        };
    }
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
