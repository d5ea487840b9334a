//! `ControlPlayback`, `BackgroundDetect`, `MP3Player`, `StreamEcho`, Dictate: media that the caller steers.

use std::time::Duration;

use super::answer::answered;
use super::background::ALL_DIGITS;
use super::channels::echo;
use super::hosted::{Hosted, hosted};
use super::playback::{all_there, missing_argument, sounds};
use crate::base::scan::int;
use crate::base::{Text, arguments};
use crate::library::{Application, Example, Support};
use crate::machine::{Cx, Effect, Event, Flow, Location, Play, Sound};

/// How far forward and rewind keys go where no other time is given.
const SKIP: Duration = Duration::from_secs(3);

hosted! {
    DICTATE "Dictate" "Record a dictation." "[directory[,file[,options]]]"
        "Answers, then lets the caller record and hear a dictation; the keys are those of the host."
        Hosted::new().answers().or_leaves();
}

/// Play a file with keys for forward, back and pause.
pub static CONTROL_PLAYBACK: Application = Application::new(
    "ControlPlayback",
    "Play files that the caller steers.",
    "file[&file2[&...]][,skipms[,forward[,rewind[,stop[,pause[,restart[,options]]]]]]]",
    "Plays files until a stop key. A forward key (`#` unless another argument has it) goes on so many milliseconds later, \
     3000 of them if none are given, a rewind key (`*` likewise) so many earlier, a pause key waits until it is pressed \
     again, a restart key begins anew. The option o(milliseconds) begins that far into the file. CPLAYBACKSTATUS is \
     SUCCESS, USERSTOPPED or ERROR, CPLAYBACKOFFSET the place in milliseconds where a key stopped it, or -1 at the end, \
     CPLAYBACKSTOPKEY that key.",
    run_control,
)
.support(Support::Simulated)
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

/// What is played, and what the keys do to it.
#[derive(Clone)]
struct Control {
    what: Vec<Sound>,
    skip: Duration,
    forward: Text,
    rewind: Text,
    stop: Text,
    pause: Text,
    restart: Text,
}

impl Control {
    fn new(fields: &[Vec<u8>]) -> Self {
        let field = |n: usize| fields.get(n).map_or(&[][..], Vec::as_slice);
        let keys = |n: usize| {
            let keys = field(n);
            // Keys that no telephone has are none.
            let real = keys.first().is_some_and(|key| ALL_DIGITS.as_bytes().contains(key));
            if real { keys } else { &[] }
        };
        let (forward, rewind) = (keys(2), keys(3));
        let others = [keys(4), keys(5), keys(6)].concat();
        let or = |keys: &[u8], usual: u8, other: &[u8]| {
            let taken = others.contains(&usual) || other.contains(&usual);
            if keys.is_empty() && !taken {
                Text::from([usual].as_slice())
            } else {
                Text::from(keys)
            }
        };
        let skip = int(field(1)).map_or(0, |(n, _)| n);
        Self {
            what: sounds(field(0)),
            skip: u64::try_from(skip)
                .ok()
                .filter(|n| *n > 0)
                .map_or(SKIP, Duration::from_millis),
            forward: or(forward, b'#', rewind),
            rewind: or(rewind, b'*', forward),
            stop: Text::from(keys(4)),
            pause: Text::from(keys(5)),
            restart: Text::from(keys(6)),
        }
    }

    fn keys(&self) -> Text {
        let keys = [&self.forward, &self.rewind, &self.stop, &self.pause, &self.restart];
        Text::from(keys.map(Text::as_bytes).concat())
    }
}

fn run_control(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    let fields = arguments::standard(data, 8);
    if fields.first().is_none_or(Vec::is_empty) {
        return missing_argument(cx, "ControlPlayback needs a file");
    }
    cx.set(b"CPLAYBACKSTOPKEY", b"");
    let letters = arguments::options(fields.get(7).map_or(&[][..], Vec::as_slice));
    let offset = letters.argument(b'o').and_then(int).map_or(0, |(n, _)| n);
    let from = Duration::from_millis(u64::try_from(offset).unwrap_or(0));
    play_from(cx, Box::new(Control::new(&fields)), from)
}

fn play_from(cx: &mut Cx<'_>, control: Box<Control>, from: Duration) -> Flow {
    let play = Play {
        what: control.what.clone(),
        stop_on: control.keys(),
        from,
    };
    let began = cx.now();
    Flow::wait_then(Effect::Play(play), move |cx, event| {
        let fine = all_there(cx, &event);
        match event {
            Event::Played {
                digit: Some(digit), ..
            }
            | Event::Digit(digit) => {
                let at = from.saturating_add(cx.now().saturating_sub(began));
                steered(cx, control, digit, at)
            }
            Event::Hangup(_) => {
                cx.set(b"CPLAYBACKSTATUS", b"ERROR");
                Flow::Leave
            }
            _ => {
                let status: &[u8] = if fine { b"SUCCESS" } else { b"ERROR" };
                // What stands for the end of the file.
                ended(cx, status, "-1")
            }
        }
    })
}

/// A key was pressed at a place of what is played.
fn steered(cx: &mut Cx<'_>, control: Box<Control>, digit: u8, at: Duration) -> Flow {
    if control.forward.contains(&digit) {
        let to = at.saturating_add(control.skip);
        play_from(cx, control, to)
    } else if control.rewind.contains(&digit) {
        let to = at.saturating_sub(control.skip);
        play_from(cx, control, to)
    } else if control.restart.contains(&digit) {
        play_from(cx, control, Duration::ZERO)
    } else if control.pause.contains(&digit) {
        paused(control, at)
    } else {
        cx.set(b"CPLAYBACKSTOPKEY", &[digit]);
        ended(cx, b"USERSTOPPED", &at.as_millis().to_string())
    }
}

/// Nothing is heard until a pause key is pressed again; restart and stop keys act, others do not.
fn paused(control: Box<Control>, at: Duration) -> Flow {
    Flow::wait_then(Effect::Collect { timeout: None }, move |cx, event| match event {
        Event::Digit(digit) if control.pause.contains(&digit) => play_from(cx, control, at),
        Event::Digit(digit)
            if control.restart.contains(&digit) || control.stop.contains(&digit) =>
        {
            steered(cx, control, digit, at)
        }
        Event::Digit(_) => paused(control, at),
        _ => {
            cx.set(b"CPLAYBACKSTATUS", b"ERROR");
            Flow::Leave
        }
    })
}

fn ended(cx: &mut Cx<'_>, status: &[u8], offset: &str) -> Flow {
    cx.set(b"CPLAYBACKOFFSET", offset.as_bytes());
    cx.set(b"CPLAYBACKSTATUS", status);
    Flow::Next
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
            ..Play::default()
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
        ..Play::default()
    };
    Flow::wait_then(Effect::Play(play), |cx, event| {
        all_there(cx, &event);
        match event {
            Event::Hangup(_) => Flow::Leave,
            _ => Flow::Next,
        }
    })
}
