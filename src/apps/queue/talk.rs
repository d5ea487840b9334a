//! The end of a call that a member of a queue took.

use super::super::queue_members::log;
use super::Wait;
use crate::base::Text;
use crate::machine::facilities::QueueSettings;
use crate::machine::{AfterDial, Cx, Dialed, Flow};

/// A member took the call, and it is over.
pub(super) fn taken(
    cx: &mut Cx<'_>,
    wait: &Wait,
    settings: &QueueSettings,
    group: &[Text],
    dialed: Dialed,
) -> Flow {
    let now = cx.now();
    let talked = dialed.answered.unwrap_or_default();
    let answered = now.saturating_sub(talked);
    let waited = answered.saturating_sub(wait.since);
    let number = dialed.number.as_deref().unwrap_or(&[]);
    let is_peer = |interface: &&Text| {
        let slash = interface.iter().position(|b| *b == b'/');
        slash.and_then(|at| interface.get(at + 1..)) == Some(number)
    };
    let interface = group.iter().find(is_peer).or(group.first());
    let interface = interface.cloned().unwrap_or_default();
    let channel = cx.channel().name.clone();
    let mut facilities = cx.shared().facilities();
    let mut member = None;
    let mut variables = Vec::new();
    if let Some(queue) = facilities.queues.get_mut(&wait.queue) {
        queue.leave(&channel);
        queue.taken(waited);
        member = queue.member(&interface).cloned();
        if settings.setqueuevar {
            variables = queue.variables();
        }
        queue.ended(&interface, talked, now);
    }
    drop(facilities);
    for (name, value) in variables {
        cx.set(name.as_bytes(), value.as_bytes());
    }
    let name = member.as_ref().map_or_else(|| interface.clone(), |m| m.name.clone());
    if let Some(member) = member.filter(|_| settings.setinterfacevar) {
        let last = member.last_call.map_or(0, |last| last.as_secs());
        let set = [
            ("MEMBERINTERFACE", interface.to_string()),
            ("MEMBERNAME", member.name.to_string()),
            ("MEMBERCALLS", member.calls.to_string()),
            ("MEMBERLASTCALL", last.to_string()),
            ("MEMBERPENALTY", member.penalty.to_string()),
            ("MEMBERDYNAMIC", u8::from(member.dynamic).to_string()),
            ("MEMBERREALTIME", "0".to_owned()),
        ];
        for (name, value) in set {
            cx.set(name.as_bytes(), value.as_bytes());
        }
    }
    let hold = waited.as_secs().to_string();
    let position = wait.position.to_string();
    if settings.setqueueentryvar {
        cx.set(b"QEHOLDTIME", hold.as_bytes());
        cx.set(b"QEORIGINALPOS", position.as_bytes());
    }
    for (variable, value) in [
        (&b"DIALEDPEERNAME"[..], &dialed.peer),
        (b"DIALEDPEERNUMBER", &dialed.number),
    ] {
        if let Some(value) = value {
            cx.set(variable, value);
        }
    }
    for (name, value) in &dialed.set {
        cx.set(name, value);
    }
    let talk = talked.as_secs().to_string();
    log(cx, &wait.queue, &name, "CONNECT", hold.as_bytes());
    let by_caller = dialed.next == AfterDial::Hangup || cx.is_hungup();
    let event = if by_caller { "COMPLETECALLER" } else { "COMPLETEAGENT" };
    let more = [hold, talk, position].join("|");
    log(cx, &wait.queue, &name, event, more.as_bytes());
    if let Some(cause) = dialed.cause {
        cx.channel_mut().cause = cause;
    }
    match dialed.next {
        AfterDial::Goto(place) => match cx.parse_target(&place) {
            Ok(to) => Flow::Jump(to),
            Err(_) => Flow::Next,
        },
        AfterDial::Continue if wait.goes_on && !by_caller => {
            cx.set(b"QUEUESTATUS", b"CONTINUE");
            Flow::Next
        }
        _ => Flow::Leave,
    }
}

