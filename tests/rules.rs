//! Query rules: the recorded answers in all modes, the published figures, refusals, and that all modes agree.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test fails by panicking, and says what it measured"
)]

use std::fmt::Write as _;

use proptest::prelude::*;
use serde_json::Value;
use strowger::diagnostic::Report;
use strowger::host::rules::{Answer, DialplanSession, Style};
use strowger::rules::{
    Dialect, Mode, Outcome, Overrides, Pairs, Query, RuleSet, Session, Workload, digest, list, tree,
};

const CASES: &str = include_str!("data/corpus/rules/rules_cases.json");
const MODES: [Mode; 3] = [Mode::List, Mode::Map, Mode::Compiled];

fn load(sql: &str) -> RuleSet {
    let (rules, report) = RuleSet::from_sql(sql);
    assert!(report.diagnostics().is_empty(), "{report}");
    rules
}

/// The fields of the recorded answers, without those that count.
fn fields(outcome: &Outcome<'_>) -> Vec<(&'static str, String)> {
    let text = |text: Option<&[u8]>| {
        text.map_or("-".to_owned(), |text| {
            String::from_utf8_lossy(text).into_owned()
        })
    };
    let numbers = &outcome.numbers;
    let ids: Vec<String> = outcome.matched.iter().map(i64::to_string).collect();
    vec![
        ("hg", numbers.hostgroup.to_string()),
        ("rules", ids.join(",")),
        ("query", text(outcome.rewritten)),
        ("err", text(outcome.error_msg)),
        ("ok", text(outcome.ok_msg)),
        ("log", numbers.log.to_string()),
        ("next", outcome.next_query_flag_in.to_string()),
        ("ttl", numbers.cache_ttl.to_string()),
        ("timeout", numbers.timeout.to_string()),
        ("mirror", numbers.mirror_hostgroup.to_string()),
        ("delay", numbers.delay.to_string()),
        ("retries", numbers.retries.to_string()),
        ("mplex", numbers.multiplex.to_string()),
    ]
}

struct Case {
    id: u64,
    rules: RuleSet,
    report: Report,
    refused: usize,
    queries: Vec<Value>,
    results: Vec<Value>,
}

fn cases() -> Vec<Case> {
    let cases: Vec<Value> = serde_json::from_str(CASES).unwrap();
    cases
        .into_iter()
        .map(|case| {
            let mut sql = String::new();
            for statement in case["setup"].as_array().unwrap() {
                let _ = writeln!(sql, "{};", statement.as_str().unwrap());
            }
            let mut overrides = Overrides::default();
            overrides.iterations = Some(case["iterations"].as_u64().unwrap() as u32);
            overrides.dialect = Some(match case["regex"].as_u64() {
                Some(2) => Dialect::Re2,
                _ => Dialect::Pcre,
            });
            let (rules, report) = RuleSet::from_named_sql("case.sql", &sql, overrides);
            Case {
                id: case["id"].as_u64().unwrap(),
                rules,
                report,
                refused: case["load_errors"].as_array().unwrap().len(),
                queries: case["queries"].as_array().unwrap().clone(),
                results: case["results"].as_array().unwrap().clone(),
            }
        })
        .collect()
}

fn query(value: &Value) -> Query<'_> {
    let bytes = |name: &str| value[name].as_str().unwrap_or_default().as_bytes();
    Query {
        text: bytes("query"),
        user: bytes("user"),
        schema: bytes("schema"),
        client: value["client"].as_str().map(str::as_bytes),
        ..Query::default()
    }
}

#[test]
fn recorded_answers_in_three_modes() {
    for case in cases() {
        let refused = case
            .report
            .diagnostics()
            .iter()
            .filter(|d| d.code.kind != "rule-pattern")
            .count();
        assert_eq!(refused, case.refused, "case {}: {}", case.id, case.report);
        for mode in MODES {
            let mut session = Session::new(mode);
            for (asked, expected) in case.queries.iter().zip(&case.results) {
                let outcome = case.rules.eval(&mut session, &query(asked));
                for (name, value) in fields(&outcome) {
                    assert_eq!(value, expected[name], "case {} {mode:?} {name}", case.id);
                }
                if mode == Mode::List {
                    assert_eq!(outcome.work.walked.to_string(), expected["ev"]);
                    assert_eq!(outcome.work.tested.to_string(), expected["test"]);
                }
                let text = digest(query(asked).text, &case.rules.settings().digest);
                assert_eq!(String::from_utf8(text).unwrap(), expected["digest"]);
            }
        }
    }
}

