//! `RULE()`.

use crate::diagnostic::code;
use crate::library::{Example, Function};
use crate::machine::{Answer, Cx};
use crate::rules::dialplan::NUMBERS;
use crate::rules::digest::digest;
use crate::rules::settings::Settings;

/// What the rules decided.
pub(super) static RULE: Function = Function::read(
    "RULE",
    "What routing rules decided about the last query.",
    "field or digest,query",
    "Fields have the names of `strowger rules run --jsonl`: hostgroup, rules, walked, tested, query, error, ok, log, \
     next_query_flagIN, cache_ttl, timeout, mirror_hostgroup, delay, retries, multiplex, digest; also flag, where the \
     rules ended. RULE(digest,text) is the digest of any query.",
    read,
)
.own()
.examples(&[Example {
    title: "The digest of a query",
    dialplan: "Set(q=SELECT 1)",
    evaluate: "${RULE(digest,${q})}",
    expect: "SELECT ?",
}]);

fn read(cx: &mut Cx<'_>, arguments: &[u8], out: &mut Vec<u8>) -> Answer {
    let end = memchr::memchr(b',', arguments).unwrap_or(arguments.len());
    let (field, text) = arguments.split_at(end);
    if let (b"digest", Some(text)) = (field, text.get(1..)) {
        out.extend_from_slice(&digest(text, &Settings::default().digest));
        return Answer::Done;
    }
    let variable = match field {
        b"rules" => "RULES_MATCHED",
        b"walked" => "RULES_WALKED",
        b"tested" => "RULES_TESTED",
        b"query" => "QUERY",
        b"error" => "ERROR_MSG",
        b"ok" => "OK_MSG",
        b"next_query_flagIN" => "NEXT_QUERY_FLAGIN",
        b"digest" => "DIGEST",
        b"flag" => "FLAG",
        _ => {
            let known = NUMBERS.iter().find(|(name, _)| name.as_bytes() == field);
            let Some((_, variable)) = known else {
                let name = bstr::BStr::new(field).to_string();
                cx.log(&code::BAD_ARGUMENT, || {
                    format!("RULE has no field `{name}`")
                });
                return Answer::Failed;
            };
            variable
        }
    };
    out.extend_from_slice(&cx.text_of(variable.as_bytes()));
    Answer::Done
}
