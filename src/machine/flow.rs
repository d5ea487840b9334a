//! What an application or a function decides.

use crate::base::Text;
use crate::base::arguments::Few;
use crate::machine::{Cx, Effect, Event};

/// Goes on after an effect.
pub type Then = Box<dyn FnOnce(&mut Cx<'_>, Event) -> Flow + Send>;
/// Goes on with a substituted text.
pub type ThenText = Box<dyn FnOnce(&mut Cx<'_>, Vec<u8>) -> Flow + Send>;
/// Goes on with the outcome of another application.
pub type ThenFlow = Box<dyn FnOnce(&mut Cx<'_>, Flow) -> Flow + Send>;

/// What happens after an application.
#[non_exhaustive]
pub enum Flow {
    /// The next priority (return code 0).
    Next,
    /// Another place; nothing is checked before the next lookup.
    Jump(Location),
    /// The call leaves the dialplan: hang-up, `h` (return code -1).
    Leave,
    /// An error: the `e` extension if there is one (return code 1).
    Error,
    /// More digits are needed for the extension (return code 12).
    Incomplete,
    /// First digit of a new extension.
    Digit(u8),
    /// Wait for the host.
    Await(Effect, Then),
    /// Substitute a text (with everything that may wait in it), then go on.
    Substitute(Vec<u8>, ThenText),
    /// Read a function or variable: the text is the inside of `${ }`.
    Read(Vec<u8>, ThenText),
    /// Write a function, such as `DB(a/b)`; log entries are made where it is unknown or not writable.
    Write {
        /// Name with arguments.
        function: Vec<u8>,
        /// The value.
        value: Vec<u8>,
        /// What follows.
        then: Box<Flow>,
    },
    /// Run another application, with data that is already substituted.
    Exec {
        /// Its name.
        application: Vec<u8>,
        /// Its data.
        data: Vec<u8>,
        /// What its outcome means; an unknown application is not passed here (see [`Cx::knows_application`]).
        then: Option<ThenFlow>,
    },
    /// Run a subroutine to its Return, then go on. The text is a Gosub target with arguments.
    Subroutine {
        /// `context,exten,priority(arguments)`.
        target: Vec<u8>,
        /// What follows; `GOSUB_RETVAL` holds the value.
        then: ThenFlow,
    },
}

impl Flow {
    /// Waits for the host and goes on at the next priority, or leaves when the call is hung up.
    pub fn wait(effect: Effect) -> Self {
        Flow::Await(
            effect,
            Box::new(|_, event| match event {
                Event::Hangup(_) => Flow::Leave,
                _ => Flow::Next,
            }),
        )
    }

    /// Waits for the host and goes on with its answer.
    pub fn wait_then(
        effect: Effect,
        then: impl FnOnce(&mut Cx<'_>, Event) -> Flow + Send + 'static,
    ) -> Self {
        Flow::Await(effect, Box::new(then))
    }
}

impl std::fmt::Debug for Flow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Flow::Next => f.write_str("Next"),
            Flow::Jump(location) => f.debug_tuple("Jump").field(location).finish(),
            Flow::Leave => f.write_str("Leave"),
            Flow::Error => f.write_str("Error"),
            Flow::Incomplete => f.write_str("Incomplete"),
            Flow::Digit(digit) => f.debug_tuple("Digit").field(digit).finish(),
            Flow::Await(effect, _) => f.debug_tuple("Await").field(effect).finish(),
            Flow::Substitute(..) => f.write_str("Substitute"),
            Flow::Read(..) => f.write_str("Read"),
            Flow::Write { .. } => f.write_str("Write"),
            Flow::Exec { .. } => f.write_str("Exec"),
            Flow::Subroutine { .. } => f.write_str("Subroutine"),
        }
    }
}

/// A place in the dialplan by name.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Location {
    /// Context.
    pub context: Text,
    /// Extension.
    pub exten: Text,
    /// Priority; numbers below 1 never exist.
    pub priority: i64,
}

