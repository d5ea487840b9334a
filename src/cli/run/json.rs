//! The JSON form of a call: as the recorded scenarios have it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::ser::{Serialize, SerializeMap as _, Serializer};
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

/// The whole answer, written from the report as it goes out: a call may have executed millions of priorities.
pub(super) struct Answer<'a> {
    id: Option<Value>,
    channels: BTreeMap<Vec<u8>, Ended>,
    /// Notes and how many times each comes, in the order of their JSON.
    notes: Vec<(Value, u32)>,
    report: &'a RunReport,
}

/// A channel at its end.
struct Ended {
    order: usize,
    variables: Value,
    cause: u32,
}

impl<'a> Answer<'a> {
    /// The answer of a report with the variables of these names, and the id of its question.
    pub(super) fn new(id: Option<Value>, report: &'a mut RunReport, variables: &[String]) -> Self {
        let mut channels = BTreeMap::new();
        for (order, channel) in report.channels.iter_mut().enumerate() {
            if channel.ran || order == 0 {
                let ended = Ended {
                    order,
                    variables: values(channel, variables),
                    cause: channel.cause(),
                };
                channels.insert(shown(&channel.name).into_owned(), ended);
            }
        }
        let mut notes: Vec<(Value, u32)> = report
            .notes()
            .map(|(channel, n, times)| (note(channel, n), times))
            .collect();
        notes.sort_by_cached_key(|(note, _)| note.to_string());
        Self {
            id,
            channels,
            notes,
            report,
        }
    }
}

impl Serialize for Answer<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(None)?;
        if let Some(id) = &self.id {
            object.serialize_entry("id", id)?;
        }
        object.serialize_entry("channels", &Channels(self))?;
        object.serialize_entry(
            "notes",
            &Sequence(|| repeated(self.notes.iter().map(|(note, times)| (note, *times)))),
        )?;
        let log = || {
            self.report
                .log()
                .filter_map(|(_, e, times)| Some((entry(e)?, times)))
        };
        object.serialize_entry("log", &Sequence(|| repeated(log())))?;
        object.end()
    }
}

/// Each item as many times as it says.
fn repeated<T: Clone>(items: impl Iterator<Item = (T, u32)>) -> impl Iterator<Item = T> {
    items.flat_map(|(item, times)| (0..times).map(move |_| item.clone()))
}

/// A list that is made while it is written.
struct Sequence<F>(F);

impl<F, I> Serialize for Sequence<F>
where
    F: Fn() -> I,
    I: Iterator<Item: Serialize>,
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}

/// The channels by name.
struct Channels<'a>(&'a Answer<'a>);

impl Serialize for Channels<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let report = self.0.report;
        serializer.collect_map(
            self.0
                .channels
                .iter()
                .map(|(name, ended)| (byte_key(name), OneChannel { report, ended })),
        )
    }
}

struct OneChannel<'a> {
    report: &'a RunReport,
    ended: &'a Ended,
}

impl Serialize for OneChannel<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let trace = || {
            self.report.trace(self.ended.order).map(|step| {
                (
                    Bytes(step.context.into()),
                    Bytes(step.exten.into()),
                    step.priority,
                    Bytes(step.application.into()),
                    Bytes(shown(step.data)),
                )
            })
        };
        let mut object = serializer.serialize_map(Some(3))?;
        object.serialize_entry("trace", &Sequence(trace))?;
        object.serialize_entry("vars", &self.ended.variables)?;
        object.serialize_entry("cause", &self.ended.cause)?;
        object.end()
    }
}

/// A byte string.
struct Bytes<'a>(Cow<'a, [u8]>);

impl Serialize for Bytes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match std::str::from_utf8(&self.0) {
            Ok(text) => serializer.serialize_str(text),
            Err(_) => byte_string(&self.0).serialize(serializer),
        }
    }
}

/// The answer to a question that cannot be run.
pub(super) fn refused(id: Option<Value>, error: &str) -> Value {
    let mut object = Map::new();
    if let Some(id) = id {
        object.insert("id".to_owned(), id);
    }
    object.insert("error".to_owned(), error.into());
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
