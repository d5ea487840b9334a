//! `strowger explain CODE`.

use clap::Args;

use crate::diagnostic::code;

use super::ui::Style;
use super::{exit, ui};

/// Prints what the code of a message means; without CODE, all codes.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  strowger explain E104\n  strowger explain | grep label")]
pub(crate) struct ExplainArgs {
    /// A code such as E104, or the name of its kind.
    code: Option<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &ExplainArgs) -> i32 {
    let Some(wanted) = &args.code else {
        let all = code::ALL;
        if args.json {
            ui::json_document(&all.iter().map(|c| object(c)).collect());
        } else {
            let rows: Vec<Vec<String>> = all
                .iter()
                .map(|c| vec![c.id.to_owned(), c.kind.to_owned(), c.title.to_owned()])
                .collect();
            ui::print(ui::table(&rows, &[]).as_bytes());
        }
        return exit::FINE;
    };
    let found =
        code::by_id(wanted).or_else(|| code::ALL.iter().copied().find(|c| c.kind == wanted));
    let Some(found) = found else {
        return ui::usage(&format!("no code `{wanted}`; `strowger explain` lists all"));
    };
    if args.json {
        ui::json_document(&object(found));
        return exit::FINE;
    }
    ui::line(&format!(
        "{} {}",
        ui::paint(Style::Bold, found.id),
        ui::paint(Style::Cyan, found.kind)
    ));
    ui::line(&format!("  {}.", found.title));
    ui::line(&format!("  {}", family(found.id)));
    ui::line(&format!(
        "  Level of the log entry: {}.",
        found.level.name()
    ));
    exit::FINE
}

fn object(code: &code::Code) -> serde_json::Value {
    serde_json::json!({
        "code": code.id,
        "kind": code.kind,
        "level": code.level.name(),
        "title": code.title,
        "family": family(code.id),
    })
}

/// What the range of a code says about when it comes.
fn family(id: &str) -> &'static str {
    match id.get(..2) {
        Some("E0") => {
            "Found while the configuration files are read: sections, templates, includes of files."
        }
        Some("E1") => {
            "Found while extension lines are read: extensions, priorities, labels, includes of contexts."
        }
        Some("E2") => "Found in `${ }` or `$[ ]`, while loading or while a call evaluates it.",
        Some("E3") => "Found when names are bound: applications, functions, contexts, labels.",
        Some("R9") => "Happens to a running call.",
        _ => "Found by checks of style and reachability.",
    }
}
