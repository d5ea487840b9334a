//! Substitution of texts, compiled or as text, on one explicit stack: any function may wait for the
//! host in the middle of a text, and the evaluation goes on where it was.
//!
//! Both ways build their result at the end of one output. The textual way follows Asterisk's own order
//! of work (scan, substitute the inside, then read it), and is what the compiled way falls back to
//! wherever a guard does not hold.

mod compiled;
mod straight;
mod textual;

pub(crate) use straight::{LONG, Straight};

use std::cell::RefCell;

use crate::base::substring::Cut;
use crate::base::{Text, Value};
use crate::diagnostic::code;
use crate::machine::expression::{CallResult, Evaluation, Memory};
use crate::machine::image::Image;
use crate::machine::{Answer, AnswerThen, AnswerThenText, Cx, Effect, Event};
use crate::program::instruction::CodeId;
use crate::syntax::lex::template::{function_call, reference};

/// Bytes of application data after substitution (observed: the rest is cut in silence).
pub(crate) const DATA_LIMIT: usize = 8191;
/// Bytes of one `${ }` or `$[ ]`, of its inside, and of one value (observed).
pub(crate) const VALUE_LIMIT: usize = 4095;
/// How deep substitutions nest (observed): the inside of the fifteenth is not substituted any more.
pub(crate) const DEPTH_LIMIT: usize = 15;
/// Evaluations that wait for each other, such as those of EVAL() in EVAL().
const FRAME_LIMIT: usize = 1000;
/// Texts that functions evaluate for one text, such as those of EVAL(): a few that contain each other several
/// times would otherwise double at each level of nesting.
const WORK_LIMIT: u32 = 10_000;

thread_local! {
    // What expressions learn (compiled patterns, parsed texts) is bounded and the same for every call.
    static MEMORY: RefCell<Memory> = RefCell::new(Memory::default());
    // Buffers of a call that waits and evaluates nothing are those of the next call that runs.
    static BUFFERS: RefCell<(Evaluator, Vec<Vec<u8>>)> = RefCell::default();
}

/// Longer buffers are not kept for other calls.
const LONG_BUFFER: usize = 1 << 16;

/// How far an evaluation came.
pub(crate) enum Status {
    /// The text is complete.
    Done,
    /// A function waits for the host.
    Await(Effect),
    /// A function wants a subroutine to run.
    Subroutine(Vec<u8>),
}

/// What happens with the result of a function.
#[derive(Debug, Clone, Copy)]
struct Use {
    /// Where its output begins.
    mark: usize,
    /// Offset and length.
    cut: Option<Cut>,
    /// Whether it is an operand of the expression below it on the stack.
    operand: bool,
}

enum Role {
    /// The text itself is wanted.
    Whole,
    /// The inside of a `${ }`.
    Variable,
    /// The inside of a `$[ ]`.
    Expression,
}

struct TextFrame {
    text: Text,
    position: usize,
    mark: usize,
    limit: usize,
    depth: usize,
    role: Role,
}

enum Frame {
    Code(u32),
    Text(TextFrame),
    /// The inside of a `${ }`, substituted, to be read.
    Read(Vec<u8>),
    /// A function waits for the host.
    Waiting(Use, AnswerThen),
    /// A function wants the output since the mark.
    Then(Use, AnswerThenText, usize),
    /// An expression waits for a function; whether its value goes on the stack of values.
    Expression(Box<Evaluation>, bool),
}

/// An evaluation in progress.
#[derive(Default)]
pub(crate) struct Evaluator {
    out: Vec<u8>,
    /// The answer of a function that a straight text reads.
    answer: Vec<u8>,
    /// Where arguments and texts begin, and how much stands before them in Asterisk's buffer.
    marks: Vec<(usize, u16)>,
    values: Vec<Value>,
    frames: Vec<Frame>,
    /// Texts that functions had evaluated so far.
    work: u32,
    /// Bytes of the line's data that stand before the text: its limit is less by them.
    before: u16,
}

impl Evaluator {
    /// Takes the buffers of this thread, unless it has some.
    #[inline]
    pub(crate) fn lend(&mut self, spare: &mut Vec<Vec<u8>>) {
        if self.has_buffers() {
            return;
        }
        BUFFERS.with_borrow_mut(|buffers| {
            std::mem::swap(self, &mut buffers.0);
            if spare.is_empty() {
                std::mem::swap(spare, &mut buffers.1);
            }
        });
    }

    /// Leaves the buffers to the thread, unless an evaluation is in progress.
    #[inline]
    pub(crate) fn give_back(&mut self, spare: &mut Vec<Vec<u8>>) {
        if !self.frames.is_empty() || !self.marks.is_empty() {
            return;
        }
        self.clear();
        if self.out.capacity() > LONG_BUFFER {
            self.out = Vec::new();
        }
        spare.retain(|buffer| buffer.capacity() <= LONG_BUFFER);
        BUFFERS.with_borrow_mut(|buffers| {
            buffers.0 = std::mem::take(self);
            buffers.1 = std::mem::take(spare);
        });
    }

