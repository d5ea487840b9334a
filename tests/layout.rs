//! The arrows between modules, and that every file of applications and functions is registered.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::float_cmp,
    reason = "a test fails by panicking, and says what it measured"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// What each module may use besides itself; `docs/design.md` shows the same table.
const ARROWS: &[(&str, &str)] = &[
    ("base", ""),
    ("diagnostic", "base"),
    ("syntax", "base diagnostic"),
    ("program", "base"),
    ("store", "base"),
    ("machine", "base diagnostic syntax program store"),
    ("library", "base diagnostic program machine"),
    ("apps", "base diagnostic program machine library"),
    ("funcs", "base diagnostic program machine library"),
    ("rules", "base diagnostic syntax program machine library"),
    ("compile", "base diagnostic syntax program library machine"),
    (
        "host",
        "base diagnostic syntax program machine library compile store rules",
    ),
    ("measure", "base diagnostic syntax program machine host"),
    (
        "pcrf",
        "base diagnostic syntax program machine library compile host store",
    ),
    ("cli", "*"),
];

/// Arrows that are not in the table, with the reason why they stay.
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    (
        "src/host/engine.rs",
        "standard_registry",
        "an engine starts with all applications and functions of the crate",
    ),
    (
        "src/apps/goto.rs",
        "syntax",
        "its compile hook asks whether a condition is one expression",
    ),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// The modules named in `crate::NAME` and `crate::{NAME, …}`, outside of tests and comments.
fn used(text: &str) -> BTreeSet<String> {
    let code = text.split("#[cfg(test)]\nmod ").next().unwrap();
    let code: String = code
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect::<Vec<_>>()
        .join("\n");
    let mut names = BTreeSet::new();
    for (at, found) in code.match_indices("crate::") {
        // `$crate::` and names that end in `crate` are others.
        if code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '$' || c == '_') {
            continue;
        }
        let rest = &code[at + found.len()..];
        let list = match rest.strip_prefix('{') {
            Some(list) => top_level(list),
            None => vec![rest],
        };
        for item in list {
            let name: String = item
                .trim_start()
                .chars()
                .take_while(|c| c.is_alphanumeric() || *c == '_')
                .collect();
            names.insert(name);
        }
    }
    names
}

/// The items of a list in braces, without what nests deeper.
fn top_level(list: &str) -> Vec<&str> {
    let (mut depth, mut start, mut items) = (0, 0, Vec::new());
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => {
                items.push(&list[start..at]);
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                items.push(&list[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    items.retain(|item| !item.trim().is_empty());
    items
}

#[test]
fn modules_use_only_what_the_table_allows() {
    let mut wrong = Vec::new();
    for path in sources(&root().join("src")) {
        let relative = path.strip_prefix(root()).unwrap();
        let mut parts = relative.components().skip(1);
        let first = parts
            .next()
            .unwrap()
            .as_os_str()
            .to_string_lossy()
            .into_owned();
        let module = first.trim_end_matches(".rs");
        if module == "lib" || module == "main" {
            continue;
        }
        let Some((_, allowed)) = ARROWS.iter().find(|(name, _)| *name == module) else {
            panic!("{} belongs to no module of the table", relative.display());
        };
        for name in used(&fs::read_to_string(&path).unwrap()) {
            let fine = name == module
                || *allowed == "*"
                || allowed.split(' ').any(|allowed| allowed == name)
                || EXCEPTIONS
                    .iter()
                    .any(|(file, used, _)| Path::new(file) == relative && *used == name);
            if !fine {
                wrong.push(format!("{} uses {name}", relative.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_design_shows_the_same_table() {
    let design = fs::read_to_string(root().join("docs/design.md")).unwrap();
    for (module, allowed) in ARROWS {
        let allowed = match *allowed {
            "" => "nothing".to_owned(),
            "*" => "everything".to_owned(),
            list => list.replace(' ', ", "),
        };
        let row = format!("| {module} | {allowed} |");
        assert!(design.contains(&row), "docs/design.md lacks the row\n{row}");
    }
}

#[test]
fn every_application_and_function_file_is_registered() {
    for folder in ["src/apps", "src/funcs"] {
        let list = fs::read_to_string(root().join(folder).join("mod.rs")).unwrap();
        for entry in fs::read_dir(root().join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            // A folder holds the parts of the file of the same name.
            if path.is_dir() || name == "mod" {
                continue;
            }
            let registered = list.lines().any(|line| {
                let line = line.trim_start();
                line.starts_with(&format!("{name}:")) || line.ends_with(&format!("mod {name};"))
            });
            assert!(registered, "{folder}/{name}.rs is not in {folder}/mod.rs");
        }
    }
}

#[test]
fn lists_of_names_are_read() {
    let names = used(
        "use crate::base::{Text, Value};\nuse crate::{library::{A, B}, machine};\n// crate::no\n",
    );
    assert_eq!(
        names.into_iter().collect::<Vec<_>>(),
        ["base", "library", "machine"]
    );
}
