//! `ExecRule`: one rule as an application.

use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use crate::base::scan::atoi;
use crate::base::symbol::{StableMap, stable_map};
use crate::base::{Place, SourceId};
use crate::diagnostic::code;
use crate::library::{Application, Example};
use crate::machine::{Cx, Flow};
use crate::rules::comment;
use crate::rules::dialplan::{NUMBERS, fields};
use crate::rules::digest::{DigestBuffers, digest_hash};
use crate::rules::evaluate::Walk;
use crate::rules::outcome::Numbers;
use crate::rules::pattern::{Pattern, Replacement};
use crate::rules::rule::{Client, Matching, Rule, modifiers};
use crate::rules::session::{Buffers, Query};
use crate::rules::set::RuleSet;
use crate::rules::settings::{Dialect, Settings};

/// One rule of a chain.
pub(super) static EXEC_RULE: Application = Application::new(
    "ExecRule",
    "Tests a query against a routing rule.",
    "rule_id[,column=value…][,goto=context[:label]][,apply]",
    "The columns are those of ProxySQL's mysql_query_rules; destination_hostgroup is called hostgroup. The query is \
     asked of the variables QUERY, USER, SCHEMA and CLIENT. A rule that matches sets HOSTGROUP, ERROR_MSG and the like \
     and adds its number to RULES_MATCHED; then it goes to another context, returns (apply), or goes on at the next \
     priority. ExecRule(start) clears the variables and makes the digest, ExecRule(fast,…) is a row of fast routing, \
     ExecRule(end) lets the query's first comment override. `strowger rules import` writes such dialplans.",
    run,
)
.own()
.examples(&[Example {
    title: "A rule that matches",
    dialplan: "Set(QUERY=SELECT 1)\nExecRule(7,match_pattern=^select,hostgroup=2)",
    evaluate: "${HOSTGROUP} ${RULES_MATCHED}",
    expect: "2 7",
}]);

/// A line as it was read.
struct Line {
    rule: Rule,
    /// Weights and targets.
    draws: Vec<(i32, Vec<u8>)>,
    goto: Option<Vec<u8>>,
    set: RuleSet,
}

type Lines = StableMap<(Vec<u8>, bool), Arc<Line>>;

/// Lines by their data; a pattern is compiled once.
static LINES: LazyLock<Mutex<Lines>> = LazyLock::new(|| Mutex::new(stable_map()));
/// Lines that are kept.
const KEPT: usize = 200_000;

fn run(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    match data.split(|&byte| byte == b',').next() {
        Some(b"start") => start(cx),
        Some(b"end") => end(cx),
        Some(b"fast") => fast(cx, data),
        _ => rule(cx, data),
    }
}

fn number(cx: &Cx<'_>, name: &[u8]) -> i32 {
    atoi(&cx.text_of(name))
}

fn start(cx: &mut Cx<'_>) -> Flow {
    for (_, variable) in NUMBERS {
        cx.set(variable.as_bytes(), b"-1");
    }
    for variable in ["ERROR_MSG", "OK_MSG", "QUERY_REWRITTEN", "RULES_APPLIED"] {
        cx.remove(variable.as_bytes());
    }
    for variable in ["RULES_TESTED", "RULES_WALKED"] {
        cx.set(variable.as_bytes(), b"0");
    }
    cx.set(b"RULES_MATCHED", b"");
    let left = cx.text_of(b"RULES_ITERATIONS");
    cx.set(b"RULES_LEFT", &left);
    let flag = number(cx, b"NEXT_QUERY_FLAGIN").max(0);
    cx.set(b"FLAG", flag.to_string().as_bytes());
    let mut buffers = DigestBuffers::default();
    buffers.make(&cx.text_of(b"QUERY"), &Settings::default().digest);
    cx.set(b"DIGEST", &buffers.text);
    cx.set(b"RULES_COMMENT", &buffers.comment);
    Flow::Next
}

fn end(cx: &mut Cx<'_>) -> Flow {
    let comment = cx.text_of(b"RULES_COMMENT");
    if !comment.is_empty() {
        let mut numbers = Numbers::UNSET;
        comment::apply(&comment, &mut numbers);
        write(cx, &numbers);
    }
    let next = number(cx, b"RULES_NEXT");
    let answered = cx.variable(b"ERROR_MSG").is_some() || cx.variable(b"OK_MSG").is_some();
    if next >= 0 && !answered {
        cx.set(b"NEXT_QUERY_FLAGIN", next.to_string().as_bytes());
    }
    Flow::Next
}

