//! SPRINTF.

use crate::base::arguments::standard;
use crate::base::printf::Spec;
use crate::base::scan::{atoi, before_zero, double, int};
use crate::diagnostic::{Code, Level, code};
use crate::library::{Example, Function};
use crate::machine::{Answer, Cx};

/// Formatted values.
pub static SPRINTF: Function = Function::read(
    "SPRINTF",
    "Values in a format.",
    "format[,value[,...]]",
    "The format is that of C: `d i o u x X c` take integers, `e f g a` numbers, `s` texts, `%%` is a percent sign; \
     flags, width and precision as there. A value that is no number, or too few values, give no value at all.",
    |cx: &mut Cx<'_>, arguments, out| {
        let arguments = standard(arguments, 100);
        let mut values = arguments.iter();
        let format = values.next().map_or(&[][..], Vec::as_slice);
        match print(format, &mut values) {
            Ok(text) => {
                out.extend_from_slice(before_zero(&text));
                Answer::Done
            }
            Err(fault) => {
                cx.log_at(fault, Level::Error, || format!("SPRINTF: {}", fault.title));
                Answer::Failed
            }
        }
    },
)
.examples(&[Example {
    title: "Leading zeros",
    dialplan: "Set(n=7)",
    evaluate: "${SPRINTF(%03d: %s,${n},seven)}",
    expect: "007: seven",
}]);

fn print(
    format: &[u8],
    values: &mut std::slice::Iter<'_, Vec<u8>>,
) -> Result<Vec<u8>, &'static Code> {
    let mut out = Vec::new();
    let mut rest = format;
    while let Some((&b, tail)) = rest.split_first() {
        rest = tail;
        if b != b'%' {
            out.push(b);
            continue;
        }
        let (spec, modifiers, tail) = specification(tail);
        let Some((&conversion, tail)) = tail.split_first() else {
            // A conversion that is not complete is dropped.
            break;
        };
        rest = tail;
        let text = convert(&spec, modifiers, conversion, values)?;
        out.extend_from_slice(&text);
    }
    Ok(out)
}

/// Flags, width, precision; length modifiers; what follows.
fn specification(text: &[u8]) -> (Spec, &[u8], &[u8]) {
    let mut spec = Spec::default();
    let mut rest = text;
    while let Some((flag, tail)) = rest.split_first() {
        match flag {
            b'-' => spec.left = true,
            b'0' => spec.zero = true,
            b'+' => spec.plus = true,
            b' ' => spec.blank = true,
            b'#' => spec.alternative = true,
            b'\'' | b'I' => {}
            _ => break,
        }
        rest = tail;
    }
    let digits = |text: &[u8]| text.iter().take_while(|b| b.is_ascii_digit()).count();
    let number = |text: &[u8], end: usize| {
        text.get(..end)
            .map_or(0, |t| usize::try_from(atoi(t)).unwrap_or(0))
    };
    let end = digits(rest);
    spec.width = number(rest, end);
    rest = rest.get(end..).unwrap_or(&[]);
    if let Some(tail) = rest.strip_prefix(b".") {
        let end = digits(tail);
        spec.precision = Some(number(tail, end));
        rest = tail.get(end..).unwrap_or(&[]);
    }
    let end = rest
        .iter()
        .take_while(|b| b"hlLqjzt".contains(b))
        .count();
    let (modifiers, rest) = rest.split_at_checked(end).unwrap_or((&[], rest));
    (spec, modifiers, rest)
}

fn convert(
    spec: &Spec,
    modifiers: &[u8],
    conversion: u8,
    values: &mut std::slice::Iter<'_, Vec<u8>>,
) -> Result<Vec<u8>, &'static Code> {
    let mut value = || values.next().ok_or(&code::SPRINTF_TOO_FEW_ARGUMENTS);
    match conversion {
        b'%' => Ok(b"%".to_vec()),
        b'd' | b'i' => {
            let (n, _) = int(value()?).ok_or(&code::NOT_A_NUMBER)?;
            // Asterisk hands over an int, whatever the length says.
            Ok(spec.signed(match modifiers {
                b"" => i64::from(n),
                b"h" => i64::from(n as i16),
                b"hh" => i64::from(n as i8),
                _ => i64::from(n as u32),
            }))
        }
        b'o' | b'u' | b'x' | b'X' => {
            let (n, _) = int(value()?).ok_or(&code::NOT_A_NUMBER)?;
            let n = match modifiers {
                b"h" => u64::from(n as u16),
                b"hh" => u64::from(n as u8),
                _ => u64::from(n as u32),
            };
            Ok(spec.unsigned(n, conversion))
        }
        b'c' => {
            let (n, _) = int(value()?).ok_or(&code::NOT_A_NUMBER)?;
            Ok(spec.pad(&[n as u8]))
        }
        b'e' | b'E' | b'f' | b'F' | b'g' | b'G' | b'a' | b'A' => {
            let (n, _) = double(value()?).ok_or(&code::NOT_A_NUMBER)?;
            Ok(spec.double(n, conversion))
        }
        b's' => {
            let text = values.next().map_or(&b"(null)"[..], Vec::as_slice);
            let text = spec.precision.and_then(|n| text.get(..n)).unwrap_or(text);
            Ok(spec.pad(text))
        }
        _ => {
            value()?;
            Err(&code::SPRINTF_BAD_FORMAT)
        }
    }
}
