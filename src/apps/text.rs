//! `SendText`, `ReceiveText`, `MessageSend`.

use super::hosted::{After, Hosted, Status, hosted};
use super::system::decoded;
use crate::base::Text;
use crate::library::{Application, Example, Support};
use crate::machine::{Cx, Effect, Event, Flow};

hosted! {
    RECEIVE_TEXT "ReceiveText" "Wait for a text from the other side." "[timeout]"
        "Waits for a text from the other side, at most for some seconds. RECEIVETEXTSTATUS is SUCCESS or FAILURE, \
         RECEIVETEXTMESSAGE the text."
        Hosted::new()
            .sets(&[Status::new("RECEIVETEXTSTATUS", "SUCCESS", "FAILURE")])
            .value_in("RECEIVETEXTMESSAGE");
    MESSAGE_SEND "MessageSend" "Send a message outside of the call." "destination[,from[,to]]"
        "Sends the message that MESSAGE() holds. The destination begins with a technology and a colon. \
         MESSAGE_SEND_STATUS is SUCCESS, FAILURE, INVALID_PROTOCOL or INVALID_URI; no destination is INVALID_URI."
        Hosted::new()
            .needs(1, After::Next)
            .sets(&[Status::new("MESSAGE_SEND_STATUS", "SUCCESS", "INVALID_URI")]);
}

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