    fn has_buffers(&self) -> bool {
        self.frames.capacity() > 0 || self.out.capacity() > 0
    }

    /// Forgets everything, keeps the buffers.
    fn clear(&mut self) {
        self.out.clear();
        self.marks.clear();
        self.values.clear();
        self.frames.clear();
        self.work = 0;
        self.before = 0;
    }

    /// Starts on a compiled text.
    #[inline]
    pub(crate) fn start_code(&mut self, code: CodeId) {
        self.start_code_behind(0, code);
    }

    /// Starts on a compiled text that begins so many bytes behind the beginning of a line's data.
    #[inline]
    pub(crate) fn start_code_behind(&mut self, before: usize, code: CodeId) {
        self.clear();
        self.before = u16::try_from(before).unwrap_or(u16::MAX);
        self.frames.push(Frame::Code(code.0));
    }

    /// Starts on a text.
    pub(crate) fn start_text(&mut self, text: &[u8]) {
        self.clear();
        self.push_text(Text::from(text), DATA_LIMIT, 0, Role::Whole);
    }

    /// Starts on the inside of a `${ }`.
    pub(crate) fn start_read(&mut self, inside: Vec<u8>) {
        self.clear();
        self.frames.push(Frame::Read(inside));
    }

    /// The result as text.
    pub(crate) fn text(&self) -> &[u8] {
        &self.out
    }

    /// Another text takes the place of the result.
    pub(crate) fn replace_text(&mut self, text: Vec<u8>) {
        self.clear();
        self.out = text;
    }

    /// The result as a value: what is on the stack of values, else the text.
    pub(crate) fn take_value(&mut self) -> Value {
        self.values
            .pop()
            .unwrap_or_else(|| Value::from_bytes(&self.out))
    }

    /// How deep the innermost text is.
    fn nesting(&self) -> usize {
        let texts = self.frames.iter().rev().filter_map(|frame| match frame {
            Frame::Text(text) => Some(text.depth),
            _ => None,
        });
        texts.into_iter().next().unwrap_or(0)
    }

    fn push_text(&mut self, text: Text, limit: usize, depth: usize, role: Role) {
        self.frames.push(Frame::Text(TextFrame {
            text,
            position: 0,
            mark: self.out.len(),
            limit,
            depth,
            role,
        }));
    }

    /// Goes on with the host's answer.
    pub(crate) fn resume(&mut self, image: &Image, cx: &mut Cx<'_>, event: Event) -> Status {
        if let Some(Frame::Waiting(..)) = self.frames.last()
            && let Some(Frame::Waiting(usage, then)) = self.frames.pop()
        {
            let answer = self.apart(cx, |cx, out| then(cx, event, out));
            if let Some(status) = self.answered(cx, answer, usage) {
                return status;
            }
        }
        self.run(image, cx)
    }

    /// Goes on with the value of a subroutine.
    pub(crate) fn resume_subroutine(
        &mut self,
        image: &Image,
        cx: &mut Cx<'_>,
        value: &[u8],
    ) -> Status {
        self.out.extend_from_slice(value);
        self.run(image, cx)
    }

    /// Runs to the end or to something that waits.
    pub(crate) fn run(&mut self, image: &Image, cx: &mut Cx<'_>) -> Status {
        loop {
            let step = match self.frames.last_mut() {
                None => return Status::Done,
                Some(Frame::Code(_)) => self.run_code(image, cx),
                Some(Frame::Text(_)) => self.run_text(image, cx),
                Some(Frame::Read(inside)) => {
                    let inside = std::mem::take(inside);
                    self.frames.pop();
                    self.read(cx, &inside)
                }
                Some(Frame::Then(..)) => {
                    let Some(Frame::Then(usage, then, mark)) = self.frames.pop() else {
                        return Status::Done;
                    };
                    let text = self.out.get(mark..).unwrap_or(&[]).to_vec();
                    self.out.truncate(mark);
                    let answer = self.apart(cx, |cx, out| then(cx, text, out));
                    self.answered(cx, answer, usage)
                }
                Some(Frame::Expression(..)) => self.run_expression(cx),
                // Only `resume` goes on here.
                Some(Frame::Waiting(..)) => {
                    return Status::Await(Effect::Yield);
                }
            };
            if let Some(status) = step {
                return status;
            }
        }
    }

    // Functions.

