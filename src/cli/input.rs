//! Where the input of commands comes from: files, folders, standard input.

use std::cell::RefCell;
use std::ffi::OsStr;
use std::io::{self, BufRead as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use bstr::ByteSlice as _;

use crate::diagnostic::Report;
use crate::host::Engine;
use crate::host::{FileReader, read_whole};
use crate::syntax::ast::Plan;
use crate::syntax::load::Reader;

/// The name that stands for standard input.
pub(crate) const STANDARD_INPUT: &str = "-";

/// Reads from disk, and the file `-` from standard input, which is read once.
#[derive(Debug, Default)]
pub(crate) struct Input {
    standard: RefCell<Option<Vec<u8>>>,
}

impl Input {
    fn standard(&self) -> io::Result<Vec<u8>> {
        if let Some(bytes) = &*self.standard.borrow() {
            return Ok(bytes.clone());
        }
        let bytes = read_whole(io::stdin().lock())?;
        *self.standard.borrow_mut() = Some(bytes.clone());
        Ok(bytes)
    }
}

impl Reader for Input {
    fn read(&mut self, path: &Path) -> io::Result<Vec<u8>> {
        if path == Path::new(STANDARD_INPUT) {
            return self.standard();
        }
        FileReader.read(path)
    }

    fn is_folder(&mut self, path: &Path) -> bool {
        path != Path::new(STANDARD_INPUT) && FileReader.is_folder(path)
    }

    fn glob(&mut self, pattern: &Path) -> Vec<PathBuf> {
        FileReader.glob(pattern)
    }

    fn exec(&mut self, command: &OsStr) -> io::Result<Vec<u8>> {
        FileReader.exec(command)
    }
}

/// Reads the dialplan FILE on an engine, without taking it into force.
pub(crate) fn plan(engine: &Engine, file: impl AsRef<Path>) -> (Option<Plan>, Report) {
    engine.read_plan(file, &mut Input::default())
}

/// The lines of standard input without their ends; a last line without end counts.
pub(crate) fn lines() -> impl Iterator<Item = io::Result<Vec<u8>>> {
    let mut input = io::BufReader::new(io::stdin());
    std::iter::from_fn(move || {
        let mut line = Vec::new();
        match input.read_until(b'\n', &mut line) {
            Ok(0) => None,
            Ok(_) => {
                if line.ends_with(b"\n") {
                    line.pop();
                }
                if line.ends_with(b"\r") {
                    line.pop();
                }
                Some(Ok(line))
            }
            Err(error) => Some(Err(error)),
        }
    })
}

/// Splits `EXTEN@CONTEXT` at its last `@`: an extension may hold one, a context's name hardly does.
pub(crate) fn extension(text: &str) -> Option<(&str, &str)> {
    text.rsplit_once('@')
}

/// Splits `NAME=VALUE` into its bytes.
pub(crate) fn pair(text: &OsStr) -> Option<(Vec<u8>, Vec<u8>)> {
    let (name, value) = text.as_bytes().split_once_str(b"=")?;
    Some((name.to_vec(), value.to_vec()))
}

/// A time that somebody wrote: seconds since 1970, or `YYYY-MM-DD[THH:MM[:SS]]` in the local zone, or with `Z`
/// or an offset.
pub(crate) fn time(text: &str) -> Option<i64> {
    if let Ok(seconds) = text.parse::<i64>() {
        return Some(seconds);
    }
    if let Ok(at) = text.parse::<jiff::Timestamp>() {
        return Some(at.as_second());
    }
    let local: jiff::civil::DateTime = text.parse().ok()?;
    let zone = jiff::tz::TimeZone::system();
    Some(zone.to_timestamp(local).ok()?.as_second())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read() {
        assert_eq!(time("86400"), Some(86400));
        assert_eq!(time("1970-01-02T00:00:00Z"), Some(86400));
        assert_eq!(time("1970-01-02T01:00+01:00"), Some(86400));
        assert!(time("2026-12-24T18:00").is_some());
        assert_eq!(time("tomorrow"), None);
    }

    #[test]
    fn extensions_split_at_the_last_at() {
        assert_eq!(extension("81@phones"), Some(("81", "phones")));
        assert_eq!(extension("a@b@c"), Some(("a@b", "c")));
        assert_eq!(extension("phones"), None);
    }
}
