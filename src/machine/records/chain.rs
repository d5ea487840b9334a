//! The records of one channel while it lives.

use std::time::Duration;

use super::RecordOptions;
use super::record::{CallRecord, Disposition, clid};
use crate::base::Text;
use crate::machine::{Channel, ChannelState, Dialed, DialedLeg, Location, MadeBy};

/// Options of `ForkCDR`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "option letters are independent of each other"
)]
pub(crate) struct Fork {
    /// `a`: an answered call counts as answered now.
    pub(crate) answer: bool,
    /// `e`: the original record ends.
    pub(crate) end: bool,
    /// `r`: the new record begins now.
    pub(crate) reset: bool,
    /// `v`: the user's fields are not copied.
    pub(crate) bare: bool,
}

/// The called channel of a record.
#[derive(Debug, Clone)]
struct Called {
    channel: Text,
    account: Text,
    userfield: Text,
    variables: Vec<(Text, Text)>,
}

/// Where the channel was, and what it ran, last.
#[derive(Debug, Clone)]
struct Last {
    dst: Text,
    dcontext: Text,
    app: Text,
    data: Text,
}

/// What a record keeps of the calling channel once it ended.
#[derive(Debug, Clone)]
struct Frozen {
    end: Duration,
    last: Last,
    clid: Text,
    src: Text,
    account: Text,
    amaflags: u32,
}

/// One record.
#[derive(Debug, Clone)]
pub(crate) struct Draft {
    start: Duration,
    answer: Option<Duration>,
    disposition: Disposition,
    sequence: u64,
    called: Option<Called>,
    userfield: Text,
    variables: Vec<(Text, Text)>,
    /// Not handed out.
    disabled: bool,
    /// Set when it ended.
    frozen: Option<Frozen>,
}

/// The records of a channel, and the application that it runs.
#[derive(Debug, Clone)]
pub(crate) struct Records {
    options: RecordOptions,
    /// Empty where records are not enabled.
    chain: Vec<Draft>,
    /// So many records at the beginning of the chain have ended.
    ended: usize,
    last: Last,
    /// When the Dial in progress began, and whether the channel was answered already.
    dialling: Option<(Duration, bool)>,
    /// `h` or hangup handlers run.
    hanging_up: bool,
    /// The application that runs, and its data.
    pub(crate) app: Text,
    pub(crate) data: Text,
    /// Whether the start of the application that runs was an event.
    pub(crate) announced: bool,
}

fn text(text: Option<&Text>) -> Text {
    text.cloned().unwrap_or_default()
}

/// Flags of automatic message accounting of a channel; 3 = documentation where nothing was set.
pub(crate) fn amaflags(channel: &Channel) -> u32 {
    let set = channel.items.get(b"amaflags".as_slice());
    set.map_or(3, |text| text.lossy().parse().unwrap_or(0))
}

impl Records {
    /// The records of a channel. `sequence` = number of the first one; `None` = there are none.
    pub(crate) fn new(
        options: RecordOptions,
        channel: &Channel,
        at: &Location,
        now: Duration,
        sequence: Option<u64>,
    ) -> Self {
        let (app, data) = channel.made_by.application();
        let mut records = Self {
            options,
            chain: Vec::new(),
            ended: 0,
            last: Last {
                dst: at.exten.clone(),
                dcontext: at.context.clone(),
                app: Text::from(app),
                data: Text::from(data),
            },
            dialling: None,
            hanging_up: false,
            app: Text::from(app),
            data: Text::from(data),
            announced: false,
        };
        if let Some(sequence) = sequence {
            let mut draft = Draft {
                start: channel.created.unwrap_or(now).min(now),
                answer: None,
                disposition: Disposition::Unknown,
                sequence,
                called: None,
                userfield: Text::EMPTY,
                variables: Vec::new(),
                disabled: false,
                frozen: None,
            };
            draft.look(channel);
            records.chain.push(draft);
        }
        records
    }

