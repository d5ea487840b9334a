//! What a caller hears while it waits in a queue.

use std::time::Duration;

use super::super::background::ALL_DIGITS;
use super::super::playback::all_there;
use super::{Wait, abandon, again, pressed};
use crate::base::Text;
use crate::machine::facilities::{Announcements, Queue, SayPosition, SayTime};
use crate::machine::{Cx, Effect, Event, Flow, Play, Sound};

/// What was said to a caller so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Said {
    /// The position that was said last, and when.
    position: Option<(usize, Duration)>,
    /// When a file was played last.
    periodic: Option<Duration>,
    /// Files played.
    files: usize,
}

fn file(name: &str) -> Sound {
    Sound::File(Text::from(name))
}

fn number(number: u64) -> Sound {
    Sound::Say {
        kind: Text::from("SayNumber"),
        text: Text::from(number.to_string().as_str()),
    }
}

impl Said {
    /// What is due to be said to the caller at a position, now. It counts as said.
    pub(super) fn due(
        &mut self,
        queue: &Queue,
        position: usize,
        is_next: bool,
        since: Duration,
        now: Duration,
    ) -> Vec<Sound> {
        let heard = &queue.settings.announcements;
        let mut what = Vec::new();
        if let Some(frequency) = heard.frequency.filter(|_| !is_next || heard.to_first) {
            let due = self.position.is_none_or(|(before, at)| {
                let passed = now.saturating_sub(at);
                passed >= heard.least && (before != position || passed >= frequency)
            });
            if due {
                let left = queue.holdtime.saturating_add(30);
                let left = left.abs_diff(now.saturating_sub(since).as_secs());
                place(heard, position, left, self.position.is_none(), &mut what);
                self.position = Some((position, now));
            }
        }
        let before = self.periodic.unwrap_or(since);
        if heard
            .periodic_frequency
            .is_some_and(|time| now.saturating_sub(before) >= time)
        {
            let turn = self.files.checked_rem(heard.periodic.len());
            let next = turn.and_then(|turn| heard.periodic.get(turn));
            what.extend(next.cloned().map(Sound::File));
            self.files += 1;
            self.periodic = Some(now);
        }
        what
    }
}

/// The position, and the wait that is left: `left` seconds, half a minute more than it is for rounding.
fn place(heard: &Announcements, position: usize, left: u64, first: bool, what: &mut Vec<Sound>) {
    let among_first = position <= heard.limit;
    let says = match heard.position {
        SayPosition::Always | SayPosition::More => true,
        SayPosition::Never => false,
        SayPosition::Limit => among_first,
    };
    if says && position == 1 {
        what.extend([file("queue-youarenext"), file("queue-thankyou")]);
        return;
    }
    if says && heard.position == SayPosition::More && !among_first {
        let limit = number(heard.limit as u64);
        what.extend([file("queue-quantity1"), limit, file("queue-quantity2")]);
    } else if says {
        let position = number(position as u64);
        what.extend([file("queue-thereare"), position, file("queue-callswaiting")]);
    }
    let minutes = left / 60;
    let steps = (left % 60).checked_div(heard.round);
    let seconds = steps.map_or(0, |steps| steps * heard.round);
    let wanted = match heard.holdtime {
        SayTime::Always => true,
        SayTime::Never => false,
        SayTime::Once => first,
    };
    if wanted && minutes + seconds > 0 {
        what.push(file("queue-holdtime"));
        if minutes > 0 {
            let unit = if minutes == 1 { "queue-minute" } else { "queue-minutes" };
            what.extend([number(minutes), file(unit)]);
        }
        if seconds > 0 {
            what.extend([number(seconds), file("queue-seconds")]);
        }
    }
    if says {
        what.push(file("queue-thankyou"));
    }
}

/// Plays to the caller, who may press a key meanwhile.
pub(super) fn say(wait: Box<Wait>, what: Vec<Sound>, keys: bool) -> Flow {
    let play = Play {
        what,
        stop_on: Text::from(if keys { ALL_DIGITS } else { "" }),
        ..Play::default()
    };
    Flow::wait_then(Effect::Play(play), |cx: &mut Cx<'_>, event| {
        all_there(cx, &event);
        match event {
            Event::Hangup(_) => abandon(cx, &wait),
            Event::Digit(digit)
            | Event::Played {
                digit: Some(digit), ..
            } => pressed(cx, wait, digit),
            _ => again(cx, wait),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::facilities::QueueSettings;

    fn queue(change: impl FnOnce(&mut Announcements)) -> Queue {
        let mut settings = QueueSettings::default();
        settings.announcements.frequency = Some(Duration::from_secs(30));
        change(&mut settings.announcements);
        Queue {
            holdtime: 100,
            ..Queue::new(b"q", settings)
        }
    }

    /// What is said at these positions and seconds.
    fn said(queue: &Queue, at: &[(usize, u64)]) -> Vec<String> {
        let mut said = Said::default();
        let name = |sound: &Sound| match sound {
            Sound::File(name) => name.to_string(),
            Sound::Say { text, .. } => text.to_string(),
        };
        at.iter()
            .map(|(position, at)| {
                let now = Duration::from_secs(*at);
                let what = said.due(queue, *position, *position == 1, Duration::ZERO, now);
                let names: Vec<String> = what.iter().map(name).collect();
                names.join(" ").replace("queue-", "")
            })
            .collect()
    }

    #[test]
    fn positions_and_the_wait_that_is_left() {
        let places = [(3, 0), (3, 20), (2, 21), (2, 30), (2, 51), (1, 90)];
        let position = "thereare 3 callswaiting thankyou";
        assert_eq!(
            said(&queue(|_| {}), &places),
            [
                position,
                "",
                "thereare 2 callswaiting thankyou",
                "",
                "thereare 2 callswaiting thankyou",
                ""
            ]
        );
        let first = queue(|heard| heard.to_first = true);
        assert_eq!(said(&first, &[(1, 0)]), ["youarenext thankyou"]);
        let time = queue(|heard| {
            heard.holdtime = SayTime::Once;
            heard.position = SayPosition::Limit;
            heard.limit = 2;
            heard.round = 10;
        });
        assert_eq!(
            said(&time, &[(3, 0), (2, 40)]),
            [
                "holdtime 2 minutes 10 seconds",
                "thereare 2 callswaiting thankyou"
            ]
        );
        let more = queue(|heard| {
            heard.holdtime = SayTime::Always;
            heard.position = SayPosition::More;
            heard.limit = 2;
        });
        assert_eq!(
            said(&more, &[(3, 50)]),
            ["quantity1 2 quantity2 holdtime 1 minute thankyou"]
        );
    }

    #[test]
    fn files_are_played_in_turn() {
        let files = queue(|heard| {
            heard.frequency = None;
            heard.periodic = vec![Text::from("a"), Text::from("b")];
            heard.periodic_frequency = Some(Duration::from_secs(10));
        });
        let at = [(2, 0), (2, 9), (2, 10), (2, 19), (1, 20), (1, 31)];
        assert_eq!(said(&files, &at), ["", "", "a", "", "b", "a"]);
    }
}
