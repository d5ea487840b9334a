//! Directory.

use super::answer::answered;
use super::hosted::{Hosted, Status};
use crate::base::{Text, arguments};
use crate::diagnostic::code;
use crate::library::{Application, Support};
use crate::machine::{Cx, Effect, Event, Flow, Location};

/// Let the caller choose somebody by name.
pub static DIRECTORY: Application = Application::new(
    "Directory",
    "Let the caller choose somebody by name.",
    "[vm-context[,dial-context[,options]]]",
    "The host lets the caller choose among the names of the voice mail. The chosen extension is DIRECTORY_EXTEN, and the \
     call goes there in the dial context. DIRECTORY_RESULT is OPERATOR, ASSISTANT, TIMEOUT, HANGUP, SELECTED, USEREXIT or \
     FAILED. `0` goes to the extension `o`, `*` to `a`.",
    run_directory,
)
.support(Support::Simulated);

static FORM: Hosted = Hosted::new().or_leaves().sets(&[
    Status::new("DIRECTORY_RESULT", "USEREXIT", "FAILED")
        .timeout("TIMEOUT")
        .hangup("HANGUP"),
]);

fn run_directory(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    let fields = arguments::standard(data, 3);
    let field = |n: usize| fields.get(n).filter(|field| !field.is_empty());
    let voicemail = field(0).map_or(&b"default"[..], Vec::as_slice);
    let context = Text::from(field(1).map_or(voicemail, Vec::as_slice));
    let effect = Effect::Custom {
        name: Text::from("Directory"),
        data: Text::from(data),
    };
    answered(cx, |_| {
        Flow::wait_then(effect, move |cx, event| {
            let (exten, result): (Text, &[u8]) = match event {
                Event::Value(exten) => (exten, b"SELECTED"),
                Event::Digit(b'0') => (Text::from("o"), b"OPERATOR"),
                Event::Digit(b'*') => (Text::from("a"), b"ASSISTANT"),
                event => return FORM.ended(cx, event),
            };
            cx.set(b"DIRECTORY_RESULT", result);
            if result == b"SELECTED" {
                cx.set(b"DIRECTORY_EXTEN", &exten);
            }
            if !cx.exists(&context, &exten, 1) {
                cx.log(&code::NOT_FOUND, || {
                    format!("Directory: no extension `{exten}` in {context}")
                });
                return Flow::Next;
            }
            Flow::Jump(Location {
                context,
                exten,
                priority: 1,
            })
        })
    })
}
