//! A compiled dialplan as plain data: no function pointers, so it can be compared, listed and shown.

pub(crate) mod automaton;
pub mod context;
pub mod explain;
pub mod expression;
pub mod instruction;
pub mod line;
pub mod matcher;
pub mod selector;
pub mod slots;
pub mod template;

use std::sync::Arc;

use crate::base::{Interner, SourceMap, Text};

pub use context::{
    Context, ContextId, Extension, ExtensionId, Hint, Include, Priority, PriorityId, Switch, Table,
};
pub use matcher::{Found, Matcher, NotFound, Query, Want};

/// Options of a dialplan that the machine asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// The end of an extension ends the call, instead of waiting for digits.
    pub autofallthrough: bool,
    /// `$<name>` is another spelling of `${name}`.
    pub anglesubstitution: bool,
    /// A `Switch/data` consulted before every lookup.
    pub overrideswitch: Option<Text>,
}

/// A compiled dialplan.
#[derive(Debug, Clone)]
pub struct Program {
    /// Contexts, extensions, priorities.
    pub table: Table,
    /// Finds extensions.
    pub matcher: Matcher,
    /// Texts of lines: labels, applications and their data.
    pub names: Arc<Interner>,
    /// Names of variables.
    pub slots: slots::Slots,
    /// Compiled texts.
    pub code: template::Code,
    /// What runs for each priority, with the same indices as the table's priorities; then inner lines.
    pub lines: Vec<line::Line>,
    /// Chains of lines that are taken in one step.
    pub selectors: Vec<selector::Selector>,
    /// Names of the applications that lines call, by index.
    pub applications: Vec<Text>,
    /// Options.
    pub options: Options,
    /// Whether a lookup depends on the time.
    pub timed: bool,
    /// Names of the source files.
    pub sources: SourceMap,
}

impl Program {
    /// The line of a priority that an inner line is part of; any other line is its own.
    pub fn whole_line(&self, line: u32) -> u32 {
        if (line as usize) < self.table.priorities.len() {
            return line;
        }
        self.lines
            .get(line as usize)
            .map_or(line, |inner| inner.next)
    }
}
