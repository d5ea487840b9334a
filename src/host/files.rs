//! Dialplan files of a real file system.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::syntax::load::{MOST_BYTES, Reader};

/// Reads files from disk; runs `#exec` commands with the shell.
#[derive(Debug, Default, Clone, Copy)]
pub struct FileReader;

impl Reader for FileReader {
    fn read(&mut self, path: &Path) -> io::Result<Vec<u8>> {
        let file = regular(path)?;
        let size = file.metadata().map_or(0, |found| found.len());
        read_sized(file, size.min(MOST_BYTES as u64) as usize + 1)
    }

    fn is_folder(&mut self, path: &Path) -> bool {
        path.is_dir()
    }

    fn glob(&mut self, pattern: &Path) -> Vec<PathBuf> {
        let mut paths = Vec::new();
        // Two stars are one for a shell, and a whole tree for the glob crate.
        let mut pattern = chars(pattern.as_os_str().as_bytes());
        while pattern.contains("**") {
            pattern = pattern.replace("**", "*");
        }
        for pattern in alternatives(&pattern) {
            let mut found = walk(&pattern);
            found.sort_by(|a, b| a.as_os_str().cmp(b.as_os_str()));
            paths.append(&mut found);
        }
        paths
    }

    fn exec(&mut self, command: &OsStr) -> io::Result<Vec<u8>> {
        Ok(Command::new("/bin/sh")
            .arg("-c")
            .arg(command)
            .output()?
            .stdout)
    }
}

/// Opens a regular file to read it. Asked before opening: the opening of a pipe waits for a writer, and a device may
/// never end.
pub(super) fn regular(path: &Path) -> io::Result<File> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(irregular());
    }
    File::open(path)
}

/// Why a pipe, device or folder is neither read nor written.
pub(super) fn irregular() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file")
}

/// All that a source holds, which must not be more than a load may read.
#[cfg(feature = "cli")]
pub(crate) fn read_whole(source: impl io::Read) -> io::Result<Vec<u8>> {
    read_sized(source, 0)
}

/// The same; `expected` is how many bytes there may be.
fn read_sized(source: impl io::Read, expected: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(expected);
    source.take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > MOST_BYTES {
        let message = format!("it has more than {MOST_BYTES} bytes");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    Ok(bytes)
}

/// Each byte as the char of its number: names need not be UTF-8, and patterns are of chars.
fn chars(bytes: &[u8]) -> String {
    bytes.iter().map(|&byte| char::from(byte)).collect()
}

/// The paths that match a pattern, which is written in chars of bytes.
fn walk(pattern: &str) -> Vec<PathBuf> {
    let options = glob::MatchOptions {
        case_sensitive: true,
        require_literal_separator: true,
        require_literal_leading_dot: true,
    };
    let root = if pattern.starts_with('/') { "/" } else { "" };
    let mut found = vec![PathBuf::from(root)];
    for part in pattern.split('/').filter(|part| !part.is_empty()) {
        let Ok(wild) = glob::Pattern::new(part) else {
            return Vec::new();
        };
        let mut next = Vec::new();
        for folder in found {
            if !part.contains(['*', '?', '[']) {
                let name: Vec<u8> = part.chars().map(|c| c as u8).collect();
                next.push(folder.join(OsStr::from_bytes(&name)));
                continue;
            }
            let Ok(entries) = std::fs::read_dir(Path::new(".").join(&folder)) else {
                continue;
            };
            for name in entries.flatten().map(|entry| entry.file_name()) {
                if wild.matches_with(&chars(name.as_bytes()), options) {
                    next.push(folder.join(name));
                }
            }
        }
        found = next;
    }
    found.retain(|path| path.symlink_metadata().is_ok());
    found
}

/// How many patterns one pair after another of braces may give.
const MOST_ALTERNATIVES: usize = 1024;

/// `a{b,c}d` as the patterns `abd` and `acd`: the glob of the C library knows braces.
fn alternatives(pattern: &str) -> Vec<String> {
    let mut done = Vec::new();
    let mut open = vec![pattern.to_owned()];
    while let Some(pattern) = open.pop() {
        let braces = pattern
            .find('{')
            .and_then(|start| Some((start, start + pattern.get(start..)?.find('}')?)));
        let parts = braces.and_then(|(start, end)| {
            Some((
                pattern.get(..start)?,
                pattern.get(start + 1..end)?,
                pattern.get(end + 1..)?,
            ))
        });
        match parts {
            Some((before, choices, after)) if open.len() + done.len() < MOST_ALTERNATIVES => {
                // Last first, because the list of open ones is a stack.
                for choice in choices.rsplit(',') {
                    open.push(format!("{before}{choice}{after}"));
                }
            }
            _ => done.push(pattern),
        }
    }
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces() {
        assert_eq!(
            alternatives("a{b,c}d{1,2}"),
            ["abd1", "abd2", "acd1", "acd2"]
        );
        assert_eq!(alternatives("a{b"), ["a{b"]);
    }
}
