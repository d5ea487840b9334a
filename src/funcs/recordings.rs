//! MIXMONITOR and `RECORDING_INFO`.

use crate::base::arguments::standard;
use crate::diagnostic::{Level, code};
use crate::library::{Example, Function};
use crate::machine::{Answer, Cx};

/// A recording of both sides.
pub static MIXMONITOR: Function = Function::read(
    "MIXMONITOR",
    "A value of a recording of both sides.",
    "id,key",
    "The id is that of MixMonitor's option `i`; the only key is `filename`. Empty with a warning where there is no such \
     recording on this channel.",
    |cx: &mut Cx<'_>, arguments, out| {
        let fields = standard(arguments, 2);
        let [id, key] = fields.as_slice() else {
            return misused(cx, "MIXMONITOR needs an id and a key");
        };
        if id.is_empty() || key.is_empty() {
            return misused(cx, "MIXMONITOR needs an id and a key");
        }
        let file = cx.channel().recordings.monitor(id).map(|m| m.file.clone());
        let Some(file) = file else {
            cx.log(&code::NOT_FOUND, || {
                format!("no recording `{}` on this channel", bstr::BStr::new(id))
            });
            return Answer::Failed;
        };
        if !key.eq_ignore_ascii_case(b"filename") {
            return misused(cx, "MIXMONITOR knows no other key than `filename`");
        }
        out.extend_from_slice(&file);
        Answer::Done
    },
)
.examples(&[Example {
    title: "The file of a recording",
    dialplan: "MixMonitor(/srv/calls/a.wav,i(own))",
    evaluate: "${MIXMONITOR(${own},filename)}",
    expect: "/srv/calls/a.wav",
}]);

/// The last recording.
pub static RECORDING_INFO: Function = Function::read(
    "RECORDING_INFO",
    "A value of the last recording of this channel.",
    "property",
    "`duration` is how long what Record recorded last is, in milliseconds. An error before the first recording.",
    |cx: &mut Cx<'_>, property, out| {
        if !property.eq_ignore_ascii_case(b"duration") {
            cx.log_at(&code::BAD_ARGUMENT, Level::Error, || {
                format!("RECORDING_INFO has no `{}`", bstr::BStr::new(property))
            });
            return Answer::Failed;
        }
        let Some(time) = cx.channel().recordings.last else {
            cx.log_at(&code::NOT_FOUND, Level::Error, || {
                "nothing was recorded on this channel".to_owned()
            });
            return Answer::Failed;
        };
        out.extend_from_slice(time.as_millis().to_string().as_bytes());
        Answer::Done
    },
)
.examples(&[Example {
    title: "Nothing yet",
    dialplan: "",
    evaluate: "[${RECORDING_INFO(duration)}]",
    expect: "[]",
}]);

fn misused(cx: &mut Cx<'_>, text: &str) -> Answer {
    cx.log(&code::BAD_ARGUMENT, || text.to_owned());
    Answer::Failed
}
