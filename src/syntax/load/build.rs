//! The dialplan layer: sections to contexts.

use std::sync::Arc;

use super::LoadTime;
use super::context::{ContextBuilder, Contexts};
use super::extension::Position;
use super::fault::{Log, add, entries, quoted};
use super::section::{Config, Line, Section};
use crate::base::symbol::{StableMap, stable_map};
use crate::base::{Interner, Place, Text};
use crate::diagnostic::{Code, Entry, Report, Severity, code};
use crate::syntax::ast::{General, Plan, Priority};

/// What the passes over lines share.
pub(super) struct Loading<'a> {
    pub(super) config: &'a Config,
    pub(super) load_time: &'a mut dyn LoadTime,
    pub(super) report: &'a mut Report,
    /// Whether `$<` is another spelling of `${`.
    pub(super) angle: bool,
    /// The lines of all extensions, as they stand in the files.
    pub(super) priorities: Vec<Priority>,
    /// Their texts.
    pub(super) texts: Interner,
    log: Vec<Entry>,
}

impl Loading<'_> {
    /// A text with globals, functions and expressions replaced.
    pub(super) fn substitute(&mut self, text: &[u8], place: Place) -> Vec<u8> {
        if !text.contains(&b'$') {
            return text.to_vec();
        }
        let out = self.load_time.substitute(text, &mut self.log);
        entries(self.report, &mut self.log, place);
        out
    }

    /// A line of `[globals]`: a variable, or a function that is written.
    fn set_global(&mut self, name: &[u8], value: &[u8], place: Place) {
        self.load_time.set_global(name, value, &mut self.log);
        entries(self.report, &mut self.log, place);
    }

    /// The devices of a hint, substituted.
    pub(super) fn substitute_hint(
        &mut self,
        context: &[u8],
        exten: &[u8],
        text: &[u8],
        place: Place,
    ) -> Vec<u8> {
        let out = self
            .load_time
            .substitute_hint(context, exten, text, &mut self.log);
        entries(self.report, &mut self.log, place);
        out
    }

    /// A fault that costs a line.
    pub(super) fn error(
        &mut self,
        code: &'static Code,
        place: Place,
        log: Log,
        message: String,
        help: &str,
    ) {
        add(
            self.report,
            (Severity::Error, code),
            Some(place),
            log,
            message,
            help,
        );
    }

    /// A fault that Asterisk lives with.
    pub(super) fn warning(
        &mut self,
        code: &'static Code,
        place: Place,
        log: Log,
        message: String,
        help: &str,
    ) {
        add(
            self.report,
            (Severity::Warning, code),
            Some(place),
            log,
            message,
            help,
        );
    }
}

/// Builds the plan; the sections of the configuration are used up.
pub(super) fn build(
    config: &mut Config,
    load_time: &mut dyn LoadTime,
    previous: Option<&General>,
    report: &mut Report,
) -> Plan {
    let sections = std::mem::take(&mut config.sections);
    let mut loading = Loading {
        config,
        load_time,
        report,
        angle: false,
        priorities: Vec::with_capacity(sections.iter().map(|section| section.lines.len()).sum()),
        texts: Interner::new(),
        log: Vec::new(),
    };
    let general = general(&mut loading, &sections, previous);
    loading.angle = general.anglesubstitution;
    loading.load_time.general(&general);
    let globals = globals(&mut loading, &sections);
    let mut contexts = Contexts::new();
    for section in sections {
        if section.template || is_general(&section) || is_globals(&section) {
            continue;
        }
        let context = contexts.open(&section.name, section.place);
        let mut position = Position::default();
        for line in &section.lines {
            loading.line(context, &mut position, line);
        }
    }
    contexts.verify_includes(&mut loading);
    loading.texts.shrink();
    let mut priorities = loading.priorities;
    let contexts = contexts.finish(&mut priorities);
    Plan {
        general,
        globals,
        contexts,
        priorities,
        texts: Arc::new(loading.texts),
    }
}

fn is_general(section: &Section) -> bool {
    section.name.eq_ignore_ascii_case(b"general")
}

fn is_globals(section: &Section) -> bool {
    section.name.eq_ignore_ascii_case(b"globals")
}

