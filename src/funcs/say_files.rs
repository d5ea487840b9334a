//! SAYFILES.

use crate::base::arguments::standard;
use crate::base::scan::{int, long};
use crate::diagnostic::code;
use crate::library::{Example, Function, Support};
use crate::machine::{Answer, Cx};

/// Sound files of a text.
pub static SAYFILES: Function = Function::read(
    "SAYFILES",
    "Names of the sound files that say a text.",
    "value[,alpha|digits|money|number|phonetic]",
    "In the form that Playback takes, with `&` between; spelled out when no kind is said.",
    |cx: &mut Cx<'_>, arguments, out| {
        let arguments = standard(arguments, 2);
        let Some(value) = arguments.first().filter(|v| !v.is_empty()) else {
            cx.log(&code::BAD_ARGUMENT, || "SAYFILES needs a value".to_owned());
            return Answer::Failed;
        };
        let kind = arguments.get(1).map_or(&b"alpha"[..], Vec::as_slice);
        let files = match kind {
            b"alpha" => value.iter().map(|b| letter(*b)).collect(),
            b"digits" => value.iter().filter_map(|b| digit(*b)).collect(),
            b"phonetic" => value.iter().map(|b| phonetic(*b)).collect(),
            b"number" => match long(value) {
                Some((n, _)) => number(n),
                None => return no_number(cx, value),
            },
            b"money" => money(value),
            _ => {
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
.support(Support::Partial("English only"))
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
                 digits/1&letters/dollar&and&digits/5&cents",
    },
]);

fn no_number(cx: &mut Cx<'_>, value: &[u8]) -> Answer {
    cx.log(&code::NOT_A_NUMBER, || {
        format!("`{}` is no number", bstr::BStr::new(value))
    });
    Answer::Failed
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
    if dollars > 0 || cents == 0 {
        files = number(i64::from(dollars));
        let unit = if dollars == 1 {
            "letters/dollar"
        } else {
            "dollars"
        };
        files.push(unit.to_owned());
    }
    if cents > 0 {
        if dollars > 0 {
            files.push("and".to_owned());
        }
        files.extend(number(i64::from(cents)));
        files.push(if cents == 1 { "cent" } else { "cents" }.to_owned());
    }
    files
}
