//! A call as Asterisk's verbose log shows it.

use crate::base::Text;
use crate::diagnostic::Level;
use crate::host::simulate::{Occurrence, What};
use crate::machine::Note;

use super::json::shown;
use crate::cli::ui::{self, Style};

/// Shows one thing that happened.
pub(super) fn show(occurrence: &Occurrence) {
    let channel = &Text::from(shown(&occurrence.channel).as_ref());
    match &occurrence.what {
        What::Priority {
            at,
            application,
            data,
        } => {
            let mut line = Vec::new();
            line.extend_from_slice(b"    -- Executing [");
            line.extend_from_slice(&at.exten);
            line.push(b'@');
            line.extend_from_slice(&at.context);
            line.extend_from_slice(format!(":{}] ", at.priority).as_bytes());
            let name = ui::paint(Style::Cyan, &application.to_string());
            line.extend_from_slice(name.as_bytes());
            for (before, text, after) in [
                ("(\"", channel, "\""),
                (", \"", &Text::from(shown(data).as_ref()), "\")\n"),
            ] {
                line.extend_from_slice(before.as_bytes());
                line.extend_from_slice(text);
                line.extend_from_slice(after.as_bytes());
            }
            ui::print(&line);
        }
        What::Verbose(level, text) => {
            let before = match level {
                0 => "",
                1 => "  == ",
                2 => "  -- ",
                3 => "    -- ",
                _ => "       > ",
            };
            ui::print(&[before.as_bytes(), &shown(text), b"\n"].concat());
        }
        What::Log(entry) => {
            let (level, style) = match entry.level {
                Level::Notice => ("NOTICE", Style::Green),
                Level::Warning => ("WARNING", Style::Yellow),
                Level::Error => ("ERROR", Style::Red),
            };
            let level = ui::paint_err(style, level);
            ui::message(&format!(
                "{level} {}: {}: {}",
                entry.code.id, channel, entry.message
            ));
        }
        What::Note(note) => ui::line(&note_line(channel, note)),
    }
}

fn note_line(channel: &Text, note: &Note) -> String {
    match note {
        Note::AutoFallthrough { status } => {
            format!("  == Auto fallthrough, channel '{channel}' status is '{status}'")
        }
        Note::InvalidExtension { at } => format!(
            "    -- Channel '{channel}' sent to invalid extension: context,exten,priority={},{},{}",
            at.context, at.exten, at.priority
        ),
        Note::Timeout => format!("    -- Timeout on {channel}"),
        Note::SpawnExit { at } => format!(
            "  == Spawn extension ({}, {}, {}) exited non-zero on '{channel}'",
            at.context, at.exten, at.priority
        ),
        Note::Limit { text } => format!("  == Limit: {text} on '{channel}'"),
    }
}