impl Loading<'_> {
    fn line(&mut self, context: &mut ContextBuilder, position: &mut Position, line: &Line) {
        let config = self.config;
        let name = config.name(line);
        // The two that nearly all lines are.
        if matches!(name, b"same" | b"exten") {
            self.extension(context, position, line, name == b"same");
            return;
        }
        let is = |word: &[u8]| name.eq_ignore_ascii_case(word);
        let same = name
            .get(..4)
            .is_some_and(|start| start.eq_ignore_ascii_case(b"same"));
        if is(b"exten") || same {
            self.extension(context, position, line, same);
        } else if is(b"include") {
            self.include(context, line);
        } else if is(b"ignorepat") {
            self.ignorepat(context, line);
        } else if is(b"switch") || is(b"lswitch") || is(b"eswitch") {
            self.switch(context, line, is(b"switch"), is(b"eswitch"));
        } else if !is(b"autohints") {
            self.error(
                &code::DIRECTIVE_UNKNOWN,
                line.place(),
                Log::Placed,
                format!(
                    "there is no directive {}; the line is skipped",
                    quoted(name)
                ),
                "known are exten, same, include, ignorepat, switch, lswitch, eswitch, autohints",
            );
        }
    }
}

/// `[general]`: the first section of this name counts, and in it the first line of an option.
fn general(loading: &mut Loading<'_>, sections: &[Section], previous: Option<&General>) -> General {
    let config = loading.config;
    let kept = previous.cloned().unwrap_or_default();
    let mut general = General {
        autofallthrough: kept.autofallthrough,
        extenpatternmatchnew: kept.extenpatternmatchnew,
        overrideswitch: kept.overrideswitch,
        ..General::default()
    };
    let mut sections = sections
        .iter()
        .filter(|section| !section.template && is_general(section));
    let mut seen: StableMap<Vec<u8>, Place> = stable_map();
    for line in sections.next().map_or(&[][..], |section| &section.lines) {
        let name = config.name(line).to_ascii_lowercase();
        let value = config.value(line);
        if seen.contains_key(&name) {
            loading.warning(
                &code::OPTION_UNKNOWN,
                line.place(),
                Log::Silent,
                format!("{} stands here again; the first one counts", quoted(&name)),
                "remove one",
            );
            continue;
        }
        match name.as_slice() {
            b"autofallthrough" => general.autofallthrough = is_true(value),
            b"extenpatternmatchnew" => general.extenpatternmatchnew = is_true(value),
            b"clearglobalvars" => general.clearglobalvars = is_true(value),
            b"anglesubstitution" => general.anglesubstitution = is_true(value),
            b"overrideswitch" => general.overrideswitch = Some(Text::from(value)),
            b"static" | b"writeprotect" | b"userscontext" | b"priorityjumping" => {}
            _ => loading.warning(
                &code::OPTION_UNKNOWN,
                line.place(),
                Log::Silent,
                format!("there is no option {}", quoted(&name)),
                "known are autofallthrough, extenpatternmatchnew, clearglobalvars, overrideswitch, \
                 anglesubstitution, static, writeprotect, userscontext",
            ),
        }
        seen.insert(name, line.place());
    }
    for section in sections {
        loading.warning(
            &code::OPTION_UNKNOWN,
            section.place,
            Log::Silent,
            "`[general]` stands here again; the first one counts".into(),
            "write `[general](+)` to add to it",
        );
    }
    general
}

/// How Asterisk reads a boolean option.
fn is_true(value: &[u8]) -> bool {
    [&b"yes"[..], b"true", b"y", b"t", b"1", b"on"]
        .iter()
        .any(|word| value.eq_ignore_ascii_case(word))
}

/// `[globals]`: all sections of this name, in order.
fn globals(loading: &mut Loading<'_>, sections: &[Section]) -> Vec<(Text, Text)> {
    let config = loading.config;
    let mut globals: Vec<Option<(Text, Text)>> = Vec::new();
    let mut last: StableMap<Text, usize> = stable_map();
    let sections = sections
        .iter()
        .filter(|section| !section.template && is_globals(section));
    for line in sections.flat_map(|section| &section.lines) {
        let value = loading.substitute(config.value(line), line.place());
        let name = global_name(config.name(line));
        loading.set_global(name, &value, line.place());
        if name.ends_with(b")") {
            // A function was written, not a variable.
            continue;
        }
        let name = Text::from(name);
        if let Some(old) = last.insert(name.clone(), globals.len())
            && let Some(old) = globals.get_mut(old)
        {
            *old = None;
        }
        globals.push(Some((name, Text::from(value))));
    }
    globals.into_iter().flatten().collect()
}

/// The name without marks of inheritance, which mean nothing here, and without `GLOBAL()` around it.
fn global_name(mut name: &[u8]) -> &[u8] {
    loop {
        name = name
            .strip_prefix(b"__")
            .or_else(|| name.strip_prefix(b"_"))
            .unwrap_or(name);
        match name
            .strip_prefix(b"GLOBAL(")
            .and_then(|inner| inner.strip_suffix(b")"))
        {
            Some(inner) => name = inner,
            None => return name,
        }
    }
}
