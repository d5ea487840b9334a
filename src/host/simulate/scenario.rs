//! What the simulated host answers to applications that need a device, from a script.
//!
//! One answer a line: `APPLICATION [ARGUMENT]: OUTCOME[, VARIABLE=VALUE]...[ after TIME][ once]`. The first line that
//! fits an application and its data counts. Lines that begin with `;` or `#` are comments. `Dial` has the outcomes of a
//! scripted destination: `Dial PJSIP/anna: BUSY after 3s`.

use std::time::Duration;

use crate::base::Text;
use crate::base::duration;
use crate::host::dial::is_digit;
use crate::library::Registry;
use crate::machine::Event;

use super::{Fate, Script};

/// Applications and functions that may ask the host. Lines about others would never be looked at.
const ASKED: &[&str] = &[
    "AddQueueMember",
    "AgentLogin",
    "AgentRequest",
    "AMD",
    "AttendedTransfer",
    "BlindTransfer",
    "BridgeWait",
    "Broadcast",
    "CallCompletionCancel",
    "CallCompletionRequest",
    "ChanIsAvail",
    "ChanSpy",
    "ConfBridge",
    "ConfKick",
    "DEVICE_STATE",
    "Dictate",
    "Directory",
    "ExtenSpy",
    "FollowMe",
    "MessageSend",
    "Milliwatt",
    "MinivmAccMess",
    "MinivmDelete",
    "MinivmGreet",
    "MinivmMWI",
    "MinivmNotify",
    "MinivmRecord",
    "MixMonitor",
    "Morsecode",
    "Page",
    "Park",
    "ParkAndAnnounce",
    "ParkedCall",
    "PauseQueueMember",
    "Pickup",
    "PickupChan",
    "PlayTones",
    "Queue",
    "QueueUpdate",
    "ReceiveMF",
    "ReceiveSF",
    "ReceiveText",
    "Reload",
    "RemoveQueueMember",
    "SendDTMF",
    "SendMF",
    "SendSF",
    "SendText",
    "SLAStation",
    "SLATrunk",
    "SpeechActivateGrammar",
    "SpeechBackground",
    "SpeechCreate",
    "SpeechDeactivateGrammar",
    "SpeechDestroy",
    "SpeechLoadGrammar",
    "SpeechProcessingSound",
    "SpeechStart",
    "SpeechUnloadGrammar",
    "StartMusicOnHold",
    "StopMixMonitor",
    "StopMusicOnHold",
    "StopPlayTones",
    "StoreDTMF",
    "UnpauseQueueMember",
    "VMAuthenticate",
    "VMSayName",
    "VoiceMail",
    "VoiceMailMain",
    "VoiceMailPlayMsg",
    "WaitForNoise",
    "WaitForRing",
    "WaitForSilence",
    "Zapateller",
];

/// An answer of a script.
#[derive(Debug, Clone, PartialEq)]
pub struct Scripted {
    /// The application or function.
    pub application: Text,
    /// Its first arguments; may end in `*`. Empty = any.
    pub argument: Text,
    /// What the application is told.
    pub event: Event,
    /// Variables that the channel gets before.
    pub variables: Vec<(Text, Text)>,
    /// How long it takes.
    pub after: Duration,
    /// Whether it counts once only.
    pub once: bool,
}

/// A line of a script that is not understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScenarioFault {
    /// Line, from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

/// A script: answers in the order in which they are tried.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scenario {
    answers: Vec<Scripted>,
    /// What comes of dialling destinations.
    pub(super) dialled: Vec<Script>,
}

impl Scenario {
    /// Reads a script; every application or function must be one of the registry. All faults are told.
    pub fn parse(text: &[u8], registry: &Registry) -> Result<Self, Vec<ScenarioFault>> {
        let mut scenario = Self::default();
        let mut faults = Vec::new();
        for (n, line) in text.split(|b| *b == b'\n').enumerate() {
            let line = line.trim_ascii();
            if line.is_empty() || line.starts_with(b";") || line.starts_with(b"#") {
                continue;
            }
            match answer(line, registry) {
                Ok(Line::Answer(answer)) => scenario.answers.push(answer),
                Ok(Line::Dial(script)) => scenario.dialled.push(script),
                Err(message) => faults.push(ScenarioFault {
                    line: n + 1,
                    message,
                }),
            }
        }
        if faults.is_empty() {
            Ok(scenario)
        } else {
            Err(faults)
        }
    }

    /// Adds an answer behind the others.
    pub fn push(&mut self, answer: Scripted) {
        self.answers.push(answer);
    }

