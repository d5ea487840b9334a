//! BLACKLIST.

use crate::library::{Example, Function};
use crate::machine::{Answer, Cx};

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
        let listed = [&caller.number, &caller.name]
            .into_iter()
            .flatten()
            .any(|key| cx.shared().store().get(FAMILY, key).is_some());
        out.push(if listed { b'1' } else { b'0' });
        Answer::Done
    },
)
.examples(&[Example {
    title: "A number",
    dialplan: "Set(CALLERID(num)=0190)\nSet(DB(blacklist/0190)=1)",
    evaluate: "${BLACKLIST()}",
    expect: "1",
}]);
