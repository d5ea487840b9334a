//! `strowger pcrf reads`.

use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use super::source::Beside;
use crate::base::Place;
use crate::cli::{exit, ui};
use crate::pcrf::policy::{Kind, Policy, Reader};

/// Prints what a policy may read, and which AVPs of a request are kept ready for it, with the lines that read.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  strowger pcrf reads dialplans/gx.conf
  strowger pcrf reads --json dialplans/gx.conf

`*` stands for a name that is computed when a decision runs.
Exit codes: 0 fine; 3 a file that cannot be read or is refused.")]
pub(super) struct ReadsArgs {
    /// A dialplan.
    policy: PathBuf,
    #[command(flatten)]
    beside: Beside,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &ReadsArgs) -> Result<i32, i32> {
    let policy = args.beside.load(&args.policy)?;
    if args.json {
        ui::json_document(&document(&policy));
    } else {
        print(&policy);
    }
    Ok(exit::FINE)
}

/// `file:line` of a place.
fn shown(policy: &Policy, place: Place) -> String {
    let image = policy.engine().image();
    let source = image.program.sources.get(place.source);
    let path = source.map_or("-", |source| source.path.as_str());
    format!("{path}:{}", place.line)
}

fn kinds(reader: &Reader) -> Vec<&'static str> {
    reader.kinds.iter().copied().map(Kind::name).collect()
}

fn document(policy: &Policy) -> Value {
    let places = |places: &[Place]| -> Vec<Value> {
        let image = policy.engine().image();
        let sources = &image.program.sources;
        let one = |place: &Place| {
            let file = sources.get(place.source).map(|source| source.path.clone());
            json!({"file": file, "line": place.line})
        };
        places.iter().map(one).collect()
    };
    let readers = |readers: &[Reader]| -> Vec<Value> {
        let one = |reader: &Reader| {
            json!({
                "input": reader.input.lossy(),
                "decisions": kinds(reader),
                "lines": places(&reader.places),
            })
        };
        readers.iter().map(one).collect()
    };
    let reads = policy.reads();
    let avps: Vec<Value> = reads
        .avps()
        .iter()
        .map(|avp| json!({"name": avp.name(), "code": avp.code(), "vendor": avp.vendor()}))
        .collect();
    json!({
        "reads": readers(reads.readers()),
        "mask": {"avps": avps, "all": reads.all_avps(), "all_because": places(reads.all_avps_because())},
        "volatile": readers(reads.volatile()),
    })
}

fn print(policy: &Policy) {
    let reads = policy.reads();
    let row = |reader: &Reader| {
        let places: Vec<String> = reader
            .places
            .iter()
            .map(|place| shown(policy, *place))
            .collect();
        vec![
            reader.input.to_string(),
            kinds(reader).join(","),
            places.join(" "),
        ]
    };
    let rows: Vec<Vec<String>> = reads.readers().iter().map(row).collect();
    ui::print(ui::table(&rows, &[]).as_bytes());
    let names: Vec<&str> = reads.avps().iter().map(|avp| avp.name()).collect();
    ui::line("");
    if reads.all_avps() {
        let because = reads.all_avps_because().iter();
        let places: Vec<String> = because.map(|place| shown(policy, *place)).collect();
        ui::line(&format!("mask: all AVPs, because of {}", places.join(" ")));
    } else {
        ui::line(&format!("mask: {} AVPs: {}", names.len(), names.join(", ")));
    }
    if reads.volatile().is_empty() {
        ui::line("memo: decisions are used again as long as what they read is the same");
    } else {
        ui::line("memo: decisions always run that get to these lines");
        let rows: Vec<Vec<String>> = reads.volatile().iter().map(row).collect();
        ui::print(ui::table(&rows, &[]).as_bytes());
    }
}
