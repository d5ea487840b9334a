//! A number that the caller enters after a prompt.

use std::time::Duration;

use super::background::ALL_DIGITS;
use super::playback::all_there;
use crate::base::Text;
use crate::machine::{Cx, Effect, Event, Flow, Play, Sound};

/// What to ask, and when the answer is whole.
#[derive(Debug, Clone)]
pub(super) struct Question {
    /// What is heard first.
    pub(super) prompt: Vec<Sound>,
    /// The answer is whole with so many digits.
    pub(super) most: usize,
    /// Time for the first digit; that of the channel without one.
    pub(super) first: Option<Duration>,
    /// Time for further digits; that of the channel without one.
    pub(super) between: Option<Duration>,
}

/// Goes on with the digits; those of an answer that is cut short by time too.
type Then = Box<dyn FnOnce(&mut Cx<'_>, Vec<u8>) -> Flow + Send>;

/// Asks; the answer ends at `#`, which does not belong to it. A hangup leaves the dialplan.
pub(super) fn ask(
    cx: &mut Cx<'_>,
    question: Question,
    then: impl FnOnce(&mut Cx<'_>, Vec<u8>) -> Flow + Send + 'static,
) -> Flow {
    let then: Then = Box::new(then);
    if question.prompt.is_empty() {
        return listen(cx, question, Vec::new(), then);
    }
    let play = Play {
        what: question.prompt.clone(),
        stop_on: Text::from(ALL_DIGITS),
        ..Play::default()
    };
    Flow::wait_then(Effect::Play(play), move |cx, event| {
        all_there(cx, &event);
        match event {
            Event::Played {
                digit: Some(digit), ..
            } => came(cx, question, Vec::new(), Event::Digit(digit), then),
            Event::Digit(_) | Event::Hangup(_) => came(cx, question, Vec::new(), event, then),
            _ => listen(cx, question, Vec::new(), then),
        }
    })
}

fn listen(cx: &mut Cx<'_>, question: Question, so_far: Vec<u8>, then: Then) -> Flow {
    let timeouts = &cx.channel().timeouts;
    let timeout = Some(if so_far.is_empty() {
        question.first.unwrap_or(timeouts.response)
    } else {
        question.between.unwrap_or(timeouts.digit)
    });
    Flow::wait_then(Effect::Collect { timeout }, move |cx, event| {
        came(cx, question, so_far, event, then)
    })
}

fn came(
    cx: &mut Cx<'_>,
    question: Question,
    mut so_far: Vec<u8>,
    event: Event,
    then: Then,
) -> Flow {
    match event {
        Event::Hangup(_) => Flow::Leave,
        Event::Digit(b'#') => then(cx, so_far),
        Event::Digit(digit) => {
            so_far.push(digit);
            if so_far.len() >= question.most {
                return then(cx, so_far);
            }
            listen(cx, question, so_far, then)
        }
        _ => then(cx, so_far),
    }
}

/// Plays files to their end, then goes on; a hangup leaves the dialplan.
pub(super) fn play(
    files: &[&str],
    then: impl FnOnce(&mut Cx<'_>) -> Flow + Send + 'static,
) -> Flow {
    let play = Play {
        what: files
            .iter()
            .map(|name| Sound::File(Text::from(*name)))
            .collect(),
        stop_on: Text::EMPTY,
        ..Play::default()
    };
    Flow::wait_then(Effect::Play(play), move |cx, event| {
        all_there(cx, &event);
        match event {
            Event::Hangup(_) => Flow::Leave,
            _ => then(cx),
        }
    })
}
