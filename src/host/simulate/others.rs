//! Requests of a call about other channels.

use crate::base::Text;
use crate::base::ere::Ere;
use crate::machine::{Call, CallSetup, ChannelRequest, Effect, Event, Start};

use super::leg::{LegId, Owner, Task};
use super::simulation::{Happening, Simulation};

impl Simulation<'_> {
    /// Answers a request about the channel of this name.
    pub(super) fn other_channel(
        &mut self,
        asking: LegId,
        name: &Text,
        request: ChannelRequest,
    ) -> Event {
        match request {
            ChannelRequest::List => {
                let pattern = if name.is_empty() {
                    None
                } else {
                    let Ok(pattern) = Ere::compile(name) else {
                        return Event::Failed(format!("`{name}` is no regular expression"));
                    };
                    Some(pattern)
                };
                let names: Vec<&[u8]> = self
                    .legs
                    .iter()
                    .filter(|leg| !leg.gone)
                    .map(|leg| leg.call.channel().name.as_bytes())
                    .filter(|name| pattern.as_ref().is_none_or(|p| p.is_match(name)))
                    .collect();
                return Event::Value(Text::from(names.join(&b' ')));
            }
            ChannelRequest::Exists => {
                let found = self.named(name).is_some();
                return Event::Value(Text::from(if found { "1" } else { "0" }));
            }
            ChannelRequest::Hangup { all: true } => {
                let prefix = [name.as_bytes(), b"-"].concat();
                let of_device: Vec<LegId> = (0..self.legs.len())
                    .filter(|id| {
                        self.legs.get(*id).is_some_and(|leg| {
                            let own = leg.call.channel().name.as_bytes();
                            !leg.gone && (own == name.as_bytes() || own.starts_with(&prefix))
                        })
                    })
                    .collect();
                for id in of_device {
                    self.hang_up_other(asking, id);
                }
                return Event::Done;
            }
            _ => {}
        }
        let Some(id) = self.named(name) else {
            return Event::Failed(format!("no channel `{name}`"));
        };
        let Some(leg) = self.legs.get_mut(id) else {
            return Event::Failed(format!("no channel `{name}`"));
        };
        match request {
            ChannelRequest::Evaluate(text) => Event::Value(self.evaluate(id, &text)),
            ChannelRequest::Set { name, value } => {
                leg.call.set(&name, &value);
                Event::Done
            }
            ChannelRequest::Shared(name) => {
                let shared = &leg.call.channel().shared;
                Event::Value(shared.get(&name).cloned().unwrap_or_default())
            }
            ChannelRequest::SetShared { name, value } => {
                leg.call.channel_mut().shared.insert(name, value);
                Event::Done
            }
            ChannelRequest::Hangup { .. } => {
                self.hang_up_other(asking, id);
                Event::Done
            }
            ChannelRequest::Redirect(place) => {
                let Ok(to) = leg.call.cx().parse_target(&place) else {
                    return Event::Failed(format!("`{place}` is no place in the dialplan"));
                };
                if !leg.call.cx().exists(&to.context, &to.exten, to.priority) {
                    return Event::Failed(format!("`{place}` does not exist"));
                }
                if let Some(owner) = leg.owner.take() {
                    leg.task = Task::Own;
                    leg.token += 1;
                    leg.call.restart(Start::Extension(to));
                    self.resume(id, Event::Start);
                    if let Owner::Dial(caller) = owner {
                        self.callee_taken(caller);
                    }
                    return Event::Done;
                }
                leg.call.redirect(to);
                if id != asking {
                    self.soon(Happening::HangUp(id));
                }
                Event::Done
            }
            _ => Event::Failed("the simulation does not know this request".to_owned()),
        }
    }

    /// A living channel by name or unique id; a name without its number means the first channel of that device.
    pub(super) fn named(&self, name: &[u8]) -> Option<LegId> {
        let alive = || self.legs.iter().enumerate().filter(|(_, leg)| !leg.gone);
        let exact = alive().find(|(_, leg)| leg.call.channel().name.eq_ignore_ascii_case(name));
        let prefix = [name, b"-"].concat();
        exact
            .or_else(|| {
                alive().find(|(_, leg)| {
                    let own = leg.call.channel().name.as_bytes();
                    own.get(..prefix.len())
                        .is_some_and(|start| start.eq_ignore_ascii_case(&prefix))
                })
            })
            .or_else(|| {
                alive().find(|(_, leg)| {
                    !name.is_empty() && leg.call.channel().uniqueid.as_bytes() == name
                })
            })
            .map(|(id, _)| id)
    }

    fn hang_up_other(&mut self, asking: LegId, id: LegId) {
        if id == asking {
            if let Some(leg) = self.legs.get_mut(id) {
                leg.call.hang_up(0);
            }
            return;
        }
        self.soon(Happening::HangUp(id));
    }
}

impl Simulation<'_> {
    /// A text, or the inside of `${ }`, substituted with the state of another channel; that channel itself
    /// does not notice. Empty where the substitution would have to wait.
    fn evaluate(&mut self, id: LegId, text: &Text) -> Text {
        let Some(leg) = self.legs.get_mut(id) else {
            return Text::EMPTY;
        };
        let text = if text.starts_with(b"${") {
            text.clone()
        } else {
            Text::from([b"${", text.as_bytes(), b"}"].concat())
        };
        let setup = CallSetup {
            environment: self.clock.clone(),
            ..self.engine.setup(leg.call.channel().clone())
        };
        let at = Some(leg.call.location().clone());
        let mut mirror = Call::new(setup, Start::Text { text, at });
        mirror.mirror_records(&leg.call);
        for (name, value) in leg.call.variables() {
            mirror.set(&name, &value);
        }
        match mirror.step(Event::Start) {
            Effect::End(_) => Text::from(mirror.text()),
            _ => Text::EMPTY,
        }
    }
}
