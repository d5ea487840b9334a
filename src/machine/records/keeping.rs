//! Where a call keeps its records, and makes its channel events.

use std::time::Duration;

use super::chain::{Fork, Present, Records, amaflags};
use super::{CallRecord, ChannelEvent, EventKind};
use crate::base::Text;
use crate::base::cause::cause_words;
use crate::machine::state::State;
use crate::machine::{ChannelState, Cx, Dialed, LegCause};
use crate::program::matcher::Want;

impl State {
    /// Makes records from now on.
    pub(crate) fn keep_records(&mut self) {
        if let (Some(records), Some(created)) = (&mut self.records, self.channel.created) {
            // What the host wrote to a record before the call began.
            records.begins(&self.channel, created);
        }
        if self.records.is_some() || !self.settings.records.enable && !self.events {
            return;
        }
        let sequence = self
            .settings
            .records
            .enable
            .then(|| self.shared.next_record());
        let now = self.environment.now();
        let records = Records::new(
            self.settings.records.clone(),
            &self.channel,
            &self.at,
            now,
            sequence,
        );
        self.records = Some(Box::new(records));
    }

    /// The records for a dialplan that asks for them; `None` = there are none.
    fn asked_records(&mut self) -> Option<&mut Records> {
        if self.records.is_none() && self.settings.records.enable && self.has_channel {
            self.keep_records();
            // Nobody took down what ran so far: the present line stands for it, as written.
            let at = &self.at;
            let line = u32::try_from(at.priority)
                .ok()
                .and_then(|n| self.find(&at.context, &at.exten, Want::Priority(n)).ok())
                .and_then(|found| self.image.program.table.priority(found.priority))
                .map(|line| {
                    let names = &self.image.program.names;
                    (
                        Text::from(names.resolve(line.app)),
                        Text::from(names.resolve(line.data)),
                    )
                });
            if let Some((name, data)) = line {
                self.takes_down(&name, &data);
            }
        }
        self.records.as_deref_mut().filter(|records| records.any())
    }

    fn takes_down(&mut self, name: &[u8], data: &[u8]) {
        if let Some(records) = &mut self.records {
            records.app = Text::from(name);
            records.data = Text::from(data);
            let shared = &self.shared;
            records.executed(&self.at, self.environment.now(), || shared.next_record());
        }
    }

    /// An application begins. Not taken down inside of subroutines that the machine started.
    pub(crate) fn applies(&mut self, name: &[u8], data: &[u8]) {
        self.announce_end();
        if self.internal == 0 {
            self.takes_down(name, data);
        }
        let tracked = self.events
            && self
                .records
                .as_ref()
                .is_some_and(|records| records.tracks(name));
        if tracked {
            if let Some(records) = &mut self.records {
                records.app = Text::from(name);
                records.data = Text::from(data);
                records.announced = true;
            }
            self.event(EventKind::AppStart, &[], &[], String::new());
        }
    }

    /// What a subroutine of the machine interrupted goes on.
    pub(crate) fn goes_on(&mut self, name: Text, data: Text) {
        self.announce_end();
        let tracked = match &mut self.records {
            Some(records) => {
                let tracked = self.events && records.tracks(&name);
                records.app = name;
                records.data = data;
                records.announced = tracked;
                tracked
            }
            None => false,
        };
        if tracked {
            self.event(EventKind::AppStart, &[], &[], String::new());
        }
    }

    /// What ran is over: the channel runs what stands for it.
    pub(crate) fn applied(&mut self) {
        self.announce_end();
        let (name, data) = self.channel.made_by.application();
        if let Some(records) = &mut self.records {
            records.app = Text::from(name);
            records.data = Text::from(data);
        }
    }

    fn announce_end(&mut self) {
        let announced = self
            .records
            .as_mut()
            .is_some_and(|records| std::mem::take(&mut records.announced));
        if announced {
            self.event(EventKind::AppEnd, &[], &[], String::new());
        }
    }

    /// A Dial begins.
    pub(crate) fn dial_begins(&mut self) {
        if let Some(records) = &mut self.records {
            records.dial_begins(&self.channel, self.environment.now());
        }
    }

    /// A Dial is over.
    pub(crate) fn dialled(&mut self, dialed: &Dialed) {
        for leg in dialed.legs.iter().filter(|leg| !leg.protocol.is_empty()) {
            self.channel.leg_causes.push(LegCause {
                channel: leg.channel.clone(),
                words: Text::from(cause_words(leg.cause)),
                protocol: leg.protocol.clone(),
            });
        }
        if let Some(records) = &mut self.records {
            let (now, shared) = (self.environment.now(), &self.shared);
            records.dialled(&self.channel, dialed, now, || shared.next_record());
        }
    }

    /// `h` and the hangup handlers are next.
    pub(crate) fn hangs_up(&mut self) {
        if let Some(records) = &mut self.records {
            records.hangs_up(&self.channel, self.environment.now());
        }
    }

