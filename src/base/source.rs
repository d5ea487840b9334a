//! The files of a dialplan and places in them.

use std::borrow::Cow;
use std::fmt;

/// Index of a source file in a [`SourceMap`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceId(pub u32);

/// A place in a source file: line and column count from 1; column 0 means the whole line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Place {
    /// The file.
    pub source: SourceId,
    /// Line, from 1.
    pub line: u32,
    /// Column in bytes, from 1; 0 means the whole line.
    pub column: u32,
}

impl Place {
    /// A place that names a whole line.
    pub fn line(source: SourceId, line: u32) -> Self {
        Self {
            source,
            line,
            column: 0,
        }
    }
}

/// One source file.
#[derive(Debug, Clone)]
pub struct Source {
    /// The path as it was opened, for messages.
    pub path: String,
    /// The bytes of the file.
    pub bytes: Vec<u8>,
    /// What Asterisk adds to the line numbers of this file: it counts on through the files of one glob.
    pub lines_before: u32,
    /// What Asterisk adds to the name of a file that is included again, such as `~~1`.
    pub mark: String,
}

impl Source {
    /// The last component of the path, as Asterisk prints it in `dialplan show`.
    pub fn file_name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    /// The text of a line (from 1) without its end of line.
    pub fn line_text(&self, line: u32) -> Option<&[u8]> {
        let line = self
            .bytes
            .split(|&b| b == b'\n')
            .nth(line.checked_sub(1)? as usize)?;
        Some(line.strip_suffix(b"\r").unwrap_or(line))
    }
}

/// All source files of one load, in the order in which they were opened.
#[derive(Debug, Clone, Default)]
pub struct SourceMap {
    sources: Vec<Source>,
}

impl SourceMap {
    /// An empty map.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file.
    pub fn add(&mut self, path: impl Into<String>, bytes: Vec<u8>) -> SourceId {
        self.add_included(path, bytes, 0, String::new())
    }

    /// Adds a file that Asterisk lists with its lines counted on from those of the file before, or with a mark.
    pub fn add_included(
        &mut self,
        path: impl Into<String>,
        bytes: Vec<u8>,
        lines_before: u32,
        mark: String,
    ) -> SourceId {
        let id = SourceId(self.sources.len() as u32);
        self.sources.push(Source {
            path: path.into(),
            bytes,
            lines_before,
            mark,
        });
        id
    }

    /// File name and line of a place as Asterisk prints them.
    pub fn listed(&self, place: Place) -> (Cow<'_, str>, u32) {
        let Some(source) = self.get(place.source) else {
            return ("?".into(), place.line);
        };
        let name = if source.mark.is_empty() {
            source.file_name().into()
        } else {
            format!("{}{}", source.file_name(), source.mark).into()
        };
        (name, place.line.saturating_add(source.lines_before))
    }

    /// The file of an id.
    pub fn get(&self, id: SourceId) -> Option<&Source> {
        self.sources.get(id.0 as usize)
    }

    /// All files with their ids.
    pub fn iter(&self) -> impl Iterator<Item = (SourceId, &Source)> {
        self.sources
            .iter()
            .enumerate()
            .map(|(i, s)| (SourceId(i as u32), s))
    }

    /// Drops the file texts and keeps the names.
    pub fn forget_texts(&mut self) {
        for source in &mut self.sources {
            source.bytes = Vec::new();
        }
    }

    /// A copy without the file texts: a compiled dialplan needs no more.
    #[must_use]
    pub fn names(&self) -> Self {
        let name = |source: &Source| Source {
            path: source.path.clone(),
            bytes: Vec::new(),
            lines_before: source.lines_before,
            mark: source.mark.clone(),
        };
        Self {
            sources: self.sources.iter().map(name).collect(),
        }
    }

    /// `path:line:column` (or `path:line` for a whole line) for messages.
    pub fn describe(&self, place: Place) -> impl fmt::Display + '_ {
        Described { map: self, place }
    }
}

struct Described<'a> {
    map: &'a SourceMap,
    place: Place,
}

impl fmt::Display for Described<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.map.get(self.place.source).map_or("?", |s| &s.path);
        // Column 1 stands for a whole line: `file:line:column` is the contract of every message.
        write!(f, "{path}:{}:{}", self.place.line, self.place.column.max(1))
    }
}
