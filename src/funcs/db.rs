//! DB, `DB_EXISTS`, `DB_DELETE`, `DB_KEYS` and `DB_KEYCOUNT`.

use crate::base::Text;
use crate::base::value::append_int;
use crate::diagnostic::code;
use crate::library::{Example, Function};
use crate::machine::{Answer, Cx, Flow, StoreAnswer, StoreRequest};

/// Values of the store.
pub static DB: Function = Function::read_write(
    "DB",
    "A value of the persistent store.",
    "family/key",
    "The key may hold further slashes. A key that does not exist is empty. A value that was read is also put into \
     DB_RESULT.",
    |cx: &mut Cx<'_>, arguments, out| {
        let Some((family, key)) = family_key(cx, "DB", arguments) else {
            return Answer::Failed;
        };
        let request = StoreRequest::Get { family, key };
        Answer::store(cx, request, out, |cx, answer, out| {
            found(cx, answer, |value| {
                out.extend_from_slice(value.as_deref().unwrap_or(&[]));
            })
        })
    },
    |cx: &mut Cx<'_>, arguments, value| {
        let Some((family, key)) = family_key(cx, "DB", arguments) else {
            return Flow::Next;
        };
        if key.is_empty() {
            cx.log(&code::BAD_ARGUMENT, || "DB with an empty key".to_owned());
        }
        let value = Text::from(value);
        let request = StoreRequest::Put { family, key, value };
        Flow::store(cx, request, |_, _| Flow::Next)
    },
)
.examples(&[Example {
    title: "A forward",
    dialplan: "Set(DB(forward/204)=0175)",
    evaluate: "${DB(forward/204)} ${DB_EXISTS(forward/205)}",
    expect: "0175 0",
}]);

/// Whether a key exists.
pub static DB_EXISTS: Function = Function::read(
    "DB_EXISTS",
    "Whether a key of the persistent store exists.",
    "family/key",
    "1 or 0. The value of a key that exists is put into DB_RESULT.",
    |cx: &mut Cx<'_>, arguments, out| {
        let Some((family, key)) = family_key(cx, "DB_EXISTS", arguments) else {
            return Answer::Failed;
        };
        let request = StoreRequest::Get { family, key };
        Answer::store(cx, request, out, |cx, answer, out| {
            found(cx, answer, |value| {
                out.push(if value.is_some() { b'1' } else { b'0' });
            })
        })
    },
)
.examples(&[Example {
    title: "Found, and its value",
    dialplan: "Set(DB(cidname/812)=Bob)",
    evaluate: "${DB_EXISTS(cidname/812)} ${DB_RESULT}",
    expect: "1 Bob",
}]);

/// Takes a key out.
pub static DB_DELETE: Function = Function::read_write(
    "DB_DELETE",
    "Removes a key of the persistent store and gives its value.",
    "family/key",
    "The value is also put into DB_RESULT. It may be written too, with any value, when the old one is not wanted.",
    |cx: &mut Cx<'_>, arguments, out| {
        let Some((family, key)) = family_key(cx, "DB_DELETE", arguments) else {
            return Answer::Failed;
        };
        let request = StoreRequest::Remove { family, key };
        Answer::store(cx, request, out, |cx, answer, out| {
            found(cx, answer, |value| {
                out.extend_from_slice(value.as_deref().unwrap_or(&[]));
            })
        })
    },
    |cx: &mut Cx<'_>, arguments, _| {
        let Some((family, key)) = family_key(cx, "DB_DELETE", arguments) else {
            return Flow::Next;
        };
        let request = StoreRequest::Remove { family, key };
        Flow::store(cx, request, |cx, answer| {
            found(cx, answer, |_| ());
            Flow::Next
        })
    },
)
.examples(&[Example {
    title: "Read and remove",
    dialplan: "Set(DB(a/b)=1)",
    evaluate: "${DB_DELETE(a/b)} ${DB_EXISTS(a/b)}",
    expect: "1 0",
}]);

