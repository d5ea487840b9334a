//! Dial and `RetryDial`.

use std::time::Duration;

use crate::base::Text;
use crate::base::arguments::{Options, option_location, options, standard};
use crate::base::callerid;
use crate::diagnostic::code;
use crate::library::Application;
use crate::machine::{AfterDial, Cx, Dial, Dialed, Effect, Event, Flow};

/// Call other channels and connect the one that answers.
pub static DIAL: Application = Application::new(
    "Dial",
    "Call other channels and connect the one that answers.",
    "technology/resource[&technology/resource...][,timeout[,options[,url]]]",
    "Calls all destinations at once. The first that answers is connected; the others are hung up. When that call ends, the calling channel ends, too, except with option g. DIALSTATUS says what became of it: ANSWER, BUSY, NOANSWER, CONGESTION, CHANUNAVAIL, CANCEL, INVALIDARGS.",
    |cx, data| dial(cx, &standard(data, 4), DialThen::Go),
);

/// Dial again and again until somebody answers.
pub static RETRY_DIAL: Application = Application::new(
    "RetryDial",
    "Dial again and again until somebody answers.",
    "announce,sleep,retries,dial arguments",
    "Like Dial; without an answer the announcement is played, `sleep` seconds pass, and the destinations are called again, at most `retries` times (0 = for ever).",
    retry_dial,
);

/// Variables that every Dial empties first.
const RESULTS: &[&[u8]] = &[
    b"DIALSTATUS",
    b"DIALEDPEERNUMBER",
    b"DIALEDPEERNAME",
    b"ANSWEREDTIME",
    b"ANSWEREDTIME_MS",
    b"DIALEDTIME",
    b"DIALEDTIME_MS",
    b"RINGTIME",
    b"RINGTIME_MS",
    b"PROGRESSTIME",
    b"PROGRESSTIME_MS",
];

/// Every option letter that Dial knows.
const LETTERS: &[u8] = b"aAbBcCdDeEfFgGhHiIjkKLmnNoOpPQrRsStTuUwWxXz";

/// What follows the end of a Dial.
enum DialThen {
    /// What the Dial says.
    Go,
    /// Another attempt, where nobody answered.
    Retry(Box<Retry>),
}

/// A `RetryDial` in progress.
struct Retry {
    announcement: Text,
    sleep: Duration,
    /// Attempts left; `None` = no limit.
    left: Option<u32>,
    arguments: Vec<Vec<u8>>,
}

fn dial(cx: &mut Cx<'_>, arguments: &[Vec<u8>], then: DialThen) -> Flow {
    for name in RESULTS {
        cx.set(name, b"");
    }
    let argument = |i: usize| arguments.get(i).map_or(&[][..], Vec::as_slice);
    let options = options(argument(2));
    if let Some(letter) = options.not_closed {
        cx.log(&code::OPTION_NOT_CLOSED, || {
            format!("no `)` after option `{}`", char::from(letter))
        });
        return invalid(cx);
    }
    unknown_letters(cx, "Dial", &options, LETTERS);
    let before = options
        .argument(b'B')
        .filter(|place| !place.is_empty())
        .map(option_location);
    let timeout = answer_timeout(cx, argument(1));
    let mut targets = Vec::new();
    for target in argument(0).split(|&b| b == b'&') {
        let target = target.trim_ascii();
        if target.is_empty() {
            continue;
        }
        let destination = technology_resource(target).filter(|(_, resource)| !resource.is_empty());
        let Some(destination) = destination else {
            let target = Text::from(target);
            cx.log(&code::DIAL_ARGUMENT_INVALID, || {
                format!("`{target}` is not `technology/resource`")
            });
            return invalid(cx);
        };
        targets.push(destination);
    }
    if cx.is_hungup() {
        cx.set(b"DIALSTATUS", b"CANCEL");
        return Flow::Leave;
    }
    let dial = Box::new(Dial {
        targets,
        timeout,
        caller: caller(cx, &options),
        options: options
            .letters
            .into_iter()
            .map(|(letter, argument)| (letter, argument.map(Text::from)))
            .collect(),
        inherit: Vec::new(),
    });
    match before {
        None => start(cx, dial, then),
        Some(target) => Flow::Subroutine {
            target,
            then: Box::new(move |cx, _| start(cx, dial, then)),
        },
    }
}

fn start(cx: &mut Cx<'_>, mut dial: Box<Dial>, then: DialThen) -> Flow {
    if dial.targets.is_empty() {
        cx.set(b"DIALSTATUS", b"CHANUNAVAIL");
        return Flow::Next;
    }
    dial.inherit = cx.inherited();
    if dial.option(b'C').is_some() {
        cx.reset_record(false);
    }
    Flow::wait_then(Effect::Dial(dial), move |cx, event| match event {
        Event::Dialed(dialed) => ended(cx, *dialed, then),
        Event::Hangup(_) => {
            cx.set(b"DIALSTATUS", b"CANCEL");
            Flow::Leave
        }
        _ => {
            cx.set(b"DIALSTATUS", b"CHANUNAVAIL");
            Flow::Next
        }
    })
}

/// Technology and resource of a destination.
pub(super) fn technology_resource(target: &[u8]) -> Option<(Text, Text)> {
    let slash = target.iter().position(|&b| b == b'/')?;
    let (technology, resource) = (target.get(..slash)?, target.get(slash + 1..)?);
    Some((Text::from(technology), Text::from(resource)))
}

/// Says which option letters an application does not know.
pub(super) fn unknown_letters(cx: &mut Cx<'_>, application: &str, options: &Options, known: &[u8]) {
    for (letter, _) in &options.letters {
        if !known.contains(letter) {
            let letter = char::from(*letter);
            cx.log(&code::UNKNOWN_OPTION, || {
                format!("{application} has no option `{letter}`")
            });
        }
    }
}

