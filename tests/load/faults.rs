//! Each kind of fault: where it is found, whether Asterisk logs it, and what becomes of the line.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use strowger::diagnostic::{Report, Severity};
use strowger::syntax::ast::{General, Number, Plan};
use strowger::syntax::load::{LoadOptions, MemoryReader, Reader, load};

use crate::evaluator::Evaluator;

fn load_files(reader: &mut dyn Reader, options: &LoadOptions) -> (Option<Plan>, Report) {
    load(
        "extensions.conf",
        reader,
        &mut Evaluator::default(),
        options,
        None,
    )
}

fn loaded(text: &str) -> (Option<Plan>, Report) {
    let mut reader = MemoryReader::new().with("extensions.conf", text);
    load_files(&mut reader, &LoadOptions::default())
}

/// Every diagnostic as `CODE line:column` with its level where Asterisk logs it, and `!` for an error.
fn faults(report: &Report) -> Vec<String> {
    let logged: Vec<*const _> = report
        .logged()
        .map(|(d, _)| std::ptr::from_ref(d))
        .collect();
    report
        .diagnostics()
        .iter()
        .map(|d| {
            let place = d.place.map_or(String::new(), |p| {
                format!(" {}:{}", p.line, p.column.max(1))
            });
            let log = match d.logged {
                Some(l) if logged.contains(&std::ptr::from_ref(d)) => {
                    format!(" {}", l.level.name())
                }
                _ => String::new(),
            };
            let bad = if d.severity == Severity::Error {
                "!"
            } else {
                ""
            };
            assert!(d.help.is_some(), "{} has no help", report.line(d));
            format!("{}{bad}{place}{log}", d.code.id)
        })
        .collect()
}

/// The faults of a text below `[a]` on line 1, and the extensions that are left as `exten:priority`.
#[track_caller]
fn check(text: &str, expected: &[&str], left: &str) {
    let (plan, report) = loaded(&format!("[a]\n{text}"));
    assert_eq!(faults(&report), expected, "{report}");
    let mut got = Vec::new();
    for extension in plan
        .iter()
        .flat_map(|p| &p.contexts)
        .flat_map(|c| &c.extensions)
    {
        let cid = extension
            .cid
            .as_ref()
            .map_or(String::new(), |cid| format!("/{cid}"));
        for priority in plan.iter().flat_map(|p| p.lines(extension)) {
            let number = match priority.number {
                Number::Hint => "hint".to_owned(),
                Number::At(number) => number.to_string(),
            };
            let label = priority
                .label
                .zip(plan.as_ref())
                .map_or(String::new(), |(label, plan)| {
                    format!("({})", String::from_utf8_lossy(plan.text(label)))
                });
            got.push(format!("{}{cid}:{number}{label}", extension.exten));
        }
    }
    assert_eq!(got.join(" "), left);
}

/// A refused file: nothing is left, and the report names all its faults.
#[track_caller]
fn refused(text: &str, expected: &[&str]) {
    let (plan, report) = loaded(text);
    assert!(plan.is_none() && report.is_refused());
    assert_eq!(faults(&report), expected, "{report}");
}

#[test]
fn refusals_name_the_later_faults_too() {
    refused(
        "exten => 1,1,A\n[b]\nexten => 1,n,A\nnothing\n[c\nexten => 1,1,A\n[d](e\n[f](g)\n[h](+)\n#include none\n",
        &[
            "E001! 1:1 warning",
            "E013! 4:1",
            "E002! 5:1",
            "E003! 7:1",
            "E004! 8:1",
            "E005! 9:1",
            "E006! 10:1",
            "E103! 3:12",
            "E019! 1:1",
        ],
    );
    refused("[a]\n#include *.none\n", &["E006! 2:1 error", "E019! 1:1"]);
}

#[test]
fn unreadable() {
    let (plan, report) = load_files(&mut MemoryReader::new(), &LoadOptions::default());
    assert!(plan.is_none());
    assert_eq!(faults(&report), ["E020!", "E019!"]);
}

#[test]
fn a_folder_holds_an_extensions_conf() {
    let mut reader = MemoryReader::new()
        .with("d/extensions.conf", "#include more.conf\n")
        .with("d/more.conf", "[a]\n");
    let (plan, _) = load(
        "d/",
        &mut reader,
        &mut Evaluator::default(),
        &LoadOptions::default(),
        None,
    );
    assert_eq!(plan.unwrap().contexts.len(), 1);
}

