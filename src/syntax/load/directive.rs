//! `include`, `switch`, `lswitch`, `eswitch`, `ignorepat`

use bstr::ByteSlice;

use super::build::Loading;
use super::context::{ContextBuilder, Kind};
use super::fault::{Log, quoted};
use super::section::Line;
use super::times;
use crate::base::Text;
use crate::diagnostic::code;
use crate::syntax::ast::{Include, Switch};
use crate::syntax::lex::config::split_once;

impl Loading<'_> {
    pub(super) fn include(&mut self, context: &mut ContextBuilder, line: &Line) {
        let text = self.substitute(self.config.value(line), line.place());
        let (name, times) = match text.find_byteset(b",|") {
            Some(end) => (text.get(..end).unwrap_or_default(), text.get(end + 1..)),
            None => (text.as_slice(), None),
        };
        if let Some(times) = times {
            times::check(self, times, line.place());
        }
        if !context.is_new(Kind::Include, &text) {
            self.error(
                &code::INCLUDE_DUPLICATE,
                line.place(),
                Log::Placed,
                format!("{} is included already", quoted(&text)),
                "remove one; times written differently make another include",
            );
            return;
        }
        context.includes.push(Include {
            text: Text::from(text.as_slice()),
            context: Text::from(name),
            times: times.map(Text::from),
            place: line.place(),
        });
    }

    pub(super) fn switch(
        &mut self,
        context: &mut ContextBuilder,
        line: &Line,
        substituted: bool,
        eval: bool,
    ) {
        let value = self.config.value(line);
        let text = if substituted {
            self.substitute(value, line.place())
        } else {
            value.to_vec()
        };
        if !context.is_new(Kind::Switch, &text) {
            self.error(
                &code::SWITCH_NOT_ADDED,
                line.place(),
                Log::Placed,
                format!("the switch {} is there already", quoted(&text)),
                "lswitch and eswitch with the same text are the same",
            );
            return;
        }
        let (name, data) = split_once(&text, b'/').unwrap_or((&text, b""));
        context.switches.push(Switch {
            name: Text::from(name),
            data: Text::from(data),
            eval,
            place: line.place(),
        });
    }

    pub(super) fn ignorepat(&mut self, context: &mut ContextBuilder, line: &Line) {
        let text = self.substitute(self.config.value(line), line.place());
        if !context.is_new(Kind::Ignorepat, &text) {
            self.error(
                &code::IGNOREPAT_NOT_ADDED,
                line.place(),
                Log::Placed,
                format!("the ignorepat {} is there already", quoted(&text)),
                "remove one",
            );
            return;
        }
        context.ignorepats.push(Text::from(text));
    }
}
