//! How a call begins, as arguments or as a line of JSON say it.

use std::time::Duration;

use serde_json::Value;

use crate::base::Text;
use crate::host::dial::is_digit;
use crate::host::simulate::{Mode, Peer, Script};
use crate::machine::Party;
use crate::syntax::print::json::bytes_of;

/// How a call begins.
#[derive(Debug, Clone)]
pub(super) struct Start {
    /// Whether it is said where; else each line of JSON has to say it.
    pub(super) placed: bool,
    pub(super) context: Vec<u8>,
    pub(super) exten: Vec<u8>,
    pub(super) priority: Vec<u8>,
    pub(super) mode: Mode,
    pub(super) peer: Peer,
    pub(super) callerid: Option<Vec<u8>>,
    pub(super) variables: Vec<(Vec<u8>, Vec<u8>)>,
    pub(super) press: String,
    pub(super) dial: Vec<Script>,
    pub(super) set: Vec<(Vec<u8>, Vec<u8>)>,
}

/// Digits as a telephone sends them.
pub(super) fn digits(text: &str) -> Option<String> {
    text.bytes().all(is_digit).then(|| text.to_owned())
}

/// `idle`, `d-XYZ` or `bye-T`.
pub(super) fn peer(text: &str) -> Option<Peer> {
    if text == "idle" {
        return Some(Peer::Idle);
    }
    if let Some(digits) = text.strip_prefix("d-") {
        return self::digits(digits).map(|digits| Peer::Digits(digits.into_bytes()));
    }
    let seconds: f64 = text.strip_prefix("bye-")?.parse().ok()?;
    Some(Peer::Bye(Duration::try_from_secs_f64(seconds).ok()?))
}

/// `TARGET=OUTCOME`: the outcome begins after the last `=` that is not part of `after=`.
pub(super) fn target_and_outcome(text: &str) -> Option<(&str, &str)> {
    let end = text.find(",after=").unwrap_or(text.len());
    let equals = text.get(..end)?.rfind('=')?;
    Some((text.get(..equals)?, text.get(equals + 1..)?))
}

/// `"Name" <number>`, `<number>`, a number, or a name.
pub(super) fn party(text: &[u8]) -> Party {
    let text = text.trim_ascii();
    let some = |bytes: &[u8]| (!bytes.is_empty()).then(|| Text::from(bytes));
    let (name, number) = match text.iter().position(|&b| b == b'<') {
        Some(open) => {
            let number = text.get(open + 1..).unwrap_or(&[]);
            let end = number.iter().position(|&b| b == b'>');
            let number = number.get(..end.unwrap_or(number.len())).unwrap_or(&[]);
            (text.get(..open).unwrap_or(&[]).trim_ascii(), Some(number))
        }
        None if text
            .iter()
            .all(|b| b.is_ascii_digit() || b"+*#".contains(b)) =>
        {
            (&[][..], Some(text))
        }
        None => (text, None),
    };
    let name = name.strip_prefix(b"\"").unwrap_or(name);
    let name = name.strip_suffix(b"\"").unwrap_or(name);
    Party {
        number: number.and_then(|n| some(n.trim_ascii())),
        name: some(name),
        ..Party::default()
    }
}

impl Start {
    /// Reads a line of `--jsonl`; what it leaves out is as the arguments say. Gives its id, too.
    pub(super) fn of_line(line: &[u8], defaults: &Self) -> (Option<Value>, Result<Self, String>) {
        let value: Value = match serde_json::from_slice(line) {
            Ok(value) => value,
            Err(error) => return (None, Err(format!("not JSON: {error}"))),
        };
        let id = value.get("id").cloned();
        (id, Self::of_value(&value, defaults))
    }

    fn of_value(value: &Value, defaults: &Self) -> Result<Self, String> {
        let Value::Object(object) = value else {
            return Err("not an object".to_owned());
        };
        let mut start = defaults.clone();
        let mut placed = (defaults.placed, defaults.placed);
        for (key, value) in object {
            if value.is_null() {
                continue;
            }
            let wrong = || format!("`{key}` is not understood");
            let bytes = || bytes_of(value).ok_or_else(wrong);
            let text = || value.as_str().ok_or_else(wrong);
            match key.as_str() {
                "context" => {
                    start.context = bytes()?;
                    placed.0 = true;
                }
                "exten" => {
                    start.exten = bytes()?;
                    placed.1 = true;
                }
                "priority" => {
                    start.priority = match value {
                        Value::Number(number) => number.to_string().into_bytes(),
                        _ => bytes()?,
                    }
                }
                "mode" => {
                    start.mode = match text()? {
                        "up" => Mode::Up,
                        "ring" => Mode::Ring,
                        _ => return Err(wrong()),
                    }
                }
                "peer" => start.peer = peer(text()?).ok_or_else(wrong)?,
                "callerid" => start.callerid = Some(bytes()?),
                "variables" | "vars" => start.variables.extend(pairs(value).ok_or_else(wrong)?),
                "set" => start.set.extend(pairs(value).ok_or_else(wrong)?),
                "press" => start.press = digits(text()?).ok_or_else(wrong)?,
                "dial" => {
                    for (target, outcome) in pairs(value).ok_or_else(wrong)? {
                        let target = String::from_utf8_lossy(&target);
                        let outcome = String::from_utf8_lossy(&outcome);
                        let script = Script::parse(&target, &outcome).ok_or_else(wrong)?;
                        start.dial.push(script);
                    }
                }
                // What a call is to give, and its id, may stand beside it.
                _ => {}
            }
        }
        match placed {
            (false, _) => Err("no `context`".to_owned()),
            (_, false) => Err("no `exten`".to_owned()),
            _ => Ok(start),
        }
    }
}

type Pairs = Vec<(Vec<u8>, Vec<u8>)>;

/// An object of texts, `NAME=VALUE`, or a list of those.
fn pairs(value: &Value) -> Option<Pairs> {
    match value {
        Value::Object(object) => object
            .iter()
            .map(|(name, value)| {
                let value = match value {
                    Value::Number(number) => number.to_string().into_bytes(),
                    _ => bytes_of(value)?,
                };
                Some((name.as_bytes().to_vec(), value))
            })
            .collect(),
        Value::Array(list) => {
            let lists: Option<Vec<Pairs>> = list.iter().map(pairs).collect();
            Some(lists?.concat())
        }
        Value::String(text) => {
            let (name, value) = target_and_outcome(text)?;
            Some(vec![(name.as_bytes().to_vec(), value.as_bytes().to_vec())])
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callers_are_read() {
        let bob = party(b"\"Bob B\" <812>");
        assert_eq!(bob.name.as_deref(), Some(&b"Bob B"[..]));
        assert_eq!(bob.number.as_deref(), Some(&b"812"[..]));
        assert_eq!(party(b"812").number.as_deref(), Some(&b"812"[..]));
        assert_eq!(party(b"Bob").name.as_deref(), Some(&b"Bob"[..]));
    }

    #[test]
    fn outcomes_follow_their_target() {
        assert_eq!(
            target_and_outcome("PJSIP/b=c@d=BUSY,after=2"),
            Some(("PJSIP/b=c@d", "BUSY,after=2"))
        );
        assert_eq!(target_and_outcome("x"), None);
    }
}
