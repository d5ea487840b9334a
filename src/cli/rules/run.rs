//! `strowger rules run`.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;

use bstr::BStr;
use clap::{Args, ValueEnum};

use super::query::{self, Asked};
use super::source::{Loaded, Source};
use crate::cli::ui::{self, Style};
use crate::cli::{exit, input};
use crate::host::rules::{Answer, DialplanSession, Style as DialplanStyle};
use crate::rules::{Mode, Outcome, RuleSet, Session, Tested};

/// Runs queries through the rules.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  strowger rules run rules.sql --query '/* 003 */ select 1' --trace
  strowger rules run rules.sql --jsonl --mode map < queries.jsonl
  strowger rules run rules.sql --jsonl --mode plain < queries.jsonl

With --jsonl, each line of standard input is {\"user\", \"schema\", \"client\", \"query\"}; all are one session.")]
pub(crate) struct RunArgs {
    #[command(flatten)]
    source: Source,
    /// Answers a JSON query a line on standard input.
    #[arg(long, conflicts_with = "query", required_unless_present = "query")]
    jsonl: bool,
    /// A query; several are one session.
    #[arg(long, value_name = "TEXT")]
    query: Vec<OsString>,
    /// Who asks.
    #[arg(long, value_name = "NAME", default_value = "")]
    user: OsString,
    /// The schema in use.
    #[arg(long, value_name = "NAME", default_value = "")]
    schema: OsString,
    /// The client's address.
    #[arg(long, value_name = "ADDRESS")]
    client: Option<OsString>,
    /// How rules are found: `plain` and `dialplan` import the rules and run them as a dialplan.
    #[arg(long, value_enum, default_value_t = ModeName::Compiled)]
    mode: ModeName,
    /// Prints every rule that was looked at.
    #[arg(long)]
    trace: bool,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
    /// Seed of the draws among weighted flags.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
}

/// Names of modes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ModeName {
    List,
    Map,
    Compiled,
    Plain,
    Dialplan,
    #[value(hide = true)]
    Article,
}

impl ModeName {
    /// The mode of the engine of rules, or the style of the dialplan.
    pub(super) fn kind(self) -> Result<Mode, DialplanStyle> {
        match self {
            ModeName::List => Ok(Mode::List),
            ModeName::Map => Ok(Mode::Map),
            ModeName::Compiled => Ok(Mode::Compiled),
            ModeName::Article => Ok(Mode::Article),
            ModeName::Plain => Err(DialplanStyle::Plain),
            ModeName::Dialplan => Err(DialplanStyle::Native),
        }
    }
}

/// A session in one of the modes.
enum Runner<'r> {
    Rules(&'r RuleSet, Box<Session>),
    Dialplan(Box<DialplanSession>, Answer),
    /// The rules are no dialplan of the style, and why.
    Refused(String),
}

impl Runner<'_> {
    fn ask(&mut self, asked: &Asked) -> Result<Outcome<'_>, String> {
        match self {
            Runner::Rules(rules, session) => Ok(rules.eval(session, &asked.query())),
            Runner::Dialplan(session, answer) => {
                *answer = session.ask(&asked.query())?;
                Ok(answer.outcome())
            }
            Runner::Refused(message) => Err(message.clone()),
        }
    }

    fn traced(&self) -> &[Tested] {
        match self {
            Runner::Rules(_, session) => session.traced(),
            Runner::Dialplan(..) | Runner::Refused(_) => &[],
        }
    }
}

pub(super) fn run(args: &RunArgs) -> Result<i32, i32> {
    if args.jsonl && args.source.file.as_os_str() == input::STANDARD_INPUT {
        return Ok(ui::usage(
            "standard input holds the queries: give FILE.sql by name",
        ));
    }
    let mut loaded = args.source.load()?;
    let mut runner = match args.mode.kind() {
        Ok(mode) => {
            // The index finds rules without looking at them, which would be no story to tell.
            let mode = match mode {
                Mode::Compiled if args.trace => Mode::Map,
                other => other,
            };
            let mut session = Session::new(mode).seed(args.seed);
            if args.trace {
                session = session.tracing();
            }
            Runner::Rules(&loaded.rules, Box::new(session))
        }
        Err(style) => match loaded.session(style) {
            Ok(session) => Runner::Dialplan(Box::new(session), Answer::default()),
            Err(message) if args.jsonl => Runner::Refused(message),
            Err(_) => return Ok(exit::FINDINGS),
        },
    };
    let Loaded { rules, status, .. } = &loaded;
    if args.jsonl {
        let answered = query::each_line(|asked| {
            let outcome = runner.ask(asked)?;
            Ok(Some(query::object(rules, asked, &outcome)))
        })?;
        return Ok(answered.max(*status));
    }
    for text in &args.query {
        let asked = Asked {
            text: text.as_bytes().to_vec(),
            user: args.user.as_bytes().to_vec(),
            schema: args.schema.as_bytes().to_vec(),
            client: args
                .client
                .as_ref()
                .map(|client| client.as_bytes().to_vec()),
            ..Asked::default()
        };
        let outcome = match runner.ask(&asked) {
            Ok(outcome) => outcome,
            Err(message) => {
                ui::message(&message);
                return Ok(exit::FINDINGS);
            }
        };
        if args.json {
            ui::json_line(&query::object(rules, &asked, &outcome));
        } else {
            let text = described(rules, &asked, &outcome);
            for tested in runner.traced() {
                let (word, style) = if tested.matched {
                    ("matches", Style::Green)
                } else {
                    ("does not match", Style::Yellow)
                };
                let word = ui::paint(style, word);
                ui::line(&format!(
                    "flag {}: rule {} {word}",
                    tested.flag, tested.rule_id
                ));
            }
            ui::print(text.as_bytes());
        }
    }
    Ok(*status)
}

/// An outcome for people: what was set, and nothing else.
fn described(rules: &RuleSet, asked: &Asked, outcome: &Outcome<'_>) -> String {
    let numbers = &outcome.numbers;
    let mut rows = Vec::new();
    let mut row = |name: &str, value: String| rows.push(vec![name.to_owned(), value]);
    row(
        "hostgroup",
        if numbers.hostgroup < 0 {
            "the user's own".to_owned()
        } else {
            numbers.hostgroup.to_string()
        },
    );
    let ids: Vec<String> = outcome.matched.iter().map(i64::to_string).collect();
    row(
        "rules",
        if ids.is_empty() {
            "none".to_owned()
        } else {
            ids.join(", ")
        },
    );
    for (name, text) in [
        ("query", outcome.rewritten),
        ("error", outcome.error_msg),
        ("ok", outcome.ok_msg),
    ] {
        if let Some(text) = text {
            row(name, BStr::new(text).to_string());
        }
    }
    for (name, number) in [
        ("log", numbers.log),
        ("next query's flag", outcome.next_query_flag_in),
        ("cache_ttl", numbers.cache_ttl),
        ("timeout", numbers.timeout),
        ("mirror_hostgroup", numbers.mirror_hostgroup),
        ("delay", numbers.delay),
        ("retries", numbers.retries),
        ("multiplex", numbers.multiplex),
    ] {
        if number >= 0 {
            row(name, number.to_string());
        }
    }
    let settings = &rules.settings().digest;
    if settings.enabled {
        let digest = crate::rules::digest(&asked.text, settings);
        row("digest", BStr::new(&digest).to_string());
    }
    let work = &outcome.work;
    row(
        "work",
        format!(
            "{} walked, {} tested, {} automaton runs",
            work.walked, work.tested, work.automaton_runs
        ),
    );
    ui::table(&rows, &[])
}
