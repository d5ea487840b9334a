//! TIMEOUT.

use std::time::Duration;

use crate::base::scan::double;
use crate::diagnostic::{Level, code};
use crate::library::{Example, Function};
use crate::machine::{Answer, Cx, Flow};

/// Time-outs of the channel.
pub static TIMEOUT: Function = Function::read_write(
    "TIMEOUT",
    "A time-out of the channel, in seconds.",
    "digit|response|absolute",
    "`digit` is the wait for a further digit, `response` the wait for the first one, `absolute` ends the call (0: \
     never; read as the time that is left). The first letter is enough. What is negative or no number is 0.",
    |cx: &mut Cx<'_>, arguments, out| {
        let timeouts = *cx.channel().timeouts;
        let left = match which(cx, arguments) {
            None => return Answer::Failed,
            Some(b'd') => timeouts.digit,
            Some(b'r') => timeouts.response,
            Some(_) => match timeouts.absolute {
                None => {
                    out.push(b'0');
                    return Answer::Done;
                }
                Some(end) => end.saturating_sub(cx.now()),
            },
        };
        let millis = left.as_millis();
        let text = format!("{}.{:03}", millis / 1000, millis % 1000);
        out.extend_from_slice(text.as_bytes());
        Answer::Done
    },
    |cx: &mut Cx<'_>, arguments, value| {
        let Some(which) = which(cx, arguments) else {
            return Flow::Next;
        };
        let seconds = double(value).map_or(0.0, |(n, _)| n);
        // A century is as good as never, and keeps sums in range.
        let time = Duration::try_from_secs_f64(seconds.clamp(0.0, 3.2e9)).unwrap_or_default();
        let now = cx.now();
        let timeouts = &mut *cx.channel_mut().timeouts;
        match which {
            b'd' => timeouts.digit = time,
            b'r' => timeouts.response = time,
            _ => timeouts.absolute = (!time.is_zero()).then(|| now.saturating_add(time)),
        }
        Flow::Next
    },
)
.examples(&[Example {
    title: "Faster dialling",
    dialplan: "Set(TIMEOUT(digit)=2.5)",
    evaluate: "${TIMEOUT(digit)} ${TIMEOUT(response)} ${TIMEOUT(absolute)}",
    expect: "2.500 10.000 0",
}]);

fn which(cx: &mut Cx<'_>, arguments: &[u8]) -> Option<u8> {
    let letter = arguments.first().map(u8::to_ascii_lowercase);
    let known = letter.filter(|b| b"dra".contains(b));
    if known.is_none() {
        cx.log_at(&code::BAD_ARGUMENT, Level::Error, || {
            "TIMEOUT knows digit, response and absolute".to_owned()
        });
    }
    known
}
