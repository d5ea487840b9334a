//! Playback.

use super::answer::answered;
use crate::base::Text;
use crate::base::arguments;
use crate::diagnostic::code;
use crate::library::{Application, Support};
use crate::machine::{ChannelState, Cx, Effect, Event, Flow, Play, Sound};

/// Play files.
pub static PLAYBACK: Application = Application::new(
    "Playback",
    "Play a file.",
    "file[&file2[&...]][,options]",
    "Plays files one after the other; answers first unless `noanswer` is given; `skip` does nothing on a call that is \
     not up. PLAYBACKSTATUS is SUCCESS or FAILED; a missing file does not end the call.",
    run,
)
.support(Support::Simulated);

fn run(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    if data.is_empty() {
        return missing_argument(cx, "Playback needs a file");
    }
    let mut fields = arguments::standard(data, 2).into_iter();
    let files = fields.next().unwrap_or_default();
    let options = fields.next().unwrap_or_default().to_ascii_lowercase();
    let has = |word: &[u8]| bstr::ByteSlice::contains_str(options.as_slice(), word);
    let say = has(b"say");
    if cx.channel().state != ChannelState::Up {
        if has(b"skip") {
            cx.set(b"PLAYBACKSTATUS", b"SUCCESS");
            return Flow::Next;
        }
        if !has(b"noanswer") {
            return answered(cx, move |_| play(&files, say));
        }
    }
    play(&files, say)
}

fn play(files: &[u8], say: bool) -> Flow {
    let mut what = sounds(files);
    if say {
        for sound in &mut what {
            if let Sound::File(text) = sound {
                *sound = Sound::Say {
                    kind: Text::from("Playback"),
                    text: text.clone(),
                };
            }
        }
    }
    let play = Play {
        what,
        stop_on: Text::EMPTY,
        ..Play::default()
    };
    Flow::wait_then(Effect::Play(play), |cx, event| match event {
        Event::Hangup(_) => {
            cx.set(b"PLAYBACKSTATUS", b"FAILED");
            Flow::Leave
        }
        event => {
            let fine = all_there(cx, &event);
            cx.set(b"PLAYBACKSTATUS", if fine { b"SUCCESS" } else { b"FAILED" });
            Flow::Next
        }
    })
}

/// The files of `a&b&c`; empty names are dropped.
pub(super) fn sounds(files: &[u8]) -> Vec<Sound> {
    files
        .split(|&b| b == b'&')
        .map(<[u8]>::trim_ascii)
        .filter(|name| !name.is_empty())
        .map(|name| Sound::File(Text::from(name)))
        .collect()
}

/// Whether all files existed; tells of those that did not.
pub(super) fn all_there(cx: &mut Cx<'_>, event: &Event) -> bool {
    match event {
        Event::Played { missing, .. } => {
            for name in missing {
                cx.verbose(2, format!("no sound `{name}`").as_bytes());
            }
            missing.is_empty()
        }
        Event::Failed(_) => false,
        _ => true,
    }
}

/// An application without the argument that it cannot do without ends the call.
pub(super) fn missing_argument(cx: &mut Cx<'_>, message: &str) -> Flow {
    let message = message.to_owned();
    cx.log(&code::ARGUMENT_MISSING, || message);
    Flow::Leave
}
