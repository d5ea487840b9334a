//! `exten` and `same`

mod builder;
mod field;

use bstr::ByteSlice;

use super::build::Loading;
use super::context::ContextBuilder;
use super::fault::{Log, quoted};
use super::section::Line;
use crate::base::Place;
use crate::diagnostic::code;
use crate::syntax::ast::pattern::ExtensionKey;
use crate::syntax::ast::{Number, Priority};
use crate::syntax::lex::config::{split_once, strip, strip_front};
use crate::syntax::lex::template::has_substitution;

pub(super) use builder::{ByKey, ExtensionBuilder};
use field::{Field, cut_field, has_broken_set, leading_number, offset};

/// The extension field is cut here, after substitution.
const LONGEST_EXTEN: usize = 255;
/// The number of a hint.
const HINT: i32 = -1;
/// No line before.
const NONE: i32 = -2;

/// Where a section stands: what `same` and `n` go on from.
#[derive(Debug)]
pub(super) struct Position {
    /// The extension field of the last `exten`.
    field: Field,
    /// Its extension in the context, once a line has been added.
    extension: Option<usize>,
    /// Whether the field spells that extension otherwise than its first line does.
    alias: bool,
    /// Priority of the last line.
    last: i32,
}

impl Default for Position {
    fn default() -> Self {
        Self {
            field: Field::default(),
            extension: None,
            alias: false,
            last: NONE,
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
            if position.field.text().is_empty() {
                self.error(
                    &code::SAME_WITHOUT_EXTEN,
                    line.place(),
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
            if position.field.text() != field {
                position.extension = None;
                position.field.set(field);
            }
            return;
        }
        let mut field = self.substitute(field, line.place());
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
        position.field.set(&field);
    }

    /// Priority, label, application and data.
    fn parts<'v>(
        &mut self,
        context: &mut ContextBuilder,
        position: &Position,
        line: &Line,
        value: &'v [u8],
        rest: &'v [u8],
    ) -> Option<Parts<'v>> {
        let config = self.config;
        let place = |part: &[u8]| config.place_in(line, offset(value, part));
        let (field, target) = split_once(rest, b',').unwrap_or((rest, b""));
        let field = strip(field);
        let mut name = field;
        let mut label = None;
        if let Some((before, inside)) = split_once(field, b'(') {
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
        let (name, plus) =
            split_once(name, b'+').map_or((name, None), |(name, plus)| (name, Some(plus)));
        let number = self.number(context, position, name, || place(field))?;
        let number = match plus {
            Some(plus) => self.added(number, plus, || place(plus)),
            None => number,
        };
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
        context: &mut ContextBuilder,
        position: &Position,
        name: &[u8],
        place: impl Fn() -> Place,
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
                    place(),
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
                    place(),
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
        if let Some((wide, rest)) = leading_number(name) {
            let number = wide as i32;
            self.compare(wide, number, &place);
            self.after_number(rest, &place);
            if number < 1 {
                self.error(
                    &code::PRIORITY_NOT_POSITIVE,
                    place(),
                    Log::Placed,
                    format!("the priority {} is less than 1", quoted(name)),
                    "priorities count from 1",
                );
                return None;
            }
            return Some(number);
        }
        let exten = position.field.raw();
        let found = self.texts.get(name).and_then(|label| {
            let caller = position.field.cid.as_deref();
            context.label(exten, caller, label)
        });
        if let Some(number) = found
            && number > 0
        {
            return Some(number);
        }
        let complaints = context.stack_complaints();
        // The label of a hint is found, but names no priority.
        if found.is_none() && complaints > 0 {
            self.warning(
                &code::INCLUDE_DEPTH_EXCEEDED,
                place(),
                Log::Repeated(complaints),
                "the label is looked up in includes until the stack is full".into(),
                "labels of included contexts are not found here",
            );
        }
        if found.is_none() {
            self.warning(
                &code::LABEL_LOOKUP_FAILED,
                place(),
                Log::Bare,
                format!("{} has no label {}", quoted(exten), quoted(name)),
                "a label must be defined above",
            );
        }
        self.error(
            &code::PRIORITY_OR_LABEL_UNKNOWN,
            place(),
            Log::Placed,
            format!("{} is neither a number nor a known label", quoted(name)),
            if name.is_empty() && exten.contains(&b'[') {
                "close the `[` in the extension: commas after it do not separate"
            } else {
                "write `EXTENSION,PRIORITY,APPLICATION(DATA)`, with a number, `n`, or a label defined above"
            },
        );
        None
    }

    /// A priority with what stands after its `+`.
    fn added(&mut self, number: i32, plus: &[u8], place: impl Fn() -> Place) -> i32 {
        let (wide, rest) = leading_number(plus).unwrap_or((0, plus));
        self.after_number(rest, &place);
        let sum = number.wrapping_add(wide as i32);
        self.compare(i64::from(number).saturating_add(wide), sum, &place);
        sum
    }

    /// Says what becomes of a priority that does not fit into the 32 bits that Asterisk holds.
    fn compare(&mut self, wide: i64, number: i32, place: &impl Fn() -> Place) {
        if i64::from(number) != wide {
            self.warning(
                &code::PRIORITY_WRAPS,
                place(),
                Log::Silent,
                format!("the priority {wide} does not fit into 32 bits and becomes {number}"),
                "priorities go up to 2147483647",
            );
        }
    }

    /// What stands after the number of a priority means nothing.
    fn after_number(&mut self, rest: &[u8], place: &impl Fn() -> Place) {
        let rest = strip(rest);
        if !rest.is_empty() {
            self.warning(
                &code::TEXT_AFTER_PRIORITY,
                place(),
                Log::Silent,
                format!("{} after the number of the priority is lost", quoted(rest)),
                "write a number, `n` or `n+2`, and a label as `n(label)`",
            );
        }
    }

    /// Application and data.
    fn target<'v>(
        &mut self,
        target: &'v [u8],
        place: impl Fn(&[u8]) -> Place,
    ) -> (&'v [u8], &'v [u8]) {
        let Some((app, inside)) = split_once(target, b'(') else {
            return (strip_front(target), b"");
        };
        if has_substitution(app, self.angle) {
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
        let config = self.config;
        let place = || config.place_in(line, 0);
        let number = match parts.number {
            HINT => Number::Hint,
            1.. => Number::At(parts.number as u32),
            other => {
                self.error(
                    &code::PRIORITY_DROPPED_SILENTLY,
                    place(),
                    Log::Silent,
                    format!("the priority comes to {other}, and the line can never run"),
                    "priorities count from 1",
                );
                return;
            }
        };
        let raw = position.field.raw();
        let exten = &position.field.exten;
        if matches!(raw, b"_." | b"_!") {
            let message = format!(
                "{} also catches h, i, t and the other special extensions",
                quoted(raw)
            );
            let code = &code::MATCH_EVERYTHING_PATTERN;
            self.warning(code, place(), Log::Placed, message, "use `_X.`");
        }
        if raw.is_empty() {
            self.error(
                &code::EXTEN_EMPTY,
                place(),
                Log::Bare,
                "the extension is empty".into(),
                "a global in it may have no value",
            );
            self.not_added(place(), "the line is dropped");
            return;
        }
        let app = if number == Number::Hint && self.varies(parts.app) && !raw.starts_with(b"_") {
            let app = self.substitute_hint(&context.name, raw, parts.app, place());
            self.texts.intern(&app)
        } else {
            self.texts.intern(parts.app)
        };
        let n = if let Some(n) = position.extension {
            n
        } else {
            let n = self.open(context, &position.field, place());
            position.extension = Some(n);
            let opened = context.extensions.get(n);
            position.alias = opened.is_some_and(|opened| opened.exten != *exten);
            n
        };
        let Some(extension) = context.extensions.get_mut(n) else {
            return;
        };
        let mut label = parts.label.map(|label| self.texts.intern(label));
        if let Some(symbol) = label
            && let Some(used) = extension.labelled(symbol, &self.priorities)
            && used != parts.number
        {
            self.warning(
                &code::LABEL_ALREADY_IN_USE,
                place(),
                Log::Bare,
                format!(
                    "the label {} is in use at priority {used}; this line has no label",
                    quoted(parts.label.unwrap_or_default())
                ),
                "labels are unique in an extension",
            );
            label = None;
        }
        let alias = position.alias.then(|| exten.clone());
        if let Some(holder) = extension.at(parts.number, &self.priorities) {
            let code = if extension.alias(parts.number) == alias.as_ref() {
                &code::PRIORITY_ALREADY_IN_USE
            } else {
                &code::PRIORITY_ALREADY_IN_USE_BY_EQUIVALENT_PATTERN
            };
            let shown = match number {
                Number::Hint => "hint".to_owned(),
                Number::At(number) => format!("priority {number}"),
            };
            let message = format!(
                "{} has {shown} already, from line {}",
                quoted(exten),
                holder.place.line
            );
            let place = place();
            self.error(code, place, Log::Bare, message, "the first one stays");
            self.not_added(place, "the line is dropped");
            return;
        }
        if let Some(label) = label {
            context.labels.add(label, n, parts.number);
        }
        let line = Priority {
            number,
            label,
            app,
            data: self.texts.intern(parts.data),
            place: line.place(),
        };
        extension.push(alias, line, &mut self.priorities);
    }

    /// Whether a text holds variables.
    fn varies(&self, text: &[u8]) -> bool {
        text.contains_str(b"${") || (self.angle && text.contains_str(b"$<"))
    }

    /// The extension of a field in its context, new if need be.
    fn open(&mut self, context: &mut ContextBuilder, field: &Field, place: Place) -> usize {
        let key = ExtensionKey::new(&field.exten, field.cid.as_deref());
        if let Some(n) = context.by_key.get(&key, &context.extensions) {
            return n;
        }
        if has_broken_set(&field.exten) {
            self.warning(
                &code::BRACKET_NOT_CLOSED,
                place,
                Log::Silent,
                format!(
                    "a set in {} is not closed; the pattern never matches",
                    quoted(&field.exten)
                ),
                "write `[...]`",
            );
        }
        let (exten, cid) = (field.exten.clone(), field.cid.clone());
        context
            .extensions
            .push(ExtensionBuilder::new(&key, exten, cid));
        context.by_key.added(&context.extensions);
        context.extensions.len() - 1
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