fn write(cx: &mut Cx<'_>, numbers: &Numbers) {
    for ((_, variable), number) in NUMBERS.iter().zip(numbers.listed()) {
        if number >= 0 {
            cx.set(variable.as_bytes(), number.to_string().as_bytes());
        }
    }
}

fn back() -> Flow {
    Flow::Exec {
        application: b"Return".to_vec(),
        data: Vec::new(),
        then: None,
    }
}

fn fast(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    let mut matches = true;
    let mut hostgroup = Vec::new();
    for (name, value) in fields(data) {
        match name.as_slice() {
            b"username" => matches &= cx.text_of(b"USER") == value,
            b"schemaname" => matches &= cx.text_of(b"SCHEMA") == value,
            b"flag" => matches &= number(cx, b"FLAG") == atoi(&value),
            b"hostgroup" => hostgroup = value,
            _ => {}
        }
    }
    if !matches {
        return Flow::Next;
    }
    cx.set(b"HOSTGROUP", &hostgroup);
    back()
}

fn rule(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    let re2 = cx.text_of(b"RULES_REGEX").eq_ignore_ascii_case(b"re2");
    let key = (data.to_vec(), re2);
    let known = LINES
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .get(&key)
        .cloned();
    let line = if let Some(line) = known {
        line
    } else {
        let line = match read(data, if re2 { Dialect::Re2 } else { Dialect::Pcre }) {
            Ok(line) => Arc::new(line),
            Err(message) => {
                cx.log(&code::RULE_INVALID, || message);
                return Flow::Next;
            }
        };
        let mut lines = LINES.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() >= KEPT {
            lines.clear();
        }
        lines.insert(key, line.clone());
        line
    };
    for variable in [b"RULES_TESTED", b"RULES_WALKED"] {
        let count = number(cx, variable).saturating_add(1);
        cx.set(variable, count.to_string().as_bytes());
    }
    let rule = &line.rule;
    let text = cx.text_of(b"QUERY");
    if !asked(cx, &line, &text) {
        return Flow::Next;
    }
    let mut matched = cx.text_of(b"RULES_MATCHED");
    if !matched.is_empty() {
        matched.push(b',');
    }
    matched.extend_from_slice(rule.id.to_string().as_bytes());
    cx.set(b"RULES_MATCHED", &matched);
    write(cx, &rule.numbers);
    for (variable, text) in [
        (&b"ERROR_MSG"[..], &rule.error_msg),
        (b"OK_MSG", &rule.ok_msg),
    ] {
        if let Some(text) = text {
            cx.set(variable, text);
        }
    }
    if let (Some(replacement), Some(matching)) = (&rule.replacement, &rule.match_pattern) {
        let mut out = Vec::new();
        replacement.apply(&matching.pattern, &text, &mut out);
        cx.set(b"QUERY", &out);
        cx.set(b"QUERY_REWRITTEN", b"1");
    }
    let mut target = None;
    if rule.weights_total > 0 {
        let random = cx.environment().random();
        let mut drawn = (random % u64::from(rule.weights_total.unsigned_abs())) as i32;
        for (weight, to) in &line.draws {
            if drawn < *weight {
                target = Some(to);
                break;
            }
            drawn -= weight;
        }
    }
    if let Some(target) = line.goto.as_ref().or(target) {
        let (context, _) = place(target);
        let flag = context.rsplit(|&byte| byte == b'-').next();
        cx.set(b"FLAG", flag.unwrap_or(context));
        if !rule.apply {
            return jump(cx, target);
        }
    }
    if rule.apply {
        cx.set(b"RULES_APPLIED", b"1");
        return back();
    }
    Flow::Next
}

/// Whether the query of the channel matches.
fn asked(cx: &Cx<'_>, line: &Line, text: &[u8]) -> bool {
    let user = cx.text_of(b"USER");
    let schema = cx.text_of(b"SCHEMA");
    let client = cx.variable(b"CLIENT").map(|_| cx.text_of(b"CLIENT"));
    let proxy_addr = cx
        .variable(b"PROXY_ADDR")
        .map(|_| cx.text_of(b"PROXY_ADDR"));
    let query = Query {
        text,
        user: &user,
        schema: &schema,
        client: client.as_deref(),
        proxy_addr: proxy_addr.as_deref(),
        proxy_port: u16::try_from(number(cx, b"PROXY_PORT")).unwrap_or(0),
    };
    let mut buffers = Buffers::default();
    // The digest is that of the query as it came.
    buffers.digest.text = cx.text_of(b"DIGEST");
    buffers.digest_hash = digest_hash(&buffers.digest.text, &line.set.settings.digest);
    buffers.has_digest = true;
    Walk::alone(&line.set, &query).matches(&line.rule, &mut buffers)
}

