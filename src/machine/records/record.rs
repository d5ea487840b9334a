//! A finished call record.

use std::time::Duration;

use crate::base::Text;
use crate::base::civil::{Civil, strftime};
use crate::base::zone::Zone;
use crate::machine::Party;

/// What became of a call. The numbers are those of `CDR(disposition,u)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Disposition {
    /// Nobody answered.
    NoAnswer = 0,
    /// Not known (yet); written as NO ANSWER.
    Unknown = 1,
    /// The call could not be made.
    Failed = 2,
    /// Busy.
    Busy = 4,
    /// Answered.
    Answered = 8,
    /// No free circuit.
    Congestion = 16,
}

impl Disposition {
    /// The name in a record.
    pub fn name(self) -> &'static str {
        match self {
            Disposition::NoAnswer | Disposition::Unknown => "NO ANSWER",
            Disposition::Failed => "FAILED",
            Disposition::Busy => "BUSY",
            Disposition::Answered => "ANSWERED",
            Disposition::Congestion => "CONGESTION",
        }
    }

    /// The number.
    pub fn number(self) -> u8 {
        self as u8
    }

    /// What a DIALSTATUS means. A congested call counts as failed unless congestion is recorded.
    pub(crate) fn of_status(status: &[u8], congestion: bool) -> Self {
        match status {
            b"ANSWER" => Disposition::Answered,
            b"BUSY" => Disposition::Busy,
            b"CANCEL" | b"NOANSWER" => Disposition::NoAnswer,
            b"CONGESTION" if congestion => Disposition::Congestion,
            _ => Disposition::Failed,
        }
    }

    /// What the hangup cause of a channel means that was never answered; 0 = none.
    pub(crate) fn of_cause(cause: u32, congestion: bool) -> Self {
        match cause {
            17 => Disposition::Busy,
            34 if congestion => Disposition::Congestion,
            0 | 3 | 20 | 34 => Disposition::Failed,
            16 | 19 => Disposition::NoAnswer,
            _ => Disposition::Unknown,
        }
    }
}

/// A finished call record (CDR): one calling channel, and the channel that it called if there was one.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CallRecord {
    /// Account of the calling channel.
    pub accountcode: Text,
    /// Number of the caller.
    pub src: Text,
    /// Extension where the calling channel was.
    pub dst: Text,
    /// Context where the calling channel was.
    pub dcontext: Text,
    /// Caller as `"name" <number>`.
    pub clid: Text,
    /// The calling channel.
    pub channel: Text,
    /// The called channel; empty = none.
    pub dstchannel: Text,
    /// The last application of the calling channel.
    pub lastapp: Text,
    /// Its data.
    pub lastdata: Text,
    /// When the record begins, since the epoch.
    pub start: Duration,
    /// When the call was answered, since the epoch.
    pub answer: Option<Duration>,
    /// When it ended, since the epoch.
    pub end: Duration,
    /// Whole seconds from start to end.
    pub duration: u64,
    /// Seconds from answer to end.
    pub billsec: u64,
    /// What became of it.
    pub disposition: Disposition,
    /// Flags of automatic message accounting: 1 OMIT, 2 BILLING, 3 DOCUMENTATION.
    pub amaflags: u32,
    /// Unique id of the calling channel.
    pub uniqueid: Text,
    /// Id of the first channel of the whole call.
    pub linkedid: Text,
    /// Account of the called channel.
    pub peeraccount: Text,
    /// The user's own field; where both channels have one, `calling;called`.
    pub userfield: Text,
    /// Number of the record, in order of creation within the engine.
    pub sequence: u64,
    /// Fields that the dialplan made, in the order of their first writing.
    pub variables: Vec<(Text, Text)>,
}

/// The name of AMA flags.
pub fn ama_flags(number: u32) -> &'static str {
    match number {
        1 => "OMIT",
        2 => "BILLING",
        3 => "DOCUMENTATION",
        _ => "Unknown",
    }
}

/// A time as records show it: `YYYY-MM-DD HH:MM:SS` in the local zone.
pub fn local_time(time: Duration) -> Vec<u8> {
    let mut out = Vec::new();
    let seconds = i64::try_from(time.as_secs()).unwrap_or(i64::MAX);
    let at = Civil::new(seconds, &Zone::local());
    strftime(b"%Y-%m-%d %H:%M:%S", &at, 0, &mut out);
    out
}

/// Seconds with six decimals.
pub fn seconds(time: Duration) -> String {
    format!("{}.{:06}", time.as_secs(), time.subsec_micros())
}

/// A party as `"name" <number>`; what it lacks is empty.
pub(super) fn clid(party: &Party) -> Text {
    let text = |text: &Option<Text>| text.clone().unwrap_or_default();
    let (name, number) = (text(&party.name), text(&party.number));
    Text::from([b"\"", name.as_bytes(), b"\" <", &number, b">"].concat())
}
