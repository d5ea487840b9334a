//! The syntax tree of a dialplan as Asterisk registers it: what was refused is not in it.

pub mod expression;
pub mod pattern;

use std::ops::Range;
use std::sync::Arc;

use crate::base::{Interner, Place, Symbol, Text};

/// A dialplan after loading: the state that Asterisk's core would hold.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    /// Options of `[general]`.
    pub general: General,
    /// Globals in the order of their last definition, after substitution.
    pub globals: Vec<(Text, Text)>,
    /// Contexts in the order of first appearance.
    pub contexts: Vec<Context>,
    /// The lines of all extensions; [`Plan::lines`] gives those of one. Some entries may belong to none.
    pub priorities: Vec<Priority>,
    /// The texts of lines: equal ones are one symbol.
    pub texts: Arc<Interner>,
}

impl Plan {
    /// The lines of an extension, sorted; a hint comes first.
    pub fn lines(&self, extension: &Extension) -> &[Priority] {
        let range = extension.priorities.start as usize..extension.priorities.end as usize;
        self.priorities.get(range).unwrap_or_default()
    }

    /// A text of a line.
    pub fn text(&self, symbol: Symbol) -> &[u8] {
        self.texts.resolve(symbol)
    }

    /// Adds the lines of an extension, which must be sorted; what it gives is [`Extension::priorities`].
    pub fn add_lines(&mut self, lines: impl IntoIterator<Item = Priority>) -> Range<u32> {
        let start = self.priorities.len() as u32;
        self.priorities.extend(lines);
        start..self.priorities.len() as u32
    }

    /// The symbol of a text, new if need be.
    pub fn intern(&mut self, text: &[u8]) -> Symbol {
        Arc::make_mut(&mut self.texts).intern(text)
    }
}

/// Options of `[general]`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "options of a file, independent of each other"
)]
pub struct General {
    /// `autofallthrough`, default yes.
    pub autofallthrough: bool,
    /// `extenpatternmatchnew`: accepted, has no effect here.
    pub extenpatternmatchnew: bool,
    /// `clearglobalvars`: a reload deletes all globals first.
    pub clearglobalvars: bool,
    /// `overrideswitch`: a `Switch/data` consulted before every context lookup.
    pub overrideswitch: Option<Text>,
    /// `anglesubstitution`: `$<name>` is another spelling of `${name}`. Ours; default no.
    pub anglesubstitution: bool,
}

impl Default for General {
    /// Asterisk's own defaults.
    fn default() -> Self {
        Self {
            autofallthrough: true,
            extenpatternmatchnew: false,
            clearglobalvars: false,
            overrideswitch: None,
            anglesubstitution: false,
        }
    }
}

/// A context.
#[derive(Debug, Clone)]
pub struct Context {
    /// Its name, case-sensitive.
    pub name: Text,
    /// Where it was first opened.
    pub place: Place,
    /// Its extensions in the order in which Asterisk tries them (non-patterns, then patterns by specificity;
    /// caller-id variants before the plain one).
    pub extensions: Vec<Extension>,
    /// Includes in file order.
    pub includes: Vec<Include>,
    /// Switches in file order.
    pub switches: Vec<Switch>,
    /// Patterns after which a channel driver keeps the dial tone.
    pub ignorepats: Vec<Text>,
}

/// An extension: literal or pattern (first character `_`), perhaps only for some callers.
#[derive(Debug, Clone)]
pub struct Extension {
    /// As listed: blanks removed, dashes kept.
    pub exten: Text,
    /// Caller-id pattern; `None` = any caller, empty = only callers without a number.
    pub cid: Option<Text>,
    /// Its lines in [`Plan::priorities`].
    pub priorities: Range<u32>,
    /// Extension as written on those lines where it is another spelling of `exten` (`12-34` for `1234`).
    pub aliases: Vec<(Number, Text)>,
}

/// One line of an extension. Its texts are symbols of [`Plan::texts`].
#[derive(Debug, Clone, Copy)]
pub struct Priority {
    /// Its number, or a hint.
    pub number: Number,
    /// Its label.
    pub label: Option<Symbol>,
    /// Application name as written (a hint's device list).
    pub app: Symbol,
    /// Application data as written (a hint's name).
    pub data: Symbol,
    /// Where the line stands.
    pub place: Place,
}

/// The number of a priority.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Number {
    /// `hint`: not executable. Sorts before all numbers.
    Hint,
    /// From 1.
    At(u32),
}

/// `include => context[,times...]`
#[derive(Debug, Clone)]
pub struct Include {
    /// The full text after substitution, as `dialplan show` prints it.
    pub text: Text,
    /// The context included.
    pub context: Text,
    /// Times, weekdays, days, months and zone as written after the first comma (or `|`); `None` = always.
    pub times: Option<Text>,
    /// Where the line stands.
    pub place: Place,
}

/// `switch => name/data`, `lswitch`, `eswitch`.
#[derive(Debug, Clone)]
pub struct Switch {
    /// Name of the switch, such as `Loopback`.
    pub name: Text,
    /// Its data.
    pub data: Text,
    /// Whether the data is substituted on the channel at each lookup (`eswitch`).
    pub eval: bool,
    /// Where the line stands.
    pub place: Place,
}
