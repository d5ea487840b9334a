//! A round of a queue: whether it is the caller's turn, and the members who are rung.

use std::time::Duration;

use super::super::queue_members::log;
use super::announce::say;
use super::talk::taken;
use super::{Known, RECHECK, Wait, abandon, exit, is_empty, leave, pause, pressed, set_ringing, state_in};
use crate::base::Text;
use crate::diagnostic::code;
use crate::machine::facilities::QueueSettings;
use crate::machine::{AfterDial, Cx, Dial, Dialed, Effect, Event, Flow};

/// Leaves the queue, waits on, or rings members.
pub(super) fn turn(cx: &mut Cx<'_>, mut wait: Box<Wait>, known: &Known) -> Flow {
    let now = cx.now();
    if wait.until.is_some_and(|until| now >= until) {
        return leave(cx, &wait, "TIMEOUT", "EXITWITHTIMEOUT");
    }
    change_limits(cx, &mut wait, now);
    if is_empty(cx, &wait, known, |settings| settings.leavewhenempty) {
        return leave(cx, &wait, "LEAVEEMPTY", "EXITEMPTY");
    }
    let channel = cx.channel().name.clone();
    let chance = cx.environment();
    let random = || chance.random();
    let mut facilities = cx.shared().facilities();
    let Some(queue) = facilities.queues.get_mut(&wait.queue) else {
        drop(facilities);
        cx.set(b"QUEUESTATUS", b"UNKNOWN");
        return Flow::Next;
    };
    let Some(position) = queue.position(&channel) else {
        // Somebody took the caller out.
        drop(facilities);
        return leave(cx, &wait, "WITHDRAW", "WITHDRAW");
    };
    let waiting_before = queue.callers.iter().take(position - 1);
    let before = if queue.settings.autofill {
        waiting_before.filter(|caller| !caller.ringing).count()
    } else {
        waiting_before.count()
    };
    let free = queue
        .members
        .iter()
        .filter(|m| queue.can_ring(m, state_in(known)(m.device()), now))
        .count();
    let next = if queue.settings.autofill {
        before < free.max(1)
    } else {
        before == 0
    };
    let what = wait.said.due(queue, position, next, wait.since, now);
    if !what.is_empty() {
        let keys = !queue.settings.context.is_empty();
        drop(facilities);
        return say(wait, what, keys);
    }
    if !next {
        drop(facilities);
        return pause(cx, wait, RECHECK);
    }
    let order = queue.order(wait.begin, wait.limits, &state_in(known), now, &random);
    let settings = queue.settings.clone();
    if let Some(caller) = queue.callers.get_mut(position - 1) {
        caller.ringing = !order.is_empty();
    }
    wait.rung = order
        .into_iter()
        .map(|group| {
            let free = |i: &Text| !facilities.queues.is_needed_elsewhere(&wait.queue, i);
            group.into_iter().filter(free).collect::<Vec<_>>()
        })
        .filter(|group| !group.is_empty())
        .collect();
    drop(facilities);
    wait.round_ends = settings.timeout.map(|time| now.saturating_add(time));
    ring(cx, wait, &settings)
}

/// Lines of the caller's rule whose time has come change which members it accepts.
fn change_limits(cx: &mut Cx<'_>, wait: &mut Wait, now: Duration) {
    let waited = now.saturating_sub(wait.since);
    while let Some(line) = wait.rule.pop_front_if(|line| line.after <= waited) {
        wait.limits = line.apply(wait.limits);
        for (variable, limit) in [
            (&b"QUEUE_MAX_PENALTY"[..], wait.limits.most),
            (b"QUEUE_MIN_PENALTY", wait.limits.least),
            (b"QUEUE_RAISE_PENALTY", wait.limits.raise),
        ] {
            if let Some(limit) = limit {
                cx.set(variable, limit.to_string().as_bytes());
            }
        }
    }
}

