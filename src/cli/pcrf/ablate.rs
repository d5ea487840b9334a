//! `strowger pcrf ablate`.

use clap::Args;
use serde_json::{Value, json};

use super::bench::{Load, Own, told};
use crate::cli::{exit, ui};
use crate::pcrf::load::ablation::{ARTICLE, Ablation, Line, Maximum, Row, rows};

/// Measures what each of the seven optimisations is worth: the same load with some of them off.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  strowger pcrf ablate --quick
  strowger pcrf ablate --durability relaxed --markdown > docs/pcrf-ablation.md
  strowger pcrf ablate --quick --rows 'all off,all on' --json

Each row has a server of its own, of the same program. The answers are the same in all rows.
Exit codes: 0 all requests were answered with 2001; 1 some were not; 2 wrong usage; 3 the server cannot be reached.")]
pub(super) struct AblateArgs {
    #[command(flatten)]
    load: Load,
    /// What is counted in each run.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=3600))]
    seconds: u32,
    /// What is not counted, at the beginning of each run: two seconds at least, until when no sessions end.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(2..=600))]
    warm_up: u32,
    /// Runs for each row; their median is shown.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=100))]
    runs: u32,
    /// One run of 3 s after 3 s for each row, and the highest rate only as what comes back without a pause.
    #[arg(long)]
    quick: bool,
    /// Do not look for the highest rate.
    #[arg(long)]
    no_maximum: bool,
    /// Only these rows.
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    rows: Vec<String>,
    /// The log of the server: with `warning` the seventh optimisation has nothing to do.
    #[arg(long, value_parser = ["warning", "info"], default_value = "info")]
    log: String,
    #[command(flatten)]
    own: Own,
    /// Print JSON.
    #[arg(long, conflicts_with = "markdown")]
    json: bool,
    /// Print a page of Markdown.
    #[arg(long)]
    markdown: bool,
}

pub(super) fn run(args: &AblateArgs) -> Result<i32, i32> {
    let wanted = wanted(&args.rows)?;
    let (start, pinned) = args.own.start(&args.load, &[], &args.log)?;
    let (warm_up, seconds, runs) = if args.quick {
        (3, 3, 1)
    } else {
        (args.warm_up, args.seconds, args.runs)
    };
    let ablation = Ablation {
        start,
        bench: args.load.bench(warm_up, seconds),
        runs,
        maximum: match (args.no_maximum, args.quick) {
            (true, _) => Maximum::Skipped,
            (false, true) => Maximum::Saturated,
            (false, false) => Maximum::Raised,
        },
    };
    let bar = ui::progress(wanted.len() as u64, "rows");
    let mut lines: Vec<Line> = Vec::new();
    for row in &wanted {
        // The same switches under another name are measured once.
        let line = match lines.iter().find(|line| line.row.on == row.on) {
            Some(same) => Line {
                row: row.clone(),
                ..same.clone()
            },
            None => ablation.measure(row).map_err(told)?,
        };
        lines.push(line);
        bar.inc(1);
    }
    bar.finish_and_clear();
    let server = format!("own, durability {}, log {}", args.own.promise(), args.log);
    let table = Table {
        title: super::bench::title(&args.load, &server, pinned),
        rate: ablation.bench.rate,
        course: format!("{runs} × {seconds} s after {warm_up} s"),
        maximum: ablation.maximum,
        lines,
    };
    if args.json {
        ui::json_document(&table.json());
    } else if args.markdown {
        ui::print(table.markdown().as_bytes());
    } else {
        ui::print(table.text().as_bytes());
    }
    let failed = table.lines.iter().any(|line| line.failures() > 0);
    Ok(if failed { exit::FINDINGS } else { exit::FINE })
}

fn wanted(names: &[String]) -> Result<Vec<Row>, i32> {
    let all = rows();
    if names.is_empty() {
        return Ok(all);
    }
    let find = |name: &String| {
        let row = all.iter().find(|row| row.name == name.trim()).cloned();
        row.ok_or_else(|| {
            let known: Vec<&str> = all.iter().map(|row| row.name.as_str()).collect();
            ui::usage(&format!("no row `{name}`: {}", known.join(", ")))
        })
    };
    names.iter().map(find).collect()
}

/// The lines and how they were measured.
struct Table {
    title: String,
    rate: u32,
    course: String,
    maximum: Maximum,
    lines: Vec<Line>,
}

