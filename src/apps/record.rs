//! Record.

use super::answer::answered;
use super::playback::missing_argument;
use crate::base::Text;
use crate::base::arguments;
use crate::base::duration::{leading_number, seconds};
use crate::library::{Application, Support};
use crate::machine::{ChannelState, Cx, Effect, Event, Flow};

/// Record a file.
pub static RECORD: Application = Application::new(
    "Record",
    "Record to a file.",
    "file.format[,silence[,maxduration[,options]]]",
    "Records what the caller says, until `#`, silence, or the longest time. Answers first unless the option `n` is \
     given; `s` skips on a call that is not up. `%d` in the name is the first number, from 0, that no \
     recording of this engine got under this name. RECORDED_FILE is the file without format, RECORD_STATUS the outcome; RECORDING_INFO(duration) tells how long it is.",
    run,
)
.support(Support::Simulated);

fn run(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    let fields = arguments::standard(data, 4);
    let field = |n: usize| fields.get(n).map_or(&[][..], Vec::as_slice);
    let file = field(0);
    let dot = file.iter().rposition(|b| matches!(b, b'.' | b':'));
    let Some(dot) = dot.filter(|at| *at > 0) else {
        cx.set(b"RECORD_STATUS", b"ERROR");
        return missing_argument(cx, "Record needs a file with a format");
    };
    let time = |text: &[u8]| {
        leading_number(text)
            .and_then(|(n, _)| seconds(n))
            .filter(|time| !time.is_zero())
    };
    let letters = arguments::options(field(3));
    let (name, format) = file.split_at_checked(dot).unwrap_or((file, &[]));
    let recorded = cx.shared().facilities().numbered.name(name);
    let record = crate::machine::Record {
        file: Text::from([&recorded, format].concat()),
        silence: time(field(1)),
        max: time(field(2)),
        options: Text::from(field(3)),
    };
    cx.set(b"RECORDED_FILE", &recorded);
    let begin = move |cx: &mut Cx<'_>| {
        let began = cx.now();
        Flow::wait_then(Effect::Record(record), move |cx, event| match event {
            Event::Hangup(_) => {
                cx.set(b"RECORD_STATUS", b"HANGUP");
                Flow::Leave
            }
            Event::Recorded(status) => {
                let length = cx.now().saturating_sub(began);
                cx.channel_mut().recordings.last = Some(length);
                cx.set(b"RECORD_STATUS", &status);
                Flow::Next
            }
            _ => {
                cx.set(b"RECORD_STATUS", b"ERROR");
                Flow::Next
            }
        })
    };
    if cx.channel().state != ChannelState::Up {
        if letters.has(b's') {
            cx.set(b"RECORD_STATUS", b"SKIP");
            return Flow::Next;
        }
        if !letters.has(b'n') {
            return answered(cx, begin);
        }
    }
    begin(cx)
}
