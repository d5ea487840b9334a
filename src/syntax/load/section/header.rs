//! `[name](options)`

use bstr::ByteSlice;
use regex_automata::meta::Regex;

use super::{At, Fatal, Parser, Section};
use crate::base::Text;
use crate::base::symbol::StableMap;
use crate::diagnostic::{Severity, code};
use crate::syntax::lex::config::strip;
use crate::syntax::load::fault::{Log, add, quoted};

/// Names of contexts are cut here.
const LONGEST_NAME: usize = 79;
/// So many lines may be copied by inheritance in one load: templates that inherit twice from each other double
/// with every step.
const MOST_COPIED: usize = 2_000_000;

impl Parser<'_> {
    pub(super) fn header(&mut self, text: &[u8], at: At) -> Result<(), Fatal> {
        let inside = text.get(1..).unwrap_or_default();
        let (name, after, closed) = match inside.find_byte(b']') {
            Some(end) => (
                inside.get(..end).unwrap_or_default(),
                inside.get(end + 1..).unwrap_or_default(),
                true,
            ),
            None => (inside, &[][..], false),
        };
        let mut cut = name;
        if let Some(head) = name.get(..LONGEST_NAME) {
            cut = head;
        }
        let mut section = Section {
            name: Text::from(cut),
            template: false,
            place: at.place,
            lines: Vec::new(),
            last: None,
        };
        if !closed {
            add(
                self.report,
                (Severity::Error, &code::CONTEXT_HEADER_NOT_CLOSED),
                Some(at.place),
                Log::Placed,
                format!("{} has no `]`", quoted(text)),
                "write `[name]`",
            );
            self.open(section);
            return Err(Fatal);
        }
        if cut.len() < name.len() {
            add(
                self.report,
                (Severity::Warning, &code::TOO_LONG),
                Some(at.place),
                Log::Silent,
                format!("the context name {} is cut to 79 bytes", quoted(name)),
                "names that are equal in their first 79 bytes are one context",
            );
        }
        let Some(options) = after.strip_prefix(b"(") else {
            self.after_header(after, text, at);
            self.open(section);
            return Ok(());
        };
        let Some(end) = options.find_byte(b')') else {
            add(
                self.report,
                (Severity::Error, &code::HEADER_OPTIONS_NOT_CLOSED),
                Some(at.place),
                Log::Placed,
                format!("the options of {} have no `)`", quoted(cut)),
                "write `[name](!)`, `[name](base)` or `[name](+)`",
            );
            self.open(section);
            return Err(Fatal);
        };
        let (options, after) = options.split_at_checked(end).unwrap_or((options, b""));
        self.after_header(after.get(1..).unwrap_or_default(), text, at);
        // Where the lines go: the new section, or an old one after `+`.
        let mut target = None;
        let mut result = Ok(());
        for option in options.split_str(b",") {
            let faulty = if option == b"!" {
                section.template = true;
                None
            } else if let Some(filter) = option.strip_prefix(b"+") {
                let found = self.find(cut, Some(filter));
                if found.is_some() {
                    target = found;
                }
                found.is_none().then_some((
                    &code::APPEND_TARGET_MISSING,
                    format!("`(+)` of {} has no context to add to", quoted(cut)),
                    "it must stand above, and must not be a template",
                ))
            } else {
                let base = self.find(option, None);
                if let Some(base) = base {
                    result = self.inherit(base, target, &mut section, at);
                    if result.is_err() {
                        break;
                    }
                }
                base.is_none().then_some((
                    &code::TEMPLATE_MISSING,
                    format!(
                        "{} inherits from {}, which does not exist",
                        quoted(cut),
                        quoted(option)
                    ),
                    "the template must stand above",
                ))
            };
            if let Some((code, message, help)) = faulty {
                add(
                    self.report,
                    (Severity::Error, code),
                    Some(at.place),
                    Log::Placed,
                    message,
                    help,
                );
                result = Err(Fatal);
                break;
            }
        }
        match target {
            Some(old) => {
                if let Some(old) = self.config.sections.get_mut(old) {
                    old.template |= section.template;
                }
                self.current = Some(old);
            }
            None => self.open(section),
        }
        result
    }

    /// What stands after a header means nothing.
    fn after_header(&mut self, after: &[u8], text: &[u8], at: At) {
        let after = strip(after);
        if after.is_empty() {
            return;
        }
        let mut place = at.place;
        place.column += text.len().saturating_sub(after.len()) as u32;
        add(
            self.report,
            (Severity::Warning, &code::TEXT_AFTER_HEADER),
            Some(place),
            Log::Silent,
            format!("{} after the section header is lost", quoted(after)),
            "put it on a line of its own, with LF at line ends",
        );
    }

    fn open(&mut self, section: Section) {
        let n = self.config.sections.len();
        self.by_name
            .entry(section.name.to_ascii_lowercase())
            .or_default()
            .push(n);
        self.config.sections.push(section);
        self.current = Some(n);
    }

    /// The first section of this name, without regard to case; an empty name is that of any section.
    /// `filter` asks for one to append to: not a template, unless the filter says so.
    fn find(&self, name: &[u8], filter: Option<&[u8]>) -> Option<usize> {
        let fits = |n: usize| {
            let Some(section) = self.config.sections.get(n) else {
                return false;
            };
            match filter {
                None => true,
                Some(b"") => !section.template,
                Some(filter) => self.matches(section, filter),
            }
        };
        if name.is_empty() {
            return (0..self.config.sections.len()).find(|&n| fits(n));
        }
        let by_name: &StableMap<Vec<u8>, Vec<usize>> = &self.by_name;
        by_name
            .get(&name.to_ascii_lowercase())?
            .iter()
            .copied()
            .find(|&n| fits(n))
    }

    /// `NAME=regex&NAME=regex`, with `TEMPLATES=include` and `TEMPLATES=restrict`.
    fn matches(&self, section: &Section, filter: &[u8]) -> bool {
        let mut templates = false;
        for condition in filter.split_str(b"&") {
            let (name, wanted) = condition.split_once_str(b"=").unwrap_or((condition, b""));
            if name == b"TEMPLATES" {
                match wanted {
                    b"include" => templates = true,
                    b"restrict" if section.template => templates = true,
                    b"restrict" => return false,
                    _ => {}
                }
                continue;
            }
            let Some(regex) = std::str::from_utf8(wanted)
                .ok()
                .and_then(|r| Regex::new(r).ok())
            else {
                return false;
            };
            let found = section.lines.iter().any(|line| {
                self.config.name(line) == name && regex.is_match(self.config.value(line))
            });
            if !found {
                return false;
            }
        }
        templates || !section.template
    }

    /// Copies the lines of a base as they are now: lines that come later do not reach heirs.
    fn inherit(
        &mut self,
        base: usize,
        target: Option<usize>,
        section: &mut Section,
        at: At,
    ) -> Result<(), Fatal> {
        let lines = match self.config.sections.get_mut(base) {
            Some(base) => {
                // From now on the texts of its lines are those of the heir, too.
                base.last = None;
                base.lines.clone()
            }
            None => Vec::new(),
        };
        self.copied += lines.len();
        if self.copied > MOST_COPIED {
            add(
                self.report,
                (Severity::Error, &code::CONFIG_PARSE_ERROR),
                Some(at.place),
                Log::Silent,
                format!("inheritance copies more than {MOST_COPIED} lines"),
                "use `include =>` instead of templates",
            );
            return Err(Fatal);
        }
        match target.and_then(|n| self.config.sections.get_mut(n)) {
            Some(old) => {
                old.lines.extend(lines);
                old.last = None;
            }
            None => section.lines.extend(lines),
        }
        Ok(())
    }
}
