//! LOCK, TRYLOCK and UNLOCK.

use std::time::Duration;

use crate::base::Text;
use crate::diagnostic::code;
use crate::library::{Example, Function};
use crate::machine::{Answer, Cx, Effect, Event};

/// How often a lock that is taken is asked for again: 3 s in all, as in Asterisk.
const TRIES: u32 = 60;
/// Time between two tries.
const PAUSE: Duration = Duration::from_millis(50);

/// Take a lock, perhaps after a while.
pub static LOCK: Function = Function::read(
    "LOCK",
    "Takes a lock that one channel at a time can have.",
    "name",
    "1 when the channel has the lock now, 0 when another one kept it for 3 seconds. A channel may take its lock \
     again; it must be given back as often. Locks of a channel that ends are free.",
    |cx: &mut Cx<'_>, name, out| wait(cx, Text::from(name), TRIES, out),
)
.examples(&[Example {
    title: "Take and give back",
    dialplan: "",
    evaluate: "${LOCK(x)}${LOCK(x)}${UNLOCK(x)}${UNLOCK(x)}${UNLOCK(x)}",
    expect: "11110",
}]);

/// Take a lock at once or not at all.
pub static TRYLOCK: Function = Function::read(
    "TRYLOCK",
    "Takes a lock if no other channel has it.",
    "name",
    "1 when the channel has the lock now, 0 when another one has it.",
    |cx: &mut Cx<'_>, name, out| {
        let channel = cx.channel().name.clone();
        say(cx.shared().take_lock(name, &channel), out)
    },
)
.examples(&[Example {
    title: "Nobody else has it",
    dialplan: "",
    evaluate: "${TRYLOCK(x)}",
    expect: "1",
}]);

/// Give a lock back.
pub static UNLOCK: Function = Function::read(
    "UNLOCK",
    "Gives a lock back.",
    "name",
    "1 when the channel had the lock, else 0.",
    |cx: &mut Cx<'_>, name, out| {
        let given = cx.shared().give_lock(name, &cx.channel().name);
        if given.is_none() {
            cx.log(&code::NOT_FOUND, || {
                "UNLOCK on a channel that never took a lock".to_owned()
            });
        }
        say(given == Some(true), out)
    },
)
.examples(&[Example {
    title: "Not held",
    dialplan: "",
    evaluate: "${UNLOCK(x)}",
    expect: "0",
}]);

fn wait(cx: &mut Cx<'_>, name: Text, tries: u32, out: &mut Vec<u8>) -> Answer {
    let channel = cx.channel().name.clone();
    if cx.shared().take_lock(&name, &channel) {
        return say(true, out);
    }
    if tries == 0 {
        return say(false, out);
    }
    Answer::Await(
        Effect::Sleep(PAUSE),
        Box::new(move |cx, event, out| match event {
            Event::Hangup(_) | Event::Failed(_) => say(false, out),
            _ => wait(cx, name, tries - 1, out),
        }),
    )
}

fn say(yes: bool, out: &mut Vec<u8>) -> Answer {
    out.push(if yes { b'1' } else { b'0' });
    Answer::Done
}