#[test]
fn recorded_answers_as_dialplans() {
    let mut plain = 0;
    for case in cases() {
        for style in [Style::Native, Style::Plain] {
            let mut session = match DialplanSession::new(&case.rules, style, &mut Report::new()) {
                Ok(session) => session,
                Err(why) => {
                    assert_eq!(style, Style::Plain, "case {}: {why}", case.id);
                    continue;
                }
            };
            plain += usize::from(style == Style::Plain);
            for (asked, expected) in case.queries.iter().zip(&case.results) {
                let answer = session.ask(&query(asked)).unwrap();
                for (name, value) in fields(&answer.outcome()) {
                    assert_eq!(value, expected[name], "case {} {style:?} {name}", case.id);
                }
            }
        }
    }
    assert_eq!(plain, 69);
}

fn work(rules: &RuleSet, mode: Mode, workload: Workload) -> (u64, u64) {
    let mut session = Session::new(mode);
    let (mut walked, mut tested) = (0, 0);
    for _ in 0..workload.rounds {
        for text in workload.queries() {
            let outcome = rules.eval(
                &mut session,
                &Query {
                    text: &text,
                    ..Query::default()
                },
            );
            walked += outcome.work.walked;
            tested += outcome.work.tested;
        }
    }
    (walked, tested)
}

#[test]
fn the_published_figures() {
    let hundred = Workload::new(100, 40);
    let two_hundred = Workload::new(200, 10);
    for (sql, workload, walked, tested) in [
        (list(200), hundred, 202_000, 202_000),
        (tree(100, Pairs::Split), hundred, 428_960, 37_600),
        (tree(100, Pairs::Whole), hundred, 416_640, 36_000),
        (list(200), two_hundred, 201_000, 201_000),
        (tree(200, Pairs::Split), two_hundred, 422_820, 20_800),
        (tree(200, Pairs::Whole), two_hundred, 408_370, 19_000),
    ] {
        let rules = load(&sql);
        assert_eq!(work(&rules, Mode::List, workload), (walked, tested));
        assert_eq!(work(&rules, Mode::Map, workload), (tested, tested));
        assert_eq!(work(&rules, Mode::Compiled, workload).1, 0);
    }
    assert_eq!(
        tree(100, Pairs::Split),
        include_str!("data/corpus/rules/published_tree.sql")
    );
    assert_eq!(
        list(200),
        include_str!("data/corpus/rules/published_list.sql")
    );
}

#[test]
fn the_steady_state_allocates_nothing() {
    let mut sql = tree(100, Pairs::Split);
    sql.push_str(
        "INSERT INTO mysql_query_rules (rule_id,active,username,match_digest,flagIN,destination_hostgroup,apply) \
         VALUES (1000,1,'app','^SELECT .* FROM t',0,5,1),(1001,1,NULL,'dual$',0,6,1);\
         INSERT INTO mysql_query_rules_fast_routing VALUES ('app','db',0,7,'');",
    );
    let rules = load(&sql);
    let texts: [&[u8]; 3] = [
        b"/* 042 */ select 'test' from dual",
        b"SELECT a FROM t WHERE id = 7",
        b"/* hello */ select 'test' from dual",
    ];
    for mode in MODES {
        let mut session = Session::new(mode);
        let mut ask = || {
            for text in texts {
                let query = Query {
                    text,
                    user: b"app",
                    schema: b"db",
                    client: Some(b"10.0.0.1"),
                    ..Query::default()
                };
                std::hint::black_box(rules.eval(&mut session, &query));
            }
        };
        ask();
        let info = allocation_counter::measure(|| (0..100).for_each(|_| ask()));
        assert_eq!(info.count_total, 0, "{mode:?}");
    }
}

