//! `QUEUE_EXISTS`, `QUEUE_MEMBER` and the others about call queues.

use crate::base::Text;
use crate::base::arguments::standard;
use crate::base::scan::int;
use crate::base::value::append_int;
use crate::diagnostic::{Level, code};
use crate::library::{Example, Function};
use crate::machine::facilities::{self, DeviceState, Member, Queue};
use crate::machine::{Answer, Cx, Flow};

/// Whether a queue exists.
pub static QUEUE_EXISTS: Function = Function::read(
    "QUEUE_EXISTS",
    "Whether a queue exists.",
    "queue",
    "1 or 0.",
    |cx: &mut Cx<'_>, queue, out| {
        if queue.is_empty() {
            return misused(cx, "QUEUE_EXISTS");
        }
        let exists = cx.shared().facilities().queues.get(queue).is_some();
        out.push(if exists { b'1' } else { b'0' });
        Answer::Done
    },
)
.examples(&[Example {
    title: "No such queue",
    dialplan: "",
    evaluate: "${QUEUE_EXISTS(sales)}",
    expect: "0",
}]);

/// The channel of a caller in a queue.
pub static QUEUE_GET_CHANNEL: Function = Function::read(
    "QUEUE_GET_CHANNEL",
    "The channel at a position of a queue.",
    "queue[,position]",
    "The first one without a position. Empty with a warning when the queue does not exist or nobody is there.",
    |cx: &mut Cx<'_>, arguments, out| {
        let fields = standard(arguments, 2);
        let Some(name) = fields.first().filter(|name| !name.is_empty()) else {
            return misused(cx, "QUEUE_GET_CHANNEL");
        };
        let position = match fields.get(1).map(Vec::as_slice) {
            None | Some([]) => 1,
            Some(text) => match int(text).map_or(0, |(n, _)| n) {
                n if n > 0 => n,
                _ => {
                    cx.log_at(&code::BAD_ARGUMENT, Level::Error, || {
                        "the position in a queue must be a number above zero".to_owned()
                    });
                    return Answer::Failed;
                }
            },
        };
        let index = usize::try_from(position - 1).unwrap_or(usize::MAX);
        let Some(channel) = with_queue(cx, name, |queue| {
            queue.callers.get(index).map(|caller| caller.channel.clone())
        }) else {
            return Answer::Failed;
        };
        let Some(channel) = channel else {
            cx.log(&code::NOT_FOUND, || {
                format!("nobody waits at position {position} of the queue")
            });
            return Answer::Failed;
        };
        out.extend_from_slice(&channel);
        Answer::Done
    },
)
.examples(&[Example {
    title: "No such queue",
    dialplan: "",
    evaluate: "[${QUEUE_GET_CHANNEL(sales,1)}]",
    expect: "[]",
}]);

/// Counts of members, and their settings.
pub static QUEUE_MEMBER: Function = Function::read_write(
    "QUEUE_MEMBER",
    "How many members a queue has, or a value of one of them.",
    "queue,option[,interface]",
    "`logged` counts members who can be reached, `free` those who do not speak and do not pause, `ready` those of them \
     who have finished with their last call, `count` all. `penalty`, `paused` and `ringinuse` are values of the member \
     `interface`, which can be written, too; written without a queue, they change in every queue. 0 with a warning when \
     the queue does not exist.",
    |cx: &mut Cx<'_>, arguments, out| {
        let fields = standard(arguments, 3);
        let (Some(name), Some(option)) = (filled(&fields, 0), filled(&fields, 1)) else {
            return misused(cx, "QUEUE_MEMBER");
        };
        let interface = fields.get(2).map_or(&[][..], Vec::as_slice);
        let option = option.to_ascii_lowercase();
        if matches!(option.as_slice(), b"logged" | b"free" | b"ready") {
            let Some(devices) = with_queue(cx, name, |queue| {
                queue.members.iter().map(|m| m.device().clone()).collect()
            }) else {
                out.push(b'0');
                return Answer::Done;
            };
            return count(cx, Text::from(name), option, devices, Vec::new(), out);
        }
        let value = with_queue(cx, name, |queue| match option.as_slice() {
            b"count" => Some(queue.members.len() as i64),
            _ => queue.member(interface).and_then(|m| value(queue, m, &option)),
        });
        match value {
            Some(Some(value)) => append_int(value, out),
            Some(None) => {
                invalid_option(cx, &option);
                out.push(b'0');
            }
            None => out.push(b'0'),
        }
        Answer::Done
    },
    |cx: &mut Cx<'_>, arguments, value| {
        let fields = standard(arguments, 3);
        let (Some(option), Some(interface)) = (filled(&fields, 1), filled(&fields, 2)) else {
            misused(cx, "QUEUE_MEMBER");
            return Flow::Next;
        };
        let queue = fields.first().map_or(&[][..], Vec::as_slice);
        write(cx, queue, &option.to_ascii_lowercase(), interface, value);
        Flow::Next
    },
)
.examples(&[Example {
    title: "No such queue",
    dialplan: "",
    evaluate: "${QUEUE_MEMBER(sales,count)}",
    expect: "0",
}]);

