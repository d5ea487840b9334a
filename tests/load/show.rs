//! The look of `dialplan show`.

use serde_json::Value;
use strowger::base::SourceMap;
use strowger::syntax::ast::Plan;
use strowger::syntax::load::{LoadOptions, MemoryReader, load};
use strowger::syntax::print::{Show, show};

use crate::evaluator::Evaluator;

fn ask(plan: &Plan, sources: &SourceMap, what: &str) -> String {
    let what = what.as_bytes();
    let show_what = match what.iter().position(|&b| b == b'@') {
        _ if what.is_empty() => None,
        Some(at) => Some(Show::Extension {
            exten: &what[..at],
            context: &what[at + 1..],
        }),
        None => Some(Show::Context(what)),
    };
    match show(plan, sources, show_what) {
        Ok(listing) => String::from_utf8(listing).unwrap(),
        Err(missing) => format!("{missing}\n"),
    }
}

fn plan(text: &str) -> (Plan, SourceMap) {
    let mut reader = MemoryReader::new().with("extensions.conf", text);
    let (plan, report) = load(
        "extensions.conf",
        &mut reader,
        &mut Evaluator::default(),
        &LoadOptions::default(),
        None,
    );
    (plan.unwrap_or_default(), report.sources)
}

/// Answers of the real system to public reports.
#[test]
fn reports() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/data/corpus/reports/reports.jsonl"
    );
    let mut asked = 0;
    for line in std::fs::read_to_string(path).unwrap().lines() {
        let report: Value = serde_json::from_str(line).unwrap();
        let file = report["files"]["extensions.conf"].as_str().unwrap();
        let (plan, sources) = plan(file);
        for answer in report["asterisk"]["cli_output"].as_array().unwrap() {
            let command = answer[0].as_str().unwrap();
            let Some(what) = command.strip_prefix("dialplan show ") else {
                continue;
            };
            let mut got = ask(&plan, &sources, what);
            if got.starts_with("There is no") {
                got.push_str(&format!("Command '{command}' failed.\n"));
            }
            assert_eq!(got, answer[1].as_str().unwrap(), "{}", report["id"]);
            asked += 1;
        }
    }
    assert_eq!(asked, 13);
}

#[test]
fn whole_plan() {
    let (plan, sources) = plan(
        "[globals]\nG=1\n[first]\nexten => s,1(start),NoOp(a)\n same => n(next),Goto(s,start)\n same => n,\n\
         exten => 7,hint,PJSIP/7&Custom:x(Desk)\ninclude => second,09:00-17:00,mon-fri,*,*\ninclude => none\n\
         ignorepat => 9\nswitch => Loopback/x\neswitch => Loopback/${Y}\n[second]\n\
         exten => _averyveryverylongpattern.,1,NoOp(12345678901234567890123456789012345678901234567890)\n",
    );
    insta::assert_snapshot!(ask(&plan, &sources, ""), @r#"
[ Context 'second' created by 'pbx_config' ]
  '_averyveryverylongpattern.' => 1. NoOp(12345678901234567890123456789012345678901234567890) [extensions.conf:14]

[ Context 'first' created by 'pbx_config' ]
  '7' =>            hint: PJSIP/7&Custom:x                        [extensions.conf:7]
  's' =>            1. NoOp(a)                                    [extensions.conf:4]
     [next]         2. Goto(s,start)                              [extensions.conf:5]
                    3. ()                                         [extensions.conf:6]
  Include =>        'second,09:00-17:00,mon-fri,*,*'              [pbx_config]
  Include =>        'none'                                        [pbx_config]
  Ignore pattern => '9'                                           [pbx_config]
  Alt. Switch =>    'Loopback/x'                                  [pbx_config]
  Alt. Switch =>    'Loopback/${Y}'                               [pbx_config]

-= 3 extensions (5 priorities) in 2 contexts. =-
"#);
    insta::assert_snapshot!(ask(&plan, &sources, "s@second"), @r#"
There is no existence of s@second extension
"#);
    insta::assert_snapshot!(ask(&plan, &sources, "s@first"), @r#"
[ Context 'first' created by 'pbx_config' ]
  's' =>            1. NoOp(a)                                    [extensions.conf:4]
     [next]         2. Goto(s,start)                              [extensions.conf:5]
                    3. ()                                         [extensions.conf:6]

-= 1 extension (3 priorities) in 1 context. =-
"#);
    insta::assert_snapshot!(ask(&plan, &sources, "s@nosuch"), @r#"
There is no existence of 'nosuch' context
"#);
    insta::assert_snapshot!(ask(&plan, &sources, "nosuch"), @r#"
There is no existence of 'nosuch' context
"#);
}