    /// The answer to an application with these data; one that counts once is gone then.
    pub(super) fn take(&mut self, application: &[u8], data: &[u8]) -> Option<Scripted> {
        let at = self.answers.iter().position(|answer| {
            answer.application.eq_ignore_ascii_case(application) && fits(&answer.argument, data)
        })?;
        let answer = self.answers.get(at)?;
        if answer.once {
            return Some(self.answers.remove(at));
        }
        Some(answer.clone())
    }
}

/// Whether data are, or begin with, an argument.
fn fits(argument: &[u8], data: &[u8]) -> bool {
    match argument.split_last() {
        None => true,
        Some((b'*', start)) => data.starts_with(start),
        Some(_) => data
            .strip_prefix(argument)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(b",")),
    }
}

/// What a line says.
enum Line {
    Answer(Scripted),
    Dial(Script),
}

fn answer(line: &[u8], registry: &Registry) -> Result<Line, String> {
    // The colon that ends what is asked stands before a blank: arguments have colons, too.
    let colon = (0..line.len())
        .find(|at| {
            let rest = line.get(*at..).unwrap_or(&[]);
            rest.starts_with(b": ") || rest.starts_with(b":\t")
        })
        .ok_or("no `: ` between what is asked and what is answered")?;
    let asked = line.get(..colon).unwrap_or(&[]);
    let told = line.get(colon + 1..).unwrap_or(&[]).trim_ascii();
    let blank = asked.iter().position(u8::is_ascii_whitespace);
    let (name, argument) = asked
        .split_at_checked(blank.unwrap_or(asked.len()))
        .unwrap_or((asked, &[]));
    let argument = argument.trim_ascii();
    let is_dial = name.eq_ignore_ascii_case(b"Dial");
    if !is_dial {
        is_asked(name, registry)?;
    }
    let (text, told) = quoted(told)?;
    let (told, once) = match told.strip_suffix(b" once") {
        Some(rest) => (rest.trim_ascii_end(), true),
        None => (told, false),
    };
    let (told, after) = time(told)?;
    let mut fields = told.split(|b| *b == b',').map(<[u8]>::trim_ascii);
    let mut word = fields.next().unwrap_or(&[]).to_vec();
    let mut variables = Vec::new();
    for field in fields {
        match field.iter().position(|b| *b == b'=') {
            Some(0) => return Err("a variable needs a name".to_owned()),
            Some(at) => variables.push((
                Text::from(field.get(..at).unwrap_or(&[]).trim_ascii()),
                Text::from(field.get(at + 1..).unwrap_or(&[]).trim_ascii()),
            )),
            // What has no name belongs to the outcome: `HUMAN,HUMAN-2500-1000`.
            None if variables.is_empty() => {
                word.push(b',');
                word.extend_from_slice(field);
            }
            None => return Err("a variable needs `NAME=VALUE`".to_owned()),
        }
    }
    if is_dial {
        if text.is_some() || once || !variables.is_empty() || argument.contains(&b',') {
            return Err("Dial has a destination, an outcome, and perhaps a time".to_owned());
        }
        let fate = std::str::from_utf8(&word).ok().and_then(Fate::named);
        return Ok(Line::Dial(Script {
            target: Text::from(if argument.is_empty() { b"*" } else { argument }),
            fate: fate.ok_or(
                "the outcome of a Dial is ANSWER, BUSY, NOANSWER, CONGESTION or CHANUNAVAIL",
            )?,
            after,
        }));
    }
    let event = match text {
        Some(text) if word.is_empty() => Event::Value(Text::from(text)),
        Some(_) => return Err("a text in quotes is the whole outcome".to_owned()),
        None => event(&word)?,
    };
    Ok(Line::Answer(Scripted {
        application: Text::from(name),
        argument: Text::from(argument),
        event,
        variables,
        after,
        once,
    }))
}

/// Whether an application or function of this name asks the host.
fn is_asked(name: &[u8], registry: &Registry) -> Result<(), String> {
    let same = |known: &str| known.as_bytes().eq_ignore_ascii_case(name);
    let shown = bstr::BStr::new(name);
    if ASKED.iter().any(|asked| same(asked)) {
        return Ok(());
    }
    let known = registry.applications().iter().any(|a| same(&a.name))
        || registry.functions().iter().any(|f| same(&f.name));
    Err(if known {
        format!("`{shown}` does not ask the host for an outcome")
    } else {
        format!("no application or function `{shown}`")
    })
}

