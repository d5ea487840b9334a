//! IF, IFTIME, ISNULL and EXISTS.

use crate::base::arguments::Few;
use crate::base::condition::is_true;
use crate::base::scan::strip;
use crate::base::timespec::Timespec;
use crate::diagnostic::code;
use crate::library::{Example, Function};
use crate::machine::{Answer, Cx};

/// One of two texts.
pub static IF: Function = Function::read(
    "IF",
    "One of two texts, by a condition.",
    "condition?[yes][:no]",
    "The condition is true unless it is empty or an integer 0. Quotes, brackets and `\\` protect `?` and `:`, and \
     quotes are removed; blanks around the parts too. An empty condition has no value at all.",
    |_: &mut Cx<'_>, arguments, out| {
        let halves = Few::<2>::split(arguments, b'?', true);
        let branches = Few::<2>::split(halves.get(1).unwrap_or(&[]), b':', true);
        let condition = halves.get(0).unwrap_or(&[]);
        if condition.is_empty() || branches.get(0).is_none() {
            return Answer::Failed;
        }
        let chosen = branches.get(usize::from(!is_true(strip(condition))));
        out.extend_from_slice(strip(chosen.unwrap_or(&[])));
        Answer::Done
    },
)
.pure()
.examples(&[Example {
    title: "A word for a number",
    dialplan: "Set(n=1)",
    evaluate: "${n} call${IF($[${n} = 1]?:s)}",
    expect: "1 call",
}]);

/// One of two texts, by the time.
pub static IFTIME: Function = Function::read(
    "IFTIME",
    "One of two texts, by the time.",
    "times,weekdays,days,months[,zone]?[yes][:no]",
    "The time specification is that of GotoIfTime. Quotes around a part are removed.",
    |cx: &mut Cx<'_>, arguments, out| {
        let arguments = unquoted(arguments);
        let (times, branches) = halves(arguments, b'?');
        let (yes, no) = halves(branches.unwrap_or(&[]), b':');
        if times.is_empty() || branches.is_none_or(<[u8]>::is_empty) {
            cx.log(&code::BAD_ARGUMENT, || {
                "IFTIME needs a time and at least one text".to_owned()
            });
            return Answer::Failed;
        }
        let mut bad = Vec::new();
        let times = Timespec::parse(times, &mut |element| bad.push(element.text));
        for text in bad {
            cx.log(&code::BAD_TIMESPEC, || format!("`{text}` is no time"));
        }
        let chosen = if cx.holds(&times, None) {
            yes
        } else {
            no.unwrap_or(&[])
        };
        out.extend_from_slice(unquoted(chosen));
        Answer::Done
    },
)
.pure()
.examples(&[Example {
    title: "Always",
    dialplan: "",
    evaluate: "${IFTIME(*,*,*,*?open:closed)}",
    expect: "open",
}]);

fn halves(text: &[u8], delimiter: u8) -> (&[u8], Option<&[u8]>) {
    match text.iter().position(|b| *b == delimiter) {
        Some(at) => (text.get(..at).unwrap_or(&[]), text.get(at + 1..)),
        None => (text, None),
    }
}

/// Without blanks around it, and without one pair of quotes around that.
fn unquoted(text: &[u8]) -> &[u8] {
    let text = strip(text);
    match text {
        [b'"', inside @ .., b'"'] => inside,
        _ => text,
    }
}

/// Whether a text is empty.
pub static ISNULL: Function = Function::read(
    "ISNULL",
    "Whether a text is empty.",
    "text",
    "1 for an empty text, else 0; a blank is not empty.",
    |_: &mut Cx<'_>, text, out| {
        out.push(if text.is_empty() { b'1' } else { b'0' });
        Answer::Done
    },
)
.pure()
.examples(&[Example {
    title: "A variable that was never set",
    dialplan: "Set(a=0)",
    evaluate: "${ISNULL(${a})}${ISNULL(${b})}",
    expect: "01",
}]);

/// Whether a text is not empty.
pub static EXISTS: Function = Function::read(
    "EXISTS",
    "Whether a text is not empty.",
    "text",
    "0 for an empty text, else 1.",
    |_: &mut Cx<'_>, text, out| {
        out.push(if text.is_empty() { b'0' } else { b'1' });
        Answer::Done
    },
)
.pure()
.examples(&[Example {
    title: "A variable that was never set",
    dialplan: "Set(a=0)",
    evaluate: "${EXISTS(${a})}${EXISTS(${b})}",
    expect: "10",
}]);
