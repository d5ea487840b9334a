//! Applications for the members and the log of call queues.

use super::hosted::{Hosted, Status};
use super::playback::missing_argument;
use crate::base::Text;
use crate::base::arguments::{self, options};
use crate::base::scan::int;
use crate::diagnostic::code;
use crate::library::{Application, Example};
use crate::machine::facilities::{Member, QueueLogLine};
use crate::machine::{Cx, Flow};

/// Add a member to a queue.
pub static ADD_QUEUE_MEMBER: Application = Application::new(
    "AddQueueMember",
    "Add a member to a queue.",
    "queue[,interface[,penalty[,options[,name[,state_interface[,wrapuptime]]]]]]",
    "Adds a device, that of this channel without one, to a queue; option `p` lets it pause, `r(text)` says why. AQMSTATUS \
     is ADDED, MEMBERALREADY or NOSUCHQUEUE. A host that keeps its queues for itself is asked instead.",
    |cx, data| {
        static HOST: Hosted = Hosted::new().sets(&[Status::new("AQMSTATUS", "ADDED", "NOSUCHQUEUE")]);
        let fields = arguments::standard(data, 7);
        let field = |n: usize| fields.get(n).map_or(&[][..], Vec::as_slice);
        if field(0).is_empty() {
            return missing_argument(cx, "AddQueueMember needs a queue");
        }
        if !kept_here(cx) {
            return HOST.run(cx, "AddQueueMember", data);
        }
        let interface = interface(cx, field(1));
        let number = |text: &[u8]| int(text).and_then(|(n, _)| u32::try_from(n).ok());
        let penalty = number(field(2));
        if penalty.is_none() && !field(2).is_empty() {
            cx.log(&code::NOT_A_NUMBER, || {
                "the penalty of a member is a number from 0".to_owned()
            });
        }
        let letters = options(field(3));
        let mut member = Member::new(&interface);
        member.penalty = penalty.unwrap_or(0);
        member.paused = letters.has(b'p');
        member.reason = Text::from(letters.argument(b'r').unwrap_or(&[]));
        if !field(4).is_empty() {
            member.name = Text::from(field(4));
        }
        member.state_interface = Text::from(field(5));
        member.wrapuptime = number(field(6)).map(|n| std::time::Duration::from_secs(n.into()));
        member.dynamic = true;
        let name = member.name.clone();
        let paused = member.paused;
        let mut facilities = cx.shared().facilities();
        let status: &[u8] = match facilities.queues.get_mut(field(0)) {
            None => b"NOSUCHQUEUE",
            Some(queue) if queue.member(&interface).is_some() => b"MEMBERALREADY",
            Some(queue) => {
                queue.members.push(member);
                b"ADDED"
            }
        };
        drop(facilities);
        match status {
            b"ADDED" => {
                let state: &[u8] = if paused { b"PAUSED" } else { b"" };
                log(cx, field(0), &name, "ADDMEMBER", state);
            }
            b"MEMBERALREADY" => cx.log(&code::NOT_FOUND, || "it is a member already".to_owned()),
            _ => cx.log(&code::NOT_FOUND, || "no such queue".to_owned()),
        }
        cx.set(b"AQMSTATUS", status);
        Flow::Next
    },
)
.examples(&[Example {
    title: "A host with queues of its own",
    dialplan: "AddQueueMember(support,PJSIP/anna)",
    evaluate: "${AQMSTATUS}",
    expect: "ADDED",
}]);

