//! Function descriptors.

use std::borrow::Cow;

use crate::library::{Example, Origin, Support};
use crate::machine::{Answer, Cx, Flow, ReadBody, WriteBody};

/// A dialplan function.
#[derive(Debug, Clone)]
pub struct Function {
    /// Its name, case-sensitive.
    pub name: Cow<'static, str>,
    /// One line.
    pub synopsis: &'static str,
    /// Its arguments.
    pub syntax: &'static str,
    /// What it gives, in a few sentences.
    pub doc: &'static str,
    /// How far it is supported.
    pub support: Support,
    /// Whose name it is.
    pub origin: Origin,
    /// Examples, which are tests.
    pub examples: &'static [Example],
    /// Reading, if it can be read.
    pub read: Option<ReadBody>,
    /// Writing, if it can be written.
    pub write: Option<WriteBody>,
    /// Whether `NAME(…)` inside `$[ ]` may read it: Asterisk offers only functions with a plain string reader there.
    pub in_expressions: bool,
    /// Whether reading it changes nothing and waits for nothing, so that it may be read twice.
    pub pure: bool,
    /// Whether it answers what Asterisk's REGEX() does, so that a compiler may answer in its place.
    pub matches: bool,
}

impl Function {
    /// A descriptor of a function of Asterisk's that can be read.
    pub const fn read(
        name: &'static str,
        synopsis: &'static str,
        syntax: &'static str,
        doc: &'static str,
        read: fn(&mut Cx<'_>, &[u8], &mut Vec<u8>) -> Answer,
    ) -> Self {
        Self {
            name: Cow::Borrowed(name),
            synopsis,
            syntax,
            doc,
            support: Support::Full,
            origin: Origin::Asterisk,
            examples: &[],
            read: Some(ReadBody::Static(read)),
            write: None,
            in_expressions: true,
            pure: false,
            matches: false,
        }
    }

    /// A descriptor of a function of Asterisk's that can only be written.
    pub const fn write_only(
        name: &'static str,
        synopsis: &'static str,
        syntax: &'static str,
        doc: &'static str,
        write: fn(&mut Cx<'_>, &[u8], &[u8]) -> Flow,
    ) -> Self {
        Self {
            name: Cow::Borrowed(name),
            synopsis,
            syntax,
            doc,
            support: Support::Full,
            origin: Origin::Asterisk,
            examples: &[],
            read: None,
            write: Some(WriteBody::Static(write)),
            in_expressions: true,
            pure: false,
            matches: false,
        }
    }

    /// A descriptor of a function of Asterisk's that can be read and written.
    pub const fn read_write(
        name: &'static str,
        synopsis: &'static str,
        syntax: &'static str,
        doc: &'static str,
        read: fn(&mut Cx<'_>, &[u8], &mut Vec<u8>) -> Answer,
        write: fn(&mut Cx<'_>, &[u8], &[u8]) -> Flow,
    ) -> Self {
        Self {
            name: Cow::Borrowed(name),
            synopsis,
            syntax,
            doc,
            support: Support::Full,
            origin: Origin::Asterisk,
            examples: &[],
            read: Some(ReadBody::Static(read)),
            write: Some(WriteBody::Static(write)),
            in_expressions: true,
            pure: false,
            matches: false,
        }
    }

    /// Not readable as `NAME(…)` inside `$[ ]`.
    #[must_use]
    pub const fn not_in_expressions(mut self) -> Self {
        self.in_expressions = false;
        self
    }

    /// Reading changes nothing, waits for nothing and leaves nothing to chance. Such a function may be read while a
    /// line runs directly; its answer is thrown away and asked for again where the line must run the general way.
    #[must_use]
    pub const fn pure(mut self) -> Self {
        self.pure = true;
        self
    }

    /// Answering what Asterisk's REGEX() does.
    #[must_use]
    pub const fn matches(mut self) -> Self {
        self.matches = true;
        self
    }

    /// With another level of support.
    #[must_use]
    pub const fn support(mut self, support: Support) -> Self {
        self.support = support;
        self
    }

    /// As a name that Asterisk does not have.
    #[must_use]
    pub const fn own(mut self) -> Self {
        self.origin = Origin::Strowger;
        self
    }

    /// With examples.
    #[must_use]
    pub const fn examples(mut self, examples: &'static [Example]) -> Self {
        self.examples = examples;
        self
    }
}
