//! `strowger lookup FILE NUMBER@CONTEXT`, and line by line with `--jsonl`.

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;
use serde_json::{Value, json};

use crate::base::Symbol;
use crate::compile::compile;
use crate::host::Engine;
use crate::program::explain::explain;
use crate::program::{Found, NotFound, Program, Query, Want};
use crate::syntax::print::json::{byte_string, bytes_of};

use super::{exit, input, ui};

/// Looks up a dialled number as a call would: own extensions, then includes, in Asterisk's order.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  strowger lookup extensions.conf 812@phones
  strowger lookup extensions.conf 812@phones --cid 5551234 --at 2026-12-24T18:00
  echo '{\"id\":1,\"context\":\"phones\",\"dialed\":\"812\"}' | strowger lookup extensions.conf --jsonl")]
pub(crate) struct LookupArgs {
    /// An extensions.conf, a folder that holds one, or `-`.
    file: PathBuf,
    /// What is dialled, and the context it is dialled in.
    #[arg(
        value_name = "NUMBER@CONTEXT",
        required_unless_present = "jsonl",
        conflicts_with = "jsonl"
    )]
    number: Option<String>,
    /// The caller's number.
    #[arg(long, value_name = "NUMBER", conflicts_with = "jsonl")]
    cid: Option<String>,
    /// The time of the lookup, for includes with times: `YYYY-MM-DDTHH:MM[:SS][Z]` or seconds since 1970.
    #[arg(long, value_name = "TIME", conflicts_with = "jsonl")]
    at: Option<String>,
    /// One lookup a line on standard input, one answer a line.
    #[arg(long)]
    jsonl: bool,
}

pub(crate) fn run(args: &LookupArgs) -> i32 {
    if args.jsonl && args.file.as_os_str() == input::STANDARD_INPUT {
        return ui::usage("with --jsonl standard input holds the lookups, so FILE cannot be `-`");
    }
    let at = match args.at.as_deref().map(input::time) {
        None => clock(),
        Some(Some(at)) => at,
        Some(None) => {
            return ui::usage("--at takes `YYYY-MM-DDTHH:MM[:SS][Z]` or seconds since 1970");
        }
    };
    let number = args.number.as_deref().map(input::extension);
    if number == Some(None) {
        return ui::usage("NUMBER@CONTEXT needs an `@`");
    }
    let engine = Engine::builder().build();
    let (plan, report) = input::plan(&engine, &args.file);
    ui::diagnostics(&report);
    let Some(plan) = plan else {
        return exit::UNREADABLE;
    };
    let program = compile(&plan, engine.registry(), report.sources.names());
    match number.flatten() {
        Some((exten, context)) => one(&program, exten, context, args.cid.as_deref(), at),
        None => lines(&program),
    }
}

fn clock() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |now| now.as_secs() as i64)
}

fn lines(program: &Program) -> i32 {
    let mut status = exit::FINE;
    for line in input::lines() {
        let line = match line {
            Ok(line) if line.trim_ascii().is_empty() => continue,
            Ok(line) => line,
            Err(error) => {
                ui::message(&format!("standard input: {error}"));
                return exit::UNREADABLE;
            }
        };
        let answer = match serde_json::from_slice::<Value>(&line) {
            Ok(asked) => answer(program, &asked).map_err(|error| (asked.get("id").cloned(), error)),
            Err(error) => Err((None, format!("not JSON: {error}"))),
        };
        ui::json_line(&answer.unwrap_or_else(|(id, error)| {
            status = exit::FINDINGS;
            json!({"id": id, "error": error})
        }));
    }
    status
}

/// One lookup as the line asks for it.
struct Asked {
    context: Vec<u8>,
    dialed: Vec<u8>,
    cid: Option<Vec<u8>>,
    priority: Want,
    label: Option<Vec<u8>>,
    now: i64,
}