    /// The channel was made at this time, which was not known before.
    pub(crate) fn begins(&mut self, channel: &Channel, created: Duration) {
        if let [draft] = self.chain.as_mut_slice()
            && draft.frozen.is_none()
        {
            draft.start = created;
            draft.answer = None;
            draft.look(channel);
        }
    }

    /// Whether an application makes events.
    pub(crate) fn tracks(&self, application: &[u8]) -> bool {
        let mut apps = self.options.apps.iter();
        apps.any(|app| app.eq_ignore_ascii_case(application))
    }

    /// Whether there are records.
    pub(crate) fn any(&self) -> bool {
        !self.chain.is_empty()
    }

    fn open(&mut self) -> impl Iterator<Item = &mut Draft> {
        let chain = self.chain.iter_mut().skip(self.ended);
        chain.filter(|draft| draft.frozen.is_none())
    }

    /// Counts the records that have ended.
    fn count(&mut self) {
        let ended = |draft: &Draft| draft.frozen.is_some();
        while self.chain.get(self.ended).is_some_and(ended) {
            self.ended += 1;
        }
    }

    /// The records that the dialplan writes to: those that have not ended, else the last.
    fn written(&mut self) -> impl Iterator<Item = &mut Draft> {
        let last = self.chain.len().saturating_sub(1);
        let drafts = self.chain.iter_mut().enumerate();
        let first = self.ended.min(last);
        drafts
            .skip(first)
            .filter(move |(n, draft)| draft.frozen.is_none() || *n == last)
            .map(|(_, draft)| draft)
    }

    /// The channel runs an application. One whose records all ended gets a new one.
    pub(crate) fn executed(
        &mut self,
        at: &Location,
        now: Duration,
        sequence: impl FnOnce() -> u64,
    ) {
        if self.chain.is_empty() || self.hanging_up && self.options.end_before_h {
            return;
        }
        if !self.hanging_up && self.open().next().is_none() {
            self.append(now, sequence());
        }
        // A called channel that runs no dialplan has no extension of its own.
        if !at.exten.is_empty() {
            self.last.dst = at.exten.clone();
            self.last.dcontext = at.context.clone();
        }
        self.last.app = self.app.clone();
        self.last.data = self.data.clone();
    }

    /// A new record after the last one, which it takes the user's fields from.
    fn append(&mut self, start: Duration, sequence: u64) {
        if let Some(last) = self.chain.last() {
            let draft = Draft {
                start,
                answer: None,
                disposition: Disposition::Unknown,
                sequence,
                called: None,
                frozen: None,
                ..last.clone()
            };
            self.chain.push(draft);
        }
    }

    /// A Dial begins.
    pub(crate) fn dial_begins(&mut self, channel: &Channel, now: Duration) {
        self.dialling = Some((now, channel.state == ChannelState::Up));
        for draft in self.open() {
            draft.look(channel);
        }
    }

    /// A Dial is over: one record for each channel that was called. The first of them goes on with the open ones.
    pub(crate) fn dialled(
        &mut self,
        channel: &Channel,
        dialed: &Dialed,
        now: Duration,
        mut sequence: impl FnMut() -> u64,
    ) {
        let (began, was_up) = self.dialling.take().unwrap_or((now, false));
        if self.chain.is_empty() || self.hanging_up && self.options.end_before_h {
            return;
        }
        let congestion = self.options.congestion;
        let last = self.last.clone();
        let only = DialedLeg {
            channel: dialed.peer.clone().unwrap_or_default(),
            status: dialed.status.clone(),
            ..DialedLeg::default()
        };
        let legs = if dialed.legs.is_empty() && dialed.peer.is_some() {
            std::slice::from_ref(&only)
        } else {
            &dialed.legs
        };
        for (n, leg) in legs.iter().enumerate() {
            if n > 0 || self.open().next().is_none() {
                self.append(began, sequence());
            }
            let answered = leg.status.as_bytes() == b"ANSWER";
            let answer = dialed.answered.filter(|_| answered);
            let end = leg.ended.map_or(now, |time| began.saturating_add(time));
            for draft in self.open() {
                draft.called = Some(Called {
                    channel: leg.channel.clone(),
                    account: leg.accountcode.clone(),
                    userfield: leg.userfield.clone(),
                    variables: leg.variables.clone(),
                });
                draft.disposition = Disposition::of_status(&leg.status, congestion);
                draft.look(channel);
                // A leg that lost had no part in the answer that another one brought.
                if !answered && !was_up {
                    draft.answer = None;
                }
                if draft.answer.is_none()
                    && let Some(talked) = answer
                {
                    draft.answer = Some(now.saturating_sub(talked).max(draft.start));
                }
                draft.freeze(channel, &last, end.min(now).max(draft.start));
            }
            self.count();
        }
    }

