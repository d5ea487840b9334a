//! Standard output and error: colour, tables, progress. Nothing else in the crate prints.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};

use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use serde_json::Value;

use crate::diagnostic::Report;

use super::args::Color;
use super::exit;

/// Whether standard output and standard error are coloured.
static OUT: AtomicBool = AtomicBool::new(false);
static ERR: AtomicBool = AtomicBool::new(false);

/// Decides about colour, once.
pub(crate) fn set_color(color: Color) {
    let choice = match color {
        Color::Auto => anstream::ColorChoice::Auto,
        Color::Always => anstream::ColorChoice::Always,
        Color::Never => anstream::ColorChoice::Never,
    };
    choice.write_global();
    let wanted = |choice| choice != anstream::ColorChoice::Never;
    OUT.store(
        wanted(anstream::AutoStream::choice(&io::stdout())),
        Ordering::Relaxed,
    );
    ERR.store(
        wanted(anstream::AutoStream::choice(&io::stderr())),
        Ordering::Relaxed,
    );
}

/// Whether standard error shows colour.
pub(crate) fn err_is_colored() -> bool {
    ERR.load(Ordering::Relaxed)
}

/// Whether somebody looks at standard error.
pub(crate) fn err_is_terminal() -> bool {
    io::stderr().is_terminal()
}

/// A style of text on standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    Bold,
    Green,
    Yellow,
    Red,
    Cyan,
}

/// The text in a style, where standard output is coloured.
pub(crate) fn paint(style: Style, text: &str) -> String {
    styled(style, text, OUT.load(Ordering::Relaxed))
}

/// The text in a style, where standard error is coloured.
pub(crate) fn paint_err(style: Style, text: &str) -> String {
    styled(style, text, err_is_colored())
}

fn styled(style: Style, text: &str, on: bool) -> String {
    if !on {
        return text.to_owned();
    }
    let code = match style {
        Style::Bold => "1",
        Style::Green => "32",
        Style::Yellow => "33",
        Style::Red => "31",
        Style::Cyan => "36",
    };
    format!("\x1b[{code}m{text}\x1b[0m")
}

/// Writes results to standard output and flushes. A reader that went away ends the process in peace.
pub(crate) fn print(bytes: &[u8]) {
    let mut out = io::stdout().lock();
    let written = out.write_all(bytes).and_then(|()| out.flush());
    drop(out);
    ended_well(written);
}

/// A reader that went away ends the process in peace, what cannot be written with a message.
fn ended_well(written: io::Result<()>) {
    if let Err(error) = written {
        let status = if error.kind() == io::ErrorKind::BrokenPipe {
            exit::FINE
        } else {
            message(&format!("standard output: {error}"));
            exit::UNREADABLE
        };
        std::process::exit(super::store::keep(None, status));
    }
}

/// Writes a large JSON document as it is made.
pub(crate) fn stream_document(value: &impl Serialize) {
    stream(|out| serde_json::to_writer_pretty(out, value));
}

/// Writes a large JSON value as one line, as it is made.
pub(crate) fn stream_line(value: &impl Serialize) {
    stream(|out| serde_json::to_writer(out, value));
}

fn stream(write: impl FnOnce(&mut dyn io::Write) -> serde_json::Result<()>) {
    let mut out = io::BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let written = write(&mut out)
        .map_err(io::Error::from)
        .and_then(|()| out.write_all(b"\n"))
        .and_then(|()| out.flush());
    if written.is_err() {
        // What is left in the buffer cannot be written either.
        let _ = out.into_parts();
    } else {
        drop(out);
    }
    ended_well(written);
}

/// Writes a line to standard output.
pub(crate) fn line(text: &str) {
    print(format!("{text}\n").as_bytes());
}

/// Writes a JSON value as one line.
pub(crate) fn json_line(value: &Value) {
    line(&value.to_string());
}

/// Writes a JSON document.
pub(crate) fn json_document(value: &Value) {
    line(&format!("{value:#}"));
}

/// Writes a message to standard error. Nobody there to read it is no error.
pub(crate) fn message(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Says on standard error what a command cannot do with what it was given.
pub(crate) fn usage(text: &str) -> i32 {
    message(&format!("{} {text}", paint_err(Style::Red, "error:")));
    exit::USAGE
}

/// The diagnostics of a load on standard error, as `file:line:column: CODE: text`.
pub(crate) fn diagnostics(report: &Report) {
    let mut text = String::new();
    for diagnostic in report.diagnostics() {
        text.push_str(&report.line(diagnostic));
        text.push('\n');
    }
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Rows in columns that fit; `right` names the columns that are set to the right.
pub(crate) fn table(rows: &[Vec<String>], right: &[usize]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns)
        .map(|n| {
            rows.iter()
                .filter_map(|row| row.get(n))
                .map(|cell| cell.chars().count())
                .max()
                .unwrap_or(0)
        })
        .collect();
    let mut out = String::new();
    for row in rows {
        let mut written = String::new();
        for (n, (cell, width)) in row.iter().zip(&widths).enumerate() {
            let gap = " ".repeat(width.saturating_sub(cell.chars().count()));
            let (before, after) = if right.contains(&n) {
                (gap.as_str(), "")
            } else {
                ("", gap.as_str())
            };
            written.push_str(before);
            written.push_str(cell);
            written.push_str(after);
            written.push_str("  ");
        }
        out.push_str(written.trim_end());
        out.push('\n');
    }
    out
}

/// A progress bar on standard error, shown on a terminal only.
pub(crate) fn progress(steps: u64, what: &'static str) -> ProgressBar {
    if !err_is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(steps).with_message(what);
    if let Ok(style) = ProgressStyle::with_template("{msg} [{bar:30}] {pos}/{len} {eta}") {
        bar.set_style(style.progress_chars("=> "));
    }
    bar
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_fit() {
        let rows = [
            vec!["a".to_owned(), "10".to_owned()],
            vec!["long".to_owned(), "9".to_owned()],
        ];
        assert_eq!(table(&rows, &[1]), "a     10\nlong   9\n");
    }
}