impl Table {
    fn head(&self) -> Vec<String> {
        let maximum = match self.maximum {
            Maximum::Raised => "max TPS",
            Maximum::Saturated | Maximum::Skipped => "TPS without pause",
        };
        [
            "on",
            &format!("CPU % at {}", self.rate),
            "least–most",
            "to all off",
            "article",
            maximum,
            "p99 ms",
            "commits/req",
            "lock µs/req",
            "reads/req",
            "runs/req",
            "AVPs/req",
            "bytes copied/req",
            "stamps/s",
            "failed",
        ]
        .map(str::to_owned)
        .to_vec()
    }

    fn rows(&self) -> Vec<Vec<String>> {
        let naive = self
            .lines
            .iter()
            .find(|line| line.row.on == [false; 7])
            .and_then(Line::cpu);
        let dash = || "–".to_owned();
        let row = |line: &Line| {
            let cpu = line.cpu();
            let ratio = cpu
                .zip(naive)
                .map(|((own, ..), (naive, ..))| own / naive.max(1e-9));
            let p99 = line.middle(|figures| Some(figures.milliseconds(0.99)));
            vec![
                line.row.name.clone(),
                cpu.map_or_else(dash, |(median, ..)| format!("{median:.1}")),
                cpu.map_or_else(dash, |(_, least, most)| format!("{least:.1}–{most:.1}")),
                ratio.map_or_else(dash, |ratio| format!("{ratio:.2}")),
                line.row
                    .article()
                    .map_or_else(dash, |ratio| format!("{ratio:.2}")),
                line.maximum.map_or_else(dash, |rate| format!("{rate:.0}")),
                p99.map_or_else(dash, |p99| format!("{p99:.2}")),
                format!("{:.3}", line.commits()),
                format!("{:.3}", line.per_request("lock-wait-ns") / 1e3),
                format!("{:.2}", line.per_request("store-reads")),
                format!("{:.2}", line.per_request("dialplan-runs")),
                format!("{:.1}", line.per_request("avps-decoded")),
                format!("{:.0}", line.per_request("bytes-copied")),
                format!("{:.0}", line.per_second("time-stamps")),
                line.failures().to_string(),
            ]
        };
        self.lines.iter().map(row).collect()
    }

    fn notes(&self) -> Vec<String> {
        let [_, some, _] = ARTICLE;
        let maximum = match self.maximum {
            Maximum::Raised => {
                "max TPS: the rate is raised by 10 % until p99 is above 50 ms or 1 % is sent late"
            }
            _ => {
                "TPS without pause: what comes back to a client that sends as soon as its window allows"
            }
        };
        vec![
            self.title.clone(),
            format!(
                "{} requests/s: CCR-I, CCR-U after 1 s, CCR-T after 2 s; {}; CPU of one core of the server's process, \
                 median of the runs; {maximum}",
                self.rate, self.course
            ),
            format!(
                "article: load in relation to its version without the seven (80, 35, 27 %: 1, {some}, 0.34), on another \
                 machine with another store and load"
            ),
        ]
    }

    fn text(&self) -> String {
        let mut rows = vec![self.head()];
        rows.extend(self.rows());
        let right: Vec<usize> = (1..self.head().len()).collect();
        format!("{}\n{}", self.notes().join("\n"), ui::table(&rows, &right))
    }

    fn markdown(&self) -> String {
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let mut page = String::from(
            "# What the seven optimisations are worth\n\nMade by `strowger pcrf ablate --markdown`.\n\n",
        );
        for note in self.notes() {
            page.push_str(&format!("- {note}\n"));
        }
        page.push('\n');
        page.push_str(&line(&self.head()));
        let marks: Vec<String> = self
            .head()
            .iter()
            .enumerate()
            .map(|(at, _)| if at == 0 { "---" } else { "---:" }.to_owned())
            .collect();
        page.push_str(&line(&marks));
        for row in self.rows() {
            page.push_str(&line(&row));
        }
        page
    }

    fn json(&self) -> Value {
        json!({
            "title": self.title, "rate": self.rate, "course": self.course,
            "maximum": match self.maximum {
                Maximum::Skipped => "skipped",
                Maximum::Saturated => "saturated",
                Maximum::Raised => "raised",
            },
            "article": ARTICLE,
            "rows": self.lines.iter().map(Line::json).collect::<Vec<_>>(),
        })
    }
}
