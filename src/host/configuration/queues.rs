//! queues.conf.

use super::{invalid, is, number, seconds, switch, unknown};
use crate::base::Text;
use crate::base::condition::is_yes;
use crate::diagnostic::Report;
use crate::machine::facilities::{
    Announcements, Empty, Facilities, Member, Queue, QueueSettings, SayPosition, SayTime, Strategy,
};
use crate::syntax::load::{Category, Setting};

/// Settings of queues.conf that change sounds, reports and recordings only.
const OTHER: &[&str] = &[
    "musicclass",
    "musiconhold",
    "periodic-announce-startdelay",
    "random-periodic-announce",
    "relative-periodic-announce",
    "announce-position-only-up",
    "queue-youarenext",
    "queue-thereare",
    "queue-callswaiting",
    "queue-holdtime",
    "queue-minute",
    "queue-minutes",
    "queue-seconds",
    "queue-thankyou",
    "queue-quantity1",
    "queue-quantity2",
    "queue-reporthold",
    "queue-callerannounce",
    "queue-lessthan",
    "monitor-format",
    "monitor-type",
    "monitor-join",
    "eventwhencalled",
    "eventmemberstatus",
    "reportholdtime",
    "memberdelay",
    "memberconnected",
    "membermacro",
    "membergosub",
    "penaltymemberslimit",
    "timeoutpriority",
    "autopausedelay",
    "autopausebusy",
    "autopauseunavail",
    "log-restricted-caller-id",
    "persistentmembers",
    "updatecdr",
    "shared_lastcall",
    "negative_penalty_invalid",
    "log_membername_as_agent",
    "force_longest_waiting_caller",
];

pub(super) fn read(categories: &[Category], facilities: &mut Facilities, report: &mut Report) {
    let mut usual = QueueSettings::default();
    for category in categories.iter().filter(|c| is(&c.name, "general")) {
        for setting in &category.settings {
            if is(&setting.name, "autofill") {
                usual.autofill = switch(setting);
            } else if !OTHER.iter().any(|other| is(&setting.name, other)) {
                unknown(report, setting);
            }
        }
    }
    for category in categories.iter().filter(|c| !is(&c.name, "general")) {
        let mut queue = Queue::new(&category.name, usual.clone());
        for setting in &category.settings {
            if is(&setting.name, "member") {
                match member(&setting.value) {
                    Some(member) => queue.members.push(member),
                    None => invalid(report, setting),
                }
            } else {
                apply(setting, &mut queue.settings, report);
            }
        }
        facilities.queues.add(queue);
    }
}

fn apply(setting: &Setting, queue: &mut QueueSettings, report: &mut Report) {
    match setting.name.to_ascii_lowercase().as_slice() {
        b"strategy" => match Strategy::named(&setting.value) {
            Some(strategy) => queue.strategy = strategy,
            None => invalid(report, setting),
        },
        b"timeout" => {
            if let Some(time) = seconds(report, setting) {
                queue.timeout = (!time.is_zero()).then_some(time);
            }
        }
        b"retry" => queue.retry = seconds(report, setting).unwrap_or(queue.retry),
        b"maxlen" => queue.maxlen = number(report, setting).unwrap_or(queue.maxlen),
        b"weight" => queue.weight = number(report, setting).unwrap_or(queue.weight),
        b"servicelevel" => {
            queue.servicelevel = seconds(report, setting).unwrap_or(queue.servicelevel);
        }
        b"wrapuptime" => queue.wrapuptime = seconds(report, setting).unwrap_or(queue.wrapuptime),
        b"joinempty" => match empty(&setting.value, true) {
            Some(when) => queue.joinempty = when,
            None => invalid(report, setting),
        },
        b"leavewhenempty" => match empty(&setting.value, false) {
            Some(when) => queue.leavewhenempty = when,
            None => invalid(report, setting),
        },
        b"ringinuse" => queue.ringinuse = switch(setting),
        b"autofill" => queue.autofill = switch(setting),
        b"autopause" => queue.autopause = switch(setting) || is(&setting.value, "all"),
        b"timeoutrestart" => queue.timeoutrestart = switch(setting),
        b"context" => queue.context = setting.value.clone(),
        b"setinterfacevar" => queue.setinterfacevar = switch(setting),
        b"setqueuevar" => queue.setqueuevar = switch(setting),
        b"setqueueentryvar" => queue.setqueueentryvar = switch(setting),
        b"announce" => queue.announce = setting.value.clone(),
        b"defaultrule" => queue.rule = setting.value.clone(),
        _ if announcement(setting, &mut queue.announcements, report) => {}
        _ if OTHER.iter().any(|other| is(&setting.name, other)) => {}
        _ => unknown(report, setting),
    }
}

