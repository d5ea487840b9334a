//! The configuration layer: files to sections of `name = value` lines.

mod hash;
mod header;

use std::path::{Path, PathBuf};
use std::rc::Rc;

use bstr::ByteSlice;

use super::fault::{Log, add, quoted};
use super::{LoadOptions, MOST_BYTES, Reader};
use crate::base::symbol::{StableMap, stable_map};
use crate::base::{Place, SourceId, Text};
use crate::diagnostic::{Report, Severity, code};
use crate::syntax::lex::config::{Content, Lines, strip, strip_front};

/// A file that was read.
#[derive(Debug)]
pub(super) struct File {
    pub(super) path: String,
    pub(super) bytes: Rc<Vec<u8>>,
    /// Lines of the files before it in the same glob.
    pub(super) lines_before: u32,
    /// What its name gets when it is included again.
    pub(super) mark: String,
}

impl File {
    fn new(path: String, bytes: Vec<u8>) -> Self {
        Self {
            path,
            bytes: Rc::new(bytes),
            lines_before: 0,
            mark: String::new(),
        }
    }
}

/// All files and the sections found in them, in order.
#[derive(Debug, Default)]
pub(super) struct Config {
    pub(super) files: Vec<File>,
    pub(super) sections: Vec<Section>,
    /// Lines that do not stand in a file as they are: with comments or escapes in them, or added to by `+=`.
    own: Vec<Own>,
}

/// Name and value of a line that is no part of a file.
#[derive(Debug)]
struct Own {
    name: Vec<u8>,
    value: Vec<u8>,
}

/// `[name](options)` and its lines.
#[derive(Debug)]
pub(super) struct Section {
    pub(super) name: Text,
    pub(super) template: bool,
    pub(super) place: Place,
    pub(super) lines: Vec<Line>,
    /// The last line of each name, and whether its texts are those of no other line; made when the first `+=`
    /// asks for it.
    last: Option<StableMap<Text, (usize, bool)>>,
}

/// `name = value`. A dialplan has many: physical lines of at most 8190 bytes have 16-bit lengths.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line {
    /// Where the name starts in its file, or an index into [`Config::own`].
    at: u32,
    number: u32,
    source: u16,
    column: u16,
    name: u16,
    /// From the start of the name to that of the value; [`OWN`] for a line that is no part of a file.
    skip: u16,
    value: u16,
}

/// See [`Line::skip`].
const OWN: u16 = u16::MAX;

impl Line {
    /// The line; the column is that of its first character.
    pub(super) fn place(&self) -> Place {
        Place {
            source: SourceId(u32::from(self.source)),
            line: self.number,
            column: u32::from(self.column),
        }
    }
}

impl Config {
    fn part(&self, line: &Line, skip: u16, len: u16) -> &[u8] {
        let start = line.at as usize + usize::from(skip);
        self.files
            .get(usize::from(line.source))
            .and_then(|file| file.bytes.get(start..start + usize::from(len)))
            .unwrap_or_default()
    }

    fn own(&self, line: &Line) -> Option<&Own> {
        self.own.get(line.at as usize)
    }

    /// The name of a line.
    pub(super) fn name(&self, line: &Line) -> &[u8] {
        if line.skip == OWN {
            return self.own(line).map_or(&[], |own| &own.name);
        }
        self.part(line, 0, line.name)
    }

    /// The value of a line.
    pub(super) fn value(&self, line: &Line) -> &[u8] {
        if line.skip == OWN {
            return self.own(line).map_or(&[], |own| &own.value);
        }
        self.part(line, line.skip, line.value)
    }

    /// The place of the byte `offset` of a line's value.
    pub(super) fn place_in(&self, line: &Line, offset: usize) -> Place {
        let mut place = line.place();
        if line.skip != OWN
            && let Some(file) = self.files.get(usize::from(line.source))
        {
            let start = line.at as usize + usize::from(line.skip);
            let before = file.bytes.get(..start).unwrap_or_default();
            let column = before.len() - before.rfind_byte(b'\n').map_or(0, |at| at + 1);
            place.column = (column + offset) as u32 + 1;
        }
        place
    }

    /// `name += value`: adds to the last line of this name, if there is one.
    fn append(&mut self, section: usize, name: &[u8], value: &[u8]) -> bool {
        let Some(mut last) = self.sections.get_mut(section).map(|s| s.last.take()) else {
            return false;
        };
        let lines = self
            .sections
            .get(section)
            .map_or(&[][..], |section| &section.lines);
        let names = last.get_or_insert_with(|| {
            let mut last = stable_map();
            for (n, line) in lines.iter().enumerate() {
                last.insert(Text::from(self.name(line)), (n, false));
            }
            last
        });
        let found = names
            .get_mut(name)
            .and_then(|(n, alone)| Some((*lines.get(*n)?, *n, std::mem::replace(alone, true))));
        if let Some(section) = self.sections.get_mut(section) {
            section.last = last;
        }
        let Some((line, n, alone)) = found else {
            return false;
        };
        if alone && let Some(own) = self.own.get_mut(line.at as usize) {
            own.value.extend_from_slice(value);
            return true;
        }
        let own = Own {
            name: self.name(&line).to_vec(),
            value: [self.value(&line), value].concat(),
        };
        let at = self.own.len() as u32;
        self.own.push(own);
        if let Some(line) = self
            .sections
            .get_mut(section)
            .and_then(|section| section.lines.get_mut(n))
        {
            line.at = at;
            line.skip = OWN;
        }
        true
    }
}

