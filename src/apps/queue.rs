//! Queue: a caller waits until a member takes the call.
//!
//! Members are rung with the effect of Dial, in rounds; between rounds the caller waits for the next one and may leave
//! with a digit. So every host that can dial has queues.

mod announce;
mod round;
mod talk;

use std::collections::VecDeque;
use std::time::Duration;

use super::playback::missing_argument;
use super::queue_members::{kept_here, log};
use announce::Said;
use round::turn;
use crate::base::Text;
use crate::base::arguments::{self, options};
use crate::base::duration::{leading_number, seconds};
use crate::base::scan::int;
use crate::diagnostic::code;
use crate::library::{Application, Example, Support};
use crate::machine::facilities::{
    self, Caller, DeviceState, Empty, Penalties, PenaltyChange, QueueSettings,
};
use crate::machine::{Cx, Effect, Event, Flow, Location};

/// Wait in a queue.
pub static QUEUE: Application = Application::new(
    "Queue",
    "Wait in a queue for somebody.",
    "queue[,options[,url[,announcement[,timeout[,agi[,gosub[,rule[,position]]]]]]]]",
    "Waits until a member of the queue takes the call, at most for some seconds. QUEUESTATUS is TIMEOUT, FULL, JOINEMPTY, \
     LEAVEEMPTY, UNKNOWN, CONTINUE or WITHDRAW. After a call that was taken the caller's call ends, or goes on with \
     CONTINUE if the option `c` is given and the member hung up. A key of the queue's context leads there. `n` gives up \
     after one round; other options are handed to the call of the members as Dial knows them. QUEUE_PRIO, \
     QUEUE_MIN_PENALTY, QUEUE_MAX_PENALTY and QUEUE_RAISE_PENALTY are read; the rule, or that of the queue, changes the \
     last three as time passes. The gosub runs on the member's channel; an AGI program needs a script host, and is told \
     of in the log. A host that keeps its queues for itself is asked instead.",
    run,
)
.support(Support::Simulated)
.examples(&[Example { title: "Go on after the call with an agent", dialplan: "Queue(support,c)", evaluate: "${QUEUESTATUS}", expect: "CONTINUE" }]);

/// Callers who are not next look so often whether they are.
const RECHECK: Duration = Duration::from_secs(1);
/// Options that the Dial of members understands in the same way.
const FOR_DIAL: &[u8] = b"bBCFhHikKrtTwWxX";

fn run(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    let fields = arguments::standard(data, 9);
    let field = |n: usize| fields.get(n).map_or(&[][..], Vec::as_slice);
    if field(0).is_empty() {
        return missing_argument(cx, "Queue needs a queue");
    }
    cx.set(b"QUEUESTATUS", b"");
    let letters = options(field(1));
    if !kept_here(cx) {
        return at_host(data, letters.has(b'c'));
    }
    let whole = |text: &[u8]| int(text).map(|(n, _)| n);
    let penalty = |cx: &Cx<'_>, name: &[u8]| {
        whole(&cx.text_of(name)).and_then(|n| u32::try_from(n).ok())
    };
    let now = cx.now();
    let timeout = leading_number(field(4))
        .and_then(|(n, _)| seconds(n))
        .filter(|time| !time.is_zero());
    let mut dial: Vec<(u8, Option<Text>)> = letters
        .letters
        .iter()
        .filter(|(letter, _)| FOR_DIAL.contains(letter))
        .map(|(letter, argument)| (dial_letter(*letter), argument.as_deref().map(Text::from)))
        .collect();
    // The caller's call goes on here, whatever becomes of the member.
    dial.push((b'g', None));
    if !field(5).is_empty() {
        cx.log(&code::NOT_ALLOWED, || {
            "the program of Queue needs a script host".to_owned()
        });
    }
    if !field(6).is_empty() {
        dial.push((b'U', Some(Text::from(field(6)))));
    }
    let wait = Box::new(Wait {
        queue: Text::from(field(0)),
        announcement: Text::from(field(3)),
        goes_on: letters.has(b'c'),
        one_round: letters.has(b'n'),
        dial,
        since: now,
        until: timeout.map(|time| now.saturating_add(time)),
        limits: Penalties {
            least: penalty(cx, b"QUEUE_MIN_PENALTY").filter(|n| *n > 0),
            most: penalty(cx, b"QUEUE_MAX_PENALTY").filter(|n| *n > 0),
            raise: penalty(cx, b"QUEUE_RAISE_PENALTY"),
        },
        rule: rule(cx, field(0), field(7)),
        said: Said::default(),
        begin: 0,
        position: 0,
        digits: Vec::new(),
        rung: VecDeque::new(),
        round_ends: None,
    });
    let priority = i64::from(whole(&cx.text_of(b"QUEUE_PRIO")).unwrap_or(0));
    let position = whole(field(8)).and_then(|n| usize::try_from(n).ok());
    with_states(cx, wait, move |cx, wait, states| {
        join(cx, wait, &states, priority, position)
    })
}

