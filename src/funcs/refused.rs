//! Functions that need what the engine does not have and does not stand in for. Reading and writing fail with
//! a log entry.

use crate::diagnostic::code;
use crate::library::{Example, Function, Support};
use crate::machine::{Answer, Cx, Flow};

macro_rules! refused {
    ($($name:ident $kind:ident $syntax:literal $synopsis:literal $needs:literal;)*) => {$(
        refused!(@ $kind $name $syntax $synopsis $needs);
    )*};
    (@ read $name:ident $syntax:literal $synopsis:literal $needs:literal) => {
        #[doc = $synopsis]
        pub static $name: Function = Function::read(
            stringify!($name),
            $synopsis,
            $syntax,
            "Not offered: reading is empty, with a log entry.",
            |cx, _, _| read(cx, stringify!($name), $needs),
        )
        .support(Support::Refused($needs))
        .examples(&[refused!(% $name)]);
    };
    (@ write $name:ident $syntax:literal $synopsis:literal $needs:literal) => {
        #[doc = $synopsis]
        pub static $name: Function = Function::write_only(
            stringify!($name),
            $synopsis,
            $syntax,
            "Not offered: writing does nothing, with a log entry.",
            |cx, _, _| write(cx, stringify!($name), $needs),
        )
        .support(Support::Refused($needs))
        .examples(&[refused!(% $name)]);
    };
    (@ both $name:ident $syntax:literal $synopsis:literal $needs:literal) => {
        #[doc = $synopsis]
        pub static $name: Function = Function::read_write(
            stringify!($name),
            $synopsis,
            $syntax,
            "Not offered: reading is empty and writing does nothing, each with a log entry.",
            |cx, _, _| read(cx, stringify!($name), $needs),
            |cx, _, _| write(cx, stringify!($name), $needs),
        )
        .support(Support::Refused($needs))
        .examples(&[refused!(% $name)]);
    };
    (% $name:ident) => {
        Example {
            title: "Refused",
            dialplan: concat!("Set(", stringify!($name), "(a,b)=c)"),
            evaluate: concat!("[${", stringify!($name), "(a,b)}]"),
            expect: "[]",
        }
    };
}

refused! {
    AST_SORCERY read "module,type,id,field[,method[,index]]" "A value of a configured object." "needs Asterisk's configuration objects";
    SMDI_MSG read "id,item" "A value of a message from a telephone exchange." "needs an SMDI link";
    SMDI_MSG_RETRIEVE read "port,key[,timeout[,options]]" "Waits for a message from a telephone exchange." "needs an SMDI link";
    SPEECH read "status|spoke|results" "How speech recognition stands." "needs a speech recognizer";
    SPEECH_ENGINE both "name" "A setting of the speech recognizer." "needs a speech recognizer";
    SPEECH_GRAMMAR read "[number/]result" "The grammar that a result matched." "needs a speech recognizer";
    SPEECH_RESULTS_TYPE write "" "The kind of results of speech recognition." "needs a speech recognizer";
    SPEECH_SCORE read "[number/]result" "How sure a result is." "needs a speech recognizer";
    SPEECH_TEXT read "[number/]result" "The text of a result." "needs a speech recognizer";
}

fn entry(cx: &mut Cx<'_>, name: &str, needs: &str) {
    cx.log(&code::NOT_ALLOWED, || format!("{name} {needs}"));
}

fn read(cx: &mut Cx<'_>, name: &str, needs: &str) -> Answer {
    entry(cx, name, needs);
    Answer::Failed
}

fn write(cx: &mut Cx<'_>, name: &str, needs: &str) -> Flow {
    entry(cx, name, needs);
    Flow::Next
}