/// So many files one load may open, counting each inclusion.
const MOST_FILES: usize = 10_000;

/// A fault that ends the file in which it stands: the whole load when it is the main file.
struct Fatal;

/// Reads `path` and all that it includes.
pub(super) fn read(
    path: &Path,
    reader: &mut dyn Reader,
    options: &LoadOptions,
    report: &mut Report,
) -> Config {
    let mut parser = Parser {
        reader,
        options,
        report,
        config: Config::default(),
        current: None,
        by_name: stable_map(),
        folder: path.parent().unwrap_or(Path::new("")).to_owned(),
        included: stable_map(),
        copied: 0,
        read: 0,
    };
    match parser.reader.read(path) {
        Ok(bytes) => {
            let _ = parser.file(File::new(shown(path), bytes), 1);
        }
        Err(error) => {
            add(
                parser.report,
                (Severity::Error, &code::NOT_READABLE),
                None,
                Log::Silent,
                format!("cannot read `{}`: {error}", path.display()),
                "name an extensions.conf or a folder that holds one",
            );
            parser.report.refuse();
        }
    }
    parser.config
}

/// Whether carriage returns stand where line feeds are needed.
fn has_cr_line_ends(file: &[u8]) -> bool {
    let text = strip(file);
    text.contains(&b'\r') && !text.contains(&b'\n')
}

/// A path in messages and listings.
fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

struct Parser<'a> {
    reader: &'a mut dyn Reader,
    options: &'a LoadOptions,
    report: &'a mut Report,
    config: Config,
    /// The section that takes the next line, in whatever file it was opened.
    current: Option<usize>,
    /// Sections by name in lower case: bases are found without regard to case.
    by_name: StableMap<Vec<u8>, Vec<usize>>,
    /// Folder of the main file; empty for the current one.
    folder: PathBuf,
    /// How often each `#include` argument was met before.
    included: StableMap<Vec<u8>, u32>,
    /// How many lines inheritance has copied.
    copied: usize,
    /// How many bytes were read.
    read: usize,
}

/// Where the parser is.
#[derive(Clone, Copy)]
struct At {
    place: Place,
    /// 1 for the main file.
    level: u32,
}