#[test]
fn what_is_refused_is_named() {
    for (sql, place, kind, loaded) in [
        (
            "INSERT INTO mysql_query_rules (active) VALUES (2);",
            "1:47",
            "rule-check",
            0,
        ),
        (
            "INSERT INTO mysql_query_rules (active,nope) VALUES (1,1);",
            "1:39",
            "rule-column-unknown",
            0,
        ),
        (
            "INSERT INTO mysql_users (a) VALUES (1);",
            "1:13",
            "rule-table-unknown",
            0,
        ),
        (
            "INSERT INTO mysql_query_rules (active) VALUES (1,2);",
            "1:47",
            "rule-value-count",
            0,
        ),
        (
            "INSERT INTO mysql_query_rules (active) VALUES (NULL);",
            "1:47",
            "rule-not-null",
            0,
        ),
        (
            "REPLACE INTO mysql_query_rules (active,apply) VALUES (1,NULL), (1,2);",
            "1:64",
            "rule-check",
            0,
        ),
        (
            "INSERT INTO mysql_query_rules (rule_id,active) VALUES (1,1);\nINSERT INTO mysql_query_rules (rule_id,active) VALUES (1,0);",
            "2:55",
            "rule-unique",
            1,
        ),
        (
            "INSERT INTO mysql_query_rules (active) VALUES (1;\nINSERT INTO mysql_query_rules (active) VALUES (1);",
            "1:49",
            "rule-syntax",
            1,
        ),
        (
            "INSERT INTO mysql_query_rules (active,match_pattern) VALUES (1,'x);",
            "1:64",
            "rule-syntax",
            0,
        ),
        (
            "INSERT INTO mysql_query_rules (active,match_pattern) VALUES (1,'(');",
            "1:61",
            "rule-pattern",
            1,
        ),
        (
            "INSERT INTO mysql_query_rules (active,client_addr) VALUES (1,'10.%.1');",
            "1:59",
            "rule-client-address",
            0,
        ),
        (
            "INSERT INTO mysql_query_rules (active,attributes) VALUES (1,'{');",
            "1:58",
            "rule-check",
            0,
        ),
        (
            "INSERT INTO mysql_query_rules (active,attributes) VALUES (1,'{\"flagOUTs\":1}');",
            "1:58",
            "rule-attributes",
            1,
        ),
        (
            "INSERT INTO mysql_query_rules (active,digest) VALUES (1,'x');",
            "1:54",
            "rule-digest",
            1,
        ),
        (
            "SET mysql-query_processor_iterations=many;",
            "1:5",
            "rule-variable",
            0,
        ),
        (
            "UPDATE mysql_query_rules SET nope=1;",
            "1:30",
            "rule-column-unknown",
            0,
        ),
        ("SELECT 1;", "1:1", "rule-syntax", 0),
        ("SET foo=1;", "1:5", "rule-variable", 0),
        ("LOAD FOO;", "1:1", "rule-syntax", 0),
        ("LOAD FOO TO RUNTIME;", "1:1", "rule-syntax", 0),
        ("SAVE MYSQL QUERY RULES;", "1:1", "rule-syntax", 0),
        ("BEGIN WORK NOW;", "1:1", "rule-syntax", 0),
        (
            "INSERT INTO mysql_query_rules (active) VALUES (1);\n/* open",
            "2:1",
            "rule-syntax",
            1,
        ),
    ] {
        let (rules, report) = RuleSet::from_named_sql("r.sql", sql, Overrides::default());
        let [found] = report.diagnostics() else {
            panic!("{sql}: {report}");
        };
        assert_eq!(found.code.kind, kind, "{sql}");
        let line = report.line(found);
        assert!(
            line.starts_with(&format!("r.sql:{place}: ")),
            "{sql}: {line}"
        );
        assert_eq!(rules.len(), loaded, "{sql}");
    }
}

