//! What every host does alike when it carries out a Dial: which DIALSTATUS the fates of the legs add up to,
//! what the options mean, and what becomes of the calling channel. Observed with Asterisk master 2026-08.

use std::time::Duration;

use crate::base::Text;
use crate::base::arguments::option_location;
use crate::base::cause::cause_named;
use crate::machine::{AfterDial, Dial, Dialed};

/// Hangup cause "normal clearing" (Q.850).
pub const NORMAL_CLEARING: u32 = 16;
/// Hangup cause "user busy".
pub const USER_BUSY: u32 = 17;
/// Hangup cause "no answer from the user".
pub const NO_ANSWER: u32 = 19;
/// Hangup cause of a call that somebody else answered.
pub const ANSWERED_ELSEWHERE: u32 = 26;
/// Hangup cause "no circuit available".
pub const CONGESTION: u32 = 34;
/// Hangup cause of a channel technology that does not exist.
pub const NO_SUCH_TECHNOLOGY: u32 = 66;

/// Whether a telephone can send this byte as a digit (DTMF).
pub fn is_digit(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'A'..=b'D' | b'*' | b'#')
}

/// Legs that ended without an answer, by kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Busy.
    pub busy: u32,
    /// Congestion.
    pub congestion: u32,
    /// Not available.
    pub unavailable: u32,
}

impl Tally {
    /// A leg ended with this cause: 17 is busy, 34 congestion, 16 and 19 count for nothing, and every other
    /// one (also none at all) means that the destination is not available.
    pub fn count(&mut self, cause: u32) {
        match cause {
            USER_BUSY => self.busy += 1,
            CONGESTION => self.congestion += 1,
            NORMAL_CLEARING | NO_ANSWER => {}
            _ => self.unavailable += 1,
        }
    }

    /// DIALSTATUS when no leg is left.
    pub fn status(&self) -> &'static str {
        if self.busy > 0 {
            "BUSY"
        } else if self.congestion > 0 {
            "CONGESTION"
        } else if self.unavailable > 0 {
            "CHANUNAVAIL"
        } else {
            "NOANSWER"
        }
    }
}

/// The options of a Dial that a host has to carry out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "option letters are independent of each other"
)]
pub struct Terms {
    /// `g`: the caller goes on after the answered call.
    pub go_on: bool,
    /// `G`: where caller (here) and callee (one priority further) go at the answer.
    pub split: Option<Text>,
    /// `b`: a subroutine on each new channel before it is called.
    pub before_call: Option<Text>,
    /// `U`: a subroutine on the answering channel before the two are connected.
    pub after_answer: Option<Text>,
    /// `F`: where the callee goes when the caller hangs up; an empty text is the priority after the Dial.
    pub callee_goes_on: Option<Text>,
    /// `e`: `h` runs on the callee's channel, too.
    pub callee_h: bool,
    /// `S` and `L`: how long the two may talk.
    pub longest: Option<Duration>,
    /// `d`: a digit of the waiting caller leaves to that extension.
    pub digit_leaves: bool,
    /// `H` and `h`: who may hang up with `*`.
    pub caller_hangs_up: bool,
    /// See `caller_hangs_up`.
    pub callee_hangs_up: bool,
    /// `D`: digits sent after the answer, to the callee and to the caller; `w` is half a second of silence, what is
    /// no digit is left out.
    pub digits: (Vec<u8>, Vec<u8>),
    /// `A`: what the callee hears before being connected.
    pub announcement: Option<Text>,
    /// `a`: the caller is answered before anything else happens at an answer.
    pub answer_caller_first: bool,
    /// `c`: every leg counts as answered elsewhere.
    pub answered_elsewhere: bool,
    /// Cause for the legs that lost when another one answered; 0 = none. `Q`, by default 26.
    pub losers_cause: u32,
}