/// The members of a queue.
pub static QUEUE_MEMBER_LIST: Function = Function::read(
    "QUEUE_MEMBER_LIST",
    "The members of a queue.",
    "queue",
    "Interfaces with commas between; empty with a warning when the queue does not exist.",
    |cx: &mut Cx<'_>, name, out| {
        if name.is_empty() {
            return misused(cx, "QUEUE_MEMBER_LIST");
        }
        let list = with_queue(cx, name, |queue| {
            let all: Vec<&[u8]> = queue
                .members
                .iter()
                .map(|m| m.interface.as_bytes())
                .collect();
            all.join(&b',')
        });
        out.extend_from_slice(&list.unwrap_or_default());
        Answer::Done
    },
)
.examples(&[Example {
    title: "No such queue",
    dialplan: "",
    evaluate: "[${QUEUE_MEMBER_LIST(sales)}]",
    expect: "[]",
}]);

/// Sets variables about a queue.
pub static QUEUE_VARIABLES: Function = Function::read(
    "QUEUE_VARIABLES",
    "Sets variables about a queue.",
    "queue",
    "QUEUEMAX, QUEUESTRATEGY, QUEUECALLS, QUEUEHOLDTIME, QUEUETALKTIME, QUEUECOMPLETED, QUEUEABANDONED, QUEUESRVLEVEL \
     and QUEUESRVLEVELPERF, where the queue has `setqueuevar=yes`. Gives 0 when they were set, else -1, with a warning \
     when the queue does not exist.",
    |cx: &mut Cx<'_>, name, out| {
        if name.is_empty() {
            return misused(cx, "QUEUE_VARIABLES");
        }
        let variables = with_queue(cx, name, |queue| {
            queue.settings.setqueuevar.then(|| queue.variables())
        });
        let Some(Some(variables)) = variables else {
            out.extend_from_slice(b"-1");
            return Answer::Done;
        };
        for (name, value) in variables {
            cx.set(name.as_bytes(), value.as_bytes());
        }
        out.push(b'0');
        Answer::Done
    },
)
.examples(&[Example {
    title: "No such queue",
    dialplan: "",
    evaluate: "${QUEUE_VARIABLES(sales)}",
    expect: "-1",
}]);

/// Callers who wait.
pub static QUEUE_WAITING_COUNT: Function = Function::read(
    "QUEUE_WAITING_COUNT",
    "How many callers wait in a queue.",
    "queue",
    "0 with a warning when the queue does not exist.",
    |cx: &mut Cx<'_>, name, out| {
        if name.is_empty() {
            return misused(cx, "QUEUE_WAITING_COUNT");
        }
        let count = with_queue(cx, name, |queue| queue.callers.len());
        append_int(count.unwrap_or(0) as i64, out);
        Answer::Done
    },
)
.examples(&[Example {
    title: "No such queue",
    dialplan: "",
    evaluate: "${QUEUE_WAITING_COUNT(sales)}",
    expect: "0",
}]);

/// The penalty of a member.
pub static QUEUE_MEMBER_PENALTY: Function = Function::read_write(
    "QUEUE_MEMBER_PENALTY",
    "The penalty of a member of a queue.",
    "queue,interface",
    "-1 when there is no such queue or member. Writing changes it, without a queue in every one.",
    |cx: &mut Cx<'_>, arguments, out| {
        let fields = standard(arguments, 2);
        let (Some(name), Some(interface)) = (filled(&fields, 0), filled(&fields, 1)) else {
            return misused(cx, "QUEUE_MEMBER_PENALTY");
        };
        let facilities = cx.shared().facilities();
        let found = facilities.queues.get(name).and_then(|q| q.member(interface));
        let penalty = found.map_or(-1, |member| i64::from(member.penalty));
        drop(facilities);
        if penalty < 0 {
            cx.log_at(&code::NOT_FOUND, Level::Error, || {
                "no such queue, or no such member of it".to_owned()
            });
        }
        append_int(penalty, out);
        Answer::Done
    },
    |cx: &mut Cx<'_>, arguments, value| {
        let fields = standard(arguments, 2);
        let Some(interface) = filled(&fields, 1) else {
            misused(cx, "QUEUE_MEMBER_PENALTY");
            return Flow::Next;
        };
        let queue = fields.first().map_or(&[][..], Vec::as_slice);
        write(cx, queue, b"penalty", interface, value);
        Flow::Next
    },
)
.examples(&[Example {
    title: "No such queue",
    dialplan: "",
    evaluate: "${QUEUE_MEMBER_PENALTY(sales,PJSIP/a)}",
    expect: "-1",
}]);

