//! `strowger bench --suite`: the table of all workloads, as text, JSON or Markdown.

use std::process::Command;

use serde_json::{Value, json};

use crate::measure::machine::{Machine, commit, rustc};
use crate::measure::suite::{self, Alone, Baseline, Figure, Options, Row, Unit};

use super::super::{exit, ui};
use super::report::count;
use super::{BenchArgs, QUICK_RUNS, RUNS, queries};
use ui::Style;

pub(super) fn run(args: &BenchArgs) -> i32 {
    let next = |what: &str| {
        if ui::err_is_terminal() {
            ui::message(what);
        }
    };
    let usual = if args.quick { QUICK_RUNS } else { RUNS };
    let options = Options {
        rounds: args.runs.unwrap_or(usual),
        quick: args.quick,
        asterisk: args.asterisk.clone(),
        alone: &alone,
        next: &next,
    };
    let mut rows = match suite::run(&options) {
        Ok(rows) => rows,
        Err(error) => {
            ui::message(&error);
            return exit::UNREADABLE;
        }
    };
    rows.extend(queries::rows(&options));
    if args.json {
        ui::json_document(&document(&rows, &options));
    } else if args.markdown {
        ui::print(page(&rows, &options).as_bytes());
    } else {
        ui::print(text(&rows, &options).as_bytes());
    }
    exit::FINE
}

/// Measures one thing in this process, for the suite in another.
pub(super) fn run_alone(argument: &str) -> i32 {
    match Alone::from_argument(argument).map(|alone| alone.measure()) {
        Some(Ok(answer)) => {
            ui::json_line(&answer);
            exit::FINE
        }
        Some(Err(error)) => {
            ui::message(&error);
            exit::UNREADABLE
        }
        None => ui::usage("--alone takes load:FILE or waiting:CALLS"),
    }
}

fn alone(what: &Alone) -> Result<Value, String> {
    let text = |error: &dyn std::fmt::Display| error.to_string();
    let this = std::env::current_exe().map_err(|e| text(&e))?;
    let output = Command::new(this)
        .args(["bench", "--alone", &what.argument()])
        .output()
        .map_err(|e| text(&e))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).trim().to_owned());
    }
    serde_json::from_slice(&output.stdout).map_err(|e| text(&e))
}

fn figure(figure: &Result<Figure, String>) -> Value {
    match figure {
        Ok(figure) => json!({
            "median": figure.median(),
            "spread": figure.spread(),
            "rounds": figure.rounds,
        }),
        Err(reason) => json!({ "missing": reason }),
    }
}

fn document(rows: &[Row], options: &Options<'_>) -> Value {
    let rows: Vec<Value> = rows
        .iter()
        .map(|row| {
            let baselines: Vec<Value> = row
                .baselines
                .iter()
                .map(|baseline| {
                    json!({
                        "name": baseline.name,
                        "figure": figure(&baseline.figure),
                        "ratio": row.ratio(baseline),
                        "goal": baseline.goal,
                        "met": met(row, baseline),
                    })
                })
                .collect();
            json!({
                "workload": row.workload,
                "unit": row.unit.name(),
                "ours": figure(&row.ours),
                "goal": row.goal,
                "met": row.met(),
                "baselines": baselines,
            })
        })
        .collect();
    let machine = Machine::this();
    json!({
        "rows": rows,
        "rounds": options.rounds,
        "quick": options.quick,
        "machine": {"cpu": machine.cpu, "cores": machine.cores},
        "rustc": rustc(),
        "commit": commit(),
    })
}

/// Whether a ratio is what it should be.
fn met(row: &Row, baseline: &Baseline) -> Option<bool> {
    Some(row.ratio(baseline)? >= baseline.goal?)
}

/// A figure to three or four digits, in the largest unit of which there is one.
fn written(unit: Unit, value: f64) -> String {
    let scales: &[(f64, &str)] = match unit {
        Unit::PerSecond => &[(1e9, "G/s"), (1e6, "M/s"), (1e3, "k/s"), (1.0, "/s")],
        Unit::Nanoseconds => &[(1e6, "ms"), (1e3, "µs"), (1.0, "ns")],
        Unit::Seconds => &[(1.0, "s"), (1e-3, "ms")],
        Unit::Bytes => return format!("{} B", count(value)),
        Unit::Times => &[(1.0, "×")],
    };
    let scale = scales.iter().find(|(least, _)| value >= *least);
    let &(least, name) = scale.or(scales.last()).unwrap_or(&(1.0, ""));
    let value = value / least;
    let decimals = match value {
        v if v >= 100.0 => 0,
        v if v >= 10.0 => 1,
        _ => 2,
    };
    format!("{value:.decimals$} {name}")
}

fn ratio(value: f64) -> String {
    match value {
        v if v >= 100.0 => count(v),
        v if v >= 10.0 => format!("{v:.1}"),
        v if v >= 0.1 => format!("{v:.2}"),
        v => format!("{v:.4}"),
    }
}

const TITLES: [&str; 5] = ["workload / beside", "median", "spread", "ratio", "goal"];

