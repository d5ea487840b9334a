//! `strowger rules bench`.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use serde_json::{Value, json};

use super::query;
use super::source::{Reading, read_file};
use crate::cli::exit;
use crate::cli::ui::{self, Style};
use crate::rules::{Mode, Pairs, Query, RuleSet, Session, Work, Workload, list, tree};

/// Measures the modes side by side and counts what they look at.
///
/// `walked` are rules visited, `tested` rules whose criteria were looked at one by one, `runs` runs of an automaton
/// over a query. Times are those of one thread, without a network and without a proxy: the lower quartile of many
/// measurements of a millisecond, so that other work of the machine does not count.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  strowger rules bench
  strowger rules bench rules.sql --workload shards:100x40 --mode list,compiled

Without FILE the published rules are made and measured: 200 rules as a list, 170 as a tree; then 200 and 2000 shards.")]
pub(crate) struct BenchArgs {
    /// SQL that fills `mysql_query_rules`; several are measured one by one.
    #[arg(value_name = "FILE.sql")]
    file: Vec<PathBuf>,
    #[command(flatten)]
    reading: Reading,
    /// The queries.
    #[arg(long, value_name = "WORKLOAD", default_value = "shards:100x40")]
    workload: Workload,
    /// The modes.
    #[arg(
        long,
        value_name = "MODE",
        value_delimiter = ',',
        default_values = MODES.map(Mode::name),
        value_parser = PossibleValuesParser::new(MODES.map(Mode::name)).map(mode)
    )]
    mode: Vec<Mode>,
    /// Milliseconds that each mode is measured.
    #[arg(long, value_name = "MS", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..=60_000))]
    time: u64,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

/// Rules with their queries and how they did.
struct Case {
    name: String,
    rules: usize,
    workload: Workload,
    rows: Vec<Row>,
}

struct Row {
    mode: Mode,
    work: Work,
    nanoseconds: f64,
}

/// The modes whose outcome is the same.
const MODES: [Mode; 3] = [Mode::List, Mode::Map, Mode::Compiled];

fn mode(name: String) -> Mode {
    let known = MODES.into_iter().find(|mode| mode.name() == name);
    known.unwrap_or_default()
}

/// One measurement takes at least so long.
const SLICE: Duration = Duration::from_millis(1);

pub(super) fn run(args: &BenchArgs) -> Result<i32, i32> {
    let mut status = exit::FINE;
    let mut cases = Vec::new();
    if args.file.is_empty() {
        for (name, sql, workload) in published(args.workload) {
            let loaded = args.reading.load(Path::new(&name), sql.as_bytes());
            cases.push(measure(
                name,
                &loaded.rules,
                workload,
                &args.mode,
                args.time,
            ));
        }
    } else {
        for file in &args.file {
            let sql = read_file(file)?;
            let loaded = args.reading.load(file, &sql);
            ui::diagnostics(&loaded.report);
            status = status.max(loaded.status);
            let name = file.display().to_string();
            cases.push(measure(
                name,
                &loaded.rules,
                args.workload,
                &args.mode,
                args.time,
            ));
        }
    }
    if args.json {
        ui::json_document(&cases.iter().map(object).collect::<Value>());
    } else {
        for case in &cases {
            show(case);
        }
        ui::line(
            "The article's own figures: 36,000 to 61,000 queries/s, 1.69 x (another machine, 32 threads, a whole \
             proxy with network).",
        );
    }
    Ok(status)
}

/// The published sets, and the same for more shards.
fn published(workload: Workload) -> Vec<(String, String, Workload)> {
    let set = |kind: &str, sql: String, workload: Workload| (kind.to_owned(), sql, workload);
    let many = Workload::new(200, 20);
    let very_many = Workload::new(2000, 2);
    vec![
        set("published list", list(200), workload),
        set("published tree", tree(100, Pairs::Split), workload),
        set("list of 200 shards", list(200), many),
        set("tree of 200 shards", tree(200, Pairs::Split), many),
        set("list of 2000 shards", list(2000), very_many),
        set("tree of 2000 shards", tree(2000, Pairs::Split), very_many),
    ]
}

