//! BLACKLIST.

use crate::base::Text;
use crate::library::{Example, Function};
use crate::machine::{Answer, Cx, StoreRequest};

/// The family of the store that holds who is not wanted.
const FAMILY: &[u8] = b"blacklist";

/// Whether the caller is not wanted.
pub static BLACKLIST: Function = Function::read(
    "BLACKLIST",
    "Whether the caller is on the blacklist.",
    "",
    "1 when the caller's number or name is a key of the family `blacklist` in the persistent store, else 0.",
    |cx: &mut Cx<'_>, _, out| {
        let caller = &cx.channel().caller;
        let (number, name) = (caller.number.clone(), caller.name.clone());
        listed(cx, number, out, |cx, there, out| {
            if there {
                out.push(b'1');
                return Answer::Done;
            }
            listed(cx, name, out, |_, there, out| {
                out.push(if there { b'1' } else { b'0' });
                Answer::Done
            })
        })
    },
)
.examples(&[Example {
    title: "A number",
    dialplan: "Set(CALLERID(num)=0190)\nSet(DB(blacklist/0190)=1)",
    evaluate: "${BLACKLIST()}",
    expect: "1",
}]);

/// Whether a number or name, if there is one, is a key of the family.
fn listed(
    cx: &mut Cx<'_>,
    key: Option<Text>,
    out: &mut Vec<u8>,
    then: impl FnOnce(&mut Cx<'_>, bool, &mut Vec<u8>) -> Answer + Send + 'static,
) -> Answer {
    let Some(key) = key else {
        return then(cx, false, out);
    };
    let request = StoreRequest::Get {
        family: Text::from(FAMILY),
        key,
    };
    Answer::store(cx, request, out, |cx, answer, out| {
        then(cx, answer.value().is_some(), out)
    })
}