fn invalid(cx: &mut Cx<'_>) -> Flow {
    cx.set(b"DIALSTATUS", b"INVALIDARGS");
    Flow::Leave
}

/// Seconds, perhaps with a fraction; none, 0 and what is no number mean no limit.
fn answer_timeout(cx: &mut Cx<'_>, text: &[u8]) -> Option<Duration> {
    let answer = text.split(|&b| b == b'^').next().unwrap_or(&[]);
    if answer.is_empty() {
        return None;
    }
    let seconds = leading_seconds(answer);
    if seconds.is_none() {
        let text = Text::from(text);
        cx.log(&code::DIAL_TIMEOUT_INVALID, || {
            format!("`{text}` is no time to wait for an answer")
        });
    }
    seconds
}

/// The positive number at the start of a text, as seconds.
fn leading_seconds(text: &[u8]) -> Option<Duration> {
    let text = text.trim_ascii_start();
    let end = text
        .iter()
        .position(|b| !b.is_ascii_digit() && *b != b'.')
        .unwrap_or(text.len());
    let number = std::str::from_utf8(text.get(..end)?).ok()?;
    let seconds: f64 = number.parse().ok()?;
    Duration::try_from_secs_f64(seconds)
        .ok()
        .filter(|time| !time.is_zero())
}

/// Number and name that the called channels see: the caller's, or that of option f.
fn caller(cx: &Cx<'_>, options: &Options) -> (Option<Text>, Option<Text>) {
    let party = &cx.channel().caller;
    match options.argument(b'f').filter(|text| !text.is_empty()) {
        None => (party.number.clone(), party.name.clone()),
        Some(text) => {
            let (name, number) = callerid::split(text);
            let some = |part: Vec<u8>| (!part.is_empty()).then(|| Text::from(part));
            (some(number), some(name))
        }
    }
}

/// The Dial is over: its variables, and where the call goes on.
fn ended(cx: &mut Cx<'_>, dialed: Dialed, then: DialThen) -> Flow {
    cx.set(b"DIALSTATUS", &dialed.status);
    let mut text = |name: &[u8], value: Option<&Text>| {
        if let Some(value) = value {
            cx.set(name, value);
        }
    };
    text(b"DIALEDPEERNAME", dialed.peer.as_ref());
    text(b"DIALEDPEERNUMBER", dialed.number.as_ref());
    let answered = dialed.answered.is_some();
    time(cx, "ANSWEREDTIME", dialed.answered);
    time(cx, "DIALEDTIME", dialed.dialed.filter(|_| answered));
    time(cx, "RINGTIME", dialed.ringing);
    time(cx, "PROGRESSTIME", dialed.progress);
    for (name, value) in &dialed.set {
        cx.set(name, value);
    }
    if let Some(cause) = dialed.cause {
        cx.channel_mut().cause = cause;
    }
    match dialed.next {
        AfterDial::Hangup => Flow::Leave,
        AfterDial::Digit(digit) => Flow::Digit(digit),
        AfterDial::Goto(place) => match cx.parse_target(&place) {
            Ok(to) => Flow::Jump(to),
            Err(_) => Flow::Next,
        },
        AfterDial::Continue => match then {
            DialThen::Retry(retry) if !answered => again(retry),
            _ => Flow::Next,
        },
    }
}

fn time(cx: &mut Cx<'_>, name: &str, time: Option<Duration>) {
    if let Some(time) = time {
        cx.set(name.as_bytes(), time.as_secs().to_string().as_bytes());
        let name = format!("{name}_MS");
        cx.set(name.as_bytes(), time.as_millis().to_string().as_bytes());
    }
}

fn retry_dial(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    let arguments = standard(data, 7);
    let number = |i: usize| -> Option<u32> {
        std::str::from_utf8(arguments.get(i)?)
            .ok()?
            .trim()
            .parse()
            .ok()
    };
    let sleep = arguments
        .get(1)
        .and_then(|text| leading_seconds(text))
        .unwrap_or(Duration::from_secs(10));
    let retries = number(2).unwrap_or(1);
    let retry = Box::new(Retry {
        announcement: arguments
            .first()
            .map_or(Text::EMPTY, |a| Text::from(a.as_slice())),
        sleep,
        left: (retries > 0).then_some(retries),
        arguments: arguments.get(3..).unwrap_or(&[]).to_vec(),
    });
    let attempt = retry.arguments.clone();
    dial(cx, &attempt, DialThen::Retry(retry))
}

/// Nobody answered: the announcement, the pause, the next attempt.
fn again(mut retry: Box<Retry>) -> Flow {
    if let Some(left) = &mut retry.left {
        if *left == 0 {
            return Flow::Next;
        }
        *left -= 1;
    }
    let pause = move |retry: Box<Retry>| {
        Flow::wait_then(Effect::Sleep(retry.sleep), move |cx, event| {
            if matches!(event, Event::Hangup(_)) {
                return Flow::Leave;
            }
            let attempt = retry.arguments.clone();
            dial(cx, &attempt, DialThen::Retry(retry))
        })
    };
    if retry.announcement.is_empty() {
        return pause(retry);
    }
    let play = crate::machine::Play {
        what: vec![crate::machine::Sound::File(retry.announcement.clone())],
        stop_on: Text::EMPTY,
        ..crate::machine::Play::default()
    };
    Flow::wait_then(Effect::Play(play), move |_, event| match event {
        Event::Hangup(_) => Flow::Leave,
        _ => pause(retry),
    })
}