/// Remove a member from a queue.
pub static REMOVE_QUEUE_MEMBER: Application = Application::new(
    "RemoveQueueMember",
    "Remove a member from a queue.",
    "queue[,interface]",
    "Removes a device, that of this channel without one, from a queue. RQMSTATUS is REMOVED, NOTINQUEUE, NOSUCHQUEUE or, \
     for a member of the configuration, NOTDYNAMIC. A host that keeps its queues for itself is asked instead.",
    |cx, data| {
        static HOST: Hosted = Hosted::new().sets(&[Status::new("RQMSTATUS", "REMOVED", "NOTINQUEUE")]);
        let fields = arguments::standard(data, 2);
        let field = |n: usize| fields.get(n).map_or(&[][..], Vec::as_slice);
        if field(0).is_empty() {
            return missing_argument(cx, "RemoveQueueMember needs a queue");
        }
        if !kept_here(cx) {
            return HOST.run(cx, "RemoveQueueMember", data);
        }
        let interface = interface(cx, field(1));
        let mut facilities = cx.shared().facilities();
        let mut name = Text::EMPTY;
        let status: &[u8] = match facilities.queues.get_mut(field(0)) {
            None => b"NOSUCHQUEUE",
            Some(queue) => match queue.member(&interface) {
                None => b"NOTINQUEUE",
                Some(member) if !member.dynamic => b"NOTDYNAMIC",
                Some(member) => {
                    name = member.name.clone();
                    queue
                        .members
                        .retain(|m| !m.interface.eq_ignore_ascii_case(&interface));
                    b"REMOVED"
                }
            },
        };
        drop(facilities);
        if status == b"REMOVED" {
            log(cx, field(0), &name, "REMOVEMEMBER", b"");
        } else {
            cx.log(&code::NOT_FOUND, || {
                "no such queue, or no member of it that can be removed".to_owned()
            });
        }
        cx.set(b"RQMSTATUS", status);
        Flow::Next
    },
)
.examples(&[Example {
    title: "A host with queues of its own",
    dialplan: "RemoveQueueMember(support,PJSIP/anna)",
    evaluate: "${RQMSTATUS}",
    expect: "REMOVED",
}]);

/// A pause begins.
pub static PAUSE_QUEUE_MEMBER: Application = Application::new(
    "PauseQueueMember",
    "Give a member of queues no calls for a while.",
    "[queue],interface[,options[,reason]]",
    "Pauses a device in a queue, or in all of them. PQMSTATUS is PAUSED or NOTFOUND. A host that keeps its queues for \
     itself is asked instead.",
    |cx, data| {
        static HOST: Hosted = Hosted::new().sets(&[Status::new("PQMSTATUS", "PAUSED", "NOTFOUND")]);
        pause(cx, data, true, "PauseQueueMember", &HOST)
    },
)
.examples(&[Example {
    title: "A host with queues of its own",
    dialplan: "PauseQueueMember(,PJSIP/anna)",
    evaluate: "${PQMSTATUS}",
    expect: "PAUSED",
}]);

/// A pause ends.
pub static UNPAUSE_QUEUE_MEMBER: Application = Application::new(
    "UnpauseQueueMember",
    "Give a member of queues calls again.",
    "[queue],interface[,options[,reason]]",
    "Ends a pause in a queue, or in all of them. UPQMSTATUS is UNPAUSED or NOTFOUND. A host that keeps its queues for \
     itself is asked instead.",
    |cx, data| {
        static HOST: Hosted = Hosted::new().sets(&[Status::new("UPQMSTATUS", "UNPAUSED", "NOTFOUND")]);
        pause(cx, data, false, "UnpauseQueueMember", &HOST)
    },
)
.examples(&[Example {
    title: "A host with queues of its own",
    dialplan: "UnpauseQueueMember(,PJSIP/anna)",
    evaluate: "${UPQMSTATUS}",
    expect: "UNPAUSED",
}]);

/// A line for the log.
pub static QUEUE_LOG: Application = Application::new(
    "QueueLog",
    "Write a line to the log of queues.",
    "queue,uniqueid,agent,event[,text]",
    "Writes an event of one's own to the log of the queues, which the host takes.",
    |cx, data| {
        let fields = arguments::standard(data, 5);
        let field = |n: usize| fields.get(n).map_or(&[][..], Vec::as_slice);
        if (0..4).any(|n| field(n).is_empty()) {
            return missing_argument(cx, "QueueLog needs a queue, a call, an agent and an event");
        }
        let event = String::from_utf8_lossy(field(3)).into_owned();
        write(cx, [field(1), field(0), field(2)], &event, field(4));
        Flow::Next
    },
)
.examples(&[Example {
    title: "A reason",
    dialplan: "QueueLog(support,1767225600.1,NONE,WELCOME,pressed 1)",
    evaluate: "on",
    expect: "on",
}]);

