//! Queue and the applications for its members and log.

use super::hosted::{After, Hosted, Status, hosted};
use super::playback::missing_argument;
use crate::base::Text;
use crate::base::arguments::{self, options};
use crate::library::{Application, Example, Support};
use crate::machine::{Cx, Effect, Event, Flow};

hosted! {
    ADD_QUEUE_MEMBER "AddQueueMember" "Add a member to a queue."
        "queue[,interface[,penalty[,options[,name[,state_interface[,wrapuptime]]]]]]"
        "Adds a device, that of this channel without one, to a queue. AQMSTATUS is ADDED, MEMBERALREADY or NOSUCHQUEUE."
        Hosted::new()
            .needs(1, After::Leave)
            .sets(&[Status::new("AQMSTATUS", "ADDED", "NOSUCHQUEUE")]);
    REMOVE_QUEUE_MEMBER "RemoveQueueMember" "Remove a member from a queue." "queue[,interface]"
        "Removes a device, that of this channel without one, from a queue. RQMSTATUS is REMOVED, NOTINQUEUE, NOSUCHQUEUE \
         or NOTDYNAMIC."
        Hosted::new()
            .needs(1, After::Leave)
            .sets(&[Status::new("RQMSTATUS", "REMOVED", "NOTINQUEUE")]);
    PAUSE_QUEUE_MEMBER "PauseQueueMember" "Give a member of queues no calls for a while."
        "[queue],interface[,options[,reason]]"
        "Pauses a device in a queue, or in all of them. PQMSTATUS is PAUSED or NOTFOUND."
        Hosted::new()
            .also_needs(&[1], After::Leave)
            .sets(&[Status::new("PQMSTATUS", "PAUSED", "NOTFOUND")]);
    UNPAUSE_QUEUE_MEMBER "UnpauseQueueMember" "Give a member of queues calls again."
        "[queue],interface[,options[,reason]]"
        "Ends a pause. UPQMSTATUS is UNPAUSED or NOTFOUND."
        Hosted::new()
            .also_needs(&[1], After::Leave)
            .sets(&[Status::new("UPQMSTATUS", "UNPAUSED", "NOTFOUND")]);
    QUEUE_LOG "QueueLog" "Write a line to the log of queues." "queue,uniqueid,agent,event[,text]"
        "Writes an event of one's own to the log of the queues."
        Hosted::new().needs(4, After::Leave);
    QUEUE_UPDATE "QueueUpdate" "Tell how a call from outside a queue went." "queue,uniqueid,agent,status[,talktime[,text]]"
        "Counts a call that did not come by Queue in the statistics of a queue, and writes it to the log."
        Hosted::new().needs(4, After::Leave);
}

/// Wait in a queue.
pub static QUEUE: Application = Application::new(
    "Queue",
    "Wait in a queue for somebody.",
    "queue[,options[,url[,announcement[,timeout[,agi[,gosub[,rule[,position]]]]]]]]",
    "Waits until a member of the queue takes the call, at most for some seconds. QUEUESTATUS is TIMEOUT, FULL, JOINEMPTY, \
     LEAVEEMPTY, JOINUNAVAIL, LEAVEUNAVAIL, CONTINUE or WITHDRAW, and empty after a call that was taken; then the call \
     goes on with CONTINUE if the option `c` is given. A key of the queue's exit context goes there.",
    run_queue,
)
.support(Support::Simulated)
.examples(&[Example { title: "Go on after the call with an agent", dialplan: "Queue(support,c)", evaluate: "${QUEUESTATUS}", expect: "CONTINUE" }]);

fn run_queue(cx: &mut Cx<'_>, data: &[u8]) -> Flow {
    let fields = arguments::standard(data, 9);
    if fields.first().is_none_or(Vec::is_empty) {
        return missing_argument(cx, "Queue needs a queue");
    }
    let goes_on = fields.get(1).is_some_and(|text| options(text).has(b'c'));
    cx.set(b"QUEUESTATUS", b"");
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
