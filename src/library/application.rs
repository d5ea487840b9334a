//! Application descriptors.

use std::borrow::Cow;

use crate::base::Value;
use crate::library::{Example, Origin, Support};
use crate::machine::{ApplicationBody, Cx, Flow};
use crate::program::instruction::{CodeId, Condition, Constant, Direct};
use crate::program::slots::Slot;

/// Gives a line a direct operation at compile time; `None` = the general way.
pub type CompileLine = fn(&mut dyn LineBuilder, &[u8]) -> Option<Direct>;

/// Where a line stands, for a compile hook.
#[derive(Debug, Clone, Copy)]
pub struct LineContext {
    /// Index of the line.
    pub line: u32,
    /// Index of the line that follows in the same extension, if the next number is there.
    pub next: Option<u32>,
}

/// What a compile hook may ask of the compiler.
pub trait LineBuilder {
    /// Where the line stands.
    fn context(&self) -> LineContext;
    /// The slot of a plain variable name; `None` where the name is not static or belongs to the core.
    fn slot(&mut self, name: &[u8]) -> Option<Slot>;
    /// Compiles a text whose result is wanted as a value.
    fn value(&mut self, text: &[u8]) -> Option<CodeId>;
    /// Whether a text holds no substitution.
    fn is_fixed(&self, text: &[u8]) -> bool;
    /// Whether a compiled text is straight: it can be evaluated at once, and evaluating it once more would do no harm.
    fn is_straight(&self, code: CodeId) -> bool;
    /// The value of a text without substitutions, or of a constant expression.
    fn constant(&mut self, text: &[u8]) -> Option<Value>;
    /// Keeps a constant text.
    fn keep(&mut self, text: &[u8]) -> Constant;
    /// `$[${slot}+constant]` as slot and constant.
    fn add_constant(&mut self, text: &[u8]) -> Option<(Slot, i32)>;
    /// The condition that an expression is: a comparison where it is one, else the truth of the text.
    fn condition(&mut self, text: &[u8]) -> Option<Condition>;
    /// A priority number or label of the same extension, without substitutions, as a line index.
    fn local_target(&mut self, text: &[u8]) -> Option<u32>;
    /// Whether nothing can be seen of substituting this text: no function, no expression, no log entry.
    fn is_quiet(&mut self, text: &[u8]) -> bool;
    /// Another application with data that holds no substitution, run as a part of this line: an index for the ways
    /// of a branch. `None` where there is no such application.
    fn inner(&mut self, application: &[u8], data: &[u8]) -> Option<u32>;
    /// The line itself, run the general way: an index for the ways of a branch.
    fn whole(&mut self) -> Option<u32>;
}

/// What the data of a line names, besides what its substitutions call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Named {
    /// An application that the line may run.
    Application {
        /// Its name.
        name: Vec<u8>,
        /// Its data.
        data: Vec<u8>,
    },
    /// A function that the line writes: its name, with arguments in parentheses.
    Written(Vec<u8>),
}

/// Finds what the data of a line names. In the data each substitution is one `$`.
pub type ListNames = fn(&[u8]) -> Vec<Named>;

/// A dialplan application.
#[derive(Debug, Clone)]
pub struct Application {
    /// Its name, as `Executing` lines show it; looked up without regard to case.
    pub name: Cow<'static, str>,
    /// One line.
    pub synopsis: &'static str,
    /// Its arguments.
    pub syntax: &'static str,
    /// What it does, in a few sentences.
    pub doc: &'static str,
    /// How far it is supported.
    pub support: Support,
    /// Whose name it is.
    pub origin: Origin,
    /// Examples, which are tests.
    pub examples: &'static [Example],
    /// What runs.
    pub body: ApplicationBody,
    /// Its direct operation, if it has one.
    pub compile: Option<CompileLine>,
    /// What else its lines name, for applications that run others or write functions.
    pub names: Option<ListNames>,
}

impl Application {
    /// A descriptor of an application of Asterisk's, fully supported, without direct operation or examples.
    pub const fn new(
        name: &'static str,
        synopsis: &'static str,
        syntax: &'static str,
        doc: &'static str,
        run: fn(&mut Cx<'_>, &[u8]) -> Flow,
    ) -> Self {
        Self {
            name: Cow::Borrowed(name),
            synopsis,
            syntax,
            doc,
            support: Support::Full,
            origin: Origin::Asterisk,
            examples: &[],
            body: ApplicationBody::Static(run),
            compile: None,
            names: None,
        }
    }

    /// With another level of support.
    #[must_use]
    pub const fn support(mut self, support: Support) -> Self {
        self.support = support;
        self
    }

    /// With a direct operation.
    #[must_use]
    pub const fn compile(mut self, compile: CompileLine) -> Self {
        self.compile = Some(compile);
        self
    }

    /// As a name that Asterisk does not have.
    #[must_use]
    pub const fn own(mut self) -> Self {
        self.origin = Origin::Strowger;
        self
    }

    /// As an application whose data names others.
    #[must_use]
    pub const fn names(mut self, names: ListNames) -> Self {
        self.names = Some(names);
        self
    }

    /// With examples.
    #[must_use]
    pub const fn examples(mut self, examples: &'static [Example]) -> Self {
        self.examples = examples;
        self
    }
}
