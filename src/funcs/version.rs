//! VERSION.

use crate::diagnostic::code;
use crate::library::{Example, Function};
use crate::machine::{Answer, Cx};

/// Which version this is.
pub static VERSION: Function = Function::read(
    "VERSION",
    "The version of Asterisk that this engine stands for.",
    "[item]",
    "The form is that of Asterisk's master branch, whose behaviour this is, with the engine's own version in it. Items \
     are ASTERISK_VERSION_NUM, BUILD_USER, BUILD_HOSTNAME, BUILD_MACHINE, BUILD_KERNEL, BUILD_OS and \
     BUILD_DATE, which are those of the engine: who built it, where, and when.",
    |cx: &mut Cx<'_>, item, out| {
        let text = match item {
            b"" => concat!("GIT-master-strowger-", env!("CARGO_PKG_VERSION")),
            // What master calls itself as a number.
            b"ASTERISK_VERSION_NUM" => "999999",
            b"BUILD_USER" => env!("STROWGER_BUILD_USER"),
            b"BUILD_HOSTNAME" => env!("STROWGER_BUILD_HOSTNAME"),
            b"BUILD_MACHINE" => env!("STROWGER_BUILD_MACHINE"),
            b"BUILD_KERNEL" => env!("STROWGER_BUILD_KERNEL"),
            b"BUILD_OS" => env!("STROWGER_BUILD_OS"),
            b"BUILD_DATE" => env!("STROWGER_BUILD_DATE"),
            _ => {
                cx.log(&code::BAD_ARGUMENT, || {
                    format!("VERSION does not know `{}`", bstr::BStr::new(item))
                });
                ""
            }
        };
        out.extend_from_slice(text.as_bytes());
        Answer::Done
    },
)
.examples(&[Example {
    title: "As a number",
    dialplan: "",
    evaluate: "${VERSION(ASTERISK_VERSION_NUM)}",
    expect: "999999",
}]);