impl Terms {
    /// Reads the options of a Dial.
    pub fn of(dial: &Dial) -> Self {
        let location = |letter| {
            dial.option(letter)
                .map(|text| Text::from(option_location(text)))
        };
        let mut terms = Terms {
            go_on: dial.option(b'g').is_some(),
            split: location(b'G').filter(|t| !t.is_empty()),
            before_call: location(b'b').filter(|t| !t.is_empty()),
            after_answer: dial
                .option(b'U')
                .filter(|t| !t.is_empty())
                .map(after_answer_target),
            callee_goes_on: location(b'F'),
            callee_h: dial.option(b'e').is_some(),
            longest: None,
            digit_leaves: dial.option(b'd').is_some(),
            caller_hangs_up: dial.option(b'H').is_some(),
            callee_hangs_up: dial.option(b'h').is_some(),
            digits: (Vec::new(), Vec::new()),
            announcement: dial
                .option(b'A')
                .and_then(|t| t.split(|&b| b == b':').next())
                .filter(|t| !t.is_empty())
                .map(Text::from),
            answer_caller_first: dial.option(b'a').is_some(),
            answered_elsewhere: dial.option(b'c').is_some(),
            losers_cause: losers_cause(dial.option(b'Q')),
        };
        if let Some(text) = dial.option(b'D') {
            let mut parts = text.split(|&b| b == b':');
            let mut next = || -> Vec<u8> {
                let text = parts.next().unwrap_or(&[]).iter().copied();
                text.filter(|&b| b == b'w' || is_digit(b)).collect()
            };
            terms.digits = (next(), next());
        }
        let seconds = dial
            .option(b'S')
            .and_then(|text| leading_number(text, 1000));
        let milliseconds = dial.option(b'L').and_then(|text| leading_number(text, 1));
        terms.longest = seconds.into_iter().chain(milliseconds).min();
        terms
    }
}

/// `x^a^b` of option U as a Gosub target: context x, extension s, arguments a and b.
fn after_answer_target(text: &[u8]) -> Text {
    let text = option_location(text);
    let (context, arguments) = match text.iter().position(|&b| b == b',') {
        Some(comma) => (text.get(..comma), text.get(comma + 1..)),
        None => (Some(text.as_slice()), None),
    };
    let mut target = context.unwrap_or(&[]).to_vec();
    target.extend_from_slice(b",s,1");
    if let Some(arguments) = arguments {
        target.push(b'(');
        target.extend_from_slice(arguments);
        target.push(b')');
    }
    Text::from(target)
}

fn losers_cause(text: Option<&[u8]>) -> u32 {
    match text {
        None | Some(b"") => ANSWERED_ELSEWHERE,
        Some(text) if text.eq_ignore_ascii_case(b"none") || text == b"0" => 0,
        Some(text) => cause_named(text).unwrap_or(ANSWERED_ELSEWHERE),
    }
}

/// The number at the start of a text, in units of so many milliseconds; `None` for none or 0.
fn leading_number(text: &[u8], unit: u64) -> Option<Duration> {
    let digits = text.iter().take_while(|b| b.is_ascii_digit());
    let number = digits.fold(0u64, |n, b| {
        n.saturating_mul(10).saturating_add(u64::from(b - b'0'))
    });
    (number > 0).then(|| Duration::from_millis(number.saturating_mul(unit)))
}

/// What `GOSUB_RESULT` of a `U` subroutine means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Caller and callee are connected.
    Connect,
    /// The callee is hung up, the Dial ends like this.
    Refuse(Box<Dialed>),
}

impl Verdict {
    /// Reads `GOSUB_RESULT`. An unknown text connects the two.
    pub fn of(result: &[u8]) -> Self {
        let refuse = |status: &str, next| {
            Verdict::Refuse(Box::new(Dialed {
                status: Text::from(status),
                next,
                ..Dialed::default()
            }))
        };
        let keyword = |word: &[u8]| result.eq_ignore_ascii_case(word);
        if keyword(b"BUSY") {
            refuse("BUSY", AfterDial::Continue)
        } else if keyword(b"CONGESTION") || keyword(b"CHANUNAVAIL") {
            refuse("CONGESTION", AfterDial::Continue)
        } else if keyword(b"CONTINUE") {
            refuse("ANSWER", AfterDial::Continue)
        } else if keyword(b"ABORT") {
            refuse("ANSWER", AfterDial::Hangup)
        } else if let Some((word, place)) = result.split_at_checked(5)
            && word.eq_ignore_ascii_case(b"GOTO:")
        {
            refuse(
                "ANSWER",
                AfterDial::Goto(Text::from(option_location(place))),
            )
        } else {
            Verdict::Connect
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn busy_outweighs_congestion_and_congestion_what_is_not_available() {
        let status = |causes: &[u32]| {
            let mut tally = Tally::default();
            for cause in causes {
                tally.count(*cause);
            }
            tally.status()
        };
        assert_eq!(status(&[34, 17, 3]), "BUSY");
        assert_eq!(status(&[3, 34]), "CONGESTION");
        assert_eq!(status(&[16, 0]), "CHANUNAVAIL");
        assert_eq!(status(&[16, 19]), "NOANSWER");
        assert_eq!(status(&[]), "NOANSWER");
    }

    #[test]
    fn subroutine_after_the_answer() {
        assert_eq!(after_answer_target(b"sub^a^b").as_bytes(), b"sub,s,1(a,b)");
        assert_eq!(after_answer_target(b"sub").as_bytes(), b"sub,s,1");
    }
}