#[test]
fn physical_lines() {
    check(
        &format!("exten => 1,1,A({})\n", "x".repeat(8190)),
        &["E011! 2:1 warning"],
        "",
    );
    check(
        "x --; y\nexten => 1,1,A\n\n",
        &["E013! 2:1 warning", "E018! 3:1", "E010! 2:1 warning"],
        "",
    );
    check(
        "exten => 1,1,A\n;-- x\nexten => 2,1,A\n",
        &["E010! 3:1 warning"],
        "1:1",
    );
    check(
        &";--\n".repeat(129),
        &["E022! 130:1", "E010! 2:1 warning"],
        "",
    );
    check("nothing\n", &["E013! 2:1 warning"], "");
    check("\\exten => 1,1,A\n", &[], "1:1");
    check(
        "#nothing\n#include\n#exec x\n",
        &[
            "E015! 2:1 warning",
            "E016! 3:1 warning",
            "E017! 4:1 warning",
        ],
        "",
    );
}

#[test]
fn a_fault_in_an_included_file_ends_that_file_only() {
    let mut reader = MemoryReader::new()
        .with(
            "extensions.conf",
            "[a]\n#include more.conf\nexten => 3,1,A\n",
        )
        .with("more.conf", "exten => 1,1,A\n[x\nexten => 2,1,A\n");
    let (plan, report) = load_files(&mut reader, &LoadOptions::default());
    assert_eq!(faults(&report), ["E002! 2:1 warning", "E021! 3:1"]);
    let plan = plan.unwrap();
    let names: Vec<String> = plan
        .contexts
        .iter()
        .flat_map(|c| &c.extensions)
        .map(|e| e.exten.to_string())
        .collect();
    assert_eq!(names, ["1", "3"]);
}

struct Commands(MemoryReader);

impl Reader for Commands {
    fn read(&mut self, path: &Path) -> std::io::Result<Vec<u8>> {
        self.0.read(path)
    }
    fn is_folder(&mut self, path: &Path) -> bool {
        self.0.is_folder(path)
    }
    fn glob(&mut self, pattern: &Path) -> Vec<PathBuf> {
        self.0.glob(pattern)
    }
    fn exec(&mut self, command: &OsStr) -> std::io::Result<Vec<u8>> {
        Ok(format!("exten => {},1,A\n", command.display()).into_bytes())
    }
}

#[test]
fn exec_runs_where_it_is_allowed() {
    let reader = MemoryReader::new().with("extensions.conf", "[a]\n#exec \"77\"\n");
    let (plan, report) = load_files(&mut Commands(reader), &LoadOptions { allow_exec: true });
    assert!(faults(&report).is_empty());
    assert_eq!(
        plan.unwrap().contexts[0].extensions[0].exten.to_string(),
        "77"
    );
}

#[test]
fn priorities() {
    check("same => 1,A\n", &["E101! 2:1 error"], "");
    check(
        "exten => 1,s,A\nexten => 1,n,A\n",
        &["E102! 2:12 warning", "E103! 3:12 warning"],
        "",
    );
    check(
        "exten => 1,what,A\n",
        &["E108 2:12 notice", "E104! 2:12 warning"],
        "",
    );
    check(
        "exten => 1,0,A\nexten => 1,-7,A\n",
        &["E105! 2:12 warning", "E105! 3:12 warning"],
        "",
    );
    check(
        "exten => 1,hint,A\nexten => 1,n,A\nexten => 1,n,A\n",
        &["E122! 3:12", "E122! 4:12"],
        "1:hint",
    );
    check(
        "exten => 1,1+-5,A\n same => n,A\n",
        &["E122! 2:10", "E103! 3:10 warning"],
        "",
    );
    check(
        "exten => 1,1,A\nexten => 1,n+5(x),A\nexten => 1,x+101,A\n",
        &[],
        "1:1 1:7(x) 1:108",
    );
}