impl Parser<'_> {
    /// Parses one file. An error means that its rest was not read.
    fn file(&mut self, file: File, level: u32) -> Result<(), Fatal> {
        let source = SourceId(self.config.files.len() as u32);
        self.read += file.bytes.len();
        if self.config.files.len() >= MOST_FILES || self.read > MOST_BYTES {
            add(
                self.report,
                (Severity::Error, &code::CONFIG_PARSE_ERROR),
                None,
                Log::Silent,
                format!("more than {MOST_FILES} files or {MOST_BYTES} bytes are included"),
                "files that include each other multiply with every level",
            );
            self.report.refuse();
            return Err(Fatal);
        }
        let bytes = Rc::clone(&file.bytes);
        self.config.files.push(file);
        let mut lines = Lines::new(&bytes);
        let mut failed = false;
        for line in lines.by_ref() {
            let place = Place::line(source, line.number);
            match line.content {
                Content::Text { text, column } => {
                    let at = At {
                        place: Place { column, ..place },
                        level,
                    };
                    if self.line(&text, &bytes, at).is_err() {
                        if level == 1 {
                            self.report.refuse();
                            continue;
                        }
                        // Asterisk leaves an included file here without a word.
                        failed = true;
                        break;
                    }
                }
                Content::TooLong(text) => add(
                    self.report,
                    (Severity::Error, &code::LINE_TOO_LONG),
                    Some(place),
                    Log::Placed,
                    format!("the line has {} bytes and is dropped", text.len()),
                    "a line holds at most 8190 bytes; there are no continuation lines",
                ),
                Content::Lost => add(
                    self.report,
                    (Severity::Error, &code::LINE_AFTER_STRAY_COMMENT_END),
                    Some(place),
                    Log::Silent,
                    "the line is lost, because a `--;` that closes nothing stands above".into(),
                    "write `--\\;` where the characters are meant",
                ),
                Content::CommentTooDeep => add(
                    self.report,
                    (Severity::Error, &code::COMMENT_TOO_DEEP),
                    Some(place),
                    Log::Silent,
                    "block comments nest more than 128 deep".into(),
                    "close some with `--;`",
                ),
            }
        }
        for &(number, column) in lines.cuts() {
            let place = Place {
                column,
                ..Place::line(source, number)
            };
            add(
                self.report,
                (Severity::Warning, &code::TEXT_AFTER_NUL),
                Some(place),
                Log::Silent,
                "a NUL byte ends the line; the text after it is lost".into(),
                "remove the byte; is the file UTF-16?",
            );
        }
        if has_cr_line_ends(&bytes) {
            add(
                self.report,
                (Severity::Warning, &code::LINE_ENDS_CR),
                Some(Place::line(source, 1)),
                Log::Silent,
                "the line ends are CR only, so that the whole file is one line".into(),
                "write LF or CR LF at line ends",
            );
        }
        if failed {
            if let Some(next) = lines.next() {
                add(
                    self.report,
                    (Severity::Error, &code::REST_OF_FILE_DROPPED),
                    Some(Place::line(source, next.number)),
                    Log::Silent,
                    "this line and all below it in this file are dropped, because of the fault above"
                        .into(),
                    "mend the fault; in the main file it would refuse the whole dialplan",
                );
            }
            return Err(Fatal);
        }
        if let Some(opened) = lines.unbalanced() {
            let (message, help) = if lines.is_lost() {
                (
                    "`--;` closes no block comment; every line below it is lost",
                    "write `--\\;` where the characters are meant",
                )
            } else {
                (
                    "the block comment that opens here is not closed; every line below it is lost",
                    "close it with `--;`, or write `\\;--` where the characters are meant",
                )
            };
            add(
                self.report,
                (Severity::Error, &code::BLOCK_COMMENT_NOT_CLOSED),
                Some(Place::line(source, opened)),
                Log::Bare,
                message.into(),
                help,
            );
        }
        Ok(())
    }

    fn line(&mut self, text: &[u8], file: &[u8], at: At) -> Result<(), Fatal> {
        match text.first() {
            Some(b'[') => self.header(text, at),
            Some(b'#') => self.hash(text, at),
            _ => self.variable(text, file, at),
        }
    }

    fn variable(&mut self, text: &[u8], file: &[u8], at: At) -> Result<(), Fatal> {
        let Some(current) = self.current else {
            add(
                self.report,
                (Severity::Error, &code::LINE_BEFORE_FIRST_CONTEXT),
                Some(at.place),
                Log::Placed,
                format!("{} stands before any context", quoted(text)),
                "put it below a `[context]` line",
            );
            return Err(Fatal);
        };
        // A backslash makes the first character an ordinary one.
        let bytes = text.strip_prefix(b"\\").unwrap_or(text);
        let Some(equals) = bytes.iter().position(|&byte| byte == b'=') else {
            add(
                self.report,
                (Severity::Error, &code::NO_EQUALS_SIGN),
                Some(at.place),
                Log::Placed,
                format!("{} has no `=` and is skipped", quoted(bytes)),
                "write `name => value`",
            );
            return Ok(());
        };
        let mut name = bytes.get(..equals).unwrap_or_default();
        let value = bytes.get(equals + 1..).unwrap_or_default();
        let value = value.strip_prefix(b">").unwrap_or(value);
        let append = name.last() == Some(&b'+');
        if append {
            name = name.split_last().map_or(name, |(_, rest)| rest);
        }
        let name = strip(name);
        if append && self.config.append(current, name, value) {
            return Ok(());
        }
        let value = strip_front(value);
        let line = self.new_line(name, value, file, at.place);
        if let Some(section) = self.config.sections.get_mut(current) {
            section.push(line, name);
        }
        Ok(())
    }

    /// Name and value as parts of the file; a copy where comments or escapes were taken out of them.
    fn new_line(&mut self, name: &[u8], value: &[u8], file: &[u8], place: Place) -> Line {
        let mut line = Line {
            at: 0,
            number: place.line,
            source: place.source.0 as u16,
            column: u16::try_from(place.column).unwrap_or(u16::MAX),
            name: 0,
            skip: OWN,
            value: 0,
        };
        let offset = |part: &[u8]| {
            let start = (part.as_ptr() as usize).wrapping_sub(file.as_ptr() as usize);
            (start.saturating_add(part.len()) <= file.len()).then_some(start)
        };
        if let (Some(start), Some(after)) = (offset(name), offset(value))
            && let Some(skip) = after.checked_sub(start)
            && let (Ok(skip), Ok(name), Ok(value)) = (
                u16::try_from(skip),
                u16::try_from(name.len()),
                u16::try_from(value.len()),
            )
            && skip != OWN
        {
            return Line {
                at: start as u32,
                name,
                skip,
                value,
                ..line
            };
        }
        line.at = self.config.own.len() as u32;
        self.config.own.push(Own {
            name: name.to_vec(),
            value: value.to_vec(),
        });
        line
    }
}

impl Section {
    fn push(&mut self, line: Line, name: &[u8]) {
        if let Some(last) = &mut self.last {
            last.insert(Text::from(name), (self.lines.len(), false));
        }
        self.lines.push(line);
    }
}
