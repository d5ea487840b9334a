//! `strowger doc [NAME]`.

mod support;

use clap::Args;
use serde_json::{Value, json};

use crate::library::{Application, Example, Function, Origin, Registry, Support};
use crate::standard_registry;

use super::ui::Style;
use super::{exit, ui};

/// Prints what an application or function does; without NAME, a list of all.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  strowger doc Goto
  strowger doc CUT
  strowger doc --status --json
  strowger doc --status --markdown > docs/support.md")]
pub(crate) struct DocArgs {
    /// An application (in any case) or a function (in capitals).
    name: Option<String>,
    /// Print the table of what is supported and how far.
    #[arg(long)]
    status: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// Print the table of what is supported as a page in Markdown.
    #[arg(long, requires = "status", conflicts_with_all = ["json", "name"])]
    markdown: bool,
}

/// What applications and functions have in common here.
struct Page<'a> {
    kind: &'static str,
    name: &'a str,
    synopsis: &'a str,
    syntax: &'a str,
    doc: &'a str,
    support: Support,
    origin: Origin,
    examples: &'a [Example],
}

impl<'a> Page<'a> {
    fn application(a: &'a Application) -> Self {
        Self {
            kind: "application",
            name: &a.name,
            synopsis: a.synopsis,
            syntax: a.syntax,
            doc: a.doc,
            support: a.support,
            origin: a.origin,
            examples: a.examples,
        }
    }

    fn function(f: &'a Function) -> Self {
        Self {
            kind: "function",
            name: &f.name,
            synopsis: f.synopsis,
            syntax: f.syntax,
            doc: f.doc,
            support: f.support,
            origin: f.origin,
            examples: f.examples,
        }
    }

    fn status(&self) -> Value {
        json!({
            "name": self.name,
            "support": self.support.name(),
            "origin": self.origin.name(),
            "note": self.support.note(),
        })
    }

    fn json(&self) -> Value {
        let examples: Vec<Value> = self
            .examples
            .iter()
            .map(|e| {
                json!({
                    "title": e.title,
                    "dialplan": e.dialplan,
                    "evaluate": e.evaluate,
                    "expect": e.expect,
                })
            })
            .collect();
        json!({
            "kind": self.kind,
            "name": self.name,
            "synopsis": self.synopsis,
            "syntax": self.syntax,
            "doc": self.doc,
            "support": self.support.name(),
            "origin": self.origin.name(),
            "note": self.support.note(),
            "examples": examples,
        })
    }

    fn print(&self) {
        ui::line(&format!(
            "{} ({})",
            ui::paint(Style::Bold, self.name),
            self.kind
        ));
        ui::line(&format!("  {}", self.synopsis));
        if !self.syntax.is_empty() {
            ui::line(&format!("\n  {}", ui::paint(Style::Cyan, self.syntax)));
        }
        if !self.doc.is_empty() {
            ui::line("");
            for line in wrap(self.doc, 78) {
                ui::line(&format!("  {line}"));
            }
        }
        ui::line(&format!("\n  Support: {}", self.support_text()));
        for example in self.examples {
            ui::line(&format!("\n  {}:", example.title));
            for line in example.dialplan.lines() {
                ui::line(&format!("    {line}"));
            }
            ui::line(&format!("    {}", outcome(example)));
        }
    }

    fn support_text(&self) -> String {
        let note = self.support.note();
        if note.is_empty() {
            self.support.name().to_owned()
        } else {
            format!("{}: {note}", self.support.name())
        }
    }
}

pub(crate) fn run(args: &DocArgs) -> i32 {
    let registry = standard_registry();
    let Some(name) = &args.name else {
        all(&registry, args);
        return exit::FINE;
    };
    let application = registry.application(name.as_bytes());
    let function = registry.function(name.as_bytes()).or_else(|| {
        // A name in another case is still understood here, though a dialplan must write it exactly.
        registry.function(name.to_ascii_uppercase().as_bytes())
    });
    let pages: Vec<Page<'_>> = application
        .map(|a| Page::application(a))
        .into_iter()
        .chain(function.map(|f| Page::function(f)))
        .collect();
    if pages.is_empty() {
        return ui::usage(&format!(
            "no application or function `{name}`; `strowger doc` lists all"
        ));
    }
    if args.json {
        let page = |page: &Page<'_>| {
            if args.status {
                page.status()
            } else {
                page.json()
            }
        };
        ui::json_document(&match pages.as_slice() {
            [one] => page(one),
            several => several.iter().map(page).collect(),
        });
    } else {
        for page in &pages {
            page.print();
        }
    }
    exit::FINE
}

fn all(registry: &Registry, args: &DocArgs) {
    let (applications, functions) = (registry.applications(), registry.functions());
    let applications: Vec<Page<'_>> = applications.iter().map(|a| Page::application(a)).collect();
    let functions: Vec<Page<'_>> = functions.iter().map(|f| Page::function(f)).collect();
    if args.json {
        let list = |pages: &[Page<'_>]| -> Value {
            let object = |p: &Page<'_>| if args.status { p.status() } else { p.json() };
            pages.iter().map(object).collect()
        };
        ui::json_document(&json!({
            "applications": list(&applications),
            "functions": list(&functions),
        }));
        return;
    }
    if args.markdown {
        ui::print(support::page(&applications, &functions).as_bytes());
        return;
    }
    if args.status {
        for (title, pages) in [("applications", &applications), ("functions", &functions)] {
            ui::line(&format!("{title}: {}", support::Counts::of(pages)));
        }
        ui::line("");
    }
    for (title, pages) in [("Applications", &applications), ("Functions", &functions)] {
        ui::line(&ui::paint(Style::Bold, title));
        let rows: Vec<Vec<String>> = pages
            .iter()
            .map(|p| {
                let about = if args.status {
                    p.support_text()
                } else {
                    p.synopsis.to_owned()
                };
                vec![String::new(), p.name.to_owned(), about]
            })
            .collect();
        ui::print(ui::table(&rows, &[]).as_bytes());
    }
}

/// What comes of an example. A text without substitutions is its own value if the call gets to it.
fn outcome(example: &Example) -> String {
    if example.evaluate.contains('$') {
        format!("{} is `{}`", example.evaluate, example.expect)
    } else if example.evaluate == example.expect {
        "and the call goes on".to_owned()
    } else {
        "and the call does not go on".to_owned()
    }
}

/// Words in lines of at most `width` characters.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in text.lines() {
        let mut line = String::new();
        for word in paragraph.split_whitespace() {
            if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > width {
                lines.push(std::mem::take(&mut line));
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        lines.push(line);
    }
    lines
}
