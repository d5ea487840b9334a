//! `#include`, `#tryinclude`, `#exec`

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt as _;

use bstr::ByteSlice;

use super::{At, Fatal, File, Parser, shown};
use crate::diagnostic::{Severity, code};
use crate::syntax::lex::config::strip;
use crate::syntax::load::fault::{Log, add, quoted};

/// How deeply files may include each other below the main file.
const DEEPEST: u32 = 11;

/// What became of the files that a directive names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Found {
    Yes,
    /// There is one, and it has been said why it cannot be read.
    Unreadable,
    No,
}

impl Parser<'_> {
    pub(super) fn hash(&mut self, text: &[u8], at: At) -> Result<(), Fatal> {
        let text = text.get(1..).unwrap_or_default();
        let end = text.iter().take_while(|&&b| b > b' ').count();
        let (word, argument) = text.split_at_checked(end).unwrap_or((text, b""));
        let argument = strip(argument);
        let is = |name: &[u8]| word.eq_ignore_ascii_case(name);
        let (exec, required) = (is(b"exec"), is(b"include"));
        if !exec && !required && !is(b"tryinclude") {
            add(
                self.report,
                (Severity::Error, &code::HASH_DIRECTIVE_UNKNOWN),
                Some(at.place),
                Log::Placed,
                format!(
                    "there is no directive {}; the line is skipped",
                    quoted(&[b"#", word].concat())
                ),
                "comments start with `;`",
            );
            return Ok(());
        }
        if exec && !self.options.allow_exec {
            add(
                self.report,
                (Severity::Error, &code::EXEC_NOT_ENABLED),
                Some(at.place),
                Log::Bare,
                format!(
                    "`#exec` is not allowed here; {} is not run",
                    quoted(argument)
                ),
                "put its output into a file and `#include` that",
            );
            return Ok(());
        }
        if argument.is_empty() {
            add(
                self.report,
                (Severity::Error, &code::HASH_DIRECTIVE_WITHOUT_ARGUMENT),
                Some(at.place),
                Log::Placed,
                format!("`#{}` needs an argument", String::from_utf8_lossy(word)),
                "name a file",
            );
            return Ok(());
        }
        let argument = unquote(argument);
        let mark = self.repeated(argument, at);
        let mut missing = None;
        if at.level >= DEEPEST {
            missing = Some("is not read: files include each other too deeply");
            add(
                self.report,
                (Severity::Error, &code::INCLUDE_FILE_TOO_DEEP),
                Some(at.place),
                Log::Bare,
                format!("files include each other more than {} deep", DEEPEST - 1),
                "a file must not include itself",
            );
        } else {
            match self.include(argument, exec, &mark, at) {
                Found::Yes => return Ok(()),
                Found::Unreadable => missing = Some("cannot be read"),
                Found::No => {}
            }
        }
        if !required && !exec {
            return Ok(());
        }
        add(
            self.report,
            (Severity::Error, &code::INCLUDE_FILE_MISSING),
            Some(at.place),
            Log::Bare,
            match (exec, missing) {
                (true, None) => format!("the command {} cannot be run", quoted(argument)),
                (true, Some(_)) => {
                    format!(
                        "the command {} is not run: files include each other too deeply",
                        quoted(argument)
                    )
                }
                (false, None) => format!("the file {} does not exist", quoted(argument)),
                (false, Some(why)) => format!("the file {} {why}", quoted(argument)),
            },
            if missing.is_some() {
                "see the message above"
            } else {
                "use `#tryinclude` where a file may be missing"
            },
        );
        Err(Fatal)
    }

    /// Notes an inclusion; the names of files included again get a mark, as in `dialplan show`.
    fn repeated(&mut self, argument: &[u8], at: At) -> String {
        let Some(&count) = self.included.get(argument) else {
            self.included.insert(argument.to_owned(), 0);
            return String::new();
        };
        self.included.insert(argument.to_owned(), count + 1);
        let mark = format!("~~{}", count + 1);
        add(
            self.report,
            (Severity::Warning, &code::INCLUDE_FILE_REPEATED),
            Some(at.place),
            Log::Bare,
            format!("{} is included again", quoted(argument)),
            "the lines of one file count twice; duplicate priorities are dropped",
        );
        mark
    }

    /// Reads what an argument names.
    fn include(&mut self, argument: &[u8], exec: bool, mark: &str, at: At) -> Found {
        if exec {
            let Ok(output) = self.reader.exec(OsStr::from_bytes(argument)) else {
                return Found::No;
            };
            // A fault inside has been reported, and does not reach this file.
            let mut file = File::new(format!("#exec {}", argument.as_bstr()), output);
            mark.clone_into(&mut file.mark);
            let _ = self.file(file, at.level + 1);
            return Found::Yes;
        }
        let path = self.folder.join(OsStr::from_bytes(argument));
        let pattern = path.as_os_str().as_bytes().find_byteset(b"*?[{");
        let paths = if pattern.is_some() {
            self.reader.glob(&path)
        } else {
            vec![path]
        };
        let mut found = Found::No;
        let mut lines_before = 0_u32;
        for path in paths {
            let bytes = match self.reader.read(&path) {
                Ok(bytes) => bytes,
                Err(error) => {
                    if error.kind() != io::ErrorKind::NotFound {
                        if found == Found::No {
                            found = Found::Unreadable;
                        }
                        add(
                            self.report,
                            (Severity::Error, &code::NOT_READABLE),
                            Some(at.place),
                            Log::Silent,
                            format!("cannot read `{}`: {error}", path.display()),
                            "check its permissions",
                        );
                    }
                    continue;
                }
            };
            found = Found::Yes;
            let lines = bytes.find_iter(b"\n").count() as u32 + 1;
            let mut file = File::new(shown(&path), bytes);
            file.lines_before = lines_before;
            mark.clone_into(&mut file.mark);
            let read = self.file(file, at.level + 1);
            lines_before += lines;
            if read.is_err() {
                // The files that sort after it are not read either.
                break;
            }
        }
        found
    }
}

/// Without `"..."` or `<...>` around it.
fn unquote(text: &[u8]) -> &[u8] {
    for (open, close) in [(b'"', b'"'), (b'<', b'>')] {
        if let [first, inner @ .., last] = text
            && *first == open
            && *last == close
        {
            return inner;
        }
    }
    text
}
