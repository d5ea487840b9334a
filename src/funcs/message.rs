//! MESSAGE and `MESSAGE_DATA`.

use crate::diagnostic::code;
use crate::library::{Example, Function, Support};
use crate::machine::{Answer, Cx, Flow};

const LACKS: &str = "messages come from a host that writes them to the channel; none is sent";

/// A text message.
pub static MESSAGE: Function = Function::read_write(
    "MESSAGE",
    "A part of the text message that this channel carries.",
    "to|from|custom_data|body",
    "Parts of a message that came in, or is to be sent.",
    |cx: &mut Cx<'_>, item, out| {
        if !known(item) {
            return unknown(cx, item);
        }
        read(cx, &key(b"MESSAGE ", item), out)
    },
    |cx: &mut Cx<'_>, item, value| {
        if known(item) {
            cx.channel_mut().set_setting(&key(b"MESSAGE ", item), value);
        } else {
            unknown(cx, item);
        }
        Flow::Next
    },
)
.support(Support::Partial(LACKS))
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
    "Whatever was written under the name.",
    |cx: &mut Cx<'_>, name, out| read(cx, &key(b"MESSAGE_DATA ", name), out),
    |cx: &mut Cx<'_>, name, value| {
        cx.channel_mut()
            .set_setting(&key(b"MESSAGE_DATA ", name), value);
        Flow::Next
    },
)
.support(Support::Partial(LACKS))
.examples(&[Example {
    title: "A header",
    dialplan: "Set(MESSAGE_DATA(Subject)=news)",
    evaluate: "${MESSAGE_DATA(Subject)}",
    expect: "news",
}]);

fn known(item: &[u8]) -> bool {
    let known: [&[u8]; 4] = [b"to", b"from", b"custom_data", b"body"];
    known.iter().any(|name| name.eq_ignore_ascii_case(item))
}

fn unknown(cx: &mut Cx<'_>, item: &[u8]) -> Answer {
    cx.log(&code::BAD_ARGUMENT, || {
        format!("MESSAGE does not know `{}`", bstr::BStr::new(item))
    });
    Answer::Failed
}

fn key(function: &[u8], name: &[u8]) -> Vec<u8> {
    [function, &name.to_ascii_lowercase()].concat()
}

fn read(cx: &mut Cx<'_>, key: &[u8], out: &mut Vec<u8>) -> Answer {
    if let Some(value) = cx.channel().setting(key) {
        out.extend_from_slice(value);
    }
    Answer::Done
}
