//! `Cx`: what an application or function may touch.

use std::any::Any;
use std::time::Duration;

use crate::base::timespec::Timespec;
use crate::base::{Text, Value};
use crate::diagnostic::{Code, Entry, Level, code};
use crate::machine::environment::{Allow, Environment};
use crate::machine::evaluate::VALUE_LIMIT;
use crate::machine::image::{Image, LinkedFunction};
use crate::machine::shared::Shared;
use crate::machine::state::State;
use crate::machine::variables::{Inherit, inheritance};
use crate::machine::{Attached, Channel, Flow, Location, Note, Observer};
use crate::program::instruction::Core;
use crate::program::matcher::{Found, NotFound, Want};
use crate::program::{Priority, PriorityId};
use crate::syntax::lex::template::function_call;

/// The call, as an application or function sees it.
#[derive(Debug)]
pub struct Cx<'a> {
    pub(crate) state: &'a mut State,
}

impl Cx<'_> {
    /// The channel.
    pub fn channel(&self) -> &Channel {
        &self.state.channel
    }

    /// The channel, to change it.
    pub fn channel_mut(&mut self) -> &mut Channel {
        self.state.touched = true;
        &mut self.state.channel
    }

    /// Where the call is.
    pub fn location(&self) -> &Location {
        &self.state.at
    }

    /// The state that all calls of the engine share.
    pub fn shared(&self) -> &Shared {
        &self.state.shared
    }

    /// Time since the epoch, as the host's clock has it.
    pub fn now(&self) -> Duration {
        self.state.read_clock()
    }

    /// Whether a time specification holds now, or at another time (seconds since the epoch).
    pub fn holds(&self, times: &Timespec, at: Option<i64>) -> bool {
        let now = at.unwrap_or_else(|| self.state.now());
        if at.is_none()
            && let Some(attached) = &self.state.attached
        {
            attached.tested(times, None, now);
        }
        times.matches(now)
    }

    /// What the host hung on the call, if it is of this type.
    pub fn attached<T: Attached>(&mut self) -> Option<&mut T> {
        let attached: &mut dyn Any = self.state.attached.as_deref_mut()?.as_mut();
        attached.downcast_mut()
    }

    /// Time, chance, process environment.
    pub fn environment(&self) -> &dyn Environment {
        self.state.environment.as_ref()
    }

    /// What the engine allows outside of itself.
    pub fn allow(&self) -> Allow {
        self.state.settings.allow
    }

    /// Whether the channel was hung up.
    pub fn is_hungup(&self) -> bool {
        self.state.hungup
    }

    /// The dialplan hangs up, as `Hangup()` does: with this cause, else the one that is set, else 16.
    pub fn leave(&mut self, cause: Option<u32>) {
        self.state.channel.leave(cause);
    }

    /// The hangup cause is set, and the channel counts as hung up.
    pub fn hang_up(&mut self, cause: Option<u32>) {
        if let Some(cause) = cause {
            self.state.touched = true;
            self.state.channel.cause = cause;
        }
        self.state.hungup = true;
    }

    /// What raised the exception that `e` handles: reason and place.
    pub fn exception(&self) -> Option<&(Text, Location)> {
        self.state.exception.as_deref()
    }

    /// Notes an exception at the present place.
    pub fn raise(&mut self, reason: impl Into<Text>) {
        self.state.exception = Some(Box::new((reason.into(), self.state.at.clone())));
    }

    /// Digits of a new extension are looked for in this context from now on (`BackGround` with a context).
    pub fn collect_in(&mut self, context: Text) {
        self.state.at.context = context;
    }

    /// Return of a subroutine that the machine itself started: whoever waits for it goes on.
    pub fn leave_subroutine(&mut self, back: Location) -> Flow {
        self.state.at = back;
        self.state.returned = true;
        Flow::Leave
    }

    // Log.

    /// Makes a log entry at the register's level.
    pub fn log(&mut self, code: &'static Code, message: impl FnOnce() -> String) {
        self.log_at(code, code.level, message);
    }

    /// Makes a log entry at another level.
    pub fn log_at(&mut self, code: &'static Code, level: Level, message: impl FnOnce() -> String) {
        if self.is_logged() {
            let entry = Entry::at(code, level, message());
            self.state.log(entry);
        }
    }

    /// Whether log entries are made: somebody watches, or the host hung something on the call.
    pub(crate) fn is_logged(&self) -> bool {
        self.state.attached.is_some() || self.is_watched()
    }

    /// Whether somebody watches: verbose messages are made for nobody otherwise.
    pub fn is_watched(&self) -> bool {
        let observer = self.state.observer.as_deref();
        observer.is_some_and(Observer::hears)
    }

    /// The value of a function is read from here on, for whoever samples the call; `None` = it is known.
    #[inline]
    pub(crate) fn reads(&mut self, function: Option<u32>) {
        if let Some(observer) = &mut self.state.observer
            && let Some(sampler) = observer.sampler()
        {
            sampler.function(function);
        }
    }

    /// Writes a verbose message.
    pub fn verbose(&mut self, level: u8, text: &[u8]) {
        if let Some(observer) = &mut self.state.observer {
            observer.verbose(&self.state.channel.name, level, text);
        }
    }

    /// Makes a note.
    pub fn note(&mut self, note: Note) {
        self.state.note(note);
    }

    // Variables.

    /// The value of a variable as `${name}` finds it: core, channel, global.
    pub fn variable(&self, name: &[u8]) -> Option<Value> {
        if let Some(core) = Core::named(name)
            && (self.state.has_channel || !core.needs_channel())
        {
            let mut out = Vec::new();
            self.append_core(core, &mut out);
            return Some(Value::from_bytes(&out));
        }
        self.stored_variable(name)
    }

    /// The value of a stored variable (channel, then global).
    pub fn stored_variable(&self, name: &[u8]) -> Option<Value> {
        self.channel_variable(name)
            .cloned()
            .or_else(|| self.state.shared.global(name))
    }

    /// The value of a channel variable.
    pub fn channel_variable(&self, name: &[u8]) -> Option<&Value> {
        self.state
            .variables
            .get(&self.state.image.program.slots, name)
    }

    /// The text of a variable; empty when there is none.
    pub fn text_of(&self, name: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        self.append_variable(name, &mut out);
        out
    }

    /// The value of a name that is read as a name whatever its value: letters and digits only, and a value that no
    /// limit cuts. In a buffer from the spare ones.
    pub(crate) fn plain_value(&mut self, name: &[u8]) -> Option<Vec<u8>> {
        if name.is_empty() || !name.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_') {
            return None;
        }
        let mut out = self.buffer();
        self.append_variable(name, &mut out);
        if out.len() > VALUE_LIMIT {
            self.put_back(out);
            return None;
        }
        Some(out)
    }

    /// An empty buffer that was used before; give it back with [`Cx::put_back`].
    pub(crate) fn buffer(&mut self) -> Vec<u8> {
        let mut buffer = self.state.spare.pop().unwrap_or_default();
        buffer.clear();
        buffer
    }

    /// Keeps a buffer for the next one who needs one.
    pub(crate) fn put_back(&mut self, buffer: Vec<u8>) {
        self.state.spare.push(buffer);
    }

    /// Appends the value of a variable as `${name}` finds it: core, channel, global.
    pub(crate) fn append_variable(&self, name: &[u8], out: &mut Vec<u8>) {
        match Core::named(name) {
            Some(core) if self.state.has_channel || !core.needs_channel() => {
                self.append_core(core, out);
            }
            _ => match self.channel_variable(name) {
                Some(value) => value.append_to(out),
                None => {
                    if let Some(value) = self.state.shared.global(name) {
                        value.append_to(out);
                    }
                }
            },
        }
    }

    /// Sets a channel variable; `_` and `__` before the name make it inherited.
    pub fn set(&mut self, name: &[u8], value: &[u8]) {
        self.set_value(name, Value::from_bytes(value));
    }

    /// Sets a channel variable to a value; `_` and `__` before the name make it inherited.
    /// Without a channel (at load) it is a global.
    pub fn set_value(&mut self, name: &[u8], value: Value) {
        let (inherit, plain) = inheritance(name);
        if self.state.has_channel {
            self.state
                .variables
                .set(&self.state.image.program.slots, plain, value, inherit);
        } else {
            self.state.shared.set_global(plain, value);
        }
    }

    /// Writes a function, such as `DB(a/b)`; unknown and read-only ones are logged, and the dialplan goes on.
    pub fn write(&mut self, call: &[u8], value: &[u8]) -> Flow {
        let (name, arguments, closed) = function_call(call);
        if !closed {
            self.log(&code::FUNC_MISSING_PARENTHESIS, || {
                format!("no `)` in `{}`", bstr::BStr::new(call))
            });
        }
        let Some(linked) = self.function(name) else {
            self.log(&code::FUNC_UNKNOWN, || {
                format!("no function `{}`", bstr::BStr::new(name))
            });
            return Flow::Next;
        };
        if let Some(write) = &linked.write {
            return write.write(self, arguments, value);
        }
        self.log(&code::FUNC_NOT_WRITABLE, || {
            format!(
                "the function `{}` cannot be written to",
                bstr::BStr::new(name)
            )
        });
        Flow::Next
    }

    /// Sets a variable, or writes a function when the name ends in `)`.
    pub fn assign(&mut self, name: &[u8], value: &[u8]) -> Flow {
        if name.ends_with(b")") {
            return self.write(name, value);
        }
        self.set(name, value);
        Flow::Next
    }

    /// The `n`th entry of a channel variable, the newest first: what outer Gosub frames see.
    pub fn entry(&self, name: &[u8], n: usize) -> Option<&Value> {
        self.state
            .variables
            .nth(&self.state.image.program.slots, name, n)
    }

    /// Another place takes the place of where the call is: EXTEN, CONTEXT and PRIORITY of a text.
    pub fn replace_location(&mut self, at: Location) -> Location {
        std::mem::replace(&mut self.state.at, at)
    }

    /// Removes the newest entry of a channel variable; says whether there was one.
    pub fn remove(&mut self, name: &[u8]) -> bool {
        let (_, plain) = inheritance(name);
        self.state
            .variables
            .remove(&self.state.image.program.slots, plain)
    }

    /// Channel variables whose names begin with `prefix` and are no slot of the dialplan (HASH members), newest first.
    pub fn variables_with_prefix(&self, prefix: &[u8]) -> Vec<(Text, Text)> {
        self.state
            .variables
            .with_prefix(prefix)
            .into_iter()
            .map(|(n, v)| (n.clone(), v.to_text()))
            .collect()
    }

    /// All channel variables: name, value, inheritance.
    pub fn variables(&self) -> Vec<(Text, Text, Inherit)> {
        self.state
            .variables
            .list(&self.state.image.program.slots)
            .into_iter()
            .map(|(n, v, i)| (n, v.to_text(), i))
            .collect()
    }

    /// What a channel created by this one inherits.
    pub fn inherited(&self) -> Vec<(Text, Text)> {
        self.state
            .variables
            .inherited(&self.state.image.program.slots)
    }

    /// Appends the value of a core variable.
    pub fn append_core(&self, core: Core, out: &mut Vec<u8>) {
        self.state.append_core(core, out);
    }

    // Dialplan.

    /// The dialplan the call runs on.
    pub fn image(&self) -> &Image {
        &self.state.image
    }

    /// Whether an application of this name exists.
    pub fn knows_application(&self, name: &[u8]) -> bool {
        self.state.image.names.application(name).is_some()
    }

    /// A function by name.
    pub fn function(&self, name: &[u8]) -> Option<std::sync::Arc<LinkedFunction>> {
        self.state.image.names.function(name).cloned()
    }

    /// Looks up a place in the dialplan for this caller, now.
    pub fn find(&self, context: &[u8], exten: &[u8], want: Want) -> Result<Found, NotFound> {
        self.state.find(context, exten, want)
    }

    /// Whether a priority exists.
    pub fn exists(&self, context: &[u8], exten: &[u8], priority: i64) -> bool {
        u32::try_from(priority)
            .is_ok_and(|n| n > 0 && self.find(context, exten, Want::Priority(n)).is_ok())
    }

    /// The number of a label.
    pub fn label(&self, context: &[u8], exten: &[u8], label: &[u8]) -> Option<i64> {
        let symbol = self.state.image.program.names.get(label)?;
        let found = self.find(context, exten, Want::Label(symbol)).ok()?;
        self.line(found.priority).map(|p| i64::from(p.number))
    }

    /// A line of the dialplan.
    pub fn line(&self, id: PriorityId) -> Option<&Priority> {
        self.state.image.program.table.priority(id)
    }

    /// Application name and data, as written, of a line.
    pub fn line_text(&self, id: PriorityId) -> Option<(&[u8], &[u8])> {
        let line = self.line(id)?;
        let names = &self.state.image.program.names;
        Some((names.resolve(line.app), names.resolve(line.data)))
    }

    /// Whether a longer number than `exten` could match in a context.
    pub fn match_more(&self, context: &[u8], exten: &[u8]) -> bool {
        self.state.match_more(context, exten)
    }

    /// Reads a target as Goto does: `[[context,]exten,]priority`, split at plain commas, nothing trimmed;
    /// a priority is a number, relative with a sign, or a label.
    pub fn parse_target(&self, text: &[u8]) -> Result<Location, TargetFault> {
        if text.is_empty() {
            return Err(TargetFault::Empty);
        }
        let mut fields = text.splitn(4, |&b| b == b',');
        let first = fields.next().unwrap_or(&[]);
        let (context, exten, priority) = match (fields.next(), fields.next()) {
            (None, _) => (None, None, first),
            (Some(second), None) => (None, Some(first), second),
            (Some(second), Some(third)) => (Some(first), Some(second), third),
        };
        let here = &self.state.at;
        let pick = |field: Option<&[u8]>, present: &Text| match field {
            Some(text) if !text.is_empty() => cut_name(text),
            _ => present.clone(),
        };
        let context = pick(context, &here.context);
        let exten = pick(exten, &here.exten);
        let (sign, digits) = match priority.split_first() {
            Some((b'+', rest)) => (1, rest),
            Some((b'-', rest)) => (-1, rest),
            _ => (0, priority),
        };
        let number = match whole_number(digits) {
            Some(number) if sign == 0 => number,
            Some(number) => here.priority + sign * number,
            None => {
                let label = if sign == 0 { priority } else { digits };
                self.label(&context, &exten, label)
                    .ok_or_else(|| TargetFault::NoLabel {
                        label: Text::from(label),
                        context: context.clone(),
                        exten: exten.clone(),
                    })?
            }
        };
        Ok(Location {
            context,
            exten,
            priority: number,
        })
    }
}

/// Why a target cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TargetFault {
    /// No text at all.
    Empty,
    /// Neither a number nor a label of that extension.
    NoLabel {
        /// The label.
        label: Text,
        /// Where it was looked for.
        context: Text,
        /// The extension.
        exten: Text,
    },
}

/// Names on a channel are cut to 79 bytes, as in Asterisk.
pub fn cut_name(name: &[u8]) -> Text {
    Text::from(name.get(..79).unwrap_or(name))
}

/// A whole number with blanks around it, as `sscanf("%30d%c")` accepts it for a priority.
fn whole_number(text: &[u8]) -> Option<i64> {
    let text = text.trim_ascii_start();
    let (negative, digits) = match text.split_first() {
        Some((b'-', rest)) => (true, rest),
        Some((b'+', rest)) => (false, rest),
        _ => (false, text),
    };
    let digits = digits.trim_ascii_end();
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let number = digits.iter().fold(0i64, |n, b| {
        n.saturating_mul(10).saturating_add(i64::from(b - b'0'))
    });
    let number = number.min(i64::from(i32::MAX));
    Some(if negative { -number } else { number })
}