#[test]
fn statements_do_what_sqlite_does() {
    let rules = load(
        "-- a comment\n# another\n/* a third */
         INSERT INTO main.mysql_query_rules (active,`flagIN`,\"comment\") VALUES (1,01,'it''s'),('1',0x02,NULL);
         REPLACE INTO mysql_query_rules (rule_id,active) VALUES (9,1);
         INSERT INTO mysql_query_rules (active) VALUES (1);
         DELETE FROM mysql_query_rules WHERE rule_id=10;
         INSERT OR IGNORE INTO mysql_query_rules (rule_id,active) VALUES (9,1),(20,1),(21,5);
         INSERT INTO mysql_query_rules (active) VALUES (true);
         UPDATE mysql_query_rules SET active=0, apply=1 WHERE rule_id BETWEEN 1 AND 2 AND NOT flagIN = 2;
         BEGIN; SET admin-version='x'; COMMIT;
         LOAD MYSQL QUERY RULES TO RUNTIME; SAVE MYSQL QUERY RULES TO DISK; load mysql variables from mem;
         UPDATE global_variables SET variable_value='2' WHERE variable_name='mysql-query_processor_iterations';",
    );
    assert_eq!(rules.rule_ids().collect::<Vec<_>>(), [2, 9, 20, 21]);
    assert_eq!(rules.settings().iterations, 2);
    let all = load(
        "INSERT INTO mysql_query_rules VALUES (5,1,NULL,NULL,0,NULL,NULL,NULL,NULL,NULL,'x',0,'CASELESS',NULL,NULL,7,\
         NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,'','');",
    );
    assert_eq!(all.len(), 1);
}

#[test]
fn hostile_sql_is_refused_in_peace() {
    let deep = format!(
        "DELETE FROM mysql_query_rules WHERE {}1{};",
        "(".repeat(100_000),
        ")".repeat(100_000)
    );
    let nots = format!(
        "DELETE FROM mysql_query_rules WHERE {} 1;",
        "NOT ".repeat(100_000)
    );
    let pattern = format!(
        "INSERT INTO mysql_query_rules (active,match_pattern) VALUES (1,'{}a{}');",
        "(".repeat(50_000),
        ")".repeat(50_000)
    );
    let repeats = "INSERT INTO mysql_query_rules (active,match_pattern) VALUES (1,'((a{1000}){1000}){1000}');".to_owned();
    for sql in [
        deep,
        nots,
        pattern,
        repeats,
        "'".to_owned(),
        "\0;;;(\u{fffd}".to_owned(),
    ] {
        let (rules, _) = RuleSet::from_sql(&sql);
        let mut session = Session::new(Mode::List);
        rules.eval(
            &mut session,
            &Query {
                text: b"aaa",
                ..Query::default()
            },
        );
    }
    let (_, report) = RuleSet::from_sql(
        b"INSERT INTO mysql_query_rules (active,username) VALUES (1,'\xff\xfe');",
    );
    assert!(report.diagnostics().is_empty(), "{report}");
}

/// Why plain style refuses each kind of rule.
#[test]
fn plain_style_refuses_what_it_cannot_express() {
    let rule = |columns: &str, values: &str| {
        format!("INSERT INTO mysql_query_rules (rule_id,active,{columns}) VALUES (7,1,{values});")
    };
    for (sql, why) in [
        (rule("match_pattern", "'a(?=b)'"), "backtracking"),
        (rule("match_pattern", "'\\bx'"), "looks around"),
        (rule("match_pattern", "'a.b'"), "counts bytes"),
        (rule("match_pattern", "'\\xff'"), "beyond ASCII"),
        (
            rule("match_pattern", "'[\\x80-\\x90]'"),
            "some bytes beyond ASCII",
        ),
        (rule("match_pattern", "'\\x01'"), "control bytes"),
        (rule("match_pattern", "'(ab){300}'"), "more than 255"),
        (
            rule("match_pattern,replace_pattern", "'a.*b','c'"),
            "something else than a plain text",
        ),
        (
            rule(
                "match_pattern,replace_pattern,re_modifiers",
                "'abc','\\0',''",
            ),
            "references to groups",
        ),
        (
            rule("match_pattern,replace_pattern,re_modifiers", "'a,c','x',''"),
            "STRREPLACE",
        ),
        (
            rule("attributes", "'{\"flagOUTs\":[{\"id\":1,\"weight\":1}]}'"),
            "weighted",
        ),
        (rule("digest", "'0x12'"), "hash of the digest"),
        (rule("proxy_port", "6033"), "address of the proxy"),
        (rule("error_msg", "'${HOME}'"), "a message that"),
        (rule("error_msg", "''"), "a message that"),
    ] {
        let rules = load(&sql);
        let mut report = Report::new();
        rules.dialplan(Style::Plain, &mut report);
        let [refused] = report.diagnostics() else {
            panic!("{sql} is taken");
        };
        assert!(
            refused.message.starts_with("rule 7: ") && refused.message.contains(why),
            "{sql}: {}",
            refused.message
        );
    }
    let re2 = rule("match_pattern,replace_pattern", "'abc','x'");
    let mut overrides = Overrides::default();
    overrides.dialect = Some(Dialect::Re2);
    let (rules, _) = RuleSet::from_named_sql("r.sql", &re2, overrides);
    let mut report = Report::new();
    rules.dialplan(Style::Plain, &mut report);
    assert!(report.to_string().contains("RE2"), "{report}");
    // A rule that no line can hold is left out in both styles.
    let long = rule("match_pattern", &format!("'{}'", "x".repeat(9000)));
    for style in [Style::Native, Style::Plain] {
        let mut report = Report::new();
        load(&long).dialplan(style, &mut report);
        assert!(
            report.to_string().contains("longer than a line"),
            "{report}"
        );
    }
}

/// Patterns of three parts, some of which count bytes, over texts with a character of two bytes: plain style refuses
/// what its expressions, which read characters, would answer otherwise.
#[test]
fn plain_style_reads_characters_only_where_it_makes_no_difference() {
    const PARTS: [&str; 12] = [
        "",
        ".",
        ".+",
        ".*",
        "[^b]",
        "[^a]+",
        "a",
        "b?",
        "(?:.+|a)",
        "(?:.a)?",
        "(?:[^b]*a)+",
        "^",
    ];
    let mut patterns = Vec::new();
    for a in PARTS {
        for b in PARTS {
            for c in PARTS {
                patterns.push(format!("{a}{b}{c}"));
                patterns.push(format!("{a}{b}{c}$"));
            }
        }
    }
    patterns.sort();
    patterns.dedup();
    let letters = ["a", "b", "é"];
    let mut texts = vec![String::new()];
    for n in 0.. {
        if texts[n].chars().count() == 3 {
            break;
        }
        let longer: Vec<String> = letters.iter().map(|l| format!("{}{l}", texts[n])).collect();
        texts.extend(longer);
    }
    let columns = "INSERT INTO mysql_query_rules (rule_id,active,match_pattern) VALUES";
    let mut refused = Vec::new();
    let mut taken = 0;
    for patterns in patterns.chunks(100) {
        let rule = |n: usize, pattern: &str| format!("{columns} ({n},1,'{pattern}');\n");
        let sql: String = patterns
            .iter()
            .enumerate()
            .map(|(n, p)| rule(n, p))
            .collect();
        let mut report = Report::new();
        RuleSet::from_sql(&sql)
            .0
            .dialplan(Style::Plain, &mut report);
        let lines: Vec<usize> = report
            .diagnostics()
            .iter()
            .map(|d| d.place.unwrap().line as usize - 1)
            .collect();
        let kept: String = patterns
            .iter()
            .enumerate()
            .filter(|(n, _)| !lines.contains(n))
            .map(|(n, p)| rule(n, p))
            .collect();
        refused.extend(lines.iter().map(|&n| patterns[n].clone()));
        taken += patterns.len() - lines.len();
        let (rules, _) = RuleSet::from_sql(&kept);
        let mut plain = DialplanSession::new(&rules, Style::Plain, &mut Report::new()).unwrap();
        let mut session = Session::new(Mode::Map);
        for text in &texts {
            let query = Query {
                text: text.as_bytes(),
                ..Query::default()
            };
            let answer = plain.ask(&query).unwrap();
            let (answer, expected) = (answer.outcome(), rules.eval(&mut session, &query));
            for (id, pattern) in (0i64..).zip(patterns) {
                assert_eq!(
                    answer.matched.contains(&id),
                    expected.matched.contains(&id),
                    "{pattern} on {text}"
                );
            }
        }
    }
    for pattern in ["..", "[^b].", ".+.", "[^a]+.", ".+b?.", "a.b", "^.$"] {
        assert!(
            refused.iter().any(|known| known == pattern) || !patterns.contains(&pattern.to_owned()),
            "{pattern} is taken"
        );
    }
    for pattern in [".", "a.", ".+a", "^.*$", ".a.", ".*.", "[^a]+a.+"] {
        assert!(!refused.iter().any(|known| known == pattern), "{pattern}");
    }
    assert!(taken > 500, "{taken}");
}

#[test]
fn lint_names_what_is_not_meant() {
    let insert = "INSERT INTO mysql_query_rules (rule_id,active,match_pattern,flagIN,flagOUT,apply,destination_hostgroup) VALUES ";
    let many: Vec<String> = (0..20)
        .map(|n| format!("({n},1,'/\\* {n:03}',0,NULL,1,{n})"))
        .collect();
    for (sql, kinds) in [
        (format!("{insert}(1,1,'a',5,NULL,1,1);"), vec!["chain-unreachable"]),
        (format!("{insert}(1,1,'a',5,NULL,1,1),(2,1,'b',0,5,0,1);"), vec!["jump-backwards"]),
        (format!("{insert}(1,1,'a',5,NULL,1,1),(2,1,'b',0,5,0,1),(3,1,'c',5,NULL,1,1);"), vec!["jump-into-middle"]),
        (format!("{insert}(2,1,'b',0,5,0,1);"), vec!["jump-to-nothing"]),
        (format!("{insert}(1,1,NULL,0,NULL,1,1),(2,1,'b',0,NULL,1,1);"), vec!["rule-after-catch-all"]),
        (format!("{insert}(1,1,'b',0,NULL,1,1),(2,1,'b',0,NULL,1,1);"), vec!["rule-shadowed"]),
        (format!("{insert}(1,1,'b',0,NULL,1,1); INSERT INTO mysql_query_rules_fast_routing VALUES ('a','b',0,1,'');"), vec!["last-rule-applies"]),
        (format!("{insert}{};", many.join(",")), vec!["many-literals"]),
        ("SET mysql-query_processor_regex=2; INSERT INTO mysql_query_rules (active,match_pattern,replace_pattern) VALUES (1,'a','b');".to_owned(), vec!["case-lost-in-replacement"]),
        (tree(10, Pairs::Split), vec![]),
    ] {
        let (rules, mut report) = RuleSet::from_sql(&sql);
        rules.lint(&mut report);
        let found: Vec<&str> = report.diagnostics().iter().map(|d| d.code.kind).collect();
        assert_eq!(found, kinds, "{sql}");
    }
}

#[test]
fn weighted_flags_are_drawn_by_weight() {
    let rules = load(
        "INSERT INTO mysql_query_rules (rule_id,active,attributes) VALUES
            (1,1,'{\"flagOUTs\":[{\"id\":1,\"weight\":1},{\"id\":2,\"weight\":3}]}');
         INSERT INTO mysql_query_rules (rule_id,active,flagIN,destination_hostgroup,apply) VALUES (2,1,1,1,1),(3,1,2,2,1);",
    );
    for mode in MODES {
        let mut session = Session::new(mode).seed(1);
        let seconds = (0..4000)
            .filter(|_| {
                rules
                    .eval(&mut session, &Query::default())
                    .numbers
                    .hostgroup
                    == 2
            })
            .count();
        assert!((2800..3200).contains(&seconds), "{seconds}");
    }
}

const PATTERNS: [&str; 25] = [
    "(?-i)SELECT",
    "x|(?-i:f)rom",
    "[^]a]",
    "^SELECT",
    "select",
    ".",
    "id=7",
    "^$",
    "FROM t",
    "archive",
    "(",
    "x.*y",
    "[0-4]",
    "a|b",
    "^SELECT.*UPDATE$",
    "\\/\\* 00[1-3]",
    "^select(?!.*for update)",
    "t$",
    "(c)(.)?",
    "\\d+",
    "e{2,3}",
    "é",
    "[^a-z ]+",
    "(?i)U",
    "zzz",
];
const REPLACEMENTS: [&str; 8] = [
    "x",
    "\\0\\0",
    "[\\1]",
    "",
    "FROM archive ",
    "\\x",
    "id=8",
    "SELECT \\2",
];
const TEXTS: [&str; 14] = [
    "SELECT c FROM t WHERE id=7",
    "select c from t for update",
    "/* 002 */ select 'test' from dual",
    "/* hostgroup=9;cache_ttl=5 */ SELECT 1",
    "",
    "DELETE FROM t",
    "archive",
    "x\ny",
    "SELECT a\nFROM b FOR UPDATE",
    "UPDATE t SET a='é' WHERE b=\"(\"",
    "t\n",
    "BEGIN; -- c",
    "SELECT $[1+1], ${QUERY}, \\, \"",
    " see  the bee ",
];

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

fn one_of(list: &'static [&'static str]) -> impl Strategy<Value = Option<&'static str>> {
    prop_oneof![3 => Just(None), 2 => proptest::sample::select(list).prop_map(Some)]
}

