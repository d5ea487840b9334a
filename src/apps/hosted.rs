//! The form of most applications that need a device: look at the arguments, hand them to the host, and say in
//! variables how it went.

use super::answer::answered;
use crate::base::Text;
use crate::base::arguments::{self, options};
use crate::diagnostic::code;
use crate::machine::{Cx, Effect, Event, Flow};

/// Arguments that the host may get; the rest stays in the last one.
const SLOTS: usize = 32;

/// Where the call goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum After {
    /// At the next priority.
    Next,
    /// It leaves the dialplan.
    Leave,
}

impl After {
    fn flow(self) -> Flow {
        match self {
            After::Next => Flow::Next,
            After::Leave => Flow::Leave,
        }
    }
}

/// A status variable, and its word for each way in which an application may end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Status {
    variable: &'static str,
    done: &'static str,
    failed: &'static str,
    timeout: &'static str,
    hangup: &'static str,
}

impl Status {
    /// A variable with its words for success and failure; a time-out and a hangup are failures.
    pub(super) const fn new(
        variable: &'static str,
        done: &'static str,
        failed: &'static str,
    ) -> Self {
        Self {
            variable,
            done,
            failed,
            timeout: failed,
            hangup: failed,
        }
    }

    /// With a word for a time-out.
    pub(super) const fn timeout(mut self, word: &'static str) -> Self {
        self.timeout = word;
        self
    }

    /// With a word for a hangup.
    pub(super) const fn hangup(mut self, word: &'static str) -> Self {
        self.hangup = word;
        self
    }
}

/// What a host may answer to an application with a text.
#[derive(Debug, Clone, Copy)]
enum Meaning {
    /// The word of the first status variable.
    Status,
    /// The value of a variable, and success.
    Variable(&'static str),
}

/// Whether the call is answered first.
#[derive(Debug, Clone, Copy)]
enum Answers {
    Never,
    Always,
    /// Unless the argument of this index has this letter.
    Unless(usize, u8),
}

/// How an application is handed to the host.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hosted {
    needs: usize,
    lacking: After,
    answers: Answers,
    status: &'static [Status],
    text: Meaning,
    failing: After,
}

impl Hosted {
    /// No argument is needed, the call is not answered, nothing is set, and it always goes on.
    pub(super) const fn new() -> Self {
        Self {
            needs: 0,
            lacking: After::Next,
            answers: Answers::Never,
            status: &[],
            text: Meaning::Status,
            failing: After::Next,
        }
    }

    /// So many arguments must be there and not empty; without them it fails, and the call goes on there.
    pub(super) const fn needs(mut self, count: usize, lacking: After) -> Self {
        self.needs = count;
        self.lacking = lacking;
        self
    }

    /// The call is answered first, unless the argument of this index has this option letter.
    pub(super) const fn answers_unless(mut self, index: usize, letter: u8) -> Self {
        self.answers = Answers::Unless(index, letter);
        self
    }

    /// The call is answered first.
    pub(super) const fn answers(mut self) -> Self {
        self.answers = Answers::Always;
        self
    }

    /// Sets these status variables.
    pub(super) const fn sets(mut self, status: &'static [Status]) -> Self {
        self.status = status;
        self
    }

    /// A text of the host goes to this variable, instead of being the status.
    pub(super) const fn value_in(mut self, variable: &'static str) -> Self {
        self.text = Meaning::Variable(variable);
        self
    }

    /// A failure ends the call.
    pub(super) const fn or_leaves(mut self) -> Self {
        self.failing = After::Leave;
        self
    }

    /// Runs the application of this name.
    pub(super) fn run(&'static self, cx: &mut Cx<'_>, name: &'static str, data: &[u8]) -> Flow {
        let fields = arguments::standard(data, SLOTS);
        let given = fields.iter().take_while(|field| !field.is_empty()).count();
        if given < self.needs {
            cx.log(&code::ARGUMENT_MISSING, || {
                format!("{name} was called without an argument that it needs")
            });
            self.say(cx, |status| status.failed);
            return self.lacking.flow();
        }
        let effect = Effect::Custom {
            name: Text::from(name),
            data: Text::from(data),
        };
        let answers = match self.answers {
            Answers::Never => false,
            Answers::Always => true,
            Answers::Unless(n, letter) => {
                !fields.get(n).is_some_and(|text| options(text).has(letter))
            }
        };
        if answers {
            return answered(cx, move |_| self.hand_over(effect));
        }
        self.hand_over(effect)
    }

    fn hand_over(&'static self, effect: Effect) -> Flow {
        Flow::wait_then(effect, move |cx, event| self.ended(cx, event))
    }

    /// What the answer of the host means.
    pub(super) fn ended(&self, cx: &mut Cx<'_>, event: Event) -> Flow {
        match event {
            Event::Hangup(_) => {
                self.say(cx, |status| status.hangup);
                Flow::Leave
            }
            Event::Failed(_) => {
                self.say(cx, |status| status.failed);
                self.failing.flow()
            }
            Event::Timeout => {
                self.say(cx, |status| status.timeout);
                Flow::Next
            }
            Event::Value(text) => {
                self.say(cx, |status| status.done);
                let variable = match self.text {
                    Meaning::Variable(variable) => Some(variable),
                    Meaning::Status => self.status.first().map(|status| status.variable),
                };
                if let Some(variable) = variable {
                    cx.set(variable.as_bytes(), &text);
                }
                Flow::Next
            }
            _ => {
                self.say(cx, |status| status.done);
                Flow::Next
            }
        }
    }

    fn say(&self, cx: &mut Cx<'_>, word: impl Fn(&Status) -> &'static str) {
        for status in self.status {
            cx.set(status.variable.as_bytes(), word(status).as_bytes());
        }
    }
}

/// Applications of this form: static, name, synopsis, arguments, documentation, form.
macro_rules! hosted {
    ($($static:ident $name:literal $synopsis:literal $syntax:literal $doc:literal $form:expr;)*) => {$(
        #[doc = $synopsis]
        pub static $static: $crate::library::Application = $crate::library::Application::new(
            $name,
            $synopsis,
            $syntax,
            $doc,
            |cx, data| {
                static FORM: $crate::apps::hosted::Hosted = $form;
                FORM.run(cx, $name, data)
            },
        )
        .support($crate::library::Support::Simulated);
    )*};
}
pub(super) use hosted;