/// The rule that was named, or that of the queue.
fn rule(cx: &mut Cx<'_>, queue: &[u8], name: &[u8]) -> VecDeque<PenaltyChange> {
    let facilities = cx.shared().facilities();
    let usual = facilities.queues.get(queue).map_or(&[][..], |q| &q.settings.rule);
    let lines = facilities.queues.rule(if name.is_empty() { usual } else { name });
    let lines: VecDeque<_> = lines.iter().copied().collect();
    drop(facilities);
    if lines.is_empty() && !name.is_empty() {
        cx.log(&code::NOT_FOUND, || {
            format!("there is no rule `{}` for queues", bstr::BStr::new(name))
        });
    }
    lines
}

/// C is answered elsewhere in Queue, c in Dial.
fn dial_letter(letter: u8) -> u8 {
    if letter == b'C' { b'c' } else { letter }
}

/// The host has the queues.
fn at_host(data: &[u8], goes_on: bool) -> Flow {
    let effect = Effect::Custom {
        name: Text::from("Queue"),
        data: Text::from(data),
    };
    Flow::wait_then(effect, move |cx, event| {
        let status: &[u8] = match &event {
            Event::Hangup(_) => return Flow::Leave,
            Event::Digit(digit) => return Flow::Digit(*digit),
            Event::Value(word) => word,
            Event::Timeout => b"TIMEOUT",
            // No such queue: the word that says nothing of members.
            Event::Failed(_) => b"UNKNOWN",
            _ if goes_on => b"CONTINUE",
            _ => b"",
        };
        cx.set(b"QUEUESTATUS", status);
        Flow::Next
    })
}

/// A caller in a queue.
struct Wait {
    queue: Text,
    announcement: Text,
    goes_on: bool,
    one_round: bool,
    /// Options of the Dial of members.
    dial: Vec<(u8, Option<Text>)>,
    since: Duration,
    until: Option<Duration>,
    limits: Penalties,
    /// Lines of its rule that have not acted.
    rule: VecDeque<PenaltyChange>,
    /// What the caller heard.
    said: Said,
    /// Where the caller's next round begins in a linear queue.
    begin: usize,
    /// Position when the caller came.
    position: usize,
    /// Digits pressed so far.
    digits: Vec<u8>,
    /// Members who are still to be rung in this round, those at once together.
    rung: VecDeque<Vec<Text>>,
    /// When this round is over.
    round_ends: Option<Duration>,
}

/// States of devices.
type Known = Vec<(Text, DeviceState)>;

fn state_in(known: &Known) -> impl Fn(&[u8]) -> DeviceState {
    |device| {
        let found = known.iter().find(|(name, _)| name.as_bytes() == device);
        found.map_or(DeviceState::Unknown, |(_, state)| *state)
    }
}