/// A row of SQL.
fn row() -> impl Strategy<Value = String> {
    let criteria = (
        one_of(&["app", "App", ""]),
        one_of(&["db", "x"]),
        one_of(&["10.1.2.3", "10.1.%", "%", ""]),
        one_of(&PATTERNS),
        one_of(&PATTERNS),
        0..2u8,
        one_of(&["", "GLOBAL", "CASELESS,GLOBAL"]),
    );
    let results = (
        0..4i32,
        prop_oneof![2 => Just(None), 1 => (0..5i32).prop_map(Some)],
        one_of(&REPLACEMENTS),
        prop_oneof![1 => Just(None), 3 => (0..9i32).prop_map(Some)],
        one_of(&["no", "never (ever), \"x\"", "a;b"]),
        prop_oneof![6 => Just(None), 1 => (0..4i32).prop_map(Some)],
        prop_oneof![2 => Just(0u8), 1 => Just(1)],
        prop_oneof![4 => Just(1u8), 1 => Just(0)],
    );
    (criteria, results).prop_map(|(criteria, results)| {
        let (user, schema, client, digest, pattern, negate, modifiers) = criteria;
        let (flag, out, replace, hostgroup, error, next, apply, active) = results;
        let text = |text: Option<&str>| text.map_or("NULL".to_owned(), quoted);
        let number = |number: Option<i32>| number.map_or("NULL".to_owned(), |n| n.to_string());
        let replace = replace.filter(|_| pattern.is_some());
        format!(
            "({active},{},{},{},{},{},{negate},{},{flag},{},{},{},{},{},{apply})",
            text(user),
            text(schema),
            text(client),
            text(digest),
            text(pattern),
            modifiers.map_or("'CASELESS'".to_owned(), quoted),
            number(out),
            text(replace),
            number(hostgroup),
            text(error),
            number(next),
        )
    })
}

