//! SAYFILES.

use crate::base::arguments::standard;
use crate::base::scan::int;
use crate::diagnostic::code;
use crate::library::{Example, Function};
use crate::machine::{Answer, Cx};

/// Sound files of a text.
pub static SAYFILES: Function = Function::read(
    "SAYFILES",
    "Names of the sound files that say a text.",
    "value[,alpha|digits|money|number|ordinal|phonetic]",
    "In the form that Playback takes, with `&` between; spelled out when no kind is said. Numbers, ordinals and money \
     are English, with a warning where the language of the channel is another: Asterisk knows no other here.",
    |cx: &mut Cx<'_>, arguments, out| {
        let arguments = standard(arguments, 2);
        let Some(value) = arguments.first().filter(|v| !v.is_empty()) else {
            cx.log(&code::BAD_ARGUMENT, || "SAYFILES needs a value".to_owned());
            return Answer::Failed;
        };
        let kind = arguments.get(1).filter(|kind| !kind.is_empty());
        let files = match kind.map_or(&b"alpha"[..], Vec::as_slice) {
            b"alpha" => value.iter().map(|b| letter(*b)).collect(),
            b"digits" => value.iter().filter_map(|b| digit(*b)).collect(),
            b"phonetic" => value.iter().map(|b| phonetic(*b)).collect(),
            kind @ (b"number" | b"ordinal") => match whole_number(value) {
                Some(n) => {
                    note_language(cx);
                    let files = number(n);
                    if kind == b"ordinal" { ordinal(files) } else { files }
                }
                None => return no_number(cx, value),
            },
            b"money" => {
                note_language(cx);
                money(value)
            }
            kind => {
                cx.log(&code::BAD_ARGUMENT, || {
                    format!("SAYFILES does not know `{}`", bstr::BStr::new(kind))
                });
                return Answer::Failed;
            }
        };
        out.extend_from_slice(files.join("&").as_bytes());
        Answer::Done
    },
)
.examples(&[
    Example {
        title: "Spelled",
        dialplan: "",
        evaluate: "${SAYFILES(Hi 3)}",
        expect: "letters/h&letters/i&letters/space&digits/3",
    },
    Example {
        title: "A number",
        dialplan: "",
        evaluate: "${SAYFILES(1042,number)} ${SAYFILES(35,digits)} ${SAYFILES(1.05,money)}",
        expect: "digits/1&digits/thousand&digits/40&digits/2 digits/3&digits/5 \
                 digits/1&letters/dollar_&and&digits/5&cents",
    },
    Example {
        title: "A place in a row",
        dialplan: "",
        evaluate: "${SAYFILES(35,ordinal)} ${SAYFILES(40000,ordinal)} ${SAYFILES(0,money)}",
        expect: "digits/30&digits/h-5 digits/40&digits/h-thousand digits/0&cents",
    },
]);

fn no_number(cx: &mut Cx<'_>, value: &[u8]) -> Answer {
    cx.log(&code::NOT_A_NUMBER, || {
        format!("`{}` is no number", bstr::BStr::new(value))
    });
    Answer::Failed
}

/// The whole text as a number of C: decimal, or hexadecimal after `0x`, or octal after `0`.
fn whole_number(text: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(text).ok()?.trim_start();
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let prefixed = |prefix: &str| digits.to_ascii_lowercase().starts_with(prefix);
    let (radix, digits) = if prefixed("0x") {
        (16, digits.get(2..)?)
    } else if prefixed("0") && digits.len() > 1 {
        (8, digits)
    } else {
        (10, digits)
    };
    if !digits.starts_with(|c: char| c.is_digit(radix)) {
        return None;
    }
    let n = i64::from_str_radix(digits, radix).ok()?;
    let n = if negative { -n } else { n };
    i32::try_from(n).ok().map(i64::from)
}

fn note_language(cx: &mut Cx<'_>) {
    let language = cx.channel().language.clone();
    if !language.to_ascii_lowercase().starts_with(b"en") {
        cx.log(&code::BAD_ARGUMENT, || {
            format!("SAYFILES says numbers in English, not in `{language}`")
        });
    }
}