/// What callers hear; false = not a setting of that.
fn announcement(setting: &Setting, heard: &mut Announcements, report: &mut Report) -> bool {
    // 0 stands for never.
    let often = |report: &mut Report, before| {
        seconds(report, setting).map_or(before, |time| (!time.is_zero()).then_some(time))
    };
    let word = setting.value.to_ascii_lowercase();
    match setting.name.to_ascii_lowercase().as_slice() {
        b"announce-frequency" => heard.frequency = often(report, heard.frequency),
        b"min-announce-frequency" => heard.least = seconds(report, setting).unwrap_or(heard.least),
        b"periodic-announce-frequency" => {
            heard.periodic_frequency = often(report, heard.periodic_frequency);
        }
        b"periodic-announce" => {
            let files = setting.value.split(|b| *b == b',').map(<[u8]>::trim_ascii);
            heard.periodic = files.filter(|f| !f.is_empty()).map(Text::from).collect();
        }
        b"announce-position" => {
            heard.position = match word.as_slice() {
                b"limit" => SayPosition::Limit,
                b"more" => SayPosition::More,
                word if is_yes(word) => SayPosition::Always,
                _ => SayPosition::Never,
            };
        }
        b"announce-position-limit" => {
            if let Some(limit) = number(report, setting) {
                heard.limit = limit as usize;
            }
        }
        b"announce-holdtime" => {
            heard.holdtime = match word.as_slice() {
                b"once" => SayTime::Once,
                word if is_yes(word) => SayTime::Always,
                _ => SayTime::Never,
            };
        }
        b"announce-round-seconds" => {
            heard.round = number(report, setting).map_or(heard.round, u64::from);
        }
        b"announce-to-first-user" => heard.to_first = switch(setting),
        _ => return false,
    }
    true
}

/// `interface[,penalty[,name[,state_interface[,ringinuse[,wrapuptime[,paused]]]]]]`
fn member(value: &[u8]) -> Option<Member> {
    let mut fields = value.split(|b| *b == b',').map(<[u8]>::trim_ascii);
    let mut next = || fields.next().unwrap_or(&[]);
    let interface = next();
    if interface.is_empty() {
        return None;
    }
    let number = |text: &[u8]| std::str::from_utf8(text).ok()?.parse::<u32>().ok();
    let mut member = Member::new(interface);
    let penalty = next();
    if !penalty.is_empty() {
        member.penalty = number(penalty)?;
    }
    let name = next();
    if !name.is_empty() {
        member.name = Text::from(name);
    }
    member.state_interface = Text::from(next());
    let in_use = next();
    member.ringinuse = (!in_use.is_empty()).then(|| is_yes(in_use));
    member.wrapuptime = number(next()).map(|n| std::time::Duration::from_secs(n.into()));
    member.paused = is_yes(next());
    Some(member)
}

/// `yes`, `no`, `strict`, `loose`, or conditions with commas between.
fn empty(value: &[u8], joins: bool) -> Option<Empty> {
    let mut when = Empty::default();
    for word in value.split(|b| *b == b',').map(<[u8]>::trim_ascii) {
        match word.to_ascii_lowercase().as_slice() {
            b"paused" => when.paused = true,
            b"penalty" => when.penalty = true,
            b"inuse" => when.inuse = true,
            b"ringing" => when.ringing = true,
            b"unavailable" => when.unavailable = true,
            b"invalid" => when.invalid = true,
            b"unknown" => when.unknown = true,
            b"wrapup" => when.wrapup = true,
            b"strict" => when = Empty::strict(),
            b"loose" => when = Empty::loose(),
            // To join an empty queue and not to leave one are the same.
            word if is_yes(word) => {
                when = if joins {
                    Empty::default()
                } else {
                    Empty::usual()
                };
            }
            b"no" | b"false" | b"n" | b"f" | b"0" | b"off" => {
                when = if joins {
                    Empty::usual()
                } else {
                    Empty::default()
                };
            }
            _ => return None,
        }
    }
    Some(when)
}
