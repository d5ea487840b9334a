//! `strowger rules stats`.

use clap::Args;
use serde_json::{Value, json};

use super::query::{self, Asked};
use super::source::Source;
use crate::cli::ui;
use crate::rules::{Mode, RuleSet, Session, Workload};

/// Counts how often each rule is tested and matches.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  strowger rules stats rules.sql --workload shards:100x40
  strowger rules stats rules.sql < queries.jsonl")]
pub(crate) struct StatsArgs {
    #[command(flatten)]
    source: Source,
    /// Made queries, such as shards:100x40; else JSON queries on standard input.
    #[arg(long, value_name = "WORKLOAD")]
    workload: Option<Workload>,
    /// Prints only rules that were tested.
    #[arg(long)]
    used: bool,
    /// Prints a JSON array.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &StatsArgs) -> Result<i32, i32> {
    let loaded = args.source.load()?;
    let rules = &loaded.rules;
    let mut session = Session::new(Mode::Map).counting();
    let asked = count(rules, &mut session, args.workload)?;
    let hits: u64 = session.counted().map(|(hits, _)| hits).sum();
    let rows = rules
        .rule_ids()
        .zip(session.counted().chain(std::iter::repeat((0, 0))))
        .filter(|(_, (_, tested))| !args.used || *tested > 0);
    let share = |count: u64| {
        if asked == 0 {
            0.0
        } else {
            count as f64 * 100.0 / asked as f64
        }
    };
    if args.json {
        let rows: Vec<Value> = rows
            .map(|(id, (hits, tested))| {
                json!({ "rule_id": id, "hits": hits, "tested": tested, "share": share(hits) / 100.0 })
            })
            .collect();
        ui::json_document(&Value::Array(rows));
    } else {
        let mut table = vec![
            ["rule_id", "hits", "tested", "share"]
                .map(str::to_owned)
                .to_vec(),
        ];
        table.extend(rows.map(|(id, (hits, tested))| {
            vec![
                id.to_string(),
                hits.to_string(),
                tested.to_string(),
                format!("{:.1} %", share(hits)),
            ]
        }));
        ui::print(ui::table(&table, &[0, 1, 2, 3]).as_bytes());
        let asked = query::counted(asked, "query", "queries");
        let hits = query::counted(hits, "hit", "hits");
        ui::line(&format!("{asked}, {hits}"));
    }
    Ok(loaded.status)
}

fn count(rules: &RuleSet, session: &mut Session, workload: Option<Workload>) -> Result<u64, i32> {
    let mut asked = 0;
    let mut ask = |query: &Asked| {
        rules.eval(session, &query.query());
        asked += 1;
    };
    match workload {
        Some(workload) => {
            let queries = workload.queries();
            for _ in 0..workload.rounds {
                for text in &queries {
                    ask(&Asked {
                        text: text.clone(),
                        ..Asked::default()
                    });
                }
            }
        }
        None => query::all_lines()?.iter().for_each(ask),
    }
    Ok(asked)
}
