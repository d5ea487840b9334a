//! What changes or watches the audio of a channel. The engine has no audio: a valid setting is kept on the channel and
//! handed to the host, in an effect with the function's name and `item,value`.

use crate::base::Text;
use crate::base::condition::is_yes;
use crate::base::duration::leading_number;
use crate::base::scan::int;
use crate::diagnostic::{Level, code};
use crate::library::{Example, Function};
use crate::machine::{Answer, Cx, Effect, Flow};

/// What there is to say against a setting.
type Valid<T> = Result<T, &'static str>;

/// A setting as the host gets it: item and value; `None` where Asterisk, too, does nothing.
type Setting = Valid<Option<(&'static str, Vec<u8>)>>;

macro_rules! media {
    ($($name:ident $syntax:literal $synopsis:literal $doc:literal $value:literal $read:expr;)*) => {$(
        #[doc = $synopsis]
        pub static $name: Function = Function::write_only(
            stringify!($name),
            $synopsis,
            $syntax,
            $doc,
            |cx, arguments, value| {
                let setting: Setting = $read(arguments, value);
                hand_over(cx, stringify!($name), setting)
            },
        )
        .examples(&[Example {
            title: "Accepted",
            dialplan: concat!("Set(", stringify!($name), $value, ")"),
            evaluate: "on",
            expect: "on",
        }]);
    )*};
}

media! {
    FRAME_DROP "TX|RX" "Drops frames of some kinds of this channel."
        "Kinds with commas between: DTMF_BEGIN, DTMF_END, VOICE, VIDEO, CONTROL, NULL, IAX, TEXT, TEXT_DATA, IMAGE, HTML, \
         CNG, MODEM, and of control frames RING, RINGING, ANSWER, BUSY, TAKEOFFHOOK, OFFHOOK, CONGESTION, FLASH, WINK, \
         PROGRESS, PROCEEDING, HOLD, UNHOLD, VIDUPDATE, CONNECTED_LINE, REDIRECTING. What is written replaces what was \
         written before."
        "(TX)=DTMF_BEGIN,DTMF_END"
        |direction: &[u8], value: &[u8]| {
            let item = one_of(direction, &["RX", "TX"]).ok_or("the direction is TX or RX")?;
            Ok(Some((item, frames(value, true))))
        };
    FRAME_TRACE "[white|black]" "Shows the frames of this channel."
        "Of the kinds listed, or with `black` of all others; all of them where nothing is written. Kinds are those of \
         FRAME_DROP without the control frames."
        "(white)=DTMF_BEGIN"
        |list: &[u8], value: &[u8]| {
            let list = if list.is_empty() { b"white" } else { list };
            let item = one_of(list, &["white", "black"]).ok_or("the list is `white` or `black`")?;
            Ok(Some((item, frames(value, false))))
        };
    HOLD_INTERCEPT "set|remove" "Keeps hold from the far side and reports it instead."
        "The value does not count."
        "(set)="
        |action: &[u8], _: &[u8]| {
            let item = one_of(action, &["set", "remove"]).ok_or("it can be `set` or `remove`d")?;
            Ok(Some((item, Vec::new())))
        };
    JITTERBUFFER "fixed|adaptive|disabled" "Evens out the arrival of audio on this channel."
        "The value is `max_size[,resync_threshold[,target_extra[,sync_video]]]`, each in milliseconds; what is not there \
         is Asterisk's usual: 200, 1000, 40, no."
        "(fixed)=200,1500"
        jitter;
    MUTEAUDIO "in|out|all" "Silences audio of this channel."
        "The value is `on` or `off`."
        "(in)=on"
        |direction: &[u8], value: &[u8]| {
            let on = is_yes(value);
            let item = one_of(direction, &["in", "out", "all"]);
            Ok(item.map(|item| (item, if on { b"on".to_vec() } else { b"off".to_vec() })))
        };
    PITCH_SHIFT "tx|rx|both" "Makes voices on this channel higher or lower."
        "A factor between 0.1 and 4, or highest (2), higher (1.5), high (1.25), low (0.85), lower (0.7), lowest (0.5). \
         1 changes nothing."
        "(tx)=high"
        pitch;
    SCRAMBLE "" "Makes speech on this channel hard to understand."
        "The value is TX, RX, both, or `remove`."
        "()=both"
        |_: &[u8], value: &[u8]| {
            let direction = one_of(value, &["TX", "RX", "both", "remove"]);
            let direction = direction.ok_or("the direction is TX, RX, both or remove")?;
            Ok(Some(("direction", direction.as_bytes().to_vec())))
        };
    TALK_DETECT "set|remove" "Reports when somebody on this channel begins or ends to speak."
        "With `set` the value is `[silence][,talking]`: after how many milliseconds of silence a speaker has ended (2500), \
         and from which loudness on somebody speaks (256)."
        "(set)=1200"
        talk;
}

/// How loud.
pub static VOLUME: Function = Function::read_write(
    "VOLUME",
    "How loud this channel is.",
    "TX|RX[,p]",
    "Steps up or down; `p` lets the far side change it with `*` and `#`. It can be read once it was written.",
    |cx: &mut Cx<'_>, arguments, out| {
        let known = ["VOLUME TX", "VOLUME RX"];
        let set = known.map(|key| cx.channel().setting(key.as_bytes()).cloned());
        if set.iter().all(Option::is_none) {
            return Answer::Failed;
        }
        let value = match direction(arguments) {
            Some("TX") => set.into_iter().next().flatten(),
            Some(_) => set.into_iter().nth(1).flatten(),
            None => {
                cx.log_at(&code::BAD_ARGUMENT, Level::Error, || {
                    "the direction of VOLUME is TX or RX".to_owned()
                });
                return Answer::Failed;
            }
        };
        out.extend_from_slice(value.as_deref().unwrap_or(b"0"));
        Answer::Done
    },
    |cx: &mut Cx<'_>, arguments, value| {
        let keys = arguments
            .split(|b| *b == b',')
            .nth(1)
            .is_some_and(|options| options.contains(&b'p'));
        if keys {
            cx.channel_mut().set_setting(b"VOLUME keys", b"yes");
        }
        let gain = int(value).map_or(0, |(n, _)| n).to_string().into_bytes();
        let setting = direction(arguments).map(|item| (item, gain));
        hand_over(cx, "VOLUME", Ok(setting))
    },
)
.examples(&[Example {
    title: "Louder",
    dialplan: "Set(VOLUME(TX)=3)",
    evaluate: "${VOLUME(TX)} ${VOLUME(RX)}",
    expect: "3 0",
}]);