/// Goes on once the state of each member's device is known; the host is asked where the engine does not know it.
fn with_states(
    cx: &mut Cx<'_>,
    wait: Box<Wait>,
    then: impl FnOnce(&mut Cx<'_>, Box<Wait>, Known) -> Flow + Send + 'static,
) -> Flow {
    let facilities = cx.shared().facilities();
    let queue = facilities.queues.get(&wait.queue);
    let devices = queue.map_or_else(VecDeque::new, |queue| {
        queue.members.iter().map(|m| m.device().clone()).collect()
    });
    drop(facilities);
    ask_for(cx, wait, devices, Vec::new(), Box::new(then))
}

/// What follows once all states are known.
type WithStates = Box<dyn FnOnce(&mut Cx<'_>, Box<Wait>, Known) -> Flow + Send>;

fn ask_for(
    cx: &mut Cx<'_>,
    wait: Box<Wait>,
    mut devices: VecDeque<Text>,
    mut known: Known,
    then: WithStates,
) -> Flow {
    while let Some(device) = devices.pop_front() {
        if let Some(state) = cx.device_state(&device) {
            known.push((device, state));
            continue;
        }
        return Flow::wait_then(facilities::ask(&device), move |cx, event| {
            if let Event::Hangup(_) = event {
                return abandon(cx, &wait);
            }
            known.push((device, facilities::told(&event)));
            ask_for(cx, wait, devices, known, then)
        });
    }
    then(cx, wait, known)
}

/// Whether the queue counts as empty for the caller.
fn is_empty(
    cx: &Cx<'_>,
    wait: &Wait,
    known: &Known,
    when: impl Fn(&QueueSettings) -> Empty,
) -> bool {
    let facilities = cx.shared().facilities();
    facilities.queues.get(&wait.queue).is_some_and(|queue| {
        let when = when(&queue.settings);
        queue.is_empty(when, wait.limits, &state_in(known), cx.now())
    })
}

fn join(
    cx: &mut Cx<'_>,
    mut wait: Box<Wait>,
    known: &Known,
    priority: i64,
    position: Option<usize>,
) -> Flow {
    let empty = is_empty(cx, &wait, known, |settings| settings.joinempty);
    let caller = Caller {
        channel: cx.channel().name.clone(),
        priority,
        since: wait.since,
        ringing: false,
    };
    let mut facilities = cx.shared().facilities();
    let joined = match facilities.queues.get_mut(&wait.queue) {
        None => Err("UNKNOWN"),
        Some(_) if empty => Err("JOINEMPTY"),
        Some(queue) => {
            let most = queue.settings.maxlen as usize;
            if most > 0 && queue.callers.len() >= most {
                Err("FULL")
            } else {
                let at = queue.join(caller, position);
                let variables = queue.settings.setqueuevar.then(|| queue.variables());
                Ok((at, variables))
            }
        }
    };
    drop(facilities);
    match joined {
        Err(status) => {
            cx.log(&code::NOT_FOUND, || {
                format!("cannot join the queue `{}`: {status}", wait.queue)
            });
            cx.set(b"QUEUESTATUS", status.as_bytes());
            Flow::Next
        }
        Ok((at, variables)) => {
            wait.position = at;
            if let Some(variables) = variables {
                cx.set(b"QUEUENAME", &wait.queue);
                for (name, value) in variables {
                    cx.set(name.as_bytes(), value.as_bytes());
                }
            }
            cx.set(b"QUEUEPOSITION", at.to_string().as_bytes());
            let number = cx.channel().caller.number.clone().unwrap_or_default();
            let more = [&b"|"[..], &number, b"|", at.to_string().as_bytes()].concat();
            log(cx, &wait.queue, b"NONE", "ENTERQUEUE", &more);
            again(cx, wait)
        }
    }
}

/// Looks anew what can be done for the caller.
fn again(cx: &mut Cx<'_>, wait: Box<Wait>) -> Flow {
    with_states(cx, wait, |cx, wait, known| turn(cx, wait, &known))
}

/// Waits for a while, and listens to the caller.
fn pause(cx: &mut Cx<'_>, wait: Box<Wait>, time: Duration) -> Flow {
    let left = wait.until.map(|until| until.saturating_sub(cx.now()));
    let timeout = Some(left.map_or(time, |left| left.min(time)));
    Flow::wait_then(Effect::Collect { timeout }, |cx, event| match event {
        Event::Hangup(_) => abandon(cx, &wait),
        Event::Digit(digit) => pressed(cx, wait, digit),
        _ => again(cx, wait),
    })
}

/// A digit leads out of the queue if the queue's context has an extension for the digits so far.
fn pressed(cx: &mut Cx<'_>, mut wait: Box<Wait>, digit: u8) -> Flow {
    set_ringing(cx, &wait, false);
    let facilities = cx.shared().facilities();
    let queue = facilities.queues.get(&wait.queue);
    let context = queue.map_or(Text::EMPTY, |queue| queue.settings.context.clone());
    drop(facilities);
    if context.is_empty() {
        return again(cx, wait);
    }
    wait.digits.push(digit);
    if cx.exists(&context, &wait.digits, 1) {
        let exten = Text::from(wait.digits.as_slice());
        let to = Location {
            context,
            exten,
            priority: 1,
        };
        return exit(cx, &wait, to);
    }
    if !cx.match_more(&context, &wait.digits) {
        wait.digits.clear();
    }
    again(cx, wait)
}

/// The caller leaves the queue with digits.
fn exit(cx: &mut Cx<'_>, wait: &Wait, to: Location) -> Flow {
    let more = [to.exten.as_bytes(), b"|", wait.position.to_string().as_bytes()].concat();
    gone(cx, wait);
    log(cx, &wait.queue, b"NONE", "EXITWITHKEY", &more);
    Flow::Jump(to)
}

fn set_ringing(cx: &Cx<'_>, wait: &Wait, ringing: bool) {
    let mut facilities = cx.shared().facilities();
    if let Some(queue) = facilities.queues.get_mut(&wait.queue) {
        let own = &cx.channel().name;
        for caller in queue.callers.iter_mut().filter(|c| c.channel == *own) {
            caller.ringing = ringing;
        }
    }
}

/// The caller waits no more.
fn gone(cx: &Cx<'_>, wait: &Wait) {
    let mut facilities = cx.shared().facilities();
    if let Some(queue) = facilities.queues.get_mut(&wait.queue) {
        queue.leave(&cx.channel().name);
    }
}

/// The caller leaves the queue, and goes on.
fn leave(cx: &mut Cx<'_>, wait: &Wait, status: &str, event: &str) -> Flow {
    gone(cx, wait);
    log(cx, &wait.queue, b"NONE", event, wait.position.to_string().as_bytes());
    cx.set(b"QUEUESTATUS", status.as_bytes());
    Flow::Next
}

/// The caller hung up.
fn abandon(cx: &mut Cx<'_>, wait: &Wait) -> Flow {
    let channel = cx.channel().name.clone();
    let waited = cx.now().saturating_sub(wait.since).as_secs();
    let mut facilities = cx.shared().facilities();
    let mut at = 0;
    if let Some(queue) = facilities.queues.get_mut(&wait.queue) {
        at = queue.position(&channel).unwrap_or(0);
        if queue.leave(&channel).is_some() {
            queue.abandoned += 1;
        }
    }
    drop(facilities);
    let more = format!("{at}|{}|{waited}", wait.position);
    log(cx, &wait.queue, b"NONE", "ABANDON", more.as_bytes());
    cx.set(b"ABANDONED", b"TRUE");
    Flow::Leave
}
