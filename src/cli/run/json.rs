//! The JSON form of a call: as the recorded scenarios have it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::base::Text;
use crate::diagnostic::{Code, Entry, code};
use crate::host::RunReport;
use crate::host::simulate::ChannelReport;
use crate::machine::{Location, Note};
use crate::syntax::print::json::{byte_key, byte_string};

/// What the channel of the call is called inside: a name that no dialplan writes out by chance.
pub(super) const OWN_NAME: &str = "Local/main@run-00000000;2";
/// What it is called in answers.
const SHOWN_NAME: &[u8] = b"main";

/// A text with the channel's name as answers show it.
pub(super) fn shown(text: &[u8]) -> Cow<'_, [u8]> {
    if bstr::ByteSlice::find(text, OWN_NAME).is_none() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(bstr::ByteSlice::replace(text, OWN_NAME, SHOWN_NAME))
}

/// The variables that are reported unless others are asked for.
const VARIABLES: &[&str] = &[
    "R1",
    "R2",
    "R3",
    "R4",
    "R5",
    "R6",
    "R7",
    "R8",
    "R9",
    "A",
    "B",
    "C",
    "D",
    "I",
    "J",
    "N",
    "S",
    "X",
    "Y",
    "V1",
    "V2",
    "V3",
    "V4",
    "DIALSTATUS",
    "GOSUB_RETVAL",
    "READSTATUS",
    "TRYSTATUS",
    "ARG1",
    "ARGC",
    "HANGUPCAUSE",
];

/// The kinds of log entries that a call's answer lists.
const KINDS: &[&Code] = &[
    &code::APPLICATION_UNKNOWN,
    &code::LABEL_NOT_FOUND,
    &code::GOTO_TARGET_INVALID,
    &code::GOTO_WITHOUT_ARGUMENT,
    &code::GOTOIFTIME_WITHOUT_ARGUMENT,
    &code::CONDITION_EMPTY,
    &code::GOSUB_TARGET_MISSING,
    &code::GOSUB_TARGET_INVALID,
    &code::GOSUB_WITHOUT_ARGUMENT,
    &code::RETURN_WITHOUT_GOSUB,
    &code::STACKPOP_WITHOUT_GOSUB,
    &code::LOCAL_OUTSIDE_GOSUB,
    &code::ENDWHILE_MISSING,
    &code::ENDIF_MISSING,
    &code::INVALID_EXTENSION_NO_HANDLER,
    &code::TYPED_EXTENSION_INVALID_NO_HANDLER,
    &code::SET_EMPTY,
    &code::SET_WITHOUT_EQUALS,
    &code::MSET_ENTRY_WITHOUT_EQUALS,
    &code::SPACES_IN_VARIABLE_NAME,
    &code::SUBSTITUTION_NOT_CLOSED,
    &code::FUNC_MISSING_PARENTHESIS,
    &code::FUNC_UNKNOWN,
    &code::FUNC_NOT_READABLE,
    &code::FUNC_NOT_WRITABLE,
    &code::EXPR_SYNTAX,
    &code::EXPR_DIVISION_BY_ZERO,
    &code::DIAL_TECHNOLOGY_UNKNOWN,
    &code::DIAL_ARGUMENT_INVALID,
    &code::DIAL_TIMEOUT_INVALID,
    &code::LOCAL_EXTENSION_MISSING,
    &code::UNKNOWN_OPTION,
    &code::HANGUP_CAUSE_INVALID,
    &code::LOG_LEVEL_UNKNOWN,
    &code::CHANNEL_ITEM_UNKNOWN,
    &code::BAD_TIMESPEC,
];

/// The whole answer.
pub(super) fn report(report: &mut RunReport, variables: &[String]) -> Value {
    let mut channels = BTreeMap::new();
    let traces: Vec<Vec<Value>> = (0..report.channels.len())
        .map(|order| {
            report
                .trace(order)
                .map(|step| {
                    json!([
                        byte_string(&step.at.context),
                        byte_string(&step.at.exten),
                        step.at.priority,
                        byte_string(step.application),
                        byte_string(&shown(step.data)),
                    ])
                })
                .collect()
        })
        .collect();
    for (order, (channel, trace)) in report.channels.iter_mut().zip(traces).enumerate() {
        if channel.ran || order == 0 {
            let answer = json!({
                "trace": trace,
                "vars": values(channel, variables),
                "cause": channel.cause(),
            });
            channels.insert(shown(&channel.name).into_owned(), answer);
        }
    }
    let channels: Map<String, Value> = channels
        .into_iter()
        .map(|(name, answer)| (byte_key(&name), answer))
        .collect();
    let mut notes: Vec<Value> = report.notes().map(|(c, n)| note(c, n)).collect();
    notes.sort_by_cached_key(Value::to_string);
    let log: Vec<Value> = report
        .log()
        .into_iter()
        .filter_map(|(_, e)| entry(e))
        .collect();
    json!({ "channels": channels, "notes": notes, "log": log })
}

/// An answer that begins with the id of its question.
pub(super) fn with_id(id: Option<Value>, answer: Value) -> Value {
    let mut object = Map::new();
    if let Some(id) = id {
        object.insert("id".to_owned(), id);
    }
    if let Value::Object(answer) = answer {
        object.extend(answer);
    }
    Value::Object(object)
}

fn values(channel: &mut ChannelReport, names: &[String]) -> Value {
    let all = names.iter().any(|name| name == "all");
    let values: BTreeMap<Vec<u8>, Text> = if all {
        let all = channel.call.variables();
        all.into_iter().map(|(n, v)| (n.to_vec(), v)).collect()
    } else {
        let asked: Vec<&str> = if names.is_empty() {
            VARIABLES.to_vec()
        } else {
            names.iter().map(String::as_str).collect()
        };
        asked
            .into_iter()
            .filter_map(|name| Some((name.as_bytes().to_vec(), channel.variable(name.as_bytes())?)))
            .collect()
    };
    values
        .into_iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| (byte_key(&name), byte_string(&shown(&value))))
        .collect::<Map<String, Value>>()
        .into()
}

fn place(at: &Location) -> Value {
    json!([
        byte_string(&at.context),
        byte_string(&at.exten),
        at.priority
    ])
}

/// A note, its keys sorted.
fn note(channel: &Text, note: &Note) -> Value {
    let channel = byte_string(&shown(channel));
    match note {
        Note::AutoFallthrough { status } => json!({
            "channel": channel, "note": "auto-fallthrough", "status": byte_string(status)
        }),
        Note::InvalidExtension { at } => json!({
            "at": place(at), "channel": channel, "note": "invalid-extension"
        }),
        Note::Timeout => json!({ "channel": channel, "note": "timeout" }),
        Note::SpawnExit { at } => json!({
            "at": place(at), "channel": channel, "note": "spawn-exit"
        }),
        Note::Limit { text } => json!({ "channel": channel, "note": "limit", "text": text }),
    }
}

/// A log entry. A brace and a bracket that are missing are one kind here.
fn entry(entry: &Entry) -> Option<Value> {
    let open = [&code::MISSING_BRACE, &code::MISSING_BRACKET].contains(&entry.code);
    let code = if open {
        &code::SUBSTITUTION_NOT_CLOSED
    } else {
        entry.code
    };
    KINDS
        .contains(&code)
        .then(|| json!({ "level": entry.level.name(), "kind": code.kind }))
}
