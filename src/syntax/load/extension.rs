//! `exten` and `same`

use bstr::ByteSlice;

use super::build::Loading;
use super::context::ContextBuilder;
use super::fault::{Log, quoted};
use super::section::Line;
use crate::base::symbol::{StableMap, stable_map};
use crate::base::{Place, Text};
use crate::diagnostic::code;
use crate::syntax::ast::pattern::ExtensionKey;
use crate::syntax::ast::{Extension, Number, Priority};
use crate::syntax::lex::config::{strip, strip_front};

/// The extension field is cut here, after substitution.
const LONGEST_EXTEN: usize = 255;
/// The number of a hint.
const HINT: i32 = -1;
/// No line before.
const NONE: i32 = -2;

/// Where a section stands: what `same` and `n` go on from.
#[derive(Debug)]
pub(super) struct Position {
    /// The extension field after substitution, with its caller id.
    field: Vec<u8>,
    /// Its extension in the context, once a line has been added.
    extension: Option<usize>,
    /// Priority of the last line.
    last: i32,
}

impl Default for Position {
    fn default() -> Self {
        Self {
            field: Vec::new(),
            extension: None,
            last: NONE,
        }
    }
}

/// An extension while it is being filled.
#[derive(Debug)]
pub(super) struct ExtensionBuilder {
    pub(super) key: ExtensionKey,
    pub(super) exten: Text,
    pub(super) cid: Option<Text>,
    priorities: Vec<Numbered>,
    labels: StableMap<Text, i32>,
    /// Index of each number; made when the first line comes out of order.
    by_number: Option<StableMap<i32, usize>>,
}

#[derive(Debug)]
struct Numbered {
    number: i32,
    /// How this line spells the extension, where another spelling of the same pattern was first.
    alias: Option<Text>,
    priority: Priority,
}

impl ExtensionBuilder {
    fn new(key: ExtensionKey, exten: Text, cid: Option<Text>) -> Self {
        Self {
            key,
            exten,
            cid,
            priorities: Vec::new(),
            labels: stable_map(),
            by_number: None,
        }
    }

    /// The line that has this number already.
    fn at(&mut self, number: i32) -> Option<&Numbered> {
        if self.by_number.is_none() {
            if self
                .priorities
                .last()
                .is_none_or(|last| last.number < number)
            {
                return None;
            }
            let numbers = self.priorities.iter().enumerate();
            let mut by_number = stable_map();
            by_number.extend(numbers.map(|(n, numbered)| (numbered.number, n)));
            self.by_number = Some(by_number);
        }
        let n = *self.by_number.as_ref()?.get(&number)?;
        self.priorities.get(n)
    }

    fn push(&mut self, numbered: Numbered) {
        if let Some(by_number) = &mut self.by_number {
            by_number.insert(numbered.number, self.priorities.len());
        }
        self.priorities.push(numbered);
    }

    /// The finished extension: listed under the name that its first priority was written with.
    pub(super) fn finish(mut self) -> Extension {
        if self.by_number.is_some() {
            self.priorities.sort_by_key(|numbered| numbered.number);
        }
        let first = self.priorities.first().and_then(|n| n.alias.clone());
        let exten = first.unwrap_or_else(|| self.exten.clone());
        let mut aliases = Vec::new();
        for line in &self.priorities {
            let written = line.alias.as_ref().unwrap_or(&self.exten);
            if *written != exten {
                aliases.push((line.priority.number, written.clone()));
            }
        }
        Extension {
            exten,
            cid: self.cid,
            priorities: self.priorities.into_iter().map(|n| n.priority).collect(),
            aliases,
        }
    }
}

/// The parts of a line after the extension.
struct Parts<'a> {
    number: i32,
    label: Option<&'a [u8]>,
    app: &'a [u8],
    data: &'a [u8],
}

