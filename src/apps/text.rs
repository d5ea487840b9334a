//! `SendText`, `ReceiveText`, `MessageSend`.

use super::system::decoded;
use crate::base::{Text, arguments};
use crate::diagnostic::code;
use crate::library::{Application, Example, Support};
use crate::machine::{Cx, Effect, Event, Flow};

/// Wait for a text.
pub static RECEIVE_TEXT: Application = Application::new(
    "ReceiveText",
    "Wait for a text from the other side.",
    "[timeout]",
    "Waits for a text from the other side, at most for some seconds. RECEIVETEXTSTATUS is SUCCESS, with the text in \
     RECEIVETEXTMESSAGE, or FAILURE where none came.",
    run_receive,
)
.support(Support::Simulated);

/// Send a message.
pub static MESSAGE_SEND: Application = Application::new(
    "MessageSend",
    "Send a message outside of the call.",
    "destination[,from[,to]]",
    "Sends the message that MESSAGE() holds, with the headers of MESSAGE_DATA(); `from` and `to` take the place of the \
     message's own. The destination begins with a technology and a colon. MESSAGE_SEND_STATUS is SUCCESS, FAILURE, \
     INVALID_PROTOCOL where nobody sends by that technology, or INVALID_URI where there is no destination.",
    run_message,
)
.support(Support::Simulated)
.examples(&[Example {
    title: "Send a text",
    dialplan: "Set(MESSAGE(body)=hello)\nMessageSend(pjsip:anna,bob)",
    evaluate: "${MESSAGE_SEND_STATUS} ${MESSAGE(from)}",
    expect: "SUCCESS bob",
}]);

/// Send a text.
pub static SEND_TEXT: Application = Application::new(
    "SendText",
    "Send a text to the other side.",
    "[text]",
    "Sends a text, in which backslash escapes are decoded, to the other side; SENDTEXTBODY goes before it. SENDTEXTSTATUS is SUCCESS, FAILURE or \
     UNSUPPORTED, SENDTEXTTYPE is NONE, BASIC or ENHANCED.",
    run_send,
)
.support(Support::Simulated)
.examples(&[Example { title: "Greet by text", dialplan: "SendText(Good morning)", evaluate: "${SENDTEXTSTATUS} ${SENDTEXTTYPE}", expect: "SUCCESS BASIC" }]);

fn run_message(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    let fields = arguments::standard(data, 3);
    let field = |n: usize| fields.get(n).map_or(&[][..], Vec::as_slice);
    let technology = field(0).split(|b| *b == b':').next().unwrap_or(&[]);
    if field(0).is_empty() {
        cx.set(b"MESSAGE_SEND_STATUS", b"INVALID_URI");
        cx.log(&code::ARGUMENT_MISSING, || "MessageSend needs a destination".to_owned());
        return Flow::Next;
    }
    if cx.channel().message.is_none() {
        cx.set(b"MESSAGE_SEND_STATUS", b"FAILURE");
        cx.log(&code::NOT_FOUND, || "this channel has no message to send".to_owned());
        return Flow::Next;
    }
    if technology.len() == field(0).len() || technology.is_empty() {
        cx.set(b"MESSAGE_SEND_STATUS", b"INVALID_PROTOCOL");
        cx.log(&code::BAD_ARGUMENT, || "the destination names no technology".to_owned());
        return Flow::Next;
    }
    if let Some(message) = &mut cx.channel_mut().message {
        for (given, own) in [(field(1), &mut message.from), (field(2), &mut message.to)] {
            if !given.is_empty() {
                *own = Text::from(given);
            }
        }
    }
    // The message itself is on the channel.
    let effect = Effect::Custom {
        name: Text::from("MessageSend"),
        data: Text::from(data),
    };
    Flow::wait_then(effect, |cx, event| {
        let status: &[u8] = match &event {
            Event::Hangup(_) => return Flow::Leave,
            Event::Failed(_) | Event::Timeout => b"FAILURE",
            Event::Value(word) => word,
            _ => b"SUCCESS",
        };
        cx.set(b"MESSAGE_SEND_STATUS", status);
        Flow::Next
    })
}

fn run_receive(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    cx.remove(b"RECEIVETEXTMESSAGE");
    let effect = Effect::Custom {
        name: Text::from("ReceiveText"),
        data: Text::from(data),
    };
    Flow::wait_then(effect, |cx, event| {
        let status: &[u8] = match event {
            Event::Hangup(_) => {
                cx.set(b"RECEIVETEXTSTATUS", b"FAILURE");
                return Flow::Leave;
            }
            Event::Value(text) => {
                cx.set(b"RECEIVETEXTMESSAGE", &text);
                b"SUCCESS"
            }
            _ => b"FAILURE",
        };
        cx.set(b"RECEIVETEXTSTATUS", status);
        Flow::Next
    })
}

fn run_send(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    let body = cx.text_of(b"SENDTEXTBODY");
    // An empty text is sent too: some protocols have use for it.
    let body = if body.is_empty() {
        decoded(data)
    } else {
        body
    };
    cx.set(b"SENDTEXTSTATUS", b"UNSUPPORTED");
    cx.set(b"SENDTEXTTYPE", b"NONE");
    let effect = Effect::Custom {
        name: Text::from("SendText"),
        data: Text::from(body),
    };
    Flow::wait_then(effect, |cx, event| {
        let (status, kind): (&[u8], &[u8]) = match &event {
            Event::Hangup(_) => return Flow::Leave,
            Event::Failed(_) | Event::Timeout => (b"FAILURE", b"NONE"),
            Event::Value(word) => (word, b"NONE"),
            _ => (b"SUCCESS", b"BASIC"),
        };
        cx.set(b"SENDTEXTSTATUS", status);
        cx.set(b"SENDTEXTTYPE", kind);
        Flow::Next
    })
}
