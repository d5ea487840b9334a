//! The examples of every application and function descriptor, run as tests.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::float_cmp,
    reason = "a test fails by panicking, and says what it measured"
)]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use libtest_mimic::{Arguments, Failed, Trial};
use strowger::base::Text;
use strowger::host::Engine;
use strowger::library::Example;
use strowger::machine::{Channel, ChannelState, Effect, Environment, Event, Location, Start};
use strowger::syntax::load::MemoryReader;

fn main() {
    let arguments = Arguments::from_args();
    let registry = strowger::standard_registry();
    let applications = registry.applications();
    let functions = registry.functions();
    let all = applications
        .iter()
        .map(|a| (a.name.to_string(), a.examples))
        .chain(functions.iter().map(|f| (f.name.to_string(), f.examples)));
    let mut trials: Vec<Trial> = all
        .clone()
        .filter(|(_, examples)| examples.is_empty())
        .map(|(name, _)| {
            Trial::test(format!("{name} has an example"), || {
                Err("there is none".into())
            })
        })
        .collect();
    let examples = all.flat_map(|(name, examples)| {
        examples.iter().map(move |example| {
            Trial::test(format!("{name}: {}", example.title), move || run(example))
        })
    });
    trials.extend(examples);
    libtest_mimic::run(&arguments, trials).exit();
}

/// A clock in which time passes only while a call sleeps.
#[derive(Default)]
struct Clock(Mutex<Duration>);

impl Clock {
    fn pass(&self, time: Duration) {
        *self.0.lock().unwrap() += time;
    }
}

impl Environment for Clock {
    fn now(&self) -> Duration {
        // The beginning of 2026.
        Duration::from_hours(490_896) + *self.0.lock().unwrap()
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

/// Runs the lines, then the text as one more `Set`.
fn run(example: &Example) -> Result<(), Failed> {
    let mut file = String::from("[example]\n");
    let result = format!("Set(RESULT={})", example.evaluate);
    let lines = example.dialplan.lines().chain([result.as_str()]);
    for (i, line) in lines.enumerate() {
        let line = line.replace(';', "\\;");
        file.push_str(&format!("exten => s,{},{line}\n", i + 1));
    }
    let clock = Arc::new(Clock::default());
    let engine = Engine::builder().environment(clock.clone()).build();
    let mut reader = MemoryReader::new().with("extensions.conf", file);
    engine
        .load_from("extensions.conf", &mut reader)
        .map_err(|e| e.to_string())?;
    let mut channel = Channel::new("Local/s@example-00000000;2");
    channel.state = ChannelState::Up;
    let start = Start::Extension(Location {
        context: Text::from("example"),
        exten: Text::from("s"),
        priority: 1,
    });
    let mut call = engine.call_on(channel, start);
    let mut event = Event::Start;
    for _ in 0..1000 {
        event = match call.step(event) {
            Effect::End(_) => {
                let value = call.variable(b"RESULT").unwrap_or_default();
                if value.lossy() == example.expect {
                    return Ok(());
                }
                return Err(format!("expected `{}`, got `{value}`", example.expect).into());
            }
            Effect::Collect { .. } => Event::Timeout,
            Effect::Play(_) => Event::Played {
                digit: None,
                missing: Vec::new(),
            },
            Effect::Channel { .. } | Effect::Dial(_) | Effect::Originate(_) => {
                Event::Failed("there is one channel only".to_owned())
            }
            Effect::Outside(request) => engine.outside().answer(&request),
            Effect::Sleep(time) => {
                clock.pass(time);
                Event::Done
            }
            Effect::Yield => Event::Resume,
            _ => Event::Done,
        };
    }
    Err("the example does not end".into())
}
