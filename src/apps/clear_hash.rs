//! ClearHash.

use crate::library::{Application, Example};
use crate::machine::{Cx, Flow};
use crate::program::slots::HASH_PREFIX;

/// Removes the members of a HASH().
pub static CLEAR_HASH: Application = Application::new(
    "ClearHash",
    "Clear the keys from a specified hashname.",
    "array",
    "Removes every member of an associative array, as HASH() keeps them.",
    |cx: &mut Cx<'_>, array| {
        let prefix = [HASH_PREFIX, array, b"~"].concat();
        for (name, _) in cx.variables_with_prefix(&prefix) {
            cx.remove(&name);
        }
        Flow::Next
    },
)
.examples(&[Example {
    title: "Two arrays, one cleared",
    dialplan: "Set(HASH(a,x)=1)\nSet(HASH(b,x)=2)\nClearHash(a)",
    evaluate: "[${HASHKEYS(a)}][${HASHKEYS(b)}]",
    expect: "[][x]",
}]);