/// A call from outside a queue.
pub static QUEUE_UPDATE: Application = Application::new(
    "QueueUpdate",
    "Tell how a call from outside a queue went.",
    "queue,uniqueid,agent,status[,talktime[,text]]",
    "Counts a call that did not come by Queue in the statistics of a queue, and writes it to the log. QUSTATUS is OK, \
     or ERR where the queue does not exist. A host that keeps its queues for itself is told instead.",
    |cx, data| {
        static HOST: Hosted = Hosted::new();
        let fields = arguments::standard(data, 6);
        let field = |n: usize| fields.get(n).map_or(&[][..], Vec::as_slice);
        if (0..4).any(|n| field(n).is_empty()) {
            return missing_argument(cx, "QueueUpdate needs a queue, a call, an agent and a status");
        }
        if !kept_here(cx) {
            return HOST.run(cx, "QueueUpdate", data);
        }
        let talked = int(field(4)).and_then(|(n, _)| u64::try_from(n).ok());
        let now = cx.now();
        let mut facilities = cx.shared().facilities();
        let found = facilities.queues.get_mut(field(0)).map(|queue| {
            if let Some(talked) = talked.filter(|time| *time > 0) {
                let by_name = queue.members.iter().find(|m| m.name.as_bytes() == field(2));
                let interface = by_name.map_or_else(|| Text::from(field(2)), |m| m.interface.clone());
                queue.ended(&interface, std::time::Duration::from_secs(talked), now);
            } else {
                queue.abandoned += 1;
            }
        });
        drop(facilities);
        if found.is_none() {
            cx.log(&code::NOT_FOUND, || "no such queue".to_owned());
        }
        cx.set(b"QUSTATUS", if found.is_some() { b"OK" } else { b"ERR" });
        let more = [field(3), field(4), field(5)].join(&b'|');
        write(cx, [field(1), field(0), field(2)], "OUTCALL", &more);
        Flow::Next
    },
)
.examples(&[Example {
    title: "A call back that was answered",
    dialplan: "QueueUpdate(support,1767225600.1,PJSIP/anna,ANSWER,30)",
    evaluate: "on",
    expect: "on",
}]);

/// Whether the engine has the queues; else the host keeps them.
pub(super) fn kept_here(cx: &Cx<'_>) -> bool {
    cx.shared().facilities().queues.are_known()
}

/// A device, or that of this channel.
fn interface(cx: &Cx<'_>, given: &[u8]) -> Vec<u8> {
    if !given.is_empty() {
        return given.to_vec();
    }
    let name = cx.channel().name.as_bytes();
    let end = name.iter().rposition(|b| *b == b'-').unwrap_or(name.len());
    name.get(..end).unwrap_or(name).to_vec()
}

fn pause(
    cx: &mut Cx<'_>,
    data: &[u8],
    paused: bool,
    name: &'static str,
    host: &'static Hosted,
) -> Flow {
    let fields = arguments::standard(data, 4);
    let field = |n: usize| fields.get(n).map_or(&[][..], Vec::as_slice);
    if field(1).is_empty() {
        return missing_argument(cx, &format!("{name} needs an interface"));
    }
    if !kept_here(cx) {
        return host.run(cx, name, data);
    }
    let changed = cx.shared().facilities().queues.change(field(0), field(1), |member| {
        member.paused = paused;
        member.reason = Text::from(if paused { field(3) } else { &[] });
    });
    let status: (&[u8], &[u8]) = match (paused, changed.is_empty()) {
        (true, false) => (b"PQMSTATUS", b"PAUSED"),
        (true, true) => (b"PQMSTATUS", b"NOTFOUND"),
        (false, false) => (b"UPQMSTATUS", b"UNPAUSED"),
        (false, true) => (b"UPQMSTATUS", b"NOTFOUND"),
    };
    if changed.is_empty() {
        cx.log(&code::NOT_FOUND, || "no such member".to_owned());
    }
    let event = if paused { "PAUSE" } else { "UNPAUSE" };
    for queue in changed {
        log(cx, &queue, field(1), event, field(3));
    }
    cx.set(status.0, status.1);
    Flow::Next
}

/// Writes a line about this call to the log.
pub(super) fn log(cx: &Cx<'_>, queue: &[u8], member: &[u8], event: &str, more: &[u8]) {
    let call = cx.channel().uniqueid.clone();
    write(cx, [&call, queue, member], event, more);
}

fn write(cx: &Cx<'_>, [call, queue, member]: [&[u8]; 3], event: &str, more: &[u8]) {
    let line = QueueLogLine {
        at: cx.now(),
        call: Text::from(call),
        queue: Text::from(queue),
        member: Text::from(member),
        event: Text::from(event),
        more: Text::from(more),
    };
    cx.shared().facilities().queues.write_log(line);
}
