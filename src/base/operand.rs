//! What a text is as an operand of `$[ ]`.

/// Characters of word tokens, without `$`, which pairs with what follows.
pub fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || byte >= 0x80
        || matches!(
            byte,
            b'.' | b'\'' | b';' | b'\\' | b'_' | b'^' | b'#' | b'@'
        )
}

/// `[0-9]+(\.[0-9]+)?`
pub fn is_number(text: &[u8]) -> bool {
    let digits = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    match text.iter().position(|&b| b == b'.') {
        None => digits(text),
        Some(dot) => text
            .split_at_checked(dot)
            .is_some_and(|(whole, rest)| digits(whole) && digits(rest.get(1..).unwrap_or(&[]))),
    }
}

/// Without the blanks around it, which do not belong to an operand; `None` = nothing is left.
pub fn trimmed(text: &[u8]) -> Option<&[u8]> {
    let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
    let start = text.iter().position(|byte| !blank(byte))?;
    let end = text.iter().rposition(|byte| !blank(byte))? + 1;
    text.get(start..end)
}
