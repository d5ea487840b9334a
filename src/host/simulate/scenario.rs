//! What the simulated host answers to applications that need a device, from a script.
//!
//! One answer a line: `APPLICATION [ARGUMENT]: OUTCOME[, VARIABLE=VALUE]...[ after TIME][ once]`. The first line that
//! fits an application and its data counts. Lines that begin with `;` or `#` are comments.

use std::time::Duration;

use crate::base::Text;
use crate::base::duration;
use crate::host::dial::is_digit;
use crate::library::Registry;
use crate::machine::Event;

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
}

impl Scenario {
    /// Reads a script; every application or function must be one of the registry. All faults are told.
    pub fn parse(text: &[u8], registry: &Registry) -> Result<Self, Vec<ScenarioFault>> {
        let mut answers = Vec::new();
        let mut faults = Vec::new();
        for (n, line) in text.split(|b| *b == b'\n').enumerate() {
            let line = line.trim_ascii();
            if line.is_empty() || line.starts_with(b";") || line.starts_with(b"#") {
                continue;
            }
            match answer(line, registry) {
                Ok(answer) => answers.push(answer),
                Err(message) => faults.push(ScenarioFault {
                    line: n + 1,
                    message,
                }),
            }
        }
        if faults.is_empty() {
            Ok(Self { answers })
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

fn answer(line: &[u8], registry: &Registry) -> Result<Scripted, String> {
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
    let shown = bstr::BStr::new(name);
    let known = std::str::from_utf8(name).ok().is_some_and(|name| {
        let same = |known: &str| known.eq_ignore_ascii_case(name);
        registry.applications().iter().any(|a| same(&a.name))
            || registry.functions().iter().any(|f| same(&f.name))
    });
    if !known {
        return Err(format!("no application or function `{shown}`"));
    }
    let (told, once) = match told.strip_suffix(b" once") {
        Some(rest) => (rest.trim_ascii(), true),
        None => (told, false),
    };
    let (told, after) = time(told)?;
    let mut fields = told.split(|b| *b == b',').map(<[u8]>::trim_ascii);
    let mut word = fields.next().unwrap_or(&[]).to_vec();
    let mut variables = Vec::new();
    for field in fields {
        match field.iter().position(|b| *b == b'=') {
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
    Ok(Scripted {
        application: Text::from(name),
        argument: Text::from(argument.trim_ascii()),
        event: event(&word)?,
        variables,
        after,
        once,
    })
}

/// What an outcome tells the application.
fn event(word: &[u8]) -> Result<Event, String> {
    let quoted = word.strip_prefix(b"\"").and_then(|w| w.strip_suffix(b"\""));
    if let Some(text) = quoted {
        return Ok(Event::Value(Text::from(text)));
    }
    if let Some(digit) = word.strip_prefix(b"digit ") {
        return match digit {
            [digit] if is_digit(*digit) => Ok(Event::Digit(*digit)),
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
    Ok((told.get(..at).unwrap_or(&[]).trim_ascii(), time))
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
    fn faults_have_their_line() {
        let faults =
            parse("Queues x: TIMEOUT\n\nQueue x TIMEOUT\nAMD: HUMAN after noon\n").unwrap_err();
        let lines: Vec<usize> = faults.iter().map(|fault| fault.line).collect();
        assert_eq!(lines, [1, 3, 4]);
    }
}
