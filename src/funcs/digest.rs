//! MD5 and SHA1.

use md5::{Digest, Md5};
use sha1::Sha1;

use crate::diagnostic::code;
use crate::library::{Example, Function};
use crate::machine::{Answer, Cx};

/// MD5 digest.
pub static MD5: Function = Function::read(
    "MD5",
    "MD5 digest of a text.",
    "text",
    "32 hexadecimal digits in lower case. An empty text has no value.",
    |cx: &mut Cx<'_>, text, out| digest(cx, "MD5", text, &Md5::digest(text), out),
)
.examples(&[Example {
    title: "Digest of a password",
    dialplan: "",
    evaluate: "${MD5(a)}",
    expect: "0cc175b9c0f1b6a831c399e269772661",
}]);

/// SHA-1 digest.
pub static SHA1: Function = Function::read(
    "SHA1",
    "SHA-1 digest of a text.",
    "text",
    "40 hexadecimal digits in lower case. An empty text has no value.",
    |cx: &mut Cx<'_>, text, out| digest(cx, "SHA1", text, &Sha1::digest(text), out),
)
.examples(&[Example {
    title: "Digest of a text",
    dialplan: "",
    evaluate: "${SHA1(a)}",
    expect: "86f7e437faa5a7fce15d1ddcb9eaeaea377667b8",
}]);

fn digest(cx: &mut Cx<'_>, name: &str, text: &[u8], digest: &[u8], out: &mut Vec<u8>) -> Answer {
    if text.is_empty() {
        cx.log(&code::BAD_ARGUMENT, || format!("{name} without a text"));
        return Answer::Failed;
    }
    for byte in digest {
        out.extend_from_slice(format!("{byte:02x}").as_bytes());
    }
    Answer::Done
}