#[test]
fn labels() {
    check("exten => 1,1(x,A\n", &["E106! 2:14 warning"], "");
    check(
        "exten => 1,1(x),A\nexten => 1,n(x),A\n",
        &["E107 3:10 warning"],
        "1:1(x) 1:2",
    );
    check("exten => 1,1(x)+2,A\n", &["E123 2:16"], "1:1(x)");
    check(
        "exten => 1/5,1(x),A\nexten => 1/5,x,A\nexten => 1,x,A\n",
        &[
            "E110! 3:10 warning",
            "E112! 3:10 warning",
            "E108 4:12 notice",
            "E104! 4:12 warning",
        ],
        "1/5:1(x)",
    );
    check(
        "exten => _X/_[57],1(x),A\nexten => 3/5,x,A\n",
        &[],
        "3/5:1 _X/_[57]:1(x)",
    );
}

#[test]
fn labels_of_patterns() {
    // Another spelling finds the pattern; a pattern that takes `_` finds it as a dialled text.
    check(
        "exten => _[12]X,5(x),A\nexten => _[1-2]X,x+1,A\n",
        &[],
        "_[12]X:5(x) _[12]X:6",
    );
    check(
        "exten => _!,1(x),A\nexten => _NXX,x,A\nexten => _A,1(y),A\nexten => _NXX,y,A\n",
        &[
            "E114 2:10 warning",
            "E108 5:15 notice",
            "E104! 5:15 warning",
        ],
        "_A:1(y) _NXX:1 _!:1(x)",
    );
    check(
        "exten => _5,7(x),A\nexten => 5,2(x),A\nexten => 5,x+1,A\nexten => 5-,x+2,A\n",
        &[],
        "5:2(x) 5:3 5:4 _5:7(x)",
    );
}

#[test]
fn labels_are_looked_up_in_includes_until_the_stack_is_full() {
    let (_, report) = loaded("[a]\ninclude => b\ninclude => c\nexten => 1,x,A\n[b]\n[c]\n");
    let times: Vec<u32> = report.logged().map(|(_, logged)| logged.times).collect();
    assert_eq!(times, [513, 1, 1]);
}

#[test]
fn parentheses() {
    check("exten => 1,1,A(b\n", &["E109 2:16 warning"], "1:1");
    check("exten => 1,1,A(b) c\n", &["E123 2:18"], "1:1");
    check("exten => 1,1,A(b)  \nexten => 1,2,${X}(b\n", &[], "1:1 1:2");
}

#[test]
fn duplicates() {
    check(
        "exten => 1,1,A\nexten => 1,1,B\n",
        &["E110! 3:10 warning", "E112! 3:10 warning"],
        "1:1",
    );
    check(
        "exten => _[1-3],1,A\nexten => _[123],1,B\n",
        &["E111! 3:10 warning", "E112! 3:10 warning"],
        "_[1-3]:1",
    );
    check(
        "exten => 1,3,A\nexten => 1,1,A\nexten => 1,2,A\nexten => 1,1,A\n",
        &["E110! 5:10 warning", "E112! 5:10 warning"],
        "1:1 1:2 1:3",
    );
    // The first priority gives the name under which all are listed.
    check("exten => 12-3,2,A\nexten => 123,1,A\n", &[], "123:1 123:2");
}

#[test]
fn extensions() {
    check(
        "exten => ,1,A\nexten => ${NOTHING}/5,1,A\n",
        &[
            "E113! 2:10 error",
            "E112! 2:10 warning",
            "E113! 3:10 error",
            "E112! 3:10 warning",
        ],
        "",
    );
    check("exten => _.,1,A\n", &["E114 2:10 warning"], "_.:1");
    check("exten => _[1/2],1,A\n", &["E115 2:10"], "_[1/2]:1");
    check(
        &format!("exten => {},1,A\n", "1".repeat(256)),
        &["E012 2:10"],
        &format!("{}:1", "1".repeat(255)),
    );
    check(
        "exten => ${LEN(abc)}${NO(x)},1,A\n",
        &["E301 2:1 error"],
        "3:1",
    );
}

#[test]
fn other_directives() {
    check(
        "include => b\ninclude => B\n",
        &["E117! 3:1 warning", "E116 2:1 warning"],
        "",
    );
    check(
        "ignorepat => 9\nignorepat => 9\n",
        &["E119! 3:1 warning"],
        "",
    );
    check(
        "lswitch => A/${X}\neswitch => A/${X}\n",
        &["E120! 3:1 warning"],
        "",
    );
    check("autohints => yes\nfoo => bar\n", &["E014! 3:1 warning"], "");
    check(
        "include => a,9:00-17:00,mon-fri&xyz,1-31,jan|UTC\ninclude => a|*|*|32|*\n",
        &["E121 2:1 warning", "E121 3:1 warning"],
        "",
    );
}