impl Asked {
    fn read(asked: &Value) -> Result<Self, String> {
        let field = |name: &str| asked.get(name).filter(|value| !value.is_null());
        let text = |name: &str| match field(name) {
            None => Ok(None),
            Some(value) => bytes_of(value)
                .map(Some)
                .ok_or_else(|| format!("`{name}` must be a string")),
        };
        let needed = |name: &str| text(name)?.ok_or_else(|| format!("`{name}` is missing"));
        let number = |name: &str| match field(name) {
            None => Ok(None),
            Some(value) => value
                .as_i64()
                .map(Some)
                .ok_or_else(|| format!("`{name}` must be a whole number")),
        };
        if !asked.is_object() {
            return Err("not an object".into());
        }
        Ok(Self {
            context: needed("context")?,
            dialed: needed("dialed")?,
            cid: text("cid")?,
            // A hint is stored as priority -1; no other number below 1 exists.
            priority: match number("priority")?.unwrap_or(1) {
                -1 => Want::Hint,
                n => Want::Priority(u32::try_from(n).unwrap_or(0)),
            },
            label: text("label")?,
            now: number("now")?.unwrap_or_else(clock),
        })
    }
}

fn answer(program: &Program, line: &Value) -> Result<Value, String> {
    let asked = Asked::read(line)?;
    let (table, matcher) = (&program.table, &program.matcher);
    let id = line.get("id").unwrap_or(&Value::Null);
    let Some(context) = table.context_named(&asked.context) else {
        return Ok(json!({
            "id": id,
            "exists": false,
            "canmatch": false,
            "matchmore": false,
            "found": null,
            "why": why(NotFound::NoContext),
        }));
    };
    let (exten, want, cid, now) = (
        &asked.dialed,
        asked.priority,
        asked.cid.as_deref(),
        asked.now,
    );
    let sought = match &asked.label {
        // A name that is nowhere in the dialplan is no label of it.
        Some(label) => Want::Label(program.names.get(label).unwrap_or(Symbol(u32::MAX))),
        None => want,
    };
    let found = matcher.find(table, context, exten, sought, cid, now);
    Ok(json!({
        "id": id,
        "exists": matcher.exists(table, context, exten, want, cid, now),
        "canmatch": matcher.can_match(table, context, exten, want, cid, now),
        "matchmore": matcher.match_more(table, context, exten, want, cid, now),
        "found": found.ok().and_then(|found| entry(program, &found)),
        "why": found.err().map(why),
    }))
}

fn why(reason: NotFound) -> &'static str {
    match reason {
        NotFound::NoContext => "no_context",
        NotFound::NoExtension => "no_extension",
        NotFound::NoPriority => "no_priority",
        NotFound::NoLabel => "no_label",
        NotFound::Switched => "switched",
    }
}

/// The entry found, as in the corpus of lookups.
fn entry(program: &Program, found: &Found) -> Option<Value> {
    let table = &program.table;
    let extension = table.extension(found.extension)?;
    let place = (
        byte_string(&table.context(extension.context)?.name),
        extension.cid.as_ref().map(|cid| byte_string(cid)),
    );
    Some(if let Some(line) = table.priority(found.priority) {
        json!({
            "context": place.0,
            "pattern": byte_string(table.written(found.priority)?),
            "cid": place.1,
            "priority": line.number,
            "label": line.label.map(|label| byte_string(program.names.resolve(label))),
            "app": byte_string(program.names.resolve(line.app)),
            "data": byte_string(program.names.resolve(line.data)),
        })
    } else {
        let hint = extension.hint.as_ref()?;
        json!({
            "context": place.0,
            "pattern": byte_string(&hint.exten),
            "cid": place.1,
            "priority": -1,
            "label": null,
            "app": byte_string(&hint.devices),
            "data": byte_string(&hint.name),
        })
    })
}

/// One lookup for people: the winner, the includes walked, and what lost against it and why.
fn one(program: &Program, exten: &str, context: &str, cid: Option<&str>, at: i64) -> i32 {
    let table = &program.table;
    let Some(id) = table.context_named(context.as_bytes()) else {
        ui::line(&format!("there is no context `{context}`"));
        return exit::FINDINGS;
    };
    let query = Query {
        context: id,
        exten: exten.as_bytes(),
        want: Want::Priority(1),
        cid: cid.map(str::as_bytes),
        now: at,
    };
    let explanation = explain(table, &program.matcher, &query);
    let text = explanation.text(table, &program.names, &query).to_string();
    ui::print(text.as_bytes());
    if explanation.result.is_ok() {
        exit::FINE
    } else {
        exit::FINDINGS
    }
}
