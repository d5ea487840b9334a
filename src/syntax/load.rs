//! Loading of extensions.conf: files to the [`Plan`] that Asterisk's core would hold.
//!
//! Two passes, because Asterisk has two layers with logs of their own: the configuration layer (`section`) reads
//! all files into sections of `name = value` lines; then the dialplan layer (`build`) reads these.

mod build;
mod categories;
mod context;
mod directive;
mod extension;
mod fault;
mod label;
mod reader;
mod section;
mod settings;
mod times;

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::base::{Place, SourceId};
use crate::diagnostic::{Diagnostic, Entry, Report, Severity, code};
use crate::syntax::ast::{General, Plan};

pub use categories::{Category, Setting, categories};
pub(in crate::syntax) use label::reaches;
pub use reader::MemoryReader;
pub use settings::{Settings, settings};

/// So many bytes one load may read: places in a file are 32-bit numbers.
pub const MOST_BYTES: usize = 1 << 30;

/// Where files come from.
pub trait Reader {
    /// The bytes of a file.
    fn read(&mut self, path: &Path) -> io::Result<Vec<u8>>;

    /// Whether the path is a folder.
    fn is_folder(&mut self, path: &Path) -> bool;

    /// The files that match a shell pattern, sorted; none when nothing matches.
    fn glob(&mut self, pattern: &Path) -> Vec<PathBuf>;

    /// The output of a command, for `#exec`. Called only when [`LoadOptions::allow_exec`] is set.
    fn exec(&mut self, command: &OsStr) -> io::Result<Vec<u8>>;
}

/// What loading needs from the evaluator: Asterisk substitutes some texts while it loads.
pub trait LoadTime {
    /// Tells the options of `[general]`, before anything is substituted or set.
    fn general(&mut self, general: &General);

    /// Sets a global. A name that ends in `)` writes a function, such as `DB(family/key)`; `GLOBAL(x)` and leading
    /// underscores are already resolved.
    fn set_global(&mut self, name: &[u8], value: &[u8], log: &mut Vec<Entry>);

    /// Substitutes a text without a channel: globals, functions and expressions work, channel values are empty.
    fn substitute(&mut self, text: &[u8], log: &mut Vec<Entry>) -> Vec<u8>;

    /// Substitutes the devices of a hint with EXTEN and CONTEXT of the hint.
    fn substitute_hint(
        &mut self,
        context: &[u8],
        exten: &[u8],
        text: &[u8],
        log: &mut Vec<Entry>,
    ) -> Vec<u8>;
}

/// What a load may do.
#[derive(Debug, Clone, Default)]
pub struct LoadOptions {
    /// `#exec` runs commands (`execincludes=yes` of asterisk.conf); default no.
    pub allow_exec: bool,
}

/// Loads the dialplan in `path`: a file, or a folder that holds an `extensions.conf`.
///
/// `previous` are the options of the dialplan in force before, which a reload keeps where the file omits them.
/// No plan means that the file is refused as a whole; the report then says why, and names the other faults too.
pub fn load(
    path: impl AsRef<Path>,
    reader: &mut dyn Reader,
    load_time: &mut dyn LoadTime,
    options: &LoadOptions,
    previous: Option<&General>,
) -> (Option<Plan>, Report) {
    let path = path.as_ref();
    let path = if reader.is_folder(path) {
        path.join("extensions.conf")
    } else {
        path.to_owned()
    };
    let mut report = Report::new();
    let mut config = section::read(&path, reader, options, &mut report);
    let plan = build::build(&mut config, load_time, previous, &mut report);
    let readable = !config.files.is_empty();
    for file in config.files {
        let bytes = Rc::try_unwrap(file.bytes).unwrap_or_else(|shared| (*shared).clone());
        report
            .sources
            .add_included(file.path, bytes, file.lines_before, file.mark);
    }
    if report.is_refused() {
        report.push(Diagnostic {
            code: &code::FILE_REFUSED,
            severity: Severity::Error,
            place: readable.then_some(Place::line(SourceId(0), 1)),
            message: format!("`{}` is refused as a whole", path.display()),
            help: Some("a dialplan loaded before stays in force; mend the first error".into()),
            logged: None,
        });
        return (None, report);
    }
    (Some(plan), report)
}
