//! Values of `ExecRule`: as they are where nothing in them is special, else in quotes.
//!
//! In quotes a quote is doubled. Pieces in quotes that follow each other are one value, so that no piece needs to
//! hold `${` or `$[`, and bytes that a line cannot hold stand between them as `x` and hexadecimal digits.

/// Writes a value.
pub(super) fn write(value: &[u8], out: &mut Vec<u8>) {
    let special = value
        .iter()
        .any(|&byte| byte == b',' || byte == b'"' || byte.is_ascii_control())
        || value.windows(2).any(is_substitution)
        || value.is_empty()
        || value.trim_ascii().len() != value.len();
    if !special {
        out.extend_from_slice(value);
        return;
    }
    out.push(b'"');
    let mut bytes = value.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => out.extend_from_slice(b"\"\""),
            b'$' if matches!(bytes.peek(), Some(b'{' | b'[')) => out.extend_from_slice(b"$\" \""),
            _ if byte.is_ascii_control() => {
                out.extend_from_slice(format!("\" x{byte:02X} \"").as_bytes());
            }
            _ => out.push(byte),
        }
    }
    out.push(b'"');
}

/// Whether two bytes start a substitution.
pub(super) fn is_substitution(pair: &[u8]) -> bool {
    matches!(pair, b"${" | b"$[")
}

/// The fields of the data of `ExecRule`: names and values.
pub(crate) fn fields(data: &[u8]) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut fields = Vec::new();
    let mut rest = data;
    while !rest.is_empty() {
        let end = rest
            .iter()
            .position(|byte| b"=,".contains(byte))
            .unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        let name = name.trim_ascii().to_vec();
        let (value, after) = match after.split_first() {
            Some((b'=', after)) => value(after),
            _ => (Vec::new(), after),
        };
        fields.push((name, value));
        rest = after.get(1..).unwrap_or_default();
    }
    fields
}

/// A value, and what follows from its comma on.
fn value(text: &[u8]) -> (Vec<u8>, &[u8]) {
    if text.first() != Some(&b'"') {
        let end = memchr::memchr(b',', text).unwrap_or(text.len());
        let (value, rest) = text.split_at(end);
        return (value.to_vec(), rest);
    }
    let mut out = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_ascii_start();
        match rest.split_first() {
            Some((b'"', mut inside)) => {
                while let Some((&byte, after)) = inside.split_first() {
                    inside = after;
                    if byte != b'"' {
                        out.push(byte);
                    } else if let Some((b'"', after)) = after.split_first() {
                        out.push(b'"');
                        inside = after;
                    } else {
                        break;
                    }
                }
                rest = inside;
            }
            Some((b'x', digits)) => {
                let text = digits
                    .get(..2)
                    .and_then(|digits| std::str::from_utf8(digits).ok());
                out.extend(text.and_then(|text| u8::from_str_radix(text, 16).ok()));
                rest = digits.get(2..).unwrap_or_default();
            }
            _ => {
                let end = memchr::memchr(b',', rest).unwrap_or(rest.len());
                return (out, rest.get(end..).unwrap_or_default());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back() {
        for text in [
            &b"\\/\\* [0-1]"[..],
            b"a,b",
            b"",
            b" a ",
            b"say \"x\"",
            b"\\$[0-9]${X}",
            b"line\nline\x01",
            b"x41",
            b"a=b\xff",
        ] {
            let mut data = b"1,one=".to_vec();
            write(text, &mut data);
            data.extend_from_slice(b",apply");
            assert!(!data.windows(2).any(is_substitution));
            let fields = fields(&data);
            assert_eq!(fields.len(), 3);
            assert_eq!(fields[1], (b"one".to_vec(), text.to_vec()));
        }
    }
}
