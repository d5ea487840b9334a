//! `strowger db`: what `--db FILE` keeps, as Asterisk's `database` commands show and change it.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;
use std::sync::Arc;

use bstr::ByteSlice as _;
use clap::{Args, Subcommand};
use serde_json::{Value, json};

use crate::base::Text;
use crate::store::Store;
use crate::syntax::print::json::byte_string;

use super::store::{Missing, keep, open};
use super::{exit, ui};

/// Shows and changes the file of `run --db` and `eval --db`, in the manner of Asterisk's `database` commands.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  strowger db show calls.db
  strowger db show calls.db forward
  strowger db put calls.db forward 204 PJSIP/mobile
  strowger db get calls.db forward 204
  strowger db deltree calls.db forward

Exit codes: 1 when there is no such entry, 3 when the file cannot be opened: it is missing (only `put` makes one),
in use by a running process, or no store.")]
pub(crate) struct DbArgs {
    #[command(subcommand)]
    command: DbCommand,
    /// Print JSON.
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum DbCommand {
    /// List all entries, those of a family, or those below a part of it.
    Show {
        /// The file of the store.
        file: PathBuf,
        /// Only this family.
        family: Option<OsString>,
        /// Only this key and what lies below it.
        keytree: Option<OsString>,
    },
    /// List the entries of a key in all families.
    Showkey {
        /// The file of the store.
        file: PathBuf,
        /// The key.
        key: OsString,
    },
    /// Print the value of a key.
    Get {
        /// The file of the store.
        file: PathBuf,
        /// The family.
        family: OsString,
        /// The key; it may hold slashes.
        key: OsString,
    },
    /// Write a value; a missing file is made.
    Put {
        /// The file of the store.
        file: PathBuf,
        /// The family.
        family: OsString,
        /// The key; it may hold slashes.
        key: OsString,
        /// The value.
        value: OsString,
    },
    /// Remove a key.
    Del {
        /// The file of the store.
        file: PathBuf,
        /// The family.
        family: OsString,
        /// The key.
        key: OsString,
    },
    /// Remove a family, or a key and what lies below it.
    Deltree {
        /// The file of the store.
        file: PathBuf,
        /// The family.
        family: OsString,
        /// Only this key and what lies below it.
        keytree: Option<OsString>,
    },
}

impl DbCommand {
    fn file(&self) -> &PathBuf {
        match self {
            DbCommand::Show { file, .. }
            | DbCommand::Showkey { file, .. }
            | DbCommand::Get { file, .. }
            | DbCommand::Put { file, .. }
            | DbCommand::Del { file, .. }
            | DbCommand::Deltree { file, .. } => file,
        }
    }
}

/// What a command says: for people, for machines, to the shell.
struct Answer {
    text: Vec<u8>,
    json: Value,
    status: i32,
}

pub(crate) fn run(args: &DbArgs) -> i32 {
    let missing = match args.command {
        DbCommand::Put { .. } => Missing::Make,
        _ => Missing::Refuse,
    };
    let file = args.command.file();
    let store = match open(file, missing) {
        Ok(store) => store,
        Err(status) => return status,
    };
    let answer = answer(&store, &args.command);
    let status = keep(Some(file), answer.status);
    if status > answer.status {
        return exit::UNREADABLE;
    }
    if args.json {
        ui::json_document(&answer.json);
    } else {
        ui::print(&answer.text);
    }
    status
}

fn answer(store: &Arc<dyn Store>, command: &DbCommand) -> Answer {
    match command {
        DbCommand::Show {
            family, keytree, ..
        } => {
            let root = root(family.as_deref(), keytree.as_deref());
            let below = [&root[..], b"/"].concat();
            let entries = store.scan(&root);
            list(entries.iter().filter(|(path, _)| {
                root.is_empty() || path.as_bytes() == root || path.starts_with(&below)
            }))
        }
        DbCommand::Showkey { key, .. } => {
            let end = [b"/", key.as_bytes()].concat();
            let entries = store.scan(b"");
            list(entries.iter().filter(|(path, _)| path.ends_with(&end)))
        }
        DbCommand::Get { family, key, .. } => {
            let value = store.get(family.as_bytes(), key.as_bytes());
            Answer {
                text: value.as_ref().map_or_else(
                    || b"Database entry not found.\n".to_vec(),
                    |value| [b"Value: ", value.as_bytes(), b"\n"].concat(),
                ),
                status: found(value.is_some()),
                json: entry(family.as_bytes(), key.as_bytes(), value.as_deref()),
            }
        }
        DbCommand::Put {
            family, key, value, ..
        } => {
            let [family, key, value] = [family, key, value].map(|text| text.as_bytes());
            store.put(family, key, value);
            Answer {
                text: b"Updated database successfully\n".to_vec(),
                json: entry(family, key, Some(value)),
                status: exit::FINE,
            }
        }
        DbCommand::Del { family, key, .. } => {
            let there = store.remove(family.as_bytes(), key.as_bytes()).is_some();
            let text = if there {
                "Database entry removed.\n"
            } else {
                "Database entry could not be removed.\n"
            };
            Answer {
                text: text.into(),
                json: json!({ "removed": u64::from(there) }),
                status: found(there),
            }
        }
        DbCommand::Deltree {
            family, keytree, ..
        } => {
            let keytree = keytree.as_deref().map_or(&[][..], OsStr::as_bytes);
            let removed = store.remove_tree(family.as_bytes(), keytree);
            let text = match removed {
                0 => "Database entries do not exist.\n".to_owned(),
                n => format!("{n} database entries removed.\n"),
            };
            Answer {
                text: text.into(),
                json: json!({ "removed": removed }),
                status: found(removed > 0),
            }
        }
    }
}

fn found(there: bool) -> i32 {
    if there { exit::FINE } else { exit::FINDINGS }
}

fn root(family: Option<&OsStr>, keytree: Option<&OsStr>) -> Vec<u8> {
    let parts = [family, keytree].map(|part| part.map(OsStr::as_bytes));
    let parts: Vec<&[u8]> = parts.into_iter().flatten().collect();
    parts.join(&b'/')
}

/// Entries as `database show` lists them: columns of 50 and 25 bytes.
fn list<'a>(entries: impl Iterator<Item = &'a (Text, Text)>) -> Answer {
    let (mut text, mut all) = (Vec::new(), Vec::new());
    for (path, value) in entries {
        text.push(b'/');
        padded(path, 49, &mut text);
        text.extend_from_slice(b": ");
        padded(value, 25, &mut text);
        text.push(b'\n');
        let (family, key) = path.split_once_str(b"/").unwrap_or((path.as_bytes(), b""));
        all.push(entry(family, key, Some(value)));
    }
    text.extend_from_slice(format!("{} results found.\n", all.len()).as_bytes());
    Answer {
        text,
        json: all.into(),
        status: exit::FINE,
    }
}

fn padded(text: &[u8], width: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(text);
    out.resize(out.len() + width.saturating_sub(text.len()), b' ');
}

fn entry(family: &[u8], key: &[u8], value: Option<&[u8]>) -> Value {
    json!({
        "family": byte_string(family),
        "key": byte_string(key),
        "value": value.map(byte_string),
    })
}
