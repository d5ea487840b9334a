//! AES_ENCRYPT and AES_DECRYPT.

use aes::Aes128;
use aes::cipher::{Array, BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::base::arguments::standard;
use crate::base::scan::before_zero;
use crate::diagnostic::code;
use crate::library::{Example, Function};
use crate::machine::{Answer, Cx};

/// Encryption with AES.
pub static AES_ENCRYPT: Function = Function::read(
    "AES_ENCRYPT",
    "A text encrypted with AES, in base64.",
    "key,text",
    "The key is 16 bytes. Blocks of 16 bytes are encrypted each for itself (ECB), the last one filled with zero bytes. \
     Without a key of this length or without a text there is no value.",
    |cx: &mut Cx<'_>, arguments, out| {
        let Some((cipher, text)) = prepared(cx, "AES_ENCRYPT", arguments) else {
            return Answer::Failed;
        };
        let mut bytes = Vec::with_capacity(text.len() + BLOCK);
        for piece in text.chunks(BLOCK) {
            let mut block = filled(piece);
            cipher.encrypt_block((&mut block).into());
            bytes.extend_from_slice(&block);
        }
        out.extend_from_slice(STANDARD.encode(&bytes).as_bytes());
        Answer::Done
    },
)
.examples(&[Example {
    title: "A number for a cookie",
    dialplan: "",
    evaluate: "${AES_ENCRYPT(0123456789abcdef,5551234)}",
    expect: "FbYQZn5VeFaShG8JCCmjig==",
}]);

/// Decryption with AES.
pub static AES_DECRYPT: Function = Function::read(
    "AES_DECRYPT",
    "A text that AES_ENCRYPT made, decrypted.",
    "key,text",
    "The text is base64 of whole blocks; the key is 16 bytes. The value ends at a zero byte.",
    |cx: &mut Cx<'_>, arguments, out| {
        let Some((cipher, text)) = prepared(cx, "AES_DECRYPT", arguments) else {
            return Answer::Failed;
        };
        let mut bytes = Vec::with_capacity(text.len());
        for piece in super::base64::decoded(&text).chunks(BLOCK) {
            let mut block = filled(piece);
            cipher.decrypt_block((&mut block).into());
            bytes.extend_from_slice(&block);
        }
        out.extend_from_slice(before_zero(&bytes));
        Answer::Done
    },
)
.examples(&[Example {
    title: "There and back",
    dialplan: "Set(secret=${AES_ENCRYPT(0123456789abcdef,Call me at 9, please)})",
    evaluate: "${AES_DECRYPT(0123456789abcdef,${secret})}",
    expect: "Call me at 9, please",
}]);

/// Bytes of a block, and of a key.
const BLOCK: usize = 16;

/// A block with zero bytes at its end.
fn filled(piece: &[u8]) -> [u8; BLOCK] {
    let mut block = [0; BLOCK];
    for (to, from) in block.iter_mut().zip(piece) {
        *to = *from;
    }
    block
}

fn prepared(cx: &mut Cx<'_>, function: &str, arguments: &[u8]) -> Option<(Aes128, Vec<u8>)> {
    let mut arguments = standard(arguments, 2).into_iter();
    let (key, text) = (
        arguments.next().unwrap_or_default(),
        arguments.next().unwrap_or_default(),
    );
    if text.is_empty() {
        cx.log(&code::BAD_ARGUMENT, || {
            format!("{function} needs a key and a text")
        });
        return None;
    }
    let Ok(key) = <[u8; BLOCK]>::try_from(key.as_slice()) else {
        cx.log(&code::BAD_ARGUMENT, || {
            format!("the key of {function} is not 16 bytes long")
        });
        return None;
    };
    Some((Aes128::new(&Array::from(key)), text))
}
