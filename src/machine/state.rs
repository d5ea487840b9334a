//! The state of a call: everything that applications and functions may see.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::base::{Rare, Text, Value};
use crate::diagnostic::{Code, Entry};
use crate::machine::call::Settings;
use crate::machine::environment::Environment;
use crate::machine::globals::Globals;
use crate::machine::image::Image;
use crate::machine::records::Records;
use crate::machine::shared::Shared;
use crate::machine::stack::{Frame, Locals};
use crate::machine::variables::Variables;
use crate::machine::{Attached, Channel, ChannelState, Location, Note, Observer};
use crate::program::instruction::Core;
use crate::program::matcher::{Found, NotFound, Query, Want};
use crate::program::slots::Slot;

pub(crate) struct State {
    pub(crate) image: Arc<Image>,
    pub(crate) shared: Arc<Shared>,
    pub(crate) environment: Arc<dyn Environment>,
    pub(crate) settings: Arc<Settings>,
    /// False while a dialplan is loaded: then variables are globals.
    pub(crate) has_channel: bool,
    /// Whether texts are substituted by the textual evaluator only.
    pub(crate) textual: bool,
    pub(crate) channel: Channel,
    pub(crate) variables: Variables,
    pub(crate) globals: Globals,
    pub(crate) at: Location,
    pub(crate) stack: Vec<Frame>,
    pub(crate) observer: Option<Box<dyn Observer>>,
    pub(crate) hungup: bool,
    pub(crate) dead: bool,
    pub(crate) exception: Option<Box<(Text, Location)>>,
    /// Buffers of functions, kept for the next ones.
    pub(crate) spare: Vec<Vec<u8>>,
    /// Lists of the local variables of frames, kept for the next ones.
    pub(crate) spare_locals: Rare<Vec<Locals>>,
    /// Return left the frame of a subroutine that the machine started.
    pub(crate) returned: bool,
    /// The channel's records, where somebody wants them.
    pub(crate) records: Option<Box<Records>>,
    /// Whether the observer looks at channel events.
    pub(crate) events: bool,
    /// Subroutines of the machine that run inside of each other: what they run is not in the records.
    pub(crate) internal: u32,
    /// Where another channel sent this one.
    pub(crate) redirect: Option<Box<Location>>,
    /// The limit that ended the call.
    pub(crate) stopped: Option<&'static Code>,
    /// What the host hung on the call. In a box of a box: calls are held by the thousand, and few have any.
    pub(crate) attached: Option<Box<Box<dyn Attached>>>,
    /// Whether an application or a function was given the channel to change it.
    pub(crate) touched: bool,
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("State")
            .field("channel", &self.channel.name)
            .field("at", &self.at)
            .finish_non_exhaustive()
    }
}

impl State {
    pub(crate) fn log(&mut self, entry: Entry) {
        if let Some(attached) = &mut self.attached {
            attached.log(&entry, &self.at);
        }
        if let Some(observer) = &mut self.observer {
            observer.log(&self.channel.name, entry);
        }
    }

    /// The value of a slot, or of the global of its name.
    #[inline]
    pub(crate) fn slot(&mut self, image: &Image, slot: Slot) -> Option<&Value> {
        match self.variables.slot(slot) {
            None => self
                .globals
                .get(&self.shared, slot, image.program.slots.name(slot)),
            value => value,
        }
    }

    pub(crate) fn note(&mut self, note: Note) {
        if let Some(observer) = &mut self.observer {
            observer.note(&self.channel.name, note);
        }
    }

    pub(crate) fn limit(&mut self, code: &'static Code, text: &str) {
        if self.stopped.is_none() {
            self.stopped = Some(code);
            self.hungup = true;
            self.note(Note::Limit {
                text: text.to_owned(),
            });
        }
    }

    /// Bytes that the call holds, roughly: for the memory limit.
    pub(crate) fn memory(&self) -> usize {
        let frame = |frame: &Frame| {
            let locals: usize = frame
                .locals
                .names()
                .iter()
                .map(|name| name.len() + 24)
                .sum();
            locals + frame.back.context.len() + frame.back.exten.len()
        };
        self.variables.memory()
            + self.channel.memory()
            + self.shared.memory_of(&self.channel.name)
            + self.records.as_ref().map_or(0, |records| records.memory())
            + self.stack.iter().map(frame).sum::<usize>()
    }

    /// The time, for somebody who does not only test it.
    pub(crate) fn read_clock(&self) -> Duration {
        if let Some(attached) = &self.attached {
            attached.clock_read();
        }
        self.environment.now()
    }

    pub(crate) fn now(&self) -> i64 {
        self.environment.now().as_secs() as i64
    }

