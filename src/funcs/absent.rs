//! Functions about things that the engine never has one of: logged-in clients, agents, recordings, parked calls.

use crate::base::arguments::standard;
use crate::diagnostic::code;
use crate::library::{Example, Function, Support};
use crate::machine::{Answer, Cx};

/// Sessions of a management client.
pub static AMI_CLIENT: Function = Function::read(
    "AMI_CLIENT",
    "How often a management client is logged in.",
    "login,sessions",
    "The number of sessions under that name.",
    |cx: &mut Cx<'_>, arguments, out| {
        let fields = standard(arguments, 2);
        match fields.as_slice() {
            [login, field] if !login.is_empty() && field.eq_ignore_ascii_case(b"sessions") => {
                out.push(b'0');
                Answer::Done
            }
            _ => {
                cx.log(&code::BAD_ARGUMENT, || {
                    "AMI_CLIENT needs a login and `sessions`".to_owned()
                });
                Answer::Failed
            }
        }
    },
)
.support(Support::Partial("nobody is ever logged in"))
.examples(&[Example {
    title: "Nobody is logged in",
    dialplan: "",
    evaluate: "${AMI_CLIENT(admin,sessions)}",
    expect: "0",
}]);

macro_rules! absent {
    ($($name:ident $syntax:literal $synopsis:literal $lacks:literal;)*) => {$(
        #[doc = $synopsis]
        pub static $name: Function = Function::read(
            stringify!($name),
            $synopsis,
            $syntax,
            "Empty with a warning where there is none, and here there never is one.",
            |cx, arguments, _| none(cx, stringify!($name), arguments),
        )
        .support(Support::Partial($lacks))
        .examples(&[Example {
            title: "None is there",
            dialplan: "",
            evaluate: concat!("[${", stringify!($name), "(1,status)}]"),
            expect: "[]",
        }]);
    )*};
}

absent! {
    AGENT "agent[:item]" "A value of an agent." "there are no agents";
    MIXMONITOR "id,key" "A value of a recording of both sides." "there is no recording";
    PARK_GET_CHANNEL "space[,lot]" "The channel that is parked in a space." "nobody is parked";
    RECORDING_INFO "item" "A value of the last recording of this channel." "nothing is recorded";
}

fn none(cx: &mut Cx<'_>, function: &str, asked: &[u8]) -> Answer {
    cx.log(&code::NOT_FOUND, || {
        format!("{function}: there is no `{}`", bstr::BStr::new(asked))
    });
    Answer::Failed
}