    /// The channel is about to run `h` and hangup handlers.
    pub(crate) fn hangs_up(&mut self, channel: &Channel, now: Duration) {
        self.hanging_up = true;
        if self.options.end_before_h {
            self.end(channel, now);
        }
    }

    fn end(&mut self, channel: &Channel, now: Duration) {
        let congestion = self.options.congestion;
        let last = self.last.clone();
        for draft in self.open() {
            draft.look(channel);
            if draft.disposition == Disposition::Unknown {
                draft.disposition = if draft.answer.is_some() {
                    Disposition::Answered
                } else {
                    Disposition::of_cause(channel.cause, congestion)
                };
            }
            draft.freeze(channel, &last, now.max(draft.start));
        }
        self.count();
    }

    /// The channel is gone: its finished records.
    pub(crate) fn close(&mut self, channel: &Channel, now: Duration) -> Vec<CallRecord> {
        self.end(channel, now);
        let options = self.options.clone();
        let chain = std::mem::take(&mut self.chain);
        self.ended = 0;
        let wanted = |draft: &Draft| {
            !draft.disabled
                && (draft.called.is_some()
                    || channel.made_by != MadeBy::Dial
                        && (options.unanswered || draft.disposition >= Disposition::Answered))
        };
        chain
            .into_iter()
            .filter(wanted)
            .map(|draft| draft.record(channel, &options, &self.last, now))
            .collect()
    }

    // What the dialplan does with its records.

    /// `ForkCDR`.
    pub(crate) fn fork(&mut self, channel: &Channel, fork: Fork, now: Duration, sequence: u64) {
        let Some(original) = self.chain.last_mut() else {
            return;
        };
        original.look(channel);
        let mut draft = Draft {
            sequence,
            called: None,
            frozen: None,
            disposition: Disposition::Unknown,
            ..original.clone()
        };
        if fork.reset {
            draft.start = now;
        }
        if fork.answer || fork.reset {
            draft.answer = draft.answer.map(|_| now);
        }
        if fork.bare {
            draft.variables.clear();
            draft.userfield = Text::EMPTY;
        }
        if fork.end {
            self.end(channel, now);
        }
        self.chain.push(draft);
    }

    /// `ResetCDR`: start and answer are now; the user's fields go unless they are kept.
    pub(crate) fn reset(&mut self, channel: &Channel, keep: bool, now: Duration) {
        for draft in self.open() {
            draft.start = now;
            draft.answer = None;
            draft.look(channel);
            if !keep {
                draft.variables.clear();
                draft.userfield = Text::EMPTY;
            }
        }
    }

    /// Whether the records are handed out.
    pub(crate) fn disable(&mut self, disabled: bool) {
        for draft in &mut self.chain {
            draft.disabled = disabled;
        }
    }

    /// Writes `userfield` or a field of the dialplan's own.
    pub(crate) fn set(&mut self, name: &[u8], value: &[u8]) {
        for draft in self.written() {
            if name == b"userfield" {
                draft.userfield = Text::from(value);
                continue;
            }
            let mut variables = draft.variables.iter_mut();
            match variables.find(|(known, _)| known.eq_ignore_ascii_case(name)) {
                Some((_, old)) => *old = Text::from(value),
                None => draft.variables.push((Text::from(name), Text::from(value))),
            }
        }
    }