/// Goes on with the answer of the host; the result is appended to the output.
pub type AnswerThen = Box<dyn FnOnce(&mut Cx<'_>, Event, &mut Vec<u8>) -> Answer + Send>;
/// Goes on with a substituted text; the result is appended to the output.
pub type AnswerThenText = Box<dyn FnOnce(&mut Cx<'_>, Vec<u8>, &mut Vec<u8>) -> Answer + Send>;

/// Goes on with an answer.
pub type AnswerNext = Box<dyn FnOnce(&mut Cx<'_>, &mut Vec<u8>) -> Answer + Send>;

/// What a function answers.
#[non_exhaustive]
pub enum Answer {
    /// The value (perhaps empty) was appended to the output.
    Done,
    /// No value: the substitution is empty.
    Failed,
    /// Wait for the host.
    Await(Effect, AnswerThen),
    /// Substitute a text, then go on.
    Substitute(Vec<u8>, AnswerThenText),
    /// Evaluate the inside of a `${ }` (a variable, perhaps with offset, or a function), then go on.
    Read(Vec<u8>, AnswerThenText),
    /// Run a subroutine to its Return, then go on (the text is `GOSUB_RETVAL`).
    Subroutine(Vec<u8>, AnswerThenText),
}

impl Answer {
    /// Evaluates `${name}` and hands its value on.
    pub fn read(
        name: &[u8],
        then: impl FnOnce(&mut Cx<'_>, Vec<u8>, &mut Vec<u8>) -> Answer + Send + 'static,
    ) -> Self {
        // Asterisk substitutes `${name}` as a text: brackets in the name change where it ends.
        if name.iter().any(|b| b"{}$".contains(b)) {
            let text = [b"${", name, b"}"].concat();
            return Answer::Substitute(text, Box::new(then));
        }
        Answer::Read(name.to_vec(), Box::new(then))
    }

    /// Evaluates `${name}`, where the first argument of the function is the name, and hands its value on: at once for
    /// a plain name.
    pub fn of_first<const N: usize>(
        cx: &mut Cx<'_>,
        arguments: Few<'_, N>,
        out: &mut Vec<u8>,
        then: fn(&mut Cx<'_>, &Few<'_, N>, &[u8], &mut Vec<u8>) -> Answer,
    ) -> Self {
        let name = arguments.get(0).unwrap_or(&[]);
        if let Some(value) = cx.plain_value(name) {
            let answer = then(cx, &arguments, &value, out);
            cx.put_back(value);
            return answer;
        }
        let name = name.to_vec();
        let arguments = arguments.into_owned();
        Answer::read(&name, move |cx, value, out| {
            then(cx, &arguments, &value, out)
        })
    }

    /// Carries out what writing a function gave, with everything that it waits for, then answers.
    pub fn after(cx: &mut Cx<'_>, flow: Flow, out: &mut Vec<u8>, then: AnswerNext) -> Self {
        match flow {
            Flow::Await(effect, next) => Answer::Await(
                effect,
                Box::new(move |cx, event, out| {
                    let flow = next(cx, event);
                    Answer::after(cx, flow, out, then)
                }),
            ),
            Flow::Read(inside, next) => Answer::Read(
                inside,
                Box::new(move |cx, text, out| {
                    let flow = next(cx, text);
                    Answer::after(cx, flow, out, then)
                }),
            ),
            Flow::Substitute(text, next) => Answer::Substitute(
                text,
                Box::new(move |cx, text, out| {
                    let flow = next(cx, text);
                    Answer::after(cx, flow, out, then)
                }),
            ),
            Flow::Write {
                function,
                value,
                then: next,
            } => {
                let flow = cx.write(&function, &value);
                let then = Box::new(move |cx: &mut Cx<'_>, out: &mut Vec<u8>| {
                    Answer::after(cx, *next, out, then)
                });
                Answer::after(cx, flow, out, then)
            }
            _ => then(cx, out),
        }
    }
}