impl Loading<'_> {
    pub(super) fn extension(
        &mut self,
        context: &mut ContextBuilder,
        position: &mut Position,
        line: &Line,
        same: bool,
    ) {
        let value = self.config.value(line);
        let rest = if same {
            if position.field.is_empty() {
                self.error(
                    &code::SAME_WITHOUT_EXTEN,
                    line.place,
                    Log::Placed,
                    "`same` has no extension before it in this section".into(),
                    "start with `exten => EXTENSION,1,...`",
                );
                return;
            }
            value
        } else {
            let (field, rest) = cut_field(value);
            self.field(position, field, line);
            rest
        };
        let Some(parts) = self.parts(context, position, line, value, rest) else {
            return;
        };
        position.last = parts.number;
        self.add(context, position, line, &parts);
    }

    /// Takes over an extension field.
    fn field(&mut self, position: &mut Position, field: &[u8], line: &Line) {
        if !field.contains(&b'$') && field.len() <= LONGEST_EXTEN {
            if position.field != field {
                position.extension = None;
                position.field.clear();
                position.field.extend_from_slice(field);
            }
            return;
        }
        let mut field = self.substitute(field, line.place);
        if field.len() > LONGEST_EXTEN {
            field.truncate(LONGEST_EXTEN);
            self.warning(
                &code::TOO_LONG,
                self.config.place_in(line, 0),
                Log::Silent,
                format!(
                    "the extension {} is cut to {LONGEST_EXTEN} bytes",
                    quoted(&field)
                ),
                "a call reaches extensions of at most 79 bytes",
            );
        }
        position.extension = None;
        position.field = field;
    }

    /// Priority, label, application and data.
    fn parts<'v>(
        &mut self,
        context: &ContextBuilder,
        position: &Position,
        line: &Line,
        value: &'v [u8],
        rest: &'v [u8],
    ) -> Option<Parts<'v>> {
        let config = self.config;
        let place = |part: &[u8]| config.place_in(line, offset(value, part));
        let (field, target) = rest.split_once_str(b",").unwrap_or((rest, b""));
        let field = strip(field);
        let mut name = field;
        let mut label = None;
        if let Some((before, inside)) = field.split_once_str(b"(") {
            let Some(end) = inside.find_byte(b')') else {
                self.error(
                    &code::LABEL_NOT_CLOSED,
                    place(inside),
                    Log::Placed,
                    format!("the label in {} has no `)`", quoted(field)),
                    "write `n(label)`",
                );
                return None;
            };
            name = before;
            label = inside.get(..end).filter(|label| !label.is_empty());
            let after = inside.get(end + 1..).unwrap_or_default();
            if !after.is_empty() {
                self.warning(
                    &code::TEXT_AFTER_PARENTHESIS,
                    place(after),
                    Log::Silent,
                    format!("{} after the label is lost", quoted(after)),
                    "write `n+3(label)` to skip numbers",
                );
            }
        }
        let (name, plus) = name
            .split_once_str(b"+")
            .map_or((name, None), |(name, plus)| (name, Some(plus)));
        let number = self.number(context, position, name, place(field))?;
        let number = number.wrapping_add(plus.map_or(0, |plus| leading_number(plus).unwrap_or(0)));
        let (app, data) = self.target(target, place);
        Some(Parts {
            number,
            label,
            app,
            data,
        })
    }

    /// The number that a priority field means, without what is added.
    fn number(
        &mut self,
        context: &ContextBuilder,
        position: &Position,
        name: &[u8],
        place: Place,
    ) -> Option<i32> {
        let next = matches!(name, b"n" | b"next");
        if next || matches!(name, b"s" | b"same") {
            if position.last <= NONE {
                let (code, message) = if next {
                    (
                        &code::NEXT_WITHOUT_PREVIOUS_PRIORITY,
                        "there is no line before to count on from",
                    )
                } else {
                    (
                        &code::SAME_PRIORITY_WITHOUT_PREVIOUS,
                        "there is no line before to repeat the priority of",
                    )
                };
                self.error(
                    code,
                    place,
                    Log::Placed,
                    message.into(),
                    "start with priority 1",
                );
                return None;
            }
            let number = position.last.wrapping_add(i32::from(next));
            if number == 0 {
                self.error(
                    &code::PRIORITY_DROPPED_SILENTLY,
                    place,
                    Log::Silent,
                    "`n` after a hint counts to 0, and the line is dropped".into(),
                    "give the line after a hint a number",
                );
                return None;
            }
            return Some(number);
        }
        if name == b"hint" {
            return Some(HINT);
        }
        let number = leading_number(name);
        if let Some(number) = number {
            if number < 1 {
                self.error(
                    &code::PRIORITY_NOT_POSITIVE,
                    place,
                    Log::Placed,
                    format!("the priority {} is less than 1", quoted(name)),
                    "priorities count from 1",
                );
                return None;
            }
            return Some(number);
        }
        let (exten, cid) = split_field(&position.field);
        if let Some(number) = context.label(exten, cid.as_deref(), name) {
            return Some(number);
        }
        let complaints = context.stack_complaints();
        if complaints > 0 {
            self.warning(
                &code::INCLUDE_DEPTH_EXCEEDED,
                place,
                Log::Repeated(complaints),
                "the label is looked up in includes until the stack is full".into(),
                "labels of included contexts are not found here",
            );
        }
        self.warning(
            &code::LABEL_LOOKUP_FAILED,
            place,
            Log::Bare,
            format!("{} has no label {}", quoted(exten), quoted(name)),
            "a label must be defined above",
        );
        self.error(
            &code::PRIORITY_OR_LABEL_UNKNOWN,
            place,
            Log::Placed,
            format!("{} is neither a number nor a known label", quoted(name)),
            "write `EXTENSION,PRIORITY,APPLICATION(DATA)`, with a number, `n`, or a label defined above",
        );
        None
    }

    /// Application and data.
    fn target<'v>(
        &mut self,
        target: &'v [u8],
        place: impl Fn(&[u8]) -> Place,
    ) -> (&'v [u8], &'v [u8]) {
        let Some((app, inside)) = target.split_once_str(b"(") else {
            return (strip_front(target), b"");
        };
        if app.contains_str(b"${") || app.contains_str(b"$[") {
            return (strip_front(target), b"");
        }
        let Some(end) = inside.rfind_byte(b')') else {
            self.warning(
                &code::NO_CLOSING_PARENTHESIS,
                place(inside),
                Log::Placed,
                format!(
                    "{} has no `)`; the rest of the line is taken",
                    quoted(target)
                ),
                "a `;` starts a comment even inside parentheses: write `\\;`",
            );
            return (strip_front(app), inside);
        };
        let after = inside.get(end + 1..).unwrap_or_default();
        if !strip(after).is_empty() {
            self.warning(
                &code::TEXT_AFTER_PARENTHESIS,
                place(after),
                Log::Silent,
                format!("{} after the last `)` is lost", quoted(after)),
                "remove it",
            );
        }
        (strip_front(app), inside.get(..end).unwrap_or_default())
    }

    /// Adds a line to its extension.
    fn add(
        &mut self,
        context: &mut ContextBuilder,
        position: &mut Position,
        line: &Line,
        parts: &Parts<'_>,
    ) {
        let place = self.config.place_in(line, 0);
        let number = match parts.number {
            HINT => Number::Hint,
            1.. => Number::At(parts.number as u32),
            _ => {
                self.error(
                    &code::PRIORITY_DROPPED_SILENTLY,
                    place,
                    Log::Silent,
                    format!(
                        "the priority comes to {}, and the line can never run",
                        parts.number
                    ),
                    "priorities count from 1",
                );
                return;
            }
        };
        let (raw, cid) = split_field(&position.field);
        if matches!(raw, b"_." | b"_!") {
            self.warning(
                &code::MATCH_EVERYTHING_PATTERN,
                place,
                Log::Placed,
                format!(
                    "{} also catches h, i, t and the other special extensions",
                    quoted(raw)
                ),
                "use `_X.`",
            );
        }
        if raw.is_empty() {
            self.error(
                &code::EXTEN_EMPTY,
                place,
                Log::Bare,
                "the extension is empty".into(),
                "a global in it may have no value",
            );
            self.not_added(place, "the line is dropped");
            return;
        }
        let exten = without_blanks(raw);
        let app =
            if number == Number::Hint && parts.app.contains_str(b"${") && !raw.starts_with(b"_") {
                Text::from(self.substitute_hint(&context.name, raw, parts.app, place))
            } else {
                Text::from(parts.app)
            };
        let n = match position.extension {
            Some(n) => n,
            None => {
                let key = ExtensionKey::new(&exten, cid.as_deref());
                let next = context.extensions.len();
                let n = *context.by_key.entry(key.clone()).or_insert(next);
                if n == next {
                    if has_broken_set(&exten) {
                        self.warning(
                            &code::BRACKET_NOT_CLOSED,
                            place,
                            Log::Silent,
                            format!(
                                "a set in {} is not closed; the pattern never matches",
                                quoted(&exten)
                            ),
                            "write `[...]`",
                        );
                    }
                    let cid = cid.map(Text::from);
                    let exten = Text::from(exten.as_slice());
                    context
                        .extensions
                        .push(ExtensionBuilder::new(key, exten, cid));
                }
                position.extension = Some(n);
                n
            }
        };
        let Some(extension) = context.extensions.get_mut(n) else {
            return;
        };
        let mut label = parts.label.map(Text::from);
        if let Some(text) = &label
            && let Some(&used) = extension.labels.get(text)
            && used != parts.number
        {
            self.warning(
                &code::LABEL_ALREADY_IN_USE,
                place,
                Log::Bare,
                format!(
                    "the label {} is in use at priority {used}; this line has no label",
                    quoted(text)
                ),
                "labels are unique in an extension",
            );
            label = None;
        }
        if let Some(holder) = extension.at(parts.number) {
            let holder_place = holder.priority.place;
            let spelling = holder.alias.as_ref();
            let alias = spelling.is_some_and(|s| **s != *exten)
                || spelling.is_none() && *extension.exten != *exten;
            let code = if alias {
                &code::PRIORITY_ALREADY_IN_USE_BY_EQUIVALENT_PATTERN
            } else {
                &code::PRIORITY_ALREADY_IN_USE
            };
            let shown = match number {
                Number::Hint => "hint".to_owned(),
                Number::At(number) => format!("priority {number}"),
            };
            self.error(
                code,
                place,
                Log::Bare,
                format!(
                    "{} has {shown} already, from line {}",
                    quoted(&exten),
                    holder_place.line
                ),
                "the first one stays",
            );
            self.not_added(place, "the line is dropped");
            return;
        }
        if let Some(label) = &label {
            extension.labels.insert(label.clone(), parts.number);
            context.labels.add(label, &extension.exten, n, parts.number);
        }
        let alias = (*extension.exten != *exten).then(|| Text::from(exten));
        extension.push(Numbered {
            number: parts.number,
            alias,
            priority: Priority {
                number,
                label,
                app,
                data: Text::from(parts.data),
                place: line.place,
            },
        });
    }

    fn not_added(&mut self, place: Place, message: &str) {
        self.error(
            &code::EXTENSION_NOT_ADDED,
            place,
            Log::Placed,
            message.into(),
            "see the message above",
        );
    }
}