/// Next parts of keys.
pub static DB_KEYS: Function = Function::read(
    "DB_KEYS",
    "What follows a prefix in the keys of the persistent store.",
    "[prefix]",
    "The next part, up to a slash, of every key below the prefix; each once, sorted, with commas between.",
    |cx: &mut Cx<'_>, prefix, out| {
        parts(cx, prefix, out, |parts, out| {
            for (i, part) in parts.iter().enumerate() {
                let Some(part) = part else {
                    continue;
                };
                if i > 0 {
                    out.push(b',');
                }
                out.extend_from_slice(part);
            }
        })
    },
)
.not_in_expressions()
.examples(&[Example {
    title: "All below a family",
    dialplan: "Set(DB(a/x/1)=1)\nSet(DB(a/x/2)=1)\nSet(DB(a/y)=1)",
    evaluate: "${DB_KEYS(a)} ${DB_KEYS(a/x)} ${DB_KEYCOUNT(a)}",
    expect: "x,y 1,2 2",
}]);

/// Number of next parts of keys.
pub static DB_KEYCOUNT: Function = Function::read(
    "DB_KEYCOUNT",
    "How many different parts follow a prefix in the keys of the persistent store.",
    "[prefix]",
    "Counts what DB_KEYS lists.",
    |cx: &mut Cx<'_>, prefix, out| {
        parts(cx, prefix, out, |parts, out| {
            append_int(parts.iter().flatten().count() as i64, out);
        })
    },
)
.examples(&[Example {
    title: "Two keys",
    dialplan: "Set(DB(cidname/812)=Bob)\nSet(DB(cidname/813)=Ann)",
    evaluate: "${DB_KEYCOUNT(cidname)}",
    expect: "2",
}]);

fn family_key(cx: &mut Cx<'_>, name: &str, arguments: &[u8]) -> Option<(Text, Text)> {
    let at = arguments.iter().position(|b| *b == b'/');
    let Some(at) = at else {
        cx.log(&code::BAD_ARGUMENT, || format!("{name} needs family/key"));
        return None;
    };
    let (family, key) = (arguments.get(..at)?, arguments.get(at + 1..)?);
    Some((Text::from(family), Text::from(key)))
}

/// Shows the value of a key, which is also put into `DB_RESULT`.
fn found(cx: &mut Cx<'_>, answer: StoreAnswer, show: impl FnOnce(Option<Text>)) -> Answer {
    if matches!(answer, StoreAnswer::Failed(_)) {
        return Answer::Failed;
    }
    let value = answer.value();
    if let Some(value) = &value {
        cx.set(b"DB_RESULT", value);
    }
    show(value);
    Answer::Done
}

/// Shows what follows next in every key below a prefix; `None` where it was said already.
fn parts(
    cx: &mut Cx<'_>,
    prefix: &[u8],
    out: &mut Vec<u8>,
    show: fn(&[Option<Vec<u8>>], &mut Vec<u8>),
) -> Answer {
    let start = prefix.iter().position(|b| *b != b'/').unwrap_or(prefix.len());
    let end = prefix.iter().rposition(|b| *b != b'/').map_or(start, |i| i + 1);
    let prefix = Text::from(prefix.get(start..end).unwrap_or(&[]));
    let request = StoreRequest::Scan {
        prefix: prefix.clone(),
    };
    Answer::store(cx, request, out, move |_, answer, out| {
        if matches!(answer, StoreAnswer::Failed(_)) {
            return Answer::Failed;
        }
        show(&next_parts(&prefix, &answer.entries()), out);
        Answer::Done
    })
}

/// The prefix itself counts as a key with nothing behind it (observed: it leaves a comma in `DB_KEYS`).
fn next_parts(prefix: &[u8], entries: &[(Text, Text)]) -> Vec<Option<Vec<u8>>> {
    let mut last = Vec::new();
    let mut all = Vec::new();
    for (path, _) in entries {
        let below = match path.get(prefix.len()..) {
            Some(below) if prefix.is_empty() || below.is_empty() => below,
            Some([b'/', below @ ..]) => below,
            _ => continue,
        };
        let part = below.split(|b| *b == b'/').next().unwrap_or(&[]);
        if part.eq_ignore_ascii_case(&last) {
            all.push(None);
        } else {
            last = part.to_vec();
            all.push(Some(part.to_vec()));
        }
    }
    all
}
