//! DB, `DB_EXISTS`, `DB_DELETE`, `DB_KEYS` and `DB_KEYCOUNT`.

use crate::base::Text;
use crate::base::value::append_int;
use crate::diagnostic::code;
use crate::library::{Example, Function};
use crate::machine::{Answer, Cx, Flow};

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
        if let Some(value) = found(cx, family, key) {
            out.extend_from_slice(&value);
        }
        Answer::Done
    },
    |cx: &mut Cx<'_>, arguments, value| {
        if let Some((family, key)) = family_key(cx, "DB", arguments) {
            if key.is_empty() {
                cx.log(&code::BAD_ARGUMENT, || "DB with an empty key".to_owned());
            }
            cx.shared().store().put(family, key, value);
        }
        Flow::Next
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
        let there = found(cx, family, key).is_some();
        out.push(if there { b'1' } else { b'0' });
        Answer::Done
    },
);

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
        if let Some(value) = found(cx, family, key) {
            out.extend_from_slice(&value);
            cx.shared().store().remove(family, key);
        }
        Answer::Done
    },
    |cx: &mut Cx<'_>, arguments, _| {
        if let Some((family, key)) = family_key(cx, "DB_DELETE", arguments) {
            found(cx, family, key);
            cx.shared().store().remove(family, key);
        }
        Flow::Next
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
        for (i, part) in parts(cx, prefix).iter().enumerate() {
            let Some(part) = part else {
                continue;
            };
            if i > 0 {
                out.push(b',');
            }
            out.extend_from_slice(part);
        }
        Answer::Done
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
        let count = parts(cx, prefix).iter().flatten().count();
        append_int(count as i64, out);
        Answer::Done
    },
);

fn family_key<'a>(cx: &mut Cx<'_>, name: &str, arguments: &'a [u8]) -> Option<(&'a [u8], &'a [u8])> {
    let at = arguments.iter().position(|b| *b == b'/');
    let Some(at) = at else {
        cx.log(&code::BAD_ARGUMENT, || format!("{name} needs family/key"));
        return None;
    };
    Some((arguments.get(..at)?, arguments.get(at + 1..)?))
}

/// The value of a key, also put into `DB_RESULT`.
fn found(cx: &mut Cx<'_>, family: &[u8], key: &[u8]) -> Option<Text> {
    let value = cx.shared().store().get(family, key)?;
    cx.set(b"DB_RESULT", &value);
    Some(value)
}

/// For every key below the prefix what follows next; `None` where it was said already. The prefix itself
/// counts as a key with nothing behind it (observed: it leaves a comma in `DB_KEYS`).
fn parts(cx: &Cx<'_>, prefix: &[u8]) -> Vec<Option<Vec<u8>>> {
    let start = prefix.iter().position(|b| *b != b'/').unwrap_or(prefix.len());
    let end = prefix.iter().rposition(|b| *b != b'/').map_or(start, |i| i + 1);
    let prefix = prefix.get(start..end).unwrap_or(&[]);
    let mut last = Vec::new();
    let mut all = Vec::new();
    for (path, _) in cx.shared().store().scan(prefix) {
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
