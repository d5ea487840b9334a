//! The table of what is supported: every name of Asterisk's is in it, and the page in `docs/` is what the program
//! prints. Nothing that Asterisk has is called unknown.

#![cfg(feature = "cli")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use strowger::library::Origin;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn strowger(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_strowger"))
        .args(arguments)
        .output()
        .unwrap()
}

/// The names of a list in `tests/data/names`.
fn names(list: &str) -> BTreeSet<String> {
    std::fs::read_to_string(root().join("tests/data/names").join(list))
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect()
}

#[test]
fn the_page_is_what_the_program_prints() {
    let printed = strowger(&["doc", "--status", "--markdown"]).stdout;
    let page = std::fs::read(root().join("docs/support.md")).unwrap_or_default();
    assert!(
        page == printed,
        "docs/support.md is old: run `cargo run -- doc --status --markdown > docs/support.md`"
    );
}

/// The lists hold what Asterisk master registered where the corpora were recorded.
#[test]
fn every_name_of_asterisk_is_known() {
    let registry = strowger::standard_registry();
    let applications = registry.applications();
    let ours: BTreeSet<String> = applications
        .iter()
        .filter(|a| a.origin == Origin::Asterisk)
        .map(|a| a.name.to_string())
        .collect();
    let theirs = names("applications.txt");
    assert_eq!(theirs.difference(&ours).collect::<Vec<_>>(), [""; 0]);
    let functions = registry.functions();
    let ours: BTreeSet<String> = functions
        .iter()
        .filter(|f| f.origin == Origin::Asterisk)
        .map(|f| f.name.to_string())
        .collect();
    let theirs = names("functions.txt");
    assert_eq!(theirs.difference(&ours).collect::<Vec<_>>(), [""; 0]);
    // What other builds have and that one had not.
    let elsewhere: BTreeSet<String> = ["AES_DECRYPT", "AES_ENCRYPT", "CURL", "CURLOPT"]
        .map(str::to_owned)
        .into();
    let more: BTreeSet<String> = ours.difference(&theirs).cloned().collect();
    assert_eq!(more, elsewhere);
}

fn unknown(text: &str, folder: &Path) -> Vec<String> {
    let file = folder.join("extensions.conf");
    std::fs::write(&file, text).unwrap();
    let output = strowger(&["check", file.to_str().unwrap()]);
    String::from_utf8_lossy(&output.stderr)
        .lines()
        .filter(|line| line.contains("E301") || line.contains("E304"))
        .map(|line| line.split_once("extensions.conf:").unwrap().1.to_owned())
        .collect()
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("strowger-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn no_name_of_asterisk_is_called_unknown() {
    let folder = folder("known");
    let mut text = String::from("[main]\nexten => s,1,NoOp()\n");
    for name in names("applications.txt") {
        for name in [name.clone(), name.to_lowercase(), name.to_uppercase()] {
            text.push_str(&format!("same => n,{name}(NoOp)\n"));
            text.push_str(&format!(
                "same => n,ExecIf($[\"${{a}}\"=\"?:\"]?{name}(NoOp):{name}(NoOp))\n"
            ));
            text.push_str(&format!(
                "same => n,Exec({name}(NoOp))\nsame => n,TryExec({name}(NoOp))\n"
            ));
            text.push_str(&format!(
                "same => n,Originate(Local/1@main,app,{name},NoOp)\n"
            ));
            text.push_str(&format!("same => n,ExecIfTime(*,*,*,*?{name}(NoOp))\n"));
        }
    }
    for name in names("functions.txt") {
        text.push_str(&format!(
            "same => n,Set({name}(a)=${{{name}(a,${{b}})}}$[{name}(a)])\n"
        ));
        text.push_str(&format!("same => n,MSet(x=1,{name}(a)=2)\n"));
    }
    assert_eq!(unknown(&text, &folder), [""; 0]);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn unknown_names_come_with_the_nearest() {
    let folder = folder("unknown");
    let text = "[main]\n\
        exten => s,1,Plaback(hello)\n\
        same => n,NoOp(${len(x)}${EXTEN(1)}${${f}(x)}${NOSUCHTHING(x)})\n\
        same => n,ExecIf($[${x}]?Hangupp():${app}(x))\n\
        same => n,Set(CALERID(num)=1)\n\
        same => n,NoOp($[FIELDQTTY(a)])\n";
    let expected = [
        "2:1: E304: no application `Plaback`; did you mean `Playback`?",
        "3:1: E301: no function `len`; did you mean `LEN`?",
        "3:1: E301: no function `EXTEN`; the variable is `${EXTEN}`",
        "3:1: E301: no function `NOSUCHTHING`",
        "4:1: E304: no application `Hangupp`; did you mean `Hangup`?",
        "5:1: E301: no function `CALERID`; did you mean `CALLERID`?",
        "6:1: E301: no function `FIELDQTTY`; did you mean `FIELDQTY`?",
    ];
    assert_eq!(unknown(text, &folder), expected);
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Dialplans that were run with Asterisk: what the log of the run did not call unknown, `check` does not.
#[test]
fn no_false_alarm_on_recorded_dialplans() {
    let folder = root().join("tests/data/corpus/dialplan");
    let mut alarms = BTreeSet::new();
    for kind in ["exec", "load", "match"] {
        for entry in std::fs::read_dir(folder.join(kind)).unwrap() {
            let path = entry.unwrap().path();
            let output = strowger(&["check", path.to_str().unwrap()]);
            for line in String::from_utf8_lossy(&output.stderr).lines() {
                if let Some((_, name)) = line.split_once("E301: no function `") {
                    alarms.insert(name.split('`').next().unwrap().to_owned());
                } else if let Some((_, name)) = line.split_once("E304: no application `") {
                    let name = name.split('`').next().unwrap();
                    // Blanks and other signs belong to a name, and make it another one.
                    if name.bytes().all(|b| b.is_ascii_alphanumeric()) {
                        alarms.insert(name.to_owned());
                    }
                }
            }
        }
    }
    // Names that were made up, and some that older versions of Asterisk had.
    alarms.retain(|name| !name.to_lowercase().starts_with("nosuch") && !name.starts_with("AAAA"));
    let known_to_be_gone = ["DBdel", "DeadAGI", "FUNC", "Macro", "VALID_EXTEN", "VAR"];
    assert_eq!(alarms.iter().collect::<Vec<_>>(), known_to_be_gone);
}