/// The extension field and what follows its comma. Commas in `[...]` and after a backslash belong to the field.
fn cut_field(value: &[u8]) -> (&[u8], &[u8]) {
    let mut depth = 0_u32;
    let mut bytes = value.iter().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'[' => depth += 1,
            b']' => depth = depth.saturating_sub(1),
            b'\\' => {
                bytes.next();
            }
            b',' if depth == 0 => {
                return (
                    value.get(..at).unwrap_or_default(),
                    value.get(at + 1..).unwrap_or_default(),
                );
            }
            _ => {}
        }
    }
    (value, b"")
}

/// Extension and caller id of a field.
fn split_field(field: &[u8]) -> (&[u8], Option<Vec<u8>>) {
    match field.split_once_str(b"/") {
        Some((exten, cid)) => (exten, Some(shrink(cid))),
        None => (field, None),
    }
}

/// A caller id without the decoration of telephone numbers.
fn shrink(number: &[u8]) -> Vec<u8> {
    let mut depth = 0_i32;
    let mut out = Vec::with_capacity(number.len());
    for (at, &byte) in number.iter().enumerate() {
        match byte {
            b'[' => depth += 1,
            b']' => depth -= 1,
            b'-' if depth == 0 => continue,
            b'.' if at + 1 < number.len() => continue,
            b'(' | b')' | b' ' => continue,
            _ => {}
        }
        out.push(byte);
    }
    out
}