    /// The channel is gone.
    pub(crate) fn close(&mut self) -> Vec<CallRecord> {
        if self.records.is_none() {
            return Vec::new();
        }
        self.applied();
        if self.events {
            let text = |text: &[u8]| String::from_utf8_lossy(text).into_owned();
            let source = self.channel.item(b"hangupsource").map(Text::from);
            let cx = Cx { state: self };
            let status = cx
                .channel_variable(b"DIALSTATUS")
                .map(crate::base::Value::to_text);
            let extra = serde_json::json!({
                "hangupcause": self.channel.cause,
                "hangupsource": source.map_or_else(String::new, |source| text(&source)),
                "dialstatus": status.map_or_else(String::new, |status| text(&status)),
            });
            self.event(EventKind::Hangup, &[], &[], extra.to_string());
            self.event(EventKind::ChanEnd, &[], &[], String::new());
            if self.shared.unlink(&self.channel.linkedid) {
                self.event(EventKind::LinkedidEnd, &[], &[], String::new());
            }
        }
        let records = self.records.take();
        records.map_or_else(Vec::new, |mut records| {
            records.close(&self.channel, self.environment.now())
        })
    }

    /// Makes a channel event, where somebody looks at them. `name` is that of an event of the dialplan, `extra` a
    /// JSON object or empty.
    pub(crate) fn event(&mut self, kind: EventKind, name: &[u8], peer: &[u8], extra: String) {
        if !self.events {
            return;
        }
        let (channel, text) = (&self.channel, |text: &Option<Text>| {
            text.clone().unwrap_or_default()
        });
        let item = |name: &[u8]| channel.items.get(name).cloned().unwrap_or_default();
        let (application, data) = self
            .records
            .as_ref()
            .filter(|_| kind != EventKind::ChanStart)
            .map_or((Text::EMPTY, Text::EMPTY), |records| {
                (records.app.clone(), records.data.clone())
            });
        let event = ChannelEvent {
            kind,
            name: Text::from(name),
            time: self.environment.now(),
            caller_name: text(&channel.caller.name),
            caller_number: text(&channel.caller.number),
            context: self.at.context.clone(),
            exten: self.at.exten.clone(),
            channel: channel.name.clone(),
            application,
            data,
            amaflags: amaflags(channel),
            accountcode: item(b"accountcode"),
            peeraccount: item(b"peeraccount"),
            uniqueid: channel.uniqueid.clone(),
            linkedid: channel.linkedid.clone(),
            userfield: item(b"userfield"),
            peer: Text::from(peer),
            extra,
        };
        if kind == EventKind::ChanStart {
            self.shared.link(&event.linkedid);
        }
        if let Some(observer) = &mut self.observer {
            observer.event(event);
        }
    }
}

impl Cx<'_> {
    /// The channel is answered, now: its state, the time, and a channel event. Nothing where it was up.
    pub fn answer_channel(&mut self) {
        if self.state.channel.state != ChannelState::Up {
            self.state.channel.state = ChannelState::Up;
            self.state.channel.answered = Some(self.state.environment.now());
            self.state.event(EventKind::Answer, &[], &[], String::new());
        }
    }

    /// Makes a channel event, where somebody looks at them. `peer` names the other channel that takes part, `extra`
    /// is a JSON object, or empty.
    pub fn event(&mut self, kind: EventKind, peer: &[u8], extra: impl FnOnce() -> String) {
        if self.state.events {
            self.state.event(kind, &[], peer, extra());
        }
    }

    /// Makes a channel event of the dialplan's own.
    pub(crate) fn user_event(&mut self, name: &[u8], extra: &[u8]) {
        if self.state.events {
            let extra = serde_json::json!({ "extra": String::from_utf8_lossy(extra) });
            self.state
                .event(EventKind::UserDefined, name, &[], extra.to_string());
        }
    }

    fn recorded<T>(
        &mut self,
        act: impl FnOnce(&mut Records, &crate::machine::Channel, Duration) -> T,
    ) -> Option<T> {
        self.state.asked_records()?;
        let now = self.state.environment.now();
        let records = self.state.records.as_deref_mut()?;
        Some(act(records, &self.state.channel, now))
    }

    /// The record of this channel as it stands; `None` = there is none.
    pub(crate) fn record(&mut self) -> Option<Present> {
        self.recorded(Records::present).flatten()
    }

    /// Writes a field of the record; false = there is none.
    pub(crate) fn set_record_field(&mut self, name: &[u8], value: &[u8]) -> bool {
        self.recorded(|records, _, _| records.set(name, value))
            .is_some()
    }

    /// Says whether the records are wanted; false = there is none.
    pub(crate) fn disable_records(&mut self, disabled: bool) -> bool {
        self.recorded(|records, _, _| records.disable(disabled))
            .is_some()
    }

    /// Begins the record anew; false = there is none.
    pub(crate) fn reset_record(&mut self, keep: bool) -> bool {
        self.recorded(|records, channel, now| records.reset(channel, keep, now))
            .is_some()
    }

    /// Begins a further record; false = there is none.
    pub(crate) fn fork_record(&mut self, fork: Fork) -> bool {
        if self.state.asked_records().is_none() {
            return false;
        }
        let sequence = self.state.shared.next_record();
        self.recorded(|records, channel, now| records.fork(channel, fork, now, sequence))
            .is_some()
    }

    /// `CDR(userfield)` and own fields of the record, as a calling channel takes them over.
    pub(crate) fn own_fields(&self) -> (Text, Vec<(Text, Text)>) {
        self.state
            .records
            .as_ref()
            .map_or((Text::EMPTY, Vec::new()), |records| records.own_fields())
    }
}
