//! A small host for tests: virtual time, one channel, a scripted other side.

#![allow(
    dead_code,
    unreachable_pub,
    missing_docs,
    reason = "shared by several test binaries, each of which uses a part"
)]

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use strowger::base::Text;
use strowger::diagnostic::Entry;
use strowger::host::Engine;
use strowger::machine::{
    Call, Channel, ChannelState, Effect, Environment, Event, Limits, Location, Note, Observer,
    Outcome, Play, Sound, Start,
};
use strowger::syntax::load::MemoryReader;

/// A clock that only the driver moves.
#[derive(Debug, Default)]
pub(crate) struct Clock(AtomicU64);

impl Clock {
    pub fn advance(&self, to: Duration) {
        self.0.fetch_max(to.as_nanos() as u64, Ordering::Relaxed);
    }
}

/// 2026-03-02 00:00:00 UTC.
const BEGIN: Duration = Duration::from_hours(492_336);

impl Environment for Clock {
    fn now(&self) -> Duration {
        BEGIN + Duration::from_nanos(self.0.load(Ordering::Relaxed))
    }
    fn random(&self) -> u64 {
        4
    }
    fn variable(&self, _: &[u8]) -> Option<Vec<u8>> {
        None
    }
    fn set_variable(&self, _: &[u8], _: &[u8]) -> bool {
        false
    }
}

/// What an observer saw.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct Seen {
    pub trace: Vec<(String, String, i64, String, Vec<u8>)>,
    pub notes: Vec<Note>,
    pub log: Vec<(&'static str, &'static str)>,
    pub verbose: Vec<String>,
}

#[derive(Debug, Default, Clone)]
pub(crate) struct Watch(pub Arc<Mutex<Seen>>);

impl Observer for Watch {
    fn priority(&mut self, _: &Text, at: &Location, application: &[u8], data: &[u8]) {
        self.0.lock().unwrap().trace.push((
            at.context.lossy().into_owned(),
            at.exten.lossy().into_owned(),
            at.priority,
            String::from_utf8_lossy(application).into_owned(),
            data.to_vec(),
        ));
    }
    fn log(&mut self, _: &Text, entry: Entry) {
        self.0
            .lock()
            .unwrap()
            .log
            .push((entry.level.name(), entry.code.kind));
    }
    fn verbose(&mut self, _: &Text, level: u8, text: &[u8]) {
        let text = format!("{level}: {}", String::from_utf8_lossy(text));
        self.0.lock().unwrap().verbose.push(text);
    }
    fn note(&mut self, _: &Text, note: Note) {
        self.0.lock().unwrap().notes.push(note);
    }
}

/// What the other side does, and when.
#[derive(Debug, Clone, Default)]
pub(crate) struct Peer {
    /// Digits with their times, in order.
    pub digits: Vec<(Duration, u8)>,
    pub bye: Option<Duration>,
}

impl Peer {
    /// `idle`, `d-XYZ` or `bye-T`.
    pub fn named(text: &str) -> Self {
        let mut peer = Self::default();
        if let Some(digits) = text.strip_prefix("d-") {
            for (i, digit) in digits.bytes().enumerate() {
                let at = Duration::from_millis(700 + 300 * i as u64);
                peer.digits.push((at, digit));
            }
        }
        if let Some(time) = text.strip_prefix("bye-") {
            peer.bye = Some(Duration::from_secs_f64(time.parse().unwrap()));
        }
        peer
    }
}

/// Runs one call.
pub(crate) struct Driver {
    pub clock: Arc<Clock>,
    pub peer: Peer,
    pub now: Duration,
    /// All effects but `Yield` and `End`.
    pub effects: Vec<Effect>,
    pub yields: usize,
    /// Hang up at the effect of this number.
    pub hang_up_at: Option<usize>,
}

impl Driver {
    pub fn new(clock: Arc<Clock>, peer: Peer) -> Self {
        Self {
            clock,
            peer,
            now: Duration::ZERO,
            effects: Vec::new(),
            yields: 0,
            hang_up_at: None,
        }
    }

    pub fn run(&mut self, call: &mut Call) -> Outcome {
        let mut event = Event::Start;
        loop {
            let effect = call.step(event);
            match effect {
                Effect::End(outcome) => return *outcome,
                Effect::Yield => {
                    self.yields += 1;
                    event = Event::Resume;
                    continue;
                }
                _ => {}
            }
            event = if self.hang_up_at == Some(self.effects.len()) {
                Event::Hangup(16)
            } else {
                self.answer(&effect)
            };
            self.effects.push(effect);
            self.clock.advance(self.now);
        }
    }

    fn answer(&mut self, effect: &Effect) -> Event {
        match effect {
            Effect::Sleep(time) => {
                let until = self.now + *time;
                if let Some(event) = self.gone_by(until) {
                    return event;
                }
                self.now = until;
                self.peer.digits.retain(|(at, _)| *at > until);
                Event::Done
            }
            Effect::Collect { timeout } => {
                let until = timeout.map_or(Duration::MAX, |time| self.now.saturating_add(time));
                let digit = self.peer.digits.first().copied();
                if let Some((at, digit)) = digit
                    && at <= until
                {
                    self.peer.digits.remove(0);
                    self.now = self.now.max(at);
                    return Event::Digit(digit);
                }
                if let Some(event) = self.gone_by(until) {
                    return event;
                }
                if until == Duration::MAX {
                    return Event::Hangup(0);
                }
                self.now = until;
                Event::Timeout
            }
            Effect::Play(Play { what, .. }) => Event::Played {
                digit: None,
                missing: what
                    .iter()
                    .map(|sound| match sound {
                        Sound::File(name) => name.clone(),
                        Sound::Say { text, .. } => text.clone(),
                    })
                    .collect(),
            },
            Effect::Record(_) => Event::Recorded("OK".into()),
            Effect::Channel { .. } => Event::Failed("no such channel".to_owned()),
            _ => Event::Done,
        }
    }

    fn gone_by(&mut self, until: Duration) -> Option<Event> {
        let bye = self.peer.bye.filter(|bye| *bye <= until)?;
        self.now = self.now.max(bye);
        Some(Event::Hangup(16))
    }
}

/// An engine over one dialplan, with a clock of its own.
pub(crate) fn engine(dialplan: &[u8]) -> (Engine, Arc<Clock>) {
    let clock = Arc::new(Clock::default());
    let limits = Limits {
        max_priorities: 10_000,
        ..Limits::default()
    };
    let engine = Engine::builder()
        .environment(clock.clone())
        .limits(limits)
        .build();
    load(&engine, dialplan);
    (engine, clock)
}

pub(crate) fn load(engine: &Engine, dialplan: &[u8]) {
    let mut reader = MemoryReader::new().with("extensions.conf", dialplan);
    engine
        .load_from("extensions.conf", &mut reader)
        .expect("the dialplan loads");
}

/// A call at `exten@context` on a channel that is up.
pub(crate) fn call_at(engine: &Engine, context: &str, exten: &str, up: bool) -> Call {
    let mut channel = Channel::new("main");
    if up {
        channel.state = ChannelState::Up;
    }
    let at = Location {
        context: context.into(),
        exten: exten.into(),
        priority: 1,
    };
    engine.call_on(channel, Start::Extension(at))
}