#[test]
fn a_file_that_includes_itself_is_not_said_to_be_missing() {
    let (_, report) = loaded("[a]\n#include extensions.conf\n");
    let said: Vec<&str> = report
        .diagnostics()
        .iter()
        .filter(|d| d.code.id == "E008" || d.code.id == "E006")
        .map(|d| d.message.as_str())
        .collect();
    assert_eq!(
        said,
        [
            "files include each other more than 10 deep",
            "the file `extensions.conf` is not read: files include each other too deeply"
        ]
    );
}

#[test]
fn text_that_is_lost() {
    check(
        "exten => 1,1abc,A\nexten => 2,1.5,A\nexten => 2,n+5x(l),A\nexten => 2,n+x,A\n",
        &["E124 2:12", "E124 3:12", "E124 4:14", "E124 5:14"],
        "1:1 2:1 2:7(l) 2:8",
    );
    check(
        "exten => 1,4294967297,A\nexten => 2,4294967295,A\nexten => 1,n+2147483647,A\n",
        &[
            "E125 2:12",
            "E125 3:12",
            "E105! 3:12 warning",
            "E125 4:14",
            "E122! 4:10",
        ],
        "1:1",
    );
    check(
        "exten => 1,1,A\0(b)\n\0exten => 1,2,A\nexten => 1,3 (c),A\0\n",
        &["E024 2:15", "E024 3:1"],
        "1:1 1:3(c)",
    );
    check(
        "[b] junk\n[c](!)junk\n[d] \t\r\n",
        &["E025 2:5", "E025 3:7"],
        "",
    );
    let (plan, report) = loaded("[a]\rexten => 1,1,A\r");
    assert_eq!(faults(&report), ["E025 1:5", "E026 1:1"]);
    assert!(plan.unwrap().contexts[0].extensions.is_empty());
}

#[test]
fn general_options() {
    let text = "[general]\nautofallthrough=no\nstatic=yes\nwhat=1\nanglesubstitution=ON\n[general]\nclearglobalvars=yes\n";
    let (plan, report) = loaded(text);
    assert_eq!(faults(&report), ["E023 4:1", "E023 6:1"]);
    let general = plan.unwrap().general;
    assert!(!general.autofallthrough && general.anglesubstitution && !general.clearglobalvars);
    // A reload keeps what the file omits.
    let mut reader = MemoryReader::new().with("extensions.conf", "[general]\n");
    let (plan, _) = load(
        "extensions.conf",
        &mut reader,
        &mut Evaluator::default(),
        &LoadOptions::default(),
        Some(&general),
    );
    let general = plan.unwrap().general;
    assert!(!general.autofallthrough && !general.anglesubstitution);
    assert_ne!(general, General::default());
}

#[test]
fn appending() {
    let (plan, report) = loaded(
        "[globals]\nA=1\nA += 2\nB += 3\n[a](!)\nexten => 1,1,A\n[a](a)\nexten => 2,1,A\n[b]\n[a](+)\n same => n,B\n",
    );
    assert!(faults(&report).is_empty());
    let plan = plan.unwrap();
    assert_eq!(
        format!("{:?}", plan.globals),
        r#"[("A", "1 2"), ("B", "3")]"#
    );
    let a = &plan.contexts[0];
    assert_eq!(a.extensions.len(), 2);
    assert_eq!(a.extensions[1].priorities.len(), 2);
}

#[test]
fn diagnostics_as_json() {
    let (_, report) = loaded("[a]\nexten => 1,1,A(b) c\nfoo => bar\n");
    let list = strowger::syntax::print::json::diagnostics(&report);
    assert_eq!(
        list,
        serde_json::json!([
            {
                "code": "E123", "kind": null, "severity": "warning", "file": "extensions.conf", "line": 2, "column": 18,
                "message": "` c` after the last `)` is lost", "help": "remove it"
            },
            {
                "code": "E014", "kind": "directive-unknown", "severity": "error", "file": "extensions.conf", "line": 3,
                "column": 1, "message": "there is no directive `foo`; the line is skipped",
                "help": "known are exten, same, include, ignorepat, switch, lswitch, eswitch, autohints"
            }
        ])
    );
}
