//! AMD, `WaitForNoise`, `WaitForSilence`, `WaitForRing`: what the host hears.

use super::hosted::{After, Hosted, Status, hosted};
use crate::base::duration::leading_number;
use crate::base::{Text, arguments};
use crate::library::{Application, Example, Support};
use crate::machine::{Cx, Effect, Event, Flow};

hosted! {
    WAIT_FOR_NOISE "WaitForNoise" "Wait until somebody speaks." "[milliseconds[,iterations[,timeout]]]"
        "Answers, then waits until there was noise for some milliseconds, so many times, at most for `timeout` seconds. \
         WAITSTATUS is NOISE, TIMEOUT or HANGUP."
        Hosted::new().answers().or_leaves().sets(&[Status::new("WAITSTATUS", "NOISE", "HANGUP").timeout("TIMEOUT")]);
    WAIT_FOR_SILENCE "WaitForSilence" "Wait until nobody speaks." "[milliseconds[,iterations[,timeout]]]"
        "Answers, then waits until there was silence for some milliseconds, so many times, at most for `timeout` \
         seconds. WAITSTATUS is SILENCE, TIMEOUT or HANGUP."
        Hosted::new().answers().or_leaves().sets(&[Status::new("WAITSTATUS", "SILENCE", "HANGUP").timeout("TIMEOUT")]);
    WAIT_FOR_RING "WaitForRing" "Wait for the line to ring." "timeout"
        "Waits at least so many seconds, and until the next ring is over."
        Hosted::new().needs(1, After::Next).or_leaves();
}

/// Tell a person from a machine.
pub static AMD: Application = Application::new(
    "AMD",
    "Tell a person from an answering machine.",
    "[initialsilence[,greeting[,aftergreetingsilence[,totaltime[,minword[,betweenwords[,maxwords[,threshold[,\
     maxword]]]]]]]]]",
    "Listens how the called side begins to speak. AMDSTATUS is MACHINE, HUMAN, NOTSURE or HANGUP, AMDCAUSE why, as the \
     host tells: `status,cause`. A host that cannot tell leaves it at NOTSURE after the total time.",
    run_amd,
)
.support(Support::Simulated)
.examples(&[Example { title: "A host that cannot tell", dialplan: "AMD(2500,1500,800,3000)", evaluate: "${AMDSTATUS} ${AMDCAUSE}", expect: "NOTSURE TOOLONG-3000" }]);

/// How long one listens without a total time in the arguments: milliseconds.
const TOTAL: u32 = 5000;

fn run_amd(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    let total = arguments::standard(data, 10)
        .get(3)
        .and_then(|text| leading_number(text))
        .map_or(TOTAL, |(number, _)| number.max(0.0) as u32);
    let effect = Effect::Custom {
        name: Text::from("AMD"),
        data: Text::from(data),
    };
    cx.set(b"AMDSTATUS", b"");
    cx.set(b"AMDCAUSE", b"");
    Flow::wait_then(effect, move |cx, event| {
        match event {
            Event::Hangup(_) => {
                cx.set(b"AMDSTATUS", b"HANGUP");
                return Flow::Leave;
            }
            Event::Failed(_) => {}
            Event::Value(answer) => {
                let mut words = answer.splitn(2, |&b| b == b',');
                cx.set(b"AMDSTATUS", words.next().unwrap_or(&[]));
                cx.set(b"AMDCAUSE", words.next().unwrap_or(&[]));
            }
            _ => {
                cx.set(b"AMDSTATUS", b"NOTSURE");
                cx.set(b"AMDCAUSE", format!("TOOLONG-{total}").as_bytes());
            }
        }
        Flow::Next
    })
}