/// The cells of the table: a line for each workload, one for each of its baselines below.
fn cells(rows: &[Row]) -> Vec<(bool, [String; 5])> {
    let median = |unit, figure: &Result<Figure, String>| match figure {
        Ok(figure) => (
            written(unit, figure.median()),
            format!("{:.1} %", figure.spread() * 100.0),
        ),
        Err(reason) => (reason.clone(), String::new()),
    };
    let goal = |text: Option<String>, met: Option<bool>| match (text, met) {
        (Some(text), Some(true)) => format!("{text}: met"),
        (Some(text), Some(false)) => format!("{text}: missed"),
        (Some(text), None) => text,
        (None, _) => String::new(),
    };
    let mut cells = Vec::new();
    for row in rows {
        let (ours, spread) = median(row.unit, &row.ours);
        let sign = if row.unit.more_is_better() {
            "≥"
        } else {
            "≤"
        };
        let wanted = row
            .goal
            .map(|goal| format!("{sign} {}", written(row.unit, goal)));
        cells.push((
            true,
            [
                row.workload.clone(),
                ours,
                spread,
                String::new(),
                goal(wanted, row.met()),
            ],
        ));
        for baseline in &row.baselines {
            let (figure, spread) = median(row.unit, &baseline.figure);
            let wanted = baseline.goal.map(|goal| format!("≥ {}", ratio(goal)));
            cells.push((
                false,
                [
                    baseline.name.clone(),
                    figure,
                    spread,
                    row.ratio(baseline).map(ratio).unwrap_or_default(),
                    goal(wanted, met(row, baseline)),
                ],
            ));
        }
    }
    cells
}

fn built(options: &Options<'_>) -> String {
    let machine = Machine::this();
    format!(
        "{}, {} cores; {}; commit {}; medians of {} rounds{}",
        machine.cpu,
        machine.cores,
        rustc(),
        commit().unwrap_or("unknown"),
        options.rounds,
        if options.quick {
            " with a tenth of the work"
        } else {
            ""
        }
    )
}

fn text(rows: &[Row], options: &Options<'_>) -> String {
    let mut table = vec![TITLES.map(str::to_owned).to_vec()];
    for (ours, mut row) in cells(rows) {
        if !ours && let [name, ..] = &mut row {
            *name = format!("  {name}");
        }
        table.push(row.to_vec());
    }
    let mut out = String::new();
    for (n, line) in ui::table(&table, &[1, 2, 3]).lines().enumerate() {
        if n == 0 || !line.starts_with(' ') {
            out.push_str(&ui::paint(Style::Bold, line));
        } else {
            out.push_str(line);
        }
        out.push('\n');
    }
    out.push_str(&format!("\n{}\n{NOTE}\n", built(options)));
    out
}

const NOTE: &str = "Spread: fastest to slowest round, as a part of the median. Ratio: how many times better ours is.";

fn page(rows: &[Row], options: &Options<'_>) -> String {
    let cell = |text: &str| text.replace('|', "\\|");
    let mut out = format!(
        "# Performance\n\nWritten by `{}`; not by hand. {}.\n\n{NOTE}\nAll times are wall-clock times of one run, in \
         which ours and the baselines of a workload take turns.\n\n",
        command(options),
        built(options)
    );
    out.push_str(&format!(
        "| {} |\n|---|--:|--:|--:|---|\n",
        TITLES.join(" | ")
    ));
    for (ours, [name, rest @ ..]) in cells(rows) {
        let name = if ours {
            format!("**{}**", cell(&name))
        } else {
            format!("· {}", cell(&name))
        };
        let rest = rest.map(|text| cell(&text)).join(" | ");
        out.push_str(&format!("| {name} | {rest} |\n"));
    }
    out
}

fn command(options: &Options<'_>) -> String {
    let mut command = String::from("cargo run --release -- bench --suite --markdown");
    if options.quick {
        command.push_str(" --quick");
    }
    if options.asterisk.is_some() {
        command.push_str(" --asterisk PATH");
    }
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_short() {
        assert_eq!(written(Unit::PerSecond, 480_123_456.0), "480 M/s");
        assert_eq!(written(Unit::PerSecond, 540_000.0), "540 k/s");
        assert_eq!(written(Unit::PerSecond, 1_234_567_890.0), "1.23 G/s");
        assert_eq!(written(Unit::PerSecond, 54.0), "54.0 /s");
        assert_eq!(written(Unit::PerSecond, 0.0), "0.00 /s");
        assert_eq!(written(Unit::Nanoseconds, 20.0), "20.0 ns");
        assert_eq!(written(Unit::Nanoseconds, 1_250_000.0), "1.25 ms");
        assert_eq!(written(Unit::Seconds, 0.0123), "12.3 ms");
        assert_eq!(written(Unit::Seconds, 0.3), "300 ms");
        assert_eq!(written(Unit::Bytes, 1073.7), "1,074 B");
        assert_eq!(ratio(1234.5), "1,234");
        assert_eq!(ratio(0.00123), "0.0012");
    }

    #[test]
    fn what_is_missing_is_said() {
        let row = Row {
            workload: "a | b".into(),
            unit: Unit::Nanoseconds,
            ours: Ok(Figure { rounds: vec![10.0] }),
            goal: Some(20.0),
            baselines: vec![Baseline {
                name: "lua5.4".into(),
                figure: Err("not installed".into()),
                goal: Some(2.0),
            }],
        };
        let [(true, ours), (false, other)] = <[_; 2]>::try_from(cells(&[row])).unwrap() else {
            panic!("a workload and a baseline");
        };
        assert_eq!(ours, ["a | b", "10.0 ns", "0.0 %", "", "≤ 20.0 ns: met"]);
        assert_eq!(other, ["lua5.4", "not installed", "", "", "≥ 2.00"]);
    }
}