fn measure(name: String, rules: &RuleSet, workload: Workload, modes: &[Mode], ms: u64) -> Case {
    let texts = workload.queries();
    let queries: Vec<Query<'_>> = texts
        .iter()
        .map(|text| Query {
            text,
            ..Query::default()
        })
        .collect();
    let mut rows: Vec<Row> = modes
        .iter()
        .map(|&mode| Row {
            mode,
            work: count(rules, mode, &queries, workload.rounds),
            nanoseconds: 0.0,
        })
        .collect();
    // The modes take turns, so that a slow moment of the machine falls on all of them.
    let mut times = vec![Vec::new(); rows.len()];
    let mut sessions: Vec<_> = rows
        .iter()
        .map(|row| (Session::new(row.mode), queries.iter().cycle()))
        .collect();
    let start = Instant::now();
    let whole = Duration::from_millis(ms) * u32::try_from(rows.len()).unwrap_or(1);
    loop {
        for ((session, queries), times) in sessions.iter_mut().zip(&mut times) {
            times.push(timed(rules, session, queries, SLICE));
        }
        if start.elapsed() >= whole {
            break;
        }
    }
    for (row, times) in rows.iter_mut().zip(&mut times) {
        times.sort_by(f64::total_cmp);
        row.nanoseconds = times.get(times.len() / 4).copied().unwrap_or(0.0);
    }
    Case {
        name,
        rules: rules.len(),
        workload,
        rows,
    }
}

fn count(rules: &RuleSet, mode: Mode, queries: &[Query<'_>], rounds: u32) -> Work {
    let mut session = Session::new(mode);
    let mut sum = Work::default();
    for _ in 0..rounds {
        for query in queries {
            sum += rules.eval(&mut session, query).work;
        }
    }
    sum
}

/// Queries between two looks at the clock.
const BATCH: usize = 64;

/// Nanoseconds of a query; goes on with the queries where the last measurement ended.
fn timed<'q>(
    rules: &RuleSet,
    session: &mut Session,
    queries: &mut impl Iterator<Item = &'q Query<'q>>,
    slice: Duration,
) -> f64 {
    let mut asked = 0u64;
    let start = Instant::now();
    loop {
        let before = asked;
        for query in queries.by_ref().take(BATCH) {
            std::hint::black_box(&rules.eval(session, std::hint::black_box(query)));
            asked += 1;
        }
        let passed = start.elapsed();
        if passed >= slice || asked == before {
            return passed.as_nanos() as f64 / asked.max(1) as f64;
        }
    }
}

fn object(case: &Case) -> Value {
    let list = base(case);
    json!({
        "name": case.name,
        "rules": case.rules,
        "queries": u64::from(case.workload.shards) * u64::from(case.workload.rounds),
        "modes": case.rows.iter().map(|row| json!({
            "mode": row.mode.name(),
            "walked": row.work.walked,
            "tested": row.work.tested,
            "automaton_runs": row.work.automaton_runs,
            "ns_per_query": row.nanoseconds,
            "queries_per_second": 1e9 / row.nanoseconds,
            "ratio": list / row.nanoseconds,
        })).collect::<Vec<_>>(),
    })
}

/// What the others are compared with: the list, or else the first mode.
fn base(case: &Case) -> f64 {
    case.rows
        .iter()
        .find(|row| row.mode == Mode::List)
        .or(case.rows.first())
        .map_or(0.0, |row| row.nanoseconds)
}

fn show(case: &Case) {
    let queries = u64::from(case.workload.shards) * u64::from(case.workload.rounds);
    let rules = query::counted(case.rules as u64, "rule", "rules");
    let queries = query::counted(queries, "query", "queries");
    let title = format!("{}: {rules}, {queries}", case.name);
    ui::line(&ui::paint(Style::Bold, &title));
    let head = [
        "",
        "walked",
        "tested",
        "runs",
        "ns/query",
        "queries/s",
        "ratio",
    ];
    let mut table = vec![head.map(str::to_owned).to_vec()];
    let list = base(case);
    for row in &case.rows {
        table.push(vec![
            row.mode.name().to_owned(),
            row.work.walked.to_string(),
            row.work.tested.to_string(),
            row.work.automaton_runs.to_string(),
            format!("{:.1}", row.nanoseconds),
            format!("{:.0}", 1e9 / row.nanoseconds),
            format!("{:.1} x", list / row.nanoseconds),
        ]);
    }
    ui::print(ui::table(&table, &[1, 2, 3, 4, 5, 6]).as_bytes());
    ui::line("");
}
