//! SHARED, IMPORT and EXPORT: values of other channels.

use crate::base::arguments::standard;
use crate::base::Text;
use crate::diagnostic::{Level, code};
use crate::library::{Example, Function};
use crate::machine::variables::inheritance;
use crate::machine::{Answer, ChannelRequest, Cx, Effect, Event, Flow};

/// Values that other channels can reach.
pub static SHARED: Function = Function::read_write(
    "SHARED",
    "A value of this or another channel that both can read and write.",
    "name[,channel]",
    "Apart from the channel's variables. Without a channel it is the own one.",
    |cx: &mut Cx<'_>, arguments, out| {
        let Some((name, other)) = target(cx, arguments) else {
            return Answer::Failed;
        };
        if let Some(other) = other {
            let effect = Effect::Channel {
                name: other,
                request: ChannelRequest::Shared(name),
            };
            return Answer::Await(effect, Box::new(answered));
        }
        if let Some(value) = cx.channel().shared.get(&name) {
            out.extend_from_slice(value);
        }
        Answer::Done
    },
    |cx: &mut Cx<'_>, arguments, value| {
        let Some((name, other)) = target(cx, arguments) else {
            return Flow::Next;
        };
        let (_, plain) = inheritance(&name);
        let (name, value) = (Text::from(plain), Text::from(value));
        if let Some(other) = other {
            let effect = Effect::Channel {
                name: other,
                request: ChannelRequest::SetShared { name, value },
            };
            return Flow::wait_then(effect, |cx, event| written(cx, &event));
        }
        cx.channel_mut().shared.insert(name, value);
        Flow::Next
    },
)
.examples(&[Example {
    title: "Apart from variables",
    dialplan: "Set(a=1)\nSet(SHARED(a)=2)",
    evaluate: "${a}${SHARED(a)}",
    expect: "12",
}]);

/// Name, and the other channel if it is one.
fn target(cx: &mut Cx<'_>, arguments: &[u8]) -> Option<(Text, Option<Text>)> {
    let arguments = standard(arguments, 2);
    let name = arguments.first().filter(|name| !name.is_empty());
    let Some(name) = name else {
        cx.log(&code::BAD_ARGUMENT, || "SHARED without a name".to_owned());
        return None;
    };
    let other = arguments
        .get(1)
        .filter(|other| !other.is_empty() && !other.eq_ignore_ascii_case(&cx.channel().name))
        .map(|other| Text::from(other.as_slice()));
    Some((Text::from(name.as_slice()), other))
}

fn answered(cx: &mut Cx<'_>, event: Event, out: &mut Vec<u8>) -> Answer {
    if let Event::Value(value) = event {
        out.extend_from_slice(&value);
        return Answer::Done;
    }
    written(cx, &event);
    Answer::Failed
}

fn written(cx: &mut Cx<'_>, event: &Event) -> Flow {
    if matches!(event, Event::Failed(_)) {
        cx.log_at(&code::NOT_FOUND, Level::Error, || "no such channel".to_owned());
    }
    Flow::Next
}

/// Reads on another channel.
pub static IMPORT: Function = Function::read(
    "IMPORT",
    "A variable of another channel.",
    "channel,name",
    "Gives what `${name}` is on that channel; the name may be a function. Without such a channel it is empty.",
    |cx: &mut Cx<'_>, arguments, _| {
        let arguments = standard(arguments, 2);
        let [channel, name] = arguments.as_slice() else {
            return Answer::Failed;
        };
        if channel.eq_ignore_ascii_case(&cx.channel().name) {
            return Answer::read(name, |_, value, out| {
                out.extend_from_slice(&value);
                Answer::Done
            });
        }
        let text = [b"${", name.as_slice(), b"}"].concat();
        let effect = Effect::Channel {
            name: Text::from(channel.as_slice()),
            request: ChannelRequest::Evaluate(Text::from(text)),
        };
        Answer::Await(
            effect,
            Box::new(|_, event, out| {
                if let Event::Value(value) = event {
                    out.extend_from_slice(&value);
                }
                Answer::Done
            }),
        )
    },
)
.examples(&[Example {
    title: "A channel that is not there",
    dialplan: "",
    evaluate: "[${IMPORT(PJSIP/bob-00000001,account)}]",
    expect: "[]",
}]);

/// Sets on another channel.
pub static EXPORT: Function = Function::write_only(
    "EXPORT",
    "Sets a variable of another channel.",
    "channel,name",
    "The name may be a function that can be written. Without such a channel nothing happens.",
    |cx: &mut Cx<'_>, arguments, value| {
        let arguments = standard(arguments, 2);
        let [channel, name] = arguments.as_slice() else {
            return Flow::Next;
        };
        if channel.eq_ignore_ascii_case(&cx.channel().name) {
            return cx.assign(name, value);
        }
        let effect = Effect::Channel {
            name: Text::from(channel.as_slice()),
            request: ChannelRequest::Set {
                name: Text::from(name.as_slice()),
                value: Text::from(value),
            },
        };
        Flow::wait_then(effect, |_, _| Flow::Next)
    },
)
.examples(&[Example {
    title: "A channel that is not there",
    dialplan: "Set(EXPORT(PJSIP/bob-00000001,account)=17)",
    evaluate: "on",
    expect: "on",
}]);