    /// Lets a function write to an empty buffer: it may read there what it wrote, and nothing else.
    fn apart(
        &mut self,
        cx: &mut Cx<'_>,
        write: impl FnOnce(&mut Cx<'_>, &mut Vec<u8>) -> Answer,
    ) -> Answer {
        let mut out = cx.state.spare.pop().unwrap_or_default();
        out.clear();
        let answer = write(cx, &mut out);
        self.out.extend_from_slice(&out);
        cx.state.spare.push(out);
        answer
    }

    fn answered(&mut self, cx: &mut Cx<'_>, answer: Answer, usage: Use) -> Option<Status> {
        let answer = match answer {
            // A text that evaluates itself: Asterisk would run out of stack.
            Answer::Substitute(..) | Answer::Read(..) | Answer::Subroutine(..)
                if self.frames.len() >= FRAME_LIMIT =>
            {
                cx.log(&code::SUBSTITUTION_TOO_DEEP, || {
                    code::SUBSTITUTION_TOO_DEEP.title.to_owned()
                });
                Answer::Failed
            }
            Answer::Substitute(..) | Answer::Read(..) | Answer::Subroutine(..) => {
                self.work += 1;
                if self.work > WORK_LIMIT {
                    cx.state
                        .limit(&code::LIMIT_SUBSTITUTIONS, code::LIMIT_SUBSTITUTIONS.title);
                    Answer::Failed
                } else {
                    answer
                }
            }
            answer => answer,
        };
        match answer {
            Answer::Done | Answer::Failed => {
                let failed = matches!(answer, Answer::Failed);
                if failed {
                    self.out.truncate(usage.mark);
                }
                if usage.operand {
                    let result = if failed {
                        CallResult::Failed
                    } else {
                        CallResult::Text(self.out.get(usage.mark..).unwrap_or(&[]).to_vec())
                    };
                    self.out.truncate(usage.mark);
                    self.operand(cx, result);
                } else {
                    shorten(&mut self.out, usage.mark + VALUE_LIMIT, cx);
                    if let Some(cut) = usage.cut {
                        cut_output(&mut self.out, usage.mark, cut);
                    }
                }
                None
            }
            Answer::Await(effect, then) => {
                self.frames.push(Frame::Waiting(usage, then));
                Some(Status::Await(effect))
            }
            Answer::Substitute(mut text, then) => {
                // A text that substitutes itself ends where nested substitutions do.
                let depth = self.nesting() + 1;
                if depth >= DEPTH_LIMIT {
                    cx.log(&code::SUBSTITUTION_TOO_DEEP, || {
                        code::SUBSTITUTION_TOO_DEEP.title.to_owned()
                    });
                    text.clear();
                }
                self.frames.push(Frame::Then(usage, then, self.out.len()));
                self.push_text(Text::from(text), DATA_LIMIT, depth, Role::Whole);
                None
            }
            Answer::Read(inside, then) => {
                self.frames.push(Frame::Then(usage, then, self.out.len()));
                self.frames.push(Frame::Read(inside));
                None
            }
            Answer::Subroutine(target, then) => {
                self.frames.push(Frame::Then(usage, then, self.out.len()));
                Some(Status::Subroutine(target))
            }
        }
    }

    /// Reads the inside of a `${ }` after its own substitutions.
    fn read(&mut self, cx: &mut Cx<'_>, inside: &[u8]) -> Option<Status> {
        let parts = reference(inside);
        let cut = parts.cut.map(Cut::parse);
        let mark = self.out.len();
        if !parts.function {
            if let Some(value) = cx.variable(parts.name) {
                value.append_to(&mut self.out);
                shorten(&mut self.out, mark + VALUE_LIMIT, cx);
                if let Some(cut) = cut {
                    cut_output(&mut self.out, mark, cut);
                }
            }
            return None;
        }
        let (name, arguments, closed) = function_call(parts.name);
        if !closed {
            cx.log(&code::FUNC_MISSING_PARENTHESIS, || {
                format!("no `)` in the call of `{}`", bstr::BStr::new(name))
            });
        }
        let function = cx.function(name);
        let Some(read) = function.as_ref().and_then(|f| f.read.as_ref()) else {
            refuse(cx, name, function.is_some());
            return None;
        };
        let answer = self.apart(cx, |cx, out| read.read(cx, arguments, out));
        let usage = Use {
            mark,
            cut,
            operand: false,
        };
        self.answered(cx, answer, usage)
    }
}

pub(super) fn cut_output(out: &mut Vec<u8>, mark: usize, cut: Cut) {
    let value = out.get(mark..).unwrap_or(&[]);
    let kept = cut.apply(value);
    let keep = kept.len();
    let start = mark + (kept.as_ptr() as usize).saturating_sub(value.as_ptr() as usize);
    if keep > 0 {
        out.copy_within(start..start + keep, mark);
    }
    out.truncate(mark + keep);
}

fn refuse(cx: &mut Cx<'_>, name: &[u8], known: bool) {
    let fault = if known {
        &code::FUNC_NOT_READABLE
    } else {
        &code::FUNC_UNKNOWN
    };
    cx.log(fault, || {
        if known {
            format!("the function `{}` cannot be read", bstr::BStr::new(name))
        } else {
            format!("no function `{}`", bstr::BStr::new(name))
        }
    });
}

/// Cuts a text at a limit of Asterisk's, and says so: Asterisk itself cuts in silence.
fn shorten(text: &mut Vec<u8>, end: usize, cx: &mut Cx<'_>) {
    if text.len() > end {
        text.truncate(end);
        say_cut(cx);
    }
}

fn say_cut(cx: &mut Cx<'_>) {
    cx.log(&code::VALUE_CUT, || code::VALUE_CUT.title.to_owned());
}