fn sql() -> impl Strategy<Value = String> {
    let fast = proptest::collection::vec((0..3usize, 0..2usize, 0..4i32, 50..60i32), 0..3);
    (proptest::collection::vec(row(), 0..12), fast, 0..3u32, 1..3u8).prop_map(
        |(rows, fast, iterations, dialect)| {
            let mut sql = format!(
                "SET mysql-query_processor_iterations={iterations};\nSET mysql-query_processor_regex={dialect};\n"
            );
            for row in rows {
                let _ = writeln!(
                    sql,
                    "INSERT INTO mysql_query_rules (active,username,schemaname,client_addr,match_digest,match_pattern,\
                     negate_match_pattern,re_modifiers,flagIN,flagOUT,replace_pattern,destination_hostgroup,error_msg,\
                     next_query_flagIN,apply) VALUES {row};"
                );
            }
            for (user, schema, flag, hostgroup) in fast {
                let _ = writeln!(
                    sql,
                    "REPLACE INTO mysql_query_rules_fast_routing VALUES ('{}','{}',{flag},{hostgroup},'');",
                    ["app", "", "x"][user],
                    ["db", "x"][schema]
                );
            }
            sql
        },
    )
}

#[derive(Debug, Clone)]
struct Asked {
    text: Vec<u8>,
    user: &'static str,
    schema: &'static str,
    client: Option<&'static str>,
}