/// The last file of a number becomes that of the ordinal.
fn ordinal(mut files: Vec<String>) -> Vec<String> {
    if let Some(last) = files.last_mut() {
        *last = last.replace("digits/", "digits/h-");
    }
    files
}

/// Characters with a file of their own; the misspelling is that of the files.
fn sign(b: u8) -> Option<&'static str> {
    Some(match b {
        b'*' => "digits/star",
        b'#' => "digits/pound",
        b'!' => "letters/exclaimation-point",
        b'@' => "letters/at",
        b'$' => "letters/dollar",
        b'-' => "letters/dash",
        b'.' => "letters/dot",
        b'=' => "letters/equals",
        b'+' => "letters/plus",
        b'/' => "letters/slash",
        b' ' => "letters/space",
        _ => return None,
    })
}

fn letter(b: u8) -> String {
    match sign(b) {
        Some(file) => file.to_owned(),
        None if b.is_ascii_digit() => format!("digits/{}", b as char),
        None => format!("letters/{}", b.to_ascii_lowercase() as char),
    }
}

fn phonetic(b: u8) -> String {
    if b.is_ascii_alphabetic() {
        format!("phonetic/{}_p", b.to_ascii_lowercase() as char)
    } else {
        letter(b)
    }
}

fn digit(b: u8) -> Option<String> {
    match b {
        b'*' => Some("digits/star".to_owned()),
        b'#' => Some("digits/pound".to_owned()),
        b'-' => Some("digits/minus".to_owned()),
        b'0'..=b'9' => Some(format!("digits/{}", b as char)),
        _ => None,
    }
}

/// A whole number in English words.
fn number(n: i64) -> Vec<String> {
    let mut files = Vec::new();
    let mut rest = n.unsigned_abs();
    if n < 0 {
        files.push("digits/minus".to_owned());
    }
    if rest == 0 {
        files.push("digits/0".to_owned());
    }
    for (size, name) in [
        (1_000_000_000, "digits/billion"),
        (1_000_000, "digits/million"),
        (1_000, "digits/thousand"),
    ] {
        // Of numbers beyond the billions the billions are said as a number below a thousand only.
        let part = (rest / size) % 1_000;
        if part > 0 {
            below_thousand(part, &mut files);
            files.push(name.to_owned());
        }
        rest %= size;
    }
    below_thousand(rest, &mut files);
    files
}

fn below_thousand(n: u64, files: &mut Vec<String>) {
    if n >= 100 {
        files.push(format!("digits/{}", n / 100));
        files.push("digits/hundred".to_owned());
    }
    let rest = n % 100;
    if rest >= 20 {
        files.push(format!("digits/{}", rest / 10 * 10));
        if !rest.is_multiple_of(10) {
            files.push(format!("digits/{}", rest % 10));
        }
    } else if rest > 0 {
        files.push(format!("digits/{rest}"));
    }
}

/// Dollars and cents; of the cents two digits count.
fn money(value: &[u8]) -> Vec<String> {
    let mut parts = value.splitn(2, |b| *b == b'.');
    let mut dollars = parts.next().and_then(int).map_or(0, |(n, _)| n);
    let mut digits = parts
        .next()
        .unwrap_or(&[])
        .iter()
        .take_while(|b| b.is_ascii_digit())
        .map(|b| i32::from(b - b'0'));
    let cents = digits.next().unwrap_or(0) * 10 + digits.next().unwrap_or(0);
    let mut files = Vec::new();
    dollars = dollars.max(0);
    if dollars > 0 {
        files = number(i64::from(dollars));
        let unit = match (dollars, cents) {
            (1, 0) => "letters/dollar",
            // A file that is spoken without a pause after it.
            (1, _) => "letters/dollar_",
            _ => "dollars",
        };
        files.push(unit.to_owned());
    }
    if cents > 0 || dollars == 0 {
        if dollars > 0 {
            files.push("and".to_owned());
        }
        files.extend(number(i64::from(cents)));
        files.push(if cents == 1 { "cent" } else { "cents" }.to_owned());
    }
    files
}
