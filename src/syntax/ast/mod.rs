//! The syntax tree of a dialplan as Asterisk registers it: what was refused is not in it.

pub mod expression;
pub mod pattern;

use crate::base::{Place, Text};

/// A dialplan after loading: the state that Asterisk's core would hold.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    /// Options of `[general]`.
    pub general: General,
    /// Globals in the order of their last definition, after substitution.
    pub globals: Vec<(Text, Text)>,
    /// Contexts in the order of first appearance.
    pub contexts: Vec<Context>,
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
    /// Priorities, sorted; a hint comes first.
    pub priorities: Vec<Priority>,
    /// Extension as written on those lines where it is another spelling of `exten` (`12-34` for `1234`).
    pub aliases: Vec<(Number, Text)>,
}

/// One line of an extension.
#[derive(Debug, Clone)]
pub struct Priority {
    /// Its number, or a hint.
    pub number: Number,
    /// Its label.
    pub label: Option<Text>,
    /// Application name as written (a hint's device list).
    pub app: Text,
    /// Application data as written (a hint's name).
    pub data: Text,
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
