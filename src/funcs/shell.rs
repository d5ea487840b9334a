//! SHELL.

use crate::base::Text;
use crate::diagnostic::{Level, code};
use crate::library::{Example, Function};
use crate::machine::{Answer, Cx, Effect, Event, OutsideRequest};

/// What a command prints.
pub static SHELL: Function = Function::read(
    "SHELL",
    "What a command of the system prints.",
    "command",
    "With the line end at its end, if the command prints one. Commands must be allowed by the engine.",
    |cx: &mut Cx<'_>, command, _| {
        if command.is_empty() {
            cx.log(&code::BAD_ARGUMENT, || "SHELL needs a command".to_owned());
            return Answer::Failed;
        }
        if !cx.allow().system {
            cx.log(&code::NOT_ALLOWED, || {
                "SHELL: the engine does not allow running commands".to_owned()
            });
            return Answer::Failed;
        }
        let request = OutsideRequest::Run(Text::from(command));
        Answer::Await(
            Effect::Outside(request),
            Box::new(|cx, event, out| match event {
                Event::Value(printed) => {
                    out.extend_from_slice(&printed);
                    Answer::Done
                }
                Event::Failed(why) => {
                    cx.log_at(&code::NOT_FOUND, Level::Error, || {
                        format!("the command could not be run: {why}")
                    });
                    Answer::Failed
                }
                _ => Answer::Failed,
            }),
        )
    },
)
.examples(&[Example {
    title: "Refused unless it is allowed",
    dialplan: "",
    evaluate: "[${SHELL(echo hello)}]",
    expect: "[]",
}]);
