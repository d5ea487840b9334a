//! What a call does with one line: substitute its data, run its application, carry out what that decides.

use crate::base::Value;
use crate::base::condition::is_true;
use crate::diagnostic::code;
use crate::machine::call::{Call, Doing, EndReason, Pending, Purpose};
use crate::machine::evaluate::{DATA_LIMIT, Status};
use crate::machine::image::Image;
use crate::machine::{Cx, Effect, Flow};
use crate::syntax::lex::template::next_piece;

/// Most applications that wait for each other: Exec(Exec(…)).
const MAX_NESTED: usize = 1024;

impl Call {
    /// Substitutes the data of the present line and runs its application.
    pub(super) fn general(&mut self, image: &Image) -> Option<Effect> {
        let id = crate::program::PriorityId(self.line);
        let program = &image.program;
        let (Some(entry), Some(line)) = (
            program.table.priority(id),
            program.lines.get(self.line as usize),
        ) else {
            self.doing = Doing::Lookup;
            return None;
        };
        self.purpose = Purpose::Data;
        let mut cx = Cx {
            state: &mut self.state,
        };
        // An unknown application ends the call before anything is substituted.
        if image
            .applications
            .get(line.application as usize)
            .is_none_or(Option::is_none)
        {
            let (at, name) = (cx.location().clone(), program.names.resolve(entry.app));
            cx.log(&code::APPLICATION_UNKNOWN, || {
                format!(
                    "no application `{}` at {}@{}, priority {}",
                    bstr::BStr::new(name),
                    at.exten,
                    at.context,
                    at.priority
                )
            });
            return self.finished(image, Flow::Leave);
        }
        let status = if cx.state.textual {
            self.evaluator.start_text(program.names.resolve(entry.data));
            self.evaluator.run(image, &mut cx)
        } else {
            self.evaluator.start_code(line.code);
            self.evaluator.run(image, &mut cx)
        };
        self.evaluated(image, status)
    }

    /// Whether the call was hung up or sent elsewhere while an evaluation waited: what comes after the present line
    /// is then decided as after an application.
    fn was_interrupted(&self) -> bool {
        self.state.hungup && !self.state.dead || self.state.redirect.is_some()
    }

    /// Goes on after an evaluation.
    pub(super) fn evaluated(&mut self, image: &Image, status: Status) -> Option<Effect> {
        match status {
            Status::Await(effect) => {
                self.doing = Doing::Evaluation;
                Some(effect)
            }
            Status::Subroutine(target) => self.enter_subroutine(image, &target, true),
            Status::Done => match self.purpose {
                Purpose::Data => self.run_application(image),
                Purpose::Value(slot) => {
                    let mut value = self.evaluator.take_value();
                    if let Value::Text(text) = &value {
                        // The limit is that of the whole data, `name=` included.
                        let name = image.program.slots.name(slot).len() + 1;
                        let room = DATA_LIMIT.saturating_sub(name);
                        if text.len() > room {
                            self.cx()
                                .log(&code::VALUE_CUT, || code::VALUE_CUT.title.to_owned());
                            value = Value::from_bytes(text.get(..room).unwrap_or(&[]));
                        }
                    }
                    self.state.variables.set_slot(slot, value);
                    if self.was_interrupted() {
                        return self.finished(image, Flow::Next);
                    }
                    self.doing = Doing::Line;
                    self.next_line(image);
                    None
                }
                Purpose::Branch { yes, no } => {
                    let value = self.evaluator.take_value();
                    if matches!(&value, Value::Text(text) if text.contains(&b'?')) {
                        // The value changes where the data is cut: the application reads it whole.
                        return self.branch_by_text(image, &value);
                    }
                    let holds = match &value {
                        Value::Int(n) => *n as i32 != 0,
                        Value::Text(text) => is_true(text),
                    };
                    if self.was_interrupted() {
                        return self.finished(image, Flow::Next);
                    }
                    self.line = if holds { yes } else { no };
                    self.doing = Doing::Line;
                    self.arrive(image);
                    None
                }
                Purpose::Text => {
                    self.reason = EndReason::Returned;
                    self.doing = Doing::Ended;
                    None
                }
                Purpose::Application => {
                    let flow = match self.pending.pop() {
                        Some(Pending::Text(then)) => {
                            let mut cx = Cx {
                                state: &mut self.state,
                            };
                            then(&mut cx, self.evaluator.text().to_vec())
                        }
                        _ => Flow::Leave,
                    };
                    self.flow(image, flow)
                }
            },
        }
    }