/// Context and label of a target.
fn place(target: &[u8]) -> (&[u8], Option<&[u8]>) {
    match target.iter().rposition(|&byte| byte == b':') {
        Some(at) => {
            let (context, label) = target.split_at(at);
            (context, label.get(1..))
        }
        None => (target, None),
    }
}

/// To the label; with iterations left, to the top.
fn jump(cx: &mut Cx<'_>, target: &[u8]) -> Flow {
    let (context, label) = place(target);
    let left = number(cx, b"RULES_LEFT");
    let priority = if left > 0 {
        cx.set(b"RULES_LEFT", (left - 1).to_string().as_bytes());
        &b"1"[..]
    } else {
        label.unwrap_or(b"1")
    };
    Flow::Exec {
        application: b"Goto".to_vec(),
        data: [context, b",q,", priority].concat(),
        then: None,
    }
}

fn read(data: &[u8], dialect: Dialect) -> Result<Line, String> {
    let settings = Settings {
        dialect,
        ..Settings::default()
    };
    let mut parts = fields(data).into_iter();
    let id = parts
        .next()
        .and_then(|(id, _)| std::str::from_utf8(&id).ok()?.parse().ok())
        .ok_or_else(|| "ExecRule needs a rule_id, `start`, `fast` or `end`".to_owned())?;
    let place = Place::line(SourceId(0), 0);
    let mut rule = Rule::empty(id, place);
    let mut numbers = rule.numbers.listed();
    let mut patterns = [None, None];
    let (mut draws, mut goto, mut global) = (Vec::new(), None, false);
    for (name, value) in parts {
        let given = Some(value.clone()).filter(|value| !value.is_empty());
        match name.as_slice() {
            b"username" => rule.username = given,
            b"schemaname" => rule.schemaname = given,
            b"client_addr" => {
                rule.client = match (value.as_slice(), value.strip_suffix(b"%")) {
                    (b"" | b"%", _) => Client::Any,
                    (_, Some(prefix)) => Client::Prefix(prefix.to_vec()),
                    _ => Client::Exactly(value),
                };
            }
            b"proxy_addr" => rule.proxy_addr = given,
            b"proxy_port" => rule.proxy_port = atoi(&value),
            b"digest" => rule.digest = crate::rules::rule::digest_number(&value),
            b"match_digest" => patterns[0] = Some(value),
            b"match_pattern" => patterns[1] = Some(value),
            b"negate" => rule.negated = atoi(&value) == 1,
            b"re_modifiers" => (rule.caseless, global) = modifiers(&value),
            b"replace_pattern" => rule.replacement_text = Some(value),
            b"error_msg" => rule.error_msg = Some(value),
            b"OK_msg" => rule.ok_msg = Some(value),
            b"draw" => {
                let (weight, target) = match memchr::memchr(b'*', &value) {
                    Some(at) => value.split_at(at),
                    None => return Err("`draw` needs weight*target".to_owned()),
                };
                let weight = atoi(weight);
                draws.push((weight, target.get(1..).unwrap_or_default().to_vec()));
                rule.weights_total = rule.weights_total.wrapping_add(weight);
            }
            b"goto" => goto = given,
            b"apply" => rule.apply = true,
            _ => {
                let known = NUMBERS
                    .iter()
                    .zip(&mut numbers)
                    .find(|((known, _), _)| known.as_bytes() == name);
                match known {
                    Some((_, number)) => *number = atoi(&value),
                    None => return Err(format!("`{}` is no column", bstr::BStr::new(&name))),
                }
            }
        }
    }
    rule.numbers = Numbers::of(numbers);
    let mut wrong = None;
    let mut matching = |text: Option<Vec<u8>>| {
        let text = text?;
        let (pattern, fault) = Pattern::new(&text, dialect, rule.caseless);
        wrong = fault.or(wrong.take());
        Some(Matching { text, pattern })
    };
    let [match_digest, match_pattern] = patterns;
    rule.match_digest = matching(match_digest);
    rule.match_pattern = matching(match_pattern);
    rule.replacement = match (&rule.match_pattern, &rule.replacement_text) {
        (Some(matching), Some(text)) => {
            Some(Replacement::new(text, &matching.text, dialect, global))
        }
        _ => None,
    };
    Ok(Line {
        rule,
        draws,
        goto,
        set: RuleSet::empty(settings),
    })
}
