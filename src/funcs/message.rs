//! MESSAGE and `MESSAGE_DATA`.

use crate::base::Text;
use crate::diagnostic::code;
use crate::library::{Example, Function};
use crate::machine::facilities::Message;
use crate::machine::{Answer, Cx, Flow};

/// A text message.
pub static MESSAGE: Function = Function::read_write(
    "MESSAGE",
    "A part of the text message that this channel carries.",
    "to|from|body|custom_data",
    "Parts of a message that came in, or is to be sent with MessageSend. `custom_data` can only be written: \
     `mark_all_outbound` sends all headers along, `clear_all_outbound` none.",
    |cx: &mut Cx<'_>, item, out| {
        let Some(message) = &cx.channel().message else {
            return Answer::Failed;
        };
        match item.to_ascii_lowercase().as_slice() {
            b"to" => out.extend_from_slice(&message.to),
            b"from" => out.extend_from_slice(&message.from),
            b"body" => out.extend_from_slice(&message.body),
            _ => return unknown(cx, "MESSAGE does not know", item),
        }
        Answer::Done
    },
    |cx: &mut Cx<'_>, item, value| {
        let text = Text::from(value);
        match item.to_ascii_lowercase().as_slice() {
            b"to" => message(cx).to = text,
            b"from" => message(cx).from = text,
            b"body" => message(cx).body = text,
            b"custom_data" if value.eq_ignore_ascii_case(b"mark_all_outbound") => {
                message(cx).mark_all(true);
            }
            b"custom_data" if value.eq_ignore_ascii_case(b"clear_all_outbound") => {
                message(cx).mark_all(false);
            }
            b"custom_data" => {
                unknown(cx, "MESSAGE(custom_data) cannot be", value);
            }
            _ => {
                unknown(cx, "MESSAGE does not know", item);
            }
        }
        Flow::Next
    },
)
.examples(&[Example {
    title: "A text",
    dialplan: "Set(MESSAGE(body)=hello)",
    evaluate: "${MESSAGE(body)}",
    expect: "hello",
}]);

/// Headers of a text message.
pub static MESSAGE_DATA: Function = Function::read_write(
    "MESSAGE_DATA",
    "A variable or header of the text message that this channel carries.",
    "name",
    "Letter case does not count in the name. What is written goes out with the message.",
    |cx: &mut Cx<'_>, name, out| {
        let message = cx.channel().message.as_ref();
        let Some(value) = message.and_then(|message| message.header(name)) else {
            return Answer::Failed;
        };
        out.extend_from_slice(value);
        Answer::Done
    },
    |cx: &mut Cx<'_>, name, value| {
        message(cx).set_header(name, value);
        Flow::Next
    },
)
.examples(&[Example {
    title: "A header",
    dialplan: "Set(MESSAGE_DATA(Subject)=news)",
    evaluate: "${MESSAGE_DATA(Subject)}",
    expect: "news",
}]);

/// The message of the channel, a new one where it has none.
fn message<'a>(cx: &'a mut Cx<'_>) -> &'a mut Message {
    cx.channel_mut().message.get_or_insert_default()
}

fn unknown(cx: &mut Cx<'_>, what: &str, item: &[u8]) -> Answer {
    cx.log(&code::BAD_ARGUMENT, || {
        format!("{what} `{}`", bstr::BStr::new(item))
    });
    Answer::Failed
}
