//! REPLACE, STRREPLACE and STRBETWEEN.

use bstr::ByteSlice;

use crate::base::arguments::standard;
use crate::base::scan::{atoi, decoded, encoded};
use crate::diagnostic::{Level, code};
use crate::library::{Example, Function};
use crate::machine::{Answer, Cx};

/// Characters by one character.
pub static REPLACE: Function = Function::read(
    "REPLACE",
    "Variable with some characters replaced by another.",
    "variable,characters[,replacement]",
    "Every one of the characters becomes the first character of the replacement; without one they are deleted. \
     Escapes such as `\\n` are known.",
    |cx: &mut Cx<'_>, arguments, _| {
        let arguments = standard(arguments, 3);
        let (name, find) = match arguments.as_slice() {
            [name, find, ..] if !name.is_empty() => (name, decoded(find)),
            _ => return misused(cx, "REPLACE needs a variable and characters"),
        };
        if find.is_empty() {
            return misused(cx, "REPLACE needs characters to find");
        }
        let replacement = arguments
            .get(2)
            .and_then(|text| encoded(text))
            .map(|(byte, _)| byte)
            .filter(|byte| *byte != 0);
        Answer::read(name, move |_, value, out| {
            for b in value {
                if !find.contains(&b) {
                    out.push(b);
                } else if let Some(replacement) = replacement {
                    out.push(replacement);
                }
            }
            Answer::Done
        })
    },
)
.not_in_expressions()
.examples(&[Example {
    title: "A number without its punctuation",
    dialplan: "Set(number=(555) 123-4567)",
    evaluate: "${REPLACE(number,\\-() )}",
    expect: "5551234567",
}]);

/// Texts by a text.
pub static STRREPLACE: Function = Function::read(
    "STRREPLACE",
    "Variable with a text replaced by another.",
    "variable,find[,replacement[,most]]",
    "Replaces from left to right, at most as often as said (0 or less: always). The result is not searched again.",
    |cx: &mut Cx<'_>, arguments, _| {
        let arguments = standard(arguments, 4);
        let (name, find) = match arguments.as_slice() {
            [name, find, ..] if !name.is_empty() && !find.is_empty() => (name, find.clone()),
            _ => return misused(cx, "STRREPLACE needs a variable and a text to find"),
        };
        let replacement = arguments.get(2).cloned().unwrap_or_default();
        let most = arguments.get(3).map_or(0, |text| atoi(text));
        let most = usize::try_from(most).unwrap_or(0);
        Answer::read(name, move |_, value, out| {
            let most = if most == 0 { usize::MAX } else { most };
            let mut rest = value.as_slice();
            for _ in 0..most {
                let Some(at) = rest.find(&find) else {
                    break;
                };
                out.extend_from_slice(rest.get(..at).unwrap_or(&[]));
                out.extend_from_slice(&replacement);
                rest = rest.get(at + find.len()..).unwrap_or(&[]);
            }
            out.extend_from_slice(rest);
            Answer::Done
        })
    },
)
.not_in_expressions()
.examples(&[Example {
    title: "Another host",
    dialplan: "Set(uri=bob@old.example)",
    evaluate: "${STRREPLACE(uri,old,new)}",
    expect: "bob@new.example",
}]);

/// A text between characters.
pub static STRBETWEEN: Function = Function::read(
    "STRBETWEEN",
    "Variable with a text between its characters.",
    "variable,insert",
    "Puts the text between each two bytes of the value.",
    |cx: &mut Cx<'_>, arguments, _| {
        let arguments = standard(arguments, 3);
        let [name, insert] = arguments.as_slice() else {
            return misused(cx, "STRBETWEEN needs a variable and a text");
        };
        if name.is_empty() {
            return misused(cx, "STRBETWEEN needs a variable");
        }
        let insert = insert.clone();
        Answer::read(name, move |_, value, out| {
            for (i, b) in value.into_iter().enumerate() {
                if i > 0 {
                    out.extend_from_slice(&insert);
                }
                out.push(b);
            }
            Answer::Done
        })
    },
)
.not_in_expressions()
.examples(&[Example {
    title: "Pauses between digits",
    dialplan: "Set(digits=123)",
    evaluate: "${STRBETWEEN(digits,w)}",
    expect: "1w2w3",
}]);

fn misused(cx: &mut Cx<'_>, message: &'static str) -> Answer {
    cx.log_at(&code::BAD_ARGUMENT, Level::Error, || message.to_owned());
    Answer::Failed
}
