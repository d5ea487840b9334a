//! Contexts, extensions and priorities as flat tables.

use std::ops::Range;

use crate::base::symbol::StableMap;
use crate::base::{Place, Symbol, Text};

/// Index into [`Table::contexts`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContextId(pub u32);

/// Index into [`Table::extensions`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExtensionId(pub u32);

/// Index into [`Table::priorities`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PriorityId(pub u32);

/// All contexts, extensions and priorities of a dialplan.
///
/// INVARIANT: the extensions of a context are contiguous and in Asterisk's order of trying;
/// the priorities of an extension are contiguous and sorted by number.
#[derive(Debug, Clone)]
pub struct Table {
    /// Contexts.
    pub contexts: Vec<Context>,
    /// Contexts by name.
    pub by_name: StableMap<Text, ContextId>,
    /// Extensions of all contexts.
    pub extensions: Vec<Extension>,
    /// Priorities of all extensions. Hints are not here.
    pub priorities: Vec<Priority>,
    /// Extension as written on the lines that spell it differently from [`Extension::exten`].
    pub aliases: StableMap<PriorityId, Text>,
}

impl PriorityId {
    /// No priority: the answer about a hint.
    pub const NONE: PriorityId = PriorityId(u32::MAX);
}

/// A context.
#[derive(Debug, Clone)]
pub struct Context {
    /// Its name.
    pub name: Text,
    /// Contexts whose names differ only in case count as one when a search asks whether it has been here:
    /// the first of them.
    pub folded: ContextId,
    /// Its extensions, in Asterisk's order of trying.
    pub extensions: Range<u32>,
    /// Its includes, in file order.
    pub includes: Vec<Include>,
    /// Its switches, in file order.
    pub switches: Vec<Switch>,
    /// Patterns after which a channel driver keeps the dial tone.
    pub ignorepats: Vec<Text>,
}

/// An extension.
#[derive(Debug, Clone)]
pub struct Extension {
    /// Where it lives.
    pub context: ContextId,
    /// As listed; a pattern begins with `_`.
    pub exten: Text,
    /// Caller-id pattern; `None` = any caller, empty = only callers without a number.
    pub cid: Option<Text>,
    /// Its priorities, sorted by number.
    pub priorities: Range<u32>,
    /// Its hint; boxed because few extensions have one.
    pub hint: Option<Box<Hint>>,
}

/// What a device state is asked of and shown as.
#[derive(Debug, Clone)]
pub struct Hint {
    /// Device list.
    pub devices: Text,
    /// Display name.
    pub name: Text,
    /// The extension as written on the hint's line.
    pub exten: Text,
    /// Where the line stands.
    pub place: Place,
}

/// One executable line. Its texts are symbols of [`Program::names`](super::Program::names).
#[derive(Debug, Clone)]
pub struct Priority {
    /// The extension it belongs to.
    pub extension: ExtensionId,
    /// Number, from 1.
    pub number: u32,
    /// Its label.
    pub label: Option<Symbol>,
    /// Application name as written.
    pub app: Symbol,
    /// Application data as written.
    pub data: Symbol,
    /// Where the line stands.
    pub place: Place,
}

/// An include with its times.
#[derive(Debug, Clone)]
pub struct Include {
    /// The full text, as `dialplan show` prints it.
    pub text: Text,
    /// The context, if it exists.
    pub context: Option<ContextId>,
    /// When it holds; `None` = always.
    pub times: Option<crate::base::timespec::Timespec>,
}

/// A switch.
#[derive(Debug, Clone)]
pub struct Switch {
    /// Name of the switch, such as `Loopback`.
    pub name: Text,
    /// Its data.
    pub data: Text,
    /// Whether the data is substituted on the channel at each lookup.
    pub eval: bool,
}

impl Table {
    /// The context of a name (case-sensitive).
    pub fn context_named(&self, name: &[u8]) -> Option<ContextId> {
        self.by_name.get(name).copied()
    }

    /// The context of an id.
    pub fn context(&self, id: ContextId) -> Option<&Context> {
        self.contexts.get(id.0 as usize)
    }

    /// The extension of an id.
    pub fn extension(&self, id: ExtensionId) -> Option<&Extension> {
        self.extensions.get(id.0 as usize)
    }

    /// The priority of an id.
    pub fn priority(&self, id: PriorityId) -> Option<&Priority> {
        self.priorities.get(id.0 as usize)
    }

    /// The extension as written on the line of a priority.
    pub fn written(&self, id: PriorityId) -> Option<&Text> {
        self.aliases.get(&id).or_else(|| {
            let extension = self.extension(self.priority(id)?.extension)?;
            Some(&extension.exten)
        })
    }

    /// The priority with this number in one extension.
    #[inline]
    pub fn numbered(&self, extension: &Extension, number: u32) -> Option<PriorityId> {
        let range = extension.priorities.clone();
        // Most extensions count 1, 2, 3 …: the number says where to look.
        let guess = range.start.checked_add(number.checked_sub(1)?)?;
        if guess < range.end
            && let Some(priority) = self.priorities.get(guess as usize)
            && priority.number == number
        {
            return Some(PriorityId(guess));
        }
        self.search_number(range, number)
    }

    fn search_number(&self, range: Range<u32>, number: u32) -> Option<PriorityId> {
        let lines = self
            .priorities
            .get(range.start as usize..range.end as usize)?;
        let at = lines.binary_search_by_key(&number, |p| p.number).ok()?;
        Some(PriorityId(range.start + at as u32))
    }

    /// The priority with this label in one extension.
    pub fn labelled(&self, extension: &Extension, label: Symbol) -> Option<PriorityId> {
        let range = extension.priorities.clone();
        let lines = self
            .priorities
            .get(range.start as usize..range.end as usize)?;
        let at = lines.iter().position(|p| p.label == Some(label))?;
        Some(PriorityId(range.start + at as u32))
    }
}
