//! `MusicOnHold`, `StartMusicOnHold`, `StopMusicOnHold`, `PlayTones`, `StopPlayTones`, Milliwatt, Morsecode, Zapateller.

use std::time::Duration;

use super::answer::answered;
use super::hosted::{After, Hosted, hosted};
use super::indicate::until_hangup;
use crate::base::{Text, arguments};
use crate::library::{Application, Example, Support};
use crate::machine::{ChannelState, Cx, Effect, Event, Flow};

hosted! {
    START_MUSIC_ON_HOLD "StartMusicOnHold" "Begin music for the caller." "[class]"
        "Starts the music of a class and goes on at once; it plays until StopMusicOnHold."
        Hosted::new();
    STOP_MUSIC_ON_HOLD "StopMusicOnHold" "End the music." ""
        "Stops music that StartMusicOnHold began."
        Hosted::new();
    PLAY_TONES "PlayTones" "Begin tones." "tone[,tone[,...]]"
        "Starts a list of tones, or an indication by its name, and goes on at once. Without a list the call ends."
        Hosted::new().needs(1, After::Leave).or_leaves();
    STOP_PLAY_TONES "StopPlayTones" "End the tones." ""
        "Stops tones that PlayTones began."
        Hosted::new();
    MORSECODE "Morsecode" "Give a text in Morse code." "text"
        "Keys a text by its dots and dashes. MORSEDITLEN (milliseconds), MORSETONE and MORSESPACETONE (hertz) and MORSETYPE \
         change how it sounds."
        Hosted::new().needs(1, After::Next);
}

/// Play music for a time.
pub static MUSIC_ON_HOLD: Application = Application::new(
    "MusicOnHold",
    "Let the caller hear music for a time.",
    "[class[,duration]]",
    "Plays the music of a class for some seconds, or until the caller hangs up. A class that cannot be played is \
     passed over.",
    run_music,
)
.support(Support::Simulated);

/// Give a steady tone.
pub static MILLIWATT: Application = Application::new(
    "Milliwatt",
    "Give a steady test tone.",
    "[options]",
    "Answers, then gives a test tone until the caller hangs up. Options: `m` a tone of a second with a pause, `o` the \
     older tone of 1000 hertz.",
    run_milliwatt,
)
.support(Support::Simulated);

/// Give the tones of an out-of-service number.
pub static ZAPATELLER: Application = Application::new(
    "Zapateller",
    "Give the tones of a number out of service.",
    "[options]",
    "Gives the three tones that dialling machines take for a dead number. Options: `answer` answers first, `nocallerid` only where the caller \
     shows no number. ZAPATELLERSTATUS is NOTHING, ANSWERED or ZAPPED.",
    run_zapateller,
)
.support(Support::Simulated)
.examples(&[Example { title: "Spare callers who show their number", dialplan: "Set(CALLERID(num)=5551234)\nZapateller(nocallerid)", evaluate: "${ZAPATELLERSTATUS}", expect: "NOTHING" }]);

fn custom(name: &str, data: &[u8]) -> Effect {
    Effect::Custom {
        name: Text::from(name),
        data: Text::from(data),
    }
}

fn run_music(_: &mut Cx<'_>, data: &[u8]) -> Flow {
    let mut fields = arguments::standard(data, 2).into_iter();
    let class = fields.next().unwrap_or_default();
    let time = fields
        .next()
        .and_then(|text| std::str::from_utf8(&text).ok()?.trim().parse::<u32>().ok())
        .map(|seconds| Duration::from_secs(seconds.into()));
    Flow::wait_then(custom("StartMusicOnHold", &class), move |_, event| {
        match event {
            Event::Hangup(_) => return Flow::Leave,
            Event::Failed(_) => return Flow::Next,
            _ => {}
        }
        let Some(time) = time else {
            return until_hangup();
        };
        Flow::wait_then(Effect::Sleep(time), |_, event| match event {
            Event::Hangup(_) => Flow::Leave,
            _ => Flow::wait(custom("StopMusicOnHold", b"")),
        })
    })
}

fn run_milliwatt(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    let effect = custom("Milliwatt", data);
    answered(cx, |_| {
        Flow::wait_then(effect, |_, event| match event {
            Event::Hangup(_) | Event::Failed(_) => Flow::Leave,
            _ => until_hangup(),
        })
    })
}

fn run_zapateller(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    let fields = arguments::standard(data, 2);
    let has = |word: &[u8]| fields.iter().any(|field| field.eq_ignore_ascii_case(word));
    let only_unknown = has(b"nocallerid");
    if has(b"answer") && cx.channel().state != ChannelState::Up {
        return answered(cx, move |cx| {
            cx.set(b"ZAPATELLERSTATUS", b"ANSWERED");
            zap(cx, only_unknown)
        });
    }
    zap(cx, only_unknown)
}

fn zap(cx: &mut Cx<'_>, only_unknown: bool) -> Flow {
    let known = cx
        .channel()
        .caller
        .number
        .as_ref()
        .is_some_and(|number| !number.is_empty());
    if only_unknown && known {
        cx.set(b"ZAPATELLERSTATUS", b"NOTHING");
        return Flow::Next;
    }
    Flow::wait_then(custom("Zapateller", b""), |cx, event| {
        if let Event::Hangup(_) = event {
            return Flow::Leave;
        }
        cx.set(b"ZAPATELLERSTATUS", b"ZAPPED");
        Flow::Next
    })
}
