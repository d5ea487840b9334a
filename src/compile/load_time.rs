//! Substitution while a dialplan is loaded: no channel, globals and functions only.

use std::sync::{Arc, Mutex};

use crate::base::{Text, Value};
use crate::diagnostic::{Entry, code};
use crate::machine::{
    Call, CallSetup, Channel, Effect, Environment, Event, Image, Location, Names, Note, Observer,
    Shared, Start,
};
use crate::syntax::ast::General;
use crate::syntax::lex::template::has_substitution;
use crate::syntax::load::LoadTime;

/// Evaluates texts on an engine's shared state without a channel.
pub struct AtLoad {
    names: Arc<Names>,
    image: Arc<Image>,
    /// `anglesubstitution` of the dialplan that is loading.
    angle: bool,
    shared: Arc<Shared>,
    environment: Arc<dyn Environment>,
}

/// Keeps what a substitution logs.
#[derive(Default)]
struct Kept(Arc<Mutex<Vec<Entry>>>);

impl Observer for Kept {
    fn priority(&mut self, _: &Text, _: &Location, _: &[u8], _: &[u8]) {}
    fn log(&mut self, _: &Text, entry: Entry) {
        if let Ok(mut entries) = self.0.lock() {
            entries.push(entry);
        }
    }
    fn verbose(&mut self, _: &Text, _: u8, _: &[u8]) {}
    fn note(&mut self, channel: &Text, note: Note) {
        if let Note::Limit { text } = note {
            self.log(channel, Entry::new(&code::LIMIT_SUBSTITUTIONS, text));
        }
    }
}

impl AtLoad {
    /// Texts are evaluated with these names, globals and clock.
    pub fn new(names: Arc<Names>, shared: Arc<Shared>, environment: Arc<dyn Environment>) -> Self {
        Self {
            image: Arc::new(Image::link(super::empty(false), names.clone(), 0)),
            names,
            angle: false,
            shared,
            environment,
        }
    }

    fn call(&self, start: Start) -> Call {
        Call::new(
            CallSetup {
                image: self.image.clone(),
                shared: self.shared.clone(),
                environment: self.environment.clone(),
                settings: Arc::default(),
                channel: Channel::new(""),
            },
            start,
        )
    }

    /// Does something with a call, and takes over what it logs.
    fn logging<T>(
        &self,
        start: Start,
        log: &mut Vec<Entry>,
        act: impl FnOnce(&mut Call) -> T,
    ) -> T {
        let entries = Arc::new(Mutex::new(Vec::new()));
        let mut call = self
            .call(start)
            .with_observer(Box::new(Kept(entries.clone())));
        let done = act(&mut call);
        if let Ok(mut entries) = entries.lock() {
            log.append(&mut entries);
        }
        done
    }

    fn evaluate(&self, at: Option<Location>, text: &[u8], log: &mut Vec<Entry>) -> Vec<u8> {
        if !has_substitution(text, self.angle) {
            return text.to_vec();
        }
        let start = Start::Text {
            text: Text::from(text),
            at,
        };
        self.logging(start, log, |call| {
            // Nothing can wait for a host here: what tries to, fails.
            let mut event = Event::Start;
            loop {
                match call.step(event) {
                    Effect::End(_) => break,
                    _ => event = Event::Failed("not possible while loading".into()),
                }
            }
            call.text().to_vec()
        })
    }
}

impl LoadTime for AtLoad {
    fn general(&mut self, general: &General) {
        if self.angle != general.anglesubstitution {
            self.angle = general.anglesubstitution;
            let program = super::empty(self.angle);
            self.image = Arc::new(Image::link(program, self.names.clone(), 0));
        }
    }

    fn set_global(&mut self, name: &[u8], value: &[u8], log: &mut Vec<Entry>) {
        if name.ends_with(b")") {
            let start = Start::Text {
                text: Text::EMPTY,
                at: None,
            };
            // What a function has to wait for does not come while loading: the flow is dropped.
            let _ = self.logging(start, log, |call| call.cx().write(name, value));
            return;
        }
        self.shared.set_global(name, Value::from_bytes(value));
    }

    fn substitute(&mut self, text: &[u8], log: &mut Vec<Entry>) -> Vec<u8> {
        self.evaluate(None, text, log)
    }

    fn substitute_hint(
        &mut self,
        context: &[u8],
        exten: &[u8],
        text: &[u8],
        log: &mut Vec<Entry>,
    ) -> Vec<u8> {
        let at = Location {
            context: Text::from(context),
            exten: Text::from(exten),
            priority: 1,
        };
        self.evaluate(Some(at), text, log)
    }
}