    pub(crate) fn find(&self, context: &[u8], exten: &[u8], want: Want) -> Result<Found, NotFound> {
        let caller = self.channel.caller.number.as_deref();
        // The clock is asked only where an include has times.
        let now = if self.image.program.timed {
            self.now()
        } else {
            0
        };
        if let Some(attached) = &self.attached
            && self.image.program.timed
        {
            return self.find_witnessed(attached.as_ref().as_ref(), context, exten, want);
        }
        self.image.find(context, exten, want, caller, now)
    }

    /// The same, where somebody is told of the times that decide.
    fn find_witnessed(
        &self,
        attached: &dyn Attached,
        context: &[u8],
        exten: &[u8],
        want: Want,
    ) -> Result<Found, NotFound> {
        let program = &self.image.program;
        let context = self.image.context(context).ok_or(NotFound::NoContext)?;
        let query = Query {
            context,
            exten,
            want,
            cid: self.channel.caller.number.as_deref(),
            now: self.now(),
        };
        program
            .matcher
            .find_telling(&program.table, &query, &mut |times, zone| {
                attached.tested(times, zone, query.now);
            })
    }

    pub(crate) fn match_more(&self, context: &[u8], exten: &[u8]) -> bool {
        let table = &self.image.program.table;
        let Some(context) = table.context_named(context) else {
            return false;
        };
        let caller = self.channel.caller.number.as_deref();
        self.image.program.matcher.match_more(
            table,
            context,
            exten,
            Want::Priority(1),
            caller,
            self.now(),
        )
    }

    pub(crate) fn exists(&self, context: &[u8], exten: &[u8], priority: i64) -> bool {
        u32::try_from(priority)
            .is_ok_and(|n| n > 0 && self.find(context, exten, Want::Priority(n)).is_ok())
    }

    /// The priority number of a line becomes the call's.
    pub(crate) fn arrive(&mut self, image: &Image, line: u32) {
        let line = image.program.whole_line(line);
        if let Some(entry) = image.program.table.priorities.get(line as usize) {
            self.at.priority = i64::from(entry.number);
        }
    }

    pub(crate) fn append_core(&self, core: Core, out: &mut Vec<u8>) {
        let number = |n: i64, out: &mut Vec<u8>| crate::base::value::append_int(n, out);
        match core {
            Core::Exten => out.extend_from_slice(&self.at.exten),
            Core::Context => out.extend_from_slice(&self.at.context),
            Core::Priority => number(self.at.priority, out),
            Core::Channel => out.extend_from_slice(&self.channel.name),
            Core::Uniqueid => out.extend_from_slice(&self.channel.uniqueid),
            Core::HangupCause => number(i64::from(self.channel.cause), out),
            Core::Hint | Core::HintName => {
                if let Some(hint) = self
                    .image
                    .hint(&self.at.context, &self.at.exten, self.now())
                {
                    out.extend_from_slice(if core == Core::Hint {
                        &hint.devices
                    } else {
                        &hint.name
                    });
                }
            }
            Core::CallingPres => {
                // 67 = number not available; 0 = allowed, not screened (observed on Local channels).
                number(
                    if self.channel.caller.number.is_some() {
                        0
                    } else {
                        67
                    },
                    out,
                );
            }
            Core::CallingAni2 | Core::CallingTon | Core::CallingTns => number(0, out),
            Core::Epoch => number(self.read_clock().as_secs() as i64, out),
            Core::SystemName => {}
            Core::EntityId => out.extend_from_slice(b"00:00:00:00:00:00"),
            Core::CacheDir => out.extend_from_slice(b"/var/cache/asterisk"),
            Core::EtcDir => out.extend_from_slice(b"/etc/asterisk"),
            Core::ModDir => out.extend_from_slice(b"/usr/lib/asterisk/modules"),
            Core::VarLibDir | Core::DataDir => out.extend_from_slice(b"/var/lib/asterisk"),
            Core::DbDir => out.extend_from_slice(b"/var/lib/asterisk/astdb"),
            Core::KeyDir => out.extend_from_slice(b"/var/lib/asterisk/keys"),
            Core::AgiDir => out.extend_from_slice(b"/var/lib/asterisk/agi-bin"),
            Core::SpoolDir => out.extend_from_slice(b"/var/spool/asterisk"),
            Core::RunDir => out.extend_from_slice(b"/var/run/asterisk"),
            Core::LogDir => out.extend_from_slice(b"/var/log/asterisk"),
            Core::SbinDir => out.extend_from_slice(b"/usr/sbin"),
        }
    }

    pub(crate) fn is_up(&self) -> bool {
        self.channel.state == ChannelState::Up
    }
}
