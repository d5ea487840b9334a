//! Files in memory.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use super::Reader;

/// Files by path, in memory: standard input, dialplans given inline, tests.
#[derive(Debug, Default, Clone)]
pub struct MemoryReader {
    files: BTreeMap<PathBuf, Vec<u8>>,
}

impl MemoryReader {
    /// No files.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file.
    #[must_use]
    pub fn with(mut self, path: impl Into<PathBuf>, bytes: impl Into<Vec<u8>>) -> Self {
        self.files.insert(path.into(), bytes.into());
        self
    }
}

impl Reader for MemoryReader {
    fn read(&mut self, path: &Path) -> io::Result<Vec<u8>> {
        self.files
            .get(path)
            .cloned()
            .ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn is_folder(&mut self, path: &Path) -> bool {
        self.files
            .keys()
            .any(|name| name != path && name.starts_with(path))
    }

    fn glob(&mut self, pattern: &Path) -> Vec<PathBuf> {
        let Some(Ok(pattern)) = pattern.to_str().map(glob::Pattern::new) else {
            return Vec::new();
        };
        let options = glob::MatchOptions {
            case_sensitive: true,
            require_literal_separator: true,
            require_literal_leading_dot: true,
        };
        let mut found: Vec<PathBuf> = self
            .files
            .keys()
            .filter(|path| pattern.matches_path_with(path, options))
            .cloned()
            .collect();
        found.sort_by(|a, b| a.as_os_str().cmp(b.as_os_str()));
        found
    }

    fn exec(&mut self, _command: &OsStr) -> io::Result<Vec<u8>> {
        Err(io::ErrorKind::Unsupported.into())
    }
}
