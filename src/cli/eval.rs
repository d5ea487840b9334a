//! `strowger eval`: texts for people, cases of the language corpora for machines.

mod case;
mod session;

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::cli::eval::case::{Case, Step};
use crate::cli::eval::session::{Session, Way};
use crate::diagnostic::code;
use crate::syntax::print::json::byte_string;

use super::exit::{FINDINGS, FINE, UNREADABLE, USAGE};
use super::{input, store, ui};

/// Substitutes a text as an application's data is substituted, and prints the result.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  strowger eval '$[1/3]'
  strowger eval 'last four: ${n:-4}' --var n=12125551212
  strowger eval '${RATE}' --file extensions.conf
  strowger eval '${DB(forward/204)}' --db calls.db
  strowger eval --jsonl < cases.jsonl")]
pub(crate) struct EvalArgs {
    /// The text to evaluate; with `--jsonl` a FILE whose contexts and globals exist beside each case's own.
    #[arg(value_name = "TEXT|FILE")]
    subject: Option<OsString>,
    /// Reads one case a line from standard input and answers one line each.
    #[arg(long)]
    jsonl: bool,
    /// An extensions.conf, or a folder that holds one, whose contexts and globals exist.
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Sets a channel variable first; may be given several times.
    #[arg(long, value_name = "NAME=VALUE")]
    var: Vec<OsString>,
    /// Keeps DB() in this file, which is made when it is missing; without it each case has its own, in memory.
    #[arg(long, value_name = "FILE")]
    db: Option<PathBuf>,
    /// Evaluates by the textual evaluator.
    #[arg(long, hide = true)]
    textual: bool,
    /// Evaluates without anybody watching: with the direct operations of lines, and without log.
    #[arg(long, hide = true, conflicts_with = "textual")]
    unwatched: bool,
}

/// Runs the command; the value is the exit code.
pub(crate) fn run(arguments: &EvalArgs) -> i32 {
    crate::base::zone::Zone::without_tz_is_utc();
    let file = match (arguments.jsonl, &arguments.subject, &arguments.file) {
        (true, Some(_), Some(_)) => return fail(USAGE, "with --jsonl give FILE only once"),
        (true, Some(file), None) => Some(Path::new(file)),
        (_, _, Some(file)) => Some(file.as_path()),
        _ => None,
    };
    if file == Some(Path::new(input::STANDARD_INPUT)) {
        return fail(USAGE, "standard input holds the cases: give FILE by name");
    }
    let way = if arguments.textual {
        Way::Textual
    } else if arguments.unwatched {
        Way::Unwatched
    } else {
        Way::Compiled
    };
    let store = match store::given(arguments.db.as_deref()) {
        Ok(store) => store,
        Err(status) => return status,
    };
    let session = match Session::new(file, way, store) {
        Ok(session) => session,
        Err(message) => return fail(UNREADABLE, message.trim_end()),
    };
    let status = match &arguments.subject {
        _ if arguments.jsonl => answer_lines(&session),
        Some(text) => evaluate(&session, text, &arguments.var),
        None => return fail(USAGE, "give a text to evaluate, or --jsonl"),
    };
    store::keep(arguments.db.as_deref(), status)
}

fn fail(code: i32, message: &str) -> i32 {
    ui::message(message);
    code
}

/// One text for people: the result on standard output, what was logged on standard error.
fn evaluate(session: &Session, text: &OsStr, variables: &[OsString]) -> i32 {
    let mut vars = Vec::new();
    for variable in variables {
        let Some(pair) = input::pair(variable) else {
            return fail(USAGE, "--var needs NAME=VALUE");
        };
        vars.push(pair);
    }
    let case = Case {
        vars,
        steps: vec![Step::Get(text.as_bytes().to_vec())],
        ..Case::default()
    };
    let answer = match session.answer(&case) {
        Ok(answer) => answer,
        Err(message) => return fail(FINDINGS, &message),
    };
    for entry in &answer.log {
        ui::message(&format!("{}: {}", entry.code.id, entry.message));
    }
    for output in &answer.outputs {
        ui::print(&[output, &b"\n"[..]].concat());
    }
    FINE
}

fn answer_lines(session: &Session) -> i32 {
    let mut code = FINE;
    for line in input::lines() {
        let line = match line {
            Ok(line) if line.trim_ascii().is_empty() => continue,
            Ok(line) => line,
            Err(error) => return fail(UNREADABLE, &error.to_string()),
        };
        let (answer, good) = answer_line(session, &line);
        if !good {
            code = FINDINGS;
        }
        ui::json_line(&answer);
    }
    code
}

fn answer_line(session: &Session, line: &[u8]) -> (Value, bool) {
    let value: Value = match serde_json::from_slice(line) {
        Ok(value) => value,
        Err(error) => {
            return (
                json!({ "id": null, "error": format!("not JSON: {error}") }),
                false,
            );
        }
    };
    let id = value.get("id").cloned().unwrap_or(Value::Null);
    let answer = Case::read(&value).and_then(|case| session.answer(&case));
    match answer {
        Ok(answer) => {
            let mut outputs: Vec<Value> = answer.outputs.iter().map(|o| byte_string(o)).collect();
            let mut object = if value.get("steps").is_some() {
                json!({ "id": id, "outputs": outputs })
            } else {
                let output = outputs.pop().unwrap_or(Value::Null);
                json!({ "id": id, "output": output })
            };
            let log = log(&answer.log);
            if let (Some([_, ..]), Some(object)) =
                (log.as_array().map(Vec::as_slice), object.as_object_mut())
            {
                object.insert("log".to_owned(), log);
            }
            (object, true)
        }
        Err(message) => (json!({ "id": id, "error": message }), false),
    }
}

/// Level and kind, with `count` where the same comes several times in a row.
fn log(entries: &[crate::diagnostic::Entry]) -> Value {
    let mut counted: Vec<(&str, &str, u32)> = Vec::new();
    // Cuts at a limit are ours to say: Asterisk makes them in silence.
    let logged = entries
        .iter()
        .filter(|entry| *entry.code != code::VALUE_CUT);
    for entry in logged {
        // In these cases all complaints of a function about its arguments have one kind.
        let code = match entry.code {
            code if *code == code::CHANNEL_ITEM_UNKNOWN => &code::BAD_ARGUMENT,
            code => code,
        };
        let (level, kind) = (entry.level.name(), code.kind);
        match counted.last_mut() {
            Some((l, k, count)) if (*l, *k) == (level, kind) => *count += 1,
            _ => counted.push((level, kind, 1)),
        }
    }
    counted
        .into_iter()
        .map(|(level, kind, count)| {
            if count > 1 {
                json!({ "level": level, "kind": kind, "count": count })
            } else {
                json!({ "level": level, "kind": kind })
            }
        })
        .collect()
}
