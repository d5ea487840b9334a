//! GotoIfTime, `ExecIfTime`.

use super::goto::{cut, jump};
use crate::base::Text;
use crate::base::timespec::Timespec;
use crate::diagnostic::code;
use crate::library::Application;
use crate::machine::{Cx, Flow};

/// Go to one of two places by the time.
pub static GOTO_IF_TIME: Application = Application::new(
    "GotoIfTime",
    "Conditional Goto based on the current time.",
    "times,weekdays,mdays,months[,timezone]?[labeliftrue][:labeliffalse]",
    "Goes to the first place if the present time matches, else to the second; a missing place means the next \
     priority. The variable that TESTTIME() sets takes the place of the clock.",
    run_goto,
);

/// Run an application by the time.
pub static EXEC_IF_TIME: Application = Application::new(
    "ExecIfTime",
    "Conditional application execution based on the current time.",
    "times,weekdays,mdays,months[,timezone]?application[(arguments)]",
    "Runs the application if the present time matches. Without `?` or with an unknown application the call ends.",
    run_exec,
)
.names(|data| cut(data, b'?').1.map(super::exec::named).into_iter().collect());

fn run_goto(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    if data.is_empty() {
        cx.log(&code::GOTOIFTIME_WITHOUT_ARGUMENT, || {
            "GotoIfTime needs times?place".to_owned()
        });
        return Flow::Leave;
    }
    let (times, branches) = cut(data, b'?');
    let (yes, no) = cut(branches.unwrap_or(&[]), b':');
    let spec = parse(cx, times);
    let branch = if cx.holds(&spec, test_time(cx)) {
        yes
    } else {
        no.unwrap_or(&[])
    };
    if branch.is_empty() {
        return Flow::Next;
    }
    jump(cx, branch)
}

fn run_exec(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    let (times, Some(rest)) = cut(data, b'?') else {
        cx.log(&code::EXECIFTIME_USAGE, || {
            "ExecIfTime needs times?application".to_owned()
        });
        return Flow::Leave;
    };
    if rest.is_empty() {
        cx.log(&code::EXECIFTIME_USAGE, || {
            "ExecIfTime needs an application".to_owned()
        });
        return Flow::Leave;
    }
    let spec = parse(cx, times);
    if !cx.holds(&spec, None) {
        return Flow::Next;
    }
    let (application, inside) = super::exec::call(rest);
    super::exec::start(cx, application, inside)
}

fn parse(cx: &mut Cx<'_>, text: &[u8]) -> Timespec {
    let mut bad = Vec::new();
    let spec = Timespec::parse(text, &mut |element| bad.push(element));
    for element in bad {
        cx.log(&code::BAD_TIMESPEC, || {
            format!("`{}` is not understood", element.text)
        });
    }
    spec
}

/// The time that `TESTTIME()` set, in seconds since the epoch.
fn test_time(cx: &Cx<'_>) -> Option<i64> {
    let value = cx.stored_variable(b"TESTTIME")?;
    let text: Text = value.to_text();
    let text = text.trim_ascii_start();
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    let count = digits.iter().take_while(|b| b.is_ascii_digit()).count();
    let end = text.len() - digits.len() + count;
    std::str::from_utf8(text.get(..end)?).ok()?.parse().ok()
}
