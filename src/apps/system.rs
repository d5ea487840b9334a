//! System, `TrySystem`.

use crate::base::Text;
use crate::diagnostic::{Level, code};
use crate::library::{Application, Example};
use crate::machine::{Cx, Effect, Event, Flow, OutsideRequest};

/// Run a command of the shell.
pub static SYSTEM: Application = Application::new(
    "System",
    "Run a command of the system.",
    "command",
    "Runs a command with the shell of the host, if the engine allows it. Backslash escapes are decoded, and a pair of \
     quotes around the whole is dropped. SYSTEMSTATUS is SUCCESS, APPERROR (the command reports an error) or FAILURE \
     (it could not be run: the call ends).",
    |cx, data| run(cx, "System", data, || Flow::Leave),
);

/// Run a command of the shell; the call goes on in any case.
pub static TRY_SYSTEM: Application = Application::new(
    "TrySystem",
    "Run a command of the system and go on in any case.",
    "command",
    "Runs a command as System does. SYSTEMSTATUS is SUCCESS, APPERROR or FAILURE; the call goes on in any case.",
    |cx, data| run(cx, "TrySystem", data, || Flow::Next),
)
.examples(&[Example { title: "Commands are refused unless the engine allows them", dialplan: "TrySystem(rm -f /tmp/greeting.wav)", evaluate: "${SYSTEMSTATUS}", expect: "FAILURE" }]);

fn run(cx: &mut Cx<'_>, name: &'static str, data: &[u8], failed: fn() -> Flow) -> Flow {
    if data.is_empty() {
        cx.log(&code::ARGUMENT_MISSING, || {
            format!("{name} needs a command")
        });
        cx.set(b"SYSTEMSTATUS", b"FAILURE");
        return failed();
    }
    if !cx.allow().system {
        cx.log(&code::NOT_ALLOWED, || {
            format!("{name}: commands of the system are not allowed here")
        });
        cx.set(b"SYSTEMSTATUS", b"FAILURE");
        return failed();
    }
    let mut command = decoded(data);
    if let [first @ (b'"' | b'\''), inside @ .., last] = command.as_slice()
        && first == last
    {
        cx.log_at(&code::BAD_ARGUMENT, Level::Notice, || {
            format!("{name} needs no quotes around the command")
        });
        command = inside.to_vec();
    }
    let effect = Effect::Outside(OutsideRequest::Execute(Text::from(command)));
    Flow::wait_then(effect, move |cx, event| {
        let status: &[u8] = match event {
            Event::Hangup(_) => return Flow::Leave,
            Event::Failed(_) | Event::Timeout => b"FAILURE",
            Event::Value(exit) => match exit.trim_ascii() {
                b"" | b"0" => b"SUCCESS",
                // What a shell says of a command that it does not find.
                b"127" => b"FAILURE",
                _ => b"APPERROR",
            },
            _ => b"SUCCESS",
        };
        cx.set(b"SYSTEMSTATUS", status);
        if status == b"FAILURE" {
            return failed();
        }
        Flow::Next
    })
}

/// A text with its backslash escapes decoded as in C; an unknown one stays as the character itself.
pub(super) fn decoded(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let Some((&escape, tail)) = rest.split_first() else {
            break;
        };
        rest = tail;
        match escape {
            b'a' => out.push(7),
            b'b' => out.push(8),
            b'f' => out.push(12),
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b't' => out.push(b'\t'),
            b'v' => out.push(11),
            b'x' => out.push(number(&mut rest, 16, 2, 0)),
            b'0'..=b'7' => out.push(number(&mut rest, 8, 2, escape - b'0')),
            other => out.push(other),
        }
    }
    out
}

/// Takes at most `most` digits of a base off a text.
fn number(rest: &mut &[u8], base: u32, most: usize, begin: u8) -> u8 {
    let mut number = u32::from(begin);
    for _ in 0..most {
        let Some((&byte, tail)) = rest.split_first() else {
            break;
        };
        let Some(digit) = char::from(byte).to_digit(base) else {
            break;
        };
        number = number * base + digit;
        *rest = tail;
    }
    (number & 0xff) as u8
}

#[cfg(test)]
mod tests {
    use super::decoded;

    #[test]
    fn escapes_are_those_of_c() {
        assert_eq!(decoded(br"a\tb\x41\101\\\q\"), b"a\tbAA\\q");
    }
}