/// An extension without its blanks outside sets.
fn without_blanks(exten: &[u8]) -> Vec<u8> {
    let mut inside = false;
    let mut out = exten.to_vec();
    out.retain(|&byte| {
        match byte {
            b'[' => inside = true,
            b']' => inside = false,
            _ => {}
        }
        byte != b' ' || inside
    });
    out
}

fn has_broken_set(exten: &[u8]) -> bool {
    let Some(mut rest) = exten.strip_prefix(b"_") else {
        return false;
    };
    while let Some(open) = rest.find_byte(b'[') {
        rest = rest.get(open..).unwrap_or_default();
        let Some(close) = rest.find_byte(b']') else {
            return true;
        };
        rest = rest.get(close + 1..).unwrap_or_default();
    }
    false
}

/// The integer a text starts with, as C reads it: blanks, a sign, digits; wrapped to 32 bits.
fn leading_number(text: &[u8]) -> Option<i32> {
    let text = text.trim_ascii_start();
    let (negative, digits) = match text.split_first() {
        Some((b'-', rest)) => (true, rest),
        Some((b'+', rest)) => (false, rest),
        _ => (false, text),
    };
    let end = digits.iter().take_while(|b| b.is_ascii_digit()).count();
    let digits = digits.get(..end).filter(|digits| !digits.is_empty())?;
    let mut number = 0_i64;
    for &digit in digits {
        let digit = i64::from(digit - b'0');
        number = number.saturating_mul(10);
        number = if negative {
            number.saturating_sub(digit)
        } else {
            number.saturating_add(digit)
        };
    }
    Some(number as i32)
}

/// Where a part of a text starts.
fn offset(text: &[u8], part: &[u8]) -> usize {
    (part.as_ptr() as usize).wrapping_sub(text.as_ptr() as usize)
}
