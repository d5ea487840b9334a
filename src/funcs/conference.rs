//! CONFBRIDGE, `CONFBRIDGE_CHANNELS` and `CONFBRIDGE_INFO`.

use crate::base::arguments::standard;
use crate::diagnostic::{Level, code};
use crate::library::{Example, Function, Support};
use crate::machine::{Answer, Cx, Flow};

const LACKS: &str = "there are no conferences: every name is that of one that nobody is in";
/// What can be asked of a conference.
const ASKED: &[&str] = &["admins", "locked", "marked", "muted", "parties"];

/// Settings of a conference.
pub static CONFBRIDGE: Function = Function::write_only(
    "CONFBRIDGE",
    "A setting of the conference that this channel will join.",
    "user|bridge|menu,option",
    "Kept for the host, which joins conferences.",
    |cx: &mut Cx<'_>, arguments, value| {
        let fields = standard(arguments, 2);
        match fields.as_slice() {
            [kind, option, ..] if !kind.is_empty() && !option.is_empty() => {
                let key = [b"CONFBRIDGE ", kind.as_slice(), b",", option].concat();
                cx.channel_mut().set_setting(&key, value);
            }
            _ => cx.log(&code::BAD_ARGUMENT, || {
                "CONFBRIDGE needs a kind and an option".to_owned()
            }),
        }
        Flow::Next
    },
)
.support(Support::Simulated)
.examples(&[Example {
    title: "Silent at first",
    dialplan: "Set(CONFBRIDGE(user,startmuted)=yes)",
    evaluate: "on",
    expect: "on",
}]);

/// Channels in a conference.
pub static CONFBRIDGE_CHANNELS: Function = Function::read(
    "CONFBRIDGE_CHANNELS",
    "The channels in a conference.",
    "admins|marked|parties,conference",
    "Names with commas between; empty when nobody is there.",
    |cx: &mut Cx<'_>, arguments, _| {
        if asked(cx, "CONFBRIDGE_CHANNELS", arguments) {
            Answer::Done
        } else {
            Answer::Failed
        }
    },
)
.support(Support::Partial(LACKS))
.examples(&[Example {
    title: "Nobody",
    dialplan: "",
    evaluate: "[${CONFBRIDGE_CHANNELS(parties,6000)}]",
    expect: "[]",
}]);

/// What is known of a conference.
pub static CONFBRIDGE_INFO: Function = Function::read(
    "CONFBRIDGE_INFO",
    "How many are in a conference, or whether it is locked or muted.",
    "admins|locked|marked|muted|parties,conference",
    "0 when nobody is there.",
    |cx: &mut Cx<'_>, arguments, out| {
        if !asked(cx, "CONFBRIDGE_INFO", arguments) {
            return Answer::Failed;
        }
        out.push(b'0');
        Answer::Done
    },
)
.support(Support::Partial(LACKS))
.examples(&[Example {
    title: "Nobody",
    dialplan: "",
    evaluate: "${CONFBRIDGE_INFO(parties,6000)}",
    expect: "0",
}]);

/// Whether the arguments are a known question about a conference.
fn asked(cx: &mut Cx<'_>, function: &str, arguments: &[u8]) -> bool {
    let fields = standard(arguments, 2);
    let [question, conference] = fields.as_slice() else {
        cx.log(&code::BAD_ARGUMENT, || {
            format!("{function} needs a question and a conference")
        });
        return false;
    };
    let known = ASKED
        .iter()
        .any(|known| known.as_bytes().eq_ignore_ascii_case(question));
    if !known || conference.is_empty() {
        cx.log_at(&code::BAD_ARGUMENT, Level::Error, || {
            format!("{function} does not know `{}`", bstr::BStr::new(question))
        });
        return false;
    }
    true
}
