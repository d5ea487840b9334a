//! Commands to a running server: sessions, top-ups, releases, reload, switches, times.

use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use crate::cli::{exit, ui};
use crate::pcrf::log::printable;
use crate::pcrf::optimise::Switches;
use crate::pcrf::policy::{amount, release_cause};
use crate::pcrf::server::request;

/// Where the server is.
#[derive(Debug, Args)]
pub(super) struct Target {
    /// The control socket of the server.
    #[arg(long, value_name = "FILE", default_value = "pcrf.sock")]
    control: PathBuf,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Lists live sessions.
#[derive(Debug, Args)]
pub(super) struct SessionsArgs {
    /// Only those of this subscriber (IMSI or MSISDN) or pool.
    subscriber: Option<String>,
    /// How many at most.
    #[arg(long, default_value_t = 1000)]
    limit: u32,
    #[command(flatten)]
    target: Target,
}

/// Shows a session.
#[derive(Debug, Args)]
pub(super) struct SessionArgs {
    /// Its Session-Id.
    id: String,
    #[command(flatten)]
    target: Target,
}

/// Adds to the limit of a subscriber's monitoring key, for the present period; sessions are told at once.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  strowger pcrf topup 001010000000001 mk-gold 5G
  strowger pcrf topup 001010000000001 mk-gold --reset")]
pub(super) struct TopupArgs {
    /// The subscriber: IMSI or MSISDN.
    subscriber: String,
    /// The monitoring key.
    key: String,
    /// How many bytes; k, M and G are powers of 1000.
    #[arg(required_unless_present = "reset")]
    volume: Option<String>,
    /// Set what was used back to nothing instead.
    #[arg(long, conflicts_with = "volume")]
    reset: bool,
    #[command(flatten)]
    target: Target,
}

/// Asks the PCEF of a session to end it.
#[derive(Debug, Args)]
pub(super) struct ReleaseArgs {
    /// Its Session-Id.
    id: String,
    /// Session-Release-Cause by number or name of TS 29.212: 0 unspecified, 1 subscription, 2 resources, 3 end of the
    /// IP-CAN session, 4 release of the address.
    #[arg(long, default_value = "0", value_parser = cause)]
    cause: u32,
    #[command(flatten)]
    target: Target,
}

/// Reads policy and subscribers anew; sessions go on, and are told what changes.
#[derive(Debug, Args)]
#[command(after_help = "\
A policy with errors does not replace the one in force; rows of subscribers with errors are left out, and then nobody is
removed. Exit codes: 0 all is in force; 1 something stays as it was; 3 the server cannot be reached.")]
pub(super) struct ReloadArgs {
    #[command(flatten)]
    target: Target,
}

/// Shows where the time of requests goes, or switches that on and off.
#[derive(Debug, Args)]
pub(super) struct PerfArgs {
    /// What to do.
    #[arg(value_parser = ["on", "off", "reset", "top"], default_value = "top")]
    action: String,
    /// How many lines.
    #[arg(short = 'n', default_value_t = 15)]
    limit: u32,
    #[command(flatten)]
    target: Target,
}

/// Shows the switches of optimisations, or sets one.
#[derive(Debug, Args)]
pub(super) struct OptArgs {
    /// NAME=on|off, where NAME may be all.
    set: Option<String>,
    #[command(flatten)]
    target: Target,
}

/// Shows what happened since the start, counted.
#[derive(Debug, Args)]
pub(super) struct CountersArgs {
    #[command(flatten)]
    target: Target,
}

fn cause(text: &str) -> Result<u32, String> {
    release_cause(text.as_bytes())
        .ok_or_else(|| "no cause of TS 29.212 has this name or number (0 to 4)".to_owned())
}

/// Asks; a server that cannot be reached, or says no, is told of.
fn ask(target: &Target, command: &Value) -> Result<Value, i32> {
    let answer = request(&target.control, command).map_err(|error| {
        ui::message(&format!("{}: {error}", target.control.display()));
        exit::UNREADABLE
    })?;
    if answer.get("ok").and_then(Value::as_bool) == Some(true) {
        return Ok(answer.get("value").cloned().unwrap_or(Value::Null));
    }
    let message = answer
        .get("error")
        .and_then(Value::as_str)
        .unwrap_or("no answer");
    ui::message(message);
    Err(exit::FINDINGS)
}

fn text(value: &Value, name: &str) -> String {
    match value.get(name) {
        Some(Value::String(text)) => printable(text.as_bytes()),
        Some(Value::Null) | None => String::new(),
        Some(Value::Array(list)) => {
            let words = list.iter().map(|item| match item {
                Value::String(text) => printable(text.as_bytes()),
                other => other.to_string(),
            });
            words.collect::<Vec<_>>().join(" ")
        }
        Some(other) => other.to_string(),
    }
}

fn rows(head: &[&str], list: &[Value]) -> Vec<Vec<String>> {
    let mut rows = vec![head.iter().map(|name| (*name).to_owned()).collect()];
    for item in list {
        rows.push(head.iter().map(|name| text(item, name)).collect());
    }
    rows
}

fn done(target: &Target, value: &Value) -> i32 {
    if target.json {
        ui::json_document(value);
    }
    exit::FINE
}

pub(super) fn sessions(args: &SessionsArgs) -> Result<i32, i32> {
    let mut command = json!({"command": "sessions", "limit": args.limit});
    if let (Some(subscriber), Some(object)) = (&args.subscriber, command.as_object_mut()) {
        object.insert("subscriber".to_owned(), json!(subscriber));
    }
    let value = ask(&args.target, &command)?;
    if args.target.json {
        ui::json_document(&value);
        return Ok(exit::FINE);
    }
    let list = value.get("sessions").and_then(Value::as_array);
    let list = list.map_or(&[][..], Vec::as_slice);
    let head = ["id", "subscriber", "apn", "ip", "number", "rules"];
    ui::print(ui::table(&rows(&head, list), &[4]).as_bytes());
    ui::line(&format!("{} sessions", text(&value, "count")));
    Ok(exit::FINE)
}

pub(super) fn session(args: &SessionArgs) -> Result<i32, i32> {
    let value = ask(
        &args.target,
        &json!({"command": "session", "session": args.id}),
    )?;
    if args.target.json {
        ui::json_document(&value);
        return Ok(exit::FINE);
    }
    let fields = value.as_object().into_iter().flatten();
    let rows: Vec<Vec<String>> = fields
        .map(|(name, _)| vec![name.clone(), text(&value, name)])
        .collect();
    ui::print(ui::table(&rows, &[]).as_bytes());
    Ok(exit::FINE)
}

pub(super) fn topup(args: &TopupArgs) -> Result<i32, i32> {
    let octets = match &args.volume {
        Some(volume) => amount(volume.as_bytes())
            .and_then(|octets| i64::try_from(octets).ok())
            .filter(|octets| *octets > 0)
            .ok_or_else(|| ui::usage(&format!("`{volume}` is no volume above 0")))?,
        None => 0,
    };
    let command = json!({
        "command": "topup", "subscriber": args.subscriber, "key": args.key, "octets": octets, "reset": args.reset,
    });
    ask(&args.target, &command).map(|value| done(&args.target, &value))
}

pub(super) fn release(args: &ReleaseArgs) -> Result<i32, i32> {
    let command = json!({"command": "release", "session": args.id, "cause": args.cause});
    ask(&args.target, &command).map(|value| done(&args.target, &value))
}

pub(super) fn reload(args: &ReloadArgs) -> Result<i32, i32> {
    let value = ask(&args.target, &json!({"command": "reload"}))?;
    let list = |name: &str| {
        let list = value.get(name).and_then(Value::as_array);
        list.into_iter().flatten().filter_map(Value::as_str)
    };
    if args.target.json {
        ui::json_document(&value);
    } else {
        list("findings")
            .chain(list("failures"))
            .for_each(ui::message);
        list("lines").for_each(ui::line);
    }
    let kept = list("failures").next().is_some();
    Ok(if kept { exit::FINDINGS } else { exit::FINE })
}

pub(super) fn perf(args: &PerfArgs) -> Result<i32, i32> {
    let command = json!({"command": "perf", "action": args.action, "limit": args.limit});
    let value = ask(&args.target, &command)?;
    if args.target.json {
        ui::json_document(&value);
        return Ok(exit::FINE);
    }
    let head = [
        "name",
        "calls/s",
        "fetch us",
        "execute us",
        "total us",
        "share %",
    ];
    let mut rows = vec![
        head.iter()
            .map(|name| (*name).to_owned())
            .collect::<Vec<_>>(),
    ];
    let lines = value.get("rows").and_then(Value::as_array);
    for line in lines.into_iter().flatten() {
        let number = |name| line.get(name).and_then(Value::as_f64).unwrap_or(0.0);
        rows.push(vec![
            text(line, "name"),
            format!("{:.0}", number("per_second")),
            format!("{:.3}", number("fetch_us")),
            format!("{:.3}", number("execute_us")),
            format!("{:.3}", number("total_us")),
            format!("{:.1}", number("share")),
        ]);
    }
    ui::print(ui::table(&rows, &[1, 2, 3, 4, 5]).as_bytes());
    if let Some(memo) = value.get("memo").filter(|memo| memo.is_object()) {
        let number = |name| memo.get(name).and_then(Value::as_f64).unwrap_or(0.0);
        let (cost, saved) = (number("cost_us"), number("saved_us"));
        let verdict = if cost > saved {
            "it costs more than it saves"
        } else {
            "it saves more than it costs"
        };
        ui::line(&format!(
            "memo: {} checks took {:.1} ms, {} hits saved runs of {:.1} ms: {verdict}",
            text(memo, "checks"),
            cost / 1000.0,
            text(memo, "hits"),
            saved / 1000.0,
        ));
    }
    if value.get("on").and_then(Value::as_bool) != Some(true) {
        ui::line("switched off");
    }
    Ok(exit::FINE)
}

pub(super) fn opt(args: &OptArgs) -> Result<i32, i32> {
    if let Some(set) = &args.set {
        // Wrong usage, whatever the server is.
        let known = Switches::default().apply(set);
        known.map_err(|message| ui::usage(&message))?;
    }
    let command = match &args.set {
        Some(set) => json!({"command": "opt", "set": set}),
        None => json!({"command": "opt"}),
    };
    let value = ask(&args.target, &command)?;
    if args.target.json {
        ui::json_document(&value);
    } else {
        let list = value.as_array().into_iter().flatten();
        list.filter_map(Value::as_str).for_each(ui::line);
    }
    Ok(exit::FINE)
}

pub(super) fn counters(args: &CountersArgs) -> Result<i32, i32> {
    let value = ask(&args.target, &json!({"command": "counters"}))?;
    if args.target.json {
        ui::json_document(&value);
        return Ok(exit::FINE);
    }
    let fields = value.as_object().into_iter().flatten();
    let rows: Vec<Vec<String>> = fields
        .map(|(name, count)| vec![name.clone(), count.to_string()])
        .collect();
    ui::print(ui::table(&rows, &[1]).as_bytes());
    Ok(exit::FINE)
}
