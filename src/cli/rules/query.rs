//! Queries on standard input, and outcomes as JSON.

use serde_json::{Map, Value, json};

use crate::cli::{exit, input, ui};
use crate::rules::{Outcome, Query, RuleSet, digest};
use crate::syntax::print::json::{byte_string, bytes_of};

/// A query that was read.
#[derive(Debug, Clone, Default)]
pub(super) struct Asked {
    pub(super) text: Vec<u8>,
    pub(super) user: Vec<u8>,
    pub(super) schema: Vec<u8>,
    pub(super) client: Option<Vec<u8>>,
    pub(super) proxy_addr: Option<Vec<u8>>,
    pub(super) proxy_port: u16,
}

impl Asked {
    /// The query as the rules are asked.
    pub(super) fn query(&self) -> Query<'_> {
        Query {
            text: &self.text,
            user: &self.user,
            schema: &self.schema,
            client: self.client.as_deref(),
            proxy_addr: self.proxy_addr.as_deref(),
            proxy_port: self.proxy_port,
        }
    }

    fn read(value: &Value) -> Result<Self, String> {
        let object = value
            .as_object()
            .ok_or_else(|| "a query is a JSON object".to_owned())?;
        let text = |name: &str| match object.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => bytes_of(value)
                .map(Some)
                .ok_or_else(|| format!("`{name}` is no text")),
        };
        let port = object.get("proxy_port").and_then(Value::as_u64);
        Ok(Self {
            text: text("query")?.ok_or_else(|| "`query` is missing".to_owned())?,
            user: text("user")?.unwrap_or_default(),
            schema: text("schema")?.unwrap_or_default(),
            client: text("client")?,
            proxy_addr: text("proxy_addr")?,
            proxy_port: port.and_then(|port| u16::try_from(port).ok()).unwrap_or(0),
        })
    }
}

/// Answers the queries of standard input, one a line; lines that are none are answered with an error. The value is
/// the exit code.
pub(super) fn each_line(
    mut answer: impl FnMut(&Asked) -> Result<Option<Value>, String>,
) -> Result<i32, i32> {
    let mut status = exit::FINE;
    for line in input::lines() {
        let line = line.map_err(|error| {
            ui::message(&format!("standard input: {error}"));
            exit::UNREADABLE
        })?;
        if line.trim_ascii().is_empty() {
            continue;
        }
        let value: Result<Value, String> =
            serde_json::from_slice(&line).map_err(|error| format!("not JSON: {error}"));
        let id = value
            .as_ref()
            .ok()
            .and_then(|value| value.get("id").cloned());
        let answered = value
            .and_then(|value| Asked::read(&value))
            .and_then(|asked| answer(&asked));
        match answered {
            Ok(Some(value)) => ui::json_line(&value),
            Ok(None) => {}
            Err(message) => {
                status = exit::FINDINGS;
                ui::json_line(&match id {
                    Some(id) => json!({ "id": id, "error": message }),
                    None => json!({ "error": message }),
                });
            }
        }
    }
    Ok(status)
}

/// All queries of standard input.
pub(super) fn all_lines() -> Result<Vec<Asked>, i32> {
    let mut queries = Vec::new();
    let status = each_line(|asked| {
        queries.push(asked.clone());
        Ok(None)
    })?;
    if status == exit::FINE {
        Ok(queries)
    } else {
        Err(status)
    }
}

/// A number of things.
pub(super) fn counted(n: u64, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// An outcome with the fields that the command line promises.
pub(super) fn object(rules: &RuleSet, asked: &Asked, outcome: &Outcome<'_>) -> Value {
    let text = |text: Option<&[u8]>| text.map_or(Value::Null, byte_string);
    let numbers = &outcome.numbers;
    let settings = &rules.settings().digest;
    let digest = settings.enabled.then(|| digest(&asked.text, settings));
    let mut object = Map::new();
    let mut put = |name: &str, value: Value| {
        object.insert(name.to_owned(), value);
    };
    put("hostgroup", numbers.hostgroup.into());
    put("rules", outcome.matched.into());
    put("walked", outcome.work.walked.into());
    put("tested", outcome.work.tested.into());
    put("query", text(outcome.rewritten));
    put("error", text(outcome.error_msg));
    put("ok", text(outcome.ok_msg));
    put("log", numbers.log.into());
    put("next_query_flagIN", outcome.next_query_flag_in.into());
    put("cache_ttl", numbers.cache_ttl.into());
    put("timeout", numbers.timeout.into());
    put("mirror_hostgroup", numbers.mirror_hostgroup.into());
    put("delay", numbers.delay.into());
    put("retries", numbers.retries.into());
    put("multiplex", numbers.multiplex.into());
    put("digest", text(digest.as_deref()));
    Value::Object(object)
}
