//! Call records and channel events as lines: the columns of Asterisk's `Master.csv`, and JSON.

use std::time::Duration;

use serde_json::{Map, Number, Value, json};

use crate::base::Text;
use crate::machine::records::{ama_flags, local_time, seconds};
use crate::machine::{CallRecord, ChannelEvent};
use crate::syntax::print::json::{byte_key, byte_string};

/// A call record as a line of comma-separated values, without the line's end, each in quotes, times in the local zone:
/// clid, src, dst, dcontext, channel, dstchannel, lastapp, lastdata, start, answer, end, duration, billsec, disposition,
/// amaflags, accountcode, uniqueid, userfield.
pub fn call_csv(record: &CallRecord) -> Vec<u8> {
    let answer = record.answer.map(local_time).unwrap_or_default();
    let (duration, billsec) = (record.duration.to_string(), record.billsec.to_string());
    csv(&[
        &record.clid,
        &record.src,
        &record.dst,
        &record.dcontext,
        &record.channel,
        &record.dstchannel,
        &record.lastapp,
        &record.lastdata,
        &local_time(record.start),
        &answer,
        &local_time(record.end),
        duration.as_bytes(),
        billsec.as_bytes(),
        record.disposition.name().as_bytes(),
        ama_flags(record.amaflags).as_bytes(),
        &record.accountcode,
        &record.uniqueid,
        &record.userfield,
    ])
}

/// A channel event as a line of comma-separated values, without the line's end, each in quotes: kind, time in seconds
/// since 1970, name and number of the caller, channel, application, its data, unique id, linked id, extra.
pub fn event_csv(event: &ChannelEvent) -> Vec<u8> {
    csv(&[
        event.kind.name().as_bytes(),
        seconds(event.time).as_bytes(),
        &event.caller_name,
        &event.caller_number,
        &event.channel,
        &event.application,
        &event.data,
        &event.uniqueid,
        &event.linkedid,
        event.extra.as_bytes(),
    ])
}

/// A call record as a JSON object: fields by their name in `CDR()`, `variables` where there are any. Times are seconds
/// since 1970, `answer` null where nobody answered.
pub fn call_json(record: &CallRecord) -> Value {
    let mut object = Map::new();
    let mut put = |name: &str, value: Value| object.insert(name.to_owned(), value);
    let texts = [
        ("accountcode", &record.accountcode),
        ("src", &record.src),
        ("dst", &record.dst),
        ("dcontext", &record.dcontext),
        ("clid", &record.clid),
        ("channel", &record.channel),
        ("dstchannel", &record.dstchannel),
        ("lastapp", &record.lastapp),
        ("lastdata", &record.lastdata),
    ];
    for (name, text) in texts {
        put(name, byte_string(text));
    }
    put("start", time(record.start));
    put("answer", record.answer.map_or(Value::Null, time));
    put("end", time(record.end));
    put("duration", record.duration.into());
    put("billsec", record.billsec.into());
    put("disposition", record.disposition.name().into());
    put("amaflags", ama_flags(record.amaflags).into());
    let texts = [
        ("uniqueid", &record.uniqueid),
        ("linkedid", &record.linkedid),
        ("peeraccount", &record.peeraccount),
        ("userfield", &record.userfield),
    ];
    for (name, text) in texts {
        put(name, byte_string(text));
    }
    put("sequence", record.sequence.into());
    if !record.variables.is_empty() {
        let variables = record.variables.iter();
        let variables: Map<String, Value> = variables
            .map(|(name, value)| (byte_key(name), byte_string(value)))
            .collect();
        put("variables", variables.into());
    }
    object.into()
}

/// A channel event as a JSON object; what is empty is left out.
pub fn event_json(event: &ChannelEvent) -> Value {
    let mut object = Map::new();
    object.insert("event".to_owned(), event.kind.name().into());
    object.insert("time".to_owned(), time(event.time));
    let texts: [(&str, &Text); 14] = [
        ("name", &event.name),
        ("caller_name", &event.caller_name),
        ("caller_number", &event.caller_number),
        ("context", &event.context),
        ("exten", &event.exten),
        ("channel", &event.channel),
        ("application", &event.application),
        ("data", &event.data),
        ("accountcode", &event.accountcode),
        ("peeraccount", &event.peeraccount),
        ("uniqueid", &event.uniqueid),
        ("linkedid", &event.linkedid),
        ("userfield", &event.userfield),
        ("peer", &event.peer),
    ];
    for (name, text) in texts {
        if !text.is_empty() {
            object.insert(name.to_owned(), byte_string(text));
        }
    }
    object.insert("amaflags".to_owned(), ama_flags(event.amaflags).into());
    if !event.extra.is_empty() {
        let extra = serde_json::from_str(&event.extra);
        object.insert(
            "extra".to_owned(),
            extra.unwrap_or_else(|_| json!(event.extra)),
        );
    }
    object.into()
}

fn csv(fields: &[&[u8]]) -> Vec<u8> {
    let mut line = Vec::new();
    for field in fields {
        if !line.is_empty() {
            line.push(b',');
        }
        line.push(b'"');
        for &byte in *field {
            if byte == b'"' {
                line.push(b'"');
            }
            line.push(byte);
        }
        line.push(b'"');
    }
    line
}

fn time(time: Duration) -> Value {
    Number::from_f64(time.as_secs_f64()).map_or(Value::Null, Value::Number)
}