/// Rings the next members of this round, or ends it.
fn ring(cx: &mut Cx<'_>, mut wait: Box<Wait>, settings: &QueueSettings) -> Flow {
    let now = cx.now();
    let left = |end: Option<Duration>| end.map(|end| end.saturating_sub(now));
    let over = left(wait.round_ends).is_some_and(|time| time.is_zero());
    let Some(group) = wait.rung.pop_front().filter(|_| !over) else {
        set_ringing(cx, &wait, false);
        if wait.one_round {
            return leave(cx, &wait, "TIMEOUT", "EXITWITHTIMEOUT");
        }
        return pause(cx, wait, settings.retry.max(RECHECK));
    };
    if let [interface] = group.as_slice()
        && let Some(queue) = cx.shared().facilities().queues.get_mut(&wait.queue)
    {
        wait.begin = queue.rings(interface);
    }
    let times = [left(wait.round_ends), left(wait.until)];
    let timeout = times.into_iter().flatten().min();
    let targets = group.iter().filter_map(|interface| {
        let slash = interface.iter().position(|b| *b == b'/')?;
        let technology = Text::from(interface.get(..slash)?);
        Some((technology, Text::from(interface.get(slash + 1..)?)))
    });
    let mut options = wait.dial.clone();
    let announcement = if wait.announcement.is_empty() {
        &settings.announce
    } else {
        &wait.announcement
    };
    if !announcement.is_empty() {
        options.push((b'A', Some(announcement.clone())));
    }
    if !settings.context.is_empty() {
        options.push((b'd', None));
        cx.set(b"EXITCONTEXT", &settings.context);
    }
    let party = &cx.channel().caller;
    let dial = Dial {
        targets: targets.collect(),
        timeout,
        options,
        inherit: cx.inherited(),
        caller: (party.number.clone(), party.name.clone()),
    };
    if dial.targets.is_empty() {
        cx.log(&code::DIAL_ARGUMENT_INVALID, || {
            "a member of the queue is not `technology/resource`".to_owned()
        });
        let settings = settings.clone();
        return ring(cx, wait, &settings);
    }
    let settings = settings.clone();
    let began = now;
    Flow::wait_then(Effect::Dial(Box::new(dial)), move |cx, event| match event {
        Event::Dialed(dialed) => dialled(cx, wait, &settings, &group, *dialed, began),
        Event::Hangup(_) => abandon(cx, &wait),
        _ => ring(cx, wait, &settings),
    })
}

/// What became of ringing some members.
fn dialled(
    cx: &mut Cx<'_>,
    mut wait: Box<Wait>,
    settings: &QueueSettings,
    group: &[Text],
    dialed: Dialed,
    began: Duration,
) -> Flow {
    if let AfterDial::Digit(digit) = dialed.next {
        return pressed(cx, wait, digit);
    }
    if dialed.answered.is_none() {
        match &dialed.next {
            AfterDial::Hangup => return abandon(cx, &wait),
            // A digit of the caller, with the option `d` of Dial, has an extension in the queue's context.
            AfterDial::Goto(place) => {
                let Ok(to) = cx.parse_target(place) else {
                    return abandon(cx, &wait);
                };
                return exit(cx, &wait, to);
            }
            _ => {}
        }
        let waited = cx.now().saturating_sub(began).as_millis().to_string();
        for interface in group {
            log(cx, &wait.queue, interface, "RINGNOANSWER", waited.as_bytes());
        }
        if settings.autopause && dialed.status.as_bytes() == b"NOANSWER" {
            let mut facilities = cx.shared().facilities();
            for interface in group {
                facilities.queues.change(&wait.queue, interface, |member| {
                    member.paused = true;
                    member.reason = Text::from("Auto-Pause");
                });
            }
        }
        let refused = matches!(dialed.status.as_bytes(), b"BUSY" | b"CONGESTION");
        if settings.timeoutrestart && refused {
            let now = cx.now();
            wait.round_ends = settings.timeout.map(|time| now.saturating_add(time));
        }
        return ring(cx, wait, settings);
    }
    taken(cx, &wait, settings, group, dialed)
}

