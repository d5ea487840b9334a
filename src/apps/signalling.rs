//! `SendDTMF`, `SendMF`, `SendSF`, `ReceiveMF`, `ReceiveSF`, `StoreDTMF`: digits as tones and pulses.

use super::hosted::{After, Hosted, hosted};
use crate::base::{Text, arguments};
use crate::diagnostic::code;
use crate::library::{Application, Support};
use crate::machine::{Cx, Effect, Event, Flow};

hosted! {
    SEND_DTMF "SendDTMF" "Send key tones." "digits[,pause_ms[,length_ms[,channel[,options]]]]"
        "Sends digits to the other side, or on another channel; `w` is a pause of half a second. A pause between digits \
         and the length of one are in milliseconds. The option `a` answers the other channel."
        Hosted::new().needs(1, After::Next);
    SEND_MF "SendMF" "Send multi-frequency digits." "digits[,pause_ms[,length_ms[,kp_ms[,st_ms[,channel]]]]]"
        "Sends digits as pairs of tones of multi-frequency signalling; times are in milliseconds."
        Hosted::new().needs(1, After::Next);
    SEND_SF "SendSF" "Send single-frequency digits." "digits[,frequency[,channel]]"
        "Sends digits as pulses of one tone, 2600 hertz unless another is given."
        Hosted::new().needs(1, After::Next);
    STORE_DTMF "StoreDTMF" "Keep the digits that pass." "direction"
        "Lets the host keep the digits of a direction (TX, RX or both; `remove` ends it); the call goes on at once."
        Hosted::new().needs(1, After::Leave).or_leaves();
}

/// Receive multi-frequency digits.
pub static RECEIVE_MF: Application = Application::new(
    "ReceiveMF",
    "Read multi-frequency digits.",
    "variable[,timeout[,options]]",
    "Reads digits of multi-frequency signalling into a variable, up to one of the end signals. RECEIVEMFSTATUS is \
     START, ERROR, HANGUP, MAXDIGITS or TIMEOUT. It does not answer.",
    |cx, data| receive(cx, "ReceiveMF", "RECEIVEMFSTATUS", data),
)
.support(Support::Simulated);

/// Receive single-frequency digits.
pub static RECEIVE_SF: Application = Application::new(
    "ReceiveSF",
    "Read single-frequency digits.",
    "variable[,digits[,timeout[,frequency[,options]]]]",
    "Reads digits sent as pulses of a tone into a variable. RECEIVESFSTATUS is START, ERROR, HANGUP, MAXDIGITS or \
     TIMEOUT. It does not answer.",
    |cx, data| receive(cx, "ReceiveSF", "RECEIVESFSTATUS", data),
)
.support(Support::Simulated);

/// The host gives the digits as a text.
fn receive(cx: &mut Cx<'_>, name: &'static str, status: &'static str, data: &[u8]) -> Flow {
    let variable = arguments::standard(data, 6).into_iter().next();
    let Some(variable) = variable.filter(|variable| !variable.is_empty()) else {
        cx.set(status.as_bytes(), b"ERROR");
        cx.log(&code::ARGUMENT_MISSING, || {
            format!("{name} needs a variable")
        });
        return Flow::Next;
    };
    let effect = Effect::Custom {
        name: Text::from(name),
        data: Text::from(data),
    };
    Flow::wait_then(effect, move |cx, event| {
        let (digits, word, then): (&[u8], &[u8], _) = match &event {
            Event::Value(digits) => (digits, b"START", Flow::Next),
            Event::Hangup(_) => (b"", b"HANGUP", Flow::Leave),
            Event::Failed(_) => (b"", b"ERROR", Flow::Next),
            _ => (b"", b"TIMEOUT", Flow::Next),
        };
        cx.set(&variable, digits);
        cx.set(status.as_bytes(), word);
        then
    })
}
