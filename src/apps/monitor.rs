//! `MixMonitor`, `StopMixMonitor`, `ChanSpy`, `ExtenSpy`, Broadcast: recording a call, and listening to one.

use super::hosted::{Hosted, hosted};
use super::playback::missing_argument;
use crate::base::Text;
use crate::base::arguments::{self, options};
use crate::diagnostic::code;
use crate::library::{Application, Example, Support};
use crate::machine::facilities::Monitor;
use crate::machine::{Cx, Effect, Event, Flow};

hosted! {
    CHAN_SPY "ChanSpy" "Listen to calls." "[channel[,options]]"
        "Answers and listens to the channels whose names begin with a text, one after the other; `*` goes on to the next, \
         `#` changes the volume."
        Hosted::new().answers().or_leaves();
    EXTEN_SPY "ExtenSpy" "Listen to the calls of an extension." "extension[@context][,options]"
        "Answers and listens to the channels of the devices in the hint of an extension."
        Hosted::new().answers().or_leaves();
    BROADCAST "Broadcast" "Speak to many channels." "[options,]channel[,channel2[,...]]"
        "Answers and lets several channels hear this one; option `b` both parties of them, `l` their whisper, `r` the other \
         way too, `s` until hangup."
        Hosted::new().answers().or_leaves();
}

/// Record the call.
pub static MIX_MONITOR: Application = Application::new(
    "MixMonitor",
    "Record both sides of the call.",
    "file.extension[,options[,command]]",
    "Begins a recording of the call in the background. MIXMONITOR_FILENAME is its file, below the `monitor` directory of \
     the spool unless the name begins with `/`. Option `i(variable)` gives the id for StopMixMonitor and MIXMONITOR(). A command for its \
     end is dropped where commands of the system are not allowed.",
    run,
)
.support(Support::Simulated)
.examples(&[Example { title: "Where the recording is", dialplan: "MixMonitor(/srv/calls/a.wav)", evaluate: "${MIXMONITOR_FILENAME}", expect: "/srv/calls/a.wav" }]);

/// End a recording.
pub static STOP_MIX_MONITOR: Application = Application::new(
    "StopMixMonitor",
    "End a recording of the call.",
    "[id]",
    "Ends the recording of that id, or all of the channel. A warning where there is none.",
    |cx, data| {
        let id = arguments::standard(data, 1).into_iter().next().unwrap_or_default();
        if !cx.channel_mut().recordings.stop(&id) {
            cx.log(&code::NOT_FOUND, || "no such recording on this channel".to_owned());
        }
        Flow::wait(Effect::Custom {
            name: Text::from("StopMixMonitor"),
            data: Text::from(data),
        })
    },
)
.support(Support::Simulated)
.examples(&[Example {
    title: "Only while the caller speaks",
    dialplan: "MixMonitor(/srv/calls/a.wav,i(own))\nStopMixMonitor(${own})",
    evaluate: "[${MIXMONITOR(${own},filename)}]",
    expect: "[]",
}]);

fn run(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    let mut fields = arguments::standard(data, 3);
    let file = fields.first().cloned().unwrap_or_default();
    let letters = options(fields.get(1).map_or(&[][..], Vec::as_slice));
    if file.is_empty() && !letters.has(b'r') && !letters.has(b't') {
        return missing_argument(cx, "MixMonitor needs a file");
    }
    let path = if file.is_empty() || file.starts_with(b"/") {
        file
    } else {
        [&cx.text_of(b"ASTSPOOLDIR"), &b"/monitor/"[..], &file].concat()
    };
    if !cx.allow().system && fields.get(2).is_some_and(|command| !command.is_empty()) {
        cx.log(&code::NOT_ALLOWED, || {
            "MixMonitor: commands of the system are not allowed here".to_owned()
        });
        fields.truncate(2);
    }
    if let Some(first) = fields.first_mut() {
        first.clone_from(&path);
    }
    let variable = letters.argument(b'i').map(<[u8]>::to_vec);
    let effect = Effect::Custom {
        name: Text::from("MixMonitor"),
        data: Text::from(fields.join(&b',')),
    };
    Flow::wait_then(effect, move |cx, event| {
        match &event {
            Event::Hangup(_) => return Flow::Leave,
            Event::Failed(_) => return Flow::Next,
            _ => {}
        }
        cx.set(b"MIXMONITOR_FILENAME", &path);
        let number = cx.channel().recordings.running.len();
        let file = Text::from(path);
        let id = match event {
            Event::Value(id) => id,
            // A text of its own for every recording of the channel, as Asterisk's ids are.
            _ => Text::from(format!("{file}#{number}").as_str()),
        };
        if let Some(variable) = variable.filter(|name| !name.is_empty()) {
            cx.set(&variable, &id);
        }
        cx.channel_mut().recordings.running.push(Monitor { id, file });
        Flow::Next
    })
}
