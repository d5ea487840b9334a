//! What is known to differ, and why.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::ExitCode;

use super::{Area, Verdict};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/ratchet.txt");

const HEAD: &str = "\
# Cases of the corpora that are known to differ: `ID reason`, or `log ID reason` where only the log does.
# A listed case that passes is an error, and so is one that differs without being listed.
# STROWGER_RATCHET=write cargo test --test corpus writes this file anew and keeps the reasons.
";

/// How many differences a failing test shows.
const SHOWN: usize = 10;

/// Keys and reasons.
pub(crate) struct Ratchet(BTreeMap<String, String>);

impl Ratchet {
    pub(crate) fn read() -> Self {
        let text = std::fs::read_to_string(FILE).unwrap_or_default();
        let mut known = BTreeMap::new();
        for line in text.lines() {
            if line.starts_with('#') || line.trim().is_empty() {
                continue;
            }
            let (log, rest) = match line.strip_prefix("log ") {
                Some(rest) => ("log ", rest),
                None => ("", line),
            };
            let (id, reason) = rest.split_once(' ').unwrap_or((rest, ""));
            known.insert(format!("{log}{id}"), reason.to_owned());
        }
        Self(known)
    }

    /// Whether what differs is what is listed.
    pub(crate) fn judge(&self, verdicts: &[Verdict]) -> Result<(), String> {
        let mut wrong = Vec::new();
        for verdict in verdicts {
            match (&verdict.difference, self.0.get(&verdict.key)) {
                (Some(difference), None) => {
                    wrong.push(format!("{}\n    {difference}", verdict.key));
                }
                (None, Some(_)) => wrong.push(format!(
                    "{} passes, but is listed in tests/data/ratchet.txt",
                    verdict.key
                )),
                _ => {}
            }
        }
        if wrong.is_empty() {
            return Ok(());
        }
        let mut text = format!(
            "{} of {} differ from what is known\n",
            wrong.len(),
            verdicts.len()
        );
        for difference in wrong.iter().take(SHOWN) {
            let _ = writeln!(text, "  {difference}");
        }
        Err(text)
    }

    /// Whether all that is listed exists and has a reason.
    pub(crate) fn without_strangers(&self, known: &[String]) -> Result<(), String> {
        let known: std::collections::BTreeSet<&str> = known.iter().map(String::as_str).collect();
        for (key, reason) in &self.0 {
            let id = key.strip_prefix("log ").unwrap_or(key);
            if !known.contains(id) {
                return Err(format!(
                    "tests/data/ratchet.txt names {id}, which no corpus has"
                ));
            }
            if reason.is_empty() {
                return Err(format!("tests/data/ratchet.txt gives no reason for {key}"));
            }
        }
        Ok(())
    }
}

/// Writes down all that differs now.
pub(crate) fn write(areas: &[Area]) -> ExitCode {
    let before = Ratchet::read();
    let mut text = HEAD.to_owned();
    let (mut all, mut different) = (0, 0);
    let mut totals: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for area in areas {
        let verdicts = (area.judge)(&area.cases);
        let corpus = area.name.split("::").next().unwrap_or_default();
        let total = totals.entry(corpus).or_default();
        for verdict in &verdicts {
            all += 1;
            let log = verdict.key.starts_with("log ");
            if !log {
                total.1 += 1;
            }
            if let Some(difference) = &verdict.difference {
                different += 1;
                let reason = before
                    .0
                    .get(&verdict.key)
                    .map_or_else(|| guess(&area.name), String::as_str);
                let _ = writeln!(text, "{} {reason}", verdict.key);
                eprintln!("{}\n    {difference}", verdict.key);
            } else if !log {
                total.0 += 1;
            }
        }
    }
    for (corpus, (good, all)) in &totals {
        eprintln!("{corpus}: {good} of {all}");
    }
    eprintln!("{different} of {all} answers and logs differ");
    match std::fs::write(FILE, text) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn guess(area: &str) -> &'static str {
    match area.split("::").next() {
        Some("func") => "function of a later stage",
        Some("exec" | "reports") => "application of a later stage",
        _ => "not understood yet",
    }
}
