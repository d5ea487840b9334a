//! `strowger rules compare`.

use clap::Args;
use serde_json::{Value, json};

use super::query::{self, Asked};
use super::source::Source;
use crate::cli::{exit, ui};
use crate::host::rules::{DialplanSession, Style};
use crate::rules::{Mode, RuleSet, Session, Work, Workload};

/// Runs the same queries in all modes and names the differences.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  strowger rules compare rules.sql < queries.jsonl
  strowger rules compare rules.sql --article --workload shards:100x40

Exit codes: 0 all modes agree; 1 they do not, or something was refused. The reading of --article may differ; that is
no finding.")]
pub(crate) struct CompareArgs {
    #[command(flatten)]
    source: Source,
    /// Made queries, such as shards:100x40; else JSON queries on standard input.
    #[arg(long, value_name = "WORKLOAD")]
    workload: Option<Workload>,
    /// Compares with the article's reading too: every flagOUT goes to the top of its chain.
    #[arg(long)]
    article: bool,
    /// Compares with the rules as a dialplan of standard applications too.
    #[arg(long)]
    plain: bool,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

/// How one mode did.
struct Column {
    name: &'static str,
    work: Work,
    /// Queries by number whose outcome is another one than that of the list, and what was decided.
    different: Vec<(usize, String, String)>,
    counts: bool,
}

pub(super) fn run(args: &CompareArgs) -> Result<i32, i32> {
    let mut loaded = args.source.load()?;
    let session = if args.plain {
        match loaded.session(Style::Plain) {
            Ok(session) => Some(session),
            Err(_) => return Ok(exit::FINDINGS),
        }
    } else {
        None
    };
    let rules = &loaded.rules;
    let queries = match args.workload {
        None => query::all_lines()?,
        Some(workload) => workload
            .queries()
            .into_iter()
            .map(|text| Asked {
                text,
                ..Asked::default()
            })
            .cycle()
            .take(workload.shards as usize * workload.rounds as usize)
            .collect(),
    };
    let (expected, list) = outcomes(rules, Mode::List, &queries);
    let mut columns = vec![Column {
        name: "list",
        work: list,
        different: Vec::new(),
        counts: true,
    }];
    let mut modes = vec![Mode::Map, Mode::Compiled];
    modes.extend(args.article.then_some(Mode::Article));
    for mode in modes {
        let (actual, work) = outcomes(rules, mode, &queries);
        columns.push(Column {
            name: mode.name(),
            work,
            different: differences(&expected, &actual),
            counts: mode != Mode::Article,
        });
    }
    if let Some(session) = session {
        match plain(rules, session, &queries) {
            Ok((actual, work)) => columns.push(Column {
                name: "plain",
                work,
                different: differences(&expected, &actual),
                counts: true,
            }),
            Err(message) => {
                ui::message(&message);
                return Ok(exit::FINDINGS);
            }
        }
    }
    if args.json {
        ui::json_document(&columns.iter().map(object).collect::<Value>());
    } else {
        show(&columns, queries.len());
    }
    let differs = columns
        .iter()
        .any(|column| column.counts && !column.different.is_empty());
    Ok(if differs {
        exit::FINDINGS
    } else {
        loaded.status
    })
}

/// The outcomes of one session, without the work, and the sum of the work.
fn outcomes(rules: &RuleSet, mode: Mode, queries: &[Asked]) -> (Vec<String>, Work) {
    let mut session = Session::new(mode);
    let mut sum = Work::default();
    let texts = queries
        .iter()
        .map(|asked| {
            let mut outcome = rules.eval(&mut session, &asked.query());
            sum += outcome.work;
            outcome.work = Work::default();
            query::object(rules, asked, &outcome).to_string()
        })
        .collect();
    (texts, sum)
}

fn plain(
    rules: &RuleSet,
    mut session: DialplanSession,
    queries: &[Asked],
) -> Result<(Vec<String>, Work), String> {
    let mut sum = Work::default();
    let mut texts = Vec::new();
    for asked in queries {
        let answer = session.ask(&asked.query())?;
        let mut outcome = answer.outcome();
        sum += outcome.work;
        outcome.work = Work::default();
        texts.push(query::object(rules, asked, &outcome).to_string());
    }
    Ok((texts, sum))
}

fn differences(expected: &[String], actual: &[String]) -> Vec<(usize, String, String)> {
    expected
        .iter()
        .zip(actual)
        .enumerate()
        .filter(|(_, (expected, actual))| expected != actual)
        .map(|(n, (expected, actual))| (n + 1, expected.clone(), actual.clone()))
        .collect()
}

fn object(column: &Column) -> Value {
    let parsed = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_default();
    json!({
        "mode": column.name,
        "walked": column.work.walked,
        "tested": column.work.tested,
        "automaton_runs": column.work.automaton_runs,
        "different": column.different.iter().map(|(n, list, other)| json!({
            "query": n,
            "list": parsed(list),
            "other": parsed(other),
        })).collect::<Vec<_>>(),
    })
}

fn show(columns: &[Column], queries: usize) {
    let head = ["", "walked", "tested", "runs", "different"];
    let mut table = vec![head.map(str::to_owned).to_vec()];
    for column in columns {
        table.push(vec![
            column.name.to_owned(),
            column.work.walked.to_string(),
            column.work.tested.to_string(),
            column.work.automaton_runs.to_string(),
            column.different.len().to_string(),
        ]);
    }
    ui::print(ui::table(&table, &[1, 2, 3, 4]).as_bytes());
    ui::line(&query::counted(queries as u64, "query", "queries"));
    for column in columns {
        for (n, list, other) in column.different.iter().take(20) {
            ui::line(&format!("query {n}"));
            ui::line(&format!("  list      {list}"));
            ui::line(&format!("  {:<9} {other}", column.name));
        }
    }
}
