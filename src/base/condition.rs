//! When a text counts as true (GotoIf, ExecIf, While, `IF()`).

/// Empty is false; a text that begins with an integer (after blanks, perhaps signed) is that integer taken
/// as 32 bits, compared with 0; anything else is true (observed with Asterisk master 2026-08).
pub fn is_true(text: &[u8]) -> bool {
    if text.is_empty() {
        return false;
    }
    let rest = text.trim_ascii_start();
    let digits = match rest.split_first() {
        Some((b'+' | b'-', digits)) => digits,
        _ => rest,
    };
    let end = digits
        .iter()
        .position(|b| !b.is_ascii_digit())
        .unwrap_or(digits.len());
    if end == 0 {
        return true;
    }
    let number = digits.iter().take(end).fold(0i64, |n, b| {
        n.saturating_mul(10).saturating_add(i64::from(b - b'0'))
    });
    // Only the low 32 bits count; the sign does not change whether they are all zero.
    number as i32 != 0
}

/// Whether a setting is on: `yes`, `true`, `y`, `t`, `1`, `on`, without regard to case.
pub fn is_yes(text: &[u8]) -> bool {
    let words: [&[u8]; 6] = [b"yes", b"true", b"y", b"t", b"1", b"on"];
    words.iter().any(|word| word.eq_ignore_ascii_case(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn truth() {
        for text in [
            "",
            "0",
            " 0",
            "00",
            "0x1",
            "0.5",
            "-0",
            "0abc",
            "0 1",
            "4294967296",
        ] {
            assert!(!is_true(text.as_bytes()), "{text:?}");
        }
        for text in [
            " ",
            "\"0\"",
            "abc",
            "-1",
            "+",
            "--1",
            "no",
            "nan",
            "2147483648",
        ] {
            assert!(is_true(text.as_bytes()), "{text:?}");
        }
    }
}
