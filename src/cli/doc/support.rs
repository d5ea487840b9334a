//! The table of what is supported, as a page.

use std::fmt;

use crate::library::{Origin, Support};

use super::Page;

/// How many names have which support.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    full: usize,
    simulated: usize,
    partial: usize,
    refused: usize,
}

impl Counts {
    pub(super) fn of(pages: &[Page<'_>]) -> Self {
        let mut counts = Self::default();
        for page in pages {
            match page.support {
                Support::Full => counts.full += 1,
                Support::Simulated => counts.simulated += 1,
                Support::Partial(_) => counts.partial += 1,
                Support::Refused(_) => counts.refused += 1,
            }
        }
        counts
    }

    fn all(&self) -> usize {
        self.full + self.simulated + self.partial + self.refused
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} (full {}, simulated {}, partial {}, refused {})",
            self.all(),
            self.full,
            self.simulated,
            self.partial,
            self.refused
        )
    }
}

const HEAD: &str = "\
# Applications and functions

This page is printed by `strowger doc --status --markdown > docs/support.md`; a test compares it with the program.
`strowger doc NAME` tells more of each.

* **full**: works as in Asterisk, as far as a dialplan can see.
* **simulated**: arguments, variables and continuation are Asterisk's; the host does the rest. The command line is a host
  without media and devices: what it answers comes from its arguments.
* **partial**: works, except for what is named.
* **refused**: known, does nothing, and says so in the log; why is named.

| | full | simulated | partial | refused | all |
|---|---|---|---|---|---|
";

/// The page in Markdown.
pub(super) fn page(applications: &[Page<'_>], functions: &[Page<'_>]) -> String {
    let mut page = HEAD.to_owned();
    let both = [("Applications", applications), ("Functions", functions)];
    for (title, pages) in both {
        let counts = Counts::of(pages);
        page.push_str(&format!(
            "| {title} | {} | {} | {} | {} | {} |\n",
            counts.full,
            counts.simulated,
            counts.partial,
            counts.refused,
            counts.all()
        ));
    }
    for (title, pages) in both {
        page.push_str(&format!(
            "\n## {title}\n\n| name | support | what it does | note |\n|---|---|---|---|\n"
        ));
        for entry in pages {
            let note = match (entry.origin, entry.support.note()) {
                (Origin::Asterisk, note) => note.to_owned(),
                (Origin::Strowger, "") => "not in Asterisk".to_owned(),
                (Origin::Strowger, note) => format!("not in Asterisk; {note}"),
            };
            page.push_str(&format!(
                "| {} | {} | {} | {} |\n",
                entry.name,
                entry.support.name(),
                cell(entry.synopsis.trim_end_matches('.')),
                cell(&note)
            ));
        }
    }
    page
}

/// A text as it may stand in a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}
