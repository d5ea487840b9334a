//! Simulated calls: channels that exist only here, in virtual time, so that a dialplan can be run and tested
//! without a network. Waiting costs nothing, and a run with the same seed and clock gives the same answer.

mod accounting;
mod applications;
mod bridge;
mod clock;
mod devices;
mod dialling;
mod effects;
mod journal;
mod leg;
mod originate;
mod others;
mod record;
mod report;
mod scenario;
mod simulation;
mod sounds;
mod watch;

use std::collections::VecDeque;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use crate::base::Text;
use crate::host::Engine;
use crate::machine::Call;

pub use journal::{Occurrence, What};
pub use record::Executed;
pub use report::{ChannelReport, RunReport};
pub use scenario::{Scenario, ScenarioFault, Scripted};

use simulation::Simulation;

/// What the far side of a simulated call does.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Peer {
    /// Answers and waits.
    #[default]
    Idle,
    /// Waits 0.7 s, presses these digits (100 ms each, 200 ms apart), waits.
    Digits(Vec<u8>),
    /// Hangs up after this time.
    Bye(Duration),
}

/// How a simulated call begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// The channel is answered already.
    #[default]
    Up,
    /// The channel rings, and the far side waits up to 20 s for an answer.
    Ring,
}

/// Which sound files exist.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Sounds {
    /// All of them; each plays for a nominal second.
    #[default]
    Any,
    /// None.
    None,
    /// Those of a folder, whatever their format; each plays for a nominal second.
    Folder(PathBuf),
}

/// What happens when a scripted destination is dialled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It answers, and hangs up after ten seconds of talk.
    Answer,
    /// It is busy.
    Busy,
    /// It rings and never answers.
    NoAnswer,
    /// The network has no free circuit.
    Congestion,
    /// It cannot be reached.
    Unavailable,
}

impl Fate {
    /// Reads `ANSWER`, `BUSY`, `NOANSWER`, `CONGESTION` or `CHANUNAVAIL`.
    pub fn named(text: &str) -> Option<Self> {
        Some(match text.to_ascii_uppercase().as_str() {
            "ANSWER" => Fate::Answer,
            "BUSY" => Fate::Busy,
            "NOANSWER" => Fate::NoAnswer,
            "CONGESTION" => Fate::Congestion,
            "CHANUNAVAIL" => Fate::Unavailable,
            _ => return None,
        })
    }
}

/// A destination that a dialplan may dial, and what comes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    /// `technology/resource`; may end in `*`.
    pub target: Text,
    /// What happens.
    pub fate: Fate,
    /// How long after dialling.
    pub after: Duration,
}

impl Script {
    /// Reads an outcome as `BUSY` or `ANSWER,after=3`.
    pub fn parse(target: &str, outcome: &str) -> Option<Self> {
        let (fate, after) = match outcome.split_once(',') {
            Some((fate, rest)) => (fate, rest.trim().strip_prefix("after=")?.parse().ok()?),
            None => (outcome, 0.0),
        };
        Some(Self {
            target: Text::from(target),
            fate: Fate::named(fate.trim())?,
            after: Duration::try_from_secs_f64(after).ok()?,
        })
    }

    fn is_for(&self, target: &[u8]) -> bool {
        match self.target.as_bytes().split_last() {
            Some((b'*', prefix)) => target.starts_with(prefix),
            _ => target == self.target.as_bytes(),
        }
    }
}

/// Sees what happens as it happens.
type Watch = Box<dyn FnMut(&Occurrence) + Send>;
/// Is told how much virtual time passes.
type Pace = Box<dyn FnMut(Duration) + Send>;

/// A simulated channel: what its far side does, and the world that the call meets.
#[derive(Default)]
pub struct SimChannel {
    mode: Mode,
    peer: Peer,
    press: VecDeque<u8>,
    scripts: Vec<Script>,
    scenario: Scenario,
    sounds: Sounds,
    at: Option<Duration>,
    seed: u64,
    watch: Option<Watch>,
    pace: Option<Pace>,
    traceless: bool,
    events: bool,
    fault: Option<RunError>,
}

impl fmt::Debug for SimChannel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SimChannel")
            .field("mode", &self.mode)
            .field("peer", &self.peer)
            .finish_non_exhaustive()
    }
}

impl SimChannel {
    /// An answered channel whose far side does nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// How the call begins.
    #[must_use]
    pub fn mode(mut self, mode: Mode) -> Self {
        self.mode = mode;
        self
    }

    /// What the far side does.
    #[must_use]
    pub fn peer(mut self, peer: Peer) -> Self {
        self.peer = peer;
        self
    }

    /// Digits that the caller presses one by one as the dialplan listens for them.
    #[must_use]
    pub fn press(mut self, digits: &str) -> Self {
        self.press.extend(digits.bytes());
        self
    }

    /// What comes of dialling a destination: `BUSY`, `ANSWER,after=3` …; a target may end in `*`.
    /// Destinations that nothing is said of ring and do not answer.
    #[must_use]
    pub fn dial(mut self, target: &str, outcome: &str) -> Self {
        match Script::parse(target, outcome) {
            Some(script) => self.scripts.push(script),
            None => {
                self.fault = Some(RunError::UnknownOutcome(outcome.to_owned()));
            }
        }
        self
    }

    /// Like [`dial`](Self::dial), already read.
    #[must_use]
    pub fn script(mut self, script: Script) -> Self {
        self.scripts.push(script);
        self
    }

    /// What is answered to applications that need a device. What it says of destinations counts behind what was said of
    /// them before.
    #[must_use]
    pub fn scenario(mut self, scenario: Scenario) -> Self {
        self.scripts.extend(scenario.dialled.iter().cloned());
        self.scenario = scenario;
        self
    }

    /// Which sound files exist.
    #[must_use]
    pub fn sounds(mut self, sounds: Sounds) -> Self {
        self.sounds = sounds;
        self
    }

    /// Time since the epoch at which the call begins; by default what the engine's clock says.
    #[must_use]
    pub fn at(mut self, time: Duration) -> Self {
        self.at = Some(time);
        self
    }

    /// Seed of all chance; 0 by default.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Is called with everything that happens, as it happens.
    #[must_use]
    pub fn watch(mut self, watch: impl FnMut(&Occurrence) + Send + 'static) -> Self {
        self.watch = Some(Box::new(watch));
        self
    }

    /// Leaves executed priorities, log entries and notes out of the report: for hosts that watch, and calls that
    /// run for long.
    #[must_use]
    pub fn traceless(mut self) -> Self {
        self.traceless = true;
        self
    }

    /// Keeps channel events for the report.
    #[must_use]
    pub fn events(mut self) -> Self {
        self.events = true;
        self
    }

    /// Is called with every span of virtual time before it passes: a host that sleeps here runs in real time.
    #[must_use]
    pub fn pace(mut self, pace: impl FnMut(Duration) + Send + 'static) -> Self {
        self.pace = Some(Box::new(pace));
        self
    }
}

/// Why a call cannot be simulated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The outcome of a scripted destination is not understood.
    #[error(
        "`{0}` is no outcome of a Dial: ANSWER, BUSY, NOANSWER, CONGESTION or CHANUNAVAIL, perhaps with `,after=SECONDS`"
    )]
    UnknownOutcome(String),
}

impl Engine {
    /// Runs a call to its end on a simulated channel, with all the calls that it makes.
    pub fn run(&self, call: Call, channel: &mut SimChannel) -> Result<RunReport, RunError> {
        if let Some(fault) = &channel.fault {
            return Err(fault.clone());
        }
        Ok(Simulation::new(self, channel).run(call))
    }
}
