//! CHANNELS, `CHANNEL_EXISTS` and `MASTER_CHANNEL`.

use crate::base::{Ere, Text};
use crate::diagnostic::{Level, code};
use crate::library::{Example, Function};
use crate::machine::{Answer, ChannelRequest, Cx, Effect, Event, Flow};

/// All channels.
pub static CHANNELS: Function = Function::read(
    "CHANNELS",
    "Names of the channels there are.",
    "[expression]",
    "With blanks between. The expression is POSIX extended, and any part of a name may match.",
    |cx: &mut Cx<'_>, pattern, out| {
        if !pattern.is_empty()
            && let Err(error) = Ere::compile(pattern)
        {
            cx.log_at(&code::BAD_REGEX, Level::Error, || error.to_string());
            return Answer::Failed;
        }
        let _ = out;
        let pattern = Text::from(pattern);
        let effect = Effect::Channel {
            name: pattern.clone(),
            request: ChannelRequest::List,
        };
        Answer::Await(
            effect,
            Box::new(move |cx, event, out| {
                if let Event::Value(names) = event {
                    out.extend_from_slice(&names);
                    return Answer::Done;
                }
                // A host of single calls: the own channel is all there is.
                let own = &cx.channel().name;
                let matches = Ere::compile(&pattern).is_ok_and(|pattern| pattern.is_match(own));
                if pattern.is_empty() || matches {
                    out.extend_from_slice(own);
                }
                Answer::Done
            }),
        )
    },
)
.examples(&[Example {
    title: "The own one",
    dialplan: "",
    evaluate: "${CHANNELS(^Local/)}",
    expect: "Local/s@example-00000000;2",
}]);

/// Whether a channel exists.
pub static CHANNEL_EXISTS: Function = Function::read(
    "CHANNEL_EXISTS",
    "Whether a channel exists.",
    "name",
    "1 or 0. The name may be without its number, or the unique id.",
    |cx: &mut Cx<'_>, name, out| {
        let own = cx.channel();
        if own.name.eq_ignore_ascii_case(name) {
            out.push(b'1');
            return Answer::Done;
        }
        let effect = Effect::Channel {
            name: Text::from(name),
            request: ChannelRequest::Exists,
        };
        Answer::Await(
            effect,
            Box::new(|_, event, out| {
                let there = matches!(event, Event::Value(answer) if answer.as_bytes() == b"1");
                out.push(if there { b'1' } else { b'0' });
                Answer::Done
            }),
        )
    },
)
.examples(&[Example {
    title: "Own and other",
    dialplan: "",
    evaluate: "${CHANNEL_EXISTS(${CHANNEL})}${CHANNEL_EXISTS(PJSIP/nobody)}",
    expect: "10",
}]);

/// The first channel of the call.
pub static MASTER_CHANNEL: Function = Function::read_write(
    "MASTER_CHANNEL",
    "A variable or function of the channel that the call began with.",
    "name",
    "What `${name}` is there, to read and write. It is the own channel when the call began with it, or when the first \
     one is gone.",
    |cx: &mut Cx<'_>, name, _| {
        let Some(master) = master(cx) else {
            return own(name);
        };
        let effect = Effect::Channel {
            name: master,
            request: ChannelRequest::Evaluate(Text::from([b"${", name, b"}"].concat())),
        };
        let name = name.to_vec();
        Answer::Await(
            effect,
            Box::new(move |_, event, out| match event {
                Event::Value(value) => {
                    out.extend_from_slice(&value);
                    Answer::Done
                }
                _ => own(&name),
            }),
        )
    },
    |cx: &mut Cx<'_>, name, value| {
        let Some(master) = master(cx) else {
            return cx.assign(name, value);
        };
        let (name, value) = (Text::from(name), Text::from(value));
        let effect = Effect::Channel {
            name: master,
            request: ChannelRequest::Set {
                name: name.clone(),
                value: value.clone(),
            },
        };
        Flow::wait_then(effect, move |cx, event| match event {
            Event::Failed(_) => cx.assign(&name, &value),
            _ => Flow::Next,
        })
    },
)
.examples(&[Example {
    title: "The call began here",
    dialplan: "Set(MASTER_CHANNEL(a)=5)",
    evaluate: "${MASTER_CHANNEL(a)}${a}",
    expect: "55",
}]);

/// Unique id of the first channel, if it is another one.
fn master(cx: &Cx<'_>) -> Option<Text> {
    let channel = cx.channel();
    (!channel.linkedid.is_empty() && channel.linkedid != channel.uniqueid)
        .then(|| channel.linkedid.clone())
}

fn own(name: &[u8]) -> Answer {
    Answer::read(name, |_, value, out| {
        out.extend_from_slice(&value);
        Answer::Done
    })
}
