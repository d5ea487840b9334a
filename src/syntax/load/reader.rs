//! Files in memory.

use std::collections::BTreeMap;
use std::io;

use super::Reader;

/// Files by path, in memory: standard input, dialplans given inline, tests.
#[derive(Debug, Default, Clone)]
pub struct MemoryReader {
    files: BTreeMap<String, Vec<u8>>,
}

impl MemoryReader {
    /// No files.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file.
    #[must_use]
    pub fn with(mut self, path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        self.files.insert(path.into(), bytes.into());
        self
    }
}

impl Reader for MemoryReader {
    fn read(&mut self, path: &str) -> io::Result<Vec<u8>> {
        self.files
            .get(path)
            .cloned()
            .ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn is_folder(&mut self, path: &str) -> bool {
        let folder = format!("{}/", path.trim_end_matches('/'));
        self.files
            .range(folder.clone()..)
            .next()
            .is_some_and(|(name, _)| name.starts_with(&folder))
    }

    fn glob(&mut self, pattern: &str) -> Vec<String> {
        let Ok(pattern) = glob::Pattern::new(pattern) else {
            return Vec::new();
        };
        let options = glob::MatchOptions {
            case_sensitive: true,
            require_literal_separator: true,
            require_literal_leading_dot: true,
        };
        self.files
            .keys()
            .filter(|path| pattern.matches_with(path, options))
            .cloned()
            .collect()
    }

    fn exec(&mut self, _command: &str) -> io::Result<Vec<u8>> {
        Err(io::ErrorKind::Unsupported.into())
    }
}