/// Direction of VOLUME.
fn direction(arguments: &[u8]) -> Option<&'static str> {
    let first = arguments.split(|b| *b == b',').next().unwrap_or(&[]);
    one_of(first, &["TX", "RX"])
}

/// One of several words, without regard to case.
fn one_of(text: &[u8], words: &[&'static str]) -> Option<&'static str> {
    let mut words = words.iter().copied();
    words.find(|word| word.as_bytes().eq_ignore_ascii_case(text))
}

/// Kinds of frames.
const KINDS: &[&str] = &[
    "DTMF_BEGIN", "DTMF_END", "VOICE", "VIDEO", "CONTROL", "NULL", "IAX", "TEXT", "TEXT_DATA",
    "IMAGE", "HTML", "CNG", "MODEM",
];
/// Kinds of control frames.
const CONTROL: &[&str] = &[
    "RING", "RINGING", "ANSWER", "BUSY", "TAKEOFFHOOK", "OFFHOOK", "CONGESTION", "FLASH", "WINK",
    "PROGRESS", "PROCEEDING", "HOLD", "UNHOLD", "VIDUPDATE", "CONNECTED_LINE", "REDIRECTING",
];

/// The kinds that a list names, with commas between; others are passed over, as in Asterisk.
fn frames(list: &[u8], control: bool) -> Vec<u8> {
    let more = if control { CONTROL } else { &[] };
    let kinds: Vec<&[u8]> = list
        .split(|b| *b == b',')
        .filter_map(|kind| {
            let kind = kind.trim_ascii();
            one_of(kind, KINDS).or_else(|| one_of(kind, more))
        })
        .map(str::as_bytes)
        .collect();
    kinds.join(&b',')
}

fn jitter(kind: &[u8], value: &[u8]) -> Setting {
    let kinds = ["fixed", "adaptive", "disabled"];
    let kind = one_of(kind, &kinds).ok_or("it is fixed, adaptive or disabled")?;
    if kind == "disabled" {
        return Ok(Some((kind, Vec::new())));
    }
    let given = if value.eq_ignore_ascii_case(b"default") {
        &[][..]
    } else {
        value
    };
    let mut fields = given.split(|b| *b == b',');
    let mut numbers = Vec::new();
    for usual in [200, 1000, 40] {
        let number = match fields.next().map(<[u8]>::trim_ascii) {
            None | Some([]) => usual,
            Some(text) => int(text)
                .map(|(n, _)| n)
                .filter(|n| *n >= 0)
                .ok_or("its sizes are milliseconds")?,
        };
        numbers.push(number.to_string());
    }
    let video = fields.next().is_some_and(|text| is_yes(text.trim_ascii()));
    numbers.push(if video { "yes" } else { "no" }.to_owned());
    Ok(Some((kind, numbers.join(",").into_bytes())))
}

fn pitch(channel: &[u8], value: &[u8]) -> Setting {
    const WORDS: &[(&str, f64)] = &[
        ("highest", 2.0),
        ("higher", 1.5),
        ("high", 1.25),
        ("low", 0.85),
        ("lower", 0.7),
        ("lowest", 0.5),
    ];
    let item = one_of(channel, &["tx", "rx", "both"]).ok_or("the direction is tx, rx or both")?;
    let word = WORDS
        .iter()
        .find(|(word, _)| word.as_bytes().eq_ignore_ascii_case(value));
    let factor = match word {
        Some((_, factor)) => *factor,
        None => leading_number(value)
            .map(|(factor, _)| factor)
            .filter(|factor| *factor > 0.0 && *factor <= 4.0)
            .ok_or("the pitch is a factor up to 4, or a word")?,
    };
    Ok(Some((item, factor.to_string().into_bytes())))
}

fn talk(action: &[u8], value: &[u8]) -> Setting {
    let item = one_of(action, &["set", "remove"]).ok_or("it can be `set` or `remove`d")?;
    if item == "remove" {
        return Ok(Some((item, Vec::new())));
    }
    let mut fields = value.split(|b| *b == b',');
    let mut next = |usual: i32| match fields.next().map(<[u8]>::trim_ascii) {
        None | Some([]) => Ok(usual),
        Some(text) => int(text)
            .map(|(n, _)| n)
            .filter(|n| *n > 0)
            .ok_or("its thresholds are numbers above zero"),
    };
    let (silence, talking) = (next(2500)?, next(256)?);
    Ok(Some((item, format!("{silence},{talking}").into_bytes())))
}

/// Keeps a valid setting and hands it to the host.
fn hand_over(cx: &mut Cx<'_>, function: &'static str, setting: Setting) -> Flow {
    let (item, value) = match setting {
        Ok(Some(setting)) => setting,
        Ok(None) => return Flow::Next,
        Err(fault) => {
            cx.log(&code::BAD_ARGUMENT, || format!("{function}: {fault}"));
            return Flow::Next;
        }
    };
    let key = [function.as_bytes(), b" ", item.as_bytes()].concat();
    cx.channel_mut().set_setting(&key, &value);
    let data = [item.as_bytes(), b",", &value].concat();
    Flow::wait(Effect::Custom {
        name: Text::from(function),
        data: Text::from(data),
    })
}