fn asked(text: impl Strategy<Value = Vec<u8>>) -> impl Strategy<Value = Asked> {
    (
        text,
        proptest::sample::select(&["app", "App", "x"][..]),
        proptest::sample::select(&["db", "x", "y"][..]),
        proptest::sample::select(&[Some("10.1.2.3"), Some("10.10.0.1"), None][..]),
    )
        .prop_map(|(text, user, schema, client)| Asked {
            text,
            user,
            schema,
            client,
        })
}

impl Asked {
    fn query(&self) -> Query<'_> {
        Query {
            text: &self.text,
            user: self.user.as_bytes(),
            schema: self.schema.as_bytes(),
            client: self.client.map(str::as_bytes),
            ..Query::default()
        }
    }
}

fn outcome_text(outcome: &Outcome<'_>) -> String {
    format!(
        "{:?} {:?} {:?} {:?} {:?} flag {} next {}",
        outcome.numbers,
        outcome.matched,
        outcome.rewritten.map(bstr::BStr::new),
        outcome.error_msg,
        outcome.ok_msg,
        outcome.flag,
        outcome.next_query_flag_in
    )
}

fn known_text() -> impl Strategy<Value = Vec<u8>> {
    proptest::sample::select(&TEXTS[..]).prop_map(|text| text.as_bytes().to_vec())
}

fn any_text() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        2 => known_text(),
        1 => proptest::collection::vec(any::<u8>(), 0..40),
        1 => "[a-fA-F0-9 '\"/*;\n=é?(),.-]{0,40}".prop_map(String::into_bytes),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn all_modes_agree(sql in sql(), queries in proptest::collection::vec(asked(any_text()), 1..6)) {
        let (rules, _) = RuleSet::from_sql(&sql);
        let mut sessions = MODES.map(Session::new);
        for asked in &queries {
            let [list, map, compiled] = &mut sessions;
            let expected = outcome_text(&rules.eval(list, &asked.query()));
            let by_map = rules.eval(map, &asked.query());
            prop_assert_eq!(&outcome_text(&by_map), &expected);
            prop_assert_eq!(by_map.work.walked, by_map.work.tested);
            prop_assert_eq!(&outcome_text(&rules.eval(compiled, &asked.query())), &expected);
        }
    }

    #[test]
    fn dialplans_agree(sql in sql(), queries in proptest::collection::vec(asked(known_text()), 1..4)) {
        let (rules, _) = RuleSet::from_sql(&sql);
        for style in [Style::Native, Style::Plain] {
            let Ok(mut dialplan) = DialplanSession::new(&rules, style, &mut Report::new()) else {
                prop_assert_eq!(style, Style::Plain);
                continue;
            };
            let mut session = Session::new(Mode::List);
            for asked in &queries {
                let answer: Answer = dialplan.ask(&asked.query()).map_err(TestCaseError::fail)?;
                let expected = outcome_text(&rules.eval(&mut session, &asked.query()));
                prop_assert_eq!(&outcome_text(&answer.outcome()), &expected, "{:?}\n{}", style, sql);
            }
        }
    }

    #[test]
    fn any_bytes_are_taken_as_sql(sql in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = RuleSet::from_sql(&sql);
    }
}

