//! HASH and HASHKEYS.

use crate::base::arguments::{Few, standard};
use crate::library::{Example, Function};
use crate::machine::variables::inheritance;
use crate::machine::{Answer, Cx, Flow};
use crate::program::slots::HASH_PREFIX;

/// Associative arrays.
pub static HASH: Function = Function::read_write(
    "HASH",
    "A member of an associative array.",
    "array[,key]",
    "Without a key it gives all values, the newest first, with commas between, and notes the keys in this order \
     in `~ODBCFIELDS~`. Members are variables of the channel named `~HASH~array~key~`; `_` before the array's name \
     makes them inherited. Writing an array without a key sets the members named in `~ODBCFIELDS~`, in this order.",
    |cx: &mut Cx<'_>, arguments, out| {
        let parts = parts(arguments);
        let array = parts.get(0).unwrap_or(&[]);
        if let Some(key) = parts.get(1) {
            let mut name = cx.buffer();
            append_member(array, key, &mut name);
            if let Some(value) = cx.stored_variable(&name) {
                value.append_to(out);
            }
            cx.put_back(name);
            return Answer::Done;
        }
        let prefix = prefix(array);
        let members = cx.variables_with_prefix(&prefix);
        let mut keys = Vec::new();
        for (i, (name, value)) in members.iter().enumerate() {
            if i > 0 {
                out.push(b',');
            }
            out.extend_from_slice(value);
            keys.push(key_of(name, &prefix));
        }
        if !keys.is_empty() {
            cx.set(b"~ODBCFIELDS~", &keys.join(&b','));
        }
        Answer::Done
    },
    |cx: &mut Cx<'_>, arguments, value| {
        let parts = parts(arguments);
        let array = parts.get(0).unwrap_or(&[]);
        let (_, plain) = inheritance(array);
        let inherit = array.get(..array.len() - plain.len()).unwrap_or(&[]);
        let set = |cx: &mut Cx<'_>, key: &[u8], value: &[u8]| {
            let mut name = cx.buffer();
            name.extend_from_slice(inherit);
            append_member(plain, key, &mut name);
            cx.set(&name, value);
            cx.put_back(name);
        };
        if let Some(key) = parts.get(1) {
            set(cx, key, value);
            return Flow::Next;
        }
        let fields = cx.text_of(b"~ODBCFIELDS~");
        let values = standard(value, 100);
        for (key, value) in standard(&fields, 100).iter().zip(&values) {
            set(cx, key, value);
        }
        Flow::Next
    },
)
.examples(&[Example {
    title: "Two members",
    dialplan: "Set(HASH(price,tea)=3)\nSet(HASH(price,coffee)=4)",
    evaluate: "${HASH(price,tea)} ${HASH(price)} ${HASHKEYS(price)}",
    expect: "3 4,3 coffee,tea",
}]);

/// Keys of an array.
pub static HASHKEYS: Function = Function::read(
    "HASHKEYS",
    "Keys of an associative array.",
    "array",
    "The newest first, with commas between.",
    |cx: &mut Cx<'_>, array, out| {
        let prefix = prefix(array);
        for (i, (name, _)) in cx.variables_with_prefix(&prefix).iter().enumerate() {
            if i > 0 {
                out.push(b',');
            }
            out.extend_from_slice(key_of(name, &prefix));
        }
        Answer::Done
    },
)
.examples(&[Example {
    title: "Keys, the newest first",
    dialplan: "Set(HASH(h,a)=1)\nSet(HASH(h,b)=2)",
    evaluate: "${HASHKEYS(h)}",
    expect: "b,a",
}]);

/// Array and key, which is not unquoted.
fn parts(arguments: &[u8]) -> Few<'_, 2> {
    Few::standard(arguments)
}

fn key_of<'a>(name: &'a [u8], prefix: &[u8]) -> &'a [u8] {
    let key = name.get(prefix.len()..).unwrap_or(&[]);
    key.strip_suffix(b"~").unwrap_or(key)
}

fn prefix(array: &[u8]) -> Vec<u8> {
    [HASH_PREFIX, array, b"~"].concat()
}

fn append_member(array: &[u8], key: &[u8], out: &mut Vec<u8>) {
    for part in [HASH_PREFIX, array, b"~", key, b"~"] {
        out.extend_from_slice(part);
    }
}
