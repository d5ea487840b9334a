//! `ControlPlayback`, `BackgroundDetect`, `MP3Player`, `StreamEcho`, Dictate: media that the caller steers.

use super::answer::answered;
use super::background::ALL_DIGITS;
use super::channels::echo;
use super::hosted::{Hosted, hosted};
use super::playback::{all_there, missing_argument, sounds};
use crate::base::{Text, arguments};
use crate::library::{Application, Example, Support};
use crate::machine::{Cx, Effect, Event, Flow, Location, Play, Sound};

hosted! {
    DICTATE "Dictate" "Record a dictation." "[directory[,file[,options]]]"
        "Answers, then lets the caller record and hear a dictation; the keys are those of the host."
        Hosted::new().answers().or_leaves();
}

/// Play a file with keys for forward, back and pause.
pub static CONTROL_PLAYBACK: Application = Application::new(
    "ControlPlayback",
    "Play files that the caller can stop.",
    "file[&file2[&...]][,skipms[,forward[,rewind[,stop[,pause[,restart[,options]]]]]]]",
    "Plays files until a stop key; a restart key begins anew. CPLAYBACKSTATUS is SUCCESS, USERSTOPPED or ERROR, \
     CPLAYBACKOFFSET the place in milliseconds where a key stopped it, or -1 at the end, CPLAYBACKSTOPKEY that key.",
    run_control,
)
.support(Support::Partial(
    "no skipping, pausing or beginning at an offset: a host plays from the start",
))
.examples(&[Example { title: "Nobody presses a key", dialplan: "ControlPlayback(long-message,3000,#,*,0)", evaluate: "${CPLAYBACKSTATUS} ${CPLAYBACKOFFSET}", expect: "SUCCESS -1" }]);

/// Play a file and listen for speech.
pub static BACKGROUND_DETECT: Application = Application::new(
    "BackgroundDetect",
    "Play a file and listen for speech.",
    "file[,silence[,min[,max[,analysistime]]]]",
    "Answers and plays a file. A digit that begins an extension is dialled. When the host tells of speech, with its \
     length in milliseconds, TALK_DETECTED is set, and the call goes to the extension `talk`, if there is one.",
    run_detect,
)
.support(Support::Simulated);

/// Play an MP3 file or stream.
pub static MP3_PLAYER: Application = Application::new(
    "MP3Player",
    "Play an MP3 file or stream.",
    "location",
    "Plays a file, list or stream until its end or any key.",
    run_mp3,
)
.support(Support::Simulated);

/// Give back what is heard and seen.
pub static STREAM_ECHO: Application = Application::new(
    "StreamEcho",
    "Give every stream back to the caller.",
    "[streams[,type]]",
    "Gives every stream back until `#` is pressed or the caller hangs up.",
    |_, _| echo(),
)
.support(Support::Simulated);

fn run_control(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    let fields = arguments::standard(data, 8);
    let field = |n: usize| fields.get(n).map_or(&[][..], Vec::as_slice);
    if field(0).is_empty() {
        return missing_argument(cx, "ControlPlayback needs a file");
    }
    cx.set(b"CPLAYBACKSTOPKEY", b"");
    let (stop, restart) = (Text::from(field(4)), Text::from(field(6)));
    from_the_beginning(cx, sounds(field(0)), stop, restart)
}

fn from_the_beginning(cx: &mut Cx<'_>, what: Vec<Sound>, stop: Text, restart: Text) -> Flow {
    let play = Play {
        what: what.clone(),
        stop_on: Text::from([&*stop, &*restart].concat()),
    };
    let begin = cx.now();
    Flow::wait_then(Effect::Play(play), move |cx, event| {
        let fine = all_there(cx, &event);
        // What stands for the end of the file.
        let mut offset = "-1".to_owned();
        let status: &[u8] = match event {
            Event::Played {
                digit: Some(digit), ..
            }
            | Event::Digit(digit) => {
                if restart.contains(&digit) {
                    return from_the_beginning(cx, what, stop, restart);
                }
                offset = cx.now().saturating_sub(begin).as_millis().to_string();
                cx.set(b"CPLAYBACKSTOPKEY", &[digit]);
                b"USERSTOPPED"
            }
            Event::Hangup(_) => {
                cx.set(b"CPLAYBACKSTATUS", b"ERROR");
                return Flow::Leave;
            }
            _ if fine => b"SUCCESS",
            _ => b"ERROR",
        };
        cx.set(b"CPLAYBACKOFFSET", offset.as_bytes());
        cx.set(b"CPLAYBACKSTATUS", status);
        Flow::Next
    })
}

fn run_detect(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    let file = arguments::standard(data, 5).into_iter().next();
    let Some(file) = file.filter(|file| !file.is_empty()) else {
        return missing_argument(cx, "BackgroundDetect needs a file");
    };
    answered(cx, move |cx| {
        cx.set(b"TALK_DETECTED", b"");
        let at = cx.location();
        // Digits that begin no extension are passed over.
        let stop_on: Vec<u8> = ALL_DIGITS
            .bytes()
            .filter(|digit| {
                cx.exists(&at.context, &[*digit], 1) || cx.match_more(&at.context, &[*digit])
            })
            .collect();
        let play = Play {
            what: sounds(&file),
            stop_on: Text::from(stop_on),
        };
        Flow::wait_then(Effect::Play(play), detected)
    })
}

fn detected(cx: &mut Cx<'_>, event: Event) -> Flow {
    all_there(cx, &event);
    match event {
        Event::Hangup(_) => Flow::Leave,
        Event::Played {
            digit: Some(digit), ..
        }
        | Event::Digit(digit) => Flow::Digit(digit),
        Event::Value(milliseconds) => {
            cx.set(b"TALK_DETECTED", &milliseconds);
            let context = cx.location().context.clone();
            if !cx.exists(&context, b"talk", 1) {
                return Flow::Next;
            }
            Flow::Jump(Location {
                context,
                exten: Text::from("talk"),
                priority: 1,
            })
        }
        _ => Flow::Next,
    }
}

fn run_mp3(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    if data.is_empty() {
        return missing_argument(cx, "MP3Player needs a file or stream");
    }
    let play = Play {
        what: vec![Sound::File(Text::from(data))],
        stop_on: Text::from(ALL_DIGITS),
    };
    Flow::wait_then(Effect::Play(play), |cx, event| {
        all_there(cx, &event);
        match event {
            Event::Hangup(_) => Flow::Leave,
            _ => Flow::Next,
        }
    })
}
