//! What changes or watches the audio of a channel. The engine has no audio: it keeps what is written for the host.

use crate::library::{Example, Function, Support};
use crate::machine::{Answer, Cx, Flow};

macro_rules! media {
    ($($name:ident $syntax:literal $synopsis:literal $value:literal;)*) => {$(
        #[doc = $synopsis]
        pub static $name: Function = Function::write_only(
            stringify!($name),
            $synopsis,
            $syntax,
            "The engine has no audio: what is written is kept for a host that has, and changes nothing here.",
            |cx, arguments, value| keep(cx, stringify!($name), arguments, value),
        )
        .support(Support::Simulated)
        .examples(&[Example {
            title: "Accepted",
            dialplan: concat!("Set(", stringify!($name), $value, ")"),
            evaluate: "on",
            expect: "on",
        }]);
    )*};
}

media! {
    FRAME_DROP "RX|TX" "Drops frames of some kinds of this channel." "(TX)=DTMF_BEGIN";
    FRAME_TRACE "white|black" "Shows the frames of this channel." "(white)=DTMF_BEGIN";
    HOLD_INTERCEPT "set|remove" "Keeps hold from the far side and reports it instead." "(set)=";
    JITTERBUFFER "fixed|adaptive|disabled" "Evens out the arrival of audio on this channel." "(fixed)=200";
    MUTEAUDIO "in|out|all" "Silences audio of this channel." "(in)=on";
    PITCH_SHIFT "tx|rx|both" "Makes voices on this channel higher or lower." "(tx)=high";
    SCRAMBLE "TX|RX|both" "Makes speech on this channel hard to understand." "(TX)=on";
    TALK_DETECT "set|remove" "Reports when somebody on this channel begins or ends to speak." "(set)=";
}

/// How loud.
pub static VOLUME: Function = Function::read_write(
    "VOLUME",
    "How loud this channel is.",
    "TX|RX[,p]",
    "Steps up or down. The engine has no audio: what is written is kept for a host that has, and can be read back.",
    |cx: &mut Cx<'_>, direction, out| {
        match cx.channel().setting(&key("VOLUME", direction)) {
            Some(value) => out.extend_from_slice(value),
            None => out.push(b'0'),
        }
        Answer::Done
    },
    |cx: &mut Cx<'_>, direction, value| keep(cx, "VOLUME", direction, value),
)
.support(Support::Simulated)
.examples(&[Example {
    title: "Louder",
    dialplan: "Set(VOLUME(TX)=3)",
    evaluate: "${VOLUME(TX)}",
    expect: "3",
}]);

/// By the first argument, without regard to case.
fn key(function: &str, arguments: &[u8]) -> Vec<u8> {
    let first = arguments.split(|b| *b == b',').next().unwrap_or(&[]);
    let mut key = function.as_bytes().to_vec();
    key.push(b' ');
    key.extend(first.to_ascii_uppercase());
    key
}

fn keep(cx: &mut Cx<'_>, function: &str, arguments: &[u8], value: &[u8]) -> Flow {
    cx.channel_mut()
        .set_setting(&key(function, arguments), value);
    Flow::Next
}