    /// The present line as its application reads it, with the value of its leading expression.
    pub(super) fn branch_by_text(&mut self, image: &Image, value: &Value) -> Option<Effect> {
        let program = &image.program;
        let data = program
            .table
            .priorities
            .get(self.line as usize)
            .map_or(&[][..], |entry| program.names.resolve(entry.data));
        let angle = image.program.options.anglesubstitution;
        let rest = next_piece(data, angle).map_or(&[][..], |(_, rest)| rest);
        let mut text = Vec::new();
        value.append_to(&mut text);
        text.extend_from_slice(rest);
        self.evaluator.replace_text(text);
        self.purpose = Purpose::Data;
        self.run_application(image)
    }

    pub(super) fn run_application(&mut self, image: &Image) -> Option<Effect> {
        let application = image
            .program
            .lines
            .get(self.line as usize)
            .and_then(|line| image.applications.get(line.application as usize))
            .and_then(Option::as_ref);
        let Some(application) = application else {
            return self.finished(image, Flow::Leave);
        };
        let data = self.evaluator.text();
        if let Some(observer) = &mut self.state.observer {
            observer.priority(
                &self.state.channel.name,
                &self.state.at,
                &application.name,
                data,
            );
        }
        if self.state.records.is_some() {
            self.state.applies(&application.name, data);
        }
        let mut cx = Cx {
            state: &mut self.state,
        };
        let flow = application.body.run(&mut cx, data);
        self.flow(image, flow)
    }

    /// Carries out what an application decided.
    pub(super) fn flow(&mut self, image: &Image, flow: Flow) -> Option<Effect> {
        let mut flow = flow;
        loop {
            let mut cx = Cx {
                state: &mut self.state,
            };
            flow = match flow {
                Flow::Await(effect, then) => {
                    if self.pending.capacity() == 0 {
                        // A call that waits seldom has more to wait for.
                        self.pending.reserve_exact(1);
                    }
                    self.pending.push(Pending::Event(then));
                    self.doing = Doing::Application;
                    return Some(effect);
                }
                Flow::Substitute(text, then) => {
                    self.evaluator.start_text(&text);
                    self.pending.push(Pending::Text(then));
                    self.purpose = Purpose::Application;
                    let status = self.evaluator.run(image, &mut cx);
                    return self.evaluated(image, status);
                }
                Flow::Read(inside, then) => {
                    self.evaluator.start_read(inside);
                    self.pending.push(Pending::Text(then));
                    self.purpose = Purpose::Application;
                    let status = self.evaluator.run(image, &mut cx);
                    return self.evaluated(image, status);
                }
                Flow::Write {
                    function,
                    value,
                    then,
                } => {
                    self.pending
                        .push(Pending::Flow(Box::new(|_, flow| match flow {
                            Flow::Next => *then,
                            other => other,
                        })));
                    cx.write(&function, &value)
                }
                Flow::Exec {
                    application,
                    data,
                    then,
                } => {
                    if let Some(then) = then {
                        self.pending.push(Pending::Flow(then));
                    }
                    if self.pending.len() > MAX_NESTED {
                        // A text that runs itself, such as Exec(${x}) with x = Exec(${x}).
                        cx.state.limit(
                            &code::LIMIT_NESTING,
                            "applications that run each other nest too deeply",
                        );
                        flow = Flow::Leave;
                        continue;
                    }
                    match image.names.application(&application) {
                        Some(linked) => {
                            if cx.state.records.is_some() {
                                cx.state.applies(&linked.name, &data);
                            }
                            linked.body.run(&mut cx, &data)
                        }
                        None => Flow::Leave,
                    }
                }
                Flow::Subroutine { target, then } => {
                    self.pending.push(Pending::Flow(then));
                    return self.enter_subroutine(image, &target, false);
                }
                ended => match self.pending.pop() {
                    Some(Pending::Flow(then)) => then(&mut cx, ended),
                    _ => return self.finished(image, ended),
                },
            };
        }
    }
}