/// What the commands print, and their exit codes.
#[cfg(feature = "cli")]
mod commands {
    use std::io::Write as _;
    use std::process::{Command, Output, Stdio};

    /// Runs a command with the SQL in a file whose name stands where `FILE` does.
    fn rules(sql: &str, arguments: &[&str], input: &str) -> (i32, String, String) {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(sql.as_bytes()).unwrap();
        let name = file.path().to_str().unwrap();
        let arguments = arguments
            .iter()
            .map(|&argument| if argument == "FILE" { name } else { argument });
        let mut child = Command::new(env!("CARGO_BIN_EXE_strowger"))
            .arg("rules")
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A command that does not read its input may be gone already.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        let Output {
            status,
            stdout,
            stderr,
        } = child.wait_with_output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap().replace(name, "FILE");
        (status.code().unwrap(), text(stdout), text(stderr))
    }

    const RULE: &str = "INSERT INTO mysql_query_rules (rule_id,active,match_pattern,apply) VALUES";

    #[test]
    fn a_rule_that_plain_style_refuses_is_named() {
        let sql = format!("{RULE} (1,1,'a',1);\n{RULE} (2,1,'x(?=y)',1);\n");
        let (status, _, import) = rules(&sql, &["import", "FILE", "--style", "plain"], "");
        assert_eq!(status, 1);
        let (place, message) = import.split_once(" rule 2: ").unwrap();
        assert!(place.starts_with("FILE:2:"), "{import}");
        assert!(
            message.starts_with("a pattern that only a backtracking matcher knows"),
            "{import}"
        );
        let plain = ["run", "FILE", "--mode", "plain", "--query", "a"];
        assert_eq!(rules(&sql, &plain, ""), (1, String::new(), import.clone()));
        let queries = "{\"query\":\"a\"}\n{\"query\":\"b\"}\n";
        let (status, out, err) = rules(
            &sql,
            &["run", "FILE", "--mode", "plain", "--jsonl"],
            queries,
        );
        let answer = "{\"error\":\"rule 2: a pattern that only a backtracking matcher knows\"}\n";
        assert_eq!((status, out, err), (1, answer.repeat(2), import.clone()));
        let compare = ["compare", "FILE", "--plain"];
        assert_eq!(rules(&sql, &compare, queries), (1, String::new(), import));
    }

    #[test]
    fn what_passed_in_silence_is_named() {
        for (sql, message) in [
            ("SET foo=1;", "FILE:1:5: "),
            ("LOAD FOO;", "FILE:1:1: "),
            ("/* open", "FILE:1:1: "),
        ] {
            let (status, _, err) = rules(sql, &["run", "FILE", "--query", "a"], "");
            assert_eq!(status, 1, "{sql}");
            assert!(err.starts_with(message), "{sql}: {err}");
        }
    }

    #[test]
    fn one_is_not_many() {
        let sql = format!("{RULE} (1,1,'a',1);");
        let query = "{\"query\":\"a\"}\n";
        let (_, out, _) = rules(&sql, &["stats", "FILE"], query);
        assert!(out.ends_with("1 query, 1 hit\n"), "{out}");
        let (_, out, _) = rules(&sql, &["stats", "FILE"], &query.repeat(2));
        assert!(out.ends_with("2 queries, 2 hits\n"), "{out}");
        let (_, out, _) = rules(&sql, &["compare", "FILE"], query);
        assert!(out.ends_with("1 query\n"), "{out}");
        let bench = ["bench", "FILE", "--workload", "shards:1x1", "--time", "1"];
        let (_, out, _) = rules(&sql, &bench, "");
        assert!(out.starts_with("FILE: 1 rule, 1 query\n"), "{out}");
    }

    #[test]
    fn only_modes_that_can_be_measured_are_offered() {
        let (_, help, _) = rules("", &["bench", "--help"], "");
        assert!(help.contains("list, map, compiled"), "{help}");
        assert!(
            !help.contains("plain") && !help.contains("dialplan"),
            "{help}"
        );
        let bench = ["bench", "FILE", "--mode", "plain"];
        assert_eq!(rules("", &bench, "").0, 2);
    }

    #[test]
    fn a_pipe_is_read() {
        let sql = format!("{RULE} (7,1,'a',1);");
        let asked = ["run", "/dev/stdin", "--query", "a"];
        let (status, out, err) = rules("", &asked, &sql);
        assert_eq!((status, err.as_str()), (0, ""));
        assert!(out.contains("rules      7\n"), "{out}");
    }
}
