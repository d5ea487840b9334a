//! What a report holds of a simulation. An endless dialplan executes millions of priorities, so texts are
//! held once, and what comes several times in a row is counted.

use std::time::Duration;

use crate::base::Text;
use crate::base::symbol::{Interner, StableMap, Symbol, stable_map};
use crate::diagnostic::Entry;
use crate::machine::{CallRecord, ChannelEvent, Note};

/// An executed priority.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Executed<'a> {
    /// Its context.
    pub context: &'a [u8],
    /// Its extension.
    pub exten: &'a [u8],
    /// Its number.
    pub priority: i64,
    /// The application, in its registered spelling.
    pub application: &'a [u8],
    /// Its data after substitution.
    pub data: &'a [u8],
}

/// An executed priority, its texts by number.
#[derive(Debug, Clone, Copy)]
struct Line {
    priority: i64,
    context: Symbol,
    exten: Symbol,
    application: Symbol,
    data: Symbol,
}

/// What one channel executed.
#[derive(Debug, Default)]
struct Trace {
    ran: bool,
    lines: Vec<Line>,
}

/// A log entry that came so many times in a row.
#[derive(Debug)]
struct Logged {
    time: Duration,
    order: u32,
    /// Number of the entry and its channel's name.
    entry: u32,
    times: u32,
}

/// What happened in a simulation, compactly.
#[derive(Debug, Default)]
pub(super) struct Record {
    texts: Interner,
    traces: Vec<Trace>,
    entries: Vec<(Text, Entry)>,
    /// The numbers of entries by their message: those at other levels or of other channels, too.
    numbers: Numbers,
    logged: Vec<Logged>,
    notes: Vec<(Text, Note, u32)>,
    /// Finished call records.
    pub(super) calls: Vec<CallRecord>,
    /// Channel events.
    pub(super) events: Vec<ChannelEvent>,
    /// Whether a limit ended any call.
    pub(super) limited: bool,
    /// When the last thing happened.
    pub(super) last: Duration,
}

/// Numbers of entries by message.
#[derive(Debug)]
struct Numbers(StableMap<String, Vec<u32>>);

impl Default for Numbers {
    fn default() -> Self {
        Self(stable_map())
    }
}

impl Record {
    fn trace(&mut self, order: usize) -> Option<&mut Trace> {
        if self.traces.len() <= order {
            self.traces.resize_with(order + 1, Trace::default);
        }
        self.traces.get_mut(order)
    }

    /// A channel executes something.
    pub(super) fn ran(&mut self, order: usize) {
        if let Some(trace) = self.trace(order) {
            trace.ran = true;
        }
    }

    /// Whether a channel executed anything.
    pub(super) fn has_run(&self, order: usize) -> bool {
        self.traces.get(order).is_some_and(|trace| trace.ran)
    }

    pub(super) fn executed(&mut self, order: usize, executed: &Executed<'_>) {
        let line = Line {
            priority: executed.priority,
            context: self.texts.intern(executed.context),
            exten: self.texts.intern(executed.exten),
            application: self.texts.intern(executed.application),
            data: self.texts.intern(executed.data),
        };
        if let Some(trace) = self.trace(order) {
            trace.lines.push(line);
        }
    }

    pub(super) fn logged(&mut self, time: Duration, order: usize, channel: &Text, entry: &Entry) {
        let number = self.number(channel, entry);
        let order = u32::try_from(order).unwrap_or(u32::MAX);
        if let Some(last) = self.logged.last_mut()
            && (last.time, last.order, last.entry) == (time, order, number)
            && let Some(times) = last.times.checked_add(1)
        {
            last.times = times;
            return;
        }
        self.logged.push(Logged {
            time,
            order,
            entry: number,
            times: 1,
        });
    }

    fn number(&mut self, channel: &Text, entry: &Entry) -> u32 {
        let known = self.numbers.0.get(&entry.message).and_then(|numbers| {
            numbers.iter().copied().find(|&number| {
                self.entries
                    .get(number as usize)
                    .is_some_and(|(c, e)| c == channel && e == entry)
            })
        });
        known.unwrap_or_else(|| {
            let number = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
            self.entries.push((channel.clone(), entry.clone()));
            let numbers = self.numbers.0.entry(entry.message.clone()).or_default();
            numbers.push(number);
            number
        })
    }

    pub(super) fn noted(&mut self, channel: &Text, note: &Note) {
        match self.notes.last_mut() {
            Some((c, n, times)) if c == channel && n == note && *times < u32::MAX => *times += 1,
            _ => self.notes.push((channel.clone(), note.clone(), 1)),
        }
    }

    /// The priorities that a channel executed.
    pub(super) fn lines(&self, order: usize) -> impl Iterator<Item = Executed<'_>> {
        let lines = self.traces.get(order).map_or(&[][..], |trace| &trace.lines);
        lines.iter().map(|line| Executed {
            context: self.texts.resolve(line.context),
            exten: self.texts.resolve(line.exten),
            priority: line.priority,
            application: self.texts.resolve(line.application),
            data: self.texts.resolve(line.data),
        })
    }

    /// Log entries in order of time, then of the creation of channels.
    pub(super) fn sort_log(&mut self) {
        self.logged.sort_by_key(|l| (l.time, l.order));
    }

    pub(super) fn log(&self) -> impl Iterator<Item = (&Text, &Entry, u32)> {
        self.logged.iter().filter_map(|logged| {
            let (channel, entry) = self.entries.get(logged.entry as usize)?;
            Some((channel, entry, logged.times))
        })
    }

    pub(super) fn notes(&self) -> impl Iterator<Item = (&Text, &Note, u32)> {
        self.notes
            .iter()
            .map(|(channel, note, times)| (channel, note, *times))
    }
}