/// A text in quotes at the beginning, and what follows it.
fn quoted(told: &[u8]) -> Result<(Option<&[u8]>, &[u8]), String> {
    let Some(text) = told.strip_prefix(b"\"") else {
        return Ok((None, told));
    };
    let end = text.iter().position(|b| *b == b'"');
    let (text, rest) = end
        .and_then(|end| Some((text.get(..end)?, text.get(end + 1..)?)))
        .ok_or("a quote is not closed")?;
    Ok((Some(text), rest))
}

/// What an outcome tells the application.
fn event(word: &[u8]) -> Result<Event, String> {
    if word.contains(&b'"') {
        return Err("a text in quotes is the whole outcome".to_owned());
    }
    let mut words = word.split(u8::is_ascii_whitespace);
    if words
        .next()
        .is_some_and(|w| w.eq_ignore_ascii_case(b"digit"))
    {
        return match (words.next(), words.next()) {
            (Some([digit]), None) if is_digit(*digit) => Ok(Event::Digit(*digit)),
            _ => Err("a digit is 0-9, A-D, * or #".to_owned()),
        };
    }
    Ok(match word {
        b"" => return Err("no outcome".to_owned()),
        b"done" => Event::Done,
        b"fail" => Event::Failed("the script says so".to_owned()),
        b"timeout" => Event::Timeout,
        b"hangup" => Event::Hangup(16),
        word => Event::Value(Text::from(word)),
    })
}

/// What stands before ` after TIME`, and the time.
fn time(told: &[u8]) -> Result<(&[u8], Duration), String> {
    const AFTER: &[u8] = b" after ";
    let at = told
        .windows(AFTER.len())
        .rposition(|window| window == AFTER);
    let Some(at) = at else {
        return Ok((told, Duration::ZERO));
    };
    let text = told.get(at + AFTER.len()..).unwrap_or(&[]);
    let time =
        duration::parse(text).ok_or_else(|| format!("`{}` is no time", bstr::BStr::new(text)))?;
    Ok((told.get(..at).unwrap_or(&[]).trim_ascii_end(), time))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Scenario, Vec<ScenarioFault>> {
        Scenario::parse(text.as_bytes(), &crate::standard_registry())
    }

    #[test]
    fn the_first_line_that_fits_answers() {
        let mut scenario = parse(
            "; night\nQueue support: TIMEOUT after 30s\nQueue s*: FULL, QUEUEWAIT=3 once\nAMD: HUMAN,HUMAN-1\n\
             MessageSend pjsip:anna: fail\nVoiceMail: digit 0\n",
        )
        .unwrap();
        let queue = scenario.take(b"queue", b"support,t").unwrap();
        assert_eq!(queue.event, Event::Value(Text::from("TIMEOUT")));
        assert_eq!(queue.after, Duration::from_secs(30));
        let sales = scenario.take(b"Queue", b"sales").unwrap();
        assert_eq!(
            sales.variables,
            [(Text::from("QUEUEWAIT"), Text::from("3"))]
        );
        assert_eq!(scenario.take(b"Queue", b"sales"), None);
        let amd = scenario.take(b"AMD", b"").unwrap();
        assert_eq!(amd.event, Event::Value(Text::from("HUMAN,HUMAN-1")));
        let message = scenario.take(b"MessageSend", b"pjsip:anna,bob").unwrap();
        assert!(matches!(message.event, Event::Failed(_)));
        assert_eq!(
            scenario.take(b"VoiceMail", b"9").unwrap().event,
            Event::Digit(b'0')
        );
        assert_eq!(scenario.take(b"Queue", b"support2"), None);
    }

    #[test]
    fn a_text_in_quotes_is_taken_as_it_is() {
        let mut scenario =
            parse("ReceiveText: \"a, b=c after 3 once\", X=1 after 2s once\n").unwrap();
        let text = scenario.take(b"ReceiveText", b"").unwrap();
        assert_eq!(text.event, Event::Value(Text::from("a, b=c after 3 once")));
        assert_eq!(text.variables, [(Text::from("X"), Text::from("1"))]);
        assert_eq!(text.after, Duration::from_secs(2));
        assert!(text.once);
    }

    #[test]
    fn faults_have_their_line() {
        let faults =
            parse(
                "Queues x: TIMEOUT\n\nQueue x TIMEOUT\nAMD: HUMAN after noon\nAMD: HUMAN, =3\nReceiveText: \"a\n\
                 ReceiveText: a\"\nVoiceMail: DIGIT 99\nPlayback: fail\nDial PJSIP/a: MAYBE\nDial PJSIP/a: BUSY once\n\
                 ReceiveText: \"a\" b\n",
            )
            .unwrap_err();
        let lines: Vec<usize> = faults.iter().map(|fault| fault.line).collect();
        assert_eq!(lines, [1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    }
}