    /// The present record as it stands now, its end absent where it has not ended.
    pub(crate) fn present(&mut self, channel: &Channel, now: Duration) -> Option<Present> {
        let (options, last) = (self.options.clone(), self.last.clone());
        let draft = self.chain.last_mut()?;
        draft.look(channel);
        let end = draft.frozen.as_ref().map(|frozen| frozen.end);
        let record = draft.clone().record(channel, &options, &last, now);
        Some(Present { record, end })
    }

    /// `userfield` and the fields of the dialplan's own, for a channel that this one's caller records.
    pub(crate) fn own_fields(&self) -> (Text, Vec<(Text, Text)>) {
        self.chain
            .last()
            .map_or((Text::EMPTY, Vec::new()), |draft| {
                (draft.userfield.clone(), draft.variables.clone())
            })
    }

    /// Bytes of what the dialplan wrote, roughly: for the memory limit.
    pub(crate) fn memory(&self) -> usize {
        let draft = |draft: &Draft| {
            let fields = draft.variables.iter().map(|(n, v)| n.len() + v.len() + 64);
            fields.sum::<usize>() + draft.userfield.len() + std::mem::size_of::<Draft>()
        };
        self.chain.iter().map(draft).sum()
    }
}

/// A record that may not have ended.
#[derive(Debug)]
pub(crate) struct Present {
    /// The record, as if it ended now.
    pub(crate) record: CallRecord,
    /// When it ended.
    pub(crate) end: Option<Duration>,
}

impl Draft {
    /// Looks whether the channel is answered.
    fn look(&mut self, channel: &Channel) {
        if self.frozen.is_none() && self.answer.is_none() && channel.state == ChannelState::Up {
            let answered = channel.answered.unwrap_or(self.start);
            self.answer = Some(answered.max(self.start));
        }
    }

    fn freeze(&mut self, channel: &Channel, last: &Last, end: Duration) {
        if self.frozen.is_none() {
            self.answer = self.answer.map(|answer| answer.min(end));
            self.frozen = Some(Self::now(channel, last, end));
        }
    }

    fn now(channel: &Channel, last: &Last, end: Duration) -> Frozen {
        Frozen {
            end,
            last: last.clone(),
            clid: clid(&channel.caller),
            src: text(channel.caller.number.as_ref()),
            account: text(channel.items.get(b"accountcode".as_slice())),
            amaflags: amaflags(channel),
        }
    }

    fn record(
        self,
        channel: &Channel,
        options: &RecordOptions,
        last: &Last,
        now: Duration,
    ) -> CallRecord {
        let frozen = self
            .frozen
            .unwrap_or_else(|| Self::now(channel, last, now.max(self.start)));
        let end = frozen.end;
        let mut billed = self
            .answer
            .map_or(Duration::ZERO, |answer| end.saturating_sub(answer));
        if options.initiated_seconds {
            billed += Duration::from_millis(500);
        }
        let mut variables = self.variables;
        let (mut dstchannel, mut peeraccount) = (Text::EMPTY, Text::EMPTY);
        let mut userfield = self.userfield;
        if let Some(called) = self.called {
            dstchannel = called.channel;
            peeraccount = called.account;
            if userfield.is_empty() {
                userfield = called.userfield;
            } else if !called.userfield.is_empty() {
                userfield = Text::from([&*userfield, b";", &*called.userfield].concat());
            }
            for (name, value) in called.variables {
                if !variables.iter().any(|(known, _)| *known == name) {
                    variables.push((name, value));
                }
            }
        }
        CallRecord {
            accountcode: frozen.account,
            src: frozen.src,
            dst: frozen.last.dst,
            dcontext: frozen.last.dcontext,
            clid: frozen.clid,
            channel: channel.name.clone(),
            dstchannel,
            lastapp: frozen.last.app,
            lastdata: frozen.last.data,
            start: self.start,
            answer: self.answer,
            end,
            duration: end.saturating_sub(self.start).as_secs(),
            billsec: billed.as_secs(),
            disposition: self.disposition,
            amaflags: frozen.amaflags,
            uniqueid: channel.uniqueid.clone(),
            linkedid: channel.linkedid.clone(),
            peeraccount,
            userfield,
            sequence: self.sequence,
            variables,
        }
    }
}