fn filled(fields: &[Vec<u8>], n: usize) -> Option<&[u8]> {
    let field = fields.get(n)?;
    (!field.is_empty()).then_some(field)
}

fn misused(cx: &mut Cx<'_>, function: &str) -> Answer {
    cx.log_at(&code::BAD_ARGUMENT, Level::Error, || {
        format!("{function} lacks an argument")
    });
    Answer::Failed
}

fn invalid_option(cx: &mut Cx<'_>, option: &[u8]) {
    cx.log_at(&code::BAD_ARGUMENT, Level::Error, || {
        format!(
            "QUEUE_MEMBER has no option `{}`, or there is no such member",
            bstr::BStr::new(option)
        )
    });
}

/// Reads a queue; a warning where it does not exist.
fn with_queue<T>(cx: &mut Cx<'_>, name: &[u8], read: impl FnOnce(&Queue) -> T) -> Option<T> {
    let facilities = cx.shared().facilities();
    let found = facilities.queues.get(name).map(read);
    drop(facilities);
    if found.is_none() {
        cx.log(&code::NOT_FOUND, || {
            format!("no queue `{}`", bstr::BStr::new(name))
        });
    }
    found
}

/// A value of a member.
fn value(queue: &Queue, member: &Member, option: &[u8]) -> Option<i64> {
    Some(match option {
        b"penalty" => i64::from(member.penalty),
        b"paused" => i64::from(member.paused),
        b"ringinuse" => i64::from(member.ringinuse.unwrap_or(queue.settings.ringinuse)),
        _ => return None,
    })
}

/// Counts members, once the state of each of their devices is known; the host is asked where the engine does not
/// know it.
fn count(
    cx: &mut Cx<'_>,
    queue: Text,
    option: Vec<u8>,
    mut devices: std::collections::VecDeque<Text>,
    mut known: Vec<(Text, DeviceState)>,
    out: &mut Vec<u8>,
) -> Answer {
    while let Some(device) = devices.pop_front() {
        if let Some(state) = cx.device_state(&device) {
            known.push((device, state));
            continue;
        }
        return Answer::Await(
            facilities::ask(&device),
            Box::new(move |cx, event, out| {
                known.push((device, facilities::told(&event)));
                count(cx, queue, option, devices, known, out)
            }),
        );
    }
    let now = cx.now();
    let counted = with_queue(cx, &queue, |queue| {
        let counts = |member: &&Member| {
            let state = known
                .iter()
                .find(|(device, _)| device == member.device())
                .map_or(DeviceState::Unknown, |(_, state)| *state);
            let free = state == DeviceState::NotInUse && !member.paused;
            match option.as_slice() {
                b"logged" => !matches!(state, DeviceState::Unavailable | DeviceState::Invalid),
                b"free" => free,
                _ => free && !queue.wraps_up(member, now),
            }
        };
        queue.members.iter().filter(counts).count()
    });
    append_int(counted.unwrap_or(0) as i64, out);
    Answer::Done
}

/// Writes a value of a member in one queue, or in all.
fn write(cx: &mut Cx<'_>, queue: &[u8], option: &[u8], interface: &[u8], value: &[u8]) {
    let number = int(value).map_or(0, |(n, _)| n);
    let accepted = match option {
        b"penalty" => number >= 0,
        b"paused" => true,
        b"ringinuse" => number == 0 || number == 1,
        _ => return invalid_option(cx, option),
    };
    if !accepted {
        return cx.log_at(&code::BAD_ARGUMENT, Level::Error, || {
            format!("`{}` is no such value of a member", bstr::BStr::new(value))
        });
    }
    let penalty = u32::try_from(number).unwrap_or(u32::MAX);
    let changed = cx.shared().facilities().queues.change(queue, interface, |member| {
        match option {
            b"penalty" => member.penalty = penalty,
            b"paused" => member.paused = number != 0,
            _ => member.ringinuse = Some(number == 1),
        }
    });
    if changed.is_empty() {
        cx.log_at(&code::NOT_FOUND, Level::Error, || {
            "no such queue, or no such member of it".to_owned()
        });
    }
}
