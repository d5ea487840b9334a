//! A program with the functions behind its names: what calls run on. Immutable.

use std::fmt;
use std::sync::Arc;

use crate::base::Text;
use crate::base::symbol::StableMap;
use crate::machine::{Answer, Cx, Flow};
use crate::program::matcher::{Found, NotFound, Want};
use crate::program::{ContextId, Hint, Program};

/// What runs when a priority calls an application. The data is already substituted.
#[derive(Clone)]
pub enum ApplicationBody {
    /// One of ours.
    Static(fn(&mut Cx<'_>, &[u8]) -> Flow),
    /// One of the embedding service.
    Shared(Arc<dyn Fn(&mut Cx<'_>, &[u8]) -> Flow + Send + Sync>),
}

/// Reads a function: arguments as written between the parentheses, substituted; the value is appended.
#[derive(Clone)]
pub enum ReadBody {
    /// One of ours.
    Static(fn(&mut Cx<'_>, &[u8], &mut Vec<u8>) -> Answer),
    /// One of the embedding service.
    Shared(Arc<dyn Fn(&mut Cx<'_>, &[u8], &mut Vec<u8>) -> Answer + Send + Sync>),
}

/// Writes a function: arguments and value.
#[derive(Clone)]
pub enum WriteBody {
    /// One of ours.
    Static(fn(&mut Cx<'_>, &[u8], &[u8]) -> Flow),
    /// One of the embedding service.
    Shared(Arc<dyn Fn(&mut Cx<'_>, &[u8], &[u8]) -> Flow + Send + Sync>),
}

impl ApplicationBody {
    /// Runs it.
    #[inline]
    pub fn run(&self, cx: &mut Cx<'_>, data: &[u8]) -> Flow {
        match self {
            ApplicationBody::Static(run) => run(cx, data),
            ApplicationBody::Shared(run) => run(cx, data),
        }
    }
}

impl ReadBody {
    /// Reads it.
    #[inline]
    pub fn read(&self, cx: &mut Cx<'_>, arguments: &[u8], out: &mut Vec<u8>) -> Answer {
        match self {
            ReadBody::Static(read) => read(cx, arguments, out),
            ReadBody::Shared(read) => read(cx, arguments, out),
        }
    }
}

impl WriteBody {
    /// Writes it.
    pub fn write(&self, cx: &mut Cx<'_>, arguments: &[u8], value: &[u8]) -> Flow {
        match self {
            WriteBody::Static(write) => write(cx, arguments, value),
            WriteBody::Shared(write) => write(cx, arguments, value),
        }
    }
}

impl fmt::Debug for ApplicationBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApplicationBody")
    }
}

impl fmt::Debug for ReadBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ReadBody")
    }
}

impl fmt::Debug for WriteBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WriteBody")
    }
}

/// An application as the machine sees it.
#[derive(Debug, Clone)]
pub struct LinkedApplication {
    /// The registered spelling.
    pub name: Text,
    /// What runs.
    pub body: ApplicationBody,
}

/// A function as the machine sees it.
#[derive(Debug, Clone)]
pub struct LinkedFunction {
    /// Reading.
    pub read: Option<ReadBody>,
    /// Writing.
    pub write: Option<WriteBody>,
    /// Whether `NAME(…)` inside `$[ ]` may read it.
    pub in_expressions: bool,
    /// Whether reading it changes nothing and waits for nothing.
    pub pure: bool,
}

/// All names that a dialplan can use, also those it only makes up at run time.
#[derive(Debug)]
pub struct Names {
    /// Applications by lower-case name.
    pub applications: StableMap<Vec<u8>, Arc<LinkedApplication>>,
    /// Functions by name.
    pub functions: StableMap<Vec<u8>, Arc<LinkedFunction>>,
}

impl Names {
    /// An application by name, without regard to case.
    pub fn application(&self, name: &[u8]) -> Option<&Arc<LinkedApplication>> {
        if name.iter().any(u8::is_ascii_uppercase) {
            self.applications.get(&name.to_ascii_lowercase())
        } else {
            self.applications.get(name)
        }
    }

    /// A function by name.
    pub fn function(&self, name: &[u8]) -> Option<&Arc<LinkedFunction>> {
        self.functions.get(name)
    }
}

/// A program linked to applications and functions.
// Aligned so that the counter of references, which calls of all threads change, has a cache line of its own.
#[derive(Debug)]
#[repr(align(128))]
pub struct Image {
    /// The program.
    pub program: Program,
    /// The names it is linked against.
    pub names: Arc<Names>,
    /// Applications of the program's lines, by the program's index; `None` = unknown.
    pub applications: Vec<Option<Arc<LinkedApplication>>>,
    /// Functions of the program's texts, by the program's index; `None` = unknown.
    pub functions: Vec<Option<Arc<LinkedFunction>>>,
    /// Counts the loads of an engine: a call notices by it that the dialplan was replaced.
    pub generation: u64,
}

impl Image {
    /// Binds the names of a program.
    pub fn link(program: Program, names: Arc<Names>, generation: u64) -> Self {
        let applications = program
            .applications
            .iter()
            .map(|name| names.application(name).cloned())
            .collect();
        let functions = program
            .code
            .functions
            .iter()
            .map(|name| names.function(name).cloned())
            .collect();
        Self {
            program,
            names,
            applications,
            functions,
            generation,
        }
    }

    /// Looks an extension up, as every step of a call does.
    pub fn find(
        &self,
        context: &[u8],
        exten: &[u8],
        want: Want,
        caller: Option<&[u8]>,
        now: i64,
    ) -> Result<Found, NotFound> {
        let table = &self.program.table;
        let context = table.context_named(context).ok_or(NotFound::NoContext)?;
        self.program
            .matcher
            .find(table, context, exten, want, caller, now)
    }

    /// The context of a name.
    pub fn context(&self, name: &[u8]) -> Option<ContextId> {
        self.program.table.context_named(name)
    }

    /// The hint for `exten`, if there is one.
    pub fn hint(&self, context: &[u8], exten: &[u8], now: i64) -> Option<&Hint> {
        let found = self.find(context, exten, Want::Hint, None, now).ok()?;
        let extension = self.program.table.extension(found.extension)?;
        extension.hint.as_deref()
    }
}
